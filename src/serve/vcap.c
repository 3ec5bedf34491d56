/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VCAP_APPLICATION: what Cloud Foundry tells an application about itself. */
#include "serve/serve.h"

#include <errno.h>

#include "base/buf.h"

#include <jansson.h>

static int add_url(struct serve_config *c, const char *scheme, const char *uri, struct err *err)
{
    struct buf url;

    buf_init(&url, 4096);
    buf_printf(&url, "%s://%s", scheme, uri);
    bool ok = buf_ok(&url) && strlist_add(&c->self_urls, buf_slice(&url));
    buf_release(&url);
    return ok ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "cannot take the uris of VCAP_APPLICATION");
}

static int add_uris(struct serve_config *c, const json_t *uris, struct err *err)
{
    size_t i;
    json_t *uri;

    json_array_foreach(uris, i, uri)
    {
        const char *text = json_string_value(uri);
        if (text != NULL && (add_url(c, "http", text, err) != 0 || add_url(c, "https", text, err) != 0)) {
            return -1;
        }
    }
    return 0;
}

int serve_config_add_vcap(struct serve_config *c, const char *vcap_application, struct err *err)
{
    json_error_t fault;
    json_t *document = json_loads(vcap_application, 0, &fault);

    if (document == NULL) {
        return err_set(err, ERR_CONFIG, 0, "VCAP_APPLICATION is not JSON: %s", fault.text);
    }
    const json_t *uris = json_object_get(document, "uris");
    int rc = add_uris(c, uris != NULL ? uris : json_object_get(document, "application_uris"), err);
    json_decref(document);
    return rc;
}
