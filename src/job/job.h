/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One plan as N shares under the scheduler that a user already has: the script or manifest that starts them, says when
 * all begin, keeps their parts and merges them. Pure: text out of values, no files, no clock, no environment.
 *
 * Always true: a word of the user's comes out as the one word it was, whatever bytes it holds; a secret is not in the
 * text, only the name of the variable that has it. Schedulers are not imitated: the text is theirs, with comments, to
 * be read and changed. */
#ifndef PLIMSOLL_JOB_JOB_H
#define PLIMSOLL_JOB_JOB_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strlist.h"

enum job_engine { JOB_KUBERNETES, JOB_SLURM, JOB_MPI, JOB_SSH, JOB_ENGINES };

/* What each share runs, and so what it leaves: a part; or documents in a folder of its own, one for each round or
 * sample, of which those of one name are merged. */
enum job_kind { JOB_LOAD, JOB_LIMIT, JOB_RUN };
/* What stands for the suite among the words: a variable that the texts set. */
#define JOB_SUITE "suite"

/* A word of the command that every share runs. */
struct job_word {
    const char *text;
    const char *variable; /* it is a secret, and stands in this variable; NULL: none */
};

/* What the shares need in their environment. */
struct job_variable {
    char *name;
    char *what; /* for whom has to set it: "the value of --user" */
};

struct job {
    enum job_engine engine;
    const char *name;    /* of the job: a DNS label */
    const char *program; /* plimsoll on the machines of the shares */
    uint64_t shares;
    uint64_t per_machine; /* at most so many of them on one */
    uint64_t cpus;        /* of each share; 0: not said */
    uint64_t memory_bytes;
    uint64_t open_files;    /* that each share needs; 0: unknown */
    uint64_t start_in_ns;   /* from the moment that the script runs; unless start_at */
    const char *start_at;   /* RFC 3339; Kubernetes needs it */
    uint64_t time_limit_ns; /* of the job */
    const char *parts;      /* folder, where the machines share one; of ssh here */
    const char *store;      /* of objects, for the parts, instead of a claim (Kubernetes); NULL: none */
    const char *merged;     /* file; NULL: in the folder of parts */
    enum job_kind kind;
    const struct strlist *pieces; /* names of the documents: "round-1", "sample-00001"; of JOB_LOAD none */
    struct slice suite;           /* text of the suite that the text brings along; of JOB_RUN */
    const char *suite_path;       /* where it is on every machine, instead */
    const struct job_word *words; /* "load", ... */
    size_t word_count;
    const struct job_variable *variables;
    size_t variable_count;
    const struct strlist *launcher; /* more words for the scheduler */
    const char *hosts, *hosts_file; /* of mpi and ssh; NULL: not said */
    /* Kubernetes */
    const char *image, *name_space, *claim; /* NULL: the cluster's current one; a claim of its own */
    uint64_t claim_bytes;
};

/* "kubernetes"; JOB_ENGINES: no such one. */
const char *job_engine_name(enum job_engine engine);
enum job_engine job_engine_of(struct slice name);
/* The program that carries it out: "kubectl". */
const char *job_engine_client(enum job_engine engine);

/* ERR_USAGE: a word that such a text can not hold. */
MUST_CHECK int job_render(struct buf *out, const struct job *job, struct err *err);

/* A line of what the client program prints, taken for one of a share: *share from 1, *text without the mark that the
 * script lets the scheduler put before it. False: it is none of a share (of ssh
 * none is: its shares have files of their own). */
bool job_line(enum job_engine engine, struct slice line, uint64_t *share, struct slice *text);

/* What a share says of itself while it runs (--progress json). */
struct job_progress {
    double elapsed_s, requests_per_s;
    uint64_t done, failed;
    char stage[16];
};
/* False: the text is no such object. */
bool job_progress_read(struct job_progress *out, struct slice text);

/* Kubernetes: the Secret that the variables come from; values are in the order of job->variables. */
MUST_CHECK int job_render_secret(struct buf *out, const struct job *job, const char *const *values, struct err *err);

#endif
