/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads V2 as a stream: base64, zlib and numbers are undone piece by piece into fixed buffers, so that hostile input
 * can not make us allocate, and every number moves the slot onwards, so that it can not keep us busy either. */
#include "stats/hist_codec.h"

#include "stats/hist_v2.h"
#include "stats/varint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Above what the finest histogram (5 digits) of an hour can take when every slot has its own count. */
#define TEXT_MAX ((size_t)32 * 1024 * 1024)

/* ---- bytes: base64, then zlib ---- */

struct source {
    struct slice text; /* base64 not yet decoded, whole groups of four */
    z_stream z;
    uint8_t packed[3072];
    uint8_t plain[4096];
    size_t at, end; /* in plain */
    bool ended;     /* zlib's stream is complete and its checksum right */
    bool bad;
};

/* What a letter of base64 stands for, plus one; 0: it is none. */
static const uint8_t SEXTETS[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
};

static int sextet(char c)
{
    return SEXTETS[(uint8_t)c] - 1;
}

/* Decodes four characters, the last of the text. Returns how many bytes (1 to 3), 0 when they are not base64. */
static size_t decode_last_quad(const char *four, uint8_t *out)
{
    const size_t n = four[3] != '=' ? 3 : four[2] != '=' ? 2 : 1;
    uint32_t word = 0;

    for (size_t i = 0; i < 4; i++) {
        const int v = i <= n ? sextet(four[i]) : 0;
        if (v < 0)
            return 0;
        word = word << 6 | (uint32_t)v;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(word >> (16u - 8u * (unsigned)i));
    return n;
}

/* The same for one in the middle: three bytes, or none. */
static size_t decode_quad(const char *four, uint8_t *out)
{
    const int a = sextet(four[0]), b = sextet(four[1]), c = sextet(four[2]), d = sextet(four[3]);
    const uint32_t word = (uint32_t)a << 18 | (uint32_t)b << 12 | (uint32_t)c << 6 | (uint32_t)d;

    if ((a | b | c | d) < 0)
        return 0;
    out[0] = (uint8_t)(word >> 16);
    out[1] = (uint8_t)(word >> 8);
    out[2] = (uint8_t)word;
    return 3;
}

/* Decodes at most `room` bytes (a multiple of 3). */
static size_t next_packed(struct source *s, uint8_t *out, size_t room)
{
    size_t len = 0;

    while (len < room && s->text.len >= 4) {
        const size_t n = s->text.len == 4 ? decode_last_quad(s->text.ptr, out + len)
                                          : decode_quad(s->text.ptr, out + len);
        if (n == 0) {
            s->bad = true;
            return 0;
        }
        len += n;
        s->text = slice_from(s->text.ptr + 4, s->text.len - 4);
    }
    return len;
}

static void refill_plain(struct source *s)
{
    s->at = s->end = 0;
    s->z.next_out = s->plain;
    s->z.avail_out = sizeof(s->plain);
    while (s->z.avail_out == sizeof(s->plain) && !s->ended && !s->bad) {
        if (s->z.avail_in == 0) {
            s->z.next_in = s->packed;
            s->z.avail_in = (uInt)next_packed(s, s->packed, sizeof(s->packed));
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
    unsigned __int128 sum_ns;
};

/* What hist_record_n() does but for the slot. */
static void note_slot(struct hist *h, uint64_t ns, uint64_t n)
{
    h->_count += n;
    h->_sum_ns += ns * n;
    h->_min_ns = ns < h->_min_ns ? ns : h->_min_ns;
    h->_max_ns = ns > h->_max_ns ? ns : h->_max_ns;
}

static uint64_t slot_middle(uint32_t i)
{
    const uint32_t bucket = i < HIST_SUB_COUNT ? 0 : i / HIST_SUB_HALF - 1u;
    const uint64_t low = (uint64_t)(i - bucket * HIST_SUB_HALF) << bucket;
    const uint64_t high = low + ((UINT64_C(1) << bucket) - 1u);

    return low + ((high < HIST_MAX_NS ? high : HIST_MAX_NS) - low) / 2u;
}

/* Theirs may be coarser than ours: a slot's values are then taken to lie at its middle. */
static bool add_slot(struct hist *h, const struct layout *l, uint64_t i, uint64_t n, struct total *t)
{
    uint64_t low;
    uint64_t high;

    slot_range(l, i, &low, &high);
    if (low > HIST_MAX_NS)
        return false;
    if (high > HIST_MAX_NS) /* the slot of the hour itself ends behind it */
        high = HIST_MAX_NS;
    const uint64_t middle = low + (high - low) / 2u;
    t->sum_ns += (unsigned __int128)middle * n;
    if (t->sum_ns > UINT64_MAX || __builtin_add_overflow(t->count, n, &t->count))
        return false;
    if (h->_packed == NULL)
        hist_record_n(h, middle, n);
    else
        note_slot(h, middle, n);
    return true;
}

/* Of our own layout the numbers that are there as a whole, without a slot being looked for: *i and *left move on. False
 * when the general way must find out what is wrong. */
static bool read_own(struct source *s, struct hist *h, uint64_t *i, uint32_t *left, struct total *t)
{
    const uint8_t *at = s->plain + s->at;
    const size_t have = s->end - s->at, there = have < *left ? have : *left;
    const uint8_t *end = at + there;
    uint64_t slot = *i, first = UINT64_MAX, last = 0;
    size_t moved;

    while (end - at >= (ptrdiff_t)VARINT_MAX && slot < HIST_SLOTS) {
        uint64_t v = *at;
        const size_t used = v < 0x80u ? 1 : varint_get(at, VARINT_MAX, &v);
        const int64_t n = unzigzag(v);

        if (n < 0) {
            if (0u - (uint64_t)n > HIST_SLOTS - slot)
                break; /* whoever comes next will find out */
            slot += 0u - (uint64_t)n;
        } else {
            const uint64_t middle = slot_middle((uint32_t)slot);
            uint64_t sum;

            if (middle > HIST_MAX_NS || __builtin_mul_overflow(middle, (uint64_t)n, &sum) ||
                __builtin_add_overflow(t->count, (uint64_t)n, &t->count))
                return false;
            t->sum_ns += sum;
            if (n > 0) {
                first = first == UINT64_MAX ? middle : first;
                last = middle;
            }
            slot++;
        }
        at += used;
    }
    moved = (size_t)(at - s->plain) - s->at;
    if (t->sum_ns > UINT64_MAX)
        return false;
    h->_count = t->count;
    h->_sum_ns = (uint64_t)t->sum_ns;
    h->_min_ns = first < h->_min_ns ? first : h->_min_ns;
    h->_max_ns = last > h->_max_ns ? last : h->_max_ns;
    memcpy(h->_packed + h->_packed_bytes, s->plain + s->at, moved);
    h->_packed_bytes += moved;
    *left -= (uint32_t)moved;
    s->at += moved;
    *i = slot;
    return true;
}

/* Its bytes go to bytes too; *length: how many. */
static uint64_t next_varint(struct source *s, uint32_t *payload_left, uint8_t bytes[VARINT_MAX], size_t *length)
{
    uint64_t v = 0;
    size_t len = 0;

    if (s->end - s->at >= VARINT_MAX && *payload_left >= VARINT_MAX) {
        len = varint_get(s->plain + s->at, VARINT_MAX, &v);
        memcpy(bytes, s->plain + s->at, VARINT_MAX);
        s->at += len;
        *payload_left -= (uint32_t)len;
        *length = len;
        return v;
    }

    do {
        if (*payload_left == 0) {
            s->bad = true;
            return 0;
        }
        bytes[len++] = next_byte(s);
        --*payload_left;
    } while (!s->bad && bytes[len - 1] >= 0x80u && len < VARINT_MAX);
    (void)varint_get(bytes, len, &v);
    *length = len;
    return v;
}

static int read_counts(struct source *s, struct hist *h, const struct layout *l, struct err *err)
{
    uint8_t bytes[VARINT_MAX];
    size_t length;
    struct total t = { 0 };
    uint32_t left = l->payload_bytes;
    uint64_t i = 0;

    while (left > 0) {
        if (h->_packed != NULL && s->end - s->at >= 2 * VARINT_MAX && !read_own(s, h, &i, &left, &t))
            return refuse(err, "values or counts larger than ours can hold");
        if (left == 0)
            break;
        const int64_t n = unzigzag(next_varint(s, &left, bytes, &length));
        if (s->bad)
            return refuse(err, "its counts are cut short or damaged");
        if (h->_packed != NULL) {
            memcpy(h->_packed + h->_packed_bytes, bytes, length);
            h->_packed_bytes += length;
        }
        const uint64_t moved = n < 0 ? 0u - (uint64_t)n : 1u;
        if (moved > l->slots - i)
            return refuse(err, "more counts than slots");
        if (n > 0 && !add_slot(h, l, i, (uint64_t)n, &t))
            return refuse(err, "values or counts larger than ours can hold");
        i += moved;
    }
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

static int read_outer(struct source *s, struct err *err)
{
    uint8_t head[9];

    if (s->text.len % 4 != 0 || s->text.len < 12)
        return refuse(err, "not base64, or cut short");
    if (s->text.len > TEXT_MAX)
        return refuse(err, "too long");
    const size_t padding = s->text.ptr[s->text.len - 1] != '=' ? 0 : s->text.ptr[s->text.len - 2] != '=' ? 1 : 2;
    const size_t total = s->text.len / 4 * 3 - padding;
    const size_t n = next_packed(s, head, sizeof(head));
    if (n < V2_OUTER_BYTES)
        return refuse(err, "not base64, or cut short");
    const uint32_t cookie = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
    const uint32_t length = (uint32_t)head[4] << 24 | (uint32_t)head[5] << 16 | (uint32_t)head[6] << 8 | head[7];
    if ((cookie & V2_COOKIE_MASK) != V2_OUTER_COOKIE)
        return refuse(err, "wrong outer cookie");
    if (length != total - V2_OUTER_BYTES)
        return refuse(err, "wrong length");
    s->packed[0] = head[8]; /* the ninth byte is zlib's first */
    s->z.next_in = s->packed;
    s->z.avail_in = (uInt)(n - V2_OUTER_BYTES);
    return 0;
}

/* Of our own layout the numbers are kept as they are; values of others find their slots. */
static int make(struct hist **out, const struct layout *l, struct err *err)
{
    struct hist *h;

    if (l->sub_bits != HIST_SUB_BITS || l->unit_bits != 0)
        return hist_new(out, err);
    h = calloc(1, sizeof(*h));
    if (h != NULL)
        h->_packed = malloc(l->payload_bytes + VARINT_MAX);
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

    if (read_layout(s, &l, err) < 0 || make(out, &l, err) < 0 || read_counts(s, *out, &l, err) < 0)
        return -1;
    if (!at_end(s))
        return refuse(err, "its end is missing, damaged or followed by something else");
    widen_to_slots(*out);
    (*out)->_coarse = l.sub_bits < HIST_SUB_BITS || l.unit_bits > 0;
    return 0;
}

int hist_decode_v2(struct hist **out, struct slice base64, struct err *err)
{
    struct source s = { .text = base64 };

    *out = NULL;
    if (read_outer(&s, err) < 0)
        return -1;
    if (inflateInit(&s.z) != Z_OK)
        return err_set(err, ERR_SYSTEM, ENOMEM, "cannot decode a histogram");
    const int rc = read_all(&s, out, err);
    inflateEnd(&s.z);
    if (rc < 0) {
        hist_free(*out);
        *out = NULL;
    }
    return rc;
}
