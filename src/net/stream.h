/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A byte stream on a non-blocking socket: plain TCP, a Unix socket, or TLS on TCP. Whoever uses it does not know which.
 *
 * The owner watches `fd` with a loop's watch, for what the last call asked: IO_WANT_READ or IO_WANT_WRITE.
 * No call blocks, none allocates (OpenSSL aside). A struct stream is the caller's memory; stream_close() leaves it
 * reusable. */
#ifndef PLIMSOLL_NET_STREAM_H
#define PLIMSOLL_NET_STREAM_H

#include "base/err.h"
#include "net/addr.h"

enum io {
    IO_OK,         /* something moved: *moved > 0 (or the handshake is complete) */
    IO_WANT_READ,  /* call again when readable */
    IO_WANT_WRITE, /* call again when writable */
    IO_EOF,        /* the peer ended its side (for TLS: close_notify; a bare FIN is IO_EOF with `unclean` set) */
    IO_FAILED,     /* sys_error (errno), or sys_error 0 and tls_error for TLS */
};

struct tls_context;
struct tls; /* OpenSSL's SSL */

struct stream {
    int fd; /* -1 when closed */
    int sys_error;
    bool is_tcp;
    bool one_write;        /* of the next stream_connect(): what is sent fits a segment and waits for its answer, so
                              TCP_NODELAY is not needed */
    uint32_t buffer_bytes; /* SO_SNDBUF and SO_RCVBUF of the next stream_connect(); 0: the system's */
    bool unclean;
    uint32_t tls_peer; /* the owner's: tells peers of the same names apart (1, 2, …), for kept sessions; 0: names do */
    bool _is_dry;      /* TLS: the last read found no whole record; what is buffered is no use before more comes */
    bool _saw_eof;     /* TLS: the socket said FIN */
    int _low_water;    /* SO_RCVLOWAT as stream_await() left it; 0: never set */
    uint64_t _session_key; /* TLS: which kept session is this peer's */
    struct tls *_tls;      /* NULL for plain */
    char tls_error[120];   /* "alert unrecognized_name", "certificate verify failed: self-signed certificate" */
};

#define STREAM_CLOSED \
    {                 \
        .fd = -1      \
    }

/* Non-blocking connect. IO_OK when connected at once, IO_WANT_WRITE while in progress, IO_FAILED with sys_error.
 * source may be NULL; it is bound with IP_BIND_ADDRESS_NO_PORT. TCP_NODELAY is set. */
enum io stream_connect(struct stream *s, const struct addr *to, const struct addr *source);
/* After writability: IO_OK connected, IO_WANT_WRITE not yet, IO_FAILED. */
enum io stream_connect_finish(struct stream *s);
/* Keep-alive probes on a TCP stream; a figure of 0 is the system's, one that it refuses has no effect. */
void stream_keep_alive(const struct stream *s, int idle_s, int interval_s, int probes);
/* Takes over an accepted, non-blocking socket. */
void stream_adopt(struct stream *s, int fd, bool is_tcp);

/* Starts TLS on a connected (or still connecting) stream; sni NULL or "" sends none. verify_name is the host name or
 * the literal address that the peer's certificate must be for; NULL checks the chain alone. Both are ignored by a
 * server's context and verify_name by an insecure one. -1 when out of memory or the name is impossible (tls_error
 * says). A stream on which this was called must stay where it is in memory until stream_close(). */
MUST_CHECK int stream_tls_start(struct stream *s, struct tls_context *ctx, const char *sni, const char *verify_name);
/* IO_OK when complete. Never IO_EOF: an end in the middle is IO_FAILED with tls_error. */
enum io stream_tls_handshake(struct stream *s);
bool stream_is_tls(const struct stream *s);
/* "TLSv1.3", "TLS_AES_256_GCM_SHA384", "h2" or "" of a completed handshake; "" for plain. */
const char *stream_tls_version(const struct stream *s);
const char *stream_tls_cipher(const struct stream *s);
const char *stream_tls_alpn(const struct stream *s);
bool stream_tls_resumed(const struct stream *s);
/* ab's two lines: "X25519 253 bits" (temporary key) and the bits of the peer's public key; empty / 0 when unknown. */
void stream_tls_describe(const struct stream *s, char *temp_key, size_t temp_key_size, int *peer_key_bits,
                         int *cipher_bits);

/* *moved is 0 unless the answer is IO_OK. len must not be 0. Reading or writing while the connection is still being
 * made says IO_WANT_READ or IO_WANT_WRITE. */
enum io stream_read(struct stream *s, void *out, size_t len, size_t *moved);
/* Takes up to len bytes and drops them: inside the kernel for plain TCP, through scratch otherwise. */
enum io stream_discard(struct stream *s, uint64_t len, void *scratch, size_t scratch_len, size_t *moved);
/* Before a wait for len more bytes that are to be dropped: plain TCP is readable only when a good part of them is
 * there, or the stream's end, so that a long body wakes the loop some times and not for every segment. A good part is a
 * quarter of the receive buffer, which is half of the window that it offers: the peer never waits for it. len 0:
 * readable at the first byte again. A system call or two, and none for short bodies. */
void stream_await(struct stream *s, uint64_t len);
/* Bytes may lie in the socket that no readiness has told of. */
static inline bool stream_awaits(const struct stream *s)
{
    return s->_low_water > 1;
}
/* After IO_WANT_* a TLS stream must be given the same bytes again (at any address; more may follow them). */
enum io stream_write(struct stream *s, const void *bytes, size_t len, size_t *moved);
/* The same, and more follows at once: what does not fill a segment may wait for it. */
enum io stream_write_more(struct stream *s, const void *bytes, size_t len, size_t *moved);
/* From a file: sendfile for plain sockets, pread + write through scratch for TLS. IO_EOF: the file ends at offset. */
enum io stream_send_file(struct stream *s, int file, uint64_t offset, size_t len, void *scratch, size_t scratch_len,
                         size_t *moved);
/* The same by pread + write always: dearer for us, and over loopback cheaper for the peer, who finds the bytes in the
 * cache. */
enum io stream_copy_file(struct stream *s, int file, uint64_t offset, size_t len, void *scratch, size_t scratch_len,
                         size_t *moved);
/* TLS holds decrypted or raw bytes that no readiness will announce: read again before waiting. */
bool stream_has_pending(const struct stream *s);

/* Says goodbye where the protocol has one (never waits). */
void stream_shutdown_write(struct stream *s);
void stream_close(struct stream *s);
/* Ends TLS without a word and gives the socket away; the stream is closed then. */
int stream_release_fd(struct stream *s);
/* Closes with RST (SO_LINGER 0). */
void stream_reset(struct stream *s);

#endif
