/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "doc/libraries.h"

void doc_libraries(struct library_list *l)
{
    library_list_add(l, "libfyaml", PLIMSOLL_LIBFYAML, fy_library_version());
}
