/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to an asset after its file came: the scan, the copy in S3, and its end. A few threads of their own do it
 * in the background, ASSET_THREADS at most at once; what they find out is in the asset's state. What was left over by
 * an earlier run is taken up at the start, when there is a scan or an S3 to do it with.
 *
 * Nothing happens to the same asset twice at once: two copies on their way to S3 could arrive in the wrong order. */
#ifndef PLIMSOLL_SERVE_ASSET_JOBS_H
#define PLIMSOLL_SERVE_ASSET_JOBS_H

#include "serve/asset_store.h"
#include "serve/s3.h"

struct site;
struct upload;

enum { ASSET_THREADS = 4, ASSET_QUEUE_MAX = 100000 };

struct asset_jobs;
/* ERR_CONFIG: --scan-command or S3 can not be used. The threads start when there is something to do. */
MUST_CHECK int asset_jobs_new(struct asset_jobs **out, struct site *site, struct err *err);
void asset_jobs_free(struct asset_jobs *j); /* ends scans and copies under way; NULL is fine */
/* NULL: S3 is not configured. */
struct s3 *asset_jobs_s3(struct asset_jobs *j);
/* There is a scan or an S3: then asset_delete() may have to wait for somebody. */
bool asset_jobs_may_wait(const struct asset_jobs *j);
/* The absolute path of the folder assets; NULL: not known. */
const char *asset_jobs_folder(const struct asset_jobs *j);

/* Moves a received file to its asset, scanned and copied later: 0 or an errno (EAGAIN: too many wait). */
int asset_publish(struct asset_jobs *j, struct upload *u, const char *id, const char *name, bool create,
                  struct asset_state *state);
/* Blocks, in a thread that may wait: */
/* Sees to it that S3 has the asset's present file. False: outcome says why not (status 404: it is gone, or not clean).
 */
bool asset_ensure_copy(struct asset_jobs *j, const char *id, const struct s3_stop *stop, struct s3_outcome *outcome);
/* Removes it, from S3 first: when that fails nothing is removed. outcome->status 404: there is none. */
bool asset_delete(struct asset_jobs *j, const char *id, const struct s3_stop *stop, struct s3_outcome *outcome);

#endif
