/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One call to a server of documents, tried again when it may pass by itself. Private to import/. */
#ifndef PLIMSOLL_IMPORT_ELASTICSEARCH_CALL_H
#define PLIMSOLL_IMPORT_ELASTICSEARCH_CALL_H

#include <jansson.h>

#include "import/elasticsearch.h"
#include "web/fetch.h"

struct elasticsearch_call {
    const struct elasticsearch *server;
    struct fetch *fetch;
};

MUST_CHECK int elasticsearch_call_init(struct elasticsearch_call *c, const struct elasticsearch *server,
                                       struct err *err);
void elasticsearch_call_release(struct elasticsearch_call *c);
/* path: behind the server's URL, with its slash. type: of the body. The answer's JSON, which the caller ends with
 * json_decref(); NULL with err filled. */
json_t *elasticsearch_call(struct elasticsearch_call *c, const char *method, const char *path, const char *type,
                           struct slice body, struct err *err);
void elasticsearch_pause(unsigned attempt); /* from 0 */
enum { ELASTICSEARCH_ATTEMPTS = 5 };

#endif
