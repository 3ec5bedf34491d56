/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/judge.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

#define SLOW_READ_NS 250
#define COARSE_NS 1000
#define LATE_P50_NS 500000
#define LATE_P99_NS 10000000
#define LATE_NOTE_NS 2000000

static const char SLOW_CLOCK[] = "Every request reads the clock several times; here each reading is a call into the "
                                 "kernel or to a slow device, which costs load and blurs short latencies.";

/* A whole word of a list with spaces. */
static bool lists(const char *words, const char *word)
{
    struct slice rest = slice_str(words);

    while (rest.len > 0)
        if (slice_eq(slice_trim(slice_split(&rest, ' ')), slice_str(word)))
            return true;
    return false;
}

static void judge_source(const struct machine_facts *f, struct finding *out)
{
    static const char *const SLOW[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit" };
    const char *mend = lists(f->clock_sources, "tsc")
                           ? "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
                           : "boot with clocksource=tsc, or measure on another machine";
    const char *name = f->clock_source[0] != '\0' ? f->clock_source : "of an unknown kind";
    bool is_slow = f->clock_read_ns > SLOW_READ_NS;
    char text[UNITS_TEXT_MAX];

    for (size_t i = 0; i < sizeof(SLOW) / sizeof(SLOW[0]); i++)
        is_slow = is_slow || strcmp(f->clock_source, SLOW[i]) == 0;
    if (isnan(f->clock_read_ns))
        finding_set(out, is_slow ? FINDING_SPOILS : FINDING_UNKNOWN, SLOW_CLOCK, mend, "%s", name);
    else
        finding_set(out, is_slow ? FINDING_SPOILS : FINDING_FINE, SLOW_CLOCK, mend, "%s, a reading takes %s", name,
                    units_format_duration(text, f->clock_read_ns));
}

static void judge_sync(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "Durations do not need it (they come from another clock); several machines that start together "
        "(--start-at) and comparisons with logs of others do.";
    char text[UNITS_TEXT_MAX];

    if (isnan(f->wall_synced))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the kernel does not say");
    else if (f->wall_synced == 0)
        finding_set(out, FINDING_NOTE, WHY, "sudo timedatectl set-ntp true; in a virtual machine: its host's clock",
                    "nothing keeps the time of day right");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "kept right, to %s at worst",
                    units_format_duration(text, f->wall_error_s * NS_PER_S));
}

static void judge_timer(const struct machine_facts *f, struct finding *out)
{
    static const char COARSE[] = "Without high-resolution timers requests of a rate leave in bunches.";
    static const char LATE[] =
        "A timer that fires late sends late: the latency of a rate then holds this machine's own "
        "delays. Busy neighbours, power saving or a hypervisor are the usual causes.";
    char p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];
    enum finding_level level = FINDING_FINE;

    if (f->clock_resolution_ns > COARSE_NS) {
        finding_set(out, FINDING_SPOILS, COARSE, "boot without highres=off", "steps of %s",
                    units_format_duration(p50, f->clock_resolution_ns));
        return;
    }
    if (isnan(f->timer_p99_ns)) {
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "was not tried");
        return;
    }
    if (f->timer_p99_ns > LATE_P99_NS || f->timer_p50_ns > LATE_P50_NS)
        level = FINDING_SPOILS;
    else if (f->timer_p99_ns > LATE_NOTE_NS)
        level = FINDING_NOTE;
    finding_set(out, level, LATE, "stop what else runs here, or measure from a machine of its own",
                "late by p50 %s, p99 %s, at most %s", units_format_duration(p50, f->timer_p50_ns),
                units_format_duration(p99, f->timer_p99_ns), units_format_duration(max, f->timer_max_ns));
}

const struct machine_check MACHINE_CLOCK_CHECKS[] = {
    { "clock", "Clock", judge_source },
    { "clock-sync", "Time of day", judge_sync },
    { "timer", "Timers", judge_timer },
    { 0 },
};
