/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/spec.h"

enum { NAME_MAX_BYTES = 64, QUOTED_MAX = 40 };

static const struct {
    const char *kind;
    source_opener *open;
} KINDS[] = {
    { "pid", pid_open },   { "unit", unit_open },       { "cgroup", cgroup_open },
    { "prom", prom_open }, { "kubectl", kubectl_open }, { "cmd", command_open },
};

static const char EXAMPLE[] = "write NAME=KIND:WHAT, for example gateway=pid:1234; kinds are pid, unit, cgroup, prom, "
                              "kubectl, cmd";

/* Names become members of JSON objects, cells of tables and parts of metrics' names. */
static bool is_name(struct slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
              c == '-'))
            return false;
    }
    return name.len > 0 && name.len <= NAME_MAX_BYTES;
}

int spec_parse(struct spec *out, struct slice text, struct err *err)
{
    struct slice rest = text;

    *out = (struct spec){ 0 };
    if (slice_find(text, '=') < 0) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" has no name and =", SLICE_FMT(slice_take(text, QUOTED_MAX)));
        return err_hint(err, "%s", EXAMPLE);
    }
    out->name = slice_split(&rest, '=');
    if (!is_name(out->name)) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is not a name", SLICE_FMT(slice_take(out->name, QUOTED_MAX)));
        return err_hint(err, "1 to %d letters, digits, _ . -", NAME_MAX_BYTES);
    }
    if (slice_find(rest, ':') < 0) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" has no kind and colon", SLICE_FMT(slice_take(rest, QUOTED_MAX)));
        return err_hint(err, "%s", EXAMPLE);
    }
    out->kind = slice_split(&rest, ':');
    out->what = rest;
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
        if (slice_eq(out->kind, slice_str(KINDS[i].kind)))
            out->open = KINDS[i].open;
    if (out->open != NULL)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is not a kind of thing to watch",
            SLICE_FMT(slice_take(out->kind, QUOTED_MAX)));
    return err_hint(err, "%s", EXAMPLE);
}
