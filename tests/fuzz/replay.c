/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target once over each file of its corpus, each input at the end of an unreadable page, so that a byte
 * read too far crashes here too. Exits 1 when there was nothing to replay. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int run_bytes(int file, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = round_up(size + 1, page);
    uint8_t *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *data;

    if (map == MAP_FAILED || mprotect(map + room, page, PROT_NONE) != 0)
        return -1;
    data = map + room - size;
    if (read(file, data, size) != (ssize_t)size)
        return -1;
    LLVMFuzzerTestOneInput(data, size);
    return munmap(map, room + page);
}

static int run_file(int folder, const char *name)
{
    struct stat st;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC), failed = -1;

    if (file < 0)
        return -1;
    if (fstat(file, &st) == 0)
        failed = S_ISREG(st.st_mode) ? run_bytes(file, (size_t)st.st_size) : 1;
    close(file);
    return failed;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    unsigned ran = 0;

    if (folder == NULL) {
        fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 1;
    }
    while ((entry = readdir(folder)) != NULL) {
        const int failed = run_file(dirfd(folder), entry->d_name);

        if (failed < 0) {
            fprintf(stderr, "%s: can not be replayed\n", entry->d_name);
            return 1;
        }
        ran += failed == 0;
    }
    closedir(folder);
    printf("%u inputs replayed\n", ran);
    return ran > 0 ? 0 : 1;
}
