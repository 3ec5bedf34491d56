/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a complete reply is held against, beyond its status: fields, the size of its body, its SHA-256, a pattern in it.
 * A target's check is made before the run and only read while measuring; what belongs to one request is in a struct
 * check_state beside its exchange. Bodies come into user space only for targets whose check looks at them. */
#ifndef PLIMSOLL_LOAD_CHECK_H
#define PLIMSOLL_LOAD_CHECK_H

#include "load/failures.h"
#include "load/load.h"
#include "net/digest.h"
#include "pattern/pattern.h"

struct check {
    const struct load_expect *spec; /* NULL: status alone */
    const uint8_t *status;          /* STATUS_MAX flags */
    struct pattern *pattern;
    struct {
        struct slice name, value; /* value.ptr NULL: that it is there is enough */
    } fields[LOAD_EXPECT_FIELDS];
    uint32_t field_count;
    bool looks_at_body, looks_at_fields;
    char size_note[64], sha_note[96], field_notes[LOAD_EXPECT_FIELDS][FAILURE_NOTE_MAX];
};

struct check_state {
    uint32_t fields_seen, fields_right; /* bits */
    struct digest *digest;
    char *body; /* LOAD_REGEX_BODY_MAX, touched as far as bodies reach */
    uint32_t body_len;
};

/* spec may be NULL. statuses: for where it says none. ERR_USAGE for a broken pattern or field. */
MUST_CHECK int check_prepare(struct check *c, const struct load_expect *spec, const uint8_t *statuses, struct err *err);
void check_release(struct check *c);

/* The states of `count` exchanges; only what a check needs is allocated. */
MUST_CHECK int check_states_new(struct check_state **out, size_t count, bool digests, bool bodies, struct err *err);
void check_states_free(struct check_state *states, size_t count);

/* Before each request. */
void check_begin(const struct check *c, struct check_state *s);
/* Content of the reply's body, in pieces. */
void check_take_body(const struct check *c, struct check_state *s, struct slice bytes);
void check_take_field(const struct check *c, struct check_state *s, struct slice name, struct slice value);
/* The head as HTTP/1 has it; interim ones before it are passed over. */
void check_take_head(const struct check *c, struct check_state *s, struct slice head);
/* Whether a complete reply is right; false with *why. The state may be NULL when the check needs none. */
bool check_is_ok(const struct check *c, struct check_state *s, struct pattern_matcher *m, uint16_t status,
                 uint64_t body_bytes, struct failure *why);

#endif
