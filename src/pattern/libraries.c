/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pattern/libraries.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

void pattern_libraries(struct library_list *l)
{
    char running[64] = "";

    if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) <= (int)sizeof(running))
        (void)pcre2_config(PCRE2_CONFIG_VERSION, running);
    library_list_add(l, "PCRE2", TEXT(PCRE2_MAJOR) "." TEXT(PCRE2_MINOR), running);
}
