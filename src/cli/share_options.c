/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/share_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"

enum { START_FILE_MAX_BYTES = 4096 };
#define LONGEST_DELAY_NS (UINT64_C(366) * 24 * 3600 * NS_PER_S)

/* ---- --share ---- */

static int bad_share(const char *text, const char *why, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%s\" %s", text, why);
    return err_hint(err, "write I/N with I from 1 to N, N at most %u, for example --share 2/4; or --share auto",
                    SHARES_MAX);
}

int share_option_share(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct share_options *o = field;
    struct slice rest = slice_str(text);
    const struct slice first = slice_split(&rest, '/');
    uint64_t which, of;

    (void)row;
    o->given = true;
    o->is_auto = strcmp(text, "auto") == 0;
    if (o->is_auto)
        return 0;
    if (!slice_to_u64(first, &which) || !slice_to_u64(rest, &of))
        return bad_share(text, "is no share", err);
    if (which == 0)
        return bad_share(text, "counts from 0: the first share is 1", err);
    if (which > of || of > SHARES_MAX)
        return bad_share(text, which > of ? "is beyond the last share" : "are too many shares", err);
    o->share = (struct load_share){ (uint32_t)(which - 1), (uint32_t)of };
    return 0;
}

/* What schedulers tell a process of its place among the others. */
static const struct scheduler {
    const char *name, *rank, *size; /* size NULL: it does not say */
    uint64_t first;                 /* rank of the first process */
} SCHEDULERS[] = {
    /* The inner ones first: mpirun in a Slurm batch script leaves SLURM_PROCID of the script in every rank, and GNU
     * parallel there leaves it in every job. */
    { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0 },
    { "PMI", "PMI_RANK", "PMI_SIZE", 0 },
    { "Kubernetes", "JOB_COMPLETION_INDEX", NULL, 0 },
    { "GNU parallel", "PARALLEL_SEQ", NULL, 1 },
    { "Slurm", "SLURM_PROCID", "SLURM_NTASKS", 0 },
};

static int read_number(const char *name, uint64_t *out, struct err *err)
{
    if (slice_to_u64(slice_str(getenv(name)), out))
        return 0;
    return err_set(err, ERR_CONFIG, 0, "--share auto: %s is \"%s\", which is no number", name,
                   getenv(name) != NULL ? getenv(name) : "");
}

static int ask(const struct scheduler *s, struct share_options *o, struct err *err)
{
    uint64_t rank, size = o->of;

    if (read_number(s->rank, &rank, err) != 0)
        return -1;
    if (s->size != NULL && read_number(s->size, &size, err) != 0)
        return -1;
    if (size == 0) {
        err_set(err, ERR_USAGE, 0, "--share auto: %s does not say how many shares there are", s->name);
        return err_hint(err, "add --of N, with N the number of completions or jobs");
    }
    if (o->of > 0 && o->of != size) {
        err_set(err, ERR_USAGE, 0, "--of %llu, but %s of %s is %llu", (unsigned long long)o->of, s->size, s->name,
                (unsigned long long)size);
        return err_hint(err, "leave --of out: %s says it", s->name);
    }
    if (rank < s->first || rank - s->first >= size || size > SHARES_MAX) {
        err_set(err, ERR_CONFIG, 0, "--share auto: %s of %s is %llu, of %llu shares", s->rank, s->name,
                (unsigned long long)rank, (unsigned long long)size);
        return err_hint(err, "as many processes as shares, at most %u", SHARES_MAX);
    }
    o->share = (struct load_share){ (uint32_t)(rank - s->first), (uint32_t)size };
    return 0;
}

static int ask_schedulers(struct share_options *o, struct err *err)
{
    for (size_t i = 0; i < sizeof(SCHEDULERS) / sizeof(SCHEDULERS[0]); i++)
        if (getenv(SCHEDULERS[i].rank) != NULL)
            return ask(&SCHEDULERS[i], o, err);
    err_set(err, ERR_CONFIG, 0, "--share auto: no scheduler says which share this is");
    return err_hint(err, "start it by mpirun, srun, parallel or a Kubernetes Indexed Job; or write --share I/N");
}

/* ---- --start-at ---- */

static int parse_moment(struct slice text, uint64_t *ns, struct err *err)
{
    if (clock_parse_moment(text, ns))
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is no moment", SLICE_FMT(slice_take(text, 60)));
    return err_hint(err, "write a time with its zone, as 2026-03-01T12:00:30Z, or +30s, or @FILE that holds the time");
}

int share_option_start(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct share_options *o = field;

    (void)row;
    if (text[0] == '@' && text[1] != '\0') {
        o->start = SHARE_START_FILE;
        o->start_file = text + 1;
        return 0;
    }
    if (text[0] != '+') {
        o->start = SHARE_START_AT;
        return parse_moment(slice_str(text), &o->start_ns, err);
    }
    o->start = SHARE_START_AFTER;
    if (units_parse_duration(slice_str(text + 1), &o->start_ns, err) != 0)
        return -1;
    if (o->start_ns <= LONGEST_DELAY_NS)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is too long", text);
    return err_hint(err, "a year at most");
}

static int read_start_file(struct share_options *o, struct err *err)
{
    struct buf text;
    struct slice line, rest;
    int status = -1;

    buf_init(&text, START_FILE_MAX_BYTES);
    if (file_read(o->start_file, &text, err) == 0) {
        rest = buf_slice(&text);
        line = slice_trim(slice_split(&rest, '\n'));
        if (slice_ends(line, SLICE("\r")))
            line = slice_take(line, line.len - 1);
        status = parse_moment(line, &o->start_ns, err);
        if (status != 0)
            err_hint(err, "the file holds one time with its zone, as date -u -d '+30 sec' +%%FT%%TZ writes it");
    } else {
        err_hint(err, "write the time into it before the shares are started");
    }
    buf_release(&text);
    if (status != 0) {
        err_prefix(err, "--start-at @%s", o->start_file);
        err->kind = ERR_CONFIG;
        return -1;
    }
    o->start = SHARE_START_AT;
    return 0;
}

/* ---- both ---- */

static int check_clock_source(const char *what, struct err *err)
{
    if (strstr(what, "://") == NULL || strncmp(what, "http://", 7) == 0 || strncmp(what, "https://", 8) == 0)
        return 0;
    err_set(err, ERR_USAGE, 0, "--clock-check: \"%.*s\" is of no scheme that is asked for the time",
            (int)(strstr(what, "://") - what + 3), what);
    return err_hint(err, "write HOST, HOST:PORT, an http:// or https:// URL, or the word chrony");
}

int share_options_resolve(struct share_options *o, struct err *err)
{
    if (o->is_auto && ask_schedulers(o, err) != 0)
        return -1;
    if (!o->is_auto && o->of > 0) {
        err_set(err, ERR_USAGE, 0, "--of is for --share auto");
        return err_hint(err, "--share I/N says how many there are");
    }
    if (o->clock_check != NULL && o->start == SHARE_START_NONE && !o->is_started) {
        err_set(err, ERR_USAGE, 0, "--clock-check has no meaning without --start-at");
        return err_hint(err, "it corrects the moment of the start");
    }
    if (o->clock_check != NULL && check_clock_source(o->clock_check, err) != 0)
        return -1;
    return o->start == SHARE_START_FILE ? read_start_file(o, err) : 0;
}

char *share_options_expand(const struct share_options *o, const char *text)
{
    static const struct slice PLACE = { "{share}", 7 };
    struct slice rest = slice_str(text);
    struct buf out;
    char *expanded;
    ptrdiff_t at;

    buf_init(&out, SIZE_MAX);
    while (o->given && (at = slice_find_slice(rest, PLACE)) >= 0) {
        buf_add_slice(&out, slice_take(rest, (size_t)at));
        buf_printf(&out, "%u", o->share.index + 1);
        rest = slice_drop(rest, (size_t)at + PLACE.len);
    }
    buf_add_slice(&out, rest);
    expanded = buf_detach(&out);
    buf_release(&out);
    return expanded;
}

int share_options_expand_all(const struct share_options *o, const char **texts[], size_t count, struct strlist *kept,
                             struct err *err)
{
    for (size_t i = 0; i < count && o->given; i++) {
        char *text = *texts[i] != NULL ? share_options_expand(o, *texts[i]) : NULL;
        const bool added = text != NULL && strlist_add(kept, slice_str(text));

        free(text);
        if (*texts[i] == NULL)
            continue;
        if (!added)
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
        *texts[i] = kept->items[kept->count - 1];
    }
    return 0;
}
