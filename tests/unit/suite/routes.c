/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "suite/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static int read_text(struct routes *out, const char *text, struct err *err)
{
    char path[] = "/tmp/plimsoll-routes-XXXXXX";
    const int fd = mkstemp(path);
    int rc;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    rc = routes_read(out, path, err);
    unlink(path);
    return rc;
}

/* "edge a.example/x; http b.example", the headers in brackets. */
static void describe(const struct routes *r, char *out, size_t room)
{
    out[0] = '\0';
    for (size_t k = 0; k < r->count; k++) {
        const struct route *route = &r->items[k];
        const size_t n = strlen(out);

        snprintf(out + n, room - n, "%s%s %s%s%s%s%s", k > 0 ? "; " : "", route_termination_name(route->termination),
                 route->host, route->path != NULL ? route->path : "", route->headers.count > 0 ? " [" : "",
                 route->headers.count > 0 ? route->headers.items[0] : "", route->headers.count > 0 ? "]" : "");
    }
}

#define LIST(items) "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [" items "]}"
#define META "\"metadata\": {\"name\": \"web\", \"namespace\": \"shop\"}"
#define ROUTE(spec) "{\"kind\": \"Route\", " META ", \"spec\": {" spec "}}"
#define INGRESS(spec) "{\"kind\": \"Ingress\", " META ", \"spec\": {" spec "}}"
#define HTTPROUTE(spec) "{\"kind\": \"HTTPRoute\", " META ", \"spec\": {" spec "}}"
#define GATEWAY(listeners)                                                                                             \
    "{\"kind\": \"Gateway\", \"metadata\": {\"name\": \"front\", \"namespace\": \"shop\"}, \"spec\": {\"listeners\": " \
    "[" listeners "]}}"
#define ADMITTED(word)                                                                                              \
    ", \"status\": {\"ingress\": [{\"host\": \"s.example\", \"conditions\": [{\"type\": \"Admitted\", \"status\": " \
    "\"" word "\"}]}]}}"

static const struct case_row {
    const char *why, *text, *want, *skipped; /* want: NULL: refused, and skipped is in the message */
} CASES[] = {
    /* Routes */
    { "plain", LIST(ROUTE("\"host\": \"a.example\"")), "http a.example", NULL },
    { "with a path", LIST(ROUTE("\"host\": \"a.example\", \"path\": \"/x\"")), "http a.example/x", NULL },
    { "edge", LIST(ROUTE("\"host\": \"a.example\", \"tls\": {\"termination\": \"edge\"}")), "edge a.example", NULL },
    { "reencrypt", LIST(ROUTE("\"host\": \"a.example\", \"tls\": {\"termination\": \"reencrypt\"}")),
      "reencrypt a.example", NULL },
    { "the router can not see a path in passthrough",
      LIST(ROUTE("\"host\": \"a.example\", \"path\": \"/x\", \"tls\": {\"termination\": \"passthrough\"}")),
      "passthrough a.example", NULL },
    { "a wildcard", LIST(ROUTE("\"host\": \"*.apps.example\"")), "http plimsoll.apps.example", NULL },
    { "one object alone", ROUTE("\"host\": \"a.example\""), "http a.example", NULL },
    { "twice the same is once", LIST(ROUTE("\"host\": \"a.example\"") ", " ROUTE("\"host\": \"a.example\"")),
      "http a.example", NULL },
    { "the host of the status", LIST("{\"kind\": \"Route\", " META ", \"spec\": {}" ADMITTED("True")), "http s.example",
      NULL },
    { "not admitted",
      LIST("{\"kind\": \"Route\", " META
           ", \"spec\": {\"host\": \"a.example\"}" ADMITTED("False") ", " ROUTE("\"host\": \"b.example\"")),
      "http b.example", "shop/web: no router has admitted it" },
    { "a termination that is none", LIST(ROUTE("\"host\": \"a.example\", \"tls\": {\"termination\": \"egde\"}")), NULL,
      ":1: shop/web: spec.tls.termination is \"egde\"" },
    { "tls without termination", LIST(ROUTE("\"host\": \"a.example\", \"tls\": {}")), NULL, "must be edge" },
    { "a host that is none", LIST(ROUTE("\"host\": \"a b\"")), NULL, "\"a b\" is no host" },
    { "a path without /", LIST(ROUTE("\"host\": \"a.example\", \"path\": \"x\"")), NULL, "\"x\" is no path" },
    { "a host that is no text", LIST(ROUTE("\"host\": [1]")), NULL, "spec.host must be a text" },
    { "YAML, too", "kind: Route\nmetadata: {name: web}\nspec:\n  host: a.example\n  tls: {termination: edge}\n",
      "edge a.example", NULL },

    /* Ingresses */
    { "hosts and paths",
      LIST(INGRESS(
          "\"rules\": [{\"host\": \"a.example\", \"http\": {\"paths\": [{\"path\": \"/x\", \"pathType\": \"Prefix\"}, "
          "{\"path\": \"/y\", \"pathType\": \"Exact\"}]}}, {\"host\": \"b.example\"}]")),
      "http a.example/x; http a.example/y; http b.example", NULL },
    { "TLS for one of two hosts",
      LIST(INGRESS("\"tls\": [{\"hosts\": [\"a.example\"]}], \"rules\": [{\"host\": \"a.example\"}, {\"host\": "
                   "\"b.example\"}]")),
      "edge a.example; http b.example", NULL },
    { "TLS for a wildcard",
      LIST(INGRESS("\"tls\": [{\"hosts\": [\"*.example\"]}], \"rules\": [{\"host\": \"a.example\"}]")),
      "edge a.example", NULL },
    { "TLS for all", LIST(INGRESS("\"tls\": [{\"secretName\": \"x\"}], \"rules\": [{\"host\": \"a.example\"}]")),
      "edge a.example", NULL },
    { "a path that is a pattern",
      LIST(INGRESS(
          "\"rules\": [{\"host\": \"a.example\", \"http\": {\"paths\": [{\"path\": \"/x(/|$)(.*)\", \"pathType\": "
          "\"ImplementationSpecific\"}]}}]")),
      "http a.example/x", NULL },
    { "a path without text",
      LIST(INGRESS("\"rules\": [{\"host\": \"a.example\", \"http\": {\"paths\": [{\"backend\": {}}]}}]")),
      "http a.example", NULL },
    { "an annotation",
      LIST("{\"kind\": \"Ingress\", \"metadata\": {\"name\": \"web\", \"annotations\": "
           "{\"route.openshift.io/termination\": \"reencrypt\"}}, "
           "\"spec\": {\"rules\": [{\"host\": \"a.example\"}]}}"),
      "reencrypt a.example", NULL },
    { "a rule without host, by the address of its balancer",
      LIST("{\"kind\": \"Ingress\", " META
           ", \"spec\": {\"rules\": [{\"http\": {\"paths\": [{\"path\": \"/\"}]}}]}, \"status\": "
           "{\"loadBalancer\": {\"ingress\": [{\"ip\": \"192.0.2.7\"}]}}}"),
      "http 192.0.2.7/", NULL },
    { "a rule without host and address", LIST(INGRESS("\"rules\": [{}]") ", " ROUTE("\"host\": \"b.example\"")),
      "http b.example", "a rule without host" },
    { "rules that are no list", LIST(INGRESS("\"rules\": \"x\"")), NULL, "spec.rules must be a list" },

    /* HTTPRoutes */
    { "hostnames and matches",
      LIST(HTTPROUTE("\"hostnames\": [\"a.example\", \"b.example\"], \"rules\": [{\"matches\": [{\"path\": {\"type\": "
                     "\"PathPrefix\", "
                     "\"value\": \"/x\"}}, {\"headers\": [{\"name\": \"Version\", \"value\": \"2\"}]}]}]")),
      "http a.example/x; http a.example [Version: 2]; http b.example/x; http b.example [Version: 2]", NULL },
    { "TLS by the port of the parent",
      LIST(HTTPROUTE("\"parentRefs\": [{\"name\": \"front\", \"port\": 443}], \"hostnames\": [\"a.example\"]")),
      "edge a.example", NULL },
    { "TLS by the section of the parent",
      LIST(HTTPROUTE(
          "\"parentRefs\": [{\"name\": \"front\", \"sectionName\": \"https-apps\"}], \"hostnames\": [\"a.example\"]")),
      "edge a.example", NULL },
    { "the listener of the Gateway",
      LIST(GATEWAY("{\"name\": \"plain\", \"port\": 80, \"protocol\": \"HTTP\"}, {\"name\": \"secure\", \"port\": "
                   "8444, \"protocol\": \"HTTPS\", "
                   "\"hostname\": \"*.apps.example\"}") ", " HTTPROUTE("\"parentRefs\": [{\"name\": \"front\", "
                                                                       "\"sectionName\": \"secure\"}]")),
      "edge plimsoll.apps.example", NULL },
    { "the plain listener",
      LIST(GATEWAY("{\"name\": \"plain\", \"port\": 80, \"protocol\": \"HTTP\"}, {\"name\": \"secure\", \"port\": 443, "
                   "\"protocol\": \"HTTPS\"}") ", " HTTPROUTE("\"parentRefs\": [{\"name\": \"front\", \"port\": 80}], "
                                                              "\"hostnames\": [\"a.example\"]")),
      "http a.example", NULL },
    { "matches that a GET does not fit",
      LIST(HTTPROUTE("\"hostnames\": [\"a.example\"], \"rules\": [{\"matches\": [{\"method\": \"POST\"}, {\"path\": "
                     "{\"value\": \"/y\"}}]}]")),
      "http a.example/y", "another method than GET" },
    { "no hostnames at all", LIST(HTTPROUTE("\"rules\": []")), NULL, "it has no hostnames" },

    /* what is no list of routes */
    { "an empty list", LIST(""), NULL, "it holds no routes" },
    { "other objects", LIST("{\"kind\": \"Service\"}, {\"kind\": \"Pod\"}, {\"kind\": \"Service\"}"), NULL,
      "no Route, Ingress or HTTPRoute in it, but Service, Pod" },
    { "another document", "[1, 2]", NULL, "it has no kind" },
    { "a text", "hello", NULL, "no list of Kubernetes objects" },
    { "items that are no list", "{\"items\": 3}", NULL, "\"items\" must be a list" },
    { "broken", "{\"items\": [", NULL, "" },
};

static void test_read(void **state)
{
    for (size_t k = 0; k < sizeof(CASES) / sizeof(CASES[0]); k++) {
        const struct case_row *c = &CASES[k];
        struct routes r;
        struct err err = { 0 };
        char got[1024];
        const int rc = read_text(&r, c->text, &err);

        if ((rc == 0) != (c->want != NULL))
            fail_msg("%s: %s", c->why, rc == 0 ? "was taken" : err.what);
        if (rc != 0) {
            if (strstr(err.what, c->skipped) == NULL)
                fail_msg("%s: it says: %s", c->why, err.what);
            continue;
        }
        describe(&r, got, sizeof(got));
        if (strcmp(got, c->want) != 0)
            fail_msg("%s: %s, not %s", c->why, got, c->want);
        if (c->skipped == NULL ? r.skipped.count != 0
                               : r.skipped.count == 0 || strstr(r.skipped.items[0], c->skipped) == NULL)
            fail_msg("%s: skipped %s", c->why, r.skipped.count > 0 ? r.skipped.items[0] : "none");
        routes_release(&r);
    }
}

static void check_list(const char *folder, const char *name, const char *want)
{
    char path[200];
    struct buf text;

    snprintf(path, sizeof(path), "%s/targets-%s.json", folder, name);
    buf_init(&text, 1 << 20);
    if (want == NULL) {
        assert_int_equal(access(path, F_OK), -1);
    } else {
        assert_int_equal(file_read(path, &text, NULL), 0);
        assert_string_equal(text.data, want);
        unlink(path);
    }
    buf_release(&text);
}

static void test_write(void **state)
{
    static const char TEXT[] = LIST(ROUTE("\"host\": \"a.example\"") ", " ROUTE(
        "\"host\": \"b.example\", \"path\": \"/b\", \"tls\": {\"termination\": \"edge\"}"));
    char base[] = "/tmp/plimsoll-routes-XXXXXX", folder[64];
    const struct routes_manner names = { .path = "/1024.html" };
    const struct routes_manner by_address = {
        .address = "192.0.2.1", .http_port = "8080", .https_port = "8443", .cacert = "ca.pem", .insecure = true
    };
    struct routes r;

    assert_non_null(mkdtemp(base));
    snprintf(folder, sizeof(folder), "%s/deep/er", base);
    assert_int_equal(read_text(&r, TEXT, NULL), 0);
    assert_int_equal(routes_write(&r, &names, folder, NULL), 0);
    check_list(folder, "http", "{\"targets\": [\n  {\"url\": \"http://a.example/1024.html\"}\n]}\n");
    check_list(folder, "edge", "{\"targets\": [\n  {\"url\": \"https://b.example/b\"}\n]}\n");
    check_list(folder, "reencrypt", NULL);
    check_list(
        folder, "mix",
        "{\"targets\": [\n  {\"url\": \"http://a.example/1024.html\"},\n  {\"url\": \"https://b.example/b\"}\n]}\n");
    assert_int_equal(routes_write(&r, &by_address, folder, NULL), 0);
    check_list(
        folder, "http",
        "{\"targets\": [\n  {\"url\": \"http://192.0.2.1:8080/\", \"headers\": {\"Host\": \"a.example\"}}\n]}\n");
    check_list(folder, "edge",
               "{\"targets\": [\n  {\"url\": \"https://192.0.2.1:8443/b\", \"headers\": {\"Host\": \"b.example\"}, "
               "\"sni\": \"b.example\", "
               "\"cacert\": \"ca.pem\", \"insecure\": true}\n]}\n");
    check_list(folder, "passthrough", NULL);
    routes_release(&r);
    snprintf(folder, sizeof(folder), "%s/deep/er/targets-mix.json", base);
    unlink(folder);
    for (const char *part = "/deep/er"; *part != '\0'; part = part[5] != '\0' ? "/deep" : "") {
        snprintf(folder, sizeof(folder), "%s%s", base, part);
        rmdir(folder);
    }
    assert_int_equal(rmdir(base), 0);
}

static void test_names_of_files(void **state)
{
    assert_false(routes_is_file("10"));
    assert_false(routes_is_file(""));
    assert_true(routes_is_file("routes.json"));
    assert_true(routes_is_file("10.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_read), cmocka_unit_test(test_write),
                                        cmocka_unit_test(test_names_of_files) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
