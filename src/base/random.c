/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/random.h"

#include "base/clock.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* splitmix64's finaliser (Steele, Lea and Flood 2014): a bijection of 64 bits. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64u - k));
}

void rng_init(struct rng *r, uint64_t seed)
{
    /* A bijection of four different inputs: at most one word is 0, so the forbidden all-zero state can not come out. */
    for (size_t i = 0; i < 4; i++) {
        seed += GOLDEN;
        r->_s[i] = mix(seed);
    }
}

/* xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018). */
uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->_s;
    const uint64_t result = rotl(s[1] * 5u, 7) * 9u;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* Lemire, "Fast random integer generation in an interval" (2019): the high word of a product is uniform once the low
 * words below 2^64 mod n are thrown away. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    unsigned __int128 product = (unsigned __int128)rng_next(r) * n;

    if ((uint64_t)product < n) {
        const uint64_t reject = (0u - n) % n;
        while ((uint64_t)product < reject)
            product = (unsigned __int128)rng_next(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_unit(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

void rng_fill(struct rng *r, void *out, size_t len)
{
    unsigned char *p = out;

    while (len > 0) {
        const uint64_t word = rng_next(r);
        const size_t n = len < sizeof(word) ? len : sizeof(word);
        memcpy(p, &word, n);
        p += n;
        len -= n;
    }
}

/* Kernels before 3.17 and some sandboxes have no getrandom(): clocks and the process id then have to do. */
static void system_bytes(void *out, size_t len)
{
    if (getrandom(out, len, 0) == (ssize_t)len)
        return; /* up to 256 bytes are never cut short by a signal */

    struct rng r;
    rng_init(&r, mix(clock_wall_ns()) ^ mix(clock_now_ns() + GOLDEN) ^ ((uint64_t)getpid() << 32));
    rng_fill(&r, out, len);
}

uint64_t rng_seed_from_system(void)
{
    uint64_t seed = 0;

    system_bytes(&seed, sizeof(seed));
    return seed;
}

uint64_t rng_derive(uint64_t seed, uint64_t i)
{
    return mix(mix(i + GOLDEN) ^ mix(seed + GOLDEN)); /* for one seed a bijection of i: never twice the same stream */
}

void uuid_make(char out[UUID_TEXT_MAX])
{
    static const char HEX[] = "0123456789abcdef";
    unsigned char b[16];
    size_t at = 0;

    system_bytes(b, sizeof(b));
    b[6] = (unsigned char)((b[6] & 0x0fu) | 0x40u); /* RFC 9562 5.4: version 4 */
    b[8] = (unsigned char)((b[8] & 0x3fu) | 0x80u); /* RFC 9562 4.1: variant 10 */
    for (size_t i = 0; i < sizeof(b); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[at++] = '-';
        out[at++] = HEX[b[i] >> 4];
        out[at++] = HEX[b[i] & 0x0fu];
    }
    out[at] = '\0';
}
