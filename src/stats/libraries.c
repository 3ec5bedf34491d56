/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/libraries.h"

#include <gsl/gsl_version.h>
#include <zlib.h>

void stats_libraries(struct library_list *l)
{
    library_list_add(l, "zlib", ZLIB_VERSION, zlibVersion());
    library_list_add(l, "GSL", GSL_VERSION, gsl_version);
}
