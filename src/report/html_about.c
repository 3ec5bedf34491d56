/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How it was measured: the machines, the exact commands, what each figure means, and the documents for other programs.
 */
#include "report/html_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MAX = 24 };
#define DOCUMENT_MAX_BYTES (UINT64_C(1) << 30)
/* Of the page what is written after the documents, with room to spare. */
enum { REST_BYTES = 40000 };

/* ---- environment ---- */

void page_fact(struct page *p, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    html_row_open(&p->body);
    html_cell_head(&p->body, name);
    html_cell(&p->body, value);
    html_row_close(&p->body);
}

void page_host(struct page *p, const struct host_info *host)
{
    char text[UNITS_TEXT_MAX], number[24];

    page_fact(p, "host", host->hostname);
    page_fact(p, "kernel", host->kernel);
    page_fact(p, "CPU", host->cpu);
    snprintf(number, sizeof(number), "%u", host->cpus);
    page_fact(p, "CPUs", host->cpus > 0 ? number : NULL);
    page_fact(p, "memory", host->memory_bytes > 0 ? units_format_size(text, (double)host->memory_bytes) : NULL);
    page_fact(p, "plimsoll", host->tool_version);
}

static void add_facts(struct page *p, const struct result *r)
{
    char text[UNITS_TEXT_MAX];

    page_fact(p, "name", r->name);
    page_fact(p, "id", r->id);
    page_fact(p, "started", r->started);
    page_fact(p, "measured window", r->duration_s > 0 ? page_duration(text, r->duration_s) : NULL);
    page_host(p, &r->host);
    for (size_t i = 0; i < r->labels.count; i++)
        page_fact(p, "label", r->labels.items[i]);
}

static void add_config(struct page *p, const struct result *r)
{
    if (r->config_count == 0)
        return;
    html_details_open(&p->body, NULL, "Configuration, as it was resolved", false);
    html_table_open(&p->body, "Configuration", "setting|value");
    for (size_t i = 0; i < r->config_count; i++) {
        html_row_open(&p->body);
        html_cell_head(&p->body, r->config[i].name);
        html_cell(&p->body, r->config[i].json);
        html_row_close(&p->body);
    }
    html_table_close(&p->body);
    html_details_close(&p->body);
}

/* As a shell would read it. */
static void add_word(struct buf *out, const char *word)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";

    if (word[0] != '\0' && strspn(word, PLAIN) == strlen(word)) {
        buf_add_str(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (const char *c = word; *c != '\0'; c++)
        if (*c == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_char(out, *c);
    buf_add_char(out, '\'');
}

void page_command(struct page *p, const struct strlist *command)
{
    struct buf line;

    if (command->count == 0)
        return;
    buf_init(&line, BUF_TEXT_MAX_BYTES);
    for (size_t i = 0; i < command->count; i++) {
        buf_add_str(&line, i > 0 ? " " : "");
        add_word(&line, command->items[i]);
    }
    html_element(&p->body, "p", NULL, "The command, without its secrets:");
    html_element(&p->body, "pre", NULL, buf_ok(&line) ? line.data : "");
    buf_release(&line);
}

/* Of many samples the first stands for its run: they differ in what the cells say. */
static int add_run(struct page *p, size_t run, struct err *err)
{
    struct result *read = NULL;
    const struct result *r = p->shown != NULL ? p->shown[run] : NULL;

    if (r == NULL && collection_read(&p->c->runs[run].documents[0], &read, err) != 0)
        return -1;
    r = r != NULL ? r : read;
    html_element(&p->body, "h3", NULL, p->c->runs[run].name);
    if (p->shown == NULL)
        html_printf(&p->body, "Of the first of %zu samples.", p->c->runs[run].count);
    html_table_open(&p->body, "Environment", "what|value");
    add_facts(p, r);
    html_table_close(&p->body);
    page_command(p, &r->command);
    add_config(p, r);
    result_free(read);
    return 0;
}

/* ---- definitions ---- */

static const struct {
    const char *figure, *meaning;
} DEFINITIONS[] = {
    { "latency", "from the moment a request was due - with a rate its place in the schedule, without one when its slot "
                 "became free - to the last byte of its reply; of ok requests alone" },
    { "service time", "from the first byte of the request written to the last byte of its reply" },
    { "p50, p90, p99, p99.9",
      "the smallest value that at least 50 %, 90 %, 99 %, 99.9 % of the requests lie at or "
      "below; from a histogram with a relative error of at most 0.1 %, merged and never averaged "
      "within a sample" },
    { "max", "the exact largest value" },
    { "requests/s", "ok replies that ended inside the window, divided by its length" },
    { "failed requests", "failed / started; a request fails by an unexpected status, a failed check, or without a "
                         "complete reply" },
    { "limit", "of a search: the highest level at which every trial kept the promise, and was really offered; it lies "
               "between that and the lowest that broke it" },
    { "window", "after connections were opened and the warm-up ended; the warm-up is in no figure" },
    { "sample", "one run of a cell, never a request; comparisons use one number of each sample" },
    { "change, interval", "of the means of the logarithms of the samples, with a 95 % interval; docs/statistics.md" },
};

static void add_definitions(struct page *p)
{
    html_element(&p->body, "h3", NULL, "What the figures mean");
    buf_add_str(&p->body, "<dl>");
    for (size_t i = 0; i < sizeof(DEFINITIONS) / sizeof(DEFINITIONS[0]); i++) {
        html_element(&p->body, "dt", NULL, DEFINITIONS[i].figure);
        html_element(&p->body, "dd", NULL, DEFINITIONS[i].meaning);
    }
    buf_add_str(&p->body, "</dl>\n");
}

/* ---- documents ---- */

enum embedding { EMBED_WHOLE, EMBED_WITHOUT_INTERVALS, EMBED_NONE };

/* JSON of a document in that form, appended to out. */
static int slim(struct buf *out, const struct collected *d, enum embedding how, struct err *err)
{
    struct result *r = NULL, copy;
    int failed;

    if (how == EMBED_WHOLE) {
        buf_append(out, d->json, d->json_bytes);
        return 0;
    }
    if (collection_read(d, &r, err) != 0)
        return -1;
    copy = *r; /* shares everything with r, which ends it */
    copy.interval_count = 0;
    failed = result_to_json(&copy, out, err);
    result_free(r);
    return failed;
}

static int gather(struct buf *out, const struct collection *c, size_t max_bytes, enum embedding how, struct err *err)
{
    bool first = true;

    buf_clear(out);
    buf_add_char(out, '[');
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->runs[i].count && how != EMBED_NONE; k++) {
            buf_add_str(out, first ? "" : ",\n");
            first = false;
            if (slim(out, &c->runs[i].documents[k], how, err) != 0)
                return -1;
            if (out->len > max_bytes)
                return 0;
        }
    for (size_t i = 0; i < c->limit_count && how != EMBED_NONE; i++) {
        buf_add_str(out, first ? "" : ",\n");
        first = false;
        buf_append(out, c->limits[i].json, c->limits[i].json_bytes);
    }
    buf_add_char(out, ']');
    return 0;
}

static void say_embedded(struct page *p, enum embedding how)
{
    static const char *const SENTENCES[] = {
        "The result documents are embedded whole: read the element with the id \"documents\", or save them here.",
        "The result documents are embedded without their intervals, which would make this page too large; plimsoll "
        "results "
        "export has them whole. Read the element with the id \"documents\", or save them here.",
        "The result documents are too many to be embedded; plimsoll results export has them.",
    };

    html_element(&p->body, "h3", NULL, "Documents");
    html_element(&p->body, "p", NULL, SENTENCES[how]);
    if (how != EMBED_NONE)
        buf_add_str(&p->body, "<p id=\"save\"></p>\n");
}

static int add_documents(struct page *p, struct err *err)
{
    const size_t taken = report_html_fixed_bytes() + p->body.len + p->data.len + REST_BYTES;
    const size_t max_bytes = taken < HTML_BYTES_MAX ? HTML_BYTES_MAX - taken : 0;
    enum embedding how = EMBED_WHOLE;
    struct buf json;
    int failed;

    buf_init(&json, DOCUMENT_MAX_BYTES);
    do {
        failed = gather(&json, p->c, max_bytes, how, err);
    } while (failed == 0 && json.len > max_bytes && how++ != EMBED_NONE);
    if (failed == 0) {
        say_embedded(p, how);
        buf_add_str(&p->body, "<script type=\"application/json\" id=\"documents\">");
        html_json_embed(&p->body, buf_slice(&json));
        buf_add_str(&p->body, "</script>\n");
        if (!buf_ok(&json))
            failed = err_set(err, ERR_SYSTEM, 0, "out of memory");
    }
    buf_release(&json);
    return failed;
}

int html_part_about(struct page *p, struct err *err)
{
    page_section(p, "about", "How it was measured");
    for (size_t i = 0; i < p->c->count && i < COMMANDS_MAX; i++)
        if (add_run(p, i, err) != 0)
            return -1;
    html_limit_about(p);
    add_definitions(p);
    return add_documents(p, err);
}
