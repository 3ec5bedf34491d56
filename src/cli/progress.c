/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json_number.h"
#include "base/units.h"

enum { LINE_MAX_BYTES = 2048, COLUMNS_FALLBACK = 80 };

void progress_init(struct progress *p, enum progress_mode mode)
{
    p->mode = mode == PROGRESS_AUTO && isatty(STDERR_FILENO) != 1 ? PROGRESS_NONE : mode;
    p->shown = 0;
    p->more = (struct progress_more){ 0 };
}

static void add_done(struct buf *out, const struct load_progress *now)
{
    char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

    if (now->planned > 0)
        buf_printf(out, "%s of %s request%s  ", units_format_count(a, now->done), units_format_count(b, now->planned),
                   units_plural(now->planned));
    buf_printf(out, "%.0f", now->elapsed_s);
    if (now->planned_s > 0)
        buf_printf(out, " of %.0f", now->planned_s);
    buf_add_str(out, " s");
}

void progress_line(struct buf *out, const struct load_progress *now)
{
    char rate[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX];

    add_done(out, now);
    buf_printf(out, "  %s  %s requests/s", now->stage, units_format_number(rate, now->requests_per_s));
    if (now->p99_ns > 0)
        buf_printf(out, "  p50 %s  p99 %s", units_format_duration(p50, (double)now->p50_ns),
                   units_format_duration(p99, (double)now->p99_ns));
    buf_printf(out, "  %s failed", units_format_count(failed, now->failed));
}

void progress_take_pulse(struct progress *p, const struct load_pulse *pulse)
{
    struct progress_more *m = &p->more;
    const bool has_rate = pulse->has_schedule && pulse->second_s > 0;

    *m = (struct progress_more){ .is_known = true, .ok = pulse->ok, .max_ns = hist_max_ns(pulse->second) };
    m->asked_per_s = has_rate ? pulse->second_due / pulse->second_s : NAN;
    for (size_t k = 0; k < FAIL_KINDS; k++)
        m->failed_by_kind[k] = pulse->failed_by_kind[k];
    m->whole_count = hist_count(pulse->whole);
    m->whole_p50_ns = hist_value_at(pulse->whole, 50);
    m->whole_p99_ns = hist_value_at(pulse->whole, 99);
    m->whole_max_ns = hist_max_ns(pulse->whole);
}

static void add_more(struct buf *out, const struct progress_more *m)
{
    char text[JSON_OUT_DOUBLE_MAX];
    const char *between = "";

    buf_printf(out, ", \"ok\": %" PRIu64 ", \"max\": %.9f", m->ok, (double)m->max_ns / NS_PER_S);
    if (isfinite(m->asked_per_s))
        buf_printf(out, ", \"rate_asked\": %s", json_format_double(text, m->asked_per_s));
    buf_add_str(out, ", \"errors\": {");
    for (unsigned k = 0; k < FAIL_KINDS; k++) {
        if (m->failed_by_kind[k] == 0)
            continue;
        buf_printf(out, "%s\"%s\": %" PRIu64, between, fail_kind_text((enum fail_kind)k), m->failed_by_kind[k]);
        between = ", ";
    }
    buf_printf(out, "}, \"run\": {\"count\": %" PRIu64 ", \"p50\": %.9f, \"p99\": %.9f, \"max\": %.9f}", m->whole_count,
               (double)m->whole_p50_ns / NS_PER_S, (double)m->whole_p99_ns / NS_PER_S,
               (double)m->whole_max_ns / NS_PER_S);
}

void progress_json(struct buf *out, const struct load_progress *now, const struct progress_more *more)
{
    buf_printf(out, "{\"elapsed_s\": %.3f, \"stage\": \"%s\", \"done\": %" PRIu64, now->elapsed_s, now->stage,
               now->done);
    if (now->planned_s > 0)
        buf_printf(out, ", \"planned_s\": %.3f", now->planned_s);
    if (now->planned > 0)
        buf_printf(out, ", \"planned\": %" PRIu64, now->planned);
    buf_printf(out, ", \"requests_per_s\": %.3f, \"p50\": %.9f, \"p99\": %.9f", now->requests_per_s,
               (double)now->p50_ns / NS_PER_S, (double)now->p99_ns / NS_PER_S);
    buf_printf(out, ", \"failed\": %" PRIu64 ", \"in_flight\": %" PRIu64, now->failed, now->in_flight);
    if (more != NULL && more->is_known)
        add_more(out, more);
    buf_add_char(out, '}');
}

static size_t terminal_columns(void)
{
    struct winsize size = { 0 };

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col;
    return COLUMNS_FALLBACK;
}

/* Blanks instead of escape sequences: right on every terminal. A line that wraps could not be taken back. */
static void show_line(struct progress *p, struct slice line)
{
    const struct slice cut = slice_take(line, terminal_columns() - 1);
    const size_t blanks = p->shown > cut.len ? p->shown - cut.len : 0;

    fprintf(stderr, "\r%.*s%*s", SLICE_FMT(cut), (int)blanks, "");
    fflush(stderr);
    p->shown = cut.len;
}

void progress_text(struct progress *p, struct slice line)
{
    if (p->mode == PROGRESS_JSON)
        fprintf(stderr, "%.*s\n", SLICE_FMT(line));
    else if (p->mode == PROGRESS_AUTO)
        show_line(p, line);
}

void progress_show(struct progress *p, const struct load_progress *now)
{
    struct buf line;

    if (p->mode == PROGRESS_NONE)
        return;
    buf_init(&line, LINE_MAX_BYTES);
    if (p->mode == PROGRESS_JSON)
        progress_json(&line, now, &p->more);
    else
        progress_line(&line, now);
    progress_text(p, buf_slice(&line));
    buf_release(&line);
}

void progress_end(struct progress *p)
{
    if (p->mode == PROGRESS_AUTO && p->shown > 0) {
        fprintf(stderr, "\r%*s\r", (int)p->shown, "");
        fflush(stderr);
    }
    p->shown = 0;
}
