/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ab_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "http/request.h"

enum { TIME_LIMIT_REQUESTS = 50000, BODY_MAX_BYTES = 1 << 30 };

void ab_print_banner(const struct ab_options *o)
{
    if (o->html) {
        printf("<p>\n This is ApacheBench, Version 2.3 <i>&lt;$Revision$&gt;</i><br>\n"
               " In fact it is plimsoll " PLIMSOLL_VERSION ", which has its options and report<br>\n"
               " Free software under the GNU GPL, version 3 or later<br>\n</p>\n<p>\n");
        return;
    }
    printf("This is ApacheBench, Version 2.3 <$Revision$>\n"
           "In fact it is plimsoll " PLIMSOLL_VERSION ", which has its options and report\n"
           "Free software under the GNU GPL, version 3 or later\n\n");
}

static void print_usage(const char *name)
{
    fprintf(stderr, "Usage: %s [options] [http[s]://]hostname[:port]/path\n", name);
    fputs("Options are:\n"
          "    -n requests     How many requests in all (1 unless said)\n"
          "    -c concurrency  How many at the same time (1 unless said)\n"
          "    -t timelimit    Ends after so many seconds; sets -n to 50000\n"
          "    -s timeout      Seconds to wait for each reply (30 unless said)\n"
          "    -b windowsize   Bytes of the TCP send and receive buffers\n"
          "    -B address      Local address to connect from\n"
          "    -p postfile     POST this file's content; see -T\n"
          "    -u putfile      PUT this file's content; see -T\n"
          "    -T content-type Type of what is sent, such as\n"
          "                    'application/x-www-form-urlencoded'\n"
          "                    (text/plain unless said)\n"
          "    -v verbosity    2 shows heads, 3 and more also status codes\n"
          "    -w              The report as HTML tables\n"
          "    -i              HEAD instead of GET\n"
          "    -x attributes   Attributes of the HTML table\n"
          "    -y attributes   Attributes of its rows\n"
          "    -z attributes   Attributes of its cells\n"
          "    -C attribute    A cookie, such as 'Apache=1234'\n"
          "    -H attribute    A header field, such as 'Accept-Encoding: gzip'\n"
          "                    (repeatable)\n"
          "    -A attribute    User and password for the server, 'user:password'\n"
          "    -P attribute    User and password for the proxy, 'user:password'\n"
          "    -X proxy:port   The proxy to use\n"
          "    -V              Says the version and ends\n"
          "    -k              Keep-alive: many requests on a connection\n"
          "    -d              Without the table of percentages\n"
          "    -S              Without deviations, medians and warnings\n"
          "    -q              Without progress (which begins above 150 requests)\n"
          "    -l              Replies may differ in length\n"
          "    -g filename     Writes every request's times for gnuplot\n"
          "    -e filename     Writes the percentages as CSV\n"
          "    -r              Goes on after socket errors\n"
          "    -m method       The method's name\n"
          "    -h              This text\n"
          "    -I              Without TLS server name indication (SNI)\n"
          "    -Z ciphersuite  TLS ciphers, in OpenSSL's words\n"
          "    -f protocol     TLS version\n"
          "                    (TLS1, TLS1.1, TLS1.2, TLS1.3 or ALL)\n"
          "    -E certfile     Client certificate, chain and private key in one PEM file\n",
          stderr);
}

static int usage_error(const char *name, const char *complaint)
{
    fprintf(stderr, "%s: %s\n", name, complaint);
    print_usage(name);
    return AB_EXIT_USAGE;
}

static int refuse(const char *complaint)
{
    fprintf(stderr, "%s\n\n", complaint);
    return AB_EXIT_BAD;
}

/* As atoi() reads: leading digits, else 0; negative numbers are 0 here, since none of the options has a use for them.
 */
static uint64_t number(const char *text)
{
    char *end;

    while (*text == ' ')
        text++;
    if (*text == '-')
        return 0;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    return end == text || errno != 0 ? 0 : n;
}

static int take_body(struct ab_options *o, const char *path)
{
    struct err err = { 0 };

    buf_clear(&o->body);
    if (file_read(path, &o->body, &err) != 0) {
        fprintf(stderr, "ab: Could not open POST data file (%s): %s\n", path,
                err.sys != 0 ? strerror(err.sys) : err.what);
        return AB_EXIT_BAD;
    }
    o->has_body = true;
    return 0;
}

static int take_method(struct ab_options *o, const char *method, const char *complaint)
{
    if (o->method != NULL)
        return refuse(complaint);
    o->method = method;
    return 0;
}

static int replace(char **line, const char *name, const char *value)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s", name, value) < 0) {
        fputs("ab: out of memory\n", stderr);
        return AB_EXIT_BAD;
    }
    free(*line);
    *line = text;
    return 0;
}

static int take_credentials(char **line, const char *name, const char *credentials)
{
    struct buf value;

    while (*credentials == ' ')
        credentials++;
    buf_init(&value, 1 << 16);
    request_basic_authorization(&value, slice_str(credentials));
    const int rc = buf_ok(&value) ? replace(line, name, value.data) : refuse("Credentials are too long");
    buf_release(&value);
    return rc;
}

static int take_header(struct ab_options *o, const char *field)
{
    struct err err = { 0 };

    if (request_check_field(slice_str(field), &err) != 0) {
        fprintf(stderr, "ab: %s\n", err.what);
        return AB_EXIT_USAGE;
    }
    return strlist_add(&o->headers, slice_str(field)) ? 0 : refuse("Out of memory");
}

static int take_proxy(struct ab_options *o, const char *text)
{
    struct slice host = slice_str(text);
    const ptrdiff_t colon = slice_find(host, ':');
    uint64_t port = 80;

    if (colon >= 0) {
        port = number(text + colon + 1);
        host = slice_take(host, (size_t)colon);
    }
    o->proxy_port = port <= 65535 ? (unsigned)port : 0;
    free(o->proxy);
    if (asprintf(&o->proxy, "%.*s:%u", SLICE_FMT(host), o->proxy_port) < 0)
        o->proxy = NULL;
    return o->proxy != NULL ? 0 : refuse("Out of memory");
}

static int take_protocol(struct ab_options *o, const char *name)
{
    static const struct {
        const char *name;
        int min, max;
    } PROTOCOLS[] = { { "ALL", 0, 0 },      { "TLS1", 10, 10 },   { "TLS1.0", 10, 10 },
                      { "TLS1.1", 11, 11 }, { "TLS1.2", 12, 12 }, { "TLS1.3", 13, 13 } };

    for (size_t i = 0; i < sizeof(PROTOCOLS) / sizeof(PROTOCOLS[0]); i++) {
        if (strcasecmp(name, PROTOCOLS[i].name) == 0) {
            o->tls_min = PROTOCOLS[i].min;
            o->tls_max = PROTOCOLS[i].max;
            return 0;
        }
    }
    fprintf(stderr, "ab: unknown or withdrawn protocol %s (TLS1, TLS1.1, TLS1.2, TLS1.3 or ALL)\n", name);
    return AB_EXIT_USAGE;
}

/* Options that only note their argument. */
static bool note_text(struct ab_options *o, int option, const char *text)
{
    switch (option) {
    case 'B':
        o->source = text;
        return true;
    case 'T':
        o->content_type = text;
        return true;
    case 'm':
        o->method = text;
        return true;
    case 'e':
        o->csv_file = text;
        return true;
    case 'g':
        o->gnuplot_file = text;
        return true;
    case 'x':
        o->table_attributes = text;
        break;
    case 'y':
        o->tr_attributes = text;
        break;
    case 'z':
        o->td_attributes = text;
        break;
    case 'Z':
        o->ciphers = text;
        return true;
    case 'E':
        o->certificate = text;
        return true;
    default:
        return false;
    }
    o->html = true;
    return true;
}

static bool note_flag(struct ab_options *o, int option)
{
    bool *const flag = option == 'k'   ? &o->keep_alive
                       : option == 'w' ? &o->html
                       : option == 'q' ? &o->quiet
                       : option == 'S' ? &o->no_confidence
                       : option == 'd' ? &o->no_percentiles
                       : option == 'l' ? &o->variable_length
                       : option == 'r' ? &o->keep_going
                       : option == 'I' ? &o->no_sni
                                       : NULL;

    if (flag != NULL)
        *flag = true;
    return flag != NULL;
}

static bool note_number(struct ab_options *o, int option, const char *text)
{
    switch (option) {
    case 'c':
        o->concurrency = number(text);
        return true;
    case 't':
        o->time_limit_s = number(text);
        o->requests = TIME_LIMIT_REQUESTS;
        return true;
    case 's':
        o->timeout_s = number(text);
        return true;
    case 'b':
        o->window_bytes = number(text);
        return true;
    case 'v':
        o->verbosity = (int)(number(text) % 100);
        return true;
    default:
        return false;
    }
}

/* Options whose argument may be refused; 0, or how the process ends. */
static int take_checked(struct ab_options *o, int option, const char *text)
{
    int rc;

    switch (option) {
    case 'n':
        o->requests = number(text);
        return o->requests > 0 ? 0 : refuse("Invalid number of requests");
    case 'i':
        return take_method(o, "HEAD", "Cannot mix HEAD with other methods");
    case 'p':
        rc = take_method(o, "POST", "Cannot mix POST with other methods");
        return rc != 0 ? rc : take_body(o, text);
    case 'u':
        rc = take_method(o, "PUT", "Cannot mix PUT with other methods");
        return rc != 0 ? rc : take_body(o, text);
    case 'C':
        return replace(&o->cookie, "Cookie: ", text);
    case 'A':
        return take_credentials(&o->authorization, "Authorization: ", text);
    case 'P':
        return take_credentials(&o->proxy_authorization, "Proxy-Authorization: ", text);
    case 'H':
        return take_header(o, text);
    case 'X':
        return take_proxy(o, text);
    case 'f':
        return take_protocol(o, text);
    default:
        return 0;
    }
}

/* True: go on. An unknown option, or one without its argument, ends the options, and what follows decides. */
static bool take_options(struct ab_options *o, int argc, char **argv, int *exit_code)
{
    int option;

    opterr = 0;
    optind = 1;
    while ((option = getopt(argc, argv, "+:n:c:t:s:b:B:p:u:T:v:wix:y:z:C:H:A:P:X:VkdqSlg:e:rm:hIZ:f:E:")) != -1) {
        if (option == '?' || option == ':') {
            fprintf(stderr, option == '?' ? "%s: illegal option -- %c\n" : "%s: option requires an argument -- %c\n",
                    argv[0], optopt);
            return true;
        }
        if (option == 'h') {
            print_usage(argv[0]);
            *exit_code = AB_EXIT_USAGE;
            return false;
        }
        if (option == 'V') {
            ab_print_banner(&(struct ab_options){ 0 });
            *exit_code = 0;
            return false;
        }
        if (note_flag(o, option) || note_number(o, option, optarg) || note_text(o, option, optarg))
            continue;
        *exit_code = take_checked(o, option, optarg);
        if (*exit_code != 0)
            return false;
    }
    return true;
}

/* hostname[:port] before the path, which has to be there. False: invalid. */
static bool take_url(struct ab_options *o, struct slice url)
{
    if (slice_starts_nocase(url, SLICE("http://"))) {
        url = slice_drop(url, 7);
    } else if (slice_starts_nocase(url, SLICE("https://"))) {
        url = slice_drop(url, 8);
        o->https = true;
    }
    const ptrdiff_t slash = slice_find(url, '/');
    if (slash <= 0)
        return false;
    struct slice host = slice_take(url, (size_t)slash);
    const struct slice path = slice_drop(url, (size_t)slash);
    struct slice port = slice_from("", 0);
    if (host.ptr[0] == '[') {
        const ptrdiff_t end = slice_find(host, ']');
        if (end < 2)
            return false;
        port = slice_drop(host, (size_t)end + 1);
        host = slice_from(host.ptr + 1, (size_t)end - 1);
        o->hostname_is_ipv6 = true;
    } else if (slice_find(host, ':') >= 0) {
        const ptrdiff_t colon = slice_find(host, ':');
        port = slice_drop(host, (size_t)colon);
        host = slice_take(host, (size_t)colon);
    }
    uint64_t n = o->https ? 443 : 80;
    if (host.len == 0 ||
        (port.len > 0 && (port.ptr[0] != ':' || !slice_to_u64(slice_drop(port, 1), &n) || n == 0 || n > 65535)))
        return false;
    o->port = (unsigned)n;
    o->hostname = slice_dup(host);
    o->path = slice_dup(path);
    return o->hostname != NULL && o->path != NULL;
}

static bool check(struct ab_options *o, const char *name, int *exit_code)
{
    if (o->concurrency == 0)
        *exit_code = usage_error(name, "Invalid concurrency level: at least 1");
    else if (o->concurrency > o->requests)
        *exit_code = usage_error(name, "Cannot use concurrency level greater than total number of requests");
    else if (o->timeout_s == 0)
        *exit_code = usage_error(name, "Invalid timeout: at least 1 second");
    return *exit_code == 0;
}

int ab_options_parse(struct ab_options *o, int argc, char **argv, int *exit_code)
{
    *o = (struct ab_options){ .requests = 1,
                              .concurrency = 1,
                              .timeout_s = 30,
                              .content_type = "text/plain",
                              .headers = STRLIST_INIT,
                              .table_attributes = "",
                              .tr_attributes = "",
                              .td_attributes = "bgcolor=white" };
    buf_init(&o->body, BODY_MAX_BYTES);
    *exit_code = 0;
    if (!take_options(o, argc, argv, exit_code))
        return -1;
    if (optind != argc - 1) {
        *exit_code = usage_error(argv[0], "wrong number of arguments");
        return -1;
    }
    if (!take_url(o, slice_str(argv[optind]))) {
        *exit_code = usage_error(argv[0], "invalid URL");
        return -1;
    }
    o->url = argv[optind];
    if (o->method == NULL)
        o->method = "GET";
    return check(o, argv[0], exit_code) ? 0 : -1;
}

void ab_options_release(struct ab_options *o)
{
    buf_release(&o->body);
    strlist_release(&o->headers);
    free(o->proxy);
    free(o->cookie);
    free(o->authorization);
    free(o->proxy_authorization);
    free(o->hostname);
    free(o->path);
}
