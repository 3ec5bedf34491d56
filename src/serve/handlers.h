/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start functions of the routes, one file handle_*.c for each family. */
#ifndef PLIMSOLL_SERVE_HANDLERS_H
#define PLIMSOLL_SERVE_HANDLERS_H

#include "serve/exchange.h"

void handle_home(struct exchange *x);
void handle_health(struct exchange *x);
void handle_ready(struct exchange *x);
void handle_metrics(struct exchange *x);

void handle_recursive(struct exchange *x);
void handle_prime(struct exchange *x);
void handle_fibonacci(struct exchange *x);

void handle_generate_files(struct exchange *x);
void handle_read_files(struct exchange *x);
void handle_list_files(struct exchange *x);
void handle_delete_files(struct exchange *x);
void handle_file_content(struct exchange *x);

void handle_put_flow(struct exchange *x);
void handle_get_flow(struct exchange *x);
void handle_delete_flow(struct exchange *x);
void handle_get_cache(struct exchange *x);
void handle_put_cache(struct exchange *x);
void handle_echo_flow(struct exchange *x);
void handle_rest_flow(struct exchange *x);
void handle_backend(struct exchange *x);

void handle_put_blob(struct exchange *x);
void handle_get_blob(struct exchange *x);
void handle_delete_blob(struct exchange *x);

void handle_put_droplet(struct exchange *x);
void handle_get_droplet(struct exchange *x);
void handle_delete_droplet(struct exchange *x);

void handle_post_asset(struct exchange *x);
void handle_get_asset(struct exchange *x);
void handle_put_asset(struct exchange *x);
void handle_delete_asset(struct exchange *x);
void handle_media(struct exchange *x);

void handle_bytes(struct exchange *x);
void handle_status(struct exchange *x);
void handle_delay(struct exchange *x);
void handle_chunked(struct exchange *x);
void handle_drip(struct exchange *x);
void handle_headers(struct exchange *x);
void handle_static(struct exchange *x);

#endif
