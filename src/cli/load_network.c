/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of TLS, proxies and ends of connections. */
#include "cli/load_values.h"

#include "cli/load_options.h"
#include "cli/option_values.h"
#include "http/url.h"

int load_value_tls_version(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const struct {
        const char *text;
        int version;
    } VERSIONS[] = { { "1.0", 10 }, { "1.1", 11 }, { "1.2", 12 }, { "1.3", 13 } };

    (void)row;
    for (size_t i = 0; i < sizeof(VERSIONS) / sizeof(VERSIONS[0]); i++) {
        if (strcmp(text, VERSIONS[i].text) == 0) {
            *(int *)field = VERSIONS[i].version;
            return 0;
        }
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" is no version of TLS", text);
    return err_hint(err, "write 1.0, 1.1, 1.2 or 1.3");
}

int load_value_tls_resume(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (strcmp(text, "off") == 0 || strcmp(text, "on") == 0) {
        *(double *)field = strcmp(text, "on") == 0 ? 1 : 0;
        return 0;
    }
    if (option_share(field, text, row, NULL) == 0)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" is no share of the handshakes", text);
    return err_hint(err, "write off, on, or a share such as 50%% or 0.5");
}

int load_value_alpn(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct slice rest = slice_str(text);
    bool more = true;

    while (more) {
        struct slice name;

        more = slice_find(rest, ',') >= 0;
        name = slice_trim(slice_split(&rest, ','));
        if (name.len > 0 && name.len <= UINT8_MAX)
            continue;
        err_set(err, ERR_USAGE, 0, "\"%s\" is no list of protocols", text);
        return err_hint(err, "write names separated by commas, for example http/1.1 or h2,http/1.1");
    }
    return option_text(field, text, row, err);
}

int load_value_close(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char *const NAMES[] = {
        [LOAD_CLOSE_SERVER] = "server", [LOAD_CLOSE_CLIENT] = "client", [LOAD_CLOSE_RESET] = "reset"
    };
    struct load_options *o = field;

    (void)row;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcmp(text, NAMES[i]) == 0) {
            o->close = (enum load_close)i;
            o->has_close = true;
            return 0;
        }
    }
    err_set(err, ERR_USAGE, 0, "\"%s\" ends no connection", text);
    return err_hint(err, "write client, server or reset");
}

/* HOST:PORT is what stands in a URL between the slashes. */
static bool is_host_and_port(const char *text)
{
    struct buf whole;
    struct url url;
    bool ok;

    buf_init(&whole, 1u << 16);
    buf_printf(&whole, "http://%s/", text);
    ok = strpbrk(text, "/?#@") == NULL && buf_ok(&whole) && url_parse(&url, buf_slice(&whole), NULL) == 0 &&
         url.has_port;
    buf_release(&whole);
    return ok;
}

int load_value_connect_to(void *field, const char *text, const struct option_row *row, struct err *err)
{
    if (is_host_and_port(text))
        return option_text(field, text, row, err);
    err_set(err, ERR_USAGE, 0, "\"%s\" is no HOST:PORT", text);
    return err_hint(err, "for example 127.0.0.1:8443, gateway.test:443 or [::1]:8080");
}

int load_value_proxy(void *field, const char *text, const struct option_row *row, struct err *err)
{
    static const char HINT[] = "write http://HOST:PORT or http://USER:PASSWORD@HOST:PORT";
    struct buf plain;
    struct url url;
    bool ok = true;

    (void)row;
    if (strstr(text, "://") == NULL) {
        err_set(err, ERR_USAGE, 0, "the value (not shown: it may hold a password) has no scheme");
        return err_hint(err, "%s", HINT);
    }
    if (url_parse(&url, slice_str(text), err) != 0)
        return err_hint(err, "%s", HINT);
    if (url.https || !slice_eq(url.path, SLICE("/")) || url.query.len > 0) {
        err_set(err, ERR_USAGE, 0, "the URL of the proxy has %s",
                url.https ? "the scheme https: a proxy is spoken to in plain" : "a path");
        return err_hint(err, "%s", HINT);
    }
    buf_init(&plain, 1u << 16);
    if (url.userinfo.ptr != NULL)
        ok = url_decode(&plain, url.userinfo) && buf_ok(&plain);
    buf_release(&plain);
    if (!ok) {
        err_set(err, ERR_USAGE, 0, "the credentials of the proxy (not shown) hold a broken percent escape");
        return err_hint(err, "a %% is written %%25");
    }
    *(const char **)field = text;
    return 0;
}
