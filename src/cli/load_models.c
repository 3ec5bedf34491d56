/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/load_models.h"

#include <string.h>

#include "base/units.h"
#include "cli/load_options.h"

/* Beyond any machine; keeps sums of requests far below 2^63. */
#define LARGEST_RATE_PER_S 1e9
enum { STAGES_MAX = 256, RATE_DIGITS_MAX = 16, LARGEST_CONNECTIONS = 1000000 };

static int bad_rate(struct slice text, struct err *err)
{
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is no rate", SLICE_FMT(text));
    return err_hint(err, "write requests for each second, as 500 or 0.5/s or 10k/s, or for each minute, as 30/min");
}

/* Takes "12" or "0.5" from the front. */
static bool take_number(struct slice *rest, double *out)
{
    char copy[RATE_DIGITS_MAX + 1];
    size_t len = 0, points = 0;

    while (len < rest->len && ((rest->ptr[len] >= '0' && rest->ptr[len] <= '9') || (rest->ptr[len] == '.' && len > 0)))
        points += rest->ptr[len++] == '.';
    if (len == 0 || len > RATE_DIGITS_MAX || points > 1 || rest->ptr[len - 1] == '.')
        return false;
    memcpy(copy, rest->ptr, len);
    copy[len] = '\0';
    *out = strtod(copy, NULL);
    *rest = slice_drop(*rest, len);
    return true;
}

static bool take_unit(struct slice rest, double *rate)
{
    static const struct {
        const char *text;
        double scale;
    } FACTORS[] = { { "k", 1e3 }, { "M", 1e6 } },
      PERIODS[] = { { "", 1 }, { "/s", 1 }, { "/min", 60 }, { "/h", 3600 } };

    for (size_t i = 0; i < sizeof(FACTORS) / sizeof(FACTORS[0]); i++) {
        if (slice_starts(rest, slice_str(FACTORS[i].text))) {
            *rate *= FACTORS[i].scale;
            rest = slice_drop(rest, 1);
            break;
        }
    }
    for (size_t i = 0; i < sizeof(PERIODS) / sizeof(PERIODS[0]); i++) {
        if (slice_eq(rest, slice_str(PERIODS[i].text))) {
            *rate /= PERIODS[i].scale;
            return true;
        }
    }
    return false;
}

static int parse_rate(struct slice text, double *out, struct err *err)
{
    struct slice rest = text;

    if (!take_number(&rest, out) || !take_unit(rest, out) || *out > LARGEST_RATE_PER_S)
        return bad_rate(text, err);
    return 0;
}

int load_model_rate(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    double rate;

    if (parse_rate(slice_str(text), &rate, err) != 0)
        return -1;
    if (!(rate > 0)) {
        err_set(err, ERR_USAGE, 0, "\"%s\" would never send anything", text);
        return err_hint(err, "a rate is above 0, for example --%s %s", row->name, row->example);
    }
    o->rate_per_s = rate;
    return 0;
}

int load_model_arrivals(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;

    if (strcmp(text, "constant") != 0 && strcmp(text, "poisson") != 0) {
        err_set(err, ERR_USAGE, 0, "\"%s\" is no kind of arrivals", text);
        return err_hint(err, "write constant or poisson");
    }
    o->arrivals = strcmp(text, "poisson") == 0 ? LOAD_ARRIVALS_POISSON : LOAD_ARRIVALS_CONSTANT;
    o->has_arrivals = true;
    return 0;
}

/* "WHAT:TIME" of a list of stages. */
static int split_stage(struct slice part, struct slice *what, uint64_t *length_ns, const struct option_row *row,
                       struct err *err)
{
    struct slice rest = part;

    *what = slice_split(&rest, ':');
    if (what->len == 0 || rest.len == 0) {
        err_set(err, ERR_USAGE, 0, "\"%.*s\" is no stage", SLICE_FMT(part));
        return err_hint(err, "a stage has a colon and a length, for example --%s %s", row->name, row->example);
    }
    if (units_parse_duration(rest, length_ns, err) != 0)
        return -1;
    if (*length_ns >= NS_PER_MS && *length_ns <= row->max)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is too %s", SLICE_FMT(part), *length_ns < NS_PER_MS ? "short" : "long");
    return err_hint(err, "for example --%s %s", row->name, row->example);
}

static size_t parts_of(struct slice list)
{
    size_t n = 1;

    for (size_t i = 0; i < list.len; i++)
        n += list.ptr[i] == ',';
    return n;
}

static int check_parts(size_t count, const char *text, struct err *err)
{
    if (count <= STAGES_MAX)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%.40s...\" has %zu stages", text, count);
    return err_hint(err, "at most %d are possible", STAGES_MAX);
}

int load_model_stages(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    const bool step = strncmp(text, "step:", 5) == 0;
    struct slice rest = slice_str(step ? text + 5 : text), rate;
    const size_t count = parts_of(rest);
    bool sends = false;

    if (check_parts(count, text, err) != 0)
        return -1;
    free(o->stages);
    o->stage_count = 0;
    o->stages = calloc(count, sizeof(*o->stages));
    if (o->stages == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct load_stage *stage = &o->stages[i];

        if (split_stage(slice_trim(slice_split(&rest, ',')), &rate, &stage->length_ns, row, err) != 0 ||
            parse_rate(rate, &stage->to_per_s, err) != 0)
            return -1;
        stage->from_per_s = step || i == 0 ? stage->to_per_s : o->stages[i - 1].to_per_s;
        sends = sends || stage->to_per_s > 0;
    }
    o->stage_count = count;
    if (sends)
        return 0;
    err_set(err, ERR_USAGE, 0, "\"%s\" would never send anything", text);
    return err_hint(err, "one of the rates must be above 0");
}

static int parse_connections(struct slice text, uint32_t *out, const struct option_row *row, struct err *err)
{
    uint64_t n;

    if (units_parse_count(text, &n, err) != 0)
        return -1;
    if (n >= 1 && n <= LARGEST_CONNECTIONS) {
        *out = (uint32_t)n;
        return 0;
    }
    err_set(err, ERR_USAGE, 0, "\"%.*s\" is too %s", SLICE_FMT(text), n < 1 ? "small" : "large");
    return err_hint(err, "from 1 to %d, for example --%s 50", LARGEST_CONNECTIONS, row->name);
}

static int parse_connection_stages(struct load_options *o, const char *text, const struct option_row *row,
                                   struct err *err)
{
    struct slice rest = slice_str(text), connections;
    const size_t count = parts_of(rest);

    if (check_parts(count, text, err) != 0)
        return -1;
    o->connection_stages = calloc(count, sizeof(*o->connection_stages));
    if (o->connection_stages == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    o->connections = 0;
    for (size_t i = 0; i < count; i++) {
        struct load_connection_stage *stage = &o->connection_stages[i];

        if (split_stage(slice_trim(slice_split(&rest, ',')), &connections, &stage->length_ns, row, err) != 0 ||
            parse_connections(connections, &stage->connections, row, err) != 0)
            return -1;
        if (stage->connections > o->connections)
            o->connections = stage->connections;
    }
    o->connection_stage_count = count;
    return 0;
}

int load_model_connections(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    uint32_t n;

    free(o->connection_stages);
    o->connection_stages = NULL;
    o->connection_stage_count = 0;
    if (strpbrk(text, ":,") != NULL)
        return parse_connection_stages(o, text, row, err);
    if (parse_connections(slice_str(text), &n, row, err) != 0)
        return -1;
    o->connections = n;
    return 0;
}

int load_model_burst(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    struct slice size;
    uint64_t n, period_ns;

    if (split_stage(slice_str(text), &size, &period_ns, row, err) != 0 || units_parse_count(size, &n, err) != 0)
        return -1;
    if (n < 1 || n > UINT32_MAX) {
        err_set(err, ERR_USAGE, 0, "\"%s\" has no size from 1 to %u", text, UINT32_MAX);
        return err_hint(err, "for example --%s %s", row->name, row->example);
    }
    o->burst_size = n;
    o->burst_period_ns = period_ns;
    return 0;
}

int load_model_think(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct load_options *o = field;
    const char *dots = strstr(text, "..");
    const struct slice first = dots != NULL ? slice_from(text, (size_t)(dots - text)) : slice_str(text);
    uint64_t min_ns, max_ns;

    if (units_parse_duration(first, &min_ns, err) != 0)
        return -1;
    max_ns = min_ns;
    if (dots != NULL && units_parse_duration(slice_str(dots + 2), &max_ns, err) != 0)
        return -1;
    if (max_ns < min_ns || max_ns > row->max) {
        err_set(err, ERR_USAGE, 0, "\"%s\" %s", text, max_ns < min_ns ? "ends before it begins" : "is too long");
        return err_hint(err, "for example --%s %s", row->name, row->example);
    }
    o->think_min_ns = min_ns;
    o->think_max_ns = max_ns;
    return 0;
}
