/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control groups and units, from a /sys of the test's own. */
#include "watch/cgroup.h"
#include "watch/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define GROUP "/sys/fs/cgroup/system.slice/store.service"

static double value_of(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->values[i].name, name) == 0)
            return r->values[i].value;
    return NAN;
}

static struct source *open_it(const struct tree *t, source_opener *opener, const char *what, struct err *err)
{
    const struct source_context context = { .root = t->root, .cancel_fd = -1 };
    struct source *s = NULL;

    return opener(&s, slice_str(what), &context, err) == 0 ? s : NULL;
}

static void put_v2(const struct tree *t)
{
    tree_put(t, "/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
    tree_put(t, "/sys/devices/system/cpu/online", "0-3\n");
    tree_put(t, GROUP "/cpu.stat", "usage_usec 2500000\nuser_usec 1\nnr_throttled 5\nthrottled_usec 700000\n");
    tree_put(t, GROUP "/cpu.max", "150000 100000\n");
    tree_put(t, GROUP "/cpuset.cpus.effective", "0-2\n");
    tree_put(t, GROUP "/memory.current", "5000\n");
    tree_put(t, GROUP "/memory.stat", "anon 1000\nfile 3000\nfile_mapped 200\n");
    tree_put(t, GROUP "/pids.current", "9\n");
    tree_put(t, GROUP "/io.stat", "8:0 rbytes=10 wbytes=20 rios=1 wios=1 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n");
}

static void version_2(void **state)
{
    static const char *const PATHS[] = { GROUP, "/system.slice/store.service", "system.slice/store.service/" };
    struct reading r;
    struct err err = { 0 };
    struct source *s;
    struct tree t;

    (void)state;
    tree_make(&t);
    put_v2(&t);
    for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++) {
        s = open_it(&t, cgroup_open, PATHS[i], &err);
        if (s == NULL)
            fail_msg("%s: %s", PATHS[i], err.what);
        reading_clear(&r);
        assert_int_equal(s->ops->read(s, &r, &err), 0);
        assert_float_equal(s->capacity_cores, 1.5, 1e-9);
        assert_float_equal(value_of(&r, "cpu_cores"), 2.5, 1e-9);
        assert_float_equal(value_of(&r, "throttled_s_per_s"), 0.7, 1e-9);
        assert_float_equal(value_of(&r, "memory_bytes"), 5000, 1e-9);
        assert_float_equal(value_of(&r, "rss_bytes"), 1200, 1e-9);
        assert_float_equal(value_of(&r, "threads"), 9, 1e-9);
        assert_float_equal(value_of(&r, "read_bytes_per_s"), 11, 1e-9);
        assert_float_equal(value_of(&r, "write_bytes_per_s"), 22, 1e-9);
        s->ops->close(s);
    }
    s = open_it(&t, cgroup_open, GROUP, &err);
    tree_drop(&t, GROUP);
    reading_clear(&r);
    assert_int_equal(s->ops->read(s, &r, &err), -1);
    assert_string_equal(err.what, "the control group /system.slice/store.service is gone");
    s->ops->close(s);
    tree_remove(&t);
}

static void version_1(void **state)
{
    static const char *const PATHS[] = { "/pods/a", "/sys/fs/cgroup/memory/pods/a", "/sys/fs/cgroup/cpuacct/pods/a" };
    struct reading r;
    struct err err = { 0 };
    struct source *s;
    struct tree t;

    (void)state;
    tree_make(&t);
    tree_put(&t, "/sys/devices/system/cpu/online", "0-3\n");
    tree_put(&t, "/sys/fs/cgroup/cpuacct/pods/a/cpuacct.usage", "2500000000\n");
    tree_put(&t, "/sys/fs/cgroup/cpu/pods/a/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 700000000\n");
    tree_put(&t, "/sys/fs/cgroup/cpu/pods/a/cpu.cfs_quota_us", "-1\n");
    tree_put(&t, "/sys/fs/cgroup/cpu/pods/a/cpu.cfs_period_us", "100000\n");
    tree_put(&t, "/sys/fs/cgroup/cpu/pods/cpu.cfs_quota_us", "250000\n");
    tree_put(&t, "/sys/fs/cgroup/cpu/pods/cpu.cfs_period_us", "100000\n");
    tree_put(&t, "/sys/fs/cgroup/memory/pods/a/memory.usage_in_bytes", "5000\n");
    tree_put(&t, "/sys/fs/cgroup/memory/pods/a/memory.stat", "rss 1\ntotal_rss 1000\ntotal_mapped_file 200\n");
    tree_put(&t, "/sys/fs/cgroup/pids/pods/a/pids.current", "9\n");
    tree_put(&t, "/sys/fs/cgroup/blkio/pods/a/blkio.throttle.io_service_bytes",
             "8:0 Read 10\n8:0 Write 20\n8:0 Sync 30\n8:16 Read 1\nTotal 61\n");
    for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++) {
        s = open_it(&t, cgroup_open, PATHS[i], &err);
        if (s == NULL)
            fail_msg("%s: %s", PATHS[i], err.what);
        reading_clear(&r);
        assert_int_equal(s->ops->read(s, &r, &err), 0);
        assert_float_equal(s->capacity_cores, 2.5, 1e-9);
        assert_float_equal(value_of(&r, "cpu_cores"), 2.5, 1e-9);
        assert_float_equal(value_of(&r, "throttled_s_per_s"), 0.7, 1e-9);
        assert_float_equal(value_of(&r, "memory_bytes"), 5000, 1e-9);
        assert_float_equal(value_of(&r, "rss_bytes"), 1200, 1e-9);
        assert_float_equal(value_of(&r, "threads"), 9, 1e-9);
        assert_float_equal(value_of(&r, "read_bytes_per_s"), 11, 1e-9);
        assert_float_equal(value_of(&r, "write_bytes_per_s"), 20, 1e-9);
        s->ops->close(s);
    }
    tree_remove(&t);
}

static void units_are_found_by_name(void **state)
{
    struct err err = { 0 };
    struct source *s;
    struct tree t;

    (void)state;
    tree_make(&t);
    put_v2(&t);
    tree_put(&t, "/sys/fs/cgroup/user.slice/user-1.slice/user@1.service/app.slice/web@1.service/cpu.stat",
             "usage_usec 1\n");
    for (size_t i = 0; i < 2; i++) {
        s = open_it(&t, unit_open, i == 0 ? "store" : "store.service", &err);
        if (s == NULL)
            fail_msg("%s", err.what);
        assert_float_equal(s->capacity_cores, 1.5, 1e-9);
        s->ops->close(s);
    }
    s = open_it(&t, unit_open, "web@1", &err);
    assert_non_null(s);
    s->ops->close(s);
    assert_null(open_it(&t, unit_open, "sto", &err));
    assert_string_equal(err.what, "no unit sto.service is running here");
    assert_int_equal(err.kind, ERR_CONFIG);
    assert_null(open_it(&t, unit_open, "", &err));
    assert_null(open_it(&t, unit_open, "../etc", &err));
    tree_put(&t, "/sys/fs/cgroup/other.slice/store.service/cpu.stat", "usage_usec 1\n");
    assert_null(open_it(&t, unit_open, "store", &err));
    assert_string_equal(err.what, "there is more than one unit store.service");
    assert_non_null(strstr(err.hint, "cgroup:/"));
    tree_remove(&t);
}

static void a_group_that_is_not_there(void **state)
{
    static const char *const WRONG[] = { "", "/nowhere", "/sys/fs/cgroup/nowhere",
                                         "system.slice/store.service/cpu.stat" };
    struct tree t;

    (void)state;
    tree_make(&t);
    put_v2(&t);
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        struct err err = { 0 };

        if (open_it(&t, cgroup_open, WRONG[i], &err) != NULL || err.kind != ERR_CONFIG || err.hint[0] == '\0')
            fail_msg("\"%s\": %s", WRONG[i], err.what);
        assert_non_null(strstr(err.what, WRONG[i]));
    }
    tree_remove(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2),
        cmocka_unit_test(version_1),
        cmocka_unit_test(units_are_found_by_name),
        cmocka_unit_test(a_group_that_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
