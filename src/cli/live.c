/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/live.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/complain.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "live/forms.h"
#include "live/frame.h"
#include "live/server.h"

enum { FRAME_MS = 100, NOTES_MAX_BYTES = 1 << 22, JSON_MAX_BYTES = 1 << 20, OUT_MAX_BYTES = 1 << 20 };

struct live {
    const char *who;
    struct live_board *board;
    struct live_server *server;
    char where[ADDR_TEXT_MAX];
    bool has_screen, runs, has_stopped_by_key;
    pthread_t thread;
    int wake;
    _Atomic bool end;
    pthread_mutex_t notes_lock;
    struct buf notes;
    /* Of the thread that draws. */
    struct live_figures figures;
    struct frame frame, before;
    struct frame_form form;
    struct buf out;
};

/* ---- options ---- */

int live_option_address(void *field, const char *text, const struct option_row *row, struct err *err)
{
    struct addr ignored;

    (void)row;
    if (addr_parse_listen(&ignored, slice_str(text), err) != 0)
        return -1;
    *(const char **)field = text;
    return 0;
}

static int check(const struct live_options *o, enum progress_mode progress, struct err *err)
{
    if (!o->screen || progress != PROGRESS_JSON)
        return 0;
    err_set(err, ERR_USAGE, 0, "--live and --progress json both write to standard error");
    return err_hint(err, "for a program beside the screen there is --live-http 8080 and its /live.json");
}

/* ---- the screen ---- */

static void save(struct live *l)
{
    char name[64], time[CLOCK_RFC3339_MAX];
    struct err err = { 0 };
    struct buf text;
    size_t used = 0;

    clock_format_rfc3339(time, clock_wall_ns());
    for (const char *c = time; *c != '\0' && *c != '.'; c++)
        if (*c != '-' && *c != ':')
            time[used++] = *c;
    time[used] = '\0';
    snprintf(name, sizeof(name), "plimsoll-live-%sZ.json", time);
    buf_init(&text, JSON_MAX_BYTES);
    live_json(&text, &l->figures);
    if (file_write(name, buf_slice(&text), &err) == 0)
        live_board_message(l->board, "saved: %s", name);
    else
        live_board_message(l->board, "not saved: %s", err.what);
    buf_release(&text);
}

static void on_key(struct live *l, int key)
{
    switch (key) {
    case 'q':
    case 'Q':
        /* As Ctrl-C, but once: whoever leans on a key does not want to lose the report. */
        if (!l->has_stopped_by_key)
            kill(getpid(), SIGINT);
        l->has_stopped_by_key = true;
        break;
    case 'p':
    case 'P':
    case ' ':
        l->form.paused = !l->form.paused;
        break;
    case 's':
    case 'S':
        save(l);
        break;
    case '?':
    case 'h':
        l->form.help = !l->form.help;
        break;
    default:
        break;
    }
}

static bool same_line(const struct frame *a, const struct frame *b, size_t i)
{
    const struct slice none = { 0 };

    return slice_eq(i < a->count ? frame_line(a, i) : none, i < b->count ? frame_line(b, i) : none);
}

/* Only lines that changed. */
static void put_lines(struct live *l, bool fresh)
{
    const size_t count = l->frame.count > l->before.count ? l->frame.count : l->before.count;

    buf_clear(&l->out);
    if (fresh)
        buf_add_str(&l->out, "\033[2J");
    for (size_t i = 0; i < count && i < l->form.rows; i++) {
        if (!fresh && same_line(&l->frame, &l->before, i))
            continue;
        buf_printf(&l->out, "\033[%zu;1H\033[2K", i + 1);
        if (i < l->frame.count)
            buf_add_slice(&l->out, frame_line(&l->frame, i));
    }
    terminal_write(buf_slice(&l->out));
}

static void draw(struct live *l)
{
    const struct frame swap = l->before;
    unsigned columns, rows;
    bool fresh;

    if (!terminal_is_ours(&fresh))
        return;
    terminal_size(&columns, &rows);
    fresh = fresh || columns != l->form.columns || rows != l->form.rows;
    l->form.columns = columns;
    l->form.rows = rows;
    l->before = l->frame;
    l->frame = swap;
    frame_draw(&l->frame, &l->figures, &l->form);
    put_lines(l, fresh);
}

static void refresh(struct live *l)
{
    char message[LIVE_NAME_MAX];

    /* What is shown stands still while paused; that it is saved is said all the same. */
    if (!l->form.paused) {
        live_board_copy(l->board, &l->figures);
    } else {
        const struct live_figures *now = live_board_take(l->board);

        memcpy(message, now->message, sizeof(message));
        live_board_give(l->board);
        memcpy(l->figures.message, message, sizeof(message));
    }
    l->figures.is_stopping = interrupt_is_asked();
}

static void *show(void *arg)
{
    struct live *l = arg;

    while (!atomic_load(&l->end)) {
        struct pollfd fds[2] = { { l->wake, POLLIN, 0 }, { terminal_key_fd(), POLLIN, 0 } };
        bool ignored;
        int key;

        refresh(l);
        draw(l);
        if (poll(fds, 2, FRAME_MS) < 0 || fds[0].revents != 0)
            continue;
        if ((fds[1].revents & POLLIN) != 0 && terminal_is_ours(&ignored) && (key = terminal_key()) >= 0)
            on_key(l, key);
        if ((fds[1].revents & (POLLHUP | POLLERR)) != 0)
            poll(fds, 1, FRAME_MS); /* the terminal is gone: no spinning */
    }
    l->form.paused = l->form.help = false;
    refresh(l);
    draw(l);
    return NULL;
}

/* ---- notes ---- */

static void keep_note(void *arg, struct slice line)
{
    struct live *l = arg;

    (void)live_keeps_text(l, line);
    live_board_message(l->board, "%.*s", SLICE_FMT(slice_trim(line)));
}

bool live_keeps_text(struct live *l, struct slice text)
{
    if (l == NULL || !l->has_screen || !l->runs)
        return false;
    pthread_mutex_lock(&l->notes_lock);
    buf_add_slice(&l->notes, text);
    pthread_mutex_unlock(&l->notes_lock);
    return true;
}

/* ---- from new to free ---- */

static int start_server(struct live *l, const char *text, struct err *err)
{
    struct addr on, bound;

    if (text == NULL)
        return 0;
    if (addr_parse_listen(&on, slice_str(text), err) != 0 ||
        live_server_start(&l->server, &on, l->board, &bound, err) != 0)
        return err_prefix(err, "--live-http");
    addr_format(l->where, &bound);
    return 0;
}

int live_new(struct live **out, const struct live_options *o, const char *command, enum progress_mode *progress,
             const char *who, struct err *err)
{
    const char *obstacle = o->screen ? terminal_obstacle() : NULL;
    struct live *l;

    *out = NULL;
    if (check(o, *progress, err) != 0)
        return -1;
    if (obstacle != NULL)
        cli_note(who, "--live: %s; going on as with --progress auto", obstacle);
    if ((!o->screen || obstacle != NULL) && o->http == NULL)
        return 0;
    l = calloc(1, sizeof(*l));
    if (l == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "no memory for the live figures");
    l->who = who;
    l->has_screen = o->screen && obstacle == NULL;
    l->wake = -1;
    pthread_mutex_init(&l->notes_lock, NULL);
    buf_init(&l->notes, NOTES_MAX_BYTES);
    buf_init(&l->out, OUT_MAX_BYTES);
    frame_init(&l->frame);
    frame_init(&l->before);
    if (live_board_new(&l->board, command, err) != 0 || start_server(l, o->http, err) != 0) {
        live_free(l);
        return -1;
    }
    if (l->has_screen)
        *progress = PROGRESS_NONE;
    *out = l;
    return 0;
}

/* Signals are for the threads that were there before. */
static int start_thread(struct live *l)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* its own mistakes are its own */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&l->thread, NULL, show, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        pthread_setname_np(l->thread, "live-screen");
    return rc;
}

void live_say_where(struct live *l)
{
    if (l != NULL && l->server != NULL)
        live_board_message(l->board, "also at http://%s/", l->where);
    else if (l != NULL)
        live_board_message(l->board, "%s", "");
}

void live_begin(struct live *l)
{
    if (l == NULL)
        return;
    if (l->server != NULL)
        cli_note(l->who, "live figures: http://%s/ (also /metrics, /live.json)", l->where);
    if (!l->has_screen)
        return;
    live_say_where(l);
    l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->form = (struct frame_form){ .colour = terminal_wants_colour(), .utf8 = terminal_speaks_utf8() };
    if (l->wake < 0 || !terminal_take())
        return;
    l->form.has_keys = terminal_has_keys();
    interrupt_hush(true);
    cli_notes_to(keep_note, l);
    l->runs = true;
    if (start_thread(l) == 0)
        return;
    l->runs = false;
    terminal_leave();
    cli_notes_to(NULL, NULL);
}

static void end_screen(struct live *l)
{
    if (!l->runs)
        return;
    atomic_store(&l->end, true);
    (void)eventfd_write(l->wake, 1);
    pthread_join(l->thread, NULL);
    terminal_leave();
    l->runs = false;
    interrupt_hush(false);
    cli_notes_to(NULL, NULL);
    fwrite(l->notes.data != NULL ? l->notes.data : "", 1, l->notes.len, stderr);
    buf_clear(&l->notes);
    if (strncmp(l->figures.message, "saved: ", 7) == 0)
        cli_note(l->who, "live figures %s", l->figures.message);
}

void live_end(struct live *l)
{
    struct live_figures *f;

    if (l == NULL)
        return;
    f = live_board_take(l->board);
    f->is_over = true;
    f->left_s = NAN;
    live_text_set(f->stage, sizeof(f->stage), SLICE("over"));
    live_board_give(l->board);
    end_screen(l);
    live_server_stop(l->server);
    l->server = NULL;
}

void live_free(struct live *l)
{
    if (l == NULL)
        return;
    end_screen(l);
    live_server_stop(l->server);
    live_board_free(l->board);
    frame_release(&l->frame);
    frame_release(&l->before);
    buf_release(&l->notes);
    buf_release(&l->out);
    if (l->wake >= 0)
        close(l->wake);
    pthread_mutex_destroy(&l->notes_lock);
    free(l);
}

struct live_board *live_board_of(struct live *l)
{
    return l->board;
}
