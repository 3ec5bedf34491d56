/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "serve/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/access_log.h"
#include "serve/asset_jobs.h"

int site_init(struct site *s, const struct serve_config *config, struct err *err)
{
    *s = (struct site){ .config = config, .access_log = -1, .data = -1, .root = -1 };
    pthread_mutex_init(&s->usage.lock, NULL);
    turns_init(&s->turns);
    if (config->cluster_id != NULL) {
        snprintf(s->cluster_id, sizeof(s->cluster_id), "%s", config->cluster_id);
    } else {
        uuid_make(s->cluster_id);
    }
    if (flows_init(&s->flows, config->data_root, err) != 0) {
        return -1;
    }
    if (blobstore_init(&s->blobstore, config, err) != 0 || origins_init(&s->origins, config, err) != 0) {
        return -1;
    }
    s->data = open(config->data_root != NULL ? config->data_root : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (s->data < 0 && config->data_root != NULL) {
        return err_set(err, ERR_CONFIG, errno, "cannot use the data root %s", config->data_root);
    }
    if (config->access_log != NULL && access_log_open(&s->access_log, config->access_log, err) != 0) {
        return -1;
    }
    if (config->root != NULL) {
        s->root = open(config->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (s->root < 0) {
            return err_set(err, ERR_CONFIG, errno, "cannot serve the folder %s", config->root);
        }
    }
    return asset_jobs_new(&s->assets, s, err);
}

void site_release(struct site *s)
{
    if (s->config == NULL) {
        return; /* never made */
    }
    asset_jobs_free(s->assets);
    s->assets = NULL;
    pthread_mutex_destroy(&s->usage.lock);
    turns_release(&s->turns);
    flows_release(&s->flows);
    blobstore_release(&s->blobstore);
    if (s->root >= 0) {
        close(s->root);
    }
    if (s->data >= 0) {
        close(s->data);
    }
    if (s->access_log >= 0) {
        close(s->access_log);
    }
    s->root = s->data = s->access_log = -1;
}
