/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libcurl, loaded when the first call is made and not with the program: it brings 28 libraries, whose loading took
 * 4.5 ms of the 8 of CPU that a start cost, for something that most runs never use.
 *
 * With -Dlibcurl=linked (a static program has no loader) the same table points to the functions linked in. */
#ifndef PLIMSOLL_WEB_LIBCURL_H
#define PLIMSOLL_WEB_LIBCURL_H

#include <curl/curl.h>

#include "base/err.h"

#define LIBCURL_CALLS(X)   \
    X(easy_cleanup)        \
    X(easy_getinfo)        \
    X(easy_header)         \
    X(easy_init)           \
    X(easy_reset)          \
    X(easy_setopt)         \
    X(easy_strerror)       \
    X(global_init)         \
    X(multi_add_handle)    \
    X(multi_cleanup)       \
    X(multi_info_read)     \
    X(multi_init)          \
    X(multi_perform)       \
    X(multi_poll)          \
    X(multi_remove_handle) \
    X(slist_append)        \
    X(slist_free_all)      \
    X(version_info)

/* curl_NAME is libcurl->NAME here. */
struct libcurl {
#define LIBCURL_FIELD(name) __typeof__(&curl_##name) name;
    LIBCURL_CALLS(LIBCURL_FIELD)
#undef LIBCURL_FIELD
};

/* Loads and initialises it once; from any thread. The table lives as long as the program. NULL: it can not be had, or
 * not started: ERR_SYSTEM. */
MUST_CHECK const struct libcurl *libcurl_load(struct err *err);

#endif
