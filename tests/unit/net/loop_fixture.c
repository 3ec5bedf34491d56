/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loop_fixture.h"

#include <sys/socket.h>
#include <unistd.h>

static void guard_fired(struct timer *t)
{
    struct fixture *f = t->arg;

    f->has_hung = true;
    loop_stop(f->loop);
}

int fixture_setup(void **state)
{
    static struct fixture fixture;
    struct err err = { 0 };

    fixture = (struct fixture){ .fds = { -1, -1 } };
    *state = &fixture;
    if (loop_new(&fixture.loop, &err) != 0) {
        return -1;
    }
    fixture.guard.on_time = guard_fired;
    fixture.guard.arg = &fixture;
    timer_init(&fixture.guard, fixture.loop);
    timer_start(&fixture.guard, (uint64_t)5000 * MS);
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fixture.fds);
}

int fixture_teardown(void **state)
{
    struct fixture *f = *state;

    loop_free(f->loop);
    if (f->fds[0] >= 0) {
        close(f->fds[0]);
    }
    if (f->fds[1] >= 0) {
        close(f->fds[1]);
    }
    return f->has_hung ? -1 : 0;
}

void fixture_run(struct fixture *f)
{
    loop_run(f->loop);
    assert_false(f->has_hung);
}
