/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/loop.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "loop_fixture.h"

struct ticking {
    struct fixture *f;
    struct timer timer;
    uint64_t due;
    uint64_t latest;
    int left;
};

static void tick(struct timer *t)
{
    struct ticking *k = t->arg;
    uint64_t now = clock_now_ns();

    assert_true(now >= k->due); /* never early */
    assert_false(timer_is_running(t));
    if (now - k->due > k->latest) {
        k->latest = now - k->due;
    }
    if (--k->left > 0) {
        k->due = clock_now_ns() + 1500000;
        timer_start(t, 1500000);
        assert_true(timer_is_running(t));
        return;
    }
    timer_stop(&k->f->guard);
}

static void test_timer(void **state)
{
    static struct ticking k;

    k = (struct ticking){ .f = *state, .left = 20, .due = clock_now_ns() + 1500000 };
    k.timer.on_time = tick;
    k.timer.arg = &k;
    timer_init(&k.timer, k.f->loop);
    assert_false(timer_is_running(&k.timer));
    timer_start(&k.timer, (uint64_t)3600 * 1000 * MS);
    timer_start(&k.timer, 1500000); /* moved */
    fixture_run(k.f);
    assert_int_equal(k.left, 0);
    assert_true(k.latest < 500 * MS);
}

static void timer_gone(struct timer *t)
{
    struct fixture *f = t->arg;

    f->closed++;
    timer_stop(&f->guard);
}

static void never(struct timer *t)
{
    (void)t;
    fail_msg("a stopped timer fired");
}

static void test_timer_close(void **state)
{
    struct fixture *f = *state;
    static struct timer t;

    t = (struct timer){ .on_time = never, .arg = f };
    timer_init(&t, f->loop);
    timer_start(&t, 0);
    timer_close(&t, timer_gone);
    fixture_run(f);
    assert_int_equal(f->closed, 1);
}

static void *send_wakeups(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        wakeup_send(arg);
    }
    return NULL;
}

static void count_wakeup(struct wakeup *w)
{
    struct fixture *f = w->arg;

    f->count++;
}

/* Several may become one, at least one arrives; also one that was sent before the loop ran. */
static void test_wakeup(void **state)
{
    struct fixture *f = *state;
    static struct wakeup w;
    pthread_t thread;

    w = (struct wakeup){ .on_wakeup = count_wakeup, .arg = f };
    assert_int_equal(wakeup_init(&w, f->loop, NULL), 0);
    wakeup_send(&w);
    timer_start(&f->guard, 10 * MS);
    loop_run(f->loop);
    assert_int_equal(f->count, 1);
    assert_int_equal(pthread_create(&thread, NULL, send_wakeups, &w), 0);
    timer_start(&f->guard, 50 * MS);
    loop_run(f->loop);
    pthread_join(thread, NULL);
    timer_start(&f->guard, 10 * MS);
    loop_run(f->loop);
    assert_true(f->count >= 2 && f->count <= 1001);
    f->has_hung = false;
}

struct alarms {
    struct fixture *f;
    struct alarm_ns alarm;
    uint64_t due;
    uint64_t lateness[50];
    int count;
};

static void alarm_rang(struct alarm_ns *a)
{
    struct alarms *k = a->arg;
    uint64_t now = clock_now_ns();

    assert_true(now >= k->due);
    k->lateness[k->count++] = now - k->due;
    if (k->count == 50) {
        alarm_close(a);
        timer_stop(&k->f->guard);
        return;
    }
    k->due = now + 300000;
    alarm_at(a, k->due);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void test_alarm(void **state)
{
    struct alarms k = { .f = *state };

    k.alarm.on_time = alarm_rang;
    k.alarm.arg = &k;
    assert_int_equal(alarm_init(&k.alarm, k.f->loop, NULL), 0);
    alarm_at(&k.alarm, 1); /* in the past: at once */
    alarm_at(&k.alarm, 0); /* never */
    k.due = clock_now_ns() + 300000;
    alarm_at(&k.alarm, k.due);
    fixture_run(k.f);
    assert_int_equal(k.count, 50);
    qsort(k.lateness, 50, sizeof(k.lateness[0]), compare_u64);
    print_message("median lateness %llu ns\n", (unsigned long long)k.lateness[25]);
    assert_true(k.lateness[0] < 800000); /* a clock of 1 ms could not */
}

static void disarmed_rang(struct alarm_ns *a)
{
    (void)a;
    fail_msg("a disarmed alarm rang");
}

static void test_alarm_disarmed(void **state)
{
    struct fixture *f = *state;
    struct alarm_ns a = { .on_time = disarmed_rang };

    assert_int_equal(alarm_init(&a, f->loop, NULL), 0);
    alarm_at(&a, clock_now_ns() + MS);
    alarm_at(&a, 0);
    timer_start(&f->guard, 20 * MS);
    loop_run(f->loop);
    alarm_close(&a);
    alarm_close(&a); /* twice is harmless */
    f->has_hung = false;
}

static void on_signal(struct signal_watch *s, int number)
{
    struct fixture *f = s->arg;

    f->count = number;
    signal_watch_stop(s);
    timer_stop(&f->guard);
}

static void test_signal(void **state)
{
    struct fixture *f = *state;
    static struct signal_watch s;

    s = (struct signal_watch){ .on_signal = on_signal, .arg = f };
    assert_int_equal(signal_watch_start(&s, f->loop, SIGUSR1, NULL), 0);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    fixture_run(f);
    assert_int_equal(f->count, SIGUSR1);
    assert_int_equal(signal_watch_start(&s, f->loop, 4000, NULL), -1);
}

struct job {
    struct work work;
    struct fixture *f;
    pthread_t ran_on;
};

static void job_run(struct work *w)
{
    struct job *j = w->arg;

    j->ran_on = pthread_self();
}

static void job_done(struct work *w)
{
    struct job *j = w->arg;

    assert_int_equal(pthread_equal(j->ran_on, pthread_self()), 0);
    j->f->count++;
    timer_stop(&j->f->guard);
}

static void test_work(void **state)
{
    struct job j = { .f = *state };

    j.work.run = job_run;
    j.work.done = job_done;
    j.work.arg = &j;
    assert_int_equal(work_start(&j.work, j.f->loop, NULL), 0);
    fixture_run(j.f);
    assert_int_equal(j.f->count, 1);
}

static void never_ready(struct watch *w, unsigned events)
{
    (void)w;
    (void)events;
    fail_msg("called by loop_free()");
}

static void never_closed(struct watch *w)
{
    (void)w;
    fail_msg("called by loop_free()");
}

static void never_woken(struct wakeup *w)
{
    (void)w;
    fail_msg("called by loop_free()");
}

static void never_gone(struct timer *t)
{
    (void)t;
    fail_msg("called by loop_free()");
}

static void never_done(struct work *w)
{
    (void)w;
    fail_msg("called by loop_free()");
}

/* Everything is open and due, and nobody is called. */
static void test_loop_free(void **state)
{
    struct fixture *f = *state;
    struct loop *l;
    struct timer timers[2] = { { .on_time = never }, { .on_time = never } };
    struct wakeup w = { .on_wakeup = never_woken };
    struct job j = { .f = f };

    loop_free(NULL);
    assert_int_equal(loop_new(&l, NULL), 0);
    timer_init(&timers[0], l);
    timer_start(&timers[0], 0);
    timer_init(&timers[1], l);
    timer_close(&timers[1], never_gone);
    assert_int_equal(wakeup_init(&w, l, NULL), 0);
    wakeup_send(&w);
    j.work = (struct work){ .run = job_run, .done = never_done, .arg = &j };
    assert_int_equal(work_start(&j.work, l, NULL), 0);
    f->watches[0] = (struct watch){ .on_ready = never_ready, .on_closed = never_closed };
    assert_int_equal(watch_start(&f->watches[0], l, f->fds[0], WATCH_WRITE, NULL), 0);
    f->watches[1] = (struct watch){ .on_ready = never_ready, .on_closed = never_closed };
    assert_int_equal(watch_start(&f->watches[1], l, f->fds[1], WATCH_WRITE, NULL), 0);
    watch_stop(&f->watches[1]);
    loop_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_timer),          LOOP_TEST(test_timer_close), LOOP_TEST(test_wakeup), LOOP_TEST(test_alarm),
        LOOP_TEST(test_alarm_disarmed), LOOP_TEST(test_signal),      LOOP_TEST(test_work),   LOOP_TEST(test_loop_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
