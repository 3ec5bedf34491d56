/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every request has in common, whatever the protocol. */
#include "load/loader.h"

void exchange_take(struct exchange *x, bool warm, uint64_t due, uint64_t taken, uint64_t now)
{
    struct loader *w = x->client->loader;

    if (x->active)
        BUG("a slot that holds a request took another");
    x->active = true;
    x->warm = warm;
    x->was_sent = x->retried = x->reused = x->head_complete = x->keep_alive = false;
    x->unseen = false;
    x->status = 0;
    x->interim = 0;
    x->due_ns = due;
    x->taken_ns = taken;
    x->bytes_received = x->body_bytes = 0;
    x->sent_first_ns = x->sent_last_ns = x->reply_first_ns = 0;
    if (!warm && w->budget != UINT64_MAX)
        w->budget--;
    if (!warm && x->client->requests_left != UINT64_MAX)
        x->client->requests_left--;
    if (__builtin_expect(w->rendered != NULL, 0)) {
        x->seq = warm ? w->next_warm_seq : w->next_seq;
        *(warm ? &w->next_warm_seq : &w->next_seq) += warm ? w->run->worker_count : w->seq_step;
    }
    account_start(x, now);
}

void exchange_render(struct exchange *x, bool closes)
{
    const struct client *c = x->client;
    const struct run *run = c->loader->run;
    const struct template_values values = { .seed = run->plan->seed,
                                            .seq = deal_number(&run->requests, run->share.index, x->seq),
                                            .row = x->seq,
                                            .connection = c->number,
                                            .cookies = c->cookies != NULL ? cookies_text(c->cookies)
                                                                          : (struct slice){ 0 },
                                            .feed = run->plan->feed != NULL ? &run->feed : NULL,
                                            .random_row = run->plan->feed_order == LOAD_FEED_RANDOM };

    x->rendered_len = template_render(closes ? &c->target->close_template : &c->target->keep_template, &values,
                                      x->rendered, &x->rendered_head);
}

void exchange_begin(struct exchange *x, uint64_t due, uint64_t now)
{
    struct client *c = x->client;

    exchange_take(x, c->loader->stage == STAGE_WARMUP, due, now, now);
    timeout_add(x);
    if (c->state == CLIENT_READY)
        http1_send(x, now);
    else if (c->state == CLIENT_STREAMS)
        http2_send(x, now);
    else if (c->state == CLIENT_PIPELINE)
        pipeline_send(x, now);
    else if (c->state == CLIENT_IDLE)
        client_open(c, now);
    /* else it is opening, or backing off: the request goes out when the connection is there */
}

/* The first byte of a request is out: from now on it counts as sent; the second time it is one that was sent again. */
void exchange_note_sent(struct exchange *x, uint64_t before)
{
    struct client *c = x->client;
    struct loader *w = c->loader;
    const bool again = x->was_sent, unseen = x->unseen;

    x->was_sent = true;
    x->unseen = false;
    if (!again)
        x->sent_first_ns = before;
    if (x->waited_for_due) {
        x->waited_for_due = false;
        if (!x->warm)
            hist_record(&w->send_lateness, before > x->due_ns ? before - x->due_ns : 0);
    }
    if (x->warm) {
        w->warm.sent += !again;
        w->warm.retried += again && !unseen;
        return;
    }
    c->tally->sent += !again;
    c->tally->retried += again && !unseen;
    c->tally->connections_reused += !again && x->reused;
    w->requests_by_address[c->address_slot] += !(again && unseen);
}

void exchange_note_early(struct exchange *x, uint64_t now)
{
    x->sent_last_ns = now;
    if (!x->warm)
        x->client->tally->early_replies++;
}

void exchange_free(struct exchange *x)
{
    timeout_drop(x);
    x->active = false;
    x->client->active_count--;
}

/* Whether a complete reply is what was asked for; false with *why. */
bool exchange_is_ok(const struct exchange *x, struct failure *why)
{
    const struct run *run = x->client->loader->run;

    if (run->plan->expect_same_length && x->body_bytes != x->client->loader->first.body_bytes) {
        *why = (struct failure){ .kind = FAIL_BODY, .note = "length" };
        return false;
    }
    return check_is_ok(&x->client->target->check, x->check, x->client->loader->matcher, x->status, x->body_bytes, why);
}

void exchange_time_out(struct exchange *x, uint64_t now)
{
    const enum client_state state = x->client->state;
    const struct failure why = { .kind = FAIL_TIMEOUT,
                                 .note = state == CLIENT_SENDING   ? "while sending"
                                         : state != CLIENT_READING ? "while connecting"
                                         : x->reply_first_ns != 0  ? "in the middle of the reply"
                                                                   : "no reply" };

    if (state == CLIENT_STREAMS)
        http2_time_out(x, now);
    else if (state == CLIENT_PIPELINE)
        pipeline_time_out(x, now);
    else
        client_fail(x->client, &why, now);
}
