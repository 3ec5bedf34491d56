/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of a machine, from a /proc and a /sys of the test's own. */
#include "machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "tree.h"

#define LIMITS                                                                         \
    "Limit                     Soft Limit           Hard Limit           Units     \n" \
    "Max open files            1024                 524288               files     \n"
#define CPUS "/sys/devices/system/cpu/"
#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"

static int make(void **state)
{
    static struct tree t;

    tree_make(&t);
    *state = &t;
    return 0;
}

static int drop(void **state)
{
    tree_remove(*state);
    return 0;
}

static struct machine_facts read_it(const struct tree *t)
{
    struct machine_facts f;

    machine_facts_init(&f);
    machine_read(&f, t->root);
    return f;
}

static void nothing_there_is_nothing_known(void **state)
{
    const struct machine_facts f = read_it(*state);

    assert_true(isnan(f.open_files_hard) && isnan(f.port_first) && isnan(f.tw_reuse) && isnan(f.time_wait));
    assert_true(isnan(f.conntrack_max) && isnan(f.ipv6_disabled) && isnan(f.processors) && isnan(f.capacity));
    assert_true(isnan(f.governed) && isnan(f.turbo) && isnan(f.memory_total));
    assert_string_equal(f.clock_source, "");
    assert_string_equal(f.huge_pages, "");
    assert_false(f.on_battery || f.address_translation || f.is_virtual);
}

static void files_and_ports(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, "/proc/self/limits", LIMITS);
    tree_put(t, "/proc/sys/fs/file-nr", "1216\t0\t9223372036854775807\n");
    tree_put(t, "/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
    tree_put(t, "/proc/sys/net/ipv4/tcp_tw_reuse", "2\n");
    tree_put(t, "/proc/sys/net/core/somaxconn", "128\n");
    tree_put(t, "/proc/net/sockstat", "sockets: used 25\nTCP: inuse 3 orphan 0 tw 4711 alloc 5 mem 1\n");
    f = read_it(t);
    assert_true(f.open_files_soft == 1024 && f.open_files_hard == 524288 && f.files_used == 1216);
    assert_true(f.port_first == 32768 && f.port_last == 60999 && f.tw_reuse == 2);
    assert_true(f.somaxconn == 128 && f.time_wait == 4711);
}

static void unlimited_files(void **state)
{
    const struct tree *t = *state;

    tree_put(t, "/proc/self/limits",
             "Max open files            unlimited            unlimited            files     \n");
    assert_true(isinf(read_it(t).open_files_hard));
}

static void tracked_and_translated(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, "/proc/sys/net/netfilter/nf_conntrack_count", "17\n");
    tree_put(t, "/proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
    tree_put(t, "/proc/net/ip_tables_names", "filter\nnatural\n");
    f = read_it(t);
    assert_true(f.conntrack_count == 17 && f.conntrack_max == 65536 && !f.address_translation);
    tree_put(t, "/proc/net/ip_tables_names", "filter\nnat\n");
    assert_true(read_it(t).address_translation);
}

static void ipv6(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, "/proc/sys/net/ipv6/conf/all/disable_ipv6", "0\n");
    tree_put(t, "/proc/net/if_inet6", "fe80000000000000000000fffe000001 02 40 20 80     eth0\n");
    f = read_it(t);
    assert_true(f.ipv6_disabled == 0 && !f.ipv6_loopback && !f.ipv6_global);
    tree_put(t, "/proc/net/if_inet6",
             "00000000000000000000000000000001 01 80 10 80       lo\n"
             "20010db8000000000000000000000001 02 40 00 80     eth0\n");
    f = read_it(t);
    assert_true(f.ipv6_loopback && f.ipv6_global);
}

static void processors(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, CPUS "online", "0-3\n");
    for (int i = 0; i < 4; i++) {
        char path[96];

        snprintf(path, sizeof(path), CPUS "cpu%d/cpufreq/scaling_governor", i);
        tree_put(t, path, i < 3 ? "powersave\n" : "performance\n");
    }
    tree_put(t, CPUS "intel_pstate/no_turbo", "0\n");
    tree_put(t, CLOCKS "current_clocksource", "hpet\n");
    tree_put(t, CLOCKS "available_clocksource", "tsc hpet acpi_pm \n");
    tree_put(t, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n");
    f = read_it(t);
    assert_true(f.processors == 4 && f.governed == 3 && f.turbo == 1 && f.is_virtual);
    assert_string_equal(f.governor, "powersave");
    assert_string_equal(f.clock_source, "hpet");
    assert_non_null(strstr(f.turbo_mend, "no_turbo"));
}

static void boost_of_other_drivers(void **state)
{
    const struct tree *t = *state;

    tree_put(t, CPUS "cpufreq/boost", "0\n");
    assert_true(read_it(t).turbo == 0);
}

static void quota(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/cgroup", (long)getpid());
    tree_put(t, path, "0::/ci/job\n");
    tree_put(t, CPUS "online", "0-7\n");
    tree_put(t, "/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    tree_put(t, "/sys/fs/cgroup/ci/job/cpu.max", "150000 100000\n");
    tree_put(t, "/sys/fs/cgroup/ci/job/cpu.stat", "usage_usec 1\nnr_periods 200\nnr_throttled 50\nthrottled_usec 9\n");
    f = read_it(t);
    assert_true(f.processors == 8 && fabs(f.capacity - 1.5) < 1e-9 && fabs(f.throttled_share - 0.25) < 1e-9);
}

static void the_rest(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, "/proc/meminfo", "MemTotal:       8000000 kB\nMemFree:  1 kB\nMemAvailable:    100000 kB\n");
    tree_put(t, "/proc/self/status", "Name:\tx\nTracerPid:\t42\n");
    tree_put(t, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    tree_put(t, "/sys/class/power_supply/BAT0/status", "Discharging\n");
    f = read_it(t);
    assert_true(f.memory_total == 8192000000.0 && f.memory_available == 102400000.0 && f.tracer_pid == 42);
    assert_string_equal(f.huge_pages, "always");
    assert_true(f.on_battery);
}

static void what_does_not_print_is_not_passed_on(void **state)
{
    const struct tree *t = *state;

    tree_put(t, CLOCKS "current_clocksource", "ts\033[31mc\n");
    assert_string_equal(read_it(t).clock_source, "ts?[31mc");
}

/* The tree stands still: nobody uses anything. */
static void a_still_machine(void **state)
{
    const struct tree *t = *state;
    struct machine_facts f;

    tree_put(t, "/proc/stat", "cpu  100 0 100 1000 0 0 0 7 0 0\ncpu0 100 0 100 1000 0 0 0 7 0 0\n");
    tree_put_process(t, 12, 1, 100, 5, 5, 0, 1, 10);
    machine_facts_init(&f);
    assert_true(machine_watch(&f, t->root, 20 * NS_PER_MS));
    assert_true(f.others_cores == 0 && f.stolen_share == 0 && f.busiest[0].pid == 0);
    assert_true(f.watched_s >= 0.02 && f.timer_p50_ns > 0 && f.timer_p50_ns <= f.timer_p99_ns);
    assert_true(f.timer_p99_ns <= f.timer_max_ns);
}

/* This machine as it is: whatever it says is within reason. */
static void the_real_one(void **state)
{
    struct machine_facts f;

    (void)state;
    machine_facts_init(&f);
    machine_read(&f, "");
    assert_true(machine_watch(&f, "", 20 * NS_PER_MS));
    machine_try(&f);
    assert_true(f.port_first > 0 && f.port_last > f.port_first && f.open_files_hard > 0);
    assert_true(f.clock_read_ns > 0 && f.clock_resolution_ns >= 1);
    assert_true(f.round_trip_p50_ns > 0 && f.others_cores >= 0);
    assert_true(f.stolen_share >= 0 && f.stolen_share <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_there_is_nothing_known, make, drop),
        cmocka_unit_test_setup_teardown(files_and_ports, make, drop),
        cmocka_unit_test_setup_teardown(unlimited_files, make, drop),
        cmocka_unit_test_setup_teardown(tracked_and_translated, make, drop),
        cmocka_unit_test_setup_teardown(ipv6, make, drop),
        cmocka_unit_test_setup_teardown(processors, make, drop),
        cmocka_unit_test_setup_teardown(boost_of_other_drivers, make, drop),
        cmocka_unit_test_setup_teardown(quota, make, drop),
        cmocka_unit_test_setup_teardown(the_rest, make, drop),
        cmocka_unit_test_setup_teardown(what_does_not_print_is_not_passed_on, make, drop),
        cmocka_unit_test_setup_teardown(a_still_machine, make, drop),
        cmocka_unit_test(the_real_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
