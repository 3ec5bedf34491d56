/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare_fit.h"

#include <math.h>
#include <stdlib.h>

#include "stats/effects.h"
#include "stats/moderate.h"

/* The means of each cell in each session, which are what is counted here. */
struct session_means {
    uint32_t *sessions;
    size_t session_count;
    struct effects_observation *obs;
    size_t *starts;
    double *sums, *ns;        /* scratch by session */
    unsigned char *in_a_side; /* sessions of base or new: in the history they would count twice */
    double samples, means;    /* of sides with several sessions: how many samples a mean rests on */
};

static int means_init(struct session_means *m, const struct compare_work *w, struct err *err)
{
    const size_t groups = w->in->cell_count * SIDES;

    *m = (struct session_means){ 0 };
    if (compare_levels(&m->sessions, &m->session_count, w, true, err) != 0)
        return -1;
    m->obs = calloc(w->starts[groups] + 1, sizeof(*m->obs));
    m->starts = calloc(groups + 1, sizeof(*m->starts));
    m->sums = calloc(m->session_count + 1, sizeof(*m->sums));
    m->ns = calloc(m->session_count + 1, sizeof(*m->ns));
    m->in_a_side = calloc(m->session_count + 1, 1);
    if (m->obs == NULL || m->starts == NULL || m->sums == NULL || m->ns == NULL || m->in_a_side == NULL)
        return err_set(err, ERR_SYSTEM, 0, "out of memory");
    return 0;
}

static void means_release(struct session_means *m)
{
    free(m->sessions);
    free(m->obs);
    free(m->starts);
    free(m->sums);
    free(m->ns);
    free(m->in_a_side);
}

static void mark_sides(struct session_means *m, const struct compare_work *w)
{
    for (size_t c = 0; c < w->in->cell_count; c++)
        for (int side = SIDE_BASE; side <= SIDE_NEW; side++) {
            const struct compare_samples *s = compare_side(&w->in->cells[c], side);

            for (size_t i = 0; i < s->count; i++)
                m->in_a_side[compare_level_index(m->sessions, m->session_count, s->items[i].session)] = 1;
        }
}

/* Appends the means of one cell on one side; returns how many. */
static size_t add_means(struct session_means *m, const struct compare_work *w, size_t cell, int side, size_t at)
{
    const struct compare_samples *s = compare_side(&w->in->cells[cell], side);
    const double *y = w->y + w->starts[cell * SIDES + (size_t)side];
    size_t n = 0, samples = 0;

    for (size_t i = 0; i < m->session_count; i++)
        m->sums[i] = m->ns[i] = 0;
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t level = compare_level_index(m->sessions, m->session_count, s->items[i].session);

        m->sums[level] += y[i];
        m->ns[level] += 1;
    }
    for (uint32_t i = 0; i < m->session_count; i++) {
        if (m->ns[i] == 0 || (side == SIDE_HISTORY && m->in_a_side[i]))
            continue;
        samples += (size_t)m->ns[i];
        m->obs[at + n++] = (struct effects_observation){ i, m->sums[i] / m->ns[i] };
    }
    if (n > 1) {
        m->samples += (double)samples;
        m->means += (double)n;
    }
    return n;
}

static void collect(struct session_means *m, const struct compare_work *w)
{
    size_t at = 0;

    mark_sides(m, w);
    for (size_t c = 0; c < w->in->cell_count; c++)
        for (int side = SIDE_BASE; side < SIDES; side++) {
            m->starts[c * SIDES + (size_t)side] = at;
            if (w->fits[c].ready)
                at += add_means(m, w, c, side, at);
        }
    m->starts[w->in->cell_count * SIDES] = at;
}

/* The common parts of the sessions. */
struct common {
    double variance, df;
    size_t most_sessions; /* of one side, or of the history */
};

/* Sessions are alike when they are of the same sides: of base, of new, of both, or of the history (from which those of
 * the sides were taken out). */
static void find_common(struct common *out, const struct session_means *m, const struct effects *e,
                        const struct compare_work *w, unsigned char *side_of)
{
    double squares = 0;

    *out = (struct common){ 0 };
    for (size_t g = 0; g < w->in->cell_count * SIDES; g++)
        for (size_t i = m->starts[g]; i < m->starts[g + 1]; i++)
            side_of[m->obs[i].level] |= (unsigned char)(1u << g % SIDES);
    for (unsigned side = 1; side < 1u << SIDES; side++) {
        double mean = 0;
        size_t n = 0;

        for (size_t i = 0; i < m->session_count; i++)
            if (side_of[i] == side) {
                mean += e->level[i];
                n++;
            }
        for (size_t i = 0; i < m->session_count; i++)
            if (side_of[i] == side)
                squares += (e->level[i] - mean / (double)n) * (e->level[i] - mean / (double)n);
        out->df += n > 1 ? (double)(n - 1) : 0;
        out->most_sessions = n > out->most_sessions ? n : out->most_sessions;
    }
    out->variance = out->df > 0 ? squares / out->df : NAN;
}

static void fit_rest(struct compare_work *w, const struct session_means *m, const struct effects *e, size_t c)
{
    struct compare_fit *f = &w->fits[c];
    double squares = 0;

    for (int side = SIDE_BASE; side < SIDES; side++) {
        const size_t from = m->starts[c * SIDES + (size_t)side], n = m->starts[c * SIDES + (size_t)side + 1] - from;
        struct effects_group g;

        effects_group(&g, e, m->obs + from, n);
        squares += g.squares;
        f->df += n > 0 ? (double)n - 1 - g.df_used : 0;
    }
    f->known = compare_side_count(w, c, SIDE_BASE) > 1 && compare_side_count(w, c, SIDE_NEW) > 1;
    f->s2 = f->df > 1e-6 ? squares / f->df : 0;
    f->df = f->df > 1e-6 ? f->df : 0;
    f->k = 1;
}

/* A side with fewer samples a session than the sessions that the variance comes from has a noisier mean. */
static double noisier(const struct compare_work *w, const struct session_means *m, size_t c, int side)
{
    const size_t g = c * SIDES + (size_t)side;
    const double per_mean = (double)compare_side_count(w, c, side) / (double)(m->starts[g + 1] - m->starts[g]);

    return m->means > 0 ? fmax(1, m->samples / m->means / per_mean) : 1;
}

static double mean_of(const struct session_means *m, size_t group)
{
    double sum = 0;

    for (size_t i = m->starts[group]; i < m->starts[group + 1]; i++)
        sum += m->obs[i].y;
    return sum / (double)(m->starts[group + 1] - m->starts[group]);
}

/* From the moderated rest (in error and error_df) and the common part to the error of d. */
static void combine(struct compare_work *w, const struct session_means *m, const struct common *common, size_t c)
{
    struct compare_fit *f = &w->fits[c];
    const size_t base = c * SIDES + SIDE_BASE, new = c *SIDES + SIDE_NEW;
    const double k_base = (double)(m->starts[base + 1] - m->starts[base]);
    const double k_new = (double)(m->starts[new + 1] - m->starts[new]);
    const double rest = f->df > 0 ? f->error * f->error : 0;
    const double part_common = common->variance * (1 / k_base + 1 / k_new);
    const double part_rest = rest * (noisier(w, m, c, SIDE_BASE) / k_base + noisier(w, m, c, SIDE_NEW) / k_new);
    const double sum = part_common + part_rest;

    f->d = mean_of(m, new) - mean_of(m, base);
    f->counted = 2 / (1 / k_base + 1 / k_new);
    f->error_df = sum * sum /
                  (part_common * part_common / common->df + (rest > 0 ? part_rest * part_rest / f->error_df : 0));
    f->error = sqrt(sum);
    f->p_least = 0;
}

static void overall(struct compare_work *w, const struct session_means *m, const struct common *common)
{
    double k = 0, n = 0;

    for (size_t c = 0; c < w->in->cell_count; c++) {
        const size_t base = c * SIDES + SIDE_BASE, new = c *SIDES + SIDE_NEW;

        if (!w->fits[c].ready)
            continue;
        k += 1 / (double)(m->starts[base + 1] - m->starts[base]) + 1 / (double)(m->starts[new + 1] - m->starts[new]);
        n += 1;
    }
    if (n > 0)
        compare_set_overall(w, sqrt(common->variance * k / n), common->df);
}

static int with_means(struct compare_work *w, struct session_means *m, bool *enough, struct err *err)
{
    struct effects e = { 0 };
    struct common common;
    unsigned char *side_of = calloc(m->session_count + 1, 1);
    int failed = -1;

    if (side_of == NULL) {
        err_set(err, ERR_SYSTEM, 0, "out of memory");
        goto out;
    }
    collect(m, w);
    if (effects_fit(&e, m->obs, m->starts, w->in->cell_count * SIDES, m->session_count, err) != 0)
        goto out;
    failed = 0;
    find_common(&common, m, &e, w, side_of);
    *enough = common.most_sessions >= COMPARE_SESSIONS_MIN;
    w->out->sessions = common.most_sessions;
    if (!*enough)
        goto out;
    for (size_t c = 0; c < w->in->cell_count; c++)
        if (w->fits[c].ready)
            fit_rest(w, m, &e, c);
    compare_moderate(w, 0);
    for (size_t c = 0; c < w->in->cell_count; c++)
        if (w->fits[c].known)
            combine(w, m, &common, c);
    overall(w, m, &common);
out:
    effects_release(&e);
    free(side_of);
    return failed;
}

int compare_fit_sessions(struct compare_work *w, struct err *err)
{
    struct session_means m;
    bool enough = false;
    int failed = means_init(&m, w, err);

    if (failed == 0)
        failed = with_means(w, &m, &enough, err);
    means_release(&m);
    if (failed != 0 || enough)
        return failed;
    if (compare_fit_one_session(w, err) != 0)
        return -1;
    w->out->capped = true;
    w->out->sessions = 0;
    w->out->overall.p = w->out->overall.interval[0] = w->out->overall.interval[1] = NAN;
    return 0;
}
