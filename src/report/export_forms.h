/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of export.h. add_ functions append one result to e->text; end_ functions write what needs all. Failures of
 * memory are the buf's. Private to report/. */
#ifndef PLIMSOLL_REPORT_EXPORT_FORMS_H
#define PLIMSOLL_REPORT_EXPORT_FORMS_H

#include "report/export.h"

void export_yaml_add(struct exporting *e, struct slice json);
void export_markdown_add(struct exporting *e, const struct result *r);
void export_junit_add(struct exporting *e, const struct result *r);
MUST_CHECK int export_hdr_add(struct exporting *e, const struct result *r, struct err *err);
MUST_CHECK int export_hdr_log_add(struct exporting *e, const struct result *r, struct err *err);
void export_gnuplot_add(struct exporting *e, const struct result *r); /* the curve */
void export_bulk_add(struct exporting *e, const struct result *r);

void export_csv_end(const struct exporting *e, struct buf *out);
void export_junit_end(const struct exporting *e, struct buf *out);
void export_openmetrics_end(const struct exporting *e, struct buf *out);
void export_gnuplot_end(const struct exporting *e, struct buf *out);

/* The figure of a name, from the histograms, the totals or the metrics; NaN when the result has none. */
double export_figure(const struct result *r, const char *name);
/* "http/500/1", or NULL without dimensions; the caller frees. */
char *export_cell_label(const struct result *r);

#endif
