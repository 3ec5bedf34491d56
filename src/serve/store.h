/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folders below --data-root: output (the file system check), blobs, flows. Each is made when it is first wanted. */
#ifndef PLIMSOLL_SERVE_STORE_H
#define PLIMSOLL_SERVE_STORE_H

#include "base/slice.h"

struct site;

/* A descriptor of the folder, which the caller closes; -1 with errno. */
int store_open(const struct site *s, const char *folder);
/* What the files of a folder and those below it hold. names: a prefix and a count whose PREFIX_i.txt (i <= n) are left
 * out, since they are about to be replaced; n 0 leaves out none. */
uint64_t store_usage(int folder, struct slice prefix, uint64_t n);
/* How much more may be written now below --max-disk, output and blobs together. */
uint64_t store_room(const struct site *s, struct slice prefix, uint64_t n);

/* Room for an upload below --max-disk: taken before its bytes come, given back when it has ended (by then store_add()
 * counts what stayed). The files are walked through once; after that everybody who writes says so. */
bool store_reserve(struct site *s, uint64_t bytes);
void store_unreserve(struct site *s, uint64_t bytes);
void store_add(struct site *s, uint64_t added, uint64_t removed);
/* Walks through the files again (slow: not on a loop's thread). */
void store_recount(struct site *s);

#endif
