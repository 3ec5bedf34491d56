/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/checkup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "result/json_out.h"
#include "result/json_parts.h"

enum { CHECKUP_FORMAT_VERSION = 1, FOUND_MAX_BYTES = 4096 };

const char *finding_level_text(enum finding_level level)
{
    static const char *const TEXTS[] = {
#define LEVEL_TEXT(id, text) text,
        FINDING_LEVELS(LEVEL_TEXT)
#undef LEVEL_TEXT
    };

    return TEXTS[level];
}

void checkup_release(struct checkup *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->findings[i].found);
    free(c->findings);
    *c = (struct checkup){ 0 };
}

struct finding *checkup_add(struct checkup *c, const char *check, const char *title)
{
    struct finding *grown = reallocarray(c->findings, c->count + 1, sizeof(*grown));

    if (grown == NULL)
        return NULL;
    c->findings = grown;
    grown[c->count] = (struct finding){ .check = check, .title = title, .level = FINDING_UNKNOWN };
    return &grown[c->count++];
}

void finding_set(struct finding *f, enum finding_level level, const char *why, const char *mend, const char *fmt, ...)
{
    struct buf text;
    va_list args;

    f->level = level;
    f->why = why;
    f->mend = mend;
    buf_init(&text, FOUND_MAX_BYTES);
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    free(f->found);
    f->found = buf_detach(&text);
}

size_t checkup_count(const struct checkup *c, enum finding_level level)
{
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++)
        n += c->findings[i].level == level && !c->findings[i].is_accepted;
    return n;
}

int checkup_exit_code(const struct checkup *c)
{
    return checkup_count(c, FINDING_SPOILS) > 0 ? 1 : 0;
}

static void write_finding(struct json_out *o, const struct finding *f)
{
    json_out_open(o, NULL, '{');
    json_out_string(o, "check", f->check);
    json_out_string(o, "title", f->title);
    json_out_string(o, "level", finding_level_text(f->level));
    json_out_bool(o, "accepted", f->is_accepted);
    json_out_string(o, "found", f->found);
    json_out_string(o, "why", f->why);
    json_out_string(o, "mend", f->mend);
    json_out_close(o, '}');
}

int checkup_to_json(const struct checkup *c, struct buf *out, struct err *err)
{
    struct json_out o = { .buf = out };

    json_out_open(&o, NULL, '{');
    json_out_string(&o, "format", "plimsoll-doctor");
    json_out_u64(&o, "version", CHECKUP_FORMAT_VERSION);
    json_write_host(&o, "host", &c->host);
    json_out_bool(&o, "ok", checkup_exit_code(c) == 0);
    json_out_open(&o, "findings", '[');
    for (size_t i = 0; i < c->count; i++)
        write_finding(&o, &c->findings[i]);
    json_out_close(&o, ']');
    json_out_close(&o, '}');
    buf_add_char(out, '\n');
    return buf_ok(out) ? 0 : err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the document");
}
