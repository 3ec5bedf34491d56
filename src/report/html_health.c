/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator's own health beside its limits, connections and bytes, targets, and the parts that were watched: tables
 * with a column for each run. */
#include "report/html_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "report/html_series.h"
#include "report/sections.h"

enum { TARGETS_MAX = 500, WATCH_CHARTS_MAX = 12, WATCH_POINTS = 300 };

/* A row is a function: what it shows of a run, as a text ("" is nothing), and what it is sorted by. */
struct row {
    const char *name, *limit;
    void (*show)(struct buf *out, const struct result *r);
};

static void add_rows(struct page *p, const char *caption, const struct row *rows, size_t count, bool limits)
{
    struct buf names, text;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    buf_init(&text, BUF_TEXT_MAX_BYTES);
    html_column(&names, false, "what");
    for (size_t i = 0; i < p->c->count; i++)
        html_column(&names, false, "%s", p->c->count > 1 ? p->c->runs[i].name : "value");
    if (limits)
        html_column(&names, false, "limit");
    html_table_open(&p->body, caption, buf_ok(&names) ? names.data : "");
    for (size_t k = 0; k < count; k++) {
        const size_t from = p->body.len;
        bool any = false;

        html_row_open(&p->body);
        html_cell_head(&p->body, rows[k].name);
        for (size_t i = 0; i < p->c->count; i++) {
            buf_clear(&text);
            rows[k].show(&text, p->shown[i]);
            any = any || text.len > 0;
            html_cell(&p->body, text.len > 0 ? text.data : "");
        }
        if (limits)
            html_cell(&p->body, rows[k].limit);
        html_row_close(&p->body);
        p->body.len = any ? p->body.len : from; /* a row of nothing */
    }
    html_table_close(&p->body);
    buf_release(&names);
    buf_release(&text);
}

static void add_count(struct buf *out, uint64_t n)
{
    char text[UNITS_TEXT_MAX];

    buf_add_str(out, units_format_count(text, n));
}

static void add_duration(struct buf *out, const struct hist *h, double q)
{
    char text[UNITS_TEXT_MAX];

    if (hist_count(h) > 0)
        buf_add_str(out, units_format_duration(text, (double)hist_value_at(h, q)));
}

static void add_size(struct buf *out, uint64_t bytes)
{
    char text[UNITS_TEXT_MAX];

    buf_add_str(out, units_format_size(text, (double)bytes));
}

/* ---- the generator ---- */

static void show_limited(struct buf *out, const struct result *r)
{
    if (r->generator.workers > 0)
        buf_add_str(out, r->generator.limited ? "yes: the target may be faster" : "no sign of it");
}

static void show_cpu(struct buf *out, const struct result *r)
{
    for (size_t i = 0; i < r->generator.workers && i < 64; i++)
        buf_printf(out, "%s%.0f %%", i > 0 ? ", " : "", 100 * r->generator.cpu_per_worker[i]);
}

static void show_lag(struct buf *out, const struct result *r)
{
    add_duration(out, r->generator.loop_lag, 99);
}

static void show_lateness(struct buf *out, const struct result *r)
{
    add_duration(out, r->generator.send_lateness, 99);
}

static void add_of(struct buf *out, uint64_t used, uint64_t all)
{
    if (used == 0)
        return;
    add_count(out, used);
    if (all > 0) {
        buf_add_str(out, " of ");
        add_count(out, all);
    }
}

static void show_files(struct buf *out, const struct result *r)
{
    add_of(out, r->generator.open_files_max, r->generator.open_files_limit);
}

static void show_ports(struct buf *out, const struct result *r)
{
    add_of(out, r->generator.ports_used, r->generator.ports_available);
}

static void show_time_wait(struct buf *out, const struct result *r)
{
    if (r->generator.workers > 0)
        buf_printf(out, "%llu before, %llu after", (unsigned long long)r->generator.time_wait_start,
                   (unsigned long long)r->generator.time_wait_end);
}

static void show_retransmits(struct buf *out, const struct result *r)
{
    if (r->generator.workers > 0)
        add_count(out, r->generator.retransmits);
}

static void show_log_waits(struct buf *out, const struct result *r)
{
    if (r->generator.log_waits > 0)
        add_count(out, r->generator.log_waits);
}

static void show_rate(struct buf *out, const struct result *r)
{
    char asked[UNITS_TEXT_MAX], achieved[UNITS_TEXT_MAX];

    if (r->generator.rate_asked > 0)
        buf_printf(out, "%s of %s requests/s", section_rate(achieved, r->generator.rate_achieved),
                   section_rate(asked, r->generator.rate_asked));
}

static bool is_load(const struct page *p)
{
    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        if (p->shown[i]->generator.workers > 0 && p->shown[i]->rounds == NULL)
            return true;
    return false;
}

void html_part_health(struct page *p)
{
    static const struct row ROWS[] = {
        { "it was the limit", "see below", show_limited },
        { "CPU of each thread, of one core", "95 %", show_cpu },
        { "rate achieved", "99 % of what was asked", show_rate },
        { "loop lag, p99: how late timers fired", "10 ms", show_lag },
        { "lateness, p99: due to first byte sent", "10 ms, while connections were free", show_lateness },
        { "open files, at most", "the process's limit", show_files },
        { "local ports in use", "those of the machine", show_ports },
        { "sockets in TIME_WAIT", "", show_time_wait },
        { "TCP segments sent again, whole machine", "", show_retransmits },
        { "waits for the log's writer", "0", show_log_waits },
    };

    if (!is_load(p))
        return;
    page_section(p, "client", "The load generator");
    add_rows(p, "Whether the machine that measured was itself the limit", ROWS, sizeof(ROWS) / sizeof(ROWS[0]), true);
}

/* ---- connections ---- */

static bool known(const struct result *r, enum total part)
{
    return r->rounds == NULL && totals_has(&r->totals, part);
}

#define SHOW_COUNT(function, field, part)                         \
    static void function(struct buf *out, const struct result *r) \
    {                                                             \
        if (known(r, part))                                       \
            add_count(out, r->totals.field);                      \
    }
#define SHOW_SIZE(function, field, part)                          \
    static void function(struct buf *out, const struct result *r) \
    {                                                             \
        if (known(r, part))                                       \
            add_size(out, r->totals.field);                       \
    }
SHOW_COUNT(show_opened, connections_opened, TOTAL_CONNECTIONS_OPENED)
SHOW_COUNT(show_reused, connections_reused, TOTAL_CONNECTIONS_REUSED)
SHOW_COUNT(show_handshakes, tls_handshakes, TOTAL_TLS_HANDSHAKES)
SHOW_COUNT(show_resumed, tls_resumed, TOTAL_TLS_RESUMED)
SHOW_COUNT(show_retried, retried, TOTAL_RETRIED)
SHOW_COUNT(show_interim, interim_replies, TOTAL_INTERIM_REPLIES)
SHOW_COUNT(show_early, early_replies, TOTAL_EARLY_REPLIES)
SHOW_SIZE(show_received, bytes_received, TOTAL_BYTES_RECEIVED)
SHOW_SIZE(show_bodies, body_bytes_received, TOTAL_BODY_BYTES_RECEIVED)
SHOW_SIZE(show_sent, bytes_sent, TOTAL_BYTES_SENT)

static void show_tls(struct buf *out, const struct result *r)
{
    if (r->tls_version != NULL)
        buf_printf(out, "%s, %s", r->tls_version, r->tls_cipher != NULL ? r->tls_cipher : "");
    else if (known(r, TOTAL_TLS_HANDSHAKES))
        buf_add_str(out, "none: plain");
}

static void show_in_flight(struct buf *out, const struct result *r)
{
    if (known(r, TOTAL_IN_FLIGHT_MEAN))
        buf_printf(out, "%.2f", r->totals.in_flight_mean);
}

static void add_addresses(struct page *p, size_t run)
{
    const struct result *r = p->shown[run];
    char text[UNITS_TEXT_MAX];

    if (r->address_count < 2)
        return;
    html_table_open(&p->body, p->c->count > 1 ? p->c->runs[run].name : "Addresses",
                    "address|#connections|#failed connects|#requests");
    for (size_t i = 0; i < r->address_count && i < TARGETS_MAX; i++) {
        const struct address_entry *a = &r->addresses[i];

        html_row_open(&p->body);
        html_cell_head(&p->body, a->address);
        html_cell_number(&p->body, (double)a->connections, units_format_count(text, a->connections));
        html_cell_number(&p->body, (double)a->failed_connects, units_format_count(text, a->failed_connects));
        html_cell_number(&p->body, (double)a->requests, units_format_count(text, a->requests));
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
}

void html_part_connections(struct page *p)
{
    static const struct row ROWS[] = {
        { "connections opened", NULL, show_opened },
        { "requests on a connection used before", NULL, show_reused },
        { "requests in flight, on average", NULL, show_in_flight },
        { "TLS", NULL, show_tls },
        { "TLS handshakes", NULL, show_handshakes },
        { "of them resumed", NULL, show_resumed },
        { "requests sent again on a fresh connection", NULL, show_retried },
        { "interim replies (1xx)", NULL, show_interim },
        { "replies before the request was sent whole", NULL, show_early },
        { "received", NULL, show_received },
        { "of it bodies", NULL, show_bodies },
        { "sent", NULL, show_sent },
    };

    if (!is_load(p))
        return;
    page_section(p, "connections", "Connections and TLS");
    add_rows(p, "Connections, handshakes and bytes", ROWS, sizeof(ROWS) / sizeof(ROWS[0]), false);
    for (size_t i = 0; i < p->c->count; i++)
        add_addresses(p, i);
}
