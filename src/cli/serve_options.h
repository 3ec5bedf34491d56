/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user said on the command line of `plimsoll serve`. */
#ifndef PLIMSOLL_CLI_SERVE_OPTIONS_H
#define PLIMSOLL_CLI_SERVE_OPTIONS_H

#include "cli/options.h"
#include "serve/serve.h"

/* Numbers as the rows read them; serve_options_config() narrows them. */
struct serve_options {
    struct strlist listen, tls_listen, self_urls, allow_upstream;
    const char *cert_file, *key_file, *cert_out;
    const char *root, *data_root, *cluster_id, *token, *access_log, *blobstore;
    const char *s3_bucket, *s3_endpoint, *scan_command;
    bool allow_public, quiet, trust_proxy, open_writes, spool_droplets, one_at_a_time;
    uint64_t threads, backlog, max_connections;
    uint64_t head_max_bytes, body_max_bytes, body_min_rate;
    uint64_t head_timeout_ns, body_timeout_ns, send_timeout_ns, idle_timeout_ns, grace_ns, max_delay_ns, max_cpu_ns;
    uint64_t max_disk_bytes, max_recursion, blobstore_timeout_ns, s3_timeout_ns, scan_timeout_ns;
};

void serve_options_init(struct serve_options *o);
void serve_options_release(struct serve_options *o);
/* port is the environment's PORT, or NULL: it replaces the default's port when no listener was given. */
MUST_CHECK int serve_options_parse(struct serve_options *o, int argc, char **argv, const char *port, bool *help,
                                   struct err *err);
const struct option_table *serve_options_table(void);
/* Fills config, which gets the lists of o. */
void serve_options_config(struct serve_options *o, struct serve_config *config);

#endif
