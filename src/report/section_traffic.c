/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/sections.h"

#include "report/table.h"

static const char *const PHASE_MEANINGS[PHASES] = {
    [PHASE_DNS] = "name lookup",
    [PHASE_CONNECT] = "TCP connection",
    [PHASE_TLS] = "TLS handshake",
    [PHASE_SEND] = "request's bytes out",
    [PHASE_WAIT] = "sent to first byte back",
    [PHASE_RECEIVE] = "first to last byte back",
};

/* False when it was never measured. */
static bool add_phase(struct section *s, struct table *t, const char *name, const struct hist *h, const char *meaning)
{
    char text[SECTION_CELL_MAX];

    if (hist_count(h) == 0)
        return false;
    table_cell(t, "%s", name);
    table_cell(t, "%s", units_format_count(text, hist_count(h)));
    table_cell(t, "%s", section_percentile(s, text, h, 50));
    table_cell(t, "%s", section_percentile(s, text, h, 99));
    table_cell(t, "%s", section_duration(text, h, (double)hist_max_ns(h)));
    table_cell(t, "%s", section_duration(text, h, hist_mean_ns(h)));
    table_cell(t, "%s", meaning);
    return true;
}

void section_phases(struct section *s)
{
    bool any = false;
    struct table t;

    table_init(&t, "lrrrrrl");
    table_cell(&t, "phase");
    table_cell(&t, "times");
    table_cell(&t, "p50");
    table_cell(&t, "p99");
    table_cell(&t, "max");
    table_cell(&t, "mean");
    table_cell(&t, "what it covers");
    for (unsigned i = 0; i < PHASES; i++) {
        any = add_phase(s, &t, phase_text((enum phase)i), s->result->phases[i], PHASE_MEANINGS[i]) || any;
        if (i == PHASE_TLS && hist_count(s->result->tls_resumed) > 0) {
            add_phase(s, &t, "  full", s->result->tls_full, "full handshakes");
            add_phase(s, &t, "  resumed", s->result->tls_resumed, "resumed a kept session");
        }
    }
    if (any) {
        buf_add_str(s->out, "\nWhere the time went (connections opened and requests ok)\n");
        table_print(&t, s->out, s->width);
    }
    table_release(&t);
}

static void add_bytes(struct section *s)
{
    const struct totals *t = &s->result->totals;
    const double window = s->result->duration_s;
    char all[UNITS_TEXT_MAX], per_s[UNITS_TEXT_MAX], bodies[UNITS_TEXT_MAX];

    if (window <= 0)
        return;
    section_line(s, "Received", "%s, %s/s; bodies alone: %s", units_format_size(all, (double)t->bytes_received),
                 units_format_size(per_s, (double)t->bytes_received / window),
                 units_format_size(bodies, (double)t->body_bytes_received));
    section_line(s, "Sent", "%s, %s/s", units_format_size(all, (double)t->bytes_sent),
                 units_format_size(per_s, (double)t->bytes_sent / window));
}

static void add_tls(struct section *s)
{
    const struct result *r = s->result;
    char handshakes[UNITS_TEXT_MAX], resumed[UNITS_TEXT_MAX];

    if (r->totals.tls_handshakes == 0 && r->tls_version == NULL)
        return;
    section_line(s, "TLS", "%s %s; %s handshake%s, %s of them resumed", r->tls_version != NULL ? r->tls_version : "",
                 r->tls_cipher != NULL ? r->tls_cipher : "", units_format_count(handshakes, r->totals.tls_handshakes),
                 units_plural(r->totals.tls_handshakes), units_format_count(resumed, r->totals.tls_resumed));
}

/* "1 reply", "2,000 replies". */
static const char *replies(char out[SECTION_CELL_MAX], uint64_t n)
{
    char text[UNITS_TEXT_MAX];

    snprintf(out, SECTION_CELL_MAX, "%s %s", units_format_count(text, n), n == 1 ? "reply" : "replies");
    return out;
}

void section_traffic(struct section *s)
{
    const struct totals *t = &s->result->totals;
    char a[SECTION_CELL_MAX], b[UNITS_TEXT_MAX];

    buf_add_char(s->out, '\n');
    section_line(s, "Connections", "%s opened; %s request%s went over one used before",
                 units_format_count(a, t->connections_opened), units_format_count(b, t->connections_reused),
                 units_plural(t->connections_reused));
    add_tls(s);
    if (t->retried > 0)
        section_line(s, "Retried", "%s request%s, on a fresh connection because %s had ended",
                     units_format_count(a, t->retried), units_plural(t->retried),
                     t->retried == 1 ? "its own" : "theirs");
    if (t->interim_replies > 0)
        section_line(s, "Interim", "%s with status 1xx came before the real one%s", replies(a, t->interim_replies),
                     units_plural(t->interim_replies));
    if (t->early_replies > 0)
        section_line(s, "Early", "%s came whole before the request was sent whole", replies(a, t->early_replies));
    add_bytes(s);
}

#define ADDRESSES_SHOWN 20u

void section_addresses(struct section *s)
{
    const struct result *r = s->result;
    const size_t shown = r->address_count < ADDRESSES_SHOWN ? r->address_count : ADDRESSES_SHOWN;
    struct table t;

    if (r->address_count < 2)
        return;
    table_init(&t, "rrrb");
    table_cell(&t, "connections");
    table_cell(&t, "failed connects");
    table_cell(&t, "requests");
    table_cell(&t, "address");
    for (size_t i = 0; i < shown; i++) {
        char text[SECTION_CELL_MAX];

        table_cell(&t, "%s", units_format_count(text, r->addresses[i].connections));
        table_cell(&t, "%s", units_format_count(text, r->addresses[i].failed_connects));
        table_cell(&t, "%s", units_format_count(text, r->addresses[i].requests));
        table_cell(&t, "%s", r->addresses[i].address != NULL ? r->addresses[i].address : "");
    }
    buf_add_str(s->out, "\nAddresses\n");
    table_print(&t, s->out, s->width);
    table_release(&t);
    if (shown < r->address_count)
        buf_printf(s->out, "  and %zu more\n", r->address_count - shown);
}
