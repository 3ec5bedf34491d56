/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/version.h"

#include <stdio.h>
#include <string.h>

#include "doc/libraries.h"
#include "http/libraries.h"
#include "net/libraries.h"
#include "pattern/libraries.h"
#include "report/libraries.h"
#include "result/libraries.h"
#include "stats/libraries.h"
#include "store/libraries.h"
#include "web/libraries.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif

static void print_library(const struct library *l)
{
    if (l->running[0] == '\0')
        printf("  %-12s  %-10s  part of this program\n", l->name, l->built);
    else
        printf("  %-12s  %-10s  %s\n", l->name, l->built, l->running);
}

int version_print(void)
{
    struct library_list l = { .count = 0 };

    net_libraries(&l);
    http_libraries(&l);
    web_libraries(&l);
    result_libraries(&l);
    store_libraries(&l);
    stats_libraries(&l);
    doc_libraries(&l);
    pattern_libraries(&l);
    report_libraries(&l);
    printf("plimsoll %s\n\n  %-12s  %-10s  %s\n", PLIMSOLL_VERSION, "library", "built with", "running with");
    for (size_t i = 0; i < l.count; i++)
        print_library(&l.items[i]);
    printf("\nCompiled by %s.\nLicense GPL-3.0-or-later. There is no warranty, to the extent the law permits.\n",
           COMPILER);
    return 0;
}
