/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <inttypes.h>

static const char KEEPING[] = "cannot keep the run's samples";
enum { CELL_MAX_BYTES = 1 << 20 };

/* The statements of one run on its way in. */
struct inserter {
    struct runstore *s;
    struct err *err;
    sqlite3_stmt *fact, *cell, *sample, *metric_name, *metric, *sighting;
};

static int inserter_init(struct inserter *in, struct runstore *s, struct err *err)
{
    *in = (struct inserter){ .s = s, .err = err };
    const struct {
        sqlite3_stmt **q;
        const char *sql;
    } all[] = {
        /* The idle update makes RETURNING tell the number of what is there already. */
        { &in->fact, "INSERT INTO facts(role, name, value) VALUES(?,?,?) "
                     "ON CONFLICT DO UPDATE SET role = excluded.role RETURNING fact" },
        { &in->cell, "INSERT INTO cells(facts) VALUES(?) ON CONFLICT DO UPDATE SET facts = excluded.facts "
                     "RETURNING cell" },
        { &in->sample,
          "INSERT INTO samples(document, cell, started, session, round, valid, reason, requests, failures) "
          "VALUES(?,?,?,?,?,?,?,?,?)" },
        { &in->metric_name, "INSERT INTO metric_names(name, higher_is_better, is_share) VALUES(?,?,?) "
                            "ON CONFLICT DO UPDATE SET name = excluded.name RETURNING metric" },
        { &in->metric, "INSERT INTO metrics(sample, place, metric, value) VALUES(?,?,?,?)" },
        { &in->sighting, "INSERT INTO sightings(sample, place, what, count) VALUES(?,?,?,?)" },
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (sql_prepare(s, all[i].q, all[i].sql, KEEPING, err) != 0)
            return -1;
    return 0;
}

static void inserter_release(struct inserter *in)
{
    sqlite3_finalize(in->fact);
    sqlite3_finalize(in->cell);
    sqlite3_finalize(in->sample);
    sqlite3_finalize(in->metric_name);
    sqlite3_finalize(in->metric);
    sqlite3_finalize(in->sighting);
}

/* Runs a statement that returns one number. */
static int returned(struct inserter *in, sqlite3_stmt *q, int64_t *out)
{
    const int row = sql_next(in->s, q, KEEPING, in->err);

    *out = row == 1 ? sqlite3_column_int64(q, 0) : 0;
    while (row == 1 && sqlite3_step(q) == SQLITE_ROW)
        continue;
    sqlite3_reset(q);
    return row == 1 ? 0 : row < 0 ? -1 : err_set(in->err, ERR_SYSTEM, 0, "%s: no number came back", KEEPING);
}

static int insert_cell(struct inserter *in, const struct record *r, int64_t *cell)
{
    struct buf key;
    int failed = 0;

    buf_init(&key, CELL_MAX_BYTES);
    buf_add_str(&key, "");
    for (size_t i = 0; i < r->fact_count && failed == 0; i++) {
        int64_t fact;

        sqlite3_bind_int(in->fact, 1, (int)r->facts[i].role);
        sql_bind_text(in->fact, 2, r->facts[i].name);
        sql_bind_text(in->fact, 3, r->facts[i].value);
        failed = returned(in, in->fact, &fact);
        buf_printf(&key, "%s%" PRIi64, i > 0 ? " " : "", fact);
    }
    if (failed == 0 && !buf_ok(&key))
        failed = err_set(in->err, ERR_SYSTEM, 0, "out of memory");
    if (failed == 0) {
        sql_bind_text(in->cell, 1, key.data);
        failed = returned(in, in->cell, cell);
    }
    buf_release(&key);
    return failed;
}

static void bind_or_null(sqlite3_stmt *q, int at, const char *text)
{
    if (text != NULL)
        sql_bind_text(q, at, text);
    else
        sqlite3_bind_null(q, at);
}

static int insert_sample(struct inserter *in, int64_t document, int64_t cell, const struct record *r)
{
    sqlite3_stmt *q = in->sample;

    sqlite3_bind_int64(q, 1, document);
    sqlite3_bind_int64(q, 2, cell);
    sql_bind_text(q, 3, r->started);
    bind_or_null(q, 4, r->session);
    if (r->has_round)
        sqlite3_bind_int64(q, 5, r->round);
    else
        sqlite3_bind_null(q, 5);
    sqlite3_bind_int(q, 6, r->valid);
    bind_or_null(q, 7, r->reason);
    sqlite3_bind_int64(q, 8, (int64_t)r->requests);
    sqlite3_bind_int64(q, 9, (int64_t)r->failures);
    return sql_run(in->s, q, KEEPING, in->err);
}

static int insert_metric(struct inserter *in, int64_t sample, size_t place, const struct metric *m)
{
    int64_t name;

    sql_bind_text(in->metric_name, 1, m->name);
    sqlite3_bind_int(in->metric_name, 2, m->higher_is_better);
    sqlite3_bind_int(in->metric_name, 3, m->is_share);
    if (returned(in, in->metric_name, &name) != 0)
        return -1;
    sqlite3_bind_int64(in->metric, 1, sample);
    sqlite3_bind_int64(in->metric, 2, (int64_t)place);
    sqlite3_bind_int64(in->metric, 3, name);
    sqlite3_bind_double(in->metric, 4, m->value); /* NaN becomes NULL */
    return sql_run(in->s, in->metric, KEEPING, in->err);
}

static int insert_sighting(struct inserter *in, int64_t sample, size_t place, const struct sighting *seen)
{
    sqlite3_bind_int64(in->sighting, 1, sample);
    sqlite3_bind_int64(in->sighting, 2, (int64_t)place);
    sql_bind_text(in->sighting, 3, seen->what);
    sqlite3_bind_int64(in->sighting, 4, (int64_t)seen->count);
    return sql_run(in->s, in->sighting, KEEPING, in->err);
}

static int insert_record(struct inserter *in, int64_t document, const struct record *r)
{
    int64_t cell = 0, sample;
    int failed = insert_cell(in, r, &cell);

    if (failed == 0)
        failed = insert_sample(in, document, cell, r);
    sample = sqlite3_last_insert_rowid(in->s->db);
    for (size_t i = 0; i < r->metric_count && failed == 0; i++)
        failed = insert_metric(in, sample, i, &r->metrics[i]);
    for (size_t i = 0; i < r->sighting_count && failed == 0; i++)
        failed = insert_sighting(in, sample, i, &r->sightings[i]);
    return failed;
}

int samples_add(struct runstore *s, int64_t document, const struct result *r, struct err *err)
{
    struct inserter in;
    struct side side = { 0 };
    int failed = inserter_init(&in, s, err);

    if (failed == 0 && !side_add_result(&side, r, ""))
        failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t i = 0; i < side.count && failed == 0; i++)
        failed = insert_record(&in, document, &side.records[i]);
    side_release(&side);
    inserter_release(&in);
    return failed;
}

int samples_sweep(struct runstore *s, struct err *err)
{
    return sql_exec(s,
                    "DELETE FROM cells WHERE cell NOT IN (SELECT cell FROM samples);"
                    "DELETE FROM metric_names WHERE metric NOT IN (SELECT metric FROM metrics);"
                    "CREATE TEMP TABLE used AS WITH RECURSIVE parts(fact, rest) AS ("
                    " SELECT NULL, facts || ' ' FROM cells UNION"
                    " SELECT substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1)"
                    " FROM parts WHERE rest <> '' AND rest <> ' ')"
                    " SELECT DISTINCT CAST(fact AS INTEGER) AS fact FROM parts WHERE fact IS NOT NULL;"
                    "DELETE FROM facts WHERE fact NOT IN (SELECT fact FROM used);"
                    "DROP TABLE used;",
                    "cannot tidy the store", err);
}
