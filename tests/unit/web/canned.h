/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server for the tests of fetch: threads of this process, one for each connection, whose reply depends on the path
 * alone.
 *
 *   /echo     the whole request, head and body, as it came
 *   /bytes    a million bytes 'x'
 *   /interim  103 with a field, then 200
 *   /short    announces 100 bytes, sends 10, closes
 *   /stall    announces 100 bytes, sends 10, waits until the client goes
 *   /silent   waits until the client goes
 *   /die      closes without a reply
 *   /once     200, then closes although it did not say so
 *   /refuse   403 with a body, without reading the request's body */
#ifndef PLIMSOLL_TESTS_WEB_CANNED_H
#define PLIMSOLL_TESTS_WEB_CANNED_H

#include <stdint.h>

struct canned;
struct canned *canned_start(void); /* asserts that it can */
void canned_stop(struct canned *s);
uint16_t canned_port(const struct canned *s);
unsigned canned_connections(struct canned *s);

#endif
