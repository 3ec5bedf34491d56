/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds libuv and OpenSSL to a list of libraries. */
#ifndef PLIMSOLL_NET_LIBRARIES_H
#define PLIMSOLL_NET_LIBRARIES_H

#include "base/libraries.h"

void net_libraries(struct library_list *l);

#endif
