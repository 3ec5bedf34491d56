/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "suite/keys.h"

static void free_commands(struct suite_commands *list)
{
    for (size_t k = 0; k < list->count; k++) {
        free(list->items[k].name);
        free(list->items[k].run);
    }
    free(list->items);
}

static void free_services(struct suite *s)
{
    for (size_t k = 0; k < s->service_count; k++) {
        free(s->services[k].name);
        free(s->services[k].run);
        free(s->services[k].ready_at);
    }
    free(s->services);
}

static void free_checks(struct suite *s)
{
    for (size_t k = 0; k < s->check_count; k++) {
        struct suite_check *c = &s->checks[k];

        free(c->name);
        free(c->url);
        free(c->method);
        free(c->body);
        free(c->each);
        pairs_release(&c->headers);
        pairs_release(&c->metrics);
    }
    free(s->checks);
    for (size_t k = 0; k < s->verify_count; k++) {
        struct suite_verify *v = &s->verify[k];

        free(v->url);
        free(v->method);
        free(v->body);
        free(v->targets);
        free(v->body_regex);
        pairs_release(&v->headers);
    }
    free(s->verify);
}

static void free_metrics(struct suite *s)
{
    for (size_t k = 0; k < s->metric_count; k++) {
        free(s->metrics[k].name);
        free(s->metrics[k].unit);
        free(s->metrics[k].json);
        free(s->metrics[k].regex);
    }
    free(s->metrics);
}

static void free_matrix(struct suite *s)
{
    for (size_t k = 0; k < s->dimension_count; k++) {
        free(s->dimensions[k].name);
        strlist_release(&s->dimensions[k].values);
    }
    free(s->dimensions);
    for (size_t k = 0; k < s->exclude_count; k++)
        pairs_release(&s->exclude[k]);
    free(s->exclude);
    for (size_t k = 0; k < s->include_count; k++)
        pairs_release(&s->include[k]);
    free(s->include);
    for (size_t k = 0; k < s->scale_count; k++) {
        free(s->scales[k].name);
        pairs_release(&s->scales[k].values);
    }
    free(s->scales);
}

static void free_budget(struct suite_budget *b)
{
    free(b->clients);
    free(b->routes);
    free(b->termination);
    free(b->routers);
    free(b->maxconn);
    pairs_release(&b->factors);
}

static void free_routes(struct suite_routes *r)
{
    free(r->from);
    free(r->to);
    free(r->path);
    free(r->address);
    free(r->http_port);
    free(r->https_port);
    free(r->cacert);
}

void suite_free(struct suite *s)
{
    if (s == NULL)
        return;
    free(s->file);
    free(s->dir);
    free(s->name);
    free(s->about);
    free(s->samples);
    free(s->quiet);
    free(s->command);
    free(s->gate_metric);
    free(s->baseline);
    free(s->tolerance);
    free(s->warmup);
    free(s->runtime);
    free(s->requests);
    pairs_release(&s->parameters);
    pairs_release(&s->options);
    pairs_release(&s->watch);
    pairs_release(&s->against);
    pairs_release(&s->keys);
    strlist_release(&s->slo);
    strlist_release(&s->invalid_when);
    free_matrix(s);
    free_metrics(s);
    free_checks(s);
    free_services(s);
    free_budget(&s->budget);
    free_routes(&s->routes);
    free_commands(&s->setup);
    free_commands(&s->teardown);
    free_commands(&s->before_each);
    free_commands(&s->after_each);
    free_commands(&s->facts);
    free_commands(&s->verify_each);
    free_commands(&s->summary);
    free(s);
}

unsigned suite_line(const struct suite *s, const char *key)
{
    for (size_t k = 0; k < s->keys.count; k++)
        if (strcmp(s->keys.items[k].name, key) == 0)
            return s->keys.items[k].line;
    return 0;
}

int suite_unknown_parameter(const struct suite *s, struct slice name, struct err *err)
{
    struct suggestion near;

    suggest_init(&near, name);
    for (size_t k = 0; k < s->parameters.count; k++)
        suggest_consider(&near, s->parameters.items[k].name);
    err_set(err, ERR_CONFIG, 0, "%s: the suite has no parameter \"%.*s\"", s->file, SLICE_FMT(name));
    if (near.word != NULL)
        return err_hint(err, "did you mean \"%s\"?", near.word);
    return err_hint(err, "those it has stand under \"parameters\"");
}
