/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/sql.h"

#include <stdlib.h>
#include <string.h>

static const char READING[] = "cannot read the sessions of unchanged code";

/* Runs of a tag that were started further apart than this are of different sessions. */
#define SESSION_GAP_S 3600.0

/* Where the walk through a tag's runs is. */
struct walk {
    char *tag;
    double ended_day; /* Julian days: the latest end so far */
    unsigned session;
};

static int read_run(struct runstore *s, sqlite3_stmt *q, struct walk *w, struct side *out, struct err *err)
{
    struct listing run = { 0 };
    const size_t before = out->count;
    const double started = sqlite3_column_double(q, 9), ended = started + sqlite3_column_double(q, 5) / 86400;
    const char *tag = sql_text(q, 10);
    char session[256];
    int failed;

    if (w->tag == NULL || strcmp(w->tag, tag) != 0) {
        free(w->tag);
        *w = (struct walk){ strdup(tag), 0, 0 };
        if (w->tag == NULL)
            return err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    if (started > w->ended_day + SESSION_GAP_S / 86400)
        w->session++;
    w->ended_day = ended > w->ended_day ? ended : w->ended_day;
    snprintf(session, sizeof(session), "%s/%u", tag, w->session);
    failed = listed_fill(&run, q) ? runstore_samples(s, &run, out, err) : err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t i = before; i < out->count && failed == 0; i++)
        if (out->records[i].session == NULL && !record_set_session(&out->records[i], session))
            failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    listing_release(&run);
    return failed;
}

/* A run with several such tags counts under the first. */
int runstore_same_code(struct runstore *s, struct side *out, struct err *err)
{
    sqlite3_stmt *q = NULL;
    struct walk w = { 0 };
    int failed = sql_prepare(s, &q,
                             "SELECT " SQL_LISTED ", coalesce(julianday(started), 0), tag FROM runs JOIN "
                             "(SELECT run, min(name) AS tag FROM tags WHERE name IN (SELECT tag FROM same_code) "
                             "GROUP BY run) ON run = number ORDER BY tag, started, number",
                             READING, err);
    int row = 0;

    while (failed == 0 && (row = sql_next(s, q, READING, err)) == 1)
        failed = read_run(s, q, &w, out, err);
    sqlite3_finalize(q);
    free(w.tag);
    return row < 0 ? -1 : failed;
}
