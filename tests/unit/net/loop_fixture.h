/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop with a guard against hanging, and a pair of sockets. */
#ifndef PLIMSOLL_TESTS_NET_LOOP_FIXTURE_H
#define PLIMSOLL_TESTS_NET_LOOP_FIXTURE_H

#include "net/loop.h"

#define MS 1000000u

struct fixture {
    struct loop *loop;
    struct timer guard; /* ends a loop that would hang */
    bool has_hung;
    int fds[2];
    int count;
    int closed;
    unsigned events;
    struct watch watches[2];
};

int fixture_setup(void **state);
/* Fails when the guard had to end the loop. Handles of a test must still exist then: they are static. */
int fixture_teardown(void **state);
void fixture_run(struct fixture *f);

#define LOOP_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

#endif
