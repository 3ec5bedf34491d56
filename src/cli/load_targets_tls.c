/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_targets_reader.h"

#include <string.h>

#include "cli/load_values.h"

/* The target's own TLS settings begin as the command line's. */
static struct tls_client_config *own_tls(struct reader *r, struct doc_node *value)
{
    if (r->target->tls == NULL)
        r->extra->tls = *r->tls;
    r->target->tls = &r->extra->tls;
    r->tls_node = value;
    return &r->extra->tls;
}

int target_tls_insecure(struct reader *r, const char *field, struct doc_node *value)
{
    struct tls_client_config *tls = own_tls(r, value);
    const struct slice text = doc_kind(value) == DOC_TEXT ? doc_text(value) : (struct slice){ 0 };

    if (doc_is_quoted(value) || (!slice_eq(text, SLICE("true")) && !slice_eq(text, SLICE("false"))))
        return doc_refuse(r->doc, value, r->err, "\"%s\" must be true or false", field);
    tls->insecure = slice_eq(text, SLICE("true"));
    if (tls->insecure && tls->ca_file != NULL && tls->ca_file != r->tls->ca_file)
        return doc_refuse(r->doc, value, r->err, "\"%s\" and \"cacert\" exclude each other", field);
    if (tls->insecure)
        tls->ca_file = NULL;
    r->extra->options.insecure = tls->insecure;
    return 0;
}

int target_tls_cacert(struct reader *r, const char *field, struct doc_node *value)
{
    const char *path = targets_text(r, field, value);
    struct tls_client_config *tls = own_tls(r, value);

    if (path == NULL)
        return -1;
    if (r->extra->options.insecure)
        return doc_refuse(r->doc, value, r->err, "\"%s\" and \"insecure\" exclude each other", field);
    tls->ca_file = path;
    tls->insecure = false; /* whatever the command line says of the others */
    return 0;
}

int target_tls_cert(struct reader *r, const char *field, struct doc_node *value)
{
    const char *path = targets_text(r, field, value);
    struct tls_client_config *tls = own_tls(r, value);

    if (path == NULL)
        return -1;
    tls->cert_file = path;
    if (r->extra->options.key_file == NULL)
        tls->key_file = path; /* both in one file, unless the next field says otherwise */
    return 0;
}

int target_tls_key(struct reader *r, const char *field, struct doc_node *value)
{
    const char *path = targets_text(r, field, value);

    if (path == NULL)
        return -1;
    r->extra->options.key_file = own_tls(r, value)->key_file = path;
    return 0;
}

int target_tls_alpn(struct reader *r, const char *field, struct doc_node *value)
{
    static const struct option_row ROW = { .name = "alpn", .example = "http/1.1" };

    return targets_use(r, field, value, load_value_alpn, &own_tls(r, value)->alpn, &ROW);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int target_tls_check(struct reader *r)
{
    const struct tls_client_config *tls = r->target->tls;
    struct tls_context *context;
    struct err inner = { 0 };

    if (tls == NULL)
        return 0;
    if (!slice_starts_nocase(slice_str(r->target->url), SLICE("https:")))
        return doc_refuse(r->doc, r->tls_node, r->err, "TLS settings of a target whose URL is not https");
    if (r->tried.insecure == tls->insecure && is_same(r->tried.ca_file, tls->ca_file) &&
        is_same(r->tried.cert_file, tls->cert_file) && is_same(r->tried.key_file, tls->key_file))
        return 0;
    if (tls_client_context(&context, tls, &inner) != 0)
        return doc_refuse(r->doc, r->tls_node, r->err, "%s", inner.what);
    tls_context_free(context);
    r->tried = *tls;
    return 0;
}
