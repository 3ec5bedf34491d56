/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/libraries.h"

#include <llhttp/llhttp.h>
#include <nghttp2/nghttp2.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

void http_libraries(struct library_list *l)
{
    library_list_add(l, "llhttp",
                     TEXT(LLHTTP_VERSION_MAJOR) "." TEXT(LLHTTP_VERSION_MINOR) "." TEXT(LLHTTP_VERSION_PATCH), NULL);
    library_list_add(l, "nghttp2", NGHTTP2_VERSION, nghttp2_version(0)->version_str);
}
