/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/read_parts.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_TIMEOUT_NS (UINT64_C(60) * 1000000000)
#define AT(type, field) offsetof(struct type, field)

int read_each(struct reader *r, struct doc_node *value, read_item *take, void *into)
{
    void *cursor = NULL;
    struct doc_node *item;

    if (doc_kind(value) != DOC_LIST)
        return take(r, value, into);
    while ((item = doc_next(value, &cursor)) != NULL)
        if (take(r, item, into) != 0)
            return -1;
    return 0;
}

static const struct key COMMAND_ITEMS[] = {
    { "name", KEY_TEXT, AT(suite_command, name), NULL, "what the fact is called", NULL, NULL },
    { "run", KEY_TEXT, AT(suite_command, run), NULL, "the command, given to the shell", NULL, NULL },
    { "timeout", KEY_DURATION, AT(suite_command, timeout_ns), NULL, "stopped after so long (60s)", NULL, NULL },
    { "may_fail", KEY_FLAG, AT(suite_command, may_fail), NULL, "its failure stops nothing", NULL, NULL },
};
const struct keys KEYS_OF_COMMAND = { "a command", COMMAND_ITEMS, sizeof(COMMAND_ITEMS) / sizeof(COMMAND_ITEMS[0]) };

static int take_command(struct reader *r, struct doc_node *item, void *into)
{
    struct suite_commands *list = into;
    struct suite_command *grown = keys_grow(r, list->items, &list->count, sizeof(*grown));
    struct suite_command *c;

    if (grown == NULL)
        return -1;
    list->items = grown;
    c = &grown[list->count - 1];
    c->timeout_ns = COMMAND_TIMEOUT_NS;
    c->line = doc_line(item);
    if (doc_kind(item) == DOC_TEXT) {
        c->run = keys_text(r, "run", item);
        return c->run != NULL ? 0 : -1;
    }
    if (keys_read(r, item, &KEYS_OF_COMMAND, c) != 0)
        return -1;
    return c->run != NULL ? 0 : doc_refuse(r->doc, item, r->err, "a command needs \"run\"");
}

int read_setup(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->setup);
}

int read_teardown(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->teardown);
}

int read_before_each(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->before_each);
}

int read_after_each(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->after_each);
}

int read_verify_each(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->verify_each);
}

int read_summary(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_command, &((struct suite *)into)->summary);
}

/* facts: a map, name: command. */
int read_facts(struct reader *r, struct doc_node *value, void *into)
{
    struct suite_commands *list = &((struct suite *)into)->facts;
    void *cursor = NULL;
    struct doc_node *name, *command;
    int more;

    if (doc_kind(value) != DOC_MAP)
        return doc_refuse(r->doc, value, r->err, "\"facts\" must be a map, a line \"name: command\" for each");
    while ((more = keys_next(r, value, &cursor, &name, &command)) > 0) {
        struct suite_command *c;

        if (take_command(r, command, list) != 0)
            return -1;
        c = &list->items[list->count - 1];
        free(c->name);
        c->name = slice_dup(doc_text(name));
        c->may_fail = true;
        if (c->name == NULL)
            return err_set(r->err, ERR_SYSTEM, ENOMEM, "out of memory");
    }
    return more;
}

/* ---- services ---- */

static int take_ready(struct reader *r, struct doc_node *value, void *into);

static const struct key READY_ITEMS[] = {
    { "port", KEY_TEXT, 0, NULL, "[HOST:]PORT that accepts connections", NULL, NULL },
    { "url", KEY_TEXT, 0, NULL, "a URL that answers with any status below 500", NULL, NULL },
    { "log", KEY_TEXT, 0, NULL, "a pattern that a line of its output matches", NULL, NULL },
};
static const struct keys READY = { "\"ready\"", READY_ITEMS, sizeof(READY_ITEMS) / sizeof(READY_ITEMS[0]) };

static const struct key SERVICE_ITEMS[] = {
    { "name", KEY_TEXT, AT(suite_service, name), NULL, "for messages and {port:NAME}", NULL, NULL },
    { "run", KEY_TEXT, AT(suite_service, run), NULL, "the command, given to the shell; it stays in the foreground",
      NULL, NULL },
    { "ready", KEY_OWN, 0, NULL, "what is waited for before anything goes on", take_ready, &READY },
    { "timeout", KEY_DURATION, AT(suite_service, timeout_ns), NULL, "it must be ready within (30s)", NULL, NULL },
    { "each_cell", KEY_FLAG, AT(suite_service, each_cell), NULL, "started anew for every cell", NULL, NULL },
    { "if_it_dies", KEY_WORD, AT(suite_service, if_it_dies), "restart|stop|leave",
      "restart: before the next sample; stop: the run ends; leave: it stays away (restart)", NULL, NULL },
};
const struct keys KEYS_OF_SERVICE = { "a service", SERVICE_ITEMS, sizeof(SERVICE_ITEMS) / sizeof(SERVICE_ITEMS[0]) };

static int take_ready(struct reader *r, struct doc_node *value, void *into)
{
    struct suite_service *s = into;
    void *cursor = NULL;
    struct doc_node *name, *at;
    int more;

    if (doc_kind(value) != DOC_MAP)
        return doc_refuse(r->doc, value, r->err, "\"ready\" must be one of port: …, url: …, log: …");
    while ((more = keys_next(r, value, &cursor, &name, &at)) > 0) {
        const struct slice word = doc_text(name);

        if (s->ready != READY_AT_ONCE)
            return doc_refuse(r->doc, name, r->err, "\"ready\" waits for one thing alone");
        s->ready = slice_eq(word, SLICE("port"))  ? READY_PORT
                   : slice_eq(word, SLICE("url")) ? READY_URL
                   : slice_eq(word, SLICE("log")) ? READY_LOG
                                                  : READY_AT_ONCE;
        if (s->ready == READY_AT_ONCE)
            return doc_refuse(r->doc, name, r->err, "\"ready\" has no key \"%.*s\": it may be port, url or log",
                              SLICE_FMT(word));
        s->ready_at = keys_text(r, "ready", at);
        if (s->ready_at == NULL)
            return -1;
    }
    return more;
}

static int take_service(struct reader *r, struct doc_node *item, void *into)
{
    struct suite *s = into;
    struct suite_service *grown = keys_grow(r, s->services, &s->service_count, sizeof(*grown));
    struct suite_service *fresh;

    if (grown == NULL)
        return -1;
    s->services = grown;
    fresh = &grown[s->service_count - 1];
    fresh->timeout_ns = COMMAND_TIMEOUT_NS / 2;
    fresh->line = doc_line(item);
    if (keys_read(r, item, &KEYS_OF_SERVICE, fresh) != 0)
        return -1;
    if (fresh->name == NULL || fresh->run == NULL)
        return doc_refuse(r->doc, item, r->err, "a service needs \"name\" and \"run\"");
    for (size_t k = 0; k + 1 < s->service_count; k++)
        if (strcmp(grown[k].name, fresh->name) == 0)
            return doc_refuse(r->doc, item, r->err, "there are two services called \"%s\"", fresh->name);
    return 0;
}

int read_services(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_service, into);
}

/* ---- checks, metrics, verify ---- */

static const struct key CHECK_ITEMS[] = {
    { "name", KEY_TEXT, AT(suite_check, name), NULL, "goes before the names of its metrics", NULL, NULL },
    { "url", KEY_TEXT, AT(suite_check, url), NULL, "what is asked", NULL, NULL },
    { "method", KEY_TEXT, AT(suite_check, method), NULL, "GET unless said", NULL, NULL },
    { "body", KEY_TEXT, AT(suite_check, body), NULL, "sent with it", NULL, NULL },
    { "headers", KEY_PAIRS, AT(suite_check, headers), NULL, "sent with it", NULL, NULL },
    { "each", KEY_TEXT, AT(suite_check, each), NULL,
      "NAME=TEXT,NAME=TEXT: asked for each, {each} is the text, and NAME goes into the metrics' names", NULL, NULL },
    { "metrics", KEY_PAIRS, AT(suite_check, metrics), NULL, "name: field of the JSON answer (a.b for a field in a map)",
      NULL, NULL },
    { "repeat", KEY_COUNT, AT(suite_check, repeat), NULL, "asked so many times (1)", NULL, NULL },
    { "best", KEY_FLAG, AT(suite_check, best), NULL, "the best of them counts instead of the mean", NULL, NULL },
    { "once", KEY_FLAG, AT(suite_check, once), NULL, "asked in the first sample of a cell alone", NULL, NULL },
    { "may_fail", KEY_FLAG, AT(suite_check, may_fail), NULL, "an answer that is not 2xx is a warning", NULL, NULL },
    { "timeout", KEY_DURATION, AT(suite_check, timeout_ns), NULL, "the answer must be there within (60s)", NULL, NULL },
};
const struct keys KEYS_OF_CHECK = { "a check", CHECK_ITEMS, sizeof(CHECK_ITEMS) / sizeof(CHECK_ITEMS[0]) };

int read_check(struct reader *r, struct doc_node *item, void *into)
{
    struct suite *s = into;
    struct suite_check *grown = keys_grow(r, s->checks, &s->check_count, sizeof(*grown));
    struct suite_check *fresh;

    if (grown == NULL)
        return -1;
    s->checks = grown;
    fresh = &grown[s->check_count - 1];
    fresh->timeout_ns = COMMAND_TIMEOUT_NS;
    fresh->repeat = 1;
    fresh->line = doc_line(item);
    if (keys_read(r, item, &KEYS_OF_CHECK, fresh) != 0)
        return -1;
    if (fresh->name == NULL || fresh->url == NULL)
        return doc_refuse(r->doc, item, r->err, "a check needs \"name\" and \"url\"");
    return fresh->repeat > 0 ? 0 : doc_refuse(r->doc, item, r->err, "\"repeat\" must be at least 1");
}

static const struct key METRIC_ITEMS[] = {
    { "name", KEY_TEXT, AT(suite_metric, name), NULL, "what it is called", NULL, NULL },
    { "unit", KEY_TEXT, AT(suite_metric, unit), NULL, "s, 1/s, B, share or 1", NULL, NULL },
    { "higher_is_better", KEY_FLAG, AT(suite_metric, higher_is_better), NULL, "false unless said", NULL, NULL },
    { "json", KEY_TEXT, AT(suite_metric, json), NULL, "field of the JSON that the command prints (a.b)", NULL, NULL },
    { "regex", KEY_TEXT, AT(suite_metric, regex), NULL, "pattern whose first group is the number", NULL, NULL },
};
const struct keys KEYS_OF_METRIC = { "a metric", METRIC_ITEMS, sizeof(METRIC_ITEMS) / sizeof(METRIC_ITEMS[0]) };

static int take_metric(struct reader *r, struct doc_node *item, void *into)
{
    struct suite *s = into;
    struct suite_metric *grown = keys_grow(r, s->metrics, &s->metric_count, sizeof(*grown));
    struct suite_metric *fresh;

    if (grown == NULL)
        return -1;
    s->metrics = grown;
    fresh = &grown[s->metric_count - 1];
    fresh->line = doc_line(item);
    if (keys_read(r, item, &KEYS_OF_METRIC, fresh) != 0)
        return -1;
    if (fresh->name == NULL || (fresh->json != NULL && fresh->regex != NULL))
        return doc_refuse(r->doc, item, r->err,
                          "a metric needs \"name\", and \"json\" or \"regex\" (neither: its time)");
    return 0;
}

int read_metrics(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_metric, into);
}

static const struct key VERIFY_ITEMS[] = {
    { "url", KEY_TEXT, AT(suite_verify, url), NULL, "asked once before any load", NULL, NULL },
    { "targets", KEY_TEXT, AT(suite_verify, targets), NULL,
      "in place of url: files of targets, * and ? stand for any; each target is asked once and must answer as it is "
      "expected",
      NULL, NULL },
    { "method", KEY_TEXT, AT(suite_verify, method), NULL, "GET unless said", NULL, NULL },
    { "send", KEY_TEXT, AT(suite_verify, body), NULL, "a body that is sent with it", NULL, NULL },
    { "headers", KEY_PAIRS, AT(suite_verify, headers), NULL, "sent with it", NULL, NULL },
    { "status", KEY_COUNT, AT(suite_verify, status), NULL, "expected; any 2xx unless said", NULL, NULL },
    { "body", KEY_TEXT, AT(suite_verify, body_regex), NULL, "pattern that the body must match", NULL, NULL },
    { "insecure", KEY_FLAG, AT(suite_verify, insecure), NULL, "certificates are not verified", NULL, NULL },
};
const struct keys KEYS_OF_VERIFY = { "a verification", VERIFY_ITEMS, sizeof(VERIFY_ITEMS) / sizeof(VERIFY_ITEMS[0]) };

static int take_verification(struct reader *r, struct doc_node *item, void *into)
{
    struct suite *s = into;
    struct suite_verify *grown = keys_grow(r, s->verify, &s->verify_count, sizeof(*grown));
    struct suite_verify *fresh;

    if (grown == NULL)
        return -1;
    s->verify = grown;
    fresh = &grown[s->verify_count - 1];
    fresh->line = doc_line(item);
    if (keys_read(r, item, &KEYS_OF_VERIFY, fresh) != 0)
        return -1;
    if ((fresh->url == NULL) == (fresh->targets == NULL))
        return doc_refuse(r->doc, item, r->err, "a verification needs \"url\" or \"targets\"");
    if (fresh->targets != NULL &&
        (fresh->method != NULL || fresh->body != NULL || fresh->headers.count > 0 || fresh->body_regex != NULL))
        return doc_refuse(r->doc, item, r->err, "what is asked of \"targets\", and expected, stands in their file");
    return 0;
}

int read_verify(struct reader *r, struct doc_node *value, void *into)
{
    return read_each(r, value, take_verification, into);
}

/* ---- budget ---- */

static int take_over_budget(struct reader *r, struct doc_node *value, void *into)
{
    struct suite_budget *b = into;
    const struct slice text = doc_kind(value) == DOC_TEXT ? doc_text(value) : (struct slice){ 0 };

    b->skip = slice_eq(text, SLICE("skip"));
    if (b->skip || slice_eq(text, SLICE("stop")))
        return 0;
    return doc_refuse(r->doc, value, r->err, "\"over_budget\" must be stop or skip");
}

static const struct key BUDGET_ITEMS[] = {
    { "clients", KEY_TEXT, AT(suite_budget, clients), NULL, "connections per route", NULL, NULL },
    { "routes", KEY_TEXT, AT(suite_budget, routes), NULL, "how many", NULL, NULL },
    { "termination", KEY_TEXT, AT(suite_budget, termination), NULL,
      "a name of `factors`, or several with + for a mix of equal parts", NULL, NULL },
    { "routers", KEY_TEXT, AT(suite_budget, routers), NULL, "how many (1)", NULL, NULL },
    { "maxconn", KEY_TEXT, AT(suite_budget, maxconn), NULL, "connections that one of them carries", NULL, NULL },
    { "imbalance", KEY_NUMBER, AT(suite_budget, imbalance), NULL,
      "the fullest router has so many times the mean (1.25)", NULL, NULL },
    { "factors", KEY_PAIRS, AT(suite_budget, factors), NULL,
      "termination: connections that a client's needs (http 1, passthrough 1, edge 2, reencrypt 2)", NULL, NULL },
    { "over_budget", KEY_OWN, 0, NULL, "stop: nothing is run; skip: the cell is not run", take_over_budget, NULL },
};
const struct keys KEYS_OF_BUDGET = { "\"budget\"", BUDGET_ITEMS, sizeof(BUDGET_ITEMS) / sizeof(BUDGET_ITEMS[0]) };

int read_budget(struct reader *r, struct doc_node *value, void *into)
{
    struct suite_budget *b = &((struct suite *)into)->budget;

    if (keys_read(r, value, &KEYS_OF_BUDGET, b) != 0)
        return -1;
    b->present = true;
    if (b->clients == NULL || b->maxconn == NULL)
        return doc_refuse(r->doc, value, r->err, "\"budget\" needs \"clients\" and \"maxconn\"");
    return 0;
}

/* ---- routes ---- */

static const struct key ROUTES_ITEMS[] = {
    { "from", KEY_TEXT, AT(suite_routes, from), NULL,
      "what kubectl get route,ingress,httproute -o json said; a number: nothing is made", NULL, NULL },
    { "to", KEY_TEXT, AT(suite_routes, to), NULL,
      "folder of the lists targets-http.json, -edge, …, -mix ({work}/routes)", NULL, NULL },
    { "path", KEY_TEXT, AT(suite_routes, path), NULL, "asked of a route that names none (/)", NULL, NULL },
    { "address", KEY_TEXT, AT(suite_routes, address), NULL,
      "of the router, when the names of the routes do not lead there", NULL, NULL },
    { "http_port", KEY_TEXT, AT(suite_routes, http_port), NULL, "of the router (80)", NULL, NULL },
    { "https_port", KEY_TEXT, AT(suite_routes, https_port), NULL, "of the router (443)", NULL, NULL },
    { "cacert", KEY_TEXT, AT(suite_routes, cacert), NULL, "certificates that the routes' own are verified with", NULL,
      NULL },
    { "insecure", KEY_FLAG, AT(suite_routes, insecure), NULL, "certificates are not verified", NULL, NULL },
};
const struct keys KEYS_OF_ROUTES = { "\"routes\"", ROUTES_ITEMS, sizeof(ROUTES_ITEMS) / sizeof(ROUTES_ITEMS[0]) };

int read_routes(struct reader *r, struct doc_node *value, void *into)
{
    struct suite_routes *routes = &((struct suite *)into)->routes;

    routes->line = doc_line(value);
    if (keys_read(r, value, &KEYS_OF_ROUTES, routes) != 0)
        return -1;
    routes->present = true;
    return routes->from != NULL ? 0 : doc_refuse(r->doc, value, r->err, "\"routes\" needs \"from\"");
}
