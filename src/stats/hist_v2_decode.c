/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads V2 as a stream: base64, zlib and numbers are undone piece by piece into fixed buffers, so that hostile input
 * can not make us allocate, and every number moves the slot onwards, so that it can not keep us busy either. */
#include "stats/hist_codec.h"

#include "stats/base64.h"
#include "stats/hist_v2.h"
#include "stats/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Above what the finest histogram (5 digits) of an hour can take when every slot has its own count. */
#define TEXT_MAX ((size_t)32 * 1024 * 1024)
/* At a time; what hist_encode_v2() stores uncompressed fits as a whole. */
enum { PLAIN_MAX = 4096, PACKED_MAX = 3 * 1536 };

/* ---- bytes: base64, then zlib ---- */

struct source {
    struct slice text; /* base64 not yet decoded, whole groups of four */
    z_stream z;
    uint8_t packed[PACKED_MAX + 1];
    uint8_t plain[PLAIN_MAX];
    size_t at, end; /* in plain */
    bool ended;     /* zlib's stream is complete and its checksum right */
    bool bad;
};

/* Leaves the buffers as they are: clearing them would take longer than reading most histograms. */
static void source_init(struct source *s, struct slice text)
{
    s->text = text;
    s->z = (z_stream){ 0 };
    s->at = s->end = 0;
    s->ended = s->bad = false;
}

/* Decodes at most `room` bytes (a multiple of 3) to out, which has a byte more. */
static size_t next_packed(struct source *s, uint8_t *out, size_t room)
{
    const size_t left = s->text.len / 4, quads = left < room / 3 ? left : room / 3;
    const size_t last = quads > 0 && quads == left ? 1 : 0;
    const size_t middle = 3 * (quads - last);
    size_t end = 0;

    s->bad = !base64_quads(s->text.ptr, quads - last, out);
    if (last > 0 && !s->bad) {
        end = base64_last_quad(s->text.ptr + 4 * (quads - 1), out + middle);
        s->bad = end == 0;
    }
    s->text = slice_drop(s->text, 4 * quads);
    return s->bad ? 0 : middle + end;
}

static void refill_plain(struct source *s)
{
    s->at = s->end = 0;
    s->z.next_out = s->plain;
    s->z.avail_out = sizeof(s->plain);
    while (s->z.avail_out == sizeof(s->plain) && !s->ended && !s->bad) {
        if (s->z.avail_in == 0) {
            s->z.next_in = s->packed;
            s->z.avail_in = (uInt)next_packed(s, s->packed, PACKED_MAX);
        }
        if (s->z.avail_in == 0) {
            s->bad = true; /* the text ended before the stream did */
            return;
        }
        const int rc = inflate(&s->z, Z_NO_FLUSH);
        s->ended = rc == Z_STREAM_END;
        s->bad = !s->ended && rc != Z_OK && rc != Z_BUF_ERROR;
    }
    s->end = sizeof(s->plain) - s->z.avail_out;
}

/* The next byte of the inner encoding; 0 and bad when there is none. */
static uint8_t next_byte(struct source *s)
{
    if (s->at == s->end)
        refill_plain(s);
    if (s->at == s->end) {
        s->bad = true;
        return 0;
    }
    return s->plain[s->at++];
}

static uint64_t next_be(struct source *s, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes-- > 0)
        v = v << 8 | next_byte(s);
    return v;
}

/* True when nothing is left: neither numbers nor compressed bytes nor text. */
static bool at_end(struct source *s)
{
    if (s->at == s->end && !s->ended)
        refill_plain(s);
    return !s->bad && s->ended && s->at == s->end && s->z.avail_in == 0 && s->text.len == 0;
}

/* ---- the other side's layout ---- */

/* The essay of hist.h with their numbers: 2^sub_bits sub-buckets, values counted in units of 2^unit_bits. */
struct layout {
    unsigned sub_bits;
    unsigned unit_bits;
    uint64_t slots;
    uint32_t payload_bytes;
};

static unsigned bit_length(uint64_t v)
{
    return v == 0 ? 0u : 64u - (unsigned)__builtin_clzll(v);
}

/* sub_bits: the smallest power of two above 2 * 10^digits, so that a slot is at most one unit of the last digit wide.
 */
static unsigned sub_bits_for(uint64_t digits)
{
    uint64_t largest = 2;

    while (digits-- > 0)
        largest *= 10u;
    return bit_length(largest - 1u);
}

static int refuse(struct err *err, const char *why)
{
    return err_set(err, ERR_PEER, 0, "not a histogram in HdrHistogram's V2 encoding: %s", why);
}

static int read_layout(struct source *s, struct layout *out, struct err *err)
{
    const uint64_t cookie = next_be(s, 4);
    const uint64_t payload = next_be(s, 4);
    (void)next_be(s, 4); /* normalizing offset: the payload is in the values' order whatever it says */
    const uint64_t digits = next_be(s, 4);
    const uint64_t lowest = next_be(s, 8);
    const uint64_t highest = next_be(s, 8);
    const uint64_t ratio = next_be(s, 8);

    if (s->bad)
        return refuse(err, "its header is cut short or damaged");
    if ((cookie & V2_COOKIE_MASK) != V2_INNER_COOKIE)
        return refuse(err, "wrong inner cookie");
    if (digits > 5 || lowest < 1 || lowest > HIST_MAX_NS || highest < 2 * lowest || highest > INT64_MAX)
        return refuse(err, "impossible digits or limits");
    if (ratio != V2_RATIO_ONE && ratio > 1) /* some write the integer 1, or nothing, for 1.0 */
        return refuse(err, "its values are not integers");

    out->sub_bits = sub_bits_for(digits);
    out->unit_bits = bit_length(lowest) - 1u;
    if (out->sub_bits + out->unit_bits > 61)
        return refuse(err, "impossible digits or limits");
    const unsigned top = bit_length(highest);
    const unsigned inside = out->sub_bits + out->unit_bits;
    const uint64_t buckets = top > inside ? top - inside + 1u : 1u;
    out->slots = (buckets + 1u) << (out->sub_bits - 1u);
    if (payload > out->slots * VARINT_MAX)
        return refuse(err, "more counts than slots");
    out->payload_bytes = (uint32_t)payload;
    return 0;
}

/* The lowest and highest value of slot i. */
static void slot_range(const struct layout *l, uint64_t i, uint64_t *low, uint64_t *high)
{
    const uint64_t half = UINT64_C(1) << (l->sub_bits - 1u);
    const unsigned bucket = i < 2u * half ? 0u : (unsigned)(i / half - 1u);
    const unsigned shift = bucket + l->unit_bits;

    *low = (i - bucket * half) << shift;
    *high = *low + ((UINT64_C(1) << shift) - 1u);
}

/* ---- counts ---- */

struct total {
    uint64_t count;
    unsigned __int128 sum_ns, lows_ns, widths_ns;
    uint64_t last_count;
    uint32_t last_slot;
};

/* Counts of slots that lie in one bucket, and so are equally wide. */
static void add_bucket(struct total *t, uint32_t bucket, uint64_t slots, uint64_t count)
{
    const unsigned __int128 lows = (unsigned __int128)(slots - (uint64_t)bucket * HIST_SUB_HALF * count) << bucket;
    const uint64_t width = (UINT64_C(1) << bucket) - 1u;

    t->count += count;
    t->lows_ns += lows;
    t->widths_ns += (unsigned __int128)width * count;
    t->sum_ns += lows + (unsigned __int128)(width / 2u) * count;
}

/* Counters on their way from bytes to words. */
struct run {
    const uint8_t *at, *safe; /* two bytes are there before safe */
    uint32_t *word;
    uint32_t slot;
    uint64_t slots, count; /* sums: counts times their slots; counts */
};

/* Counters of one and two bytes, of slots before stop. Not inlined: all of it should stay in registers. */
static __attribute__((noinline)) void take_run(struct run *run, uint32_t stop)
{
    struct run r = *run;

    while (r.slot < stop && r.at < r.safe) {
        uint32_t v = *r.at;

        if (__builtin_expect(v - 1u < 0x7fu, 1)) {
            r.at++;
        } else {
            v = (v & 0x7fu) | (uint32_t)r.at[1] << 7;
            if (*r.at == 0 || v == 0 || v >= 0x4000u)
                break;
            r.at += 2;
        }
        if ((v & 1u) != 0) { /* so many empty ones, less one */
            r.slot += (v >> 1) + 1u;
            continue;
        }
        v >>= 1;
        *r.word++ = r.slot << 16 | v;
        r.slots += (uint64_t)r.slot++ * v;
        r.count += v;
    }
    *run = r;
}

/* Of our own layout the counters that are there as a whole and small, which is nearly all of them, without a look at
 * each one's value: *i moves on, *left too. What it stops at, or leaves, is for read_counts(). */
static void read_own(struct source *s, struct hist *h, uint64_t *i, uint32_t *left, struct total *t)
{
    const size_t have = s->end - s->at, there = have < *left ? have : *left;
    const uint32_t last = hist_slot_of(HIST_MAX_NS); /* its end is not that of our values */
    const uint8_t *from = s->plain + s->at;
    uint32_t *first = h->_packed + h->_packed_words;
    struct run r = { .at = from, .safe = from + (there > 0 ? there - 1 : 0), .word = first, .slot = (uint32_t)*i };

    while (r.at < r.safe && r.slot < last) {
        const uint32_t bucket = r.slot < HIST_SUB_COUNT ? 0 : r.slot / HIST_SUB_HALF - 1u;
        const uint32_t top = (bucket + 2u) * HIST_SUB_HALF, stop = top < last ? top : last;

        r.slots = r.count = 0;
        take_run(&r, stop);
        add_bucket(t, bucket, r.slots, r.count);
        if (r.slot < stop)
            break;
    }
    if (r.word > first) {
        t->last_slot = r.word[-1] >> 16;
        t->last_count = r.word[-1] & PACKED_COUNT_MAX;
    }
    h->_packed_words += (size_t)(r.word - first);
    *left -= (uint32_t)(r.at - from);
    s->at += (size_t)(r.at - from);
    *i = r.slot;
}

/* Theirs may be coarser than ours: a slot's values are then taken to lie at its middle. */
static bool add_slot(struct hist *h, const struct layout *l, uint64_t i, uint64_t n, struct total *t)
{
    uint64_t low;
    uint64_t high;

    slot_range(l, i, &low, &high);
    if (low > HIST_MAX_NS || __builtin_add_overflow(t->count, n, &t->count))
        return false;
    if (h->_packed != NULL) {
        t->last_slot = (uint32_t)i;
        t->last_count = n;
        t->lows_ns += (unsigned __int128)low * n;
        t->widths_ns += (unsigned __int128)(high - low) * n;
        h->_packed_words = (size_t)(packed_put(h->_packed + h->_packed_words, (uint32_t)i, n) - h->_packed);
    }
    if (high > HIST_MAX_NS) /* the slot of the hour itself ends behind it */
        high = HIST_MAX_NS;
    const uint64_t middle = low + (high - low) / 2u;
    t->sum_ns += (unsigned __int128)middle * n;
    if (t->sum_ns > UINT64_MAX)
        return false;
    if (h->_packed == NULL)
        hist_record_n(h, middle, n);
    return true;
}

static uint64_t next_varint(struct source *s, uint32_t *payload_left)
{
    uint8_t bytes[VARINT_MAX];
    uint64_t v = 0;
    size_t len = 0;

    do {
        if (*payload_left == 0) {
            s->bad = true;
            return 0;
        }
        bytes[len++] = next_byte(s);
        --*payload_left;
    } while (!s->bad && bytes[len - 1] >= 0x80u && len < VARINT_MAX);
    (void)varint_get(bytes, len, &v);
    return v;
}

static int read_counts(struct source *s, struct hist *h, const struct layout *l, struct total *t, struct err *err)
{
    uint32_t left = l->payload_bytes;
    uint64_t i = 0;

    while (left > 0) {
        if (h->_packed != NULL && i < l->slots)
            read_own(s, h, &i, &left, t);
        if (i > l->slots)
            return refuse(err, "more counts than slots");
        if (left == 0)
            break;
        const int64_t n = unzigzag(next_varint(s, &left));
        if (s->bad)
            return refuse(err, "its counts are cut short or damaged");
        const uint64_t moved = n < 0 ? 0u - (uint64_t)n : 1u;
        if (moved > l->slots - i)
            return refuse(err, "more counts than slots");
        if (n > 0 && !add_slot(h, l, i, (uint64_t)n, t))
            return refuse(err, "values or counts larger than ours can hold");
        i += moved;
    }
    return t->sum_ns <= UINT64_MAX ? 0 : refuse(err, "values or counts larger than ours can hold");
}

/* What the counters of a packed one come to; the memory that it did not need is given back. */
static int finish_packed(struct hist *h, const struct total *t, struct err *err)
{
    uint32_t *fitting;

    if (t->count == 0)
        return 0;
    fitting = realloc(h->_packed, h->_packed_words * sizeof(*fitting));
    if (fitting == NULL)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make a histogram");
    h->_packed = fitting;
    h->_count = t->count;
    h->_sum_ns = (uint64_t)t->sum_ns;
    h->_lows_ns = (uint64_t)t->lows_ns;
    h->_widths_ns = (uint64_t)t->widths_ns;
    h->_last_count = t->last_count;
    h->_min_ns = slot_low(h->_packed[0] >> 16);
    h->_max_ns = slot_low(t->last_slot);
    return 0;
}

/* The encoding has no exact figures: the outermost slots' ends are the best that can be said until hist_set_exact(). */
static void widen_to_slots(struct hist *h)
{
    if (h->_count == 0)
        return;
    h->_min_ns = hist_lowest_equivalent(h->_min_ns);
    const uint64_t high = hist_highest_equivalent(h->_max_ns);
    h->_max_ns = high < HIST_MAX_NS ? high : HIST_MAX_NS;
}

/* ---- the whole ---- */

static uint32_t be32_at(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Leaves the beginning of zlib's stream in packed. */
static int read_outer(struct source *s, struct err *err)
{
    if (s->text.len % 4 != 0 || s->text.len < 12)
        return refuse(err, "not base64, or cut short");
    if (s->text.len > TEXT_MAX)
        return refuse(err, "too long");
    const size_t padding = s->text.ptr[s->text.len - 1] != '=' ? 0 : s->text.ptr[s->text.len - 2] != '=' ? 1 : 2;
    const size_t total = s->text.len / 4 * 3 - padding;
    const size_t n = next_packed(s, s->packed, PACKED_MAX);
    if (n < V2_OUTER_BYTES)
        return refuse(err, "not base64, or cut short");
    if ((be32_at(s->packed) & V2_COOKIE_MASK) != V2_OUTER_COOKIE)
        return refuse(err, "wrong outer cookie");
    if (be32_at(s->packed + 4) != total - V2_OUTER_BYTES)
        return refuse(err, "wrong length");
    s->z.next_in = s->packed + V2_OUTER_BYTES;
    s->z.avail_in = (uInt)(n - V2_OUTER_BYTES);
    return 0;
}

/* RFC 1950 and 1951: a stream of one block that is stored as it is. Such are those of short histograms, and there are
 * so many of them that zlib's preparations would take longest. False, and nothing changed: zlib may say what it is. */
static bool read_stored(struct source *s)
{
    enum { HEAD = 7, CHECKSUM = 4 };
    const uint8_t *at = s->z.next_in;
    const size_t n = s->z.avail_in;

    if (s->text.len > 0 || n < HEAD + CHECKSUM || at[0] != 0x78 || (at[0] << 8 | at[1]) % 31 != 0 ||
        (at[1] & 0x20) != 0 || at[2] != 1)
        return false;
    const size_t length = (size_t)at[3] | (size_t)at[4] << 8, inverse = (size_t)at[5] | (size_t)at[6] << 8;
    if (length != (inverse ^ 0xffffu) || length != n - HEAD - CHECKSUM || length > PLAIN_MAX ||
        adler32(1, at + HEAD, (uInt)length) != be32_at(at + HEAD + length))
        return false;
    memcpy(s->plain, at + HEAD, length);
    s->end = length;
    s->z.avail_in = 0;
    s->ended = true;
    return true;
}

/* Of our own layout the numbers are kept as a list; values of others find their slots. */
static int make(struct hist **out, const struct layout *l, struct err *err)
{
    struct hist *h;

    if (l->sub_bits != HIST_SUB_BITS || l->unit_bits != 0)
        return hist_new(out, err);
    h = calloc(1, sizeof(*h));
    if (h != NULL)
        h->_packed = malloc(((size_t)l->payload_bytes + 1) * sizeof(*h->_packed)); /* at most a word for each byte */
    if (h == NULL || h->_packed == NULL) {
        free(h);
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot make a histogram");
    }
    h->_min_ns = UINT64_MAX;
    *out = h;
    return 0;
}

static int read_all(struct source *s, struct hist **out, struct err *err)
{
    struct layout l = { 0 };
    struct total t = { 0 };

    if (read_layout(s, &l, err) < 0 || make(out, &l, err) < 0 || read_counts(s, *out, &l, &t, err) < 0)
        return -1;
    if (!at_end(s))
        return refuse(err, "its end is missing, damaged or followed by something else");
    if ((*out)->_packed != NULL && finish_packed(*out, &t, err) < 0)
        return -1;
    widen_to_slots(*out);
    (*out)->_coarse = l.sub_bits < HIST_SUB_BITS || l.unit_bits > 0;
    return 0;
}

int hist_decode_v2(struct hist **out, struct slice base64, struct err *err)
{
    struct source s;

    *out = NULL;
    source_init(&s, base64);
    if (read_outer(&s, err) < 0)
        return -1;
    const bool stored = read_stored(&s);
    if (!stored && inflateInit(&s.z) != Z_OK)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot decode a histogram");
    const int rc = read_all(&s, out, err);
    if (!stored)
        inflateEnd(&s.z);
    if (rc < 0) {
        hist_free(*out);
        *out = NULL;
    }
    return rc;
}
