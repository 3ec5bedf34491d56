/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /prime/{n} is measured against: the same divisions with nothing around them. Prints the prime and the seconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int is_prime(uint64_t candidate)
{
    for (uint64_t d = 2; d <= candidate / 2; d++) {
        uint64_t remainder = candidate % d;
        __asm__ volatile("" : "+r"(remainder)); /* each one is computed */
        if (remainder == 0)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    uint64_t n = strtoull(argc > 1 ? argv[1] : "2", NULL, 10);
    double begin = now();

    while (!is_prime(n))
        n++;
    printf("%llu %.6f\n", (unsigned long long)n, now() - begin);
    return 0;
}
