/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/blobstore.h"

#include <errno.h>
#include <stdlib.h>

#include "http/request.h"

enum { TEXT_MAX_BYTES = 16 * 1024 };

static int ready(struct blobstore *b, struct err *err)
{
    url_add_authority(&b->authority, &b->base);
    return buf_ok(&b->authority) && buf_ok(&b->fields) ? 0
                                                       : err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
}

static bool add_credentials(struct buf *out, struct slice userinfo)
{
    struct buf plain;

    buf_init(&plain, TEXT_MAX_BYTES);
    bool ok = url_decode(&plain, userinfo);
    if (ok) {
        buf_add_str(out, "Authorization: ");
        request_basic_authorization(out, buf_slice(&plain));
        buf_add_str(out, "\r\n");
    }
    buf_release(&plain);
    return ok;
}

int blobstore_init(struct blobstore *b, const struct serve_config *config, struct err *err)
{
    *b = (struct blobstore){ 0 };
    buf_init(&b->authority, TEXT_MAX_BYTES);
    buf_init(&b->fields, TEXT_MAX_BYTES);
    buf_init(&b->_self, TEXT_MAX_BYTES);
    if (config->blobstore == NULL) {
        return 0;
    }
    if (url_parse(&b->base, slice_str(config->blobstore), err) != 0) {
        return err_prefix(err, "--blobstore");
    }
    if (b->base.query.len > 0) {
        return err_set(err, ERR_CONFIG, 0, "the URL of a blobstore has no query");
    }
    if (b->base.userinfo.ptr != NULL && !add_credentials(&b->fields, b->base.userinfo)) {
        return err_set(err, ERR_CONFIG, 0, "the user or password in the URL of the blobstore is not well encoded");
    }
    return ready(b, err);
}

int blobstore_use_self(struct blobstore *b, const struct serve_config *config, const char *self_url, struct err *err)
{
    if (config->blobstore != NULL) {
        return 0;
    }
    buf_printf(&b->_self, "%s/blobs", self_url);
    if (!buf_ok(&b->_self) || url_parse(&b->base, buf_slice(&b->_self), err) != 0) {
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot start the server");
    }
    b->insecure = true;
    if (config->token != NULL) {
        buf_printf(&b->fields, "Authorization: Bearer %s\r\n", config->token);
    }
    return ready(b, err);
}

void blobstore_release(struct blobstore *b)
{
    buf_release(&b->authority);
    buf_release(&b->fields);
    buf_release(&b->_self);
}
