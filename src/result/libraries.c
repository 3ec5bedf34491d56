/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/libraries.h"

#include <jansson.h>

void result_libraries(struct library_list *l)
{
    library_list_add(l, "Jansson", JANSSON_VERSION, jansson_version_str());
}
