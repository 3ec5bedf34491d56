/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who owns which of the numbers 0, 1, 2 … of a plan. Pure numbers.
 *
 * A cycle has `turns` turns, one for each connection of the whole plan, and number k has the turn k mod turns. Turns
 * are dealt to the players like cards, one after the other, and whoever owns a turn owns its numbers in every cycle. So
 * everybody owns as many numbers in a cycle as connections, whatever the number of players: a rate is in exact
 * proportion to connections. A player's numbers lie one round of the table apart, nearly evenly, and no two have the
 * same one: they never fire together.
 *
 * Turns also have a kind (a connection's target): turn t is of kind t mod kinds. Where kinds and players have a common
 * divisor, dealing would bring a player the same few kinds for ever: 4 targets to 4 players, one to each. So after
 * every lcm(kinds, players) turns, when the pattern begins to repeat, the dealer moves on by one player. The turns that
 * are left over at the end of the cycle go to the first players.
 *
 * Always true: the players' counts differ by one at most, the first have what is left over; the first `players` turns
 * fall to all players, in order; a player's numbers rise. Of any x numbers that follow each other a player that owns m
 * turns has x m / turns, give or take 2. */
#ifndef PLIMSOLL_LOAD_DEAL_H
#define PLIMSOLL_LOAD_DEAL_H

#include <stdint.h>

struct deal {
    uint64_t turns; /* of a cycle */
    uint64_t players;
    uint64_t _round; /* turns after which the dealer moves on */
    uint64_t _moves; /* how often in a cycle */
};

void deal_init(struct deal *d, uint64_t turns, uint64_t players, uint64_t kinds); /* none of them 0 */
/* How many of the numbers below n are the player's. */
uint64_t deal_below(const struct deal *d, uint64_t player, uint64_t n);
/* The player's k-th number; the player must own a turn. */
uint64_t deal_number(const struct deal *d, uint64_t player, uint64_t k);

/* In a cycle. */
static inline uint64_t deal_turns(const struct deal *d, uint64_t player)
{
    return deal_below(d, player, d->turns);
}

#endif
