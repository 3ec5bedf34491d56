/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What asset_jobs.c (the threads and their queue) and asset_work.c (what happens to one asset) share. */
#ifndef PLIMSOLL_SERVE_ASSET_INTERNAL_H
#define PLIMSOLL_SERVE_ASSET_INTERNAL_H

#include "base/strlist.h"
#include "serve/asset_jobs.h"

#include <pthread.h>

struct job {
    struct job *next;
    char id[UUID_TEXT_MAX];
};

/* An asset that something is happening to. */
struct busy {
    struct busy *next;
    char id[UUID_TEXT_MAX];
    bool cancelled; /* it is to be removed */
    const struct asset_jobs *jobs;
    const struct s3_stop *stop; /* of who waits for it; NULL: nobody */
};

struct asset_jobs {
    struct site *site;
    struct strlist scan; /* words; none: no scan */
    char *folder;        /* absolute path of the folder assets */
    struct s3 *s3;
    pthread_mutex_t lock; /* of everything below, and of changes to assets */
    pthread_cond_t changed;
    struct job *first, **last;
    unsigned queued;
    struct busy *busy;
    pthread_t threads[ASSET_THREADS];
    unsigned thread_count;
    bool stopping;
    bool swept;
};

/* Waits until nothing else happens to the asset, and holds it until asset_give(). False: stopped. cancel: whatever
 * happens to it now is not wanted any more. */
bool asset_take(struct asset_jobs *j, struct busy *b, const char *id, const struct s3_stop *stop, bool cancel);
void asset_give(struct asset_jobs *j, struct busy *b);
/* Does what is due until nothing is, or something fails. True: S3 has its present file. */
bool asset_work(struct asset_jobs *j, struct busy *b, struct s3_outcome *outcome);

#endif
