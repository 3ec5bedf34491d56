/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import/formats.h"

#include <stdio.h>
#include <string.h>

#include "import/json.h"

/* hyperfine --export-json: seconds. Each time is a sample of its command's cell, so that comparisons have the samples
 * and not their mean; without "times" the mean is the one sample. */

static const char *const KEYS[] = { "results", "command", "mean" };
enum { DIMENSIONS_MAX = 64 };

bool hyperfine_looks_like(struct slice head)
{
    return json_has_keys(head, KEYS, sizeof(KEYS) / sizeof(KEYS[0])) && !slice_starts(head, SLICE("[")) &&
           slice_find_slice(head, SLICE("\"median\"")) >= 0;
}

static void set_cell(struct report *p, const json_t *one)
{
    json_t *parameters = json_object_at(p, one, "parameters");
    const char *key;
    json_t *value;
    size_t n = 0;

    report_dimension(p, "command", json_text_at(p, one, "command"));
    json_object_foreach(parameters, key, value)
    {
        if (json_is_string(value) && n++ < DIMENSIONS_MAX)
            report_dimension(p, key, slice_str(json_string_value(value)));
    }
}

static void set_run(struct report *p)
{
    char id[UUID_TEXT_MAX];

    fingerprint_uuid(&p->source->fingerprint, id);
    if (p->failed)
        return;
    p->r->run = strdup(id);
    if (p->r->run == NULL)
        report_no_memory(p);
}

/* The exit of the sample, when the document has them. */
static void set_exit(struct report *p, const json_t *one, size_t sample)
{
    const json_t *code = json_array_get(json_list_at(p, one, "exit_codes"), sample);

    if (code == NULL || json_is_null(code))
        return;
    if (!json_is_integer(code)) {
        report_fail(p, "\"exit_codes\" must hold whole numbers");
        return;
    }
    report_total(p, TOTAL_STARTED, 1);
    report_total(p, TOTAL_FAILED, json_integer_value(code) != 0);
    report_total(p, TOTAL_OK, json_integer_value(code) == 0);
    if (json_integer_value(code) != 0)
        report_seen(p, 1, "exit %lld", (long long)json_integer_value(code));
}

static int give_sample(struct source *s, const json_t *one, size_t sample, double time_s)
{
    struct report p;

    report_begin(&p, s, "hyperfine");
    set_run(&p);
    set_cell(&p, one);
    report_time(&p, "duration", "s", time_s);
    set_exit(&p, one, sample);
    if (!p.failed) {
        p.r->has_sample = true;
        p.r->sample = (uint32_t)sample;
    }
    return report_end(&p, NULL);
}

static int read_command(struct source *s, const json_t *one)
{
    struct report p = { .source = s };
    const json_t *times = json_list_at(&p, one, "times");
    int failed = 0;

    if (!json_is_object(one))
        report_fail(&p, "a result must be an object");
    if (times == NULL && !p.failed) {
        const double mean = json_need_number(&p, one, "mean");

        return p.failed ? -1 : give_sample(s, one, 0, mean);
    }
    for (size_t i = 0; i < json_array_size(times) && failed == 0; i++) {
        const json_t *time = json_array_get(times, i);

        if (!json_is_number(time))
            report_fail(&p, "\"times\" must hold numbers");
        failed = p.failed ? -1 : give_sample(s, one, i, json_number_value(time));
    }
    return p.failed ? -1 : failed;
}

int hyperfine_read(struct source *s)
{
    struct report p = { .source = s };
    json_t *document = json_parse(s);
    const json_t *results;
    int failed = 0;

    if (document == NULL)
        return -1;
    results = json_list_at(&p, document, "results");
    if (results == NULL)
        report_fail(&p, "\"results\" is missing");
    for (size_t i = 0; i < json_array_size(results) && failed == 0; i++)
        failed = read_command(s, json_array_get(results, i));
    json_decref(document);
    return p.failed ? -1 : failed;
}
