/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "import/lines.h"
#include "import/report.h"

/* mb's CSV: a row for each request, without a heading:
 *
 *   start, delay, status, bytes written, bytes read, "METHOD URL", thread, socket, how often connected, requests since
 *   then, begin of connecting, writable since then, TLS ready since then, TLS resumed, error
 *
 * Times in microseconds. Rows come by the million: they are read in one pass over the bytes, into histograms. */

enum {
    COLUMNS = 15,
    NUMBERS = 13,       /* those read: all but the text and the error */
    TARGETS_MAX = 64,   /* of which figures are kept apart; with more, of none */
    TARGET_SLOTS = 256, /* of the table that finds them */
    ERRORS_MAX = 32,
    READ_AHEAD = 32, /* bytes behind a line that may be read */
};
#define US_MAX (HIST_MAX_NS / NS_PER_US * 1000)

enum number {
    MB_START,
    MB_DELAY,
    MB_STATUS,
    MB_WRITTEN,
    MB_READ,
    MB_THREAD,
    MB_SOCKET,
    MB_CONNECTIONS,
    MB_REQUESTS,
    MB_CONNECT,
    MB_WRITABLE,
    MB_ESTABLISHED,
    MB_RESUMED,
};

struct row {
    uint64_t n[NUMBERS];
    struct slice target, error;
};

struct mb {
    struct report p;
    struct lines lines;
    uint64_t first_us, last_us; /* start of the first, end of the last */
    uint64_t rows, ok, written, read, opened, resumed, handshakes;
    uint8_t slots[TARGET_SLOTS]; /* 1 + index of the target; 0: none */
    uint32_t hashes[TARGETS_MAX];
    char *texts[TARGETS_MAX]; /* as the rows have them */
    size_t lengths[TARGETS_MAX];
    bool too_many_targets;
};

#define ZEROS UINT64_C(0x3030303030303030)

/* How many of the eight bytes at `at` are digits before the first that is none, and their value. A byte less '0' is a
 * digit below 10: adding 0x76 to it sets its high bit from 10 on (a carry out of a byte only reaches those behind the
 * first one that matters). The digits are moved to the end, zeroes before them, and neighbours are joined to tens,
 * hundreds, and so on: no branch depends on how long the number is. */
static inline unsigned eight_digits(const char *at, uint64_t *out)
{
    uint64_t v, other;
    unsigned digits;

    memcpy(&v, at, 8);
    v = le64toh(v) ^ ZEROS;
    other = ((v + UINT64_C(0x7676767676767676)) | v) & UINT64_C(0x8080808080808080);
    digits = other != 0 ? (unsigned)__builtin_ctzll(other) / 8 : 8;
    if (digits == 0)
        return 0;
    v <<= 64 - 8 * digits;
    v = v * 10 + (v >> 8);
    *out = ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (v >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
    return digits;
}

/* Digits up to the comma behind them; *at is moved behind it. A socket may be -1. There are READ_AHEAD bytes behind the
 * line. */
static inline bool read_number(const char **at, uint64_t *out)
{
    static const uint64_t TENS[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    const char *const begin = *at;
    const char *c = begin;
    uint64_t value = 0, part = 0;
    unsigned digits;

    if (begin[1] == ',' && begin[0] >= '0' && begin[0] <= '9') { /* most columns, mostly */
        *out = (uint64_t)(begin[0] - '0');
        *at = begin + 2;
        return true;
    }
    do {
        digits = eight_digits(c, &part);
        value = digits > 0 ? value * TENS[digits] + part : value;
        c += digits;
    } while (digits == 8 && c - begin <= 16);
    if (*c != ',' || c == begin || c - begin > 18) {
        if (c != begin || memcmp(c, "-1,", 3) != 0)
            return false;
        c += 2;
    }
    *out = value;
    *at = c + 1;
    return true;
}

/* A URL may hold commas: then the text ends where eight numbers and an error are left. */
static const char *text_end(const char *begin, const char *end)
{
    const char *at = end;

    for (unsigned commas = 0; commas < COLUMNS - 6; commas++) {
        at = memrchr(begin, ',', (size_t)(at - begin));
        if (at == NULL)
            return NULL;
    }
    return at;
}

static inline __attribute__((always_inline)) bool read_numbers(const char **at, uint64_t *out, unsigned from,
                                                               unsigned to)
{
    for (unsigned i = from; i <= to; i++)
        if (!read_number(at, &out[i]))
            return false;
    return true;
}

static bool read_row(struct row *r, struct slice line)
{
    const char *at = line.ptr, *const end = line.ptr + line.len;
    const char *comma;

    if (!read_numbers(&at, r->n, MB_START, MB_READ) || at >= end)
        return false;
    comma = memchr(at, ',', (size_t)(end - at));
    if (comma == NULL)
        return false;
    r->target = slice_from(at, (size_t)(comma - at));
    at = comma + 1;
    if (!read_numbers(&at, r->n, MB_THREAD, MB_RESUMED)) {
        at = r->target.ptr;
        comma = text_end(at, end);
        if (comma == NULL)
            return false;
        r->target.len = (size_t)(comma - at);
        at = comma + 1;
        if (!read_numbers(&at, r->n, MB_THREAD, MB_RESUMED))
            return false;
    }
    r->error = slice_from(at, (size_t)(end - at));
    return at <= end;
}

bool mb_looks_like(struct slice head)
{
    const struct slice line = slice_split(&head, '\n');
    char copy[8192];
    struct row r;

    if (line.len == 0 || line.len + READ_AHEAD >= sizeof(copy))
        return false;
    memcpy(copy, line.ptr, line.len);
    memset(copy + line.len, '\n', READ_AHEAD);
    return read_row(&r, slice_from(copy, copy[line.len - 1] == '\r' ? line.len - 1 : line.len)) &&
           slice_find(r.target, ' ') > 0;
}

/* Of all bytes, by eight: hosts differ in the middle of a URL, paths at its end. */
static uint32_t hash(struct slice text)
{
    uint64_t h = text.len, v;
    size_t i = 0;

    for (; i + 8 <= text.len; i += 8) {
        memcpy(&v, text.ptr + i, 8);
        h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    for (; i < text.len; i++)
        h = (h ^ (unsigned char)text.ptr[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32);
}

static struct target_result *add_target(struct mb *m, struct slice text)
{
    struct result *r = m->p.r;
    struct slice url = text;
    const struct slice method = slice_split(&url, ' ');
    struct target_result *t = &r->targets[r->target_count];

    t->method = slice_dup(method);
    t->url = slice_dup(url);
    if (t->method == NULL || t->url == NULL || hist_new(&t->latency, m->p.source->err) != 0) {
        report_no_memory(&m->p);
        return NULL;
    }
    m->texts[r->target_count] = slice_dup(text);
    if (m->texts[r->target_count] == NULL)
        report_no_memory(&m->p);
    m->lengths[r->target_count] = text.len;
    r->target_count++;
    t->totals.absent = TOTALS_ABSENT_ALL;
    return m->p.failed ? NULL : t;
}

/* NULL: there are too many. */
static struct target_result *find_target(struct mb *m, struct slice text)
{
    const uint32_t h = m->too_many_targets ? 0 : hash(text);
    unsigned slot = h % TARGET_SLOTS;

    if (m->too_many_targets)
        return NULL;
    for (; m->slots[slot] != 0; slot = (slot + 1) % TARGET_SLOTS) {
        const unsigned at = m->slots[slot] - 1u;

        if (m->hashes[at] == h && m->lengths[at] == text.len && memcmp(m->texts[at], text.ptr, text.len) == 0)
            return &m->p.r->targets[at];
    }
    if (m->p.r->target_count == TARGETS_MAX || slice_find(text, ' ') <= 0) {
        m->too_many_targets = true;
        return NULL;
    }
    m->slots[slot] = (uint8_t)(m->p.r->target_count + 1);
    m->hashes[m->p.r->target_count] = h;
    return add_target(m, text);
}

static void add_error(struct mb *m, struct slice error)
{
    const size_t kinds = m->p.r->seen_count;

    if (error.len == 0)
        report_seen(&m->p, 1, "no status");
    else if (kinds < ERRORS_MAX)
        report_seen(&m->p, 1, "mb error: %.*s", SLICE_FMT(slice_take(error, 100)));
    else
        report_seen(&m->p, 1, "further mb errors");
}

static void record(struct hist *h, uint64_t us)
{
    (void)hist_record(h, us * NS_PER_US);
}

/* The phases of a connection stand in the row of its first request. */
static void add_connection(struct mb *m, const struct row *r)
{
    m->opened++;
    if (r->n[MB_WRITABLE] == 0)
        return;
    record(m->p.r->phases[PHASE_CONNECT], r->n[MB_WRITABLE]);
    if (r->n[MB_ESTABLISHED] <= r->n[MB_WRITABLE])
        return;
    record(m->p.r->phases[PHASE_TLS], r->n[MB_ESTABLISHED] - r->n[MB_WRITABLE]);
    m->handshakes++;
    m->resumed += r->n[MB_RESUMED] != 0;
}

static void add_to_target(struct target_result *t, const struct row *r, bool ok)
{
    t->totals.started++;
    t->totals.ok += ok;
    t->totals.bytes_sent += r->n[MB_WRITTEN];
    t->totals.bytes_received += r->n[MB_READ];
    t->status[r->n[MB_STATUS]] += r->n[MB_STATUS] > 0;
    if (ok)
        record(t->latency, r->n[MB_DELAY]);
}

static void add_row(struct mb *m, const struct row *r)
{
    const uint64_t status = r->n[MB_STATUS], end_us = r->n[MB_START] + r->n[MB_DELAY];
    const bool has_error = r->error.len > 0 || status == 0;
    const bool ok = !has_error && status >= 200 && status < 400;
    const unsigned class = has_error || status < 100 || status > 599 ? CLASS_ERROR : (unsigned)status / 100 - 1;
    struct target_result *t = find_target(m, r->target);

    m->rows++;
    m->ok += ok;
    m->written += r->n[MB_WRITTEN];
    m->read += r->n[MB_READ];
    m->first_us = r->n[MB_START] < m->first_us ? r->n[MB_START] : m->first_us;
    m->last_us = end_us > m->last_us ? end_us : m->last_us;
    m->p.r->status[status] += status > 0;
    record(m->p.r->by_class[class], r->n[MB_DELAY]);
    if (r->n[MB_REQUESTS] == 1)
        add_connection(m, r);
    if (has_error)
        add_error(m, r->error);
    if (t != NULL)
        add_to_target(t, r, ok);
}

static bool prepare(struct mb *m)
{
    struct result *r = m->p.r;
    struct err *err = m->p.source->err;

    for (unsigned i = 0; i < CLASSES; i++)
        if (hist_new(&r->by_class[i], err) != 0)
            return false;
    if (hist_new(&r->phases[PHASE_CONNECT], err) != 0 || hist_new(&r->phases[PHASE_TLS], err) != 0)
        return false;
    r->targets = calloc(TARGETS_MAX, sizeof(*r->targets));
    if (r->targets == NULL)
        report_no_memory(&m->p);
    return r->targets != NULL;
}

static void read_rows(struct mb *m)
{
    struct slice line;
    struct row r;

    while (!m->p.failed && lines_next(&m->lines, &line)) {
        m->p.line = (unsigned)m->lines.number;
        if (!read_row(&r, line))
            report_fail(&m->p, m->lines.unfinished ? "cut off within a row" : "not a row of mb's CSV: \"%.*s\"",
                        SLICE_FMT(slice_take(line, 60)));
        else if (r.n[MB_STATUS] >= STATUS_MAX || r.n[MB_DELAY] > US_MAX)
            report_fail(&m->p, "status %" PRIu64 " after %" PRIu64 " us can not be", r.n[MB_STATUS], r.n[MB_DELAY]);
        else
            add_row(m, &r);
    }
    m->p.failed = m->p.failed || m->lines.failed;
}

static void set_errors(struct mb *m)
{
    struct result *r = m->p.r;

    r->errors = calloc(STATUS_MAX, sizeof(*r->errors));
    if (r->errors == NULL)
        report_no_memory(&m->p);
    for (unsigned status = 1; status < STATUS_MAX && !m->p.failed; status++) {
        struct error_entry *e = &r->errors[r->error_count];
        char detail[32];

        if (r->status[status] == 0 || (status >= 200 && status < 400))
            continue;
        snprintf(detail, sizeof(detail), "status %u", status);
        *e = (struct error_entry){ .kind = FAIL_STATUS, .detail = strdup(detail), .count = r->status[status] };
        r->error_count++;
        if (e->detail == NULL)
            report_no_memory(&m->p);
    }
}

static void set_targets(struct mb *m)
{
    struct result *r = m->p.r;

    if (m->too_many_targets) {
        report_warn(&m->p, "more than %d targets: figures of each are not kept", TARGETS_MAX);
        for (size_t i = 0; i < r->target_count; i++) {
            free(r->targets[i].url);
            free(r->targets[i].method);
            hist_free(r->targets[i].latency);
        }
        r->target_count = 0;
    }
    for (size_t i = 0; i < r->target_count; i++) {
        struct totals *t = &r->targets[i].totals;

        t->failed = t->started - t->ok;
        t->requests_per_s = r->duration_s > 0 ? (double)t->ok / r->duration_s : 0;
        t->absent &= ~(UINT32_C(1) << TOTAL_STARTED | UINT32_C(1) << TOTAL_OK | UINT32_C(1) << TOTAL_FAILED |
                       UINT32_C(1) << TOTAL_BYTES_SENT | UINT32_C(1) << TOTAL_BYTES_RECEIVED);
        if (r->duration_s > 0)
            t->absent &= ~(UINT32_C(1) << TOTAL_REQUESTS_PER_S);
    }
}

static void finish(struct mb *m)
{
    struct result *r = m->p.r;

    if (m->rows == 0) {
        report_fail(&m->p, "no rows");
        return;
    }
    hist_merge(r->latency, r->by_class[CLASS_2XX]);
    hist_merge(r->latency, r->by_class[CLASS_3XX]);
    if (m->first_us < UINT64_MAX / 2 / NS_PER_US)
        clock_format_rfc3339(r->started, m->first_us * NS_PER_US);
    report_duration(&m->p, (double)(m->last_us - m->first_us) / 1e6);
    report_total(&m->p, TOTAL_STARTED, m->rows);
    report_total(&m->p, TOTAL_OK, m->ok);
    report_total(&m->p, TOTAL_FAILED, m->rows - m->ok);
    report_total(&m->p, TOTAL_BYTES_SENT, m->written);
    report_total(&m->p, TOTAL_BYTES_RECEIVED, m->read);
    report_total(&m->p, TOTAL_CONNECTIONS_OPENED, m->opened);
    report_total(&m->p, TOTAL_CONNECTIONS_REUSED, m->rows - m->opened);
    report_total(&m->p, TOTAL_TLS_HANDSHAKES, m->handshakes);
    report_total(&m->p, TOTAL_TLS_RESUMED, m->resumed);
    if (r->duration_s > 0)
        report_rate(&m->p, (double)m->ok / r->duration_s);
    set_errors(m);
    set_targets(m);
}

int mb_read(struct source *s)
{
    struct mb *m = calloc(1, sizeof(*m));
    int failed = -1;

    if (m == NULL)
        return err_set(s->err, ERR_SYSTEM, ENOMEM, "cannot import %s", s->name);
    m->first_us = UINT64_MAX;
    report_begin(&m->p, s, "mb");
    if (!m->p.failed && (!prepare(m) || !lines_init(&m->lines, s)))
        m->p.failed = true;
    read_rows(m);
    if (!m->p.failed)
        finish(m);
    lines_release(&m->lines);
    failed = report_end_many(&m->p);
    for (size_t i = 0; i < TARGETS_MAX; i++)
        free(m->texts[i]);
    free(m);
    return failed;
}
