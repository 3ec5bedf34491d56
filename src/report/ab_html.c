/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include <inttypes.h>
#include <stdarg.h>

/* Text of the server's or the user's that must not become markup. The attributes of -x, -y and -z are the user's own
 * markup. */
static void add_escaped(struct buf *out, struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '<')
            buf_add_str(out, "&lt;");
        else if (c == '>')
            buf_add_str(out, "&gt;");
        else if (c == '&')
            buf_add_str(out, "&amp;");
        else
            buf_add_char(out, c);
    }
}

static void row_text(const struct ab_report *r, struct buf *out, const char *label, struct slice value)
{
    buf_printf(out, "<tr %s><th colspan=2 %s>%s</th><td colspan=2 %s>", r->tr_attributes, r->td_attributes, label,
               r->td_attributes);
    add_escaped(out, value);
    buf_add_str(out, "</td></tr>\n");
}

__attribute__((format(printf, 4, 5))) static void row(const struct ab_report *r, struct buf *out, const char *label,
                                                      const char *fmt, ...)
{
    char text[80];
    va_list args;

    va_start(args, fmt);
    const int len = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    row_text(r, out, label, slice_from(text, len > 0 && (size_t)len < sizeof(text) ? (size_t)len : 0));
}

static void second_cell(const struct ab_report *r, struct buf *out, double kb_per_s, const char *what)
{
    buf_printf(out, "<tr %s><td colspan=2 %s>&nbsp;</td><td colspan=2 %s>%.2f kb/s %s</td></tr>\n", r->tr_attributes,
               r->td_attributes, r->td_attributes, kb_per_s, what);
}

static void add_server(const struct ab_report *r, struct buf *out)
{
    row_text(r, out, "Server Software:", ab_report_software(r));
    row_text(r, out, "Server Hostname:", slice_str(r->hostname));
    row(r, out, "Server Port:", "%u", r->port);
    row_text(r, out, "Document Path:", slice_str(r->path));
    if (r->variable_length)
        row(r, out, "Document Length:", "Variable");
    else
        row(r, out, "Document Length:", "%" PRIu64 " bytes", r->document_bytes);
}

static void add_counts(const struct ab_report *r, struct buf *out)
{
    row(r, out, "Concurrency Level:", "%u", r->concurrency);
    row(r, out, "Time taken for tests:", "%.3f seconds", r->time_taken_s);
    row(r, out, "Complete requests:", "%zu", r->count);
    row(r, out, "Failed requests:", "%" PRIu64, ab_report_failed(r));
    if (ab_report_failed(r) > 0)
        buf_printf(out,
                   "<tr %s><td colspan=4 %s >   (Connect: %" PRIu64 ", Length: %" PRIu64 ", Exceptions: %" PRIu64
                   ")</td></tr>\n",
                   r->tr_attributes, r->td_attributes, r->failed_connect, r->failed_length,
                   r->failed_receive + r->failed_exceptions);
    if (r->non_2xx > 0)
        row(r, out, "Non-2xx responses:", "%" PRIu64, r->non_2xx);
    if (r->keep_alive)
        row(r, out, "Keep-Alive requests:", "%" PRIu64, r->kept_alive);
    row(r, out, "Total transferred:", "%" PRIu64 " bytes", r->bytes_received);
    if (r->sends_body)
        row(r, out, "Total body sent:", "%" PRIu64, r->bytes_sent);
    row(r, out, "HTML transferred:", "%" PRIu64 " bytes", r->body_bytes_received);
}

static void add_rates(const struct ab_report *r, struct buf *out)
{
    const double received = ab_report_per_s(r, r->bytes_received) / 1024.0;
    const double sent = ab_report_per_s(r, r->bytes_sent) / 1024.0;

    if (r->time_taken_s <= 0.0)
        return;
    row(r, out, "Requests per second:", "%.2f", ab_report_per_s(r, r->count));
    row(r, out, "Transfer rate:", "%.2f kb/s received", received);
    if (r->sends_body) {
        second_cell(r, out, sent, "sent");
        second_cell(r, out, received + sent, "total");
    }
}

static void times_row(const struct ab_report *r, struct buf *out, const char *label, uint64_t min, uint64_t mean,
                      uint64_t max)
{
    const char *const td = r->td_attributes;

    buf_printf(out,
               "<tr %s><th %s>%s</th><td %s>%5" PRIu64 "</td><td %s>%5" PRIu64 "</td><td %s>%5" PRIu64 "</td></tr>\n",
               r->tr_attributes, td, label, td, min, td, mean, td, max);
}

/* ab's HTML has no processing times of its own: it shows the differences of the rows around. */
static void add_times(const struct ab_report *r, const struct ab_statistics *s, struct buf *out)
{
    const struct ab_times *c = &s->connect, *t = &s->total;
    const char *const td = r->td_attributes;

    buf_printf(out, "<tr %s><th %s colspan=4>Connection Times (ms)</th></tr>\n", r->tr_attributes, td);
    buf_printf(out, "<tr %s><th %s>&nbsp;</th> <th %s>min</th>   <th %s>avg</th>   <th %s>max</th></tr>\n",
               r->tr_attributes, td, td, td, td);
    times_row(r, out, "Connect:", c->min_ms, c->mean_ms, c->max_ms);
    times_row(r, out, "Processing:", t->min_ms > c->min_ms ? t->min_ms - c->min_ms : 0,
              t->mean_ms > c->mean_ms ? t->mean_ms - c->mean_ms : 0, t->max_ms > c->max_ms ? t->max_ms - c->max_ms : 0);
    times_row(r, out, "Total:", t->min_ms, t->mean_ms, t->max_ms);
}

bool ab_report_html(struct ab_report *r, struct buf *out)
{
    struct ab_statistics statistics;

    if (!ab_sort_by_total(r->samples, r->count) || !ab_statistics_of(&statistics, r->samples, r->count))
        return false;
    buf_printf(out, "\n\n<table %s>\n", r->table_attributes);
    add_server(r, out);
    add_counts(r, out);
    add_rates(r, out);
    if (r->count > 0)
        add_times(r, &statistics, out);
    buf_add_str(out, "</table>\n");
    return buf_ok(out);
}
