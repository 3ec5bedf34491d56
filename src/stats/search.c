/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/search.h"

#include <math.h>

#define LOWEST_SHARE 1000 /* of `from`: below it nothing is looked for */
#define BREAKS 2u         /* in a row that count */
#define RETREATS_MAX 12u
#define ROUND_FROM 100.0 /* levels from here on are whole numbers whatever they count */

const char *search_stage_text(enum search_stage s)
{
    static const char *const TEXTS[] = { "expand", "bisect", "confirm", "prove", "retreat", "over" };

    return TEXTS[s];
}

static double tidy(const struct search *s, double level)
{
    if (s->_config.whole || level >= ROUND_FROM)
        level = round(level);
    if (s->_config.whole && level < 1)
        level = 1;
    return level < s->_config.to ? level : s->_config.to;
}

static void go(struct search *s, enum search_stage stage, double level)
{
    s->stage = stage;
    s->level = level;
    s->_breaks = 0;
}

static void end(struct search *s)
{
    go(s, SEARCH_OVER, s->kept);
}

static void confirm(struct search *s)
{
    s->_rounds = 0;
    go(s, SEARCH_CONFIRM, s->kept);
}

/* The middle of the gap, or the confirmation when it is narrow enough (or holds no other level). */
static void bisect(struct search *s)
{
    const double middle = tidy(s, sqrt(s->kept * s->broken));

    if (s->broken <= s->kept * (1 + s->_config.precision) || middle <= s->kept || middle >= s->broken)
        confirm(s);
    else
        go(s, SEARCH_BISECT, middle);
}

static void expand_up(struct search *s)
{
    if (s->kept >= s->_config.to)
        confirm(s);
    else
        go(s, SEARCH_EXPAND, tidy(s, s->kept * 2));
}

static void expand_down(struct search *s)
{
    const double level = tidy(s, s->broken / 2);

    if (level >= s->broken || level < s->_config.from / LOWEST_SHARE)
        end(s);
    else
        go(s, SEARCH_EXPAND, level);
}

static void retreat(struct search *s)
{
    const double width = s->_config.precision * (double)(1u << s->_retreats);
    double level = tidy(s, s->broken / (1 + width));

    if (level >= s->broken)
        level = tidy(s, s->broken - 1);
    if (++s->_retreats > RETREATS_MAX || level >= s->broken || level < s->_config.from / LOWEST_SHARE)
        end(s);
    else
        go(s, SEARCH_RETREAT, level);
}

static void prove(struct search *s)
{
    double above = tidy(s, s->kept * SEARCH_ABOVE);

    s->confirmed = true;
    if (above <= s->kept)
        above = s->kept + 1; /* whole numbers below 5 */
    if (s->kept >= s->_config.to || above > s->_config.to)
        end(s);
    else
        go(s, SEARCH_PROVE, above);
}

/* The level above was kept: what broke below it was noise. */
static void reopen(struct search *s)
{
    s->broken = INFINITY;
    s->_retreats = 0;
    if (++s->_reopenings > SEARCH_REOPENINGS)
        end(s);
    else
        expand_up(s);
}

static void take_kept(struct search *s)
{
    s->kept = s->level;
    s->_breaks = 0;
    switch (s->stage) {
    case SEARCH_EXPAND:
    case SEARCH_BISECT:
    case SEARCH_RETREAT:
        if (isinf(s->broken))
            expand_up(s);
        else
            bisect(s);
        return;
    case SEARCH_CONFIRM:
        if (++s->_rounds >= s->_config.confirm_rounds)
            prove(s);
        return;
    case SEARCH_PROVE:
        s->confirmed = false;
        reopen(s);
        return;
    case SEARCH_OVER:
        return;
    }
}

static void take_broken(struct search *s)
{
    if (++s->_breaks < BREAKS)
        return;
    if (s->stage != SEARCH_PROVE || s->level < s->broken)
        s->broken = s->level;
    switch (s->stage) {
    case SEARCH_EXPAND:
        if (s->kept > 0)
            bisect(s);
        else
            expand_down(s);
        return;
    case SEARCH_BISECT:
        bisect(s);
        return;
    case SEARCH_CONFIRM:
    case SEARCH_RETREAT:
        s->kept = 0;
        retreat(s);
        return;
    case SEARCH_PROVE:
    case SEARCH_OVER:
        end(s);
        return;
    }
}

void search_init(struct search *s, const struct search_config *config)
{
    *s = (struct search){ ._config = *config, .broken = INFINITY };
    go(s, SEARCH_EXPAND, tidy(s, config->from));
}

bool search_take(struct search *s, bool kept)
{
    if (s->stage == SEARCH_OVER)
        return false;
    s->trials++;
    if (kept)
        take_kept(s);
    else
        take_broken(s);
    if (s->trials >= search_trials_max(&s->_config))
        end(s);
    return s->stage != SEARCH_OVER;
}

unsigned search_trials_max(const struct search_config *config)
{
    const double doublings = log2(config->to / config->from) + log2(LOWEST_SHARE) + 2;
    const double halvings = log2(1 / config->precision) + 2;
    const unsigned once = BREAKS * (unsigned)(doublings + halvings + RETREATS_MAX + config->confirm_rounds + 1);

    return once * (SEARCH_REOPENINGS + 1);
}
