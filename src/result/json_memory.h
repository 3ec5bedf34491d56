/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where Jansson's values live while a document is read: in few large blocks that are given back all at once. A document
 * of a run has some ten thousand values of some ten bytes, and a merge reads thousands of documents; to allocate and to
 * end each of them by itself took a quarter of the time.
 *
 * Between the two calls what Jansson allocates in this thread comes from the blocks, and must not be used behind the
 * second: nothing of it needs json_decref(). Other threads, and this one at other times, get ordinary memory. Not to be
 * nested. Private to result/. */
#ifndef PLIMSOLL_RESULT_JSON_MEMORY_H
#define PLIMSOLL_RESULT_JSON_MEMORY_H

void json_memory_begin(void);
void json_memory_end(void);

#endif
