/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file system check itself: writes, or reads back, n files PREFIX_1.txt to PREFIX_n.txt in a folder, one after
 * another or by several threads, and times each. It blocks; handle_files.c calls it in a thread of its own. Memory
 * stays the same whatever the sizes. */
#ifndef PLIMSOLL_SERVE_FILES_JOB_H
#define PLIMSOLL_SERVE_FILES_JOB_H

#include "base/slice.h"

enum {
    FILES_PREFIX_MAX = 240, /* leaves room for _1000000.txt within a name's 255 bytes */
    FILES_N_MAX = 1000000,
    FILES_PARALLEL_MAX = 64,
};

struct files_job {
    int folder;
    char prefix[FILES_PREFIX_MAX + 1];
    uint64_t n, size;
    unsigned parallel;
    bool read;         /* else write */
    bool delete_first; /* unlink each before it is written */
    bool sync;         /* fsync each after */
    bool (*is_cancelled)(void *arg);
    void *arg;

    uint64_t done, bytes, elapsed_ns;
    uint64_t *times_ns; /* of each file by its number from 0; 0: not done. Freed by files_job_release() */
    int error;          /* errno of the first failure; 0: none */
    uint64_t failed;    /* and the number of its file */

    uint64_t _next;
    int _stop;
};

/* False: out of memory. Failures of the file system are in error. */
bool files_job_run(struct files_job *j);
void files_job_release(struct files_job *j);
/* After the run: sorts times_ns, then the value at a share (0 to 1) of the files done; 0 when none was. */
void files_job_sort(struct files_job *j);
uint64_t files_job_quantile(const struct files_job *j, double share);

#define FILES_NAME_MAX 256
void files_name(char out[FILES_NAME_MAX], const char *prefix, uint64_t number);
/* The number in PREFIX_number.txt; 0 when the name is none of these. */
uint64_t files_number(struct slice name, struct slice prefix);
/* A prefix that makes good names: no slash, no control characters, not too long. */
bool files_prefix_is_good(struct slice prefix);

#endif
