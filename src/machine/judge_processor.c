/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/judge.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"

static void judge_governor(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "The clock rate follows the load, so that the same work takes another time in each run, and a "
        "lightly loaded target looks slower than a busy one.";
    static const char MEND[] = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";

    if (isnan(f->governed))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "%s",
                    f->is_virtual ? "a virtual machine: its host decides the clock rate" : "the kernel shows none");
    else if (f->governed == 0)
        finding_set(out, FINDING_FINE, NULL, NULL, "performance");
    else
        finding_set(out, FINDING_SPOILS, WHY, MEND, "%s on %.0f processor%s", f->governor, f->governed,
                    units_plural((uint64_t)f->governed));
}

static void judge_turbo(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "A cool machine is faster than one that has run for a minute: warm up, and compare runs in "
        "turn, or switch it off.";

    if (isnan(f->turbo))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the kernel does not say");
    else if (f->turbo == 0)
        finding_set(out, FINDING_FINE, NULL, NULL, "off");
    else
        finding_set(out, FINDING_NOTE, WHY, f->turbo_mend, "on");
}

static void judge_quota(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "Who has used up the quota of a period (0.1 s) stands still until the next one: latencies of "
        "tens of milliseconds that are nobody's but the quota's.";
    static const char MEND[] =
        "docker update --cpus 0 CONTAINER; Kubernetes: no limits.cpu, or whole processors with the "
        "static CPU policy";
    enum finding_level level = FINDING_FINE;

    if (isnan(f->capacity) || isnan(f->processors)) {
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the control group can not be seen");
        return;
    }
    if (f->throttled_share > 0.01)
        level = FINDING_SPOILS;
    else if (f->capacity < f->processors)
        level = FINDING_NOTE;
    finding_set(out, level, WHY, MEND, "%.3g of %.0f processors", f->capacity, f->processors);
    if (level == FINDING_SPOILS)
        finding_set(out, level, WHY, MEND, "%.3g of %.0f processors, and stopped in %.3g %% of the periods so far",
                    f->capacity, f->processors, 100 * f->throttled_share);
}

static void judge_stolen(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] = "Another virtual machine had the processor meanwhile; whatever was measured then waited.";
    enum finding_level level = FINDING_FINE;

    if (isnan(f->stolen_share)) {
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "was not watched");
        return;
    }
    if (f->stolen_share > 0.02)
        level = FINDING_SPOILS;
    else if (f->stolen_share > 0.002)
        level = FINDING_NOTE;
    finding_set(out, level, WHY, "a machine with processors of its own, or another hour of the day",
                "%.2g %% of the time in %.1f s", 100 * f->stolen_share, f->watched_s);
}

static void name_busiest(struct buf *out, const struct machine_facts *f)
{
    for (size_t i = 0; i < MACHINE_BUSY_MAX && f->busiest[i].pid != 0; i++)
        if (f->busiest[i].cores >= 0.02)
            buf_printf(out, "%s %s (process %llu) %.0f %% of one", out->len > 0 ? "," : ":", f->busiest[i].name,
                       (unsigned long long)f->busiest[i].pid, 100 * f->busiest[i].cores);
}

static void judge_neighbours(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] = "They take turns with the load generator and with a target on this machine: the figures "
                              "then hold their work too.";
    const double share = f->others_cores / f->processors;
    enum finding_level level = FINDING_FINE;
    struct buf names;

    if (isnan(share)) {
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "were not watched");
        return;
    }
    if (share > 0.2)
        level = FINDING_SPOILS;
    else if (share > 0.05)
        level = FINDING_NOTE;
    buf_init(&names, 1024);
    name_busiest(&names, f);
    finding_set(out, level, WHY, "stop them, or measure from a machine of its own",
                "others use %.2f of %.0f processors%s", f->others_cores, f->processors,
                names.data != NULL ? names.data : "");
    buf_release(&names);
}

const struct machine_check MACHINE_PROCESSOR_CHECKS[] = {
    { "cpu-governor", "CPU governor", judge_governor }, { "cpu-turbo", "CPU turbo", judge_turbo },
    { "cpu-quota", "CPU quota", judge_quota },          { "cpu-steal", "CPU stolen", judge_stolen },
    { "neighbours", "Neighbours", judge_neighbours },   { 0 },
};
