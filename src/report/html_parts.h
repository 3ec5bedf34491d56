/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page in the making, and its sections in the order in which they stand. Each adds nothing when it has nothing to
 * say. Failures of memory are the bufs'. Private to report/. */
#ifndef PLIMSOLL_REPORT_HTML_PARTS_H
#define PLIMSOLL_REPORT_HTML_PARTS_H

#include "base/units.h"
#include "report/html.h"
#include "report/html_out.h"
#include "result/comparison.h"

enum { HTML_SPARK_MAX = 40, HTML_SECTIONS_MAX = 40 };
#define PAGE_TEXT_MAX 64

/* What of a document is needed after it was let go. */
struct page_document {
    double rate_asked, received_per_s; /* NAN: not known */
    float spark[HTML_SPARK_MAX];       /* p99 over time, seconds */
    size_t spark_count;
    bool limited;
    bool promised, broken; /* --slo, and a clause that was not kept */
};

/* A sample: a record of page.all. */
struct page_record {
    size_t run, document; /* of the collection */
};

/* Samples that are alike: of one cell and one run. Indices of page.all's records. */
struct page_group {
    size_t *records;
    size_t count;
};

struct page {
    const struct collection *c;
    const struct html_options *options;
    struct buf body; /* the sections */
    struct buf data; /* members of the script's JSON object */
    struct {
        const char *id, *title;
    } sections[HTML_SECTIONS_MAX];
    size_t section_count;
    bool in_section;
    size_t watch_charts;  /* so far */
    size_t example_bytes; /* of errors of cells, so far */

    struct page_document **documents; /* by run, by document */
    struct result **shown;            /* by run, when each has but one document; else NULL */

    struct side all;             /* every run's records */
    struct page_record *records; /* by record of all */
    struct strlist dimensions;   /* of a suite's cells; empty: found by the comparison */
    struct comparison cells;     /* all against itself: which cells there are */
    size_t cell_count;
    struct page_group *groups; /* by cell, then by run */

    struct comparison *comparisons; /* of run 1 + i against run 0 */
    size_t comparison_count;
};

/* html.c: style, script and library. */
size_t report_html_fixed_bytes(void);

/* html_page.c */
MUST_CHECK int page_init(struct page *p, const struct collection *c, const struct html_options *o, struct err *err);
void page_release(struct page *p);
/* Ends the section before it. */
void page_section(struct page *p, const char *id, const char *title);
void page_end_sections(struct page *p);
/* Begins a member of the script's JSON object: its value is added to p->data then. */
void page_data(struct page *p, const char *key);
/* A chart and its data of the same key. */
void page_chart(struct page *p, const char *kind, const char *key, const char *label);
static inline const struct page_group *page_group(const struct page *p, size_t cell, size_t run)
{
    return &p->groups[cell * p->c->count + run];
}
/* "edge/500/1"; "" when there is one cell only. */
const char *page_cell_label(const struct page *p, size_t cell);
/* Mean over a group's samples that are valid and have it (geometric, as comparisons have it, when all are above 0);
 * count (may be NULL) says how many they are. NAN: none. */
double page_figure(const struct page *p, const struct page_group *g, const char *metric, size_t *count);
/* The first record that has it; NULL: none. */
const struct metric *page_metric(const struct page *p, const char *name);
/* "requests/s", "latency p99.9". */
const char *page_metric_name(char out[PAGE_TEXT_MAX], const char *name);
/* Shorter, above a column: "p99.9", "failed". */
const char *page_column_name(char out[PAGE_TEXT_MAX], const char *name);
/* A metric's value as comparisons show it. */
const char *page_value(char out[PAGE_TEXT_MAX], const struct metric *m, double value);
const char *page_duration(char out[UNITS_TEXT_MAX], double seconds); /* "-" for NAN */

enum page_tone { TONE_GOOD, TONE_WARN, TONE_BAD };
/* A line of the verdict: a mark that says it without colour, and the word. */
void page_verdict_open(struct page *p, enum page_tone tone, const char *word);
void page_verdict_close(struct page *p);
void page_verdict_list(struct page *p, const struct strlist *list);
/* Rows of tables whose second column is the run when there are several. meaning may be NULL: no such column. Nothing
 * for an empty h. */
void page_phase(struct page *p, size_t run, const char *name, const struct hist *h, const char *meaning);
void page_error(struct page *p, size_t run, const struct error_entry *e, uint64_t started);
/* Folded; nothing without an example. */
void page_error_example(struct page *p, size_t run, const struct error_entry *e);
/* Rows of an environment's table (what, value); texts that are empty or NULL are left out. */
void page_fact(struct page *p, const char *name, const char *value);
void page_host(struct page *p, const struct host_info *host);
void page_command(struct page *p, const struct strlist *command);

/* Sections. */
void html_part_verdict(struct page *p);
void html_limit_verdict(struct page *p); /* lines of it */
void html_part_limits(struct page *p);
void html_limit_about(struct page *p); /* how they were found */
void html_part_headline(struct page *p);
void html_part_matrix(struct page *p);
void html_part_compare(struct page *p);
void html_part_latency(struct page *p);
void html_part_histogram(struct page *p);
MUST_CHECK int html_part_time(struct page *p, struct err *err);
void html_part_phases(struct page *p);
void html_part_errors(struct page *p);
void html_part_statuses(struct page *p);
void html_part_health(struct page *p);
void html_part_connections(struct page *p);
void html_part_targets(struct page *p);
void html_part_rounds(struct page *p);
void html_part_shares(struct page *p);
void html_part_watch(struct page *p);
MUST_CHECK int html_part_cells(struct page *p, struct err *err);
MUST_CHECK int html_part_about(struct page *p, struct err *err);

#endif
