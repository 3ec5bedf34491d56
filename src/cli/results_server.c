/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/results_server.h"

#include <stdlib.h>
#include <string.h>

#include "http/url.h"

enum { TEXT_MAX = 4096 };

static char *decoded(struct slice encoded)
{
    struct buf text;
    char *copy = NULL;

    buf_init(&text, TEXT_MAX);
    if (url_decode(&text, encoded))
        copy = buf_detach(&text);
    buf_release(&text);
    return copy;
}

/* Without what stands before the @. */
static char *plain_url(const struct url *u)
{
    struct buf text;
    char *copy = NULL;

    buf_init(&text, TEXT_MAX);
    buf_add_str(&text, u->https ? "https://" : "http://");
    url_add_authority(&text, u);
    buf_add_slice(&text, u->path);
    copy = buf_detach(&text);
    buf_release(&text);
    return copy;
}

static int set_credentials(struct results_server *s, struct slice userinfo, struct err *err)
{
    const struct slice user = slice_split(&userinfo, ':');

    s->user = decoded(user);
    s->password = decoded(userinfo);
    if (s->user == NULL || s->password == NULL)
        return err_set(err, ERR_USAGE, 0, "the credentials of the URL are not percent-encoded as they must be");
    s->server.user = s->user;
    s->server.password = s->password;
    return 0;
}

int results_server_set(struct results_server *s, const char *url, const struct results_options *o, struct err *err)
{
    struct url u;

    *s = (struct results_server){ 0 };
    if (url_parse(&u, slice_str(url), err) != 0)
        return -1;
    if (o->index == NULL) {
        err_set(err, ERR_USAGE, 0, "--index is missing");
        return err_hint(err, "the index that the documents belong to, for example router-test-results");
    }
    s->url = plain_url(&u);
    if (s->url == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    s->server = (struct elasticsearch){ .url = s->url, .index = o->index, .insecure = o->insecure };
    return u.userinfo.ptr != NULL ? set_credentials(s, u.userinfo, err) : 0;
}

void results_server_release(struct results_server *s)
{
    free(s->url);
    free(s->user);
    free(s->password);
    *s = (struct results_server){ 0 };
}
