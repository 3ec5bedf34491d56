/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server of documents as the command line names it. */
#ifndef PLIMSOLL_CLI_RESULTS_SERVER_H
#define PLIMSOLL_CLI_RESULTS_SERVER_H

#include "cli/results_options.h"
#include "import/elasticsearch.h"

/* Owns what its server points to. {0} at first. */
struct results_server {
    struct elasticsearch server;
    char *url, *user, *password;
};
/* Takes the credentials out of the URL. ERR_USAGE for what is no URL, or without an index. */
MUST_CHECK int results_server_set(struct results_server *s, const char *url, const struct results_options *o,
                                  struct err *err);
void results_server_release(struct results_server *s);

#endif
