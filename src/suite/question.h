/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request whose texts are filled in: what checks and verifications ask. Private to suite/. */
#ifndef PLIMSOLL_SUITE_QUESTION_H
#define PLIMSOLL_SUITE_QUESTION_H

#include "suite/names.h"
#include "suite/suite.h"
#include "web/fetch.h"

struct question {
    struct fetch *fetch;
    const volatile int *stop; /* not 0 ends the call; NULL: nothing does */
    char *url, *body;
    char shown[300]; /* the URL without its secrets */
    struct strlist headers;
    struct fetch_call call; /* its other members are the caller's to set */
    struct buf answer;
    struct buf sent, received; /* with question_show(): the bytes, secrets and all */
};

/* names: NULL: texts are taken as they are. body, headers: NULL: none. question_release() also after -1. */
MUST_CHECK int question_init(struct question *q, struct fetch *fetch, const char *url, const char *body,
                             const struct suite_pairs *headers, const struct names *names, struct err *err);
void question_show(struct question *q);
void question_release(struct question *q);

#endif
