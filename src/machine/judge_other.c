/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/judge.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

#define MEBIBYTE (1024.0 * 1024.0)
#define LITTLE_MEMORY (256 * MEBIBYTE)

static void judge_memory(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] = "A machine that swaps, or whose caches are taken away, stands still for moments.";
    char left[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];

    if (isnan(f->memory_available) || isnan(f->memory_total))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "can not be read");
    else
        finding_set(out, f->memory_available < LITTLE_MEMORY ? FINDING_SPOILS : FINDING_FINE, WHY,
                    "stop what takes it: ps --sort=-rss -eo rss,pid,comm | head", "%s of %s are free to use",
                    units_format_size(left, f->memory_available), units_format_size(all, f->memory_total));
}

static void judge_pages(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "The kernel puts pages together while programs run: a target with much memory (databases, "
        "caches) stops for moments.";

    if (f->huge_pages[0] == '\0')
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the kernel does not say");
    else if (strcmp(f->huge_pages, "always") == 0)
        finding_set(out, FINDING_NOTE, WHY, "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                    "for every program (transparent huge pages: always)");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "%s", f->huge_pages);
}

static void judge_power(const struct machine_facts *f, struct finding *out)
{
    if (f->on_battery)
        finding_set(out, FINDING_SPOILS, "Processors are held back to save power.", "plug it in", "on battery");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "from the mains, as far as the kernel says");
}

static void judge_observers(const struct machine_facts *f, struct finding *out)
{
    static const char TRACED[] = "A debugger or strace stops the program at each call: every latency is longer.";
    static const char PRELOADED[] = "Another library's functions stand between the program and the C library.";

    if (f->tracer_pid > 0)
        finding_set(out, FINDING_SPOILS, TRACED, "run it without strace, ltrace or a debugger",
                    "process %.0f traces this one", f->tracer_pid);
    else if (f->preloads)
        finding_set(out, FINDING_NOTE, PRELOADED, "unset LD_PRELOAD", "LD_PRELOAD is set");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "nobody traces this program");
}

const struct machine_check MACHINE_OTHER_CHECKS[] = {
    { "memory", "Memory", judge_memory },
    { "huge-pages", "Huge pages", judge_pages },
    { "power", "Power", judge_power },
    { "observers", "Observers", judge_observers },
    { 0 },
};
