/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations a line, and the form of shell scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rounds/import_parts.h"

#define NUMBER_MAX 64u
#define AVERAGE_ROUNDED_S 0.06 /* averages are printed with one decimal */

struct slice import_line(struct slice *rest)
{
    struct slice line = slice_split(rest, '\n');

    return slice_ends(line, SLICE("\r")) ? slice_take(line, line.len - 1) : line;
}

bool import_seconds(struct slice text, double *out)
{
    const struct slice s = slice_trim(text);
    char copy[NUMBER_MAX], *end;

    if (s.len == 0 || s.len >= sizeof(copy) || !((s.ptr[0] >= '0' && s.ptr[0] <= '9') || s.ptr[0] == '.'))
        return false;
    memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    if (strpbrk(copy, "xXpPnN") != NULL)
        return false;
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite(*out) && *out < 1e9;
}

/* The number that the text begins with, and what is behind it. */
static bool take_whole(struct slice *text, uint64_t *out)
{
    size_t digits = 0;

    *text = slice_trim(*text);
    while (digits < text->len && text->ptr[digits] >= '0' && text->ptr[digits] <= '9')
        digits++;
    if (!slice_to_u64(slice_take(*text, digits), out))
        return false;
    *text = slice_drop(*text, digits);
    return true;
}

bool import_failure(struct slice line, int *exit, int *signal)
{
    static const struct {
        struct slice words;
        bool is_signal;
    } FORMS[] = {
        { { "Command exited with non-zero status", 35 }, false },
        { { "Command terminated by signal", 28 }, true },
        { { "Command stopped by signal", 25 }, true },
    };
    const struct slice text = slice_trim(line);

    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++) {
        struct slice rest = slice_drop(text, FORMS[i].words.len);
        uint64_t number = 1;

        if (!slice_starts(text, FORMS[i].words))
            continue;
        if (!take_whole(&rest, &number) || number > 255)
            number = 1;
        *exit = FORMS[i].is_signal ? -1 : (int)number;
        *signal = FORMS[i].is_signal ? (int)number : 0;
        return true;
    }
    return false;
}

/* What lines said of the copies of a round, in their order. */
struct entry {
    double seconds; /* NAN: a failure's line */
    int exit, signal;
};
struct entries {
    struct entry *items;
    size_t count, numbers;
};

static int add_entry(struct entries *e, struct entry entry, struct err *err)
{
    struct entry *grown;

    if ((e->count & (e->count - 1)) == 0) { /* full at every power of two */
        grown = reallocarray(e->items, e->count > 0 ? 2 * e->count : 1, sizeof(*grown));
        if (grown == NULL)
            return import_no_memory(err);
        e->items = grown;
    }
    e->items[e->count++] = entry;
    e->numbers += isnan(entry.seconds) ? 0 : 1;
    return 0;
}

static void entries_release(struct entries *e)
{
    free(e->items);
    *e = (struct entries){ 0 };
}

static int set_failure(struct rounds_copy *c, const struct entry *e, struct err *err)
{
    char text[32];

    c->ok = false;
    c->exit = e->exit;
    c->signal = e->signal;
    snprintf(text, sizeof(text), e->signal > 0 ? "signal %d" : "exit %d", e->signal > 0 ? e->signal : e->exit);
    c->failure = slice_dup(slice_str(text));
    return c->failure != NULL ? 0 : import_no_memory(err);
}

/* separate: a failure's line stands for a copy, else it belongs to the number behind it. Returns how many copies there
 * are; fills copies unless NULL. */
static int place_copies(const struct entries *e, bool separate, struct rounds_copy *copies, uint32_t *count,
                        struct err *err)
{
    const struct entry *failed = NULL;

    *count = 0;
    for (size_t i = 0; i <= e->count; i++) {
        const struct entry *now = i < e->count ? &e->items[i] : NULL;
        const bool is_number = now != NULL && !isnan(now->seconds);
        struct rounds_copy *c = copies != NULL ? &copies[*count] : NULL;

        if (failed != NULL && (!is_number || separate)) { /* a copy without a time of its own */
            if (c != NULL && set_failure(c++, failed, err) != 0)
                return -1;
            ++*count;
            failed = NULL;
        }
        if (is_number) {
            if (c != NULL) {
                c->duration_s = now->seconds;
                c->start_s = 0;
                c->ok = failed == NULL;
                c->exit = failed == NULL ? 0 : -1;
                if (failed != NULL && set_failure(c, failed, err) != 0)
                    return -1;
            }
            ++*count;
            failed = NULL;
        } else {
            failed = now;
        }
    }
    return 0;
}

/* A round of the copies; n 0: as many as there are. */
static int add_round(struct rounds_import *im, uint32_t series, uint32_t n, const struct entries *e, struct err *err)
{
    /* Where every line is a copy, numbers and failures together make up n; where GNU time wrote them, numbers do. */
    const bool separate = n > 0 && e->count > e->numbers && e->numbers != n;
    struct rounds_round *round;
    uint32_t count;

    if (place_copies(e, separate, NULL, &count, err) != 0)
        return -1;
    if (n > 0 && count > n)
        return err_set(err, ERR_CONFIG, 0, "%u copies, but %u ran at once", count, n);
    round = rounds_result_add_round(im->r);
    if (round == NULL)
        return import_no_memory(err);
    round->series = series;
    round->concurrency = n > 0 ? n : count;
    if (count == 0)
        return 0;
    if (!rounds_result_set_copies(im->r, round, count))
        return import_no_memory(err);
    if (n == 0 && e->count > e->numbers && e->numbers > 0)
        result_add_warning(im->result,
                           "%zu failures: the number behind each is taken for its time; N=FILE says how many "
                           "ran at once, if every line is a copy of its own",
                           e->count - e->numbers);
    return place_copies(e, separate, round->copies, &count, err);
}

static bool is_entry(struct slice line, struct entry *out)
{
    *out = (struct entry){ .seconds = NAN };
    return import_seconds(line, &out->seconds) || import_failure(line, &out->exit, &out->signal);
}

bool import_is_durations(struct slice text)
{
    struct slice rest = text;
    struct entry entry;
    bool any = false;

    while (rest.len > 0) {
        const struct slice line = slice_trim(import_line(&rest));

        if (line.len > 0 && !is_entry(line, &entry))
            return false;
        any = any || line.len > 0;
    }
    return any;
}

int import_durations(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    struct entries entries = { 0 };
    struct slice rest = in->text;
    char *name = in->concurrency > 0 ? slice_dup(SLICE("durations")) : import_stem(in->name);
    uint32_t series;
    int failed = name == NULL ? import_no_memory(err) : import_series(im, name, &series, err);

    while (rest.len > 0 && failed == 0) {
        struct entry entry;

        if (is_entry(import_line(&rest), &entry))
            failed = add_entry(&entries, entry, err);
    }
    if (failed == 0 && add_round(im, series, in->concurrency, &entries, err) != 0)
        failed = err_prefix(err, "%s", in->name);
    entries_release(&entries);
    free(name);
    return failed;
}

static bool has_words(struct slice line, const char *words)
{
    return slice_starts_nocase(slice_trim(line), slice_str(words));
}

bool import_is_roundup(struct slice text)
{
    struct slice rest = text;

    while (rest.len > 0) {
        const struct slice line = import_line(&rest);

        if (has_words(line, "Starting round of") || has_words(line, "Rounds:"))
            return true;
    }
    return false;
}

/* A text of the form, line by line. */
struct roundup {
    struct rounds_import *im;
    uint32_t series, n;
    bool in_round, in_list; /* behind "Starting round of", behind "Rounds:" */
    size_t rounds;          /* of this series */
    double average_s, discounted_s;
    struct entries entries;
};

/* An average that is not that of the copies: failures were counted in it, for 0 s where their line had no number, or
 * the numbers are not those that it is of. */
static void check_average(struct roundup *u, const struct rounds_round *round)
{
    double sum = 0, all = 0;
    size_t ok = 0;

    for (size_t i = 0; i < round->copy_count; i++) {
        all += isnan(round->copies[i].duration_s) ? 0 : round->copies[i].duration_s;
        if (round->copies[i].ok) {
            sum += round->copies[i].duration_s;
            ok++;
        }
    }
    if (isnan(u->average_s) || ok == 0)
        return;
    if (ok < round->copy_count && u->average_s < sum / (double)ok * 0.995)
        result_add_warning(u->im->result,
                           "%u at once: the average given, %.6g s, counts %zu failed; it is %.6g s without",
                           round->concurrency, u->average_s, round->copy_count - ok, sum / (double)ok);
    else if (fabs(u->average_s - sum / (double)ok) > AVERAGE_ROUNDED_S + sum / (double)ok * 0.005 &&
             fabs(u->average_s - all / (double)round->copy_count) > AVERAGE_ROUNDED_S + all / (double)ok * 0.005)
        result_add_warning(u->im->result, "%u at once: the average given, %.6g s, is not that of the durations, %.6g s",
                           round->concurrency, u->average_s, sum / (double)ok);
}

/* A copy that printed no time is in no figure; that it is missing must not pass unseen. */
static void check_count(struct roundup *u, const struct rounds_round *round)
{
    if (round->copy_count < u->n)
        result_add_warning(u->im->result, "%u at once: the times of %zu copies alone are there, %zu %s missing", u->n,
                           round->copy_count, u->n - round->copy_count, u->n - round->copy_count == 1 ? "is" : "are");
}

static int end_round(struct roundup *u, struct err *err)
{
    struct rounds_round *round;

    if (!u->in_round)
        return 0;
    if (add_round(u->im, u->series, u->n, &u->entries, err) != 0)
        return -1;
    round = &u->im->r->rounds[u->im->r->round_count - 1];
    if (round->copy_count == 0) {
        round->mean_s = u->average_s;
        round->mean_discounted_s = u->discounted_s;
        round->ok = u->n;
    } else {
        check_count(u, round);
        check_average(u, round);
    }
    u->in_round = false;
    u->rounds++;
    entries_release(&u->entries);
    return 0;
}

static int begin_round(struct roundup *u, struct slice number, struct err *err)
{
    uint64_t n = 0;

    if (end_round(u, err) != 0)
        return -1;
    if (!take_whole(&number, &n) || n == 0 || n > IMPORT_SIZE_MAX)
        return err_set(err, ERR_CONFIG, 0, "a round of 1 to %u copies was expected", IMPORT_SIZE_MAX);
    u->n = (uint32_t)n;
    u->average_s = u->discounted_s = NAN;
    u->in_round = true;
    u->in_list = false;
    return 0;
}

/* "Average 33.9 seconds", "Average: 33.9 seconds", "Average discounting 2 failed 59.18 seconds": the last number. */
static void take_average(struct roundup *u, struct slice line)
{
    struct slice rest = slice_trim(line);
    const bool discounted = slice_find_slice(rest, SLICE("discount")) >= 0;
    double value = NAN, number;

    while (rest.len > 0)
        if (import_seconds(slice_split(&rest, ' '), &number))
            value = number;
    *(discounted ? &u->discounted_s : &u->average_s) = value;
}

/* "32 55.4847", "32: 55.4847 seconds": a round of which nothing else is known. */
static int take_listed(struct roundup *u, struct slice line, struct err *err)
{
    struct slice rest = line;
    struct rounds_round *round;
    uint64_t n;
    double mean_s;

    if (u->rounds > 0 || !take_whole(&rest, &n) || n == 0 || n > IMPORT_SIZE_MAX)
        return 0;
    while (rest.len > 0 && strchr(" :,;=\t", rest.ptr[0]) != NULL)
        rest = slice_drop(rest, 1);
    if (!import_seconds(slice_split(&rest, ' '), &mean_s))
        return 0;
    round = rounds_result_add_round(u->im->r);
    if (round == NULL)
        return import_no_memory(err);
    round->series = u->series;
    round->concurrency = (uint32_t)n;
    round->ok = (uint32_t)n;
    round->mean_s = mean_s;
    return 0;
}

static int take_line(struct roundup *u, struct slice line, struct err *err)
{
    static const struct slice START = { "Starting round of", 17 }, SERIES = { "Series:", 7 };
    struct entry entry;

    if (slice_starts_nocase(line, START))
        return begin_round(u, slice_drop(line, START.len), err);
    if (slice_starts_nocase(line, SERIES)) {
        char *name = slice_dup(slice_trim(slice_drop(line, SERIES.len)));
        int failed = end_round(u, err);

        if (failed == 0)
            failed = name == NULL ? import_no_memory(err) : import_series(u->im, name, &u->series, err);
        u->rounds = 0;
        u->in_list = false;
        free(name);
        return failed;
    }
    if (slice_starts_nocase(line, SLICE("Rounds:"))) {
        u->in_list = true;
        return end_round(u, err);
    }
    if (slice_starts_nocase(line, SLICE("Average")))
        take_average(u, line);
    else if (u->in_list)
        return take_listed(u, line, err);
    else if (u->in_round && is_entry(line, &entry))
        return add_entry(&u->entries, entry, err);
    return 0;
}

int import_roundup(struct rounds_import *im, const struct rounds_input *in, struct err *err)
{
    struct roundup u = { .im = im };
    struct slice rest = in->text;
    char *name = import_stem(in->name);
    const bool named = slice_find_slice(in->text, SLICE("Series:")) >= 0;
    unsigned number = 0;
    int failed = name == NULL ? import_no_memory(err) : 0;

    if (failed == 0 && !named)
        failed = import_series(im, name, &u.series, err);
    while (rest.len > 0 && failed == 0) {
        number++;
        failed = take_line(&u, slice_trim(import_line(&rest)), err);
        if (failed == 0 && im->r->series_count == 0)
            failed = import_series(im, name, &u.series, err);
    }
    if (failed == 0)
        failed = end_round(&u, err);
    if (failed != 0 && err != NULL && err->kind == ERR_CONFIG)
        err_prefix(err, "%s:%u", in->name, number);
    entries_release(&u.entries);
    free(name);
    return failed;
}
