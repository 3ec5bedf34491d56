/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "load/deal.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

void deal_init(struct deal *d, uint64_t turns, uint64_t players, uint64_t kinds)
{
    const uint64_t common = common_divisor(kinds, players);

    *d = (struct deal){ .turns = turns, .players = players, ._round = turns };
    if (common > 1 && kinds / common <= turns / players) {
        d->_round = kinds / common * players;
        d->_moves = turns / d->_round;
    }
}

/* Where the player sits when the dealer has moved on so often. */
static uint64_t seat(const struct deal *d, uint64_t player, uint64_t moved)
{
    return moved < d->_moves ? (player + d->players - moved % d->players) % d->players : player;
}

static uint64_t below_in_cycle(const struct deal *d, uint64_t player, uint64_t turn)
{
    const uint64_t rounds = turn / d->_round < d->_moves ? turn / d->_round : d->_moves;
    const uint64_t rest = turn - rounds * d->_round, at = seat(d, player, rounds);

    return rounds * (d->_round / d->players) + (rest > at ? (rest - at - 1) / d->players + 1 : 0);
}

uint64_t deal_below(const struct deal *d, uint64_t player, uint64_t n)
{
    const uint64_t cycles = n / d->turns;

    return (cycles > 0 ? cycles * below_in_cycle(d, player, d->turns) : 0) + below_in_cycle(d, player, n % d->turns);
}

uint64_t deal_number(const struct deal *d, uint64_t player, uint64_t k)
{
    const uint64_t mine = deal_turns(d, player), turn = k % mine, of_round = d->_round / d->players;
    const uint64_t rounds = d->_moves > 0 && turn / of_round < d->_moves ? turn / of_round : d->_moves;

    return k / mine * d->turns + rounds * d->_round + (turn - rounds * of_round) * d->players + seat(d, player, rounds);
}
