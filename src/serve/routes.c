/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/routes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "serve/handlers.h"
#include "serve/metrics.h"

#define GET (1u << REQUEST_GET)
/* Shapes take a body of any method, count it and drop it: load tests send them. */
#define ANY (GET | 1u << REQUEST_POST | 1u << REQUEST_PUT | 1u << REQUEST_DELETE | 1u << REQUEST_PATCH)

#define EXACT(path) .prefix = { path, sizeof(path) - 1 }, .pattern = path
#define UNDER(path, name) .prefix = { path, sizeof(path) - 1 }, .arg = true, .pattern = path "{" name "}"

/* In the order of their use under load: the first rows are found first. */
static const struct route ROUTES[] = {
    { .prefix = { "/", 1 },
      .suffix = { ".html", 5 },
      .arg = true,
      .pattern = "/{n}.html",
      .methods = ANY,
      .start = handle_bytes,
      .text = "a body of n bytes as text/html" },
    { EXACT("/"), .methods = GET, .start = handle_home, .text = "this list" },
    { UNDER("/bytes/", "n"), .methods = ANY, .start = handle_bytes, .text = "a body of n bytes, up to 16 GiB" },
    { UNDER("/status/", "code"), .methods = ANY, .start = handle_status, .text = "that status, 200 to 599" },
    { UNDER("/delay/", "ms"), .methods = ANY, .start = handle_delay, .text = "an answer after that many milliseconds" },
    { UNDER("/chunked/", "n"), .methods = ANY, .start = handle_chunked,
      .text = "n bytes in chunks of 4096; ?chunk= sets their size" },
    { UNDER("/prime/", "n"), .methods = GET, .start = handle_prime,
      .text = "CPU: the smallest prime from n on; ?threads= copies of the search" },
    { UNDER("/fibonacci/", "n"), .methods = GET, .start = handle_fibonacci,
      .text = "CPU: a Fibonacci number, n up to 93" },
    { UNDER("/recursive/", "n"), .methods = GET, .start = handle_recursive,
      .text = "latency: a Fibonacci number by calls to this server; ?url= its base" },
    { EXACT("/generate-files"), .methods = GET, .flags = ROUTE_WRITES, .start = handle_generate_files,
      .text = "file system: writes files; ?prefix= &n= &size= &deleteFirst= &fsync= &parallel=" },
    { EXACT("/read-files"), .methods = GET, .start = handle_read_files,
      .text = "reads them back; ?prefix= &n= &parallel=" },
    { EXACT("/list-files"), .methods = GET, .start = handle_list_files, .text = "their names" },
    { UNDER("/file-content/", "name"), .methods = GET, .start = handle_file_content, .text = "one of them" },
    { EXACT("/files"), .methods = 1u << REQUEST_DELETE, .flags = ROUTE_WRITES, .start = handle_delete_files,
      .text = "removes those of ?prefix=" },
    { EXACT("/performance/backend"), .methods = GET, .start = handle_backend, .text = "what the flow rest calls" },
    { UNDER("/performance/", "name"), .methods = GET, .start = handle_rest_flow, .text = "gateway: calls a rest flow" },
    { UNDER("/performance/", "name"), .methods = 1u << REQUEST_POST, .flags = ROUTE_READS_BODY,
      .start = handle_echo_flow, .text = "gateway: an echo flow" },
    { UNDER("/flows/", "name"), .methods = GET, .start = handle_get_flow, .text = "a flow's definition" },
    { UNDER("/flows/", "name"), .methods = 1u << REQUEST_PUT, .flags = ROUTE_READS_BODY | ROUTE_WRITES,
      .start = handle_put_flow, .text = "defines a flow: {\"kind\":\"echo\"} or {\"kind\":\"rest\",\"url\":...}" },
    { UNDER("/flows/", "name"), .methods = 1u << REQUEST_DELETE, .flags = ROUTE_WRITES, .start = handle_delete_flow,
      .text = "removes a flow" },
    { EXACT("/cache"), .methods = GET, .start = handle_get_cache, .text = "the cache of definitions" },
    { EXACT("/cache"), .methods = 1u << REQUEST_PUT, .flags = ROUTE_READS_BODY | ROUTE_WRITES,
      .start = handle_put_cache, .text = "{\"enabled\":false} switches it off" },
    { UNDER("/blobs/", "path"), .methods = GET, .flags = ROUTE_LONG_ARG, .start = handle_get_blob, .text = "a blob" },
    { UNDER("/blobs/", "path"), .methods = 1u << REQUEST_PUT, .flags = ROUTE_LONG_ARG | ROUTE_READS_BODY | ROUTE_WRITES,
      .start = handle_put_blob, .text = "stores a blob" },
    { UNDER("/blobs/", "path"), .methods = 1u << REQUEST_DELETE, .flags = ROUTE_LONG_ARG | ROUTE_WRITES,
      .start = handle_delete_blob, .text = "removes a blob" },
    { UNDER("/droplets/", "a}/{b"), .methods = GET, .flags = ROUTE_LONG_ARG, .start = handle_get_droplet,
      .text = "a droplet, from the blobstore" },
    { UNDER("/droplets/", "a}/{b"), .methods = 1u << REQUEST_PUT,
      .flags = ROUTE_LONG_ARG | ROUTE_READS_BODY | ROUTE_WRITES, .start = handle_put_droplet,
      .text = "passes a file, multipart field droplet, on to the blobstore" },
    { UNDER("/droplets/", "a}/{b"), .methods = 1u << REQUEST_DELETE, .flags = ROUTE_LONG_ARG | ROUTE_WRITES,
      .start = handle_delete_droplet, .text = "removes a droplet from the blobstore" },
    { EXACT("/assets"), .methods = 1u << REQUEST_POST, .flags = ROUTE_READS_BODY | ROUTE_WRITES,
      .start = handle_post_asset, .text = "takes a file as multipart field asset[file]" },
    { UNDER("/assets/", "id"), .methods = GET, .start = handle_get_asset, .text = "what an asset is" },
    { UNDER("/assets/", "id"), .methods = 1u << REQUEST_PUT, .flags = ROUTE_READS_BODY | ROUTE_WRITES,
      .start = handle_put_asset, .text = "replaces its file" },
    { UNDER("/assets/", "id"), .methods = 1u << REQUEST_DELETE, .flags = ROUTE_WRITES, .start = handle_delete_asset,
      .text = "removes it" },
    { UNDER("/media/", "id}/{filename"), .methods = GET, .flags = ROUTE_LONG_ARG, .start = handle_media,
      .text = "an asset's file; ?stream_from_s3= ?redirect_to_s3= ?proxy_to_s3=" },
    { EXACT("/drip"), .methods = ANY, .start = handle_drip, .text = "?bytes= one at a time, ?ms= apart" },
    { EXACT("/headers"), .methods = ANY, .start = handle_headers, .text = "the request as it arrived" },
    { EXACT("/readyz"), .methods = GET, .start = handle_ready, .text = "the server takes requests" },
    { EXACT("/metrics"), .methods = GET, .start = handle_metrics, .text = "counters for Prometheus" },
    { EXACT("/healthz"), .methods = GET, .start = handle_health, .text = "the server is alive" },
};

static const struct route STATIC = { .methods = GET, .start = handle_static, .pattern = "(file)" };

enum { COUNT = sizeof(ROUTES) / sizeof(ROUTES[0]) };
static_assert(COUNT + 2 <= METRICS_ROUTES, "every route has a row of metrics");

const struct route *route_static(void)
{
    return &STATIC;
}

size_t route_number(const struct route *r)
{
    if (r == NULL) {
        return 0;
    }
    return r == &STATIC ? COUNT + 1 : (size_t)(r - ROUTES) + 1;
}

const char *route_name(size_t number)
{
    if (number == 0) {
        return "(none)";
    }
    return number <= COUNT ? ROUTES[number - 1].pattern : number == COUNT + 1 ? STATIC.pattern : "";
}

const struct route *route_table(size_t *count)
{
    *count = sizeof(ROUTES) / sizeof(ROUTES[0]);
    return ROUTES;
}

static bool matches(const struct route *r, struct slice path, struct slice *arg)
{
    if (path.len < r->prefix.len + r->suffix.len || memcmp(path.ptr, r->prefix.ptr, r->prefix.len) != 0) {
        return false;
    }
    if (!r->arg) {
        *arg = SLICE("");
        return path.len == r->prefix.len;
    }
    *arg = slice_from(path.ptr + r->prefix.len, path.len - r->prefix.len - r->suffix.len);
    if (r->suffix.len > 0 && memcmp(arg->ptr + arg->len, r->suffix.ptr, r->suffix.len) != 0) {
        return false;
    }
    return arg->len > 0 && ((r->flags & ROUTE_LONG_ARG) != 0 || memchr(arg->ptr, '/', arg->len) == NULL);
}

unsigned route_methods(const struct route *r)
{
    bool head = (r->methods & GET) != 0 && (r->flags & ROUTE_WRITES) == 0;

    return r->methods | (head ? 1u << REQUEST_HEAD : 0);
}

enum route_found route_find(enum request_method method, struct slice path, const struct route **out, struct slice *arg,
                            unsigned *allowed)
{
    *allowed = 0;
    for (size_t i = 0; i < sizeof(ROUTES) / sizeof(ROUTES[0]); i++) {
        if (!matches(&ROUTES[i], path, arg)) {
            continue;
        }
        if ((route_methods(&ROUTES[i]) & 1u << method) != 0) {
            *out = &ROUTES[i];
            return ROUTE_OK;
        }
        *allowed |= route_methods(&ROUTES[i]);
    }
    return *allowed != 0 ? ROUTE_NO_METHOD : ROUTE_NO_PATH;
}

struct slice route_allow(char out[ROUTE_ALLOW_MAX], unsigned methods)
{
    int len = 0;

    methods |= 1u << REQUEST_OPTIONS;
    for (int m = 0; m < REQUEST_METHODS; m++) {
        if ((methods & 1u << m) != 0) {
            len += snprintf(out + len, (size_t)(ROUTE_ALLOW_MAX - len), "%s%s", len > 0 ? ", " : "",
                            request_method_name((enum request_method)m));
        }
    }
    return slice_from(out, (size_t)len);
}
