/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/routes.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json_text.h"

#define LIST_MAX ((size_t)256 << 20)

static const char *const NAMES[] = { "http", "edge", "passthrough", "reencrypt" };

const char *route_termination_name(enum route_termination t)
{
    return NAMES[t];
}

bool routes_is_file(const char *from)
{
    const size_t digits = strspn(from, "0123456789");

    return from[0] != '\0' && from[digits] != '\0';
}

void routes_release(struct routes *r)
{
    for (size_t k = 0; k < r->count; k++) {
        free(r->items[k].host);
        free(r->items[k].path);
        strlist_release(&r->items[k].headers);
    }
    free(r->items);
    strlist_release(&r->skipped);
    *r = (struct routes){ 0 };
}

/* ---- writing ---- */

static void add_member(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, ", \"%s\": ", name);
    json_add_string(out, slice_str(value));
}

static void add_headers(struct buf *out, const struct route *route, const char *host)
{
    const char *before = "";

    if (host == NULL && route->headers.count == 0)
        return;
    buf_add_str(out, ", \"headers\": {");
    if (host != NULL) {
        buf_add_str(out, "\"Host\": ");
        json_add_string(out, slice_str(host));
        before = ", ";
    }
    for (size_t k = 0; k < route->headers.count; k++) {
        struct slice value = slice_str(route->headers.items[k]);
        const struct slice name = slice_split(&value, ':');

        buf_add_str(out, before);
        json_add_string(out, name);
        buf_add_str(out, ": ");
        json_add_string(out, slice_trim(value));
        before = ", ";
    }
    buf_add_str(out, "}");
}

static void add_target(struct buf *out, const struct route *route, const struct routes_manner *how)
{
    const bool is_tls = route->termination != ROUTE_HTTP;
    const char *port = is_tls ? how->https_port : how->http_port;
    const char *path = route->path != NULL ? route->path : how->path != NULL ? how->path : "/";
    struct buf url;

    buf_init(&url, LIST_MAX);
    buf_printf(&url, "http%s://%s%s%s%s", is_tls ? "s" : "", how->address != NULL ? how->address : route->host,
               port != NULL ? ":" : "", port != NULL ? port : "", path);
    buf_add_str(out, "  {\"url\": ");
    json_add_string(out, buf_slice(&url));
    add_headers(out, route, how->address != NULL ? route->host : NULL);
    if (is_tls && how->address != NULL)
        add_member(out, "sni", route->host);
    if (is_tls && how->cacert != NULL)
        add_member(out, "cacert", how->cacert);
    if (is_tls && how->insecure)
        buf_add_str(out, ", \"insecure\": true");
    buf_add_str(out, "}");
    buf_release(&url);
}

/* termination: ROUTE_TERMINATIONS: all of them. */
static int write_list(const struct routes *r, const struct routes_manner *how, const char *folder, const char *name,
                      unsigned termination, struct err *err)
{
    char path[PATH_MAX];
    struct buf out;
    size_t count = 0;
    int rc = 0;

    snprintf(path, sizeof(path), "%s/targets-%s.json", folder, name);
    buf_init(&out, LIST_MAX);
    buf_add_str(&out, "{\"targets\": [\n");
    for (size_t k = 0; k < r->count; k++)
        if (termination == ROUTE_TERMINATIONS || r->items[k].termination == termination) {
            buf_add_str(&out, count++ > 0 ? ",\n" : "");
            add_target(&out, &r->items[k], how);
        }
    buf_add_str(&out, "\n]}\n");
    if (!buf_ok(&out))
        rc = err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the routes");
    else if (count > 0)
        rc = file_write(path, buf_slice(&out), err);
    buf_release(&out);
    return rc;
}

static int make_folder(const char *folder, struct err *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s", folder);
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return err_set(err, ERR_SYSTEM, errno, "cannot make %s", path);
        *slash = '/';
    }
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return err_set(err, ERR_SYSTEM, errno, "cannot make %s", path);
    return 0;
}

int routes_write(const struct routes *r, const struct routes_manner *how, const char *folder, struct err *err)
{
    if (make_folder(folder, err) != 0)
        return -1;
    for (unsigned t = 0; t < ROUTE_TERMINATIONS; t++)
        if (write_list(r, how, folder, NAMES[t], t, err) != 0)
            return -1;
    return write_list(r, how, folder, "mix", ROUTE_TERMINATIONS, err);
}
