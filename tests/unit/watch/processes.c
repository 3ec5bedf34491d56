/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process and its descendants, from a /proc of the test's own. */
#include "watch/net_dev.h"
#include "watch/process_list.h"
#include "watch/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

struct figures {
    double cpu_s, rss, threads, read_bytes, received; /* NAN: not said */
};

static double value_of(const struct reading *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->values[i].name, name) == 0)
            return r->values[i].value;
    return NAN;
}

static struct figures look(struct source *s)
{
    struct reading r = { 0 };
    struct err err = { 0 };

    if (s->ops->read(s, &r, &err) != 0)
        fail_msg("%s", err.what);
    return (struct figures){ value_of(&r, "cpu_cores"), value_of(&r, "rss_bytes"), value_of(&r, "threads"),
                             value_of(&r, "read_bytes_per_s"), value_of(&r, "net_received_bytes_per_s") };
}

static struct source *open_pid(const struct tree *t, const char *pid)
{
    const struct source_context context = { .root = t->root, .cancel_fd = -1 };
    struct source *s = NULL;
    struct err err = { 0 };

    if (pid_open(&s, slice_str(pid), &context, &err) != 0)
        fail_msg("%s", err.what);
    return s;
}

static double ticks(double n)
{
    return n / (double)sysconf(_SC_CLK_TCK);
}

static void a_name_may_hold_anything(void **state)
{
    struct process_stat s;

    (void)state;
    assert_true(
        process_stat_parse(&s, SLICE("7 (a) R (b\n) S 3 1 1 0 -1 0 1 2 3 4 10 20 30 40 20 0 5 0 99 123 77 1 2 3\n")));
    assert_int_equal(s.pid, 7);
    assert_int_equal(s.parent, 3);
    assert_int_equal(s.cpu_ticks, 30);
    assert_int_equal(s.children_ticks, 70);
    assert_int_equal(s.threads, 5);
    assert_int_equal(s.start_ticks, 99);
    assert_int_equal(s.rss_pages, 77);
    assert_false(process_stat_parse(&s, SLICE("7 (a) S 3 1\n")));
    assert_false(process_stat_parse(&s, SLICE("")));
    assert_false(process_stat_parse(&s, SLICE(")")));
}

static void descendants_are_of_it(void **state)
{
    struct tree t;
    struct source *s;
    struct figures f;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 10, 0, 1, 50);
    tree_put_process(&t, 11, 10, 6, 20, 0, 0, 4, 30);
    tree_put_process(&t, 12, 11, 7, 3, 0, 0, 1, 20);
    tree_put_process(&t, 13, 1, 8, 5000, 0, 0, 1, 5000); /* another's */
    s = open_pid(&t, "10");
    f = look(s);
    assert_float_equal(f.cpu_s, ticks(133), 1e-9);
    assert_float_equal(f.rss, 100.0 * (double)sysconf(_SC_PAGESIZE), 1e-9);
    assert_float_equal(f.threads, 6, 1e-9);
    assert_true(isnan(f.read_bytes)); /* not to be read: not said */
    s->ops->close(s);
    tree_remove(&t);
}

static void the_kernels_lists_of_children_are_used(void **state)
{
    struct tree t;
    struct source *s;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 2, 50);
    tree_put(&t, "/proc/10/task/10/children", "");
    tree_put(&t, "/proc/10/task/17/children", "11 ");
    tree_put_process(&t, 11, 10, 6, 20, 0, 0, 1, 30);
    tree_put(&t, "/proc/11/task/11/children", "12 13 ");
    tree_put_process(&t, 12, 11, 7, 3, 0, 0, 1, 20);
    tree_put_process(&t, 13, 11, 7, 4, 0, 0, 1, 20);
    tree_put_process(&t, 14, 10, 7, 1000, 0, 0, 1, 20); /* in no list: a look at all was not needed */
    s = open_pid(&t, "10");
    assert_float_equal(look(s).cpu_s, ticks(127), 1e-9);
    s->ops->close(s);
    tree_remove(&t);
}

/* What a child has used moves to the one who waits for it; what nobody waits for stays counted. */
static void nothing_is_lost_when_children_end(void **state)
{
    struct tree t;
    struct source *s;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    tree_put_process(&t, 11, 10, 6, 20, 0, 0, 1, 30);
    tree_put_process(&t, 12, 10, 7, 30, 0, 0, 1, 30);
    s = open_pid(&t, "10");
    assert_float_equal(look(s).cpu_s, ticks(150), 1e-9);
    tree_drop(&t, "/proc/11"); /* with 25, waited for */
    tree_put_process(&t, 10, 1, 5, 101, 0, 25, 1, 50);
    assert_float_equal(look(s).cpu_s, ticks(156), 1e-9);
    tree_drop(&t, "/proc/12"); /* not waited for */
    assert_float_equal(look(s).cpu_s, ticks(156), 1e-9);
    tree_put_process(&t, 10, 1, 5, 111, 0, 45, 1, 50); /* one that came and went between two looks had 20 */
    assert_float_equal(look(s).cpu_s, ticks(186), 1e-9);
    s->ops->close(s);
    tree_remove(&t);
}

static void a_number_that_comes_again_is_another_process(void **state)
{
    struct tree t;
    struct source *s;
    struct reading r = { 0 };
    struct err err = { 0 };

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    s = open_pid(&t, "10");
    assert_float_equal(look(s).cpu_s, ticks(100), 1e-9);
    tree_put_process(&t, 10, 1, 900, 7, 0, 0, 1, 50);
    assert_int_equal(s->ops->read(s, &r, &err), -1);
    assert_string_equal(err.what, "process 10 has ended");
    s->ops->close(s);
    tree_remove(&t);
}

static void children_that_outlive_it_are_still_seen(void **state)
{
    struct tree t;
    struct source *s;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    tree_put_process(&t, 11, 10, 6, 20, 0, 0, 1, 30);
    s = open_pid(&t, "10");
    assert_float_equal(look(s).cpu_s, ticks(120), 1e-9);
    tree_drop(&t, "/proc/10");
    tree_put_process(&t, 11, 1, 6, 25, 0, 0, 1, 30);
    assert_float_equal(look(s).cpu_s, ticks(125), 1e-9);
    s->ops->close(s);
    tree_remove(&t);
}

static void disk_and_network(void **state)
{
    static const char DEV[] = "Inter-|   Receive    |  Transmit\n face |bytes    packets\n"
                              "    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
                              "  eth0: 100 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n  eth1:50 1 0 0 0 0 0 0 3 1 0 0 0 0 0 0\n";
    uint64_t received, sent;
    struct figures f;
    struct tree t;
    struct source *s;

    (void)state;
    net_dev_sum(slice_str(DEV), &received, &sent);
    assert_int_equal(received, 150);
    assert_int_equal(sent, 10);
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    tree_put(&t, "/proc/10/io", "rchar: 5\nwchar: 6\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 0\n");
    tree_put(&t, "/proc/10/net/dev", DEV);
    tree_link(&t, "/proc/10/ns/net", "net:[2]");
    tree_link(&t, "/proc/self/ns/net", "net:[1]");
    s = open_pid(&t, "10");
    f = look(s);
    assert_float_equal(f.read_bytes, 4096, 1e-9);
    assert_float_equal(f.received, 150, 1e-9);
    s->ops->close(s);
    tree_drop(&t, "/proc/self/ns/net"); /* the same network as ours: the machine's, not the process's */
    tree_link(&t, "/proc/self/ns/net", "net:[2]");
    s = open_pid(&t, "10");
    assert_true(isnan(look(s).received));
    s->ops->close(s);
    tree_remove(&t);
}

static void what_it_can_use_at_most(void **state)
{
    struct tree t;
    struct source *s;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    s = open_pid(&t, "10");
    assert_float_equal(s->capacity_cores, 0, 1e-9); /* not known */
    s->ops->close(s);
    tree_put(&t, "/sys/devices/system/cpu/online", "0-7\n");
    s = open_pid(&t, "10");
    assert_float_equal(s->capacity_cores, 8, 1e-9);
    s->ops->close(s);
    tree_put(&t, "/proc/10/status", "Name:\ta\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,5\n");
    s = open_pid(&t, "10");
    assert_float_equal(s->capacity_cores, 4, 1e-9);
    s->ops->close(s);
    tree_put(&t, "/sys/fs/cgroup/cgroup.controllers", "cpu\n");
    tree_put(&t, "/proc/10/cgroup", "0::/a/b\n");
    tree_put(&t, "/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    tree_put(&t, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    s = open_pid(&t, "10");
    assert_float_equal(s->capacity_cores, 0.5, 1e-9); /* the group above */
    s->ops->close(s);
    tree_remove(&t);
}

static const struct wrong_case {
    const char *why, *what, *says;
    enum err_kind kind;
} WRONG[] = {
    { "no number", "abc", "\"abc\" is not the number of a process", ERR_USAGE },
    { "none", "", "\"\" is not the number of a process", ERR_USAGE },
    { "zero is no process", "0", "is not the number of a process", ERR_USAGE },
    { "too large for one", "99999999999", "is not the number of a process", ERR_USAGE },
    { "not there", "10", "there is no process 10", ERR_CONFIG },
    { "only its remains", "11", "there is no process 11", ERR_CONFIG },
};

static void what_can_not_be_watched(void **state)
{
    struct tree t;

    (void)state;
    tree_make(&t);
    tree_put(&t, "/proc/11/stat", "11 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5 0 0 0\n");
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        const struct source_context context = { .root = t.root, .cancel_fd = -1 };
        struct source *s = NULL;
        struct err err = { 0 };

        if (pid_open(&s, slice_str(WRONG[i].what), &context, &err) != -1 || strstr(err.what, WRONG[i].says) == NULL ||
            err.kind != WRONG[i].kind || err.hint[0] == '\0')
            fail_msg("%s: %s", WRONG[i].why, err.what);
    }
    tree_remove(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_may_hold_anything),
        cmocka_unit_test(descendants_are_of_it),
        cmocka_unit_test(the_kernels_lists_of_children_are_used),
        cmocka_unit_test(nothing_is_lost_when_children_end),
        cmocka_unit_test(a_number_that_comes_again_is_another_process),
        cmocka_unit_test(children_that_outlive_it_are_still_seen),
        cmocka_unit_test(disk_and_network),
        cmocka_unit_test(what_it_can_use_at_most),
        cmocka_unit_test(what_can_not_be_watched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
