/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ApacheBench's report: the same labels, columns, units and formulas, from plain data.
 *
 * Times are whole microseconds, as ab has them; milliseconds are rounded half up. Nothing here knows how they were
 * measured. */
#ifndef PLIMSOLL_REPORT_AB_REPORT_H
#define PLIMSOLL_REPORT_AB_REPORT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

/* One ended request. */
struct ab_sample {
    uint64_t started_wall_us;
    uint64_t connect_us; /* opening the connection and its TLS; 0 on a kept one */
    uint64_t total_us;   /* connecting, sending, waiting and receiving */
    uint64_t wait_us;    /* last byte sent to first byte received */
};

struct ab_report {
    const char *server_software; /* the whole value; cut at its first blank here */
    const char *hostname;
    unsigned port;
    const char *path;
    /* Of a TLS run; tls_version NULL: plain. */
    const char *tls_version, *tls_cipher, *tls_temp_key, *tls_sni;
    int tls_key_bits, tls_cipher_bits;

    uint64_t document_bytes;
    bool variable_length; /* -l */
    bool keep_alive;      /* -k */
    bool sends_body;      /* -p, -u */
    unsigned concurrency;
    double time_taken_s;
    uint64_t failed_connect, failed_receive, failed_length, failed_exceptions;
    uint64_t write_errors, non_2xx, kept_alive;
    uint64_t bytes_received, body_bytes_received, bytes_sent;

    bool no_confidence;                                           /* -S */
    bool no_percentiles;                                          /* -d */
    const char *table_attributes, *tr_attributes, *td_attributes; /* -x -y -z */

    struct ab_sample *samples; /* in order of completion; the renderers sort them by total time */
    size_t count;
};

/* min, mean, standard deviation, median and max of one kind of time, in ms. ab's own rules: the mean is a whole number
 * of microseconds, the median of an odd count above 1 is the mean of its middle value and the next, of an even count
 * the upper middle value. */
struct ab_times {
    uint64_t min_ms, mean_ms, median_ms, max_ms;
    double sd_ms;
};
struct ab_statistics {
    struct ab_times connect, processing, waiting, total;
};
/* False when out of memory. An empty set gives zeroes. */
MUST_CHECK bool ab_statistics_of(struct ab_statistics *out, const struct ab_sample *samples, size_t count);

/* False when out of memory, and nothing sorted. */
MUST_CHECK bool ab_sort_by_total(struct ab_sample *samples, size_t count);
/* ab's ranks, in whole numbers of the set sorted by total time: floor(count * percent / 100), the last for 100. */
size_t ab_rank(size_t count, unsigned percent);

MUST_CHECK bool ab_report_text(struct ab_report *r, struct buf *out); /* false when out of memory */
MUST_CHECK bool ab_report_html(struct ab_report *r, struct buf *out);
/* -e and -g; the samples have to be sorted. */
void ab_report_csv(const struct ab_report *r, struct buf *out);
void ab_report_gnuplot(const struct ab_report *r, struct buf *out);

/* Shared by the renderers. */
static inline uint64_t ab_round_ms(uint64_t us)
{
    return (us + 500) / 1000;
}
struct slice ab_report_software(const struct ab_report *r);
uint64_t ab_report_failed(const struct ab_report *r);
double ab_report_per_s(const struct ab_report *r, uint64_t amount);

#endif
