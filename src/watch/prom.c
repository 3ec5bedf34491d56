/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of a server that speaks Prometheus' text format: "URL#METRIC,METRIC{label="value"}"; without a list, what the
 * clients' libraries say of their own process. Series that match one selector are added up. */
#include "watch/source.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/units.h"
#include "watch/prom_text.h"
#include "web/fetch.h"

#define SELECTORS_MAX 16
#define PAGE_MAX_BYTES ((size_t)32 << 20)
#define CONNECT_NS (UINT64_C(2) * NS_PER_S)
#define TOTAL_NS (UINT64_C(5) * NS_PER_S)

static const char DEFAULTS[] = "process_cpu_seconds_total,process_resident_memory_bytes,"
                               "plimsoll_serve_cpu_seconds_total,plimsoll_serve_resident_bytes";

struct prom_source {
    struct source source;
    char *url, *list;
    struct prom_selector selectors[SELECTORS_MAX];
    bool seen[SELECTORS_MAX];
    size_t count;
    bool is_asked; /* the list is the user's */
    int cancel_fd;
    struct fetch *fetch;
    struct buf page;
};

static bool is_cancelled(void *arg)
{
    const struct prom_source *s = arg;
    struct pollfd fd = { .fd = s->cancel_fd, .events = POLLIN };

    return s->cancel_fd >= 0 && poll(&fd, 1, 0) > 0;
}

static int get_page(struct prom_source *s, struct err *err)
{
    struct fetch_call call = { .url = s->url,
                               .into = &s->page,
                               .is_stopped = is_cancelled,
                               .arg = s,
                               .connect_ns = CONNECT_NS,
                               .total_ns = TOTAL_NS,
                               .compressed = true };
    struct fetch_reply reply;

    buf_clear(&s->page);
    if (fetch_run(s->fetch, &call, &reply) != 0)
        return err_set(err, ERR_PEER, 0, "%s", reply.why);
    if (reply.status != 200)
        return err_set(err, ERR_PEER, 0, "its metrics were refused with status %u", (unsigned)reply.status);
    return 0;
}

static int prom_read(struct source *source, struct reading *out, struct err *err)
{
    struct prom_source *s = (struct prom_source *)source;
    struct prom_text text = { 0 };
    struct prom_sample sample;

    if (get_page(s, err) != 0)
        return -1;
    text.rest = buf_slice(&s->page);
    while (prom_text_next(&text, &sample))
        for (size_t i = 0; i < s->count; i++)
            if (prom_selector_matches(&s->selectors[i], &sample)) {
                reading_add_named(out, s->selectors[i].text, sample.is_counter, sample.value);
                s->seen[i] = true;
            }
    if (out->count == 0)
        return err_set(err, ERR_PEER, 0, "none of the metrics asked for is among its metrics (%s)", s->list);
    return 0;
}

static void prom_add_unseen(struct source *source, struct buf *out)
{
    struct prom_source *s = (struct prom_source *)source;

    for (size_t i = 0; i < s->count; i++) {
        if (s->is_asked && !s->seen[i]) {
            buf_add_str(out, out->len > 0 ? ", " : "");
            buf_add_slice(out, s->selectors[i].text);
        }
        s->seen[i] = false;
    }
}

static void prom_close(struct source *source)
{
    struct prom_source *s = (struct prom_source *)source;

    fetch_free(s->fetch);
    free(s->url);
    free(s->list);
    buf_release(&s->page);
    free(s);
}

static int parse_selectors(struct prom_source *s, struct err *err)
{
    struct slice rest = slice_str(s->list);

    while (rest.len > 0) {
        if (s->count == SELECTORS_MAX) {
            err_set(err, ERR_USAGE, 0, "more than %d metrics are asked for", SELECTORS_MAX);
            return err_hint(err, "watch the others under another name");
        }
        if (prom_selector_next(&rest, &s->selectors[s->count++], err) != 0)
            return -1;
        if (!reading_name_is_fit(s->selectors[s->count - 1].text)) {
            err_set(err, ERR_USAGE, 0, "\"%.*s\" can not be the name of a figure",
                    SLICE_FMT(slice_take(s->selectors[s->count - 1].text, 80)));
            return err_hint(err, "letters, digits and _ : . - in names and values of labels");
        }
    }
    return 0;
}

/* An address with a host; what else may be wrong with it shows when it is called. Not quoted: it may hold secrets. */
static int check_url(struct slice url, struct err *err)
{
    const size_t scheme = slice_starts_nocase(url, SLICE("http://"))    ? 7
                          : slice_starts_nocase(url, SLICE("https://")) ? 8
                                                                        : 0;
    const struct slice host = slice_drop(url, scheme);
    bool ok = scheme > 0 && host.len > 0 && host.ptr[0] != '/' && host.ptr[0] != ':' && host.ptr[0] != '?';

    for (size_t i = 0; i < url.len; i++)
        ok = ok && url.ptr[i] > ' ' && url.ptr[i] < 0x7f;
    if (ok)
        return 0;
    err_set(err, ERR_USAGE, 0, "the URL behind prom: is not one of http or https");
    return err_hint(err, "for example --watch 'api=prom:http://127.0.0.1:9090/metrics#http_requests_total'");
}

int prom_open(struct source **out, struct slice what, const struct source_context *context, struct err *err)
{
    static const struct source_ops OPS = { prom_read, prom_close, prom_add_unseen };
    struct slice list = what;
    const struct slice url = slice_split(&list, '#');
    struct prom_source *s;

    if (check_url(url, err) != 0)
        return -1;
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch metrics");
    s->source.ops = &OPS;
    s->cancel_fd = context->cancel_fd;
    buf_init(&s->page, PAGE_MAX_BYTES);
    s->is_asked = list.len > 0;
    s->url = slice_dup(url);
    s->list = slice_dup(list.len > 0 ? list : slice_str(DEFAULTS));
    if (s->url == NULL || s->list == NULL)
        err_set(err, ERR_SYSTEM, ENOMEM, "no memory to watch metrics");
    else if (parse_selectors(s, err) == 0 && fetch_new(&s->fetch, err) == 0) {
        *out = &s->source;
        return 0;
    }
    prom_close(&s->source);
    return -1;
}
