/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assets on disk: a folder assets/ID with the asset's file in it, under the asset's name, and beside it, when there is
 * anything to remember, the file .state: what the scan said, and whether S3 has a copy. No asset's name begins with a
 * dot. Without .state an asset is clean and nowhere else.
 *
 * Every file an asset ever had has a content id of its own; what a scan or a copy found out is written only while the
 * asset still has the content that it is about. Changes are made under the lock of asset_jobs.h; reading needs none. */
#ifndef PLIMSOLL_SERVE_ASSET_STORE_H
#define PLIMSOLL_SERVE_ASSET_STORE_H

#include "base/err.h"
#include "base/random.h"
#include "base/slice.h"

struct site;

enum asset_scan { ASSET_CLEAN, ASSET_UNSCANNED, ASSET_INFECTED };
enum asset_copy { COPY_NONE /* S3 was not configured */, COPY_WAITING, COPY_STORED, COPY_FAILED };

enum { ASSET_NAME_MAX = 255, ASSET_ERROR_MAX = 400 };

struct asset_state {
    char content[UUID_TEXT_MAX]; /* "": not known */
    enum asset_scan scan;
    enum asset_copy copy;
    char scan_error[ASSET_ERROR_MAX]; /* why it is still unscanned; "": nothing went wrong */
    char copy_error[ASSET_ERROR_MAX]; /* of COPY_FAILED */
};
const char *asset_scan_text(enum asset_scan scan);
const char *asset_copy_text(enum asset_copy copy);

bool asset_is_id(struct slice text);
/* The asset's folder; -1 with errno. */
int asset_open(const struct site *site, const char *id, bool make);
/* The name of its file. False: it has none. */
bool asset_name(int folder, char out[ASSET_NAME_MAX + 1]);
/* Its size; 0 without a file. */
uint64_t asset_size(int folder);
/* Removes every file but that and the state; NULL: all of them, the state too. */
void asset_keep_only(int folder, const char *name);
/* Its folder, empty by now. */
void asset_remove_folder(const struct site *site, const char *id);

/* A file that can not be read leaves the asset unscanned, which nobody is served. */
void asset_read_state(int folder, struct asset_state *out);
/* 0 or an errno. */
int asset_write_state(int folder, const struct asset_state *state);
void asset_forget_state(int folder);

/* Calls see() with the id of each asset until that is false. */
void asset_each(const struct site *site, bool (*see)(void *arg, const char *id), void *arg);

#endif
