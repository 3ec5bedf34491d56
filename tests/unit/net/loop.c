/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "loop_fixture.h"

static void count_closed(struct watch *w)
{
    struct fixture *f = w->arg;

    f->closed++;
}

static void stop_myself(struct watch *w, unsigned events)
{
    struct fixture *f = w->arg;

    f->events = events;
    f->count++;
    watch_stop(w);
    assert_int_equal(f->closed, 0); /* never from inside watch_stop() */
    timer_stop(&f->guard);
}

/* The loop ends by itself when nothing is active, and on_closed was called before. */
static void test_stop_from_inside(void **state)
{
    struct fixture *f = *state;

    f->watches[0] = (struct watch){ .on_ready = stop_myself, .on_closed = count_closed, .arg = f };
    assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], WATCH_READ, NULL), 0);
    assert_int_equal(write(f->fds[1], "x", 1), 1);
    fixture_run(f);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->events, WATCH_READ);
    assert_int_equal(f->closed, 1);
}

static const struct {
    const char *why;
    unsigned asked;
    bool hang_up, fill, write;
    unsigned want;
} READY[] = {
    { "room to write", WATCH_WRITE, false, false, false, WATCH_WRITE },
    { "something to read", WATCH_READ, false, false, true, WATCH_READ },
    { "both", WATCH_READ | WATCH_WRITE, false, false, true, WATCH_READ | WATCH_WRITE },
    { "full, but something to read", WATCH_READ | WATCH_WRITE, false, true, true, WATCH_READ },
    { "a hang-up is something to read", WATCH_READ, true, false, false, WATCH_READ },
    { "a hang-up is told to a writer too", WATCH_WRITE, true, true, false, WATCH_READ | WATCH_WRITE },
};

static void test_ready(void **state)
{
    struct fixture *f = *state;
    static const char junk[65536];

    for (size_t i = 0; i < sizeof(READY) / sizeof(READY[0]); i++) {
        print_message("%s\n", READY[i].why);
        while (READY[i].fill && write(f->fds[0], junk, sizeof(junk)) > 0) {
        }
        if (READY[i].write) {
            assert_int_equal(write(f->fds[1], "x", 1), 1);
        }
        if (READY[i].hang_up) {
            close(f->fds[1]);
            f->fds[1] = -1;
        }
        timer_start(&f->guard, (uint64_t)5000 * MS);
        f->watches[0] = (struct watch){ .on_ready = stop_myself, .arg = f };
        assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], READY[i].asked, NULL), 0);
        fixture_run(f);
        assert_int_equal(f->events, READY[i].want);
        close(f->fds[0]);
        if (f->fds[1] >= 0) {
            close(f->fds[1]);
        }
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, f->fds), 0);
    }
}

static void stop_both(struct watch *w, unsigned events)
{
    struct fixture *f = w->arg;

    (void)events;
    f->count++;
    watch_stop(&f->watches[0]);
    watch_stop(&f->watches[1]);
    timer_stop(&f->guard);
}

/* Both are ready in the same turn: the first stops the other, whose event must not arrive any more. */
static void test_stop_another(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(write(f->fds[0], "x", 1), 1);
    assert_int_equal(write(f->fds[1], "x", 1), 1);
    for (int i = 0; i < 2; i++) {
        f->watches[i] = (struct watch){ .on_ready = stop_both, .on_closed = count_closed, .arg = f };
        assert_int_equal(watch_start(&f->watches[i], f->loop, f->fds[i], WATCH_READ, NULL), 0);
    }
    fixture_run(f);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->closed, 2);
}

static void swap_descriptor(struct watch *w, unsigned events)
{
    struct fixture *f = w->arg;
    bool is_first = w == &f->watches[0];
    struct watch *other = is_first ? &f->watches[1] : &f->watches[0];
    int number = is_first ? f->fds[1] : f->fds[0];
    int fresh[2];

    (void)events;
    if (f->count++ > 0) {
        fail_msg("an event of the closed descriptor reached the new owner of its number");
    }
    /* The other watch has an event waiting in this turn. Its number goes to a socket on which nothing happens. */
    watch_stop(other);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fresh), 0);
    assert_int_equal(dup2(fresh[0], number), number);
    close(fresh[0]);
    assert_int_equal(watch_start(other, f->loop, number, WATCH_READ, NULL), 0);
    watch_stop(w);
    timer_start(&f->guard, 20 * MS);
    f->closed = fresh[1];
}

static void test_reused_number(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(write(f->fds[0], "x", 1), 1);
    assert_int_equal(write(f->fds[1], "x", 1), 1);
    for (int i = 0; i < 2; i++) {
        f->watches[i] = (struct watch){ .on_ready = swap_descriptor, .arg = f };
        assert_int_equal(watch_start(&f->watches[i], f->loop, f->fds[i], WATCH_READ, NULL), 0);
    }
    loop_run(f->loop); /* the guard ends it */
    assert_true(f->has_hung);
    f->has_hung = false;
    assert_int_equal(f->count, 1);
    close(f->closed);
}

/* Stopped but not closed: the stale registration must neither wake the loop for ever nor hinder a new watch. */
static void test_stop_without_close(void **state)
{
    struct fixture *f = *state;
    uint64_t cpu;

    assert_int_equal(write(f->fds[1], "x", 1), 1);
    f->watches[0] = (struct watch){ .on_ready = stop_myself, .arg = f };
    assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], WATCH_READ, NULL), 0);
    watch_stop(&f->watches[0]);
    timer_start(&f->guard, 100 * MS);
    cpu = clock_thread_cpu_ns();
    loop_run(f->loop);
    assert_true(f->has_hung);
    assert_true(clock_thread_cpu_ns() - cpu < 50 * MS);
    assert_int_equal(f->count, 0);
    f->has_hung = false;
    timer_start(&f->guard, (uint64_t)5000 * MS);
    for (int i = 0; i < 2; i++) { /* the second one finds the first one's registration */
        assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], WATCH_READ, NULL), 0);
        if (i == 0) {
            watch_stop(&f->watches[0]);
        }
    }
    fixture_run(f);
    assert_int_equal(f->count, 1);
}

static void write_then_read(struct watch *w, unsigned events)
{
    struct fixture *f = w->arg;

    f->events |= events;
    if (f->count++ == 0) {
        watch_change(w, WATCH_READ);
        watch_change(w, WATCH_READ);
        assert_int_equal(write(f->fds[1], "x", 1), 1);
        return;
    }
    assert_int_equal(events, WATCH_READ);
    watch_stop(w);
    timer_stop(&f->guard);
}

static void test_change(void **state)
{
    struct fixture *f = *state;

    f->watches[0] = (struct watch){ .on_ready = write_then_read, .arg = f };
    assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], WATCH_WRITE, NULL), 0);
    fixture_run(f);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->events, WATCH_READ | WATCH_WRITE);
}

static void resume(struct timer *t)
{
    struct fixture *f = t->arg;

    assert_int_equal(f->count, 0);
    watch_change(&f->watches[0], WATCH_READ);
}

/* Asking for nothing is quiet even after a hang-up, which epoll always reports; and the hang-up is told later. */
static void test_pause(void **state)
{
    struct fixture *f = *state;
    static struct timer later;
    uint64_t cpu = clock_thread_cpu_ns();

    close(f->fds[1]);
    f->fds[1] = -1;
    f->watches[0] = (struct watch){ .on_ready = stop_myself, .arg = f };
    assert_int_equal(watch_start(&f->watches[0], f->loop, f->fds[0], 0, NULL), 0);
    later = (struct timer){ .on_time = resume, .arg = f };
    timer_init(&later, f->loop);
    timer_start(&later, 100 * MS);
    fixture_run(f);
    assert_int_equal(f->count, 1);
    assert_true(clock_thread_cpu_ns() - cpu < 50 * MS);
}

static void test_refused_descriptors(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    f->watches[0] = (struct watch){ .on_ready = stop_myself, .arg = f };
    assert_int_equal(watch_start(&f->watches[0], f->loop, -1, WATCH_READ, &err), -1);
    assert_int_equal(err.sys, EBADF);
    assert_int_equal(watch_start(&f->watches[0], f->loop, file, WATCH_READ, &err), -1);
    assert_int_equal(err.sys, EPERM);
    close(file);
    assert_int_equal(watch_start(&f->watches[0], f->loop, file, WATCH_READ, &err), -1);
    assert_int_equal(err.sys, EBADF);
    timer_stop(&f->guard);
    fixture_run(f); /* nothing is left active */
}

struct turns {
    struct fixture *f;
    int before, after;
};

static void before_sleep(void *arg)
{
    struct turns *t = arg;

    assert_int_equal(t->before, t->after);
    if (++t->before == 3) {
        loop_stop(t->f->loop);
        return;
    }
    timer_start(&t->f->guard, 0);
}

static void after_wake(void *arg)
{
    struct turns *t = arg;

    t->after++;
    assert_int_equal(t->before, t->after);
}

static void ignore_time(struct timer *t)
{
    (void)t;
}

static void test_turns(void **state)
{
    struct turns t = { .f = *state };

    t.f->guard.on_time = ignore_time;
    t.f->watches[0] = (struct watch){ .on_ready = stop_myself, .arg = t.f }; /* keeps the loop alive */
    assert_int_equal(watch_start(&t.f->watches[0], t.f->loop, t.f->fds[0], WATCH_READ, NULL), 0);
    loop_on_turn(t.f->loop, before_sleep, after_wake, &t);
    fixture_run(t.f);
    assert_int_equal(t.before, 3);
    assert_int_equal(t.after, 2); /* stopped before it slept again */
}

static void read_byte(struct watch *w, unsigned events)
{
    struct fixture *f = w->arg;
    char byte;

    (void)events;
    assert_int_equal(read(w->_fd, &byte, 1), 1);
    if (++f->count == 2000) {
        timer_stop(&f->guard);
    }
    watch_stop(w);
}

/* More ready at once than one batch takes, and descriptors beyond the first table. */
static void test_many(void **state)
{
    enum { MANY = 1000 };
    static struct watch watches[2 * MANY];
    static int fds[2 * MANY];
    struct fixture *f = *state;

    for (int i = 0; i < MANY; i++) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, &fds[(size_t)2 * (size_t)i]) != 0) {
            print_message("not enough descriptors here: skipped\n");
            skip();
        }
    }
    for (int i = 0; i < 2 * MANY; i++) {
        assert_int_equal(write(fds[i], "x", 1), 1);
        watches[i] = (struct watch){ .on_ready = read_byte, .arg = f };
        assert_int_equal(watch_start(&watches[i], f->loop, fds[i], WATCH_READ, NULL), 0);
    }
    fixture_run(f);
    assert_int_equal(f->count, 2 * MANY);
    for (int i = 0; i < 2 * MANY; i++) {
        close(fds[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_stop_from_inside),
        LOOP_TEST(test_ready),
        LOOP_TEST(test_stop_another),
        LOOP_TEST(test_reused_number),
        LOOP_TEST(test_stop_without_close),
        LOOP_TEST(test_change),
        LOOP_TEST(test_pause),
        LOOP_TEST(test_refused_descriptors),
        LOOP_TEST(test_turns),
        LOOP_TEST(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
