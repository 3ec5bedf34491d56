/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "live/board.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct live_board {
    pthread_mutex_t lock;
    struct live_figures figures;
};

int live_board_new(struct live_board **out, const char *command, struct err *err)
{
    struct live_board *b = calloc(1, sizeof(*b));

    *out = NULL;
    if (b == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the live figures");
    pthread_mutex_init(&b->lock, NULL);
    live_figures_init(&b->figures, command);
    *out = b;
    return 0;
}

void live_board_free(struct live_board *b)
{
    if (b == NULL)
        return;
    pthread_mutex_destroy(&b->lock);
    free(b);
}

struct live_figures *live_board_take(struct live_board *b)
{
    pthread_mutex_lock(&b->lock);
    return &b->figures;
}

void live_board_give(struct live_board *b)
{
    pthread_mutex_unlock(&b->lock);
}

void live_board_copy(struct live_board *b, struct live_figures *out)
{
    pthread_mutex_lock(&b->lock);
    *out = b->figures;
    pthread_mutex_unlock(&b->lock);
}

void live_board_message(struct live_board *b, const char *fmt, ...)
{
    char text[LIVE_NAME_MAX * 2];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    pthread_mutex_lock(&b->lock);
    live_text_set(b->figures.message, sizeof(b->figures.message), slice_str(text));
    pthread_mutex_unlock(&b->lock);
}
