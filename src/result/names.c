/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "result/result.h"

const double RESULT_PERCENTILES[] = { 50, 66, 75, 80, 90, 95, 98, 99, 99.9, 99.99 };
const size_t RESULT_PERCENTILE_COUNT = sizeof(RESULT_PERCENTILES) / sizeof(RESULT_PERCENTILES[0]);
_Static_assert(sizeof(RESULT_PERCENTILES) / sizeof(RESULT_PERCENTILES[0]) <= RESULT_PERCENTILE_MAX, "no room");

static const char *const FAIL_TEXTS[FAIL_KINDS] = {
#define FAIL_TEXT(id, text) [id] = text,
    ERROR_KINDS(FAIL_TEXT)
#undef FAIL_TEXT
};

static const char *const CLASS_TEXTS[CLASSES] = {
    [CLASS_1XX] = "1xx", [CLASS_2XX] = "2xx", [CLASS_3XX] = "3xx",
    [CLASS_4XX] = "4xx", [CLASS_5XX] = "5xx", [CLASS_ERROR] = "error",
};

static const char *const PHASE_TEXTS[PHASES] = {
    [PHASE_DNS] = "dns",   [PHASE_CONNECT] = "connect", [PHASE_TLS] = "tls",
    [PHASE_SEND] = "send", [PHASE_WAIT] = "wait",       [PHASE_RECEIVE] = "receive",
};

const char *fail_kind_text(enum fail_kind kind)
{
    return (unsigned)kind < FAIL_KINDS ? FAIL_TEXTS[kind] : "unknown";
}

int fail_kind_parse(enum fail_kind *out, struct slice text)
{
    for (unsigned i = 0; i < FAIL_KINDS; i++) {
        if (slice_eq(text, slice_str(FAIL_TEXTS[i]))) {
            *out = (enum fail_kind)i;
            return 0;
        }
    }
    return -1;
}

const char *reply_class_text(enum reply_class c)
{
    return (unsigned)c < CLASSES ? CLASS_TEXTS[c] : "unknown";
}

const char *phase_text(enum phase p)
{
    return (unsigned)p < PHASES ? PHASE_TEXTS[p] : "unknown";
}
