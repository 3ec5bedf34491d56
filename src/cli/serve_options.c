/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/serve_options.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "cli/option_values.h"
#include "http/url.h"
#include "net/addr.h"

#define FIELD(name) .offset = offsetof(struct serve_options, name)
#define DAY_NS (UINT64_C(24) * 3600 * NS_PER_S)

static int value_listener(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct addr addr;

    if (addr_parse_listen(&addr, slice_str(text), err) != 0)
        return -1;
    return option_list(field, text, row, err);
}

static int value_size(void *field, const char *text, const struct option_row *row, struct err *err)
{
    uint64_t bytes;

    if (units_parse_size(slice_str(text), &bytes, err) != 0)
        return -1;
    if (bytes < row->min || bytes > row->max) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is out of range", text);
        return err_hint(err, "from %llu to %llu bytes, for example --%s %s", (unsigned long long)row->min,
                        (unsigned long long)row->max, row->name, row->example);
    }
    *(uint64_t *)field = bytes;
    return 0;
}

static int value_blobstore(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct url url;

    (void)row;
    if (url_parse(&url, slice_str(text), err) != 0)
        return -1;
    if (url.query.len > 0) {
        err_set(err, ERR_USAGE, 0, "the URL of a blobstore has no query");
        return err_hint(err, "for example --blobstore http://127.0.0.1:8080/dav");
    }
    *(const char **)field = text;
    return 0;
}

static int value_droplets(void *field, const char *text, const struct option_row *row, struct err *err)
{
    (void)row;
    if (strcmp(text, "stream") != 0 && strcmp(text, "spool") != 0) {
        err_set(err, ERR_USAGE, 0, "--droplets \"%s\" is neither stream nor spool", text);
        return err_hint(err, "for example --droplets spool");
    }
    *(bool *)field = strcmp(text, "spool") == 0;
    return 0;
}

/* clang-format off */
static const struct option_row ROWS[] = {
    { .heading = "Where to listen" },
    { .name = "listen", .argument = "ADDR", .shown_default = SERVE_DEFAULT_LISTEN, .example = "127.0.0.1:8080",
      .help = "HOST:PORT, [::1]:PORT, :PORT or PORT; port 0 takes a free one; may be repeated; the variable PORT of the environment "
              "changes the default's port",
      .parse = value_listener, FIELD(listen) },
    { .name = "tls-listen", .argument = "ADDR", .example = "127.0.0.1:8443",
      .help = "the same with TLS; may be repeated; then there is no plain listener unless --listen is given",
      .parse = value_listener, FIELD(tls_listen) },
    { .name = "public",
      .help = "allow addresses that other machines can reach",
      .parse = option_flag, FIELD(allow_public) },
    { .name = "backlog", .argument = "N", .shown_default = "4096", .example = "1024",
      .help = "connections that may wait to be accepted; the kernel caps it at net.core.somaxconn",
      .parse = option_count, FIELD(backlog), .min = 1, .max = INT_MAX },

    { .heading = "Files" },
    { .name = "root", .argument = "DIR", .example = "public",
      .help = "a folder of files, served under every path that nothing else has",
      .parse = option_path, FIELD(root) },
    { .name = "data-root", .argument = "DIR", .shown_default = "$DATA_ROOT, else the current folder", .example = "/var/tmp/plimsoll",
      .help = "where the file system checks, flows and blobs write",
      .parse = option_path, FIELD(data_root) },
    { .name = "access-log", .argument = "FILE", .example = "access.log",
      .help = "a line of JSON for each answer; - is standard output",
      .parse = option_path, FIELD(access_log) },

    { .name = "blobstore", .argument = "URL", .shown_default = "its own /blobs", .example = "http://user:secret@127.0.0.1:8080/dav",
      .help = "a WebDAV store that keeps what is put to /droplets/{a}/{b}, as URL/{a}/{b}",
      .parse = value_blobstore, FIELD(blobstore) },
    { .name = "droplets", .argument = "WAY", .shown_default = "stream", .example = "spool",
      .help = "stream: passed on to the blobstore as they arrive; spool: written to the disk first",
      .parse = value_droplets, FIELD(spool_droplets) },

    { .heading = "Assets" },
    { .name = "scan-command", .argument = "CMD", .example = "\"clamscan --no-summary\"",
      .help = "judges each asset before it is served: exit code 0 clean, 1 infected; run without a shell, the file's path is its last "
              "argument",
      .parse = option_text, FIELD(scan_command) },
    { .name = "scan-timeout", .argument = "TIME", .shown_default = "60s", .example = "10s",
      .help = "for one scan; then it is killed and the asset stays unscanned",
      .parse = option_duration, FIELD(scan_timeout_ns), .max = DAY_NS },
    { .name = "s3-bucket", .argument = "NAME", .example = "assets",
      .help = "copy clean assets to this bucket, and serve them from there on demand; needs AWS_ACCESS_KEY_ID and "
              "AWS_SECRET_ACCESS_KEY in the environment, heeds AWS_REGION and AWS_SESSION_TOKEN",
      .parse = option_text, FIELD(s3_bucket) },
    { .name = "s3-endpoint", .argument = "URL", .shown_default = "Amazon's of the region", .example = "http://127.0.0.1:9000",
      .help = "the S3 server of --s3-bucket",
      .parse = option_text, FIELD(s3_endpoint) },
    { .name = "s3-timeout", .argument = "TIME", .shown_default = "10s", .example = "2s",
      .help = "without any byte from or to S3; then the answer is 504",
      .parse = option_duration, FIELD(s3_timeout_ns), .max = DAY_NS },

    { .heading = "Who may do what" },
    { .name = "token", .argument = "TEXT", .shown_default = "$PLIMSOLL_TOKEN, if set", .example = "secret",
      .help = "what \"Authorization: Bearer\" must carry where something is written",
      .parse = option_text, FIELD(token) },
    { .name = "open-writes",
      .help = "with --public: let everybody write, without a token",
      .parse = option_flag, FIELD(open_writes) },
    { .name = "self-url", .argument = "URL", .example = "https://app.example.com",
      .help = "a further name of this server, which /recursive and flows may call; may be repeated; the uris of VCAP_APPLICATION are added",
      .parse = option_list, FIELD(self_urls) },
    { .name = "allow-upstream", .argument = "HOST[:PORT]", .example = "backend:8080",
      .help = "another server that /recursive and flows may call; may be repeated",
      .parse = option_list, FIELD(allow_upstream) },
    { .name = "cluster-id", .argument = "TEXT", .shown_default = "random", .example = "blue",
      .help = "what /healthz answers to prove that it is one of us; the same for all instances behind one name",
      .parse = option_text, FIELD(cluster_id) },
    { .name = "trust-proxy",
      .help = "believe X-Forwarded-Proto and X-Forwarded-Host, and leave the sending of assets to a proxy that asks for it (X-Sendfile-Type)",
      .parse = option_flag, FIELD(trust_proxy) },

    { .heading = "TLS" },
    { .name = "cert", .argument = "FILE", .shown_default = "a self-signed one made at start", .example = "server.pem",
      .help = "certificate chain, PEM; read again on SIGHUP",
      .parse = option_path, FIELD(cert_file) },
    { .name = "key", .argument = "FILE", .example = "server.key",
      .help = "private key of --cert, PEM",
      .parse = option_path, FIELD(key_file) },
    { .name = "cert-out", .argument = "FILE", .example = "serve-ca.pem",
      .help = "write the certificate made at start to this file, so that plimsoll load --cacert can verify it",
      .parse = option_path, FIELD(cert_out) },

    { .heading = "Limits" },
    { .name = "threads", .argument = "N", .shown_default = "CPUs", .example = "2",
      .help = "threads, each with its own listeners",
      .parse = option_count, FIELD(threads), .min = 1, .max = 1024 },
    { .name = "one-at-a-time",
      .help = "one request at a time over all threads, the others wait: as a single-threaded application server does",
      .parse = option_flag, FIELD(one_at_a_time) },
    { .name = "max-connections", .argument = "N", .shown_default = "none but open files", .example = "1000",
      .help = "connections at once; more wait in the kernel's queue",
      .parse = option_count, FIELD(max_connections), .min = 1, .max = UINT32_MAX },
    { .name = "max-head", .argument = "SIZE", .shown_default = "64KiB", .example = "16KiB",
      .help = "longest request line and header fields; above, the answer is 431",
      .parse = value_size, FIELD(head_max_bytes), .min = 256, .max = UINT32_C(1) << 30 },
    { .name = "max-body", .argument = "SIZE", .shown_default = "1GiB", .example = "10MiB",
      .help = "longest request body; above, the answer is 413",
      .parse = value_size, FIELD(body_max_bytes), .min = 1, .max = UINT64_C(1) << 50 },
    { .name = "max-cpu", .argument = "TIME", .shown_default = "60s", .example = "10s",
      .help = "CPU time of one /prime/{n}; above, the answer is 503",
      .parse = option_duration, FIELD(max_cpu_ns), .min = NS_PER_MS, .max = DAY_NS },
    { .name = "max-disk", .argument = "SIZE", .shown_default = "4GiB", .example = "100MiB",
      .help = "what may lie under --data-root; above, the answer is 507",
      .parse = value_size, FIELD(max_disk_bytes), .min = 1, .max = UINT64_C(1) << 50 },
    { .name = "max-recursion", .argument = "N", .shown_default = "25", .example = "14",
      .help = "largest n of /recursive/{n}; above, the answer is 400",
      .parse = option_count, FIELD(max_recursion), .min = 1, .max = 40 },

    { .heading = "Time limits (0s: none)" },
    { .name = "head-timeout", .argument = "TIME", .shown_default = "10s", .example = "5s",
      .help = "to get the head of a request; then 408",
      .parse = option_duration, FIELD(head_timeout_ns), .max = DAY_NS },
    { .name = "body-timeout", .argument = "TIME", .shown_default = "30s", .example = "5s",
      .help = "to get the rest of a request's body, or as much as --min-rate asks for in that time; then 408",
      .parse = option_duration, FIELD(body_timeout_ns), .max = DAY_NS },
    { .name = "min-rate", .argument = "SIZE", .shown_default = "500B", .example = "100B",
      .help = "bytes of a body that a second must bring, counted over each --body-timeout; 0B: one byte in that time will do",
      .parse = value_size, FIELD(body_min_rate), .max = UINT64_C(1) << 40 },
    { .name = "send-timeout", .argument = "TIME", .shown_default = "60s", .example = "10s",
      .help = "without any byte of a reply taken by the client; then a reset",
      .parse = option_duration, FIELD(send_timeout_ns), .max = DAY_NS },
    { .name = "idle-timeout", .argument = "TIME", .shown_default = "75s", .example = "5s",
      .help = "between two requests of a connection; then it is closed",
      .parse = option_duration, FIELD(idle_timeout_ns), .max = DAY_NS },
    { .name = "blobstore-timeout", .argument = "TIME", .shown_default = "60s", .example = "5s",
      .help = "without any progress of the blobstore; then 504",
      .parse = option_duration, FIELD(blobstore_timeout_ns), .max = DAY_NS },
    { .name = "grace", .argument = "TIME", .shown_default = "10s", .example = "2s",
      .help = "after SIGINT or SIGTERM, for requests in flight",
      .parse = option_duration, FIELD(grace_ns), .max = DAY_NS },
    { .name = "max-delay", .argument = "TIME", .shown_default = "1h", .example = "10s",
      .help = "longest /delay/{ms}; above, the answer is 400",
      .parse = option_duration, FIELD(max_delay_ns), .max = DAY_NS },

    { .heading = "Other" },
    { .name = "quiet",
      .help = "say nothing while things are well, not even the addresses",
      .parse = option_flag, FIELD(quiet) },
    { .name = "help", .short_name = 'h', .help = "show this help" },
    { 0 },
};
/* clang-format on */

static const char EPILOGUE[] =
    "What it answers:\n"
    "  /                 a page with a form for each check; for curl, a list of all this\n"
    "  /prime/N /fibonacci/N /recursive/N /generate-files?prefix=&n=&size= /read-files\n"
    "                    the CPU, latency and file system checks of a platform;\n"
    "                    /list-files, /file-content/NAME, DELETE /files?prefix=\n"
    "  /flows/NAME /performance/NAME /cache\n"
    "                    a gateway: echo and rest flows, and the cache of their definitions\n"
    "  /assets /media/ID/NAME /blobs/PATH /droplets/A/B\n"
    "                    uploads: kept as assets or blobs, or passed on to --blobstore\n"
    "  /bytes/N          N bytes, as does /N.html\n"
    "  /status/CODE      that status\n"
    "  /delay/MS         after so many milliseconds\n"
    "  /chunked/N        N bytes in chunks, without a length before\n"
    "  /drip?bytes=&ms=  bytes one at a time\n"
    "  /headers          the request as it arrived\n"
    "  /healthz /readyz /metrics\n"
    "                    about itself\n"
    "\n"
    "Examples:\n"
    "  plimsoll serve\n"
    "      on http://127.0.0.1:3000, until Ctrl-C\n"
    "  plimsoll serve --listen 0 --tls-listen 0 --cert-out ca.pem\n"
    "      on two free ports, which are printed; plimsoll load --cacert ca.pem verifies\n"
    "\n"
    "The first SIGINT or SIGTERM lets requests in flight finish, the second does not.\n"
    "Exit status: 0 ended as asked; 2 wrong usage or address; 3 this machine refused,\n"
    "or requests were cut off at the end. More: man plimsoll-serve\n";

static const struct option_table TABLE = {
    .command = "plimsoll serve",
    .usage = "[OPTION...]",
    .summary =
        "Runs the target application: one server that answers what a team asks of a platform (CPU, latency, file "
        "system, gateway, uploads), and shapes of replies to measure a network or a proxy with.",
    .rows = ROWS,
    .epilogue = EPILOGUE,
};

const struct option_table *serve_options_table(void)
{
    return &TABLE;
}

void serve_options_init(struct serve_options *o)
{
    struct serve_config config;

    memset(o, 0, sizeof(*o));
    serve_config_init(&config);
    o->backlog = (uint64_t)config.backlog;
    o->head_max_bytes = config.head_max_bytes;
    o->body_max_bytes = config.body_max_bytes;
    o->head_timeout_ns = config.head_timeout_ns;
    o->body_timeout_ns = config.body_timeout_ns;
    o->body_min_rate = config.body_min_rate;
    o->send_timeout_ns = config.send_timeout_ns;
    o->idle_timeout_ns = config.idle_timeout_ns;
    o->grace_ns = config.grace_ns;
    o->max_delay_ns = config.max_delay_ns;
    o->max_cpu_ns = config.max_cpu_ns;
    o->max_disk_bytes = config.max_disk_bytes;
    o->max_recursion = config.max_recursion;
    o->blobstore_timeout_ns = config.blobstore_timeout_ns;
    o->s3_timeout_ns = config.s3_timeout_ns;
    o->scan_timeout_ns = config.scan_timeout_ns;
    serve_config_release(&config);
}

void serve_options_release(struct serve_options *o)
{
    strlist_release(&o->listen);
    strlist_release(&o->tls_listen);
    strlist_release(&o->self_urls);
    strlist_release(&o->allow_upstream);
    memset(o, 0, sizeof(*o));
}

/* Platforms tell an application its port so. */
static int take_port(struct serve_options *o, const char *port, struct err *err)
{
    char text[64];
    uint64_t number;

    if (!slice_to_u64(slice_str(port), &number) || number > UINT16_MAX) {
        err_set(err, ERR_USAGE, 0, "the variable PORT is \"%s\", which is no port", port);
        return err_hint(err, "set it to a number up to 65535, unset it, or give --listen");
    }
    snprintf(text, sizeof(text), "127.0.0.1:%u", (unsigned)number);
    return strlist_add(&o->listen, slice_str(text)) ? 0 : err_set(err, ERR_SYSTEM, 0, "out of memory");
}

int serve_options_parse(struct serve_options *o, int argc, char **argv, const char *port, bool *help, struct err *err)
{
    if (options_parse(&TABLE, o, argc, argv, help, NULL, err) != 0)
        return -1;
    if (*help)
        return 0;
    if ((o->cert_file == NULL) != (o->key_file == NULL)) {
        err_set(err, ERR_USAGE, 0, "%s was given without %s", o->cert_file != NULL ? "--cert" : "--key",
                o->cert_file != NULL ? "--key" : "--cert");
        return err_hint(err, "give both, or neither for a self-signed certificate");
    }
    if (o->tls_listen.count == 0 && (o->cert_file != NULL || o->cert_out != NULL)) {
        err_set(err, ERR_USAGE, 0, "%s has no use without --tls-listen",
                o->cert_file != NULL ? "--cert" : "--cert-out");
        return err_hint(err, "add for example --tls-listen 127.0.0.1:8443");
    }
    if (o->cert_file != NULL && o->cert_out != NULL) {
        err_set(err, ERR_USAGE, 0, "--cert and --cert-out contradict each other");
        return err_hint(err, "with --cert no certificate is made that could be written");
    }
    if (o->s3_endpoint != NULL && o->s3_bucket == NULL) {
        err_set(err, ERR_USAGE, 0, "--s3-endpoint has no use without --s3-bucket");
        return err_hint(err, "add for example --s3-bucket assets");
    }
    if (port != NULL && port[0] != '\0' && o->listen.count == 0 && o->tls_listen.count == 0)
        return take_port(o, port, err);
    return 0;
}

void serve_options_config(struct serve_options *o, struct serve_config *config)
{
    serve_config_init(config);
    config->listen = o->listen;
    config->tls_listen = o->tls_listen;
    config->self_urls = o->self_urls;
    config->allow_upstream = o->allow_upstream;
    o->listen = o->tls_listen = o->self_urls = o->allow_upstream = (struct strlist)STRLIST_INIT;
    config->root = o->root;
    config->data_root = o->data_root;
    config->access_log = o->access_log;
    config->token = o->token;
    config->blobstore = o->blobstore;
    config->spool_droplets = o->spool_droplets;
    config->blobstore_timeout_ns = o->blobstore_timeout_ns;
    config->cluster_id = o->cluster_id;
    config->open_writes = o->open_writes;
    config->trust_proxy = o->trust_proxy;
    config->cert_file = o->cert_file;
    config->key_file = o->key_file;
    config->allow_public = o->allow_public;
    config->threads = (unsigned)o->threads;
    config->backlog = (int)o->backlog;
    config->max_connections = (unsigned)o->max_connections;
    config->head_max_bytes = (uint32_t)o->head_max_bytes;
    config->body_max_bytes = o->body_max_bytes;
    config->head_timeout_ns = o->head_timeout_ns;
    config->body_timeout_ns = o->body_timeout_ns;
    config->body_min_rate = o->body_min_rate;
    config->send_timeout_ns = o->send_timeout_ns;
    config->idle_timeout_ns = o->idle_timeout_ns;
    config->grace_ns = o->grace_ns;
    config->max_delay_ns = o->max_delay_ns;
    config->max_cpu_ns = o->max_cpu_ns;
    config->max_disk_bytes = o->max_disk_bytes;
    config->max_recursion = (unsigned)o->max_recursion;
    config->s3_bucket = o->s3_bucket;
    config->s3_endpoint = o->s3_endpoint;
    config->s3_timeout_ns = o->s3_timeout_ns;
    config->scan_command = o->scan_command;
    config->scan_timeout_ns = o->scan_timeout_ns;
    config->one_at_a_time = o->one_at_a_time;
}
