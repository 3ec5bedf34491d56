/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rounds/order.h"

#include <errno.h>
#include <stdlib.h>

/* The commands, one after the other; every second time the other way round. */
static void add_turn(struct order_entry *list, size_t *count, const struct rounds_plan *plan, struct order_entry round,
                     bool reversed)
{
    for (size_t i = 0; i < plan->command_count; i++) {
        round.series = (uint32_t)(reversed ? plan->command_count - 1 - i : i);
        list[(*count)++] = round;
    }
}

static void add_round(struct order_entry *list, size_t *count, const struct rounds_plan *plan, size_t size,
                      uint32_t sample)
{
    const struct order_entry round = { .concurrency = plan->sizes[size], .sample = sample + 1 };

    add_turn(list, count, plan, round, (size + sample) % 2 == 1);
}

int order_make(struct order_entry **out, size_t *count, const struct rounds_plan *plan, struct err *err)
{
    const size_t turns = plan->warmup + (size_t)plan->samples * plan->size_count;
    struct order_entry *list = calloc(turns * plan->command_count + 1, sizeof(*list));

    *out = list;
    *count = 0;
    if (list == NULL)
        return err_set(err, ERR_SYSTEM, errno, "cannot list the rounds");
    for (uint32_t i = 0; i < plan->warmup; i++) {
        const struct order_entry round = { .concurrency = plan->sizes[0], .sample = i + 1, .warmup = true };

        add_turn(list, count, plan, round, false);
    }
    if (plan->order == ROUNDS_INTERLEAVED) {
        for (uint32_t sample = 0; sample < plan->samples; sample++)
            for (size_t size = 0; size < plan->size_count; size++)
                add_round(list, count, plan, size, sample);
    } else {
        for (size_t size = 0; size < plan->size_count; size++)
            for (uint32_t sample = 0; sample < plan->samples; sample++)
                add_round(list, count, plan, size, sample);
    }
    return 0;
}
