/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /generate-files is measured against: DIR PREFIX N SIZE DELETE writes the same files in a plain loop and prints
 * the seconds that took. The text is made before: this is the least that writing them costs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    static const char CHARS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    enum { PIECE = 512 * 1024 };
    static char text[PIECE];

    if (argc != 6 || chdir(argv[1]) != 0)
        fail("usage: files DIR PREFIX N SIZE DELETE");
    long n = atol(argv[3]), size = atol(argv[4]);
    for (size_t i = 0; i < PIECE; i++)
        text[i] = CHARS[(size_t)random() % (sizeof(CHARS) - 1)];
    double begin = now();
    for (long i = 1; i <= n; i++) {
        char name[300];
        snprintf(name, sizeof(name), "%s_%ld.txt", argv[2], i);
        if (argv[5][0] == '1')
            unlink(name);
        int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (fd < 0)
            fail(name);
        for (long left = size; left > 0; left -= PIECE)
            if (write(fd, text, (size_t)(left < PIECE ? left : PIECE)) != (left < PIECE ? left : PIECE))
                fail(name);
        close(fd);
    }
    printf("%.6f\n", now() - begin);
    return 0;
}
