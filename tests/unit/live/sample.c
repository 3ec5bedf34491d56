/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample_live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct live_column COLUMNS[] = {
    { "per s", "rate", LIVE_PER_S, false },
    { "ok", "ok", LIVE_COUNT, true },
    { "mean", "latency_mean", LIVE_SECONDS, false },
};

static void add_target(struct live_table *t, const char *url, double rate, double ok, double mean_s, bool alarming)
{
    struct live_row *row = live_row_add(t, slice_str(url));

    assert_non_null(row);
    row->values[0] = rate;
    row->values[1] = ok;
    row->values[2] = mean_s;
    row->alarming = alarming;
}

struct live_figures *sample_figures(void)
{
    struct live_figures *f = calloc(1, sizeof(*f));
    struct hist *h = NULL;

    assert_non_null(f);
    live_figures_init(f, "load");
    live_text_set(f->title, sizeof(f->title),
                  SLICE("http://127.0.0.1:8080/shop?q=\xe6\x9d\xb1\xe4\xba\xac and 1 more"));
    live_text_set(f->stage, sizeof(f->stage), SLICE("measuring"));
    f->elapsed_s = 12.4;
    f->planned_s = 30;
    f->left_s = 17.6;
    f->achieved_per_s = 1234;
    f->asked_per_s = 2000;
    f->started = 14810;
    f->ok = 14000;
    f->failed = 800;
    f->in_flight = 10;
    f->connections = 10;
    f->bytes_received = 12345678;
    assert_int_equal(hist_new(&h, NULL), 0);
    hist_record_n(h, 1000000, 900);
    hist_record_n(h, 30000000, 100);
    live_latency_set(&f->of_second, h);
    hist_record_n(h, 2000000, 13000);
    live_latency_set(&f->of_whole, h);
    hist_free(h);
    live_error_add(f, "status", 700);
    live_error_add(f, "reset", 100);
    f->health = (struct live_health){ .workers = 2,
                                      .cpu_cores = 1.21,
                                      .cpu_busiest = 0.97,
                                      .loop_lag_p99_ns = 52000,
                                      .send_lateness_p99_ns = 3100,
                                      .open_files = 31 };
    live_health_judge(&f->health);
    f->table.what = "target";
    memcpy(f->table.columns, COLUMNS, sizeof(COLUMNS));
    f->table.column_count = sizeof(COLUMNS) / sizeof(COLUMNS[0]);
    add_target(&f->table, "http://127.0.0.1:8080/shop?q=\xe6\x9d\xb1\xe4\xba\xac", 1000, 13000, 0.002, false);
    add_target(&f->table,
               "http://127.0.0.1:8080/\033[2J\xe2\x80\xae"
               "bad\xff",
               234, 1000, NAN, true);
    for (unsigned i = 0; i < 12; i++)
        live_add_point(f, &(struct live_point){ .achieved_per_s = 100 * (i + 1),
                                                .asked_per_s = 2000,
                                                .p50_ns = 1000000,
                                                .p99_ns = 1000000 * (12 - i),
                                                .max_ns = 40000000,
                                                .failed = i % 3 == 0 ? i : 0 });
    return f;
}
