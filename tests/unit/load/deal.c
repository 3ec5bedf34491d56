/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/deal.h"
#include "load/schedule.h"

#include <math.h>
#include <stdlib.h>

#define TURNS_MAX 60u

static const struct {
    const char *why;
    uint64_t turns, shares, workers, kinds;
} TABLES[] = {
    { "one player", 5, 1, 1, 1 },
    { "three connections on two threads", 3, 1, 2, 1 },
    { "ten connections on eight threads", 10, 1, 8, 1 },
    { "as many threads as connections", 7, 1, 7, 7 },
    { "five targets of one connection on two threads", 5, 1, 2, 5 },
    { "five targets of four, in four shares", 20, 4, 2, 5 },
    { "four targets of four, in four shares: nobody gets one target alone", 16, 4, 2, 4 },
    { "two targets in four shares", 24, 4, 3, 2 },
    { "six targets in four shares, the last round is cut", 30, 4, 2, 6 },
    { "shares that do not divide the connections", 7, 3, 2, 1 },
    { "more targets than turns in a round", 12, 3, 2, 12 },
    { "many", 60, 4, 5, 10 },
};
#define TABLE_COUNT (sizeof(TABLES) / sizeof(*TABLES))

static void every_number_has_one_owner(void **state)
{
    (void)state;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        const uint64_t players = TABLES[t].shares * TABLES[t].workers <= TABLES[t].turns
                                     ? TABLES[t].shares * TABLES[t].workers
                                     : TABLES[t].shares;
        uint8_t owned[3 * TURNS_MAX] = { 0 };
        uint64_t before = UINT64_MAX;
        struct deal d;

        deal_init(&d, TABLES[t].turns, players, TABLES[t].kinds);
        for (uint64_t p = 0; p < players; p++) {
            const uint64_t mine = deal_turns(&d, p);

            if (mine > before || mine < d.turns / players || mine > d.turns / players + 1)
                fail_msg("%s: player %lu has %lu turns", TABLES[t].why, (unsigned long)p, (unsigned long)mine);
            before = mine;
            for (uint64_t k = 0; k < 3 * mine; k++) {
                const uint64_t number = deal_number(&d, p, k);

                assert_true(number < 3 * d.turns);
                owned[number]++;
                /* What lies below a number, and just not below it, agrees with its place. */
                assert_int_equal(deal_below(&d, p, number), k);
                assert_int_equal(deal_below(&d, p, number + 1), k + 1);
            }
            assert_true(deal_number(&d, p, 0) < players); /* the first numbers fall to all */
        }
        for (uint64_t n = 0; n < 3 * d.turns; n++)
            if (owned[n] != 1)
                fail_msg("%s: number %lu has %u owners", TABLES[t].why, (unsigned long)n, owned[n]);
    }
}

/* Closed model: request k is share k mod N's. */
static void without_kinds_numbers_go_round(void **state)
{
    struct deal d;

    (void)state;
    deal_init(&d, 4, 4, 1);
    for (uint64_t p = 0; p < 4; p++)
        for (uint64_t k = 0; k < 10; k++)
            assert_int_equal(deal_number(&d, p, k), 4 * k + p);
    assert_int_equal(deal_below(&d, 0, 103), 26);
    assert_int_equal(deal_below(&d, 3, 103), 25);
}

/* A connection's target is its turn mod targets: everybody gets all of them alike. */
static void kinds_are_dealt_to_all(void **state)
{
    static const struct {
        uint64_t kinds, of_each, players;
    } CASES[] = { { 4, 4, 4 }, { 2, 8, 4 }, { 6, 4, 4 }, { 500, 4, 4 }, { 3, 4, 6 }, { 5, 4, 4 } };

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        const uint64_t turns = CASES[i].kinds * CASES[i].of_each;
        struct deal d;

        deal_init(&d, turns, CASES[i].players, CASES[i].kinds);
        for (uint64_t p = 0; p < CASES[i].players; p++) {
            uint32_t *seen = calloc(CASES[i].kinds, sizeof(*seen));

            assert_non_null(seen);
            for (uint64_t k = 0; k < deal_turns(&d, p); k++)
                seen[deal_number(&d, p, k) % CASES[i].kinds]++;
            for (uint64_t kind = 0; kind < CASES[i].kinds; kind++)
                if (seen[kind] != CASES[i].of_each / CASES[i].players &&
                    seen[kind] != (CASES[i].of_each + CASES[i].players - 1) / CASES[i].players)
                    fail_msg("%lu kinds of %lu to %lu: player %lu has %u of kind %lu", (unsigned long)CASES[i].kinds,
                             (unsigned long)CASES[i].of_each, (unsigned long)CASES[i].players, (unsigned long)p,
                             seen[kind], (unsigned long)kind);
            free(seen);
        }
    }
}

/* Who has number n: worker of a share, as a run deals twice. */
static uint64_t owner(const struct deal *shares, uint64_t workers, uint64_t kinds, uint64_t n)
{
    for (uint64_t s = 0; s < shares->players; s++) {
        const uint64_t own = deal_below(shares, s, n);
        struct deal d;

        if (deal_below(shares, s, n + 1) == own)
            continue;
        deal_init(&d, deal_turns(shares, s), workers, kinds);
        for (uint64_t w = 0; w < workers; w++)
            if (deal_below(&d, w, own + 1) > deal_below(&d, w, own))
                return s * workers + w;
    }
    fail_msg("nobody has number %lu", (unsigned long)n);
    return 0;
}

/* In any run of numbers, over the end of a cycle too, a worker has what its turns say, give or take 2: so its requests
 * lie apart, and no worker is busy while the others wait. */
static void numbers_are_spread_evenly(void **state)
{
    (void)state;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        const uint64_t turns = TABLES[t].turns, workers = TABLES[t].workers;
        uint64_t owners[3 * TURNS_MAX], mine[TURNS_MAX] = { 0 };
        struct deal shares;

        if (TABLES[t].turns < TABLES[t].shares * workers)
            continue;
        deal_init(&shares, turns, TABLES[t].shares, TABLES[t].kinds);
        for (uint64_t n = 0; n < 3 * turns; n++) {
            owners[n] = owner(&shares, workers, TABLES[t].kinds, n);
            mine[owners[n]] += n < turns;
        }
        for (uint64_t from = 0; from < turns; from++) {
            uint64_t seen[TURNS_MAX] = { 0 };

            for (uint64_t n = from; n < from + 2 * turns; n++) {
                seen[owners[n]]++;
                for (uint64_t p = 0; p < TABLES[t].shares * workers; p++) {
                    const double due = (double)((n + 1 - from) * mine[p]) / (double)turns;

                    if (fabs((double)seen[p] - due) > 2)
                        fail_msg("%s: worker %lu has %lu of the %lu numbers from %lu, due are %.2f", TABLES[t].why,
                                 (unsigned long)p, (unsigned long)seen[p], (unsigned long)(n + 1 - from),
                                 (unsigned long)from, due);
                }
            }
        }
    }
}

/* Rates in proportion to connections, whoever sends: all that is due of 150/s in 2 s, by share and worker. */
static void a_rate_is_in_proportion_to_connections(void **state)
{
    static const struct load_stage RATE = { 150, 150, UINT64_MAX };
    static const struct load_schedule PLAN = { .stages = &RATE, .stage_count = 1 };

    (void)state;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        struct deal shares, workers;
        uint64_t sum = 0;

        if (TABLES[t].turns < TABLES[t].shares * TABLES[t].workers)
            continue;
        deal_init(&shares, TABLES[t].turns, TABLES[t].shares, TABLES[t].kinds);
        for (uint64_t s = 0; s < TABLES[t].shares; s++) {
            deal_init(&workers, deal_turns(&shares, s), TABLES[t].workers, TABLES[t].kinds);
            for (uint64_t w = 0; w < TABLES[t].workers; w++) {
                const uint32_t mine = (uint32_t)deal_turns(&workers, w);
                uint32_t turns[TURNS_MAX];
                struct schedule x;
                uint64_t due;

                for (uint32_t k = 0; k < mine; k++)
                    turns[k] = (uint32_t)deal_number(&shares, s, deal_number(&workers, w, k));
                schedule_init(&x, &PLAN, &(struct schedule_part){ turns, mine, shares.turns }, 1, 0);
                due = schedule_skip(&x, 2000000000);
                if (fabs((double)due - 300.0 * mine / (double)shares.turns) > 2)
                    fail_msg("%s: worker %lu of share %lu with %u connections has %lu due", TABLES[t].why,
                             (unsigned long)w, (unsigned long)s, mine, (unsigned long)due);
                sum += due;
            }
        }
        if (sum != 300)
            fail_msg("%s: all together have %lu due", TABLES[t].why, (unsigned long)sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_one_owner),
        cmocka_unit_test(without_kinds_numbers_go_round),
        cmocka_unit_test(kinds_are_dealt_to_all),
        cmocka_unit_test(numbers_are_spread_evenly),
        cmocka_unit_test(a_rate_is_in_proportion_to_connections),
    };

    return cmocka_run_group_tests_name("load deal", tests, NULL, NULL);
}
