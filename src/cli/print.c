/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/print.h"

void cli_print(FILE *to, struct buf *text)
{
    if (text->len > 0)
        fwrite(text->data, 1, text->len, to);
    buf_release(text);
}
