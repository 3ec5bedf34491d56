/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char READING[] = "cannot read the run's samples";

/* A side's samples share most of their facts and the names of their metrics: each is read from the tables once. */
struct known {
    struct fact *facts; /* by number; name NULL: not read yet */
    size_t fact_count;
    struct metric *metrics; /* value unused */
    size_t metric_count;
};

struct reader {
    struct runstore *s;
    struct err *err;
    sqlite3_stmt *sample, *fact, *name, *metric, *sighting;
    struct known known;
};

static int reader_init(struct reader *in, struct runstore *s, struct err *err)
{
    *in = (struct reader){ .s = s, .err = err };
    const struct {
        sqlite3_stmt **q;
        const char *sql;
    } all[] = {
        { &in->sample, "SELECT sample, cells.facts, samples.started, session, round, samples.valid, reason, requests, "
                       "failures, documents.id FROM documents JOIN samples USING(document) JOIN cells USING(cell) "
                       "WHERE run = ? ORDER BY sample" },
        { &in->fact, "SELECT role, name, value FROM facts WHERE fact = ?" },
        { &in->name, "SELECT name, higher_is_better, is_share FROM metric_names WHERE metric = ?" },
        { &in->metric, "SELECT metric, value FROM metrics WHERE sample = ? ORDER BY place" },
        { &in->sighting, "SELECT what, count FROM sightings WHERE sample = ? ORDER BY place" },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (sql_prepare(s, all[i].q, all[i].sql, READING, err) != 0)
            return -1;
    return 0;
}

static void reader_release(struct reader *in)
{
    sqlite3_finalize(in->sample);
    sqlite3_finalize(in->fact);
    sqlite3_finalize(in->name);
    sqlite3_finalize(in->metric);
    sqlite3_finalize(in->sighting);
    for (size_t i = 0; i < in->known.fact_count; i++) {
        free(in->known.facts[i].name);
        free(in->known.facts[i].value);
    }
    for (size_t i = 0; i < in->known.metric_count; i++)
        free(in->known.metrics[i].name);
    free(in->known.facts);
    free(in->known.metrics);
}

static int no_memory(struct reader *in)
{
    return err_set(in->err, ERR_SYSTEM, 0, "out of memory");
}

/* Room for element `at`; the new ones are zeroed. */
static bool make_room(void **array, size_t *count, size_t at, size_t element)
{
    const size_t want = at + 1 > 2 * *count ? at + 1 : 2 * *count;
    char *grown;

    if (at < *count)
        return true;
    grown = reallocarray(*array, want, element);
    if (grown == NULL)
        return false;
    memset(grown + *count * element, 0, (want - *count) * element);
    *array = grown;
    *count = want;
    return true;
}

/* Reads row `number` of a table of names with its statement; 1: there it is, with q on it; 0: there is none. */
static int look_up(struct reader *in, sqlite3_stmt *q, size_t number)
{
    sqlite3_bind_int64(q, 1, (int64_t)number);
    return sql_next(in->s, q, READING, in->err);
}

static const struct fact *find_fact(struct reader *in, size_t number)
{
    struct known *k = &in->known;
    struct fact *f;

    if (!make_room((void **)&k->facts, &k->fact_count, number, sizeof(*k->facts))) {
        no_memory(in);
        return NULL;
    }
    f = &k->facts[number];
    if (f->name != NULL)
        return f;
    if (look_up(in, in->fact, number) == 1) {
        f->role = (enum fact_role)sqlite3_column_int(in->fact, 0);
        f->name = strdup(sql_text(in->fact, 1));
        f->value = strdup(sql_text(in->fact, 2));
    } else {
        err_set(in->err, ERR_SYSTEM, 0, "%s: %s: fact %zu is missing", READING, in->s->path, number);
    }
    sqlite3_reset(in->fact);
    return f->name != NULL && f->value != NULL ? f : NULL;
}

static const struct metric *find_metric(struct reader *in, size_t number)
{
    struct known *k = &in->known;
    struct metric *m;

    if (!make_room((void **)&k->metrics, &k->metric_count, number, sizeof(*k->metrics))) {
        no_memory(in);
        return NULL;
    }
    m = &k->metrics[number];
    if (m->name != NULL)
        return m;
    if (look_up(in, in->name, number) == 1) {
        m->name = strdup(sql_text(in->name, 0));
        m->higher_is_better = sqlite3_column_int(in->name, 1) != 0;
        m->is_share = sqlite3_column_int(in->name, 2) != 0;
    } else {
        err_set(in->err, ERR_SYSTEM, 0, "%s: %s: metric %zu is missing", READING, in->s->path, number);
    }
    sqlite3_reset(in->name);
    return m->name != NULL ? m : NULL;
}

static int read_facts(struct reader *in, struct record *r, struct slice numbers)
{
    while (numbers.len > 0) {
        const struct fact *f;
        uint64_t number;

        if (!slice_to_u64(slice_split(&numbers, ' '), &number) || number > UINT32_MAX)
            continue;
        f = find_fact(in, (size_t)number);
        if (f == NULL)
            return -1;
        if (!record_add_fact(r, f->role, f->name, f->value))
            return no_memory(in);
    }
    return 0;
}

static int read_metrics(struct reader *in, struct record *r, int64_t sample)
{
    sqlite3_stmt *q = in->metric;
    int row = 0, failed = 0;

    sqlite3_bind_int64(q, 1, sample);
    while (failed == 0 && (row = sql_next(in->s, q, READING, in->err)) == 1) {
        const struct metric *m = find_metric(in, (size_t)sqlite3_column_int64(q, 0));
        const double value = sqlite3_column_type(q, 1) != SQLITE_NULL ? sqlite3_column_double(q, 1) : NAN;

        if (m == NULL)
            failed = -1;
        else if (!record_add_metric(r, m->name, value, m->higher_is_better, m->is_share))
            failed = no_memory(in);
    }
    sqlite3_reset(q);
    return row < 0 ? -1 : failed;
}

static int read_sightings(struct reader *in, struct record *r, int64_t sample)
{
    sqlite3_stmt *q = in->sighting;
    int row = 0, failed = 0;

    sqlite3_bind_int64(q, 1, sample);
    while (failed == 0 && (row = sql_next(in->s, q, READING, in->err)) == 1)
        if (!record_add_sighting(r, sql_text(q, 0), (uint64_t)sqlite3_column_int64(q, 1)))
            failed = no_memory(in);
    sqlite3_reset(q);
    return row < 0 ? -1 : failed;
}

static bool fill_record(struct record *r, sqlite3_stmt *q)
{
    snprintf(r->started, sizeof(r->started), "%s", sql_text(q, 2));
    snprintf(r->id, sizeof(r->id), "%s", sql_text(q, 9));
    r->has_round = sqlite3_column_type(q, 4) != SQLITE_NULL;
    r->round = (uint32_t)sqlite3_column_int64(q, 4);
    r->valid = sqlite3_column_int(q, 5) != 0;
    r->requests = (uint64_t)sqlite3_column_int64(q, 7);
    r->failures = (uint64_t)sqlite3_column_int64(q, 8);
    return (sqlite3_column_type(q, 3) == SQLITE_NULL || record_set_session(r, sql_text(q, 3))) &&
           (sqlite3_column_type(q, 6) == SQLITE_NULL || record_set_reason(r, sql_text(q, 6)));
}

static int read_record(struct reader *in, struct side *side, const char *source)
{
    sqlite3_stmt *q = in->sample;
    const int64_t sample = sqlite3_column_int64(q, 0);
    struct record *r = side_add(side, source);

    if (r == NULL || !fill_record(r, q))
        return no_memory(in);
    if (read_facts(in, r, slice_str(sql_text(q, 1))) != 0 || read_metrics(in, r, sample) != 0)
        return -1;
    return read_sightings(in, r, sample);
}

static int read_run(struct reader *in, const struct listed_run *run, struct side *side)
{
    char source[16];
    int row = 0, failed = 0;

    snprintf(source, sizeof(source), "run %.8s", run->id);
    sqlite3_bind_int64(in->sample, 1, run->number);
    while (failed == 0 && (row = sql_next(in->s, in->sample, READING, in->err)) == 1)
        failed = read_record(in, side, source);
    sqlite3_reset(in->sample);
    return row < 0 ? -1 : failed;
}

int runstore_samples(struct runstore *s, const struct listing *runs, struct side *side, struct err *err)
{
    struct reader in;
    int failed = reader_init(&in, s, err);

    for (size_t i = 0; i < runs->count && failed == 0; i++)
        failed = read_run(&in, &runs->runs[i], side);
    reader_release(&in);
    return failed;
}
