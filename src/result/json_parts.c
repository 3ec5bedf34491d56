/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/json_parts.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 65536, PARTS_MAX = 65536, CPUS_MAX = 65536 };

void json_write_kinds(struct json_out *o, const uint64_t *by_kind)
{
    if (by_kind == NULL)
        return;
    json_out_open(o, "errors", '{');
    for (size_t k = 0; k < FAIL_KINDS; k++)
        if (by_kind[k] > 0)
            json_out_u64(o, fail_kind_text((enum fail_kind)k), by_kind[k]);
    json_out_close(o, '}');
}

void json_write_host(struct json_out *o, const char *key, const struct host_info *h)
{
    json_out_open(o, key, '{');
    json_out_string(o, "hostname", h->hostname);
    json_out_string(o, "kernel", h->kernel);
    json_out_string(o, "cpu", h->cpu);
    json_out_u64(o, "cpus", h->cpus);
    json_out_u64(o, "memory_bytes", h->memory_bytes);
    json_out_string(o, "tool_version", h->tool_version);
    json_out_close(o, '}');
}

static void write_words(struct json_out *o, const struct strlist *words)
{
    json_out_open(o, NULL, '[');
    for (size_t i = 0; i < words->count; i++)
        json_out_string(o, NULL, words->items[i]);
    json_out_close(o, ']');
}

void json_write_start(struct json_out *o, const struct result_start *s)
{
    const bool checked = s->clock[0] != '\0';

    if (s->at[0] == '\0') {
        json_out_null(o, "start");
        return;
    }
    json_out_open(o, "start", '{');
    json_out_string(o, "at", s->at);
    json_out_double(o, "late_s", s->late_s);
    json_out_string(o, "clock", checked ? s->clock : NULL);
    if (checked) {
        json_out_double(o, "clock_offset_s", s->clock_offset_s);
        json_out_double(o, "clock_resolution_s", s->clock_resolution_s);
    }
    json_out_close(o, '}');
}

void json_read_start(struct json_in *in, const json_t *object, struct result_start *s)
{
    const json_t *start = json_in_object(in, object, "start");

    json_in_copy(in, start, "at", s->at, sizeof(s->at));
    json_in_copy(in, start, "clock", s->clock, sizeof(s->clock));
    s->late_s = json_in_seconds(in, start, "late_s");
    s->clock_offset_s = json_in_seconds(in, start, "clock_offset_s");
    s->clock_resolution_s = json_in_seconds(in, start, "clock_resolution_s");
}

static void write_machine(struct json_out *o, const struct machine_figures *m)
{
    json_out_open(o, "machine", '{');
    json_out_u64(o, "ports_used", m->ports_used);
    json_out_u64(o, "ports_available", m->ports_available);
    json_out_u64(o, "time_wait_start", m->time_wait_start);
    json_out_u64(o, "time_wait_end", m->time_wait_end);
    json_out_u64(o, "retransmits", m->retransmits);
    json_out_close(o, '}');
}

static void read_machine(struct json_in *in, const json_t *part, struct machine_figures *m)
{
    const json_t *machine = json_in_object(in, part, "machine");

    m->ports_used = json_in_u64(in, machine, "ports_used");
    m->ports_available = json_in_u64(in, machine, "ports_available");
    m->time_wait_start = json_in_u64(in, machine, "time_wait_start");
    m->time_wait_end = json_in_u64(in, machine, "time_wait_end");
    m->retransmits = json_in_u64(in, machine, "retransmits");
}

static void write_part(struct json_out *o, const struct result_part *p)
{
    json_out_open(o, NULL, '{');
    json_out_string(o, "id", p->id);
    json_out_string(o, "share", p->share);
    json_out_string(o, "started", p->started);
    json_out_double(o, "duration_s", p->duration_s);
    json_out_double(o, "requests_per_s", p->requests_per_s);
    json_out_double(o, "in_flight_mean", p->in_flight_mean);
    json_out_double(o, "in_window_mean", p->in_window_mean);
    json_out_string(o, "plan", p->plan);
    json_out_bool(o, "valid", p->valid);
    json_out_bool(o, "interrupted", p->interrupted);
    json_out_bool(o, "limited", p->limited);
    json_out_u64(o, "requests", p->requests);
    json_out_u64(o, "ok", p->ok);
    json_out_u64(o, "failed", p->failed);
    json_out_u64(o, "not_sent", p->not_sent);
    json_out_double(o, "cpu_max", p->cpu_max);
    write_machine(o, &p->machine);
    json_write_start(o, &p->start);
    json_out_close(o, '}');
}

void json_write_parts(struct json_out *o, const struct result *r)
{
    json_out_open(o, "command", '[');
    for (size_t i = 0; i < r->part_count; i++)
        write_words(o, &r->parts[i].command);
    json_out_close(o, ']');
    json_out_open(o, "host", '[');
    for (size_t i = 0; i < r->part_count; i++)
        json_write_host(o, NULL, &r->parts[i].host);
    json_out_close(o, ']');
    json_out_open(o, "parts", '[');
    for (size_t i = 0; i < r->part_count; i++)
        write_part(o, &r->parts[i]);
    json_out_close(o, ']');
}

void json_read_host(struct json_in *in, const json_t *host, struct host_info *h)
{
    uint64_t cpus = 0;

    memset(h, 0, sizeof(*h));
    json_in_copy(in, host, "hostname", h->hostname, sizeof(h->hostname));
    json_in_copy(in, host, "kernel", h->kernel, sizeof(h->kernel));
    json_in_copy(in, host, "cpu", h->cpu, sizeof(h->cpu));
    json_in_copy(in, host, "tool_version", h->tool_version, sizeof(h->tool_version));
    h->memory_bytes = json_in_u64(in, host, "memory_bytes");
    cpus = json_in_u64(in, host, "cpus");
    if (cpus > CPUS_MAX)
        json_in_fail(in, "\"cpus\" is too large");
    h->cpus = (unsigned)cpus;
}

static void read_words(struct json_in *in, const json_t *words, struct strlist *out)
{
    if (!json_is_array(words) || json_array_size(words) > WORDS_MAX) {
        json_in_fail(in, "a command of a part is no list of words");
        return;
    }
    for (size_t i = 0; i < json_array_size(words) && !in->failed; i++) {
        const char *word = json_string_value(json_array_get(words, i));

        if (word == NULL)
            json_in_fail(in, "a command of a part is no list of words");
        else if (!strlist_add(out, slice_str(word)))
            json_in_no_memory(in);
    }
}

static void read_part(struct json_in *in, const json_t *part, const json_t *host, const json_t *command,
                      struct result_part *p)
{
    uint64_t which, of;

    json_in_copy(in, part, "id", p->id, sizeof(p->id));
    json_in_copy(in, part, "started", p->started, sizeof(p->started));
    json_in_copy(in, part, "plan", p->plan, sizeof(p->plan));
    p->share = json_in_dup(in, part, "share");
    if (p->share != NULL && !result_share_parse(p->share, &which, &of))
        json_in_fail(in, "\"share\" must be I/N, as in 2/3, not \"%.40s\"", p->share);
    p->duration_s = json_in_length(in, part, "duration_s");
    p->requests_per_s = json_in_double(in, part, "requests_per_s");
    p->in_flight_mean = json_in_double(in, part, "in_flight_mean");
    p->in_window_mean = json_in_double(in, part, "in_window_mean");
    p->valid = json_in_bool(in, part, "valid");
    p->interrupted = json_in_bool(in, part, "interrupted");
    p->limited = json_in_bool(in, part, "limited");
    p->requests = json_in_u64(in, part, "requests");
    p->ok = json_in_u64(in, part, "ok");
    p->failed = json_in_u64(in, part, "failed");
    p->not_sent = json_in_u64(in, part, "not_sent");
    p->cpu_max = json_in_double(in, part, "cpu_max");
    read_machine(in, part, &p->machine);
    json_read_start(in, part, &p->start);
    json_read_host(in, host, &p->host);
    read_words(in, command, &p->command);
}

/* A field that the parts do not agree on is empty, and stays so. */
static void agree(char *field, const char *other)
{
    if (strcmp(field, other) != 0)
        field[0] = '\0';
}

static bool same_words(const struct strlist *a, const struct strlist *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return a->count == b->count;
}

bool parts_agree(struct result *r)
{
    struct host_info host = r->parts[0].host;
    bool same = true;

    for (size_t i = 1; i < r->part_count; i++) {
        const struct host_info *h = &r->parts[i].host;

        agree(host.hostname, h->hostname);
        agree(host.kernel, h->kernel);
        agree(host.cpu, h->cpu);
        agree(host.tool_version, h->tool_version);
        host.cpus = host.cpus == h->cpus ? host.cpus : 0;
        host.memory_bytes = host.memory_bytes == h->memory_bytes ? host.memory_bytes : 0;
        same = same && same_words(&r->parts[0].command, &r->parts[i].command);
    }
    r->host = host;
    strlist_release(&r->command);
    for (size_t i = 0; same && i < r->parts[0].command.count; i++)
        if (!strlist_add(&r->command, slice_str(r->parts[0].command.items[i])))
            return false;
    return true;
}

void json_read_parts(struct json_in *in, const json_t *document, struct result *r)
{
    const json_t *parts = json_in_array(in, document, "parts", PARTS_MAX), *hosts, *commands;

    in->where = "host";
    if (in->failed || json_array_size(parts) == 0) {
        json_read_host(in, json_in_object(in, document, "host"), &r->host);
        json_in_strings(in, document, "command", &r->command, WORDS_MAX);
        return;
    }
    hosts = json_in_array(in, document, "host", PARTS_MAX);
    commands = json_in_array(in, document, "command", PARTS_MAX);
    in->where = "parts";
    if (!in->failed &&
        (json_array_size(hosts) != json_array_size(parts) || json_array_size(commands) != json_array_size(parts)))
        json_in_fail(in, "as many hosts and commands as parts were expected");
    r->parts = json_in_alloc(in, parts, sizeof(*r->parts));
    for (size_t i = 0; r->parts != NULL && i < json_array_size(parts) && !in->failed; i++)
        read_part(in, json_in_element(in, parts, i), json_in_element(in, hosts, i), json_array_get(commands, i),
                  &r->parts[r->part_count++]);
    if (!in->failed && !parts_agree(r))
        json_in_no_memory(in);
}
