/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Second by second: rates, failures and latency, where the latencies lie, and latency against the rate. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>

#include "report/html_kinds.h"
#include "report/html_series.h"
#include "report/sections.h"

enum { POINTS = 400, ROWS_MAX = 60, HEAT_COLUMNS = 100, HEAT_ROWS = 44, HEATS_MAX = 4 };
#define RATE_VARIES 1.2 /* the greatest rate of a second against the least */

static bool any_intervals(const struct page *p)
{
    for (size_t i = 0; p->shown != NULL && i < p->c->count; i++)
        if (p->shown[i]->interval_count > 1)
            return true;
    return false;
}

static bool any_failed(const struct page *p)
{
    for (size_t i = 0; i < p->c->count; i++)
        for (size_t k = 0; k < p->shown[i]->interval_count; k++)
            if (p->shown[i]->intervals[k].failed > 0)
                return true;
    return false;
}

/* A value of the resolved configuration as JSON; NULL: it has none. */
static const char *config_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (slice_eq(slice_str(r->config[i].name), slice_str(name)))
            return r->config[i].json;
    return NULL;
}

static void add_run(struct page *p, size_t run, const struct page_series *s, const struct page_kinds *kinds)
{
    const struct result *r = p->shown[run];
    const char *stages = config_of(r, "stages");
    struct buf *out = &p->data;

    buf_add_str(out, run > 0 ? ",{\"name\":" : "{\"name\":");
    html_json_string(out, p->c->runs[run].name);
    buf_add_str(out, ",\"asked\":");
    html_json_number(out, r->generator.rate_asked > 0 ? r->generator.rate_asked : NAN);
    buf_add_str(out, ",\"end\":");
    html_json_number(out, s->end_s);
    buf_printf(out, ",\"stages\":%s,\"warmup\":", stages != NULL ? stages : "null");
    html_json_number(out, r->warmup.started > 0 ? r->warmup.duration_s : 0);
    for (size_t line = 0; line < SERIES_LINES; line++) {
        if (line == SERIES_BYTES)
            continue;
        buf_printf(out, ",\"%s\":", series_line_name((enum series_line)line));
        series_json(out, s->t_s, s->lines[line], line == SERIES_MAX ? s->count : s->whole, POINTS);
    }
    buf_add_str(out, ",\"errors\":");
    if (kinds_any(kinds))
        kinds_json(out, kinds, s, POINTS);
    else
        buf_add_str(out, "null");
    buf_add_char(out, '}');
}

/* ---- the table: a row for every so many seconds ---- */

static double max_of(const double *values, size_t from, size_t to)
{
    double max = NAN;

    for (size_t i = from; i < to; i++)
        if (isnan(max) || values[i] > max)
            max = values[i];
    return max;
}

static void add_row(struct page *p, const struct page_series *s, const struct page_kinds *kinds, size_t from, size_t to)
{
    static const enum series_line RATES[] = { SERIES_STARTED, SERIES_OK, SERIES_FAILED, SERIES_IN_FLIGHT };
    static const enum series_line TIMES[] = { SERIES_P50, SERIES_P99, SERIES_MAX };
    const double start = s->t_s[from] - s->length_s[from] / 2, end = s->t_s[to - 1] + s->length_s[to - 1] / 2;
    char text[UNITS_TEXT_MAX], at[2 * UNITS_TEXT_MAX];

    html_row_open(&p->body);
    snprintf(at, sizeof(at), "%.4g to %.4g s", start, end);
    buf_printf(&p->body, "<th scope=\"row\" data-v=\"%.6g\">%s</th>", start, at);
    for (size_t k = 0; k < sizeof(RATES) / sizeof(RATES[0]); k++) {
        const double value = series_mean(s->lines[RATES[k]], s->length_s, from, to);

        html_cell_number(&p->body, value, isnan(value) ? "" : section_rate(text, value));
    }
    for (size_t k = 0; k < sizeof(TIMES) / sizeof(TIMES[0]); k++) {
        const double value = max_of(s->lines[TIMES[k]], from, to);

        html_cell_number(&p->body, value, page_duration(text, value));
    }
    for (size_t line = 0; line < KINDS_LINES; line++)
        if (kinds->per_s[line] != NULL) {
            const double value = series_mean(kinds->per_s[line], s->length_s, from, to);

            html_cell_number(&p->body, value, section_rate(text, value));
        }
    html_row_close(&p->body);
}

static void add_names(struct buf *out, const struct page_kinds *kinds)
{
    buf_add_str(out, "time|#started/s|#ok/s|#failed/s|#in flight|#p50|#p99|#max");
    for (size_t line = 0; line < KINDS_LINES; line++)
        if (kinds->per_s[line] != NULL)
            html_column(out, true, "%s/s", kinds_name(line));
}

static void add_table(struct page *p, size_t run, const struct page_series *s, const struct page_kinds *kinds)
{
    const size_t rows = s->count < ROWS_MAX ? s->count : ROWS_MAX;
    struct buf caption, names;

    buf_init(&names, BUF_TEXT_MAX_BYTES);
    add_names(&names, kinds);
    buf_init(&caption, BUF_TEXT_MAX_BYTES);
    buf_printf(&caption, "%s: %s", p->c->runs[run].name,
               s->count > ROWS_MAX ? "rates are means, latencies the greatest of the seconds of a row"
                                   : "second by second");
    html_details_open(&p->body, NULL, buf_ok(&caption) ? caption.data : "", false);
    html_table_open(&p->body, buf_ok(&caption) ? caption.data : "", buf_ok(&names) ? names.data : "");
    for (size_t i = 0; i < rows; i++)
        add_row(p, s, kinds, i * s->count / rows, (i + 1) * s->count / rows);
    html_table_close(&p->body);
    html_details_close(&p->body);
    buf_release(&caption);
    buf_release(&names);
}

/* ---- latency against the rate ---- */

static bool rate_varies(const struct page_series *s)
{
    double low = INFINITY, high = 0;

    for (size_t i = 0; i < s->whole; i++) {
        low = fmin(low, s->lines[SERIES_STARTED][i]);
        high = fmax(high, s->lines[SERIES_STARTED][i]);
    }
    return s->whole > 2 && high > RATE_VARIES * fmax(low, 1);
}

static void add_heats(struct page *p, int *failed, struct err *err)
{
    for (size_t i = 0; i < p->c->count && i < HEATS_MAX && *failed == 0; i++) {
        struct buf json;
        char key[32];
        bool any = false;

        buf_init(&json, 1u << 24);
        *failed = heat_json(&json, p->shown[i], HEAT_COLUMNS, HEAT_ROWS, &any, err);
        if (*failed == 0 && any) {
            struct buf label;

            buf_init(&label, BUF_TEXT_MAX_BYTES);
            snprintf(key, sizeof(key), "heat-%zu", i);
            buf_printf(&label, "%s: how many ok requests had which latency, over time; the darker the more",
                       p->c->runs[i].name);
            page_chart(p, "heat", key, buf_ok(&label) ? label.data : "");
            buf_add_slice(&p->data, buf_slice(&json));
            buf_release(&label);
        }
        buf_release(&json);
    }
}

static int add_series(struct page *p, bool *varies, struct err *err)
{
    int failed = 0;

    buf_add_str(&p->data, "{\"runs\":[");
    for (size_t i = 0; i < p->c->count && failed == 0; i++) {
        struct page_kinds k = { 0 };
        struct page_series s;

        failed = series_of(&s, p->shown[i], err);
        if (failed == 0)
            failed = kinds_of(&k, p->shown[i], err);
        if (failed == 0) {
            add_run(p, i, &s, &k);
            *varies = *varies || rate_varies(&s);
            if (s.count > 0)
                add_table(p, i, &s, &k);
        }
        kinds_release(&k);
        series_release(&s);
    }
    buf_add_str(&p->data, "]}");
    return failed;
}

int html_part_time(struct page *p, struct err *err)
{
    bool varies = false;
    int failed;

    if (!any_intervals(p))
        return 0;
    page_section(p, "time", "Over time");
    html_chart(
        &p->body, "rate", "time",
        "Requests a second: started, ok and failed; dashed what was asked for. Shaded: the warm-up, which is in no "
        "figure.");
    html_chart(&p->body, "latency-time", "time", "Latency of the requests that ended in each second");
    if (any_failed(p))
        html_chart(&p->body, "errors", "time", "Failed requests a second, by kind, one upon the other");
    page_data(p, "time");
    failed = add_series(p, &varies, err);
    if (failed == 0)
        add_heats(p, &failed, err);
    if (failed == 0 && varies) {
        page_section(p, "load-latency", "Latency against the rate");
        html_chart(&p->body, "rate-latency", "time",
                   "Each dot is a second: its p99, or the median where it has too few requests, against the requests "
                   "started in it; the figures are in the tables over time");
    }
    return failed;
}
