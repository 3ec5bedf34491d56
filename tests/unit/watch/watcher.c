/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid: readings lie on it, one that hangs or fails delays nobody, and the end is the window's. */
#include "watch/watcher.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tree.h"

#define S UINT64_C(1000000000)

static struct watcher *make(const char *root, const char *const *specs, size_t count)
{
    struct strlist list = STRLIST_INIT;
    struct watcher *w = NULL;
    struct err err = { 0 };

    for (size_t i = 0; i < count; i++)
        assert_true(strlist_add(&list, slice_str(specs[i])));
    if (watcher_new(&w, &list, root, &err) != 0)
        fail_msg("%s", err.what);
    strlist_release(&list);
    return w;
}

static const struct track *track_of(const struct watcher *w, size_t part, const char *name)
{
    const struct tracks *t = &watcher_part(w, part)->tracks;

    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->items[i].name, name) == 0)
            return &t->items[i];
    fail_msg("nothing is known of %s", name);
    return NULL;
}

static void sleep_until(uint64_t at)
{
    const uint64_t now = clock_now_ns();

    if (now < at)
        usleep((useconds_t)((at - now) / 1000));
}

/* Two runs with one watcher: the second begins anew. */
static void each_part_on_its_own(void **state)
{
    static const char *const SPECS[] = { "good=cmd:echo depth=3; echo jobs_total=5", "hangs=cmd:sleep 1000",
                                         "fails=cmd:echo no >&2; exit 3", "self=pid:10" };
    struct tree t;
    struct watcher *w;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    w = make(t.root, SPECS, 4);
    assert_int_equal(watcher_part_count(w), 4);
    for (int run = 0; run < 2; run++) {
        const uint64_t start = clock_now_ns();
        struct err err = { 0 };

        assert_int_equal(watcher_start(w, &err), 0);
        watcher_begin(w, start, start + 2 * S);
        sleep_until(start + 2 * S);
        watcher_join(w);
        assert_true(clock_now_ns() - start < 30 * S); /* not the thousand seconds of the one that hangs */
        assert_int_equal(watcher_part(w, 0)->readings + watcher_part(w, 0)->missed, 3);
        assert_int_equal(watcher_part(w, 3)->readings + watcher_part(w, 3)->missed, 3);
        assert_true(watcher_part(w, 0)->readings >= 2);
        assert_float_equal(track_mean(track_of(w, 0, "depth")), 3, 1e-9);
        assert_float_equal(track_mean(track_of(w, 3, "cpu_cores")), 0, 1e-9);
        assert_int_equal(watcher_part(w, 1)->readings, 0);
        assert_non_null(strstr(watcher_part(w, 1)->trouble, "the command"));
        assert_int_equal(watcher_part(w, 2)->readings, 0);
        assert_string_equal(watcher_part(w, 2)->trouble, "the command ended with status 3: no");
    }
    watcher_free(w);
    tree_remove(&t);
}

static void one_that_ends_leaves_a_gap_and_its_reason(void **state)
{
    static const char *const SPECS[] = { "a=pid:10" };
    struct err err = { 0 };
    struct tree t;
    struct watcher *w;
    uint64_t start;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    w = make(t.root, SPECS, 1);
    start = clock_now_ns();
    assert_int_equal(watcher_start(w, &err), 0);
    watcher_begin(w, start, UINT64_MAX);
    sleep_until(start + S + S / 2);
    tree_drop(&t, "/proc/10");
    sleep_until(start + 3 * S + S / 2);
    watcher_end(w, clock_now_ns());
    watcher_join(w);
    assert_true(watcher_part(w, 0)->readings >= 1 && watcher_part(w, 0)->readings <= 2); /* 1: it was late itself */
    assert_true(watcher_part(w, 0)->missed >= 3);
    assert_string_equal(watcher_part(w, 0)->trouble, "process 10 has ended");
    assert_float_equal(watcher_part(w, 0)->trouble_at_s, (double)watcher_part(w, 0)->readings, 0.01);
    assert_true(watcher_part(w, 0)->readings < 2 || !isnan(track_value(track_of(w, 0, "cpu_cores"), 0)));
    assert_true(isnan(track_value(track_of(w, 0, "cpu_cores"), 1)));
    watcher_free(w);
    tree_remove(&t);
}

static void a_window_that_never_is(void **state)
{
    static const char *const SPECS[] = { "a=cmd:echo x=1" };
    struct watcher *w = make("", SPECS, 1);
    const uint64_t before = clock_now_ns();
    struct err err = { 0 };

    (void)state;
    assert_int_equal(watcher_start(w, &err), 0);
    watcher_join(w); /* it did not begin */
    assert_int_equal(watcher_part(w, 0)->readings + watcher_part(w, 0)->missed, 0);
    assert_int_equal(watcher_start(w, &err), 0);
    watcher_begin(w, before + 1000 * S, before + 2000 * S); /* a warm-up comes first */
    watcher_end(w, clock_now_ns());
    watcher_join(w);
    assert_int_equal(watcher_part(w, 0)->readings + watcher_part(w, 0)->missed, 0);
    assert_int_equal(watcher_start(w, &err), 0);
    watcher_free(w); /* in the middle */
    assert_true(clock_now_ns() - before < 60 * S);
}

/* A file that nothing can be read from, and no signal ends that: the run ends all the same. */
static void one_that_can_not_be_called_off_is_left_behind(void **state)
{
    static const char *const SPECS[] = { "a=pid:10", "b=cmd:echo x=1" };
    struct err err = { 0 };
    char path[PATH_MAX];
    struct tree t;
    struct watcher *w;

    (void)state;
    tree_make(&t);
    tree_put_process(&t, 10, 1, 5, 100, 0, 0, 1, 50);
    w = make(t.root, SPECS, 2);
    tree_drop(&t, "/proc/10/stat");
    snprintf(path, sizeof(path), "%s/proc/10/stat", t.root);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int run = 0; run < 2; run++) {
        const uint64_t start = clock_now_ns();

        assert_int_equal(watcher_start(w, &err), 0);
        watcher_begin(w, start, start + S / 2);
        watcher_join(w);
        assert_true(clock_now_ns() - start < 30 * S);
        assert_int_equal(watcher_part(w, 0)->readings, 0);
        assert_non_null(strstr(watcher_part(w, 0)->trouble, run == 0 ? "when the run ended" : "an earlier run"));
        assert_true(watcher_part(w, 1)->readings >= 1);
    }
    watcher_free(w);
    tree_remove(&t);
}

static void without_parts_nothing_is_done(void **state)
{
    (void)state;
    assert_int_equal(watcher_start(NULL, NULL), 0);
    watcher_begin(NULL, 0, 1);
    watcher_end(NULL, 0);
    watcher_join(NULL);
    assert_int_equal(watcher_part_count(NULL), 0);
    watcher_free(NULL);
}

static const struct wrong_case {
    const char *why, *spec, *says;
} WRONG[] = {
    { "no name", "pid:1", "\"pid:1\" has no name and =" },
    { "an empty name", "=pid:1", "\"\" is not a name" },
    { "a name with spaces", "a b=pid:1", "\"a b\" is not a name" },
    { "no kind", "a=1234", "\"1234\" has no kind and colon" },
    { "another kind", "a=pit:1", "\"pit\" is not a kind of thing to watch" },
    { "no command", "a=cmd: ", "the command is empty" },
    { "no namespace", "a=kubectl:/app=x", "is not a namespace and a selector" },
    { "an option of kubectl's", "a=kubectl:ns/--all", "is not a namespace and a selector" },
    { "a name twice", "twice=cmd:b", "two parts are called \"twice\"" },
};

static void wrong_specs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        struct strlist list = STRLIST_INIT;
        struct watcher *w = NULL;
        struct err err = { 0 };

        assert_true(strlist_add(&list, SLICE("twice=cmd:a")) && strlist_add(&list, slice_str(WRONG[i].spec)));
        if (watcher_new(&w, &list, NULL, &err) != -1 || strstr(err.what, WRONG[i].says) == NULL ||
            err.kind != ERR_USAGE || err.hint[0] == '\0')
            fail_msg("%s: %s (%s)", WRONG[i].why, err.what, err.hint);
        strlist_release(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_on_its_own),
        cmocka_unit_test(one_that_ends_leaves_a_gap_and_its_reason),
        cmocka_unit_test(a_window_that_never_is),
        cmocka_unit_test(one_that_can_not_be_called_off_is_left_behind),
        cmocka_unit_test(without_parts_nothing_is_done),
        cmocka_unit_test(wrong_specs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
