/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watched parts may print: whatever it is, what is read of it is within the text, finite, and named fit to be
 * shown. */
#include "watch/named_values.h"
#include "watch/net_dev.h"
#include "watch/process_list.h"
#include "watch/prom_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_reading(const struct reading *r)
{
    if (r->count > READING_VALUES_MAX)
        abort();
    for (size_t i = 0; i < r->count; i++)
        if (!isfinite(r->values[i].value) || !reading_name_is_fit(slice_str(r->values[i].name)))
            abort();
}

static void check_values(struct slice text)
{
    struct reading r = { 0 };
    struct err err = { 0 };

    if (named_values_read(&r, text, &err) == 0)
        check_reading(&r);
    else if (err.what[0] == '\0')
        abort();
    reading_clear(&r);
    if (pod_list_read(&r, text, &err) == 0)
        check_reading(&r);
}

/* The page is the text, the selector its first line. */
static void check_metrics(struct slice text)
{
    struct prom_text page = { .rest = text };
    struct slice list = slice_split(&page.rest, '\n');
    struct prom_selector selector;
    struct prom_sample sample;
    const bool has_selector = prom_selector_next(&list, &selector, NULL) == 0;

    while (prom_text_next(&page, &sample)) {
        if (!isfinite(sample.value) || sample.name.len == 0 || sample.name.ptr < text.ptr ||
            sample.labels.len > text.len)
            abort();
        if (has_selector && prom_selector_matches(&selector, &sample) && !slice_eq(sample.name, selector.name))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct slice text = slice_from((const char *)data, size);
    struct process_stat stat;
    uint64_t received, sent;

    check_values(text);
    check_metrics(text);
    net_dev_sum(text, &received, &sent);
    if (process_stat_parse(&stat, text) && size < 40)
        abort(); /* a line has more words than that */
    return 0;
}
