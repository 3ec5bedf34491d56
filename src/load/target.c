/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http/secrets.h"

#define REQUEST_MAX (1024u * 1024u)
#define SECRETS_BODY_MAX (64u * 1024u)
#define INLINE_BODY_MAX (64u * 1024u)

uint16_t address_table_slot(struct address_table *t, const struct addr *a)
{
    const uint32_t n = atomic_load_explicit(&t->count, memory_order_relaxed);

    for (uint32_t i = 0; i < n; i++)
        if (addr_equal(&t->items[i], a))
            return (uint16_t)i;
    if (n == ADDRESS_SLOTS)
        return ADDRESS_SLOTS - 1;
    t->items[n] = *a;
    atomic_store_explicit(&t->count, n + 1, memory_order_release);
    return (uint16_t)n;
}

static int set_connect_host(struct target *t, struct slice host, uint16_t port, struct err *err)
{
    t->connect_port = port;
    t->connect_host = slice_dup(host);
    return t->connect_host != NULL ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a host name");
}

/* The proxy, or "HOST:PORT" of connect_to, else what the URL says. */
static int set_connect(struct target *t, const struct load_plan *plan, struct err *err)
{
    const struct slice to = slice_str(plan->connect_to);
    uint64_t port;
    size_t colon = to.len;

    if (plan->proxy != NULL) {
        struct url proxy;

        return url_parse(&proxy, slice_str(plan->proxy), err) == 0 ? set_connect_host(t, proxy.host, proxy.port, err)
                                                                   : -1;
    }
    if (plan->connect_to == NULL)
        return set_connect_host(t, t->url.host, t->url.port, err);
    while (colon > 0 && to.ptr[colon - 1] != ':')
        colon--;
    if (colon < 2 || !slice_to_u64(slice_drop(to, colon), &port) || port == 0 || port > 65535)
        return err_set(err, ERR_USAGE, 0, "'%s' is no HOST:PORT to connect to", plan->connect_to);
    return set_connect_host(t, slice_take(to, colon - 1), (uint16_t)port, err);
}

static bool is_literal(const char *host)
{
    struct addr a;

    return addr_parse(&a, slice_str(host), 1, NULL) == 0;
}

static int set_names(struct target *t, const struct load_plan *plan, struct err *err)
{
    const char *sni = t->spec->sni != NULL ? t->spec->sni : plan->sni;

    t->host = slice_dup(t->url.host);
    if (t->host == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for a host name");
    t->verify_name = t->host;
    t->sni = is_literal(t->host) ? NULL : t->host; /* RFC 6066: no literal addresses in SNI */
    if (sni != NULL) {
        t->sni = sni[0] != '\0' ? sni : NULL;
        if (t->sni != NULL)
            t->verify_name = t->sni;
    }
    for (size_t i = 0; i < plan->override_count; i++) {
        const struct load_override *o = &plan->overrides[i];

        if ((o->port == 0 || o->port == t->connect_port) &&
            slice_eq_nocase(slice_str(o->host), slice_str(t->connect_host)))
            t->override_addresses = o->addresses;
    }
    return 0;
}

/* "Basic …" of the user and the password in a URL, percent escapes undone. */
static int add_basic(struct buf *out, struct slice userinfo, const char *whose, struct err *err)
{
    struct buf plain;
    int rc = 0;

    buf_init(&plain, 32 * 1024);
    if (url_decode(&plain, userinfo))
        request_basic_authorization(out, buf_slice(&plain));
    else
        rc = err_set(err, ERR_USAGE, 0, "the credentials of %s hold a broken percent escape", whose);
    buf_release(&plain);
    return rc;
}

/* What a request's line and fields are made of, apart from what the user gave. */
struct parts {
    struct buf target, authority, authorization;
    struct strlist fields; /* the user's and the proxy's; empty: the user's alone */
};

/* The proxy learns the whole URL, and who we are. */
static int add_proxy(struct parts *p, struct target *t, const struct load_plan *plan, struct err *err)
{
    const struct strlist *given = t->spec->fields;
    struct buf field;
    struct url proxy;
    bool ok = true;
    int rc = -1;

    buf_init(&field, 64 * 1024);
    if (url_parse(&proxy, slice_str(plan->proxy), err) != 0)
        goto out;
    if (proxy.userinfo.ptr != NULL) {
        buf_add_str(&field, "Proxy-Authorization: ");
        if (add_basic(&field, proxy.userinfo, "the proxy", err) != 0)
            goto out;
    }
    if (t->url.https) {
        buf_printf(&t->connect_request, "CONNECT %s%.*s%s:%u HTTP/1.1\r\nHost: %s%.*s%s:%u\r\n",
                   t->url.host_is_ipv6 ? "[" : "", SLICE_FMT(t->url.host), t->url.host_is_ipv6 ? "]" : "", t->url.port,
                   t->url.host_is_ipv6 ? "[" : "", SLICE_FMT(t->url.host), t->url.host_is_ipv6 ? "]" : "", t->url.port);
        buf_add_slice(&t->connect_request, buf_slice(&field));
        buf_add_str(&t->connect_request, field.len > 0 ? "\r\n\r\n" : "\r\n");
    } else {
        buf_add_str(&p->target, "http://");
        buf_add_slice(&p->target, buf_slice(&p->authority));
        for (size_t i = 0; given != NULL && i < given->count && field.len > 0; i++)
            ok = strlist_add(&p->fields, slice_str(given->items[i])) && ok;
        ok = (field.len == 0 || strlist_add(&p->fields, buf_slice(&field))) && ok;
    }
    rc = ok && buf_ok(&field) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the request");
out:
    buf_release(&field);
    return rc;
}

static int make_parts(struct parts *p, struct target *t, const struct load_plan *plan, struct err *err)
{
    const struct load_target *spec = t->spec;

    url_add_authority(&p->authority, &t->url);
    if (plan->proxy != NULL && add_proxy(p, t, plan, err) != 0)
        return -1;
    buf_add_slice(&p->target, t->url.path);
    buf_add_slice(&p->target, t->url.query);
    if (spec->authorization != NULL)
        buf_add_str(&p->authorization, spec->authorization);
    else if (t->url.userinfo.ptr != NULL)
        return add_basic(&p->authorization, t->url.userinfo, "the URL", err);
    return 0;
}

static int build_requests(struct target *t, const struct load_plan *plan, struct err *err)
{
    const struct load_target *spec = t->spec;
    struct parts p = { 0 };
    struct request_spec r;
    int rc = -1;

    buf_init(&p.target, REQUEST_MAX);
    buf_init(&p.authority, 1024);
    buf_init(&p.authorization, 64 * 1024);
    if (make_parts(&p, t, plan, err) != 0)
        goto out;
    r = (struct request_spec){
        .method = slice_str(spec->method),
        .target = spec->raw_target != NULL ? slice_str(spec->raw_target) : buf_slice(&p.target),
        .authority = spec->authority != NULL ? slice_str(spec->authority) : buf_slice(&p.authority),
        .version = plan->version,
        .fields = p.fields.count > 0 ? &p.fields : spec->fields,
        .authorization = buf_slice(&p.authorization),
        .user_agent = slice_str(spec->user_agent),
        .content_type = slice_str(spec->content_type != NULL ? spec->content_type : t->body.content_type),
        .has_body = spec->body.present,
        .body_bytes = t->body.content_bytes,
        .chunked = plan->chunked,
        .expect_continue = plan->expect_continue && t->body.bytes > 0,
        .keep_alive = plan->version == HTTP_1_0 && plan->http10_keep_alive,
    };
    if (request_build(&t->keep_request, &r, err) != 0)
        goto out;
    if (t->manner.close == LOAD_CLOSE_SERVER) { /* else it is not told */
        r.close = plan->version == HTTP_1_1;
        r.keep_alive = false;
    }
    rc = request_build(&t->close_request, &r, err);
out:
    buf_release(&p.target);
    buf_release(&p.authority);
    buf_release(&p.authorization);
    strlist_release(&p.fields);
    return rc;
}

/* In memory, as the user gave it. */
static bool is_plain(const struct load_body *b)
{
    return b->present && !b->from_file && b->random_bytes == 0 && b->part_count == 0;
}

static int make_templates(struct target *t, const struct load_plan *plan, const struct target_shared *shared,
                          struct err *err)
{
    struct template_source from = { .head = buf_slice(&t->keep_request),
                                    .has_body = t->renders_body,
                                    .body = t->spec->body.bytes,
                                    .cookies = plan->cookies,
                                    .feed = shared->feed,
                                    .feed_path = plan->feed };

    t->is_rendered = t->renders_body || plan->cookies || template_has_places(from.head, shared->feed);
    if (!t->is_rendered)
        return 0;
    if (template_make(&t->keep_template, &from, err) != 0)
        return -1;
    from.head = buf_slice(&t->close_request);
    return template_make(&t->close_template, &from, err);
}

static int make_ready(struct target *t, const struct load_plan *plan, const struct target_shared *shared,
                      struct err *err)
{
    const struct load_target *spec = t->spec;

    if (url_parse(&t->url, slice_str(spec->url), err) != 0 || set_connect(t, plan, err) != 0 ||
        set_names(t, plan, err) != 0)
        return -1;
    t->renders_body = is_plain(&spec->body) && template_has_places(spec->body.bytes, shared->feed);
    if (t->renders_body && (plan->chunked || plan->expect_continue))
        return err_set(err, ERR_CONFIG, 0,
                       "a body with places like {seq} goes neither in chunks nor after 100 Continue");
    if ((!t->renders_body && body_prepare(&t->body, &spec->body, shared->noise, plan->chunked, plan->seed, err) != 0) ||
        check_prepare(&t->check, spec->expect, shared->statuses, err) != 0 || build_requests(t, plan, err) != 0)
        return -1;
    return make_templates(t, plan, shared, err);
}

static struct load_manner manner_of(const struct load_target *spec, const struct load_plan *plan)
{
    if (spec->manner != NULL)
        return *spec->manner;
    return (struct load_manner){ .connections = plan->connections,
                                 .requests_per_connection = plan->requests_per_connection,
                                 .close = plan->close,
                                 .tls_resume = plan->tls_resume,
                                 .think_min_ns = plan->think_min_ns,
                                 .think_max_ns = plan->think_max_ns };
}

/* As far as it was given in words; of a file nothing is known. */
static bool add_secrets_of_body(struct target *t)
{
    const struct load_body *body = &t->spec->body;
    bool ok = !is_plain(body) || secrets_add_text(&t->secrets, slice_take(body->bytes, SECRETS_BODY_MAX));

    for (size_t i = 0; i < body->part_count && ok; i++)
        ok = secrets_add_named(&t->secrets, slice_str(body->parts[i].name), body->parts[i].value);
    return ok;
}

int target_prepare(struct target *t, const struct load_target *spec, const struct load_plan *plan,
                   const struct target_shared *shared, struct err *err)
{
    *t = (struct target){ .spec = spec, .manner = manner_of(spec, plan) };
    buf_init(&t->keep_request, REQUEST_MAX);
    buf_init(&t->close_request, REQUEST_MAX);
    buf_init(&t->connect_request, REQUEST_MAX);
    if (make_ready(t, plan, shared, err) != 0)
        return -1;
    if (plan->version == HTTP_2 &&
        h2_request_new(&t->h2_request, buf_slice(&t->keep_request), t->url.https, spec->body.present, err) != 0)
        return -1;
    if (plan->version != HTTP_2 && !plan->expect_continue &&
        !t->is_rendered) /* short bodies travel in the same write as the head */
        body_inline(&t->body, &t->keep_request, &t->close_request, INLINE_BODY_MAX);
    if (!buf_ok(&t->keep_request) || !buf_ok(&t->close_request) || !buf_ok(&t->connect_request))
        return err_set(err, ERR_CONFIG, 0, "the request's head is over %u bytes", REQUEST_MAX);
    if (!secrets_add_head(&t->secrets, buf_slice(&t->keep_request)) ||
        !secrets_add_head(&t->secrets, buf_slice(&t->connect_request)) || !add_secrets_of_body(t))
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the request");
    t->https = t->url.https;
    t->is_head = slice_eq(slice_str(spec->method), SLICE("HEAD"));
    t->is_idempotent = request_method_is_idempotent(slice_str(spec->method));
    return 0;
}

/* "ADDR[,ADDR…]" of --resolve. */
static int parse_override(struct addr_list *list, const char *text, uint16_t port, struct err *err)
{
    struct slice rest = slice_str(text);

    list->count = 0;
    list->lookup_ns = 0;
    while (rest.len > 0 && list->count < ADDR_LIST_MAX) {
        const struct slice one = slice_split(&rest, ',');

        if (addr_parse(&list->items[list->count], one, port, err) != 0)
            return -1;
        list->count++;
    }
    return list->count > 0 ? 0 : err_set(err, ERR_USAGE, 0, "--resolve names no address");
}

static int look_up(struct target *t, const struct load_plan *plan, struct addr_list *list, struct err *err)
{
    if (plan->unix_socket != NULL) {
        list->count = 1;
        list->lookup_ns = 0;
        return addr_unix(&list->items[0], slice_str(plan->unix_socket), err);
    }
    if (t->override_addresses != NULL)
        return parse_override(list, t->override_addresses, t->connect_port, err);
    return addr_resolve(list, slice_str(t->connect_host), t->connect_port, plan->family, err);
}

static bool same_set(const struct address_set *set, const struct addr_list *list)
{
    if (set == NULL || set->count != list->count)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        bool found = false;

        for (size_t k = 0; k < set->count && !found; k++)
            found = addr_equal(&set->items[k].addr, &list->items[i]);
        if (!found)
            return false;
    }
    return true;
}

/* The first family the resolver named comes first; the other one is only for when all of the first are dead. */
static void fill_set(struct address_set *set, const struct addr_list *list, struct address_table *table)
{
    const sa_family_t family = list->items[0].sa.any.sa_family;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < list->count; i++) {
            if ((list->items[i].sa.any.sa_family == family) != (pass == 0))
                continue;
            set->items[set->count].addr = list->items[i];
            set->items[set->count].slot = address_table_slot(table, &list->items[i]);
            set->count++;
        }
        if (pass == 0)
            set->preferred = set->count;
    }
}

int target_resolve(struct target *t, const struct load_plan *plan, struct address_table *table, struct err *err)
{
    struct address_set *current = atomic_load_explicit(&t->addresses, memory_order_relaxed), *set;
    struct addr_list *list = calloc(1, sizeof(*list));
    int rc = -1;

    if (list == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for addresses");
    if (look_up(t, plan, list, err) != 0)
        goto out;
    rc = 0;
    if (same_set(current, list))
        goto out;
    set = calloc(1, sizeof(*set) + list->count * sizeof(set->items[0]));
    if (set == NULL) {
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for addresses");
        goto out;
    }
    fill_set(set, list, table);
    set->older = current;
    if (current == NULL)
        t->lookup_ns = list->lookup_ns;
    atomic_store_explicit(&t->addresses, set, memory_order_release);
out:
    free(list);
    return rc;
}

int target_share_addresses(struct target *t, const struct target *from, struct err *err)
{
    const struct address_set *theirs = atomic_load_explicit(&from->addresses, memory_order_relaxed);
    const size_t bytes = sizeof(*theirs) + theirs->count * sizeof(theirs->items[0]);
    struct address_set *set = malloc(bytes);

    if (set == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for addresses");
    memcpy(set, theirs, bytes);
    set->older = NULL;
    atomic_store_explicit(&t->addresses, set, memory_order_release);
    return 0;
}

void target_release(struct target *t)
{
    struct address_set *set = atomic_load_explicit(&t->addresses, memory_order_relaxed);

    while (set != NULL) {
        struct address_set *older = set->older;

        free(set);
        set = older;
    }
    body_release(&t->body);
    check_release(&t->check);
    template_release(&t->keep_template);
    template_release(&t->close_template);
    free(t->host);
    free(t->connect_host);
    h2_request_free(t->h2_request);
    buf_release(&t->keep_request);
    strlist_release(&t->secrets);
    buf_release(&t->close_request);
    buf_release(&t->connect_request);
    *t = (struct target){ 0 };
}
