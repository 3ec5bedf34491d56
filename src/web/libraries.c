/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/libraries.h"

#include "web/libcurl.h"

void web_libraries(struct library_list *l)
{
    const struct libcurl *libcurl = libcurl_load(NULL);

    library_list_add(l, "libcurl", LIBCURL_VERSION,
                     libcurl != NULL ? libcurl->version_info(CURLVERSION_NOW)->version : "can not be loaded");
}
