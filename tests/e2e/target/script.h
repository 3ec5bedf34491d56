/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scripted target answers: replies as lists of steps, and rules that choose one for a request.
 *
 * A reply is written as text. Everything is sent as it stands, but for
 *   \r \n \t \0 \\ \xNN       one byte
 *   \{c*N}                    the byte c, N times
 *   \{wait 5ms}               a pause (us, ms, s)
 *   \{file N}                 N bytes of zeroes by sendfile
 *   \{fin}                    ends our direction; what the client still sends is read and counted
 *   \{close} \{rst}           closes as a server does that went away; closes with a reset
 *   \{hang}                   nothing more, ever
 *
 * A rule is CONDITION:REPLY, the first that holds decides, none: reply 0.
 *   every=K    each K-th request           after=N    all requests after the N-th
 *   nth=K      each K-th of a connection   only=K     the K-th of a connection
 *   conn=K     all of each K-th connection
 *   path=/x    the path begins so          method=M   the method is so
 *   pick=001   the digits in turn are the replies (REPLY is not written)
 *
 * A test program: bad input prints a sentence and exits 2. */
#ifndef TARGET_SCRIPT_H
#define TARGET_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCRIPT_STEPS_MAX = 64, SCRIPT_REPLIES_MAX = 32, SCRIPT_RULES_MAX = 32, SCRIPT_TEXT_MAX = 128 };

enum step_kind { STEP_BYTES, STEP_WAIT, STEP_FILE, STEP_FIN, STEP_CLOSE, STEP_RESET, STEP_HANG };

struct step {
    enum step_kind kind;
    char *bytes;
    uint64_t amount; /* BYTES, FILE: how many bytes; WAIT: ns */
};

struct reply_script {
    struct step steps[SCRIPT_STEPS_MAX];
    size_t count;
};

enum rule_kind { RULE_EVERY, RULE_NTH, RULE_ONLY, RULE_CONN, RULE_AFTER, RULE_PATH, RULE_METHOD, RULE_PICK };

struct rule {
    enum rule_kind kind;
    uint64_t n;
    char text[SCRIPT_TEXT_MAX];
    unsigned reply;
};

/* SPLIT_EACH: the i-th request's reply is cut once, after i bytes (modulo its length). */
enum split { SPLIT_NONE, SPLIT_AT, SPLIT_EACH, SPLIT_BYTES };

struct script {
    struct reply_script replies[SCRIPT_REPLIES_MAX];
    size_t reply_count;
    struct rule rules[SCRIPT_RULES_MAX];
    size_t rule_count;
    enum split split;
    uint64_t split_at;
    uint64_t pause_ns;       /* between the pieces of a split reply */
    uint64_t index_delay_ns; /* the i-th request waits i times this before its reply begins */
    bool early;              /* the reply begins after the head, without waiting for the body */
    int greet;               /* reply sent to a connection that asked nothing yet; -1: none */
};

/* One request as the rules see it; counts from 1. */
struct request_facts {
    uint64_t index, on_connection, connection;
    const char *method, *path;
};

void script_init(struct script *s);
void script_add_reply(struct script *s, const char *text);
void script_add_rule(struct script *s, const char *text);
void script_set_split(struct script *s, const char *text); /* N, each, bytes */
/* After the last option: every reply that is named exists. */
void script_check(const struct script *s);
unsigned script_choose(const struct script *s, const struct request_facts *facts);
void script_release(struct script *s);

uint64_t script_parse_number(const char *text);
uint64_t script_parse_duration_ns(const char *text);
__attribute__((noreturn, format(printf, 1, 2))) void script_die(const char *fmt, ...);

#endif
