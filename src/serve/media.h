/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the handlers of /assets and /media share: finding an asset, and the ways in which its file can be sent. */
#ifndef PLIMSOLL_SERVE_MEDIA_H
#define PLIMSOLL_SERVE_MEDIA_H

#include "serve/asset_store.h"
#include "serve/exchange.h"

struct asset_found {
    char id[UUID_TEXT_MAX];
    char name[ASSET_NAME_MAX + 1];
    struct asset_state state;
};

/* The asset's folder, which the caller closes. -1: answered. */
int assets_find(struct exchange *x, struct slice id, struct asset_found *out);
void assets_answer_error(struct exchange *x, int error); /* an errno */

enum media_way {
    MEDIA_DISK,
    MEDIA_STREAM,   /* ?stream_from_s3=true: through us, no more than a window of it in memory */
    MEDIA_REDIRECT, /* ?redirect_to_s3=true: 302 to a presigned URL */
    MEDIA_PROXY,    /* ?proxy_to_s3=true: X-Accel-Redirect to MEDIA_ACCEL_S3 and the presigned URL: nginx fetches it */
};
#define MEDIA_ACCEL_S3 "/cloud-storage-proxy/"

/* Answers with a clean asset from S3, which gets it first when it has none yet. 502 or 504 with the reason; once the
 * answer has begun, its connection is cut. */
void media_from_s3(struct exchange *x, const struct asset_found *found, enum media_way way);

/* When a trusted proxy says that it sends files itself (X-Sendfile-Type: X-Accel-Redirect) and where it finds ours
 * (X-Accel-Mapping: /data/assets/=/raw/, several with commas), answers with X-Accel-Redirect. False: nothing of that,
 * or the file is in none of the folders named; nothing was answered. */
bool media_leave_to_proxy(struct exchange *x, const struct asset_found *found);
/* The URI of a file by such a mapping: appended, percent-encoded. False: none fits. */
bool media_map(struct buf *out, struct slice mapping, struct slice path);

#endif
