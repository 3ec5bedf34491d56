/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What spoils, what is worth knowing, what is fine: from facts that the test makes up. */
#include "machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report/checkup.h"

/* A machine without a fault. */
static struct machine_facts good(void)
{
    struct machine_facts f;

    machine_facts_init(&f);
    f.open_files_hard = 524288;
    f.files_used = 100;
    f.files_max = 1e6;
    f.port_first = 32768;
    f.port_last = 60999;
    f.tw_reuse = 1;
    f.time_wait = 0;
    f.somaxconn = 4096;
    f.conntrack_count = 10;
    f.conntrack_max = 262144;
    f.ipv6_disabled = 0;
    f.ipv6_loopback = true;
    f.processors = f.capacity = 4;
    f.throttled_share = 0;
    f.governed = f.turbo = 0;
    strcpy(f.clock_source, "tsc");
    strcpy(f.clock_sources, "tsc hpet");
    f.clock_read_ns = 25;
    f.clock_resolution_ns = 1;
    f.wall_synced = 1;
    f.wall_error_s = 0.01;
    f.memory_available = 4e9;
    f.memory_total = 8e9;
    strcpy(f.huge_pages, "madvise");
    f.tracer_pid = 0;
    f.watched_s = 1;
    f.stolen_share = f.others_cores = 0;
    f.timer_p50_ns = 50e3;
    f.timer_p99_ns = 200e3;
    f.timer_max_ns = 1e6;
    f.round_trip_p50_ns = 10e3;
    return f;
}

#define SET(name, ...)                        \
    static void name(struct machine_facts *f) \
    {                                         \
        __VA_ARGS__;                          \
    }
SET(few_files, f->open_files_hard = 1024)
SET(files_used_up, f->files_used = 0.95 * f->files_max)
SET(no_file_limit, f->open_files_hard = (double)INFINITY)
SET(few_ports, f->port_last = 40000)
SET(ports_held, f->time_wait = 20000)
SET(no_reuse, f->tw_reuse = 0)
SET(loopback_reuse, f->tw_reuse = 2)
SET(full_table, f->conntrack_count = 230000)
SET(small_table, f->conntrack_max = 4096)
SET(no_table, f->conntrack_max = NAN)
SET(short_line, f->somaxconn = 128)
SET(no_ipv6, f->ipv6_disabled = 1)
SET(half_ipv6, f->ipv6_loopback = false)
SET(slow_loopback, f->round_trip_p50_ns = 10e6)
SET(translated, f->address_translation = true)
SET(slow_source, strcpy(f->clock_source, "hpet"))
SET(slow_reading, f->clock_read_ns = 900)
SET(coarse, f->clock_resolution_ns = 4e6)
SET(not_synced, f->wall_synced = 0)
SET(late, f->timer_p99_ns = 20e6)
SET(rather_late, f->timer_p99_ns = 3e6)
SET(powersave, f->governed = 4; strcpy(f->governor, "powersave"))
SET(hidden_governor, f->governed = NAN)
SET(turbo, f->turbo = 1; f->turbo_mend = "echo 1")
SET(quota, f->capacity = 1.5)
SET(throttled, f->capacity = 1.5; f->throttled_share = 0.2)
SET(stolen, f->stolen_share = 0.05)
SET(a_bit_stolen, f->stolen_share = 0.005)
SET(busy, f->others_cores = 2; f->busiest[0] = (struct busy_process){ 42, "stress", 1.9 })
SET(a_bit_busy, f->others_cores = 0.3)
SET(full_memory, f->memory_available = 1e8)
SET(huge_pages, strcpy(f->huge_pages, "always"))
SET(battery, f->on_battery = true)
SET(traced, f->tracer_pid = 7)
SET(preloaded, f->preloads = true)
SET(nothing, (void)f)

static const struct judge_case {
    const char *why, *check;
    void (*change)(struct machine_facts *f);
    enum finding_level want;
    const char *says, *mend;
} CASES[] = {
    { "1,024 files are 1,000 connections", "open-files", few_files, FINDING_SPOILS, "1,024", "nofile" },
    { "the machine has none left", "open-files", files_used_up, FINDING_SPOILS, "950,000 of the machine's",
      "fs.file-max" },
    { "no limit is fine", "open-files", no_file_limit, FINDING_FINE, "no limit", NULL },
    { "a narrow range", "local-ports", few_ports, FINDING_SPOILS, "7,233", "ip_local_port_range" },
    { "ports of a run that has just ended", "local-ports", ports_held, FINDING_SPOILS, "20,000", "sleep 60" },
    { "Debian's range is fine", "local-ports", nothing, FINDING_FINE, "471 new connections a second", "" },
    { "no reuse spoils only runs without keep-alive", "time-wait-reuse", no_reuse, FINDING_NOTE, "off",
      "tcp_tw_reuse=1" },
    { "the kernel's default", "time-wait-reuse", loopback_reuse, FINDING_NOTE, "loopback", "tcp_tw_reuse=1" },
    { "a full table drops packets", "tracking", full_table, FINDING_SPOILS, "230,000 of 262,144", "nf_conntrack_max" },
    { "a small table", "tracking", small_table, FINDING_NOTE, "4,096", "nf_conntrack_max" },
    { "no table", "tracking", no_table, FINDING_FINE, "not tracked", NULL },
    { "an old kernel's line", "accept-line", short_line, FINDING_NOTE, "128", "somaxconn" },
    { "IPv6 off is no fault", "ipv6", no_ipv6, FINDING_FINE, "off", NULL },
    { "IPv6 on without its loopback", "ipv6", half_ipv6, FINDING_NOTE, "::1", "-4" },
    { "netem on lo", "network-path", slow_loopback, FINDING_SPOILS, "10.0 ms", "tc qdisc" },
    { "a mesh's rules", "network-path", translated, FINDING_NOTE, "translated", "iptables" },
    { "hpet though there is a tsc", "clock", slow_source, FINDING_SPOILS, "hpet", "echo tsc" },
    { "a clock without vDSO", "clock", slow_reading, FINDING_SPOILS, "900 ns", "echo tsc" },
    { "no high-resolution timers", "timer", coarse, FINDING_SPOILS, "4.00 ms", "highres" },
    { "durations do not care", "clock-sync", not_synced, FINDING_NOTE, "time of day", "set-ntp" },
    { "late as load calls itself limited", "timer", late, FINDING_SPOILS, "p99 20.0 ms", "" },
    { "rather late", "timer", rather_late, FINDING_NOTE, "p99 3.00 ms", "" },
    { "clock rate follows load", "cpu-governor", powersave, FINDING_SPOILS, "powersave on 4", "scaling_governor" },
    { "a virtual machine shows none", "cpu-governor", hidden_governor, FINDING_UNKNOWN, "", NULL },
    { "turbo", "cpu-turbo", turbo, FINDING_NOTE, "on", "echo 1" },
    { "a quota that was not hit yet", "cpu-quota", quota, FINDING_NOTE, "1.5 of 4", "docker" },
    { "a quota that was", "cpu-quota", throttled, FINDING_SPOILS, "20 %", "docker" },
    { "stolen", "cpu-steal", stolen, FINDING_SPOILS, "5 %", "" },
    { "a bit stolen", "cpu-steal", a_bit_stolen, FINDING_NOTE, "0.5 %", "" },
    { "a busy neighbour has a name", "neighbours", busy, FINDING_SPOILS, "stress (process 42) 190 %", "stop them" },
    { "a bit busy", "neighbours", a_bit_busy, FINDING_NOTE, "0.30 of 4", "" },
    { "no memory", "memory", full_memory, FINDING_SPOILS, "95.4 MiB", "ps" },
    { "huge pages", "huge-pages", huge_pages, FINDING_NOTE, "always", "madvise" },
    { "battery", "power", battery, FINDING_SPOILS, "battery", "plug" },
    { "strace", "observers", traced, FINDING_SPOILS, "process 7", "strace" },
    { "preload", "observers", preloaded, FINDING_NOTE, "LD_PRELOAD", "unset" },
};

static struct checkup judged(void (*change)(struct machine_facts *f))
{
    struct machine_facts f = good();
    struct checkup c = { 0 };

    change(&f);
    assert_int_equal(machine_judge(&f, &c, NULL), 0);
    return c;
}

static struct finding *find(const struct checkup *c, const char *check)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->findings[i].check, check) == 0)
            return &c->findings[i];
    fail_msg("no check %s", check);
    return NULL;
}

static void each_fault_is_seen_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        const struct judge_case *k = &CASES[i];
        struct checkup c = judged(k->change);
        const struct finding *f = find(&c, k->check);

        if (f->level != k->want || strstr(f->found, k->says) == NULL)
            fail_msg("%s: %s: %s", k->why, finding_level_text(f->level), f->found);
        if (k->mend != NULL && (f->mend == NULL || strstr(f->mend, k->mend) == NULL) && k->want != FINDING_FINE)
            fail_msg("%s: mend: %s", k->why, f->mend != NULL ? f->mend : "nothing");
        for (size_t n = 0; n < c.count; n++)
            if (&c.findings[n] != f && c.findings[n].level != FINDING_FINE)
                fail_msg("%s: also %s: %s", k->why, c.findings[n].check, c.findings[n].found);
        assert_int_equal(checkup_exit_code(&c), k->want == FINDING_SPOILS);
        checkup_release(&c);
    }
}

static void nothing_known_spoils_nothing(void **state)
{
    struct machine_facts f;
    struct checkup c = { 0 };

    (void)state;
    machine_facts_init(&f);
    assert_int_equal(machine_judge(&f, &c, NULL), 0);
    assert_int_equal(checkup_exit_code(&c), 0);
    for (size_t i = 0; i < c.count; i++)
        assert_true(c.findings[i].level == FINDING_UNKNOWN || c.findings[i].level == FINDING_FINE);
    checkup_release(&c);
}

static void what_is_accepted_does_not_count(void **state)
{
    struct checkup c = judged(powersave);
    struct buf text;

    (void)state;
    find(&c, "cpu-governor")->is_accepted = true;
    assert_int_equal(checkup_exit_code(&c), 0);
    buf_init(&text, 1 << 16);
    report_checkup(&text, &c, 0);
    assert_true(strncmp(text.data, "OK: ", 4) == 0);
    assert_non_null(strstr(text.data, "accepted with --ignore"));
    buf_release(&text);
    checkup_release(&c);
}

static void text_says_why_and_how(void **state)
{
    struct checkup c = judged(powersave);
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 16);
    report_checkup(&text, &c, 0);
    assert_true(strncmp(text.data, "1 thing will spoil", 18) == 0);
    assert_non_null(strstr(text.data, "\nSpoils a measurement here\n  CPU governor    powersave on 4 processors\n"));
    /* A command is there to be copied: on one line, however long. */
    assert_non_null(
        strstr(text.data, "mend: echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\n"));
    assert_null(strstr(text.data, "Worth knowing"));
    buf_release(&text);
    checkup_release(&c);
}

static void json_has_all(void **state)
{
    struct checkup c = judged(powersave);
    struct buf text;
    json_t *doc, *list;

    (void)state;
    strcpy(c.host.hostname, "a\"b");
    buf_init(&text, 1 << 16);
    assert_int_equal(checkup_to_json(&c, &text, NULL), 0);
    doc = json_loadb(text.data, text.len, 0, NULL);
    assert_non_null(doc);
    list = json_object_get(doc, "findings");
    assert_int_equal(json_array_size(list), c.count);
    assert_true(json_is_false(json_object_get(doc, "ok")));
    for (size_t i = 0; i < c.count; i++) {
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "check")),
                            machine_check_name(i));
        assert_string_equal(json_string_value(json_object_get(json_array_get(list, i), "found")), c.findings[i].found);
    }
    json_decref(doc);
    buf_release(&text);
    checkup_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_is_seen_and_no_other),
        cmocka_unit_test(nothing_known_spoils_nothing),
        cmocka_unit_test(what_is_accepted_does_not_count),
        cmocka_unit_test(text_says_why_and_how),
        cmocka_unit_test(json_has_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
