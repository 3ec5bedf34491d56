/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The phases of a command, told by the lines it prints: a list in YAML (or JSON) that names each by a regular
 * expression for its first and its last line.
 *
 *     name: cf push                     # optional
 *     failed: '^FAILED$'                # optional: a line that says that the copy failed, for logs without an exit
 * code phases:
 *       - name: upload app
 *         first: '^Uploading \S+\.\.\.$'
 *         last: '^OK$'
 *         group: transfers              # optional: phases of a group are also shown together
 *
 * A phase begins at the first line that matches `first` and ends at the next line that matches `last`; it takes place
 * once. One line may end a phase and begin another. Without `first` a phase begins where the one before it ended, the
 * first one with the copy itself. Without `last` it ends where a later phase begins. One that has begun and
 * does not end lasts until the copy's end. Patterns are Perl's, searched anywhere in a line.
 *
 * A line is searched without a stamp of time at its beginning and, when it had one, also without the word behind the
 * stamp (the copy's name, in logs of several). Each part between carriage returns is a line of its own, as a terminal
 * shows it; colours and other escape sequences are left out.
 *
 * A struct phases is read-only and may be shared; a phase_reader belongs to one copy at a time. */
#ifndef PLIMSOLL_ROUNDS_PHASES_H
#define PLIMSOLL_ROUNDS_PHASES_H

#include "base/err.h"
#include "result/rounds.h"
#include "rounds/lines.h"

#define PHASES_MAX 64u

struct phases;

/* name is for messages: ERR_CONFIG "NAME:LINE: what is wrong". The text is not needed afterwards. */
MUST_CHECK int phases_parse(struct phases **out, const char *name, struct slice text, struct err *err);
void phases_free(struct phases *p); /* NULL is fine */
/* The lists that come with the program, by name ("cf-push"); an empty slice: none of that name. */
struct slice phases_built_in(struct slice name);
/* A list from a file; or, when word is the name of one that comes with the program and no such file exists, that. */
MUST_CHECK int phases_load(struct phases **out, const char *word, struct err *err);

size_t phases_count(const struct phases *p);
bool phases_know_failures(const struct phases *p); /* the list has `failed` */
const char *phases_title(const struct phases *p);  /* its name, or the file's */
/* Adds them to a result without rounds. False: out of memory. */
bool phases_add_to(const struct phases *p, struct rounds_result *r);

struct phase_reader;
MUST_CHECK int phase_reader_new(struct phase_reader **out, const struct phases *p, struct err *err);
void phase_reader_free(struct phase_reader *r);  /* NULL is fine */
void phase_reader_clear(struct phase_reader *r); /* for the next copy */
/* A line without its line feed, and when it came, on any clock that never goes back. */
void phase_reader_take(struct phase_reader *r, struct slice line, uint64_t at_ns);
/* Durations in seconds of a copy that began and ended then, NAN for phases that were not seen; phases_count() of them.
 */
void phase_reader_end(const struct phase_reader *r, uint64_t start_ns, uint64_t end_ns, double *durations);
bool phase_reader_saw_any(const struct phase_reader *r);    /* a phase has begun or ended */
bool phase_reader_saw_failed(const struct phase_reader *r); /* the line of `failed` */

/* The readers of all copies of a round while it runs. */
struct phase_watch;
MUST_CHECK int phase_watch_new(struct phase_watch **out, const struct phases *p, struct err *err);
void phase_watch_free(struct phase_watch *w); /* NULL is fine */
/* False when a reader could not be made: the copy's phases stay unknown. */
bool phase_watch_line(struct phase_watch *w, const struct line *line);
/* The copy has ended: fills copy->phases and forgets it. */
void phase_watch_copy(struct phase_watch *w, struct rounds_copy *copy, uint64_t start_ns);

#endif
