/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/libraries.h"

#include <libsmartcols/libsmartcols.h>

void report_libraries(struct library_list *l)
{
    const char *running = NULL;

    (void)scols_get_library_version(&running);
    library_list_add(l, "libsmartcols", LIBSMARTCOLS_VERSION, running);
}
