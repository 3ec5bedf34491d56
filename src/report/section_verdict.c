/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/fit.h"

#define RED "\033[1;31m"
#define GREEN "\033[1;32m"
#define YELLOW "\033[1;33m"
#define PLAIN "\033[0m"

#define METHOD_COLUMNS 20

static void add_loud(struct section *s, const char *colour, const char *word)
{
    buf_printf(s->out, "%s%s%s", s->colours ? colour : "", word, s->colours ? PLAIN : "");
}

static void add_list(struct section *s, const struct strlist *list)
{
    for (size_t i = 0; i < list->count; i++)
        fit_paragraph(s->out, "  * ", slice_str(list->items[i]), s->width);
}

/* thing: "request", "copy". */
static void add_outcome(struct section *s, const char *thing, const char *things)
{
    const struct totals *t = &s->result->totals;
    char ok[UNITS_TEXT_MAX], started[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX], unfinished[UNITS_TEXT_MAX];

    units_format_count(ok, t->ok);
    units_format_count(started, t->started);
    units_format_count(failed, t->failed);
    units_format_count(unfinished, t->unfinished);
    if (t->started == 1 && t->ok == 1)
        buf_printf(s->out, ": 1 %s ok\n", thing);
    else if (t->started > 0 && t->ok == t->started)
        buf_printf(s->out, ": all %s %s ok\n", ok, things);
    else if (t->unfinished == 0)
        buf_printf(s->out, ": %s of %s %s ok, %s failed\n", ok, started, things, failed);
    else
        buf_printf(s->out, ": %s of %s %s ok, %s failed, %s unfinished\n", ok, started, things, failed, unfinished);
}

/* A value of the resolved configuration as it stands in the document, or NULL. */
static const char *config_of(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->config_count; i++)
        if (strcmp(r->config[i].name, name) == 0)
            return r->config[i].json;
    return NULL;
}

static void add_target(struct section *s, const struct target_result *t)
{
    const size_t begin = s->out->len;

    buf_add_str(s->out, "Target        ");
    if (slice_str(t->method).len > 0) {
        fit_line(s->out, slice_str(t->method), METHOD_COLUMNS, FIT_HEAD);
        buf_add_char(s->out, ' ');
    }
    fit_line(s->out, slice_str(t->url), s->width - (s->out->len - begin), FIT_BOTH_ENDS);
    buf_add_char(s->out, '\n');
}

static void add_subject(struct section *s)
{
    const struct result *r = s->result;

    if (r->name != NULL && r->name[0] != '\0')
        section_line(s, "Name", "%s", r->name);
    if (r->target_count == 1 && slice_trim(slice_str(r->targets[0].url)).len > 0)
        add_target(s, &r->targets[0]);
    else if (r->target_count > 1)
        section_line(s, "Targets", "%zu", r->target_count);
}

/* "\"1/3\"" in config; the other numbers there are of the whole plan. */
static void add_share(struct section *s)
{
    const struct result *r = s->result;
    struct slice of = slice_str(config_of(r, "share"));
    struct slice own;
    uint64_t which, shares, connections;
    char text[128] = "", rate[UNITS_TEXT_MAX];

    if (of.len < 2 || of.ptr[0] != '"' || r->part_count > 0)
        return;
    of = slice_drop(slice_take(of, of.len - 1), 1);
    own = slice_split(&of, '/');
    if (!slice_to_u64(own, &which) || !slice_to_u64(of, &shares) || which == 0 || which > shares)
        return;
    if (r->target_count == 1 && slice_to_u64(slice_str(config_of(r, "connections")), &connections)) {
        const uint64_t mine = connections / shares + (which <= connections % shares ? 1 : 0);

        snprintf(text, sizeof(text), ": %" PRIu64 " connection%s", mine, units_plural(mine));
    }
    if (r->generator.rate_asked > 0)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s requests/s", text[0] != '\0' ? "," : ":",
                 section_rate(rate, r->generator.rate_asked));
    section_line(s, "Share", "%" PRIu64 " of %" PRIu64 " of the plan%s", which, shares, text);
}

static void add_setting(struct section *s)
{
    const struct result *r = s->result;
    const char *connections = config_of(r, "connections");
    char window[UNITS_TEXT_MAX], ramp[UNITS_TEXT_MAX], counted[UNITS_TEXT_MAX], length[UNITS_TEXT_MAX];

    units_format_duration(window, r->duration_s * NS_PER_S);
    units_format_duration(ramp, r->ramp_s * NS_PER_S);
    if (connections != NULL)
        section_line(s, "Load", "%s connection%s%s, %zu thread%s", connections,
                     strcmp(connections, "1") == 0 ? "" : "s", r->target_count > 1 ? " per target" : "",
                     r->generator.workers, units_plural(r->generator.workers));
    add_share(s);
    if (r->ramp_s > 0)
        section_line(s, "Window", "%s, after %s of opening connections", window, ramp);
    else
        section_line(s, "Window", "%s", window);
    if (r->warmup.started > 0)
        section_line(s, "Warm-up", "%s, %s request%s; in none of the figures below",
                     units_format_duration(length, r->warmup.duration_s * NS_PER_S),
                     units_format_count(counted, r->warmup.started), units_plural(r->warmup.started));
}

void section_judgement(struct section *s, const char *thing, const char *things)
{
    const struct result *r = s->result;

    add_loud(s, r->valid ? GREEN : RED, r->valid ? "VALID" : "INVALID");
    add_outcome(s, thing, things);
    if (!r->valid) {
        buf_add_str(s->out, "Do not rely on these figures:\n");
        add_list(s, &r->reasons);
    }
    if (r->interrupted) {
        add_loud(s, YELLOW, "INTERRUPTED");
        buf_add_str(s->out, ": figures up to then\n");
    }
    if (r->warnings.count > 0) {
        add_loud(s, YELLOW, r->warnings.count == 1 ? "WARNING" : "WARNINGS");
        buf_add_str(s->out, ":\n");
        add_list(s, &r->warnings);
    }
}

void section_verdict(struct section *s)
{
    section_judgement(s, "request", "requests");
    buf_add_char(s->out, '\n');
    add_subject(s);
    add_setting(s);
}

static void add_conservation(struct section *s)
{
    const struct totals *t = &s->result->totals;
    char started[UNITS_TEXT_MAX], ok[UNITS_TEXT_MAX], failed[UNITS_TEXT_MAX], unfinished[UNITS_TEXT_MAX];
    char not_sent[UNITS_TEXT_MAX];

    section_line(s, "Requests", "%s started = %s ok + %s failed + %s unfinished",
                 units_format_count(started, t->started), units_format_count(ok, t->ok),
                 units_format_count(failed, t->failed), units_format_count(unfinished, t->unfinished));
    if (t->unfinished > 0)
        section_line(s, "Unfinished", "the oldest had waited %s",
                     units_format_duration(started, t->unfinished_oldest_s * NS_PER_S));
    if (t->not_sent > 0)
        section_line(s, "Not sent", "%s request%s due, or left of -n", units_format_count(not_sent, t->not_sent),
                     t->not_sent == 1 ? " that was" : "s that were");
}

void section_throughput(struct section *s)
{
    const struct result *r = s->result;
    char rate[UNITS_TEXT_MAX], asked[UNITS_TEXT_MAX], achieved[UNITS_TEXT_MAX], counted[UNITS_TEXT_MAX];

    buf_add_char(s->out, '\n');
    section_line(s, "Throughput", "%s requests/s (%s ok replies inside the window)",
                 section_rate(rate, r->totals.requests_per_s), units_format_count(counted, r->totals.ok_in_window));
    if (r->generator.rate_asked > 0)
        section_line(s, "Rate", "asked for %s requests/s, achieved %s requests/s",
                     section_rate(asked, r->generator.rate_asked), section_rate(achieved, r->generator.rate_achieved));
    add_conservation(s);
    section_line(s, "In flight", "%.2f requests on average", r->totals.in_flight_mean);
}
