/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "report/escapes.h"
#include "report/export_forms.h"

static void add_broken(struct exporting *e, const struct result *r)
{
    struct buf *out = &e->text;

    if (!r->valid) {
        e->broken++;
        buf_add_str(out, "      <error message=\"");
        escape_xml(out, r->reasons.count > 0 ? r->reasons.items[0] : "the run is invalid");
        buf_add_str(out, "\"/>\n");
        return;
    }
    if (result_promises_kept(r))
        return;
    e->failed++;
    buf_add_str(out, "      <failure message=\"broken: ");
    for (size_t i = 0, n = 0; i < r->promise_count; i++)
        if (!r->promises[i].kept) {
            buf_add_str(out, n++ > 0 ? ", " : "");
            escape_xml(out, r->promises[i].clause);
        }
    buf_add_str(out, "\"/>\n");
}

void export_junit_add(struct exporting *e, const struct result *r)
{
    char *cell = export_cell_label(r);
    struct buf *out = &e->text;

    buf_add_str(out, "    <testcase classname=\"");
    escape_xml(out, r->name != NULL && r->name[0] != '\0' ? r->name : "plimsoll");
    buf_add_str(out, "\" name=\"");
    escape_xml(out, cell != NULL ? cell : r->id);
    if (r->has_sample)
        buf_printf(out, " sample %u", r->sample);
    buf_printf(out, "\" time=\"%.3f\">\n", r->duration_s);
    add_broken(e, r);
    if (r->warnings.count > 0) {
        buf_add_str(out, "      <system-out>");
        for (size_t i = 0; i < r->warnings.count; i++) {
            escape_xml(out, r->warnings.items[i]);
            buf_add_char(out, '\n');
        }
        buf_add_str(out, "</system-out>\n");
    }
    buf_add_str(out, "    </testcase>\n");
    free(cell);
}

void export_junit_end(const struct exporting *e, struct buf *out)
{
    buf_printf(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"plimsoll results\" "
               "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
               e->count, e->failed, e->broken);
    buf_add_slice(out, buf_slice(&e->text));
    buf_add_str(out, "  </testsuite>\n</testsuites>\n");
}
