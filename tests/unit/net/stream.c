/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/listen.h"

enum { WAIT_MS = 5000 };

static int listen_on(const char *where, struct addr *bound, int backlog)
{
    struct err err = { 0 };
    struct addr on;
    int fd;

    if (addr_parse_listen(&on, slice_str(where), &err) != 0 ||
        listen_open(&fd, &on, false, backlog, bound, &err) != 0) {
        print_message("%s\n", err.what);
        return -1;
    }
    return fd;
}

static bool wait_for(int fd, short events)
{
    struct pollfd p = { .fd = fd, .events = events };

    return poll(&p, 1, WAIT_MS) == 1;
}

struct ends {
    struct stream client, server;
    int listener;
};

static void connect_ends(struct ends *e, const char *where)
{
    struct addr bound;
    enum io io;
    int fd;

    e->listener = listen_on(where, &bound, 16);
    assert_true(e->listener >= 0);
    io = stream_connect(&e->client, &bound, NULL);
    assert_true(io == IO_OK || io == IO_WANT_WRITE);
    assert_true(wait_for(e->listener, POLLIN));
    fd = listen_accept(e->listener, NULL);
    assert_true(fd >= 0);
    stream_adopt(&e->server, fd, true);
    assert_true(wait_for(e->client.fd, POLLOUT));
    assert_int_equal(stream_connect_finish(&e->client), IO_OK);
}

static void close_ends(struct ends *e)
{
    stream_close(&e->client);
    stream_close(&e->client); /* twice is harmless */
    stream_close(&e->server);
    close(e->listener);
}

static int option(int fd, int level, int name)
{
    int value = 0;
    socklen_t len = sizeof(value);

    assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

static void test_connect(void **state)
{
    struct ends e = { 0 };
    char out[16];
    size_t moved;

    (void)state;
    connect_ends(&e, "127.0.0.1:0");
    assert_true(option(e.client.fd, IPPROTO_TCP, TCP_NODELAY) != 0);
    assert_true(option(e.server.fd, IPPROTO_TCP, TCP_NODELAY) != 0);
    assert_true((fcntl(e.client.fd, F_GETFL) & O_NONBLOCK) != 0);
    assert_true((fcntl(e.server.fd, F_GETFL) & O_NONBLOCK) != 0);
    assert_true((fcntl(e.client.fd, F_GETFD) & FD_CLOEXEC) != 0);
    assert_true((fcntl(e.server.fd, F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_WANT_READ);
    assert_int_equal(moved, 0);
    assert_int_equal(stream_write(&e.server, "abc", 3, &moved), IO_OK);
    assert_int_equal(moved, 3);
    assert_true(wait_for(e.client.fd, POLLIN));
    assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 3);
    assert_memory_equal(out, "abc", 3);
    assert_false(stream_is_tls(&e.client));
    assert_false(stream_has_pending(&e.client));
    assert_string_equal(stream_tls_version(&e.client), "");
    assert_string_equal(stream_tls_cipher(&e.client), "");
    assert_string_equal(stream_tls_alpn(&e.client), "");
    stream_shutdown_write(&e.server);
    assert_true(wait_for(e.client.fd, POLLIN));
    assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_EOF);
    close_ends(&e);
}

static void test_refused(void **state)
{
    struct addr bound;
    struct stream s = { 0 };
    int fd = listen_on("127.0.0.1:0", &bound, 1);
    size_t moved;
    enum io io;

    (void)state;
    close(fd); /* nobody listens there now */
    io = stream_connect(&s, &bound, NULL);
    if (io == IO_WANT_WRITE) {
        assert_true(wait_for(s.fd, POLLOUT));
        io = stream_connect_finish(&s);
    }
    assert_int_equal(io, IO_FAILED);
    assert_int_equal(s.sys_error, ECONNREFUSED);
    stream_close(&s);

    /* One that writes at once without asking is told the same. */
    io = stream_connect(&s, &bound, NULL);
    if (io == IO_WANT_WRITE) {
        assert_true(wait_for(s.fd, POLLOUT));
        io = stream_write(&s, "x", 1, &moved);
    }
    assert_int_equal(io, IO_FAILED);
    assert_int_equal(s.sys_error, ECONNREFUSED);
    stream_close(&s);
}

/* A full queue of a listener leaves the next connections in SYN-SENT. */
static void test_still_connecting(void **state)
{
    enum { TRIES = 8 };
    struct addr bound;
    struct stream streams[TRIES] = { 0 };
    int listener = listen_on("127.0.0.1:0", &bound, 0);
    bool has_waited = false;
    size_t moved;
    char byte;

    (void)state;
    for (int i = 0; i < TRIES; i++) {
        assert_true(stream_connect(&streams[i], &bound, NULL) != IO_FAILED);
    }
    for (int i = 0; i < TRIES; i++) {
        if (stream_connect_finish(&streams[i]) == IO_WANT_WRITE) {
            has_waited = true;
            assert_int_equal(stream_write(&streams[i], "x", 1, &moved), IO_WANT_WRITE);
            assert_int_equal(moved, 0);
            assert_int_equal(stream_read(&streams[i], &byte, 1, &moved), IO_WANT_READ);
        }
        stream_close(&streams[i]);
    }
    assert_true(has_waited);
    close(listener);
}

static const struct {
    const char *why, *listen, *source;
} SOURCES[] = {
    { "IPv4", "127.0.0.1:0", "127.0.0.2" },
    { "IPv6", "[::1]:0", "::1" },
};

static void test_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(SOURCES) / sizeof(SOURCES[0]); i++) {
        struct addr bound;
        struct addr source;
        struct addr peer;
        struct stream s = { 0 };
        int listener = listen_on(SOURCES[i].listen, &bound, 4);
        int fd;

        print_message("%s\n", SOURCES[i].why);
        if (listener < 0) {
            print_message("skipped: this machine has no %s\n", SOURCES[i].why);
            continue;
        }
        assert_int_equal(addr_parse(&source, slice_str(SOURCES[i].source), 0, NULL), 0);
        assert_true(stream_connect(&s, &bound, &source) != IO_FAILED);
        assert_true(option(s.fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT) != 0);
        assert_true(wait_for(listener, POLLIN));
        fd = listen_accept(listener, &peer);
        assert_true(fd >= 0);
        if (peer.sa.any.sa_family == AF_INET) {
            source.sa.v4.sin_port = peer.sa.v4.sin_port;
        } else {
            source.sa.v6.sin6_port = peer.sa.v6.sin6_port;
        }
        assert_true(addr_equal(&peer, &source));
        close(fd);
        stream_close(&s);
        close(listener);
    }
}

static void test_impossible_source(void **state)
{
    struct addr bound;
    struct addr source;
    struct stream s = { 0 };
    int listener = listen_on("127.0.0.1:0", &bound, 4);

    (void)state;
    assert_int_equal(addr_parse(&source, SLICE("192.0.2.1"), 0, NULL), 0); /* TEST-NET-1: nobody has it */
    assert_int_equal(stream_connect(&s, &bound, &source), IO_FAILED);
    assert_int_equal(s.sys_error, EADDRNOTAVAIL);
    assert_int_equal(s.fd, -1);
    close(listener);
}

static void write_all(struct stream *s, const char *bytes, size_t len)
{
    size_t moved;

    assert_int_equal(stream_write(s, bytes, len, &moved), IO_OK);
    assert_int_equal(moved, len);
}

static const struct {
    const char *why;
    bool is_tcp;
} DISCARDS[] = {
    { "TCP: inside the kernel", true },
    { "Unix sockets: MSG_TRUNC would return data instead", false },
};

/* Two messages lie in the socket: the body's 5 bytes go, the next reply stays whole. */
static void test_discard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(DISCARDS) / sizeof(DISCARDS[0]); i++) {
        struct ends e = { 0 };
        int fds[2];
        char scratch[2];
        char out[16] = "";
        size_t moved;
        uint64_t left = 5;

        print_message("%s\n", DISCARDS[i].why);
        if (DISCARDS[i].is_tcp) {
            connect_ends(&e, "127.0.0.1:0");
        } else {
            e.listener = -1;
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
            stream_adopt(&e.client, fds[0], false);
            stream_adopt(&e.server, fds[1], false);
        }
        assert_int_equal(stream_discard(&e.client, left, scratch, sizeof(scratch), &moved), IO_WANT_READ);
        assert_int_equal(moved, 0);
        write_all(&e.server, "bodyzHTTP", 9);
        assert_true(wait_for(e.client.fd, POLLIN));
        while (left > 0) {
            assert_int_equal(stream_discard(&e.client, left, scratch, sizeof(scratch), &moved), IO_OK);
            assert_true(moved > 0 && moved <= left);
            left -= moved;
        }
        assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_OK);
        assert_int_equal(moved, 4);
        assert_memory_equal(out, "HTTP", 4);
        /* More than there is, up to more than one call can take: only what is there. */
        write_all(&e.server, "xy", 2);
        assert_true(wait_for(e.client.fd, POLLIN));
        assert_int_equal(stream_discard(&e.client, UINT64_MAX, scratch, sizeof(scratch), &moved), IO_OK);
        assert_int_equal(moved, 2);
        stream_close(&e.server);
        assert_true(wait_for(e.client.fd, POLLIN));
        assert_int_equal(stream_discard(&e.client, 10, scratch, sizeof(scratch), &moved), IO_EOF);
        assert_false(e.client.unclean);
        close_ends(&e);
    }
}

static const struct {
    const char *why;
    uint64_t awaited;
    size_t written;
    bool closed, readable;
} AWAITS[] = {
    { "the end of a long body, a part of it: not yet", 1000, 999, false, false },
    { "the end of a long body", 1000, 1000, false, true },
    { "a long body, its first bytes: not yet", 1 << 20, 10, false, false },
    { "a long body, the rest that is missing", 80000, 80000, false, true },
    { "a long body that ends too early", 1 << 20, 10, true, true },
    { "a long body that ends before it begins", 1 << 20, 0, true, true },
    { "no longer: at the first byte", 0, 1, false, true },
};

static void test_await(void **state)
{
    static char bytes[80000];

    (void)state;
    for (size_t i = 0; i < sizeof(AWAITS) / sizeof(AWAITS[0]); i++) {
        struct ends e = { 0 };
        struct pollfd p;

        print_message("%s\n", AWAITS[i].why);
        connect_ends(&e, "127.0.0.1:0");
        p = (struct pollfd){ .fd = e.client.fd, .events = POLLIN };
        stream_await(&e.client, 1 << 20);
        stream_await(&e.client, AWAITS[i].awaited);
        if (AWAITS[i].written > 0)
            write_all(&e.server, bytes, AWAITS[i].written);
        if (AWAITS[i].closed)
            stream_close(&e.server);
        assert_int_equal(poll(&p, 1, AWAITS[i].readable ? WAIT_MS : 50), AWAITS[i].readable ? 1 : 0);
        close_ends(&e);
    }
}

/* A connection that is kept has forgotten what the last body needed; what never waited was not touched. */
static void test_await_costs_nothing_when_short(void **state)
{
    struct ends e = { 0 };

    (void)state;
    connect_ends(&e, "127.0.0.1:0");
    stream_await(&e.client, 1000);
    assert_int_equal(e.client._low_water, 0);
    stream_await(&e.client, 1 << 20);
    assert_true(option(e.client.fd, SOL_SOCKET, SO_RCVLOWAT) > 1000);
    stream_await(&e.client, 1000);
    assert_int_equal(option(e.client.fd, SOL_SOCKET, SO_RCVLOWAT), 1000);
    stream_await(&e.client, 0);
    assert_int_equal(option(e.client.fd, SOL_SOCKET, SO_RCVLOWAT), 1);
    close_ends(&e);
}

/* A peer that closes with RST: the reader is told, and the writer does not die of SIGPIPE. */
static void test_reset(void **state)
{
    struct ends e = { 0 };
    char byte;
    size_t moved;

    (void)state;
    connect_ends(&e, "127.0.0.1:0");
    stream_reset(&e.server);
    assert_int_equal(e.server.fd, -1);
    assert_true(wait_for(e.client.fd, POLLIN));
    assert_int_equal(stream_read(&e.client, &byte, 1, &moved), IO_FAILED);
    assert_int_equal(e.client.sys_error, ECONNRESET);
    assert_int_equal(stream_write(&e.client, "x", 1, &moved), IO_FAILED);
    assert_int_equal(e.client.sys_error, EPIPE);
    close_ends(&e);
}

static void test_full(void **state)
{
    static const char block[65536];
    struct ends e = { 0 };
    size_t moved;
    enum io io = IO_OK;

    (void)state;
    connect_ends(&e, "127.0.0.1:0");
    for (int i = 0; i < 10000 && io == IO_OK; i++) {
        io = stream_write(&e.client, block, sizeof(block), &moved);
    }
    assert_int_equal(io, IO_WANT_WRITE);
    close_ends(&e);
}

static void test_send_file(void **state)
{
    char path[] = "/tmp/plimsoll-file-XXXXXX";
    struct ends e = { 0 };
    char out[16], scratch[5];
    size_t moved;
    int file = mkstemp(path);

    (void)state;
    unlink(path);
    assert_int_equal(write(file, "0123456789", 10), 10);
    connect_ends(&e, "127.0.0.1:0");
    assert_int_equal(stream_send_file(&e.server, file, 3, 4, NULL, 0, &moved), IO_OK);
    assert_int_equal(moved, 4);
    assert_true(wait_for(e.client.fd, POLLIN));
    assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 4);
    assert_memory_equal(out, "3456", 4);
    assert_int_equal(stream_send_file(&e.server, file, 10, 4, NULL, 0, &moved), IO_EOF);
    assert_int_equal(stream_copy_file(&e.server, file, 3, 7, scratch, sizeof(scratch), &moved), IO_OK);
    assert_int_equal(moved, sizeof(scratch)); /* no more than there is room for */
    assert_true(wait_for(e.client.fd, POLLIN));
    assert_int_equal(stream_read(&e.client, out, sizeof(out), &moved), IO_OK);
    assert_int_equal(moved, 5);
    assert_memory_equal(out, "34567", 5);
    assert_int_equal(stream_copy_file(&e.server, file, 10, 4, scratch, sizeof(scratch), &moved), IO_EOF);
    close_ends(&e);
    close(file);
}

static void test_unix(void **state)
{
    char path[64];
    struct addr on;
    struct addr bound;
    struct addr peer;
    struct stream s = { 0 };
    char text[ADDR_TEXT_MAX];
    int listener;
    int fd;

    (void)state;
    snprintf(path, sizeof(path), "/tmp/plimsoll-unix-%d", (int)getpid());
    assert_int_equal(addr_unix(&on, slice_str(path), NULL), 0);
    assert_int_equal(listen_open(&listener, &on, true, 4, &bound, NULL), 0);
    assert_int_equal(stream_connect(&s, &on, NULL), IO_OK);
    assert_false(s.is_tcp);
    fd = listen_accept(listener, &peer);
    assert_true(fd >= 0);
    assert_string_equal(addr_format(text, &peer), "unix:"); /* clients have no name */
    close(fd);
    stream_close(&s);
    close(listener);
    assert_int_equal(stream_connect(&s, &on, NULL), IO_FAILED);
    assert_int_equal(s.sys_error, ECONNREFUSED);
    unlink(path);
    assert_int_equal(stream_connect(&s, &on, NULL), IO_FAILED);
    assert_int_equal(s.sys_error, ENOENT);
    assert_int_equal(s.fd, -1);
}

static void test_listen(void **state)
{
    struct addr bound;
    struct addr taken;
    struct err err = { 0 };
    int first = listen_on("127.0.0.1:0", &bound, 4);
    int second;
    unsigned low;
    unsigned high;

    (void)state;
    assert_true(ntohs(bound.sa.v4.sin_port) != 0);
    taken = bound;
    assert_int_equal(listen_open(&second, &taken, false, 4, &bound, &err), -1);
    assert_int_equal(err.sys, EADDRINUSE);
    assert_non_null(strstr(err.hint, "ss -ltnp"));
    assert_int_equal(second, -1);
    close(first);
    assert_int_equal(listen_open(&first, &taken, true, 4, &bound, &err), 0); /* shared: every thread owns one */
    assert_int_equal(listen_open(&second, &taken, true, 4, &bound, &err), 0);
    assert_int_equal(listen_accept(second, NULL), -1);
    assert_int_equal(errno, EAGAIN);
    close(first);
    close(second);
    assert_int_equal(addr_parse(&taken, SLICE("192.0.2.1"), 0, NULL), 0);
    assert_int_equal(listen_open(&first, &taken, false, 4, &bound, &err), -1);
    assert_int_equal(err.sys, EADDRNOTAVAIL);
    assert_non_null(strstr(err.what, "192.0.2.1:0"));
    assert_int_equal(net_port_range(&low, &high, &err), 0);
    assert_true(low > 0 && low < high && high <= 65535);
    assert_true(net_raise_open_files() >= 256);
    assert_int_equal(net_raise_open_files(), net_raise_open_files());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connect),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_still_connecting),
        cmocka_unit_test(test_source),
        cmocka_unit_test(test_impossible_source),
        cmocka_unit_test(test_discard),
        cmocka_unit_test(test_await),
        cmocka_unit_test(test_await_costs_nothing_when_short),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_send_file),
        cmocka_unit_test(test_unix),
        cmocka_unit_test(test_listen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
