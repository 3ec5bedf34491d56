/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/libraries.h"

void net_libraries(struct library_list *l)
{
    library_list_add(l, "libuv", PLIMSOLL_LIBUV, uv_version_string());
    library_list_add(l, "OpenSSL", OPENSSL_VERSION_TEXT, OpenSSL_version(OPENSSL_VERSION));
}
