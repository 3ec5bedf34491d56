/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of the values that only `plimsoll load` takes, for rows of options.h. Each comment names the field's type. */
#ifndef PLIMSOLL_CLI_LOAD_VALUES_H
#define PLIMSOLL_CLI_LOAD_VALUES_H

#include "cli/options.h"

option_parser load_value_url;           /* struct strlist: one more http or https URL */
option_parser load_value_method;        /* const char *: a token (RFC 9110 9.1) */
option_parser load_value_field;         /* struct strlist: one more "Name: value" */
option_parser load_value_user;          /* const char *: NAME:PASSWORD; never quoted in an error */
option_parser load_value_bearer;        /* const char *: TOKEN, @FILE or env:NAME; never quoted in an error */
option_parser load_value_seed;          /* struct load_options, the whole: sets seed and has_seed */
option_parser load_value_expect_status; /* struct load_options: "200,404,5xx,200-299" */
option_parser load_value_percentiles;   /* struct load_options: "50,99.95" */
option_parser load_value_failures;      /* struct load_options: DIR:N */
option_parser load_value_feed_order;    /* struct load_options */
option_parser load_value_progress;      /* enum progress_mode */
option_parser load_value_label;         /* struct strlist: one more KEY=VALUE, each key once */
option_parser load_value_watch;         /* struct strlist: one more NAME=KIND:WHAT, each name once */
option_parser load_value_override;      /* struct strlist: one more HOST:PORT:ADDRESS[,ADDRESS...] */
option_parser load_value_sources;       /* struct strlist: addresses, separated by commas */
option_parser load_value_unix_socket;   /* const char * */
option_parser load_value_tls_version;   /* int: 10 … 13 */
option_parser load_value_tls_resume;    /* double: off, on, or a share */
option_parser load_value_alpn;          /* const char *: names separated by commas */
option_parser load_value_close;         /* struct load_options: sets close and has_close */
option_parser load_value_connect_to;    /* const char *: HOST:PORT */
option_parser load_value_proxy;         /* const char *: an http URL, perhaps with credentials */

option_redactor load_redact_field;  /* "Authorization: ***" */
option_redactor load_redact_user;   /* "***" */
option_redactor load_redact_bearer; /* "***", but @FILE and env:NAME stay */
option_redactor load_redact_form;   /* NAME=*** unless it is a file */
option_redactor load_redact_watch;  /* a command that speaks of secrets is hidden */
option_redactor load_redact_body;   /* @FILE stays; a body that speaks of secrets is hidden */

/* The parts of HOST:PORT:ADDRESS[,ADDRESS...]; port 0 for "*". Slices point into text. */
struct load_override_parts {
    struct slice host, addresses;
    uint16_t port;
};
MUST_CHECK int load_override_split(struct load_override_parts *out, const char *text, struct err *err);

#endif
