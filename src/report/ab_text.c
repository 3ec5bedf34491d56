/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/ab_report.h"

#include <inttypes.h>
#include <math.h>

static void line_u64(struct buf *out, const char *label, uint64_t n, const char *unit)
{
    buf_printf(out, "%-24s%" PRIu64 "%s\n", label, n, unit);
}

static void line_text(struct buf *out, const char *label, struct slice text)
{
    buf_printf(out, "%-24s%.*s\n", label, SLICE_FMT(text));
}

static void add_server(const struct ab_report *r, struct buf *out)
{
    line_text(out, "Server Software:", ab_report_software(r));
    line_text(out, "Server Hostname:", slice_str(r->hostname));
    line_u64(out, "Server Port:", r->port, "");
    if (r->tls_version != NULL && r->tls_version[0] != '\0') {
        buf_printf(out, "%-24s%s,%s,%d,%d\n", "SSL/TLS Protocol:", r->tls_version, r->tls_cipher, r->tls_key_bits,
                   r->tls_cipher_bits);
        if (r->tls_temp_key != NULL && r->tls_temp_key[0] != '\0')
            line_text(out, "Server Temp Key:", slice_str(r->tls_temp_key));
        if (r->tls_sni != NULL)
            line_text(out, "TLS Server Name:", slice_str(r->tls_sni));
    }
    buf_add_char(out, '\n');
    line_text(out, "Document Path:", slice_str(r->path));
    if (r->variable_length)
        line_text(out, "Document Length:", SLICE("Variable"));
    else
        line_u64(out, "Document Length:", r->document_bytes, " bytes");
    buf_add_char(out, '\n');
}

static void add_counts(const struct ab_report *r, struct buf *out)
{
    line_u64(out, "Concurrency Level:", r->concurrency, "");
    buf_printf(out, "%-24s%.3f seconds\n", "Time taken for tests:", r->time_taken_s);
    line_u64(out, "Complete requests:", r->count, "");
    line_u64(out, "Failed requests:", ab_report_failed(r), "");
    if (ab_report_failed(r) > 0)
        buf_printf(out,
                   "   (Connect: %" PRIu64 ", Receive: %" PRIu64 ", Length: %" PRIu64 ", Exceptions: %" PRIu64 ")\n",
                   r->failed_connect, r->failed_receive, r->failed_length, r->failed_exceptions);
    if (r->write_errors > 0)
        line_u64(out, "Write errors:", r->write_errors, "");
    if (r->non_2xx > 0)
        line_u64(out, "Non-2xx responses:", r->non_2xx, "");
    if (r->keep_alive)
        line_u64(out, "Keep-Alive requests:", r->kept_alive, "");
    line_u64(out, "Total transferred:", r->bytes_received, " bytes");
    if (r->sends_body)
        line_u64(out, "Total body sent:", r->bytes_sent, "");
    line_u64(out, "HTML transferred:", r->body_bytes_received, " bytes");
}

/* Only with a time to divide by. */
static void add_rates(const struct ab_report *r, struct buf *out)
{
    const double received = ab_report_per_s(r, r->bytes_received) / 1024.0;
    const double sent = ab_report_per_s(r, r->bytes_sent) / 1024.0;
    const double each_ms = r->count > 0 ? r->time_taken_s * 1000.0 / (double)r->count : 0.0;

    if (r->time_taken_s <= 0.0)
        return;
    buf_printf(out, "%-24s%.2f [#/sec] (mean)\n", "Requests per second:", ab_report_per_s(r, r->count));
    if (r->count > 0) {
        buf_printf(out, "%-24s%.3f [ms] (mean)\n", "Time per request:", r->concurrency * each_ms);
        buf_printf(out, "%-24s%.3f [ms] (mean, across all concurrent requests)\n", "Time per request:", each_ms);
    }
    buf_printf(out, "%-24s%.2f [Kbytes/sec] received\n", "Transfer rate:", received);
    if (r->sends_body) {
        buf_printf(out, "%-24s%.2f kb/s sent\n", "", sent);
        buf_printf(out, "%-24s%.2f kb/s total\n", "", received + sent);
    }
}

static void row(struct buf *out, const char *label, const struct ab_times *t)
{
    buf_printf(out, "%-12s%5" PRIu64 " %4" PRIu64 " %5.1f %6" PRIu64 " %7" PRIu64 "\n", label, t->min_ms, t->mean_ms,
               t->sd_ms, t->median_ms, t->max_ms);
}

static void row_without_confidence(struct buf *out, const char *label, const struct ab_times *t)
{
    buf_printf(out, "%-12s%5" PRIu64 " %5" PRIu64 "%5" PRIu64 "\n", label, t->min_ms, t->mean_ms, t->max_ms);
}

/* How far mean and median lie apart, both rounded to ms, in standard deviations. */
static void warn(struct buf *out, const char *what, const struct ab_times *t)
{
    const double apart = fabs((double)t->mean_ms - (double)t->median_ms);

    if (apart > 2.0 * t->sd_ms)
        buf_printf(out,
                   "ERROR: The median and mean for %s are more than twice the standard\n"
                   "       deviation apart. These results are NOT reliable.\n",
                   what);
    else if (apart > t->sd_ms)
        buf_printf(out,
                   "WARNING: The median and mean for %s are not within a normal deviation\n"
                   "        These results are probably not that reliable.\n",
                   what);
}

static void add_times(const struct ab_report *r, const struct ab_statistics *s, struct buf *out)
{
    void (*const add)(struct buf *, const char *, const struct ab_times *) = r->no_confidence ? row_without_confidence
                                                                                              : row;

    buf_add_str(out, "\nConnection Times (ms)\n");
    buf_add_str(out,
                r->no_confidence ? "              min   avg   max\n" : "              min  mean[+/-sd] median   max\n");
    add(out, "Connect:", &s->connect);
    add(out, "Processing:", &s->processing);
    add(out, "Waiting:", &s->waiting);
    add(out, "Total:", &s->total);
    if (!r->no_confidence) {
        warn(out, "the initial connection time", &s->connect);
        warn(out, "the processing time", &s->processing);
        warn(out, "the waiting time", &s->waiting);
        warn(out, "the total time", &s->total);
    }
}

static void add_percentiles(const struct ab_report *r, struct buf *out)
{
    static const unsigned PERCENTS[] = { 50, 66, 75, 80, 90, 95, 98, 99 };

    buf_add_str(out, "\nPercentage of the requests served within a certain time (ms)\n");
    for (size_t i = 0; i < sizeof(PERCENTS) / sizeof(PERCENTS[0]); i++)
        buf_printf(out, "  %u%%  %5" PRIu64 "\n", PERCENTS[i],
                   ab_round_ms(r->samples[ab_rank(r->count, PERCENTS[i])].total_us));
    buf_printf(out, " 100%%  %5" PRIu64 " (longest request)\n", ab_round_ms(r->samples[r->count - 1].total_us));
}

bool ab_report_text(struct ab_report *r, struct buf *out)
{
    struct ab_statistics statistics;

    if (!ab_sort_by_total(r->samples, r->count) || !ab_statistics_of(&statistics, r->samples, r->count))
        return false;
    buf_add_str(out, "\n\n");
    add_server(r, out);
    add_counts(r, out);
    add_rates(r, out);
    if (r->count > 0)
        add_times(r, &statistics, out);
    if (r->count > 1 && !r->no_percentiles)
        add_percentiles(r, out);
    return buf_ok(out);
}
