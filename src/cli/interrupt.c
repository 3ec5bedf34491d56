/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static volatile int stop_asked;
static volatile bool tell, hushed;
static void (*volatile before_quit)(void);

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

    (void)ignored;
}

/* One Ctrl-C may arrive more than once: timeout(1) and shells signal the process and its group. */
#define SAME_NS UINT64_C(100000000)

static void on_signal(int number)
{
    static uint64_t first_ns;
    const int saved = errno;
    const uint64_t now = clock_now_ns();

    if (stop_asked && now - first_ns < SAME_NS)
        return;
    if (stop_asked) {
        if (before_quit != NULL)
            before_quit();
        say("\nplimsoll: interrupted twice, no report\n");
        _exit(INTERRUPT_EXIT_CODE);
    }
    first_ns = now;
    __atomic_store_n(&stop_asked, 1, __ATOMIC_RELAXED);
    if (tell && !hushed)
        say("\nplimsoll: stopping to report; once more quits at once\n");
    errno = saved;
}

static void on_signal_silently(int number)
{
    if (stop_asked != 0)
        _exit(128 + number);
    stop_asked = 1;
}

static void install(void (*handler)(int number))
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* A terminal that goes away ends a run as Ctrl-C does; under nohup it is no matter. */
static void install_hangup(void)
{
    struct sigaction action;

    if (sigaction(SIGHUP, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    action = (struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(SIGHUP, &action, NULL);
}

void interrupt_install(void)
{
    tell = isatty(STDERR_FILENO) == 1;
    install(on_signal);
    install_hangup();
}

void interrupt_install_silent(void)
{
    install(on_signal_silently);
    interrupt_ignore_sigpipe();
}

void interrupt_hush(bool hush)
{
    hushed = hush;
}

void interrupt_before_quit(void (*hook)(void))
{
    before_quit = hook;
}

bool interrupt_is_asked(void)
{
    return __atomic_load_n(&stop_asked, __ATOMIC_RELAXED) != 0;
}

volatile int *interrupt_flag(void)
{
    return &stop_asked;
}

void interrupt_ignore_sigpipe(void)
{
    struct sigaction action = { .sa_handler = SIG_IGN };

    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a file at its limit is an error of the write, and told as one */
}
