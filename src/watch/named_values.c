/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "watch/named_values.h"

#include <string.h>

#include "watch/text.h"

enum { QUOTED_MAX = 80 };

static bool add_line(struct reading *out, struct slice line)
{
    size_t equals = line.len;
    struct slice name;
    double value;

    while (equals > 0 && line.ptr[equals - 1] != '=')
        equals--;
    if (equals == 0)
        return false;
    name = slice_trim(slice_take(line, equals - 1));
    if (!reading_name_is_fit(name) || !text_double(slice_trim(slice_drop(line, equals)), &value))
        return false;
    reading_add_named(out, name, slice_ends(name, SLICE("_total")), value);
    return true;
}

static struct slice without_return(struct slice line)
{
    return slice_ends(line, SLICE("\r")) ? slice_take(line, line.len - 1) : line;
}

/* What can stand in a message. */
static int quote(struct err *err, const char *what, struct slice line)
{
    char text[QUOTED_MAX + 1];
    size_t n = 0;

    for (size_t i = 0; i < line.len && n < QUOTED_MAX; i++)
        text[n++] = line.ptr[i] >= ' ' && line.ptr[i] != 0x7f ? line.ptr[i] : '?';
    text[n] = '\0';
    return err_set(err, ERR_PEER, 0, "%s \"%s\"", what, text);
}

int named_values_read(struct reading *out, struct slice text, struct err *err)
{
    struct slice first = { 0 };
    bool any = false;

    while (text.len > 0) {
        const struct slice line = slice_trim(without_return(slice_split(&text, '\n')));

        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        if (first.ptr == NULL)
            first = line;
        any = add_line(out, line) || any;
    }
    if (any)
        return 0;
    return first.ptr == NULL ? err_set(err, ERR_PEER, 0, "it printed nothing, where lines name=value were expected")
                             : quote(err, "it printed no line name=value, but", first);
}

bool pod_quantity(struct slice text, double *out)
{
    static const struct {
        const char *suffix;
        double factor;
    } UNITS[] = { { "Ki", 1024.0 }, { "Mi", 1048576.0 }, { "Gi", 1073741824.0 }, { "Ti", 1099511627776.0 },
                  { "n", 1e-9 },    { "u", 1e-6 },       { "m", 1e-3 },          { "k", 1e3 },
                  { "M", 1e6 },     { "G", 1e9 },        { "T", 1e12 } };

    for (size_t i = 0; i < sizeof(UNITS) / sizeof(UNITS[0]); i++) {
        const struct slice suffix = slice_str(UNITS[i].suffix);

        if (!slice_ends(text, suffix))
            continue;
        if (!text_double(slice_take(text, text.len - suffix.len), out))
            return false;
        *out *= UNITS[i].factor;
        return *out >= 0;
    }
    return text_double(text, out) && *out >= 0;
}

int pod_list_read(struct reading *out, struct slice text, struct err *err)
{
    double cpu = 0, memory = 0, pods = 0;

    while (text.len > 0) {
        const struct slice line = slice_trim(without_return(slice_split(&text, '\n')));
        double cores, bytes;

        if (line.len == 0 || (slice_eq(text_word(line, 0), SLICE("NAME")) && pods == 0))
            continue;
        if (!pod_quantity(text_word(line, 1), &cores) || !pod_quantity(text_word(line, 2), &bytes))
            return quote(err, "kubectl printed no line of a pod, but", line);
        cpu += cores;
        memory += bytes;
        pods++;
    }
    if (pods == 0)
        return err_set(err, ERR_PEER, 0, "kubectl knows figures of no such pod");
    reading_add(out, SLICE("cpu_cores"), READING_GAUGE, cpu);
    reading_add(out, SLICE("memory_bytes"), READING_GAUGE, memory);
    reading_add(out, SLICE("pods"), READING_GAUGE, pods);
    return 0;
}
