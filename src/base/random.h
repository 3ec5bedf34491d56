/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reproducible random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna 2018).
 * Not for secrets. One generator per thread; derived seeds never overlap in practice. */
#ifndef PLIMSOLL_BASE_RANDOM_H
#define PLIMSOLL_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t _s[4];
};

void rng_init(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* uniform in [0, n), n > 0, without modulo bias */
double rng_unit(struct rng *r);                /* uniform in [0, 1) */
void rng_fill(struct rng *r, void *out, size_t len);
/* A seed from the kernel, for when the user gave none (it is then printed). */
uint64_t rng_seed_from_system(void);
/* The seed of stream i under a main seed. */
uint64_t rng_derive(uint64_t seed, uint64_t i);

#define UUID_TEXT_MAX 37
/* A random version 4 UUID (RFC 9562) from the kernel's generator, lower case, NUL-terminated. */
void uuid_make(char out[UUID_TEXT_MAX]);

#endif
