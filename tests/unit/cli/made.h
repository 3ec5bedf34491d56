/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A command line of `plimsoll load` as options, and the plan made of them. */
#ifndef PLIMSOLL_TESTS_CLI_MADE_H
#define PLIMSOLL_TESTS_CLI_MADE_H

#include "cli/load_inputs.h"

#include <string.h>

#include "argv.h"

/* The options point into argv, the plan into the options: all live in one place. */
struct made {
    struct load_options options;
    struct load_inputs in;
    struct strlist argv;
    struct err err;
    int status; /* 0: there is a plan */
};

static inline void make(struct made *m, const char *line)
{
    bool help;

    memset(m, 0, sizeof(*m));
    m->argv = argv_of(line);
    load_options_init(&m->options);
    m->status = load_options_parse(&m->options, (int)m->argv.count, m->argv.items, &help, &m->err);
    if (m->status == 0)
        m->status = load_inputs_make(&m->in, &m->options, &m->err);
}

static inline void release(struct made *m)
{
    if (m->status == 0)
        load_inputs_release(&m->in);
    load_options_release(&m->options);
    strlist_release(&m->argv);
}

#endif
