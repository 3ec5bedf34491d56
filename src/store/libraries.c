/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/libraries.h"

#include <sqlite3.h>

void store_libraries(struct library_list *l)
{
    library_list_add(l, "SQLite", SQLITE_VERSION, sqlite3_libversion());
}
