/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/mb_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "http/redact.h"

enum { TEXT_MAX_BYTES = 1 << 20, CONNECTIONS_MAX = 10000000 };
static const char USER_AGENT[] = "plimsoll-mb/" PLIMSOLL_VERSION;

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, 0, "out of memory for the requests");
}

static bool add(struct strlist *list, struct buf *text)
{
    const bool ok = buf_ok(text) && strlist_add(list, buf_slice(text));

    buf_clear(text);
    return ok;
}

/* The URL, the Host that mb sends (without port), and the name of the CSV. */
static bool add_texts(struct mb_plan *p, const struct mb_request *r)
{
    const bool is_ipv6 = strchr(r->host, ':') != NULL && r->host[0] != '[';
    const char *const open = is_ipv6 ? "[" : "", *const close = is_ipv6 ? "]" : "";
    struct buf text, name;
    bool ok;

    buf_init(&text, TEXT_MAX_BYTES);
    buf_init(&name, TEXT_MAX_BYTES);
    buf_printf(&text, "%s://%s%s%s:%u%s%s", r->https ? "https" : "http", open, r->host, close, r->port,
               r->path[0] == '/' ? "" : "/", r->path);
    buf_printf(&name, "%s ", r->method);
    redact_url(&name, buf_slice(&text));
    ok = add(&p->_urls, &text) && add(&p->names, &name);
    buf_printf(&text, "%s%s%s", open, r->host, close);
    ok = ok && add(&p->_authorities, &text);
    buf_release(&text);
    buf_release(&name);
    return ok;
}

static int make_source(struct mb_plan *p, size_t i, struct err *err)
{
    const char *from = p->requests.items[i].host_from;
    struct addr_list list;

    if (from == NULL)
        return 0;
    if (addr_resolve(&list, slice_str(from), 0, AF_UNSPEC, err) != 0)
        return err_prefix(err, "request %zu: host_from", i + 1);
    p->_sources[i] = list.items[0];
    p->_manners[i].source = &p->_sources[i];
    return 0;
}

static struct load_manner manner_of(const struct mb_request *r)
{
    return (struct load_manner){
        .connections = (uint32_t)r->clients,
        .requests_per_connection = r->keep_alive_requests,
        .close = !r->close_client                    ? LOAD_CLOSE_SERVER
                 : r->has_linger && r->linger_s == 0 ? LOAD_CLOSE_RESET
                                                     : LOAD_CLOSE_CLIENT,
        .tls_resume = r->tls_session_reuse ? 1 : 0,
        .requests_per_client = r->max_requests,
        .think_min_ns = r->delay_min_ms * NS_PER_MS,
        .think_max_ns = r->delay_max_ms * NS_PER_MS,
        .think_first = true,
        .think_ramp_ns = r->ramp_up_ms * NS_PER_MS,
        .tcp_keep_alive = r->tcp_keep_alive,
        .tcp_idle_s = r->tcp_idle_s,
        .tcp_interval_s = r->tcp_interval_s,
        .tcp_probes = r->tcp_probes,
    };
}

static int make_target(struct mb_plan *p, size_t i, struct err *err)
{
    const struct mb_request *r = &p->requests.items[i];

    p->_manners[i] = manner_of(r);
    if (!add_texts(p, r))
        return out_of_memory(err);
    if (make_source(p, i, err) != 0)
        return -1;
    p->_targets[i] = (struct load_target){
        .url = p->_urls.items[i],
        .method = r->method,
        .fields = &r->fields,
        .user_agent = USER_AGENT,
        .authority = p->_authorities.items[i],
        .raw_target = r->path[0] == '/' ? r->path : NULL,
        .body = { .present = r->random_bytes > 0 || r->body != NULL,
                  .random_bytes = r->random_bytes,
                  .bytes = slice_str(r->body) },
        .manner = &p->_manners[i],
    };
    return 0;
}

static int make_targets(struct mb_plan *p, struct err *err)
{
    const size_t n = p->requests.count;
    uint64_t connections = 0;

    p->_targets = calloc(n, sizeof(*p->_targets));
    p->_manners = calloc(n, sizeof(*p->_manners));
    p->_sources = calloc(n, sizeof(*p->_sources));
    if (p->_targets == NULL || p->_manners == NULL || p->_sources == NULL)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (make_target(p, i, err) != 0)
            return -1;
        connections += p->_manners[i].connections;
    }
    if (connections > CONNECTIONS_MAX)
        return err_set(err, ERR_CONFIG, 0, "%llu clients are more than %d", (unsigned long long)connections,
                       CONNECTIONS_MAX);
    p->plan.connections = (uint32_t)connections;
    p->plan.targets = p->_targets;
    p->plan.target_count = n;
    return 0;
}

static void take_options(struct load_plan *plan, const struct mb_options *o)
{
    plan->threads = (uint32_t)o->threads;
    plan->duration_ns = o->duration_s * NS_PER_S;
    plan->ramp_up_ns = o->ramp_up_s * NS_PER_S;
    plan->drain_ns = 0;
    /* mb knows no time-outs: whatever takes longer than the run is cut by its end. */
    plan->timeout_ns = plan->connect_timeout_ns = plan->duration_ns + NS_PER_S;
    plan->open_on_demand = plan->keep_trying = plan->no_retry = true;
    plan->cookies = o->cookies;
    plan->expect_any_status = true;
    plan->max_errors = 1.0;
    plan->tls = (struct tls_client_config){ .insecure = true,
                                            .min_version = o->tls_version,
                                            .max_version = o->tls_version };
}

int mb_plan_make(struct mb_plan *p, const struct mb_options *o, struct slice json, struct err *err)
{
    *p = (struct mb_plan){ .names = STRLIST_INIT };
    load_plan_init(&p->plan);
    take_options(&p->plan, o);
    if (mb_requests_read(&p->requests, json, err) != 0)
        return -1;
    return make_targets(p, err);
}

void mb_plan_release(struct mb_plan *p)
{
    free(p->_targets);
    free(p->_manners);
    free(p->_sources);
    strlist_release(&p->_urls);
    strlist_release(&p->_authorities);
    strlist_release(&p->names);
    mb_requests_release(&p->requests);
    memset(p, 0, sizeof(*p));
}
