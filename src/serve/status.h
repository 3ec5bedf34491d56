/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Status codes: their reason phrases (RFC 9110 15). */
#ifndef PLIMSOLL_SERVE_STATUS_H
#define PLIMSOLL_SERVE_STATUS_H

#include "base/slice.h"

#include <stdint.h>

/* "Not Found"; "Unassigned" for codes that no RFC names. */
struct slice status_phrase(uint16_t status);
/* 1xx, 204, 304: there is no content whatever the fields say. */
bool status_has_no_content(uint16_t status);

#endif
