/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "script.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void script_die(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("target: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

uint64_t script_parse_number(const char *text)
{
    char *end = NULL;
    uint64_t n;

    errno = 0;
    n = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-')
        script_die("not a number: %s", text);
    return n;
}

uint64_t script_parse_duration_ns(const char *text)
{
    static const struct {
        const char *unit;
        double ns;
    } UNITS[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    char *end = NULL;
    double value = strtod(text, &end);

    for (size_t i = 0; end != text && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(end, UNITS[i].unit) == 0)
            return (uint64_t)(value * UNITS[i].ns);
    script_die("not a duration (us, ms, s): %s", text);
}

void script_init(struct script *s)
{
    memset(s, 0, sizeof *s);
    s->greet = -1;
    s->pause_ns = 300000;
}

static struct step *add_step(struct reply_script *r, enum step_kind kind, uint64_t amount)
{
    struct step *step = &r->steps[r->count];

    if (r->count == SCRIPT_STEPS_MAX)
        script_die("a reply has more than %d steps", SCRIPT_STEPS_MAX);
    r->count++;
    *step = (struct step){ .kind = kind, .amount = amount };
    return step;
}

static void add_bytes(struct reply_script *r, char byte, uint64_t times)
{
    struct step *step = r->count ? &r->steps[r->count - 1] : NULL;
    char *grown;

    if (times == 0)
        return;
    if (!step || step->kind != STEP_BYTES)
        step = add_step(r, STEP_BYTES, 0);
    grown = realloc(step->bytes, step->amount + times);
    if (!grown)
        script_die("out of memory");
    memset(grown + step->amount, byte, times);
    step->bytes = grown;
    step->amount += times;
}

static void add_directive(struct reply_script *r, const char *word)
{
    static const struct {
        const char *word;
        enum step_kind kind;
    } ENDS[] = { { "fin", STEP_FIN }, { "close", STEP_CLOSE }, { "rst", STEP_RESET }, { "hang", STEP_HANG } };

    if (word[0] && word[1] == '*') {
        add_bytes(r, word[0], script_parse_number(word + 2));
        return;
    }
    if (strncmp(word, "wait ", 5) == 0) {
        add_step(r, STEP_WAIT, script_parse_duration_ns(word + 5));
        return;
    }
    if (strncmp(word, "file ", 5) == 0) {
        add_step(r, STEP_FILE, script_parse_number(word + 5));
        return;
    }
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        if (strcmp(word, ENDS[i].word) == 0) {
            add_step(r, ENDS[i].kind, 0);
            return;
        }
    }
    script_die("unknown step: {%s}", word);
}

/* text is behind "\{"; returns what follows "}". */
static const char *read_directive(struct reply_script *r, const char *text)
{
    char word[SCRIPT_TEXT_MAX];
    const char *end = strchr(text, '}');

    if (end == text) /* "\{}*3}": the byte to repeat may be the brace itself */
        end = strchr(text + 1, '}');
    if (!end || (size_t)(end - text) >= sizeof word)
        script_die("a step without end: {%s", text);
    memcpy(word, text, (size_t)(end - text));
    word[end - text] = '\0';
    add_directive(r, word);
    return end + 1;
}

static const char *read_hex(struct reply_script *r, const char *text)
{
    char digits[3] = { 0 };

    if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
        script_die("\\x needs two digits");
    digits[0] = text[0];
    digits[1] = text[1];
    add_bytes(r, (char)strtoul(digits, NULL, 16), 1);
    return text + 2;
}

static const char *read_escape(struct reply_script *r, const char *text)
{
    static const char FROM[] = "rnt0\\", TO[] = "\r\n\t\0\\";
    const char *at;

    if (*text == '{')
        return read_directive(r, text + 1);
    if (*text == 'x')
        return read_hex(r, text + 1);
    at = *text ? strchr(FROM, *text) : NULL;
    if (!at)
        script_die("unknown escape: \\%c", *text);
    add_bytes(r, TO[at - FROM], 1);
    return text + 1;
}

void script_add_reply(struct script *s, const char *text)
{
    struct reply_script *r = &s->replies[s->reply_count];

    if (s->reply_count == SCRIPT_REPLIES_MAX)
        script_die("more than %d replies", SCRIPT_REPLIES_MAX);
    s->reply_count++;
    while (*text) {
        if (*text == '\\') {
            text = read_escape(r, text + 1);
        } else {
            add_bytes(r, *text, 1);
            text++;
        }
    }
}

static const struct {
    const char *name;
    enum rule_kind kind;
    bool is_text;
} RULES[] = {
    { "every=", RULE_EVERY, false },  { "nth=", RULE_NTH, false },     { "only=", RULE_ONLY, false },
    { "conn=", RULE_CONN, false },    { "after=", RULE_AFTER, false }, { "path=", RULE_PATH, true },
    { "method=", RULE_METHOD, true }, { "pick=", RULE_PICK, true },
};

static void fill_rule(struct rule *rule, size_t row, const char *value)
{
    const char *colon = strrchr(value, ':');
    size_t len = colon ? (size_t)(colon - value) : strlen(value);

    if (len == 0 || len >= sizeof rule->text)
        script_die("bad rule: %s", value);
    if (!colon && RULES[row].kind != RULE_PICK)
        script_die("a rule without :REPLY: %s", value);
    rule->kind = RULES[row].kind;
    memcpy(rule->text, value, len);
    if (!RULES[row].is_text)
        rule->n = script_parse_number(rule->text);
    if (!RULES[row].is_text && rule->n == 0 && rule->kind != RULE_AFTER)
        script_die("a rule's number counts from 1: %s", value);
    if (colon)
        rule->reply = (unsigned)script_parse_number(colon + 1);
    if (rule->kind == RULE_PICK && strspn(rule->text, "0123456789") != len)
        script_die("pick takes digits: %s", value);
}

void script_add_rule(struct script *s, const char *text)
{
    if (s->rule_count == SCRIPT_RULES_MAX)
        script_die("more than %d rules", SCRIPT_RULES_MAX);
    for (size_t i = 0; i < sizeof RULES / sizeof *RULES; i++) {
        size_t len = strlen(RULES[i].name);
        if (strncmp(text, RULES[i].name, len) == 0) {
            fill_rule(&s->rules[s->rule_count++], i, text + len);
            return;
        }
    }
    script_die("unknown rule: %s", text);
}

void script_set_split(struct script *s, const char *text)
{
    if (strcmp(text, "bytes") == 0) {
        s->split = SPLIT_BYTES;
    } else if (strcmp(text, "each") == 0) {
        s->split = SPLIT_EACH;
    } else {
        s->split = SPLIT_AT;
        s->split_at = script_parse_number(text);
    }
}

void script_check(const struct script *s)
{
    if (s->greet >= (int)s->reply_count)
        script_die("no reply %d to greet with", s->greet);
    for (size_t i = 0; i < s->rule_count; i++) {
        const struct rule *rule = &s->rules[i];
        if (rule->kind != RULE_PICK && rule->reply >= s->reply_count)
            script_die("no reply %u", rule->reply);
        for (const char *c = rule->text; rule->kind == RULE_PICK && *c; c++)
            if ((size_t)(*c - '0') >= s->reply_count)
                script_die("no reply %c", *c);
    }
}

static bool rule_holds(const struct rule *rule, const struct request_facts *facts)
{
    switch (rule->kind) {
    case RULE_EVERY:
        return facts->index % rule->n == 0;
    case RULE_NTH:
        return facts->on_connection % rule->n == 0;
    case RULE_ONLY:
        return facts->on_connection == rule->n;
    case RULE_CONN:
        return facts->connection % rule->n == 0;
    case RULE_AFTER:
        return facts->index > rule->n;
    case RULE_PATH:
        return strncmp(facts->path, rule->text, strlen(rule->text)) == 0;
    case RULE_METHOD:
        return strcmp(facts->method, rule->text) == 0;
    case RULE_PICK:
        return true;
    }
    return false;
}

unsigned script_choose(const struct script *s, const struct request_facts *facts)
{
    for (size_t i = 0; i < s->rule_count; i++) {
        const struct rule *rule = &s->rules[i];
        if (!rule_holds(rule, facts))
            continue;
        if (rule->kind == RULE_PICK)
            return (unsigned)(rule->text[(facts->index - 1) % strlen(rule->text)] - '0');
        return rule->reply;
    }
    return 0;
}

void script_release(struct script *s)
{
    for (size_t i = 0; i < s->reply_count; i++)
        for (size_t k = 0; k < s->replies[i].count; k++)
            free(s->replies[i].steps[k].bytes);
    script_init(s);
}
