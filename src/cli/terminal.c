/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Another screen, no cursor, no wrapping; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[2J"
#define LEAVE "\033[0m\033[?7h\033[?25h\033[?1049l"

enum { PATIENCE_MS = 200, PIECE = 1024, COLUMNS_FALLBACK = 80, ROWS_FALLBACK = 24, HANDLER_WAITS = 20 };

static struct {
    _Atomic bool taken;      /* the screen is ours … */
    _Atomic bool writing;    /* … and somebody writes to it */
    _Atomic bool comes_back; /* after Ctrl-Z */
    bool has_handlers;
    int keys; /* -1: none */
    struct termios before;
} the = { .keys = -1 };

static const int FATAL[] = { SIGSEGV, SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP,   SIGSYS,
                             SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF };
static struct sigaction before_fatal[sizeof(FATAL) / sizeof(FATAL[0])];

static bool is_in_foreground(void)
{
    return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

const char *terminal_obstacle(void)
{
    const char *term = getenv("TERM");

    if (isatty(STDERR_FILENO) != 1)
        return "standard error is no terminal";
    if (term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0)
        return "TERM names no terminal that can do it";
    if (!is_in_foreground())
        return "this runs in the background";
    return NULL;
}

static void put(const char *text, size_t len)
{
    const int saved = errno;

    while (len > 0) {
        const ssize_t n = write(STDERR_FILENO, text, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text += n;
        len -= (size_t)n;
    }
    errno = saved;
}

/* Async-signal-safe. A thread that is writing gets a moment to end its piece. */
static void give_back(void)
{
    if (!atomic_exchange(&the.taken, false))
        return;
    for (int i = 0; i < HANDLER_WAITS && atomic_load(&the.writing); i++)
        poll(NULL, 0, 1);
    put(LEAVE, sizeof(LEAVE) - 1);
    if (the.keys >= 0)
        tcsetattr(the.keys, TCSANOW, &the.before);
}

static void take(void)
{
    struct termios raw = the.before;

    if (the.keys >= 0) {
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        raw.c_iflag &= ~(tcflag_t)IXON; /* a Ctrl-S would hold the screen, and whoever waits for it */
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        tcsetattr(the.keys, TCSANOW, &raw);
    }
    put(ENTER, sizeof(ENTER) - 1);
    atomic_store(&the.taken, true);
}

/* ---- handlers ---- */

static void on_fatal(int number)
{
    const int saved = errno;

    give_back();
    for (size_t i = 0; i < sizeof(FATAL) / sizeof(FATAL[0]); i++)
        if (FATAL[i] == number)
            sigaction(number, &before_fatal[i], NULL);
    errno = saved;
    raise(number); /* comes when this returns */
}

static void on_stop_key(int number)
{
    const int saved = errno;
    const bool was_taken = atomic_load(&the.taken);

    (void)number;
    give_back();
    kill(getpid(), SIGSTOP);
    if (was_taken)
        atomic_store(&the.comes_back, true);
    errno = saved;
}

static void install_handlers(void)
{
    struct sigaction action = { .sa_handler = on_fatal, .sa_flags = SA_ONSTACK }, old;

    if (the.has_handlers)
        return;
    the.has_handlers = true;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(FATAL) / sizeof(FATAL[0]); i++)
        if (sigaction(FATAL[i], NULL, &before_fatal[i]) == 0 && before_fatal[i].sa_handler != SIG_IGN)
            sigaction(FATAL[i], &action, NULL);
    action = (struct sigaction){ .sa_handler = on_stop_key, .sa_flags = SA_RESTART };
    if (sigaction(SIGTSTP, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGTSTP, &action, NULL);
    interrupt_before_quit(give_back);
}

/* ---- taking and giving back ---- */

/* Keys come from standard input, or from standard error where that is opened for reading, as terminals are. */
static int find_keys(void)
{
    if (isatty(STDIN_FILENO) == 1)
        return STDIN_FILENO;
    return (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDWR ? STDERR_FILENO : -1;
}

bool terminal_take(void)
{
    the.keys = find_keys();
    if (the.keys >= 0 && tcgetattr(the.keys, &the.before) != 0)
        return false;
    install_handlers();
    take();
    return true;
}

void terminal_leave(void)
{
    give_back();
    atomic_store(&the.comes_back, false);
}

bool terminal_is_ours(bool *fresh)
{
    *fresh = false;
    if (!is_in_foreground())
        return false;
    if (atomic_exchange(&the.comes_back, false)) {
        take();
        *fresh = true;
    }
    return atomic_load(&the.taken);
}

void terminal_size(unsigned *columns, unsigned *rows)
{
    struct winsize size = { 0 };

    *columns = COLUMNS_FALLBACK;
    *rows = ROWS_FALLBACK;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    if (size.ws_col > 0)
        *columns = size.ws_col;
    if (size.ws_row > 0)
        *rows = size.ws_row;
}

static bool takes_more(void)
{
    struct pollfd fd = { STDERR_FILENO, POLLOUT, 0 };

    return poll(&fd, 1, PATIENCE_MS) == 1 && (fd.revents & POLLOUT) != 0;
}

void terminal_write(struct slice text)
{
    while (text.len > 0 && takes_more()) {
        const struct slice piece = slice_take(text, PIECE);
        ssize_t n = -1;

        atomic_store(&the.writing, true);
        if (atomic_load(&the.taken))
            n = write(STDERR_FILENO, piece.ptr, piece.len);
        atomic_store(&the.writing, false);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text = slice_drop(text, (size_t)n);
    }
}

bool terminal_has_keys(void)
{
    return the.keys >= 0;
}

int terminal_key_fd(void)
{
    return the.keys;
}

int terminal_key(void)
{
    unsigned char c;

    return read(the.keys, &c, 1) == 1 ? c : -1;
}

bool terminal_wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    if (no != NULL && no[0] != '\0')
        return false;
    return term != NULL && strcmp(term, "vt100") != 0 && strcmp(term, "vt220") != 0 && strstr(term, "-m") == NULL;
}

bool terminal_speaks_utf8(void)
{
    static const char *const NAMES[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        const char *value = getenv(NAMES[i]);

        if (value != NULL && value[0] != '\0')
            return strcasestr(value, "UTF-8") != NULL || strcasestr(value, "UTF8") != NULL;
    }
    return false;
}
