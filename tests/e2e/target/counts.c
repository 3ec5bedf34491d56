/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counts.h"

#include <inttypes.h>

void counts_add_arrival(struct counts *c, uint64_t now_ns)
{
    if (c->arrivals_ns && c->arrival_count < c->arrival_room)
        c->arrivals_ns[c->arrival_count++] = now_ns;
}

static void print_listeners(const struct counts *c, FILE *out)
{
    fputs("\"listeners\": [", out);
    for (size_t i = 0; i < c->listener_count; i++)
        fprintf(out, "%s{\"accepted\": %" PRIu64 ", \"requests\": %" PRIu64 "}", i ? ", " : "",
                c->listeners[i].accepted, c->listeners[i].requests);
    fputs("], ", out);
}

static void print_replies(const struct counts *c, FILE *out)
{
    fputs("\"by_reply\": [", out);
    for (size_t i = 0; i < SCRIPT_REPLIES_MAX; i++)
        fprintf(out, "%s%" PRIu64, i ? ", " : "", c->by_reply[i]);
    fputs("], ", out);
}

static void print_arrivals(const struct counts *c, FILE *out)
{
    fputs("\"arrivals\": [", out);
    for (size_t i = 0; i < c->arrival_count; i++)
        fprintf(out, "%s%.9f", i ? ", " : "", (double)(c->arrivals_ns[i] - c->arrivals_ns[0]) / 1e9);
    fputs("]}\n", out);
}

void counts_print(const struct counts *c, FILE *out)
{
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        { "accepted", c->accepted },
        { "open", c->open },
        { "open_max", c->open_max },
        { "begun", c->begun },
        { "heads", c->heads },
        { "requests", c->requests },
        { "replies", c->replies },
        { "bytes_in", c->bytes_in },
        { "body_bytes_in", c->body_bytes_in },
        { "bytes_out", c->bytes_out },
        { "outstanding_max", c->outstanding_max },
        { "on_connection_max", c->on_connection_max },
        { "client_fins", c->client_fins },
        { "client_resets", c->client_resets },
        { "abandoned", c->abandoned },
    };

    fputs("{", out);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        fprintf(out, "\"%s\": %" PRIu64 ", ", figures[i].name, figures[i].value);
    print_listeners(c, out);
    print_replies(c, out);
    print_arrivals(c, out);
}
