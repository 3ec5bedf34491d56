/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scripted HTTP/1 target that counts what it saw. Prints where it listens as one line of JSON, its counts as another
 * when SIGTERM ends it, and the same to everyone who connects to its control port. */
#include "server.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { PORTS_MAX = 4096 };

static const char USAGE[] =
    "target [OPTION]… [--reply TEXT]…\n"
    "  --listen ADDR        an address to listen on (default 127.0.0.1; unix:PATH); all share one free port\n"
    "  --dead ADDR          an address whose SYN queue is full, on the same port; after --listen\n"
    "  --port N             the port of the --listen that follow, instead of a free one\n"
    "  --ports N            N free ports on 127.0.0.1 instead\n"
    "  --reply TEXT         what to answer; the first is 0 (see script.h)\n"
    "  --when RULE          which reply when (see script.h)\n"
    "  --split N|each|bytes replies in pieces     --pause TIME  between them (default 300us)\n"
    "  --index-delay TIME   the i-th request waits i times this\n"
    "  --early              reply to the head, while the body is still coming\n"
    "  --greet REPLY        sent to every new connection before it asks\n"
    "  --record FILE        all bytes received\n"
    "  --arrivals N         the times of the first N requests\n";

enum option_id {
    OPT_LISTEN = 1,
    OPT_DEAD,
    OPT_PORT,
    OPT_PORTS,
    OPT_REPLY,
    OPT_WHEN,
    OPT_SPLIT,
    OPT_PAUSE,
    OPT_INDEX_DELAY,
    OPT_EARLY,
    OPT_GREET,
    OPT_RECORD,
    OPT_ARRIVALS,
    OPT_HELP
};

static const struct option OPTIONS[] = {
    { "listen", required_argument, NULL, OPT_LISTEN },
    { "dead", required_argument, NULL, OPT_DEAD },
    { "port", required_argument, NULL, OPT_PORT },
    { "ports", required_argument, NULL, OPT_PORTS },
    { "reply", required_argument, NULL, OPT_REPLY },
    { "when", required_argument, NULL, OPT_WHEN },
    { "split", required_argument, NULL, OPT_SPLIT },
    { "pause", required_argument, NULL, OPT_PAUSE },
    { "index-delay", required_argument, NULL, OPT_INDEX_DELAY },
    { "early", no_argument, NULL, OPT_EARLY },
    { "greet", required_argument, NULL, OPT_GREET },
    { "record", required_argument, NULL, OPT_RECORD },
    { "arrivals", required_argument, NULL, OPT_ARRIVALS },
    { "help", no_argument, NULL, OPT_HELP },
    { 0 },
};

struct ports {
    unsigned list[PORTS_MAX];
    size_t count;
    unsigned shared; /* by all --listen and --dead */
};

static void add_port(struct ports *ports, unsigned port)
{
    if (ports->count < PORTS_MAX)
        ports->list[ports->count++] = port;
}

static void listen_shared(struct server *s, struct ports *ports, const char *address, bool dead)
{
    const struct listen_options options = { .address = address, .same_port = ports->shared, .dead = dead };
    unsigned port = server_listen(s, &options);

    if (!port) /* a Unix socket */
        return;
    if (!ports->shared)
        add_port(ports, port);
    ports->shared = port;
}

static void listen_on_ports(struct server *s, struct ports *ports, const char *how_many)
{
    const struct listen_options options = { .address = "127.0.0.1" };

    for (uint64_t n = script_parse_number(how_many); n; n--)
        add_port(ports, server_listen(s, &options));
}

static void keep_arrivals(struct counts *c, const char *how_many)
{
    c->arrival_room = script_parse_number(how_many);
    c->arrivals_ns = calloc(c->arrival_room, sizeof *c->arrivals_ns);
    if (!c->arrivals_ns)
        script_die("out of memory");
}

static void open_recording(struct server *s, const char *path)
{
    s->record = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (s->record < 0)
        script_die("cannot write %s", path);
}

static void apply(struct server *s, struct ports *ports, enum option_id id, const char *value)
{
    switch (id) {
    case OPT_LISTEN:
    case OPT_DEAD:
        listen_shared(s, ports, value, id == OPT_DEAD);
        break;
    case OPT_PORT:
        ports->shared = (unsigned)script_parse_number(value);
        add_port(ports, ports->shared);
        break;
    case OPT_PORTS:
        listen_on_ports(s, ports, value);
        break;
    case OPT_REPLY:
        script_add_reply(&s->script, value);
        break;
    case OPT_WHEN:
        script_add_rule(&s->script, value);
        break;
    case OPT_SPLIT:
        script_set_split(&s->script, value);
        break;
    case OPT_PAUSE:
        s->script.pause_ns = script_parse_duration_ns(value);
        break;
    case OPT_INDEX_DELAY:
        s->script.index_delay_ns = script_parse_duration_ns(value);
        break;
    case OPT_EARLY:
        s->script.early = true;
        break;
    case OPT_GREET:
        s->script.greet = (int)script_parse_number(value);
        break;
    case OPT_RECORD:
        open_recording(s, value);
        break;
    case OPT_ARRIVALS:
        keep_arrivals(&s->counts, value);
        break;
    case OPT_HELP:
        fputs(USAGE, stdout);
        exit(0);
    }
}

static void read_options(struct server *s, struct ports *ports, int argc, char **argv)
{
    int id;

    while ((id = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1) {
        if (id == '?')
            script_die("see --help");
        apply(s, ports, (enum option_id)id, optarg);
    }
    if (optind < argc)
        script_die("unexpected: %s", argv[optind]);
    if (!s->script.reply_count)
        script_add_reply(&s->script, "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok");
    script_check(&s->script);
    if (!s->counts.listener_count)
        listen_shared(s, ports, "127.0.0.1", false);
}

static void announce(const struct ports *ports, unsigned control)
{
    printf("{\"control\": %u, \"ports\": [", control);
    for (size_t i = 0; i < ports->count; i++)
        printf("%s%u", i ? ", " : "", ports->list[i]);
    printf("]}\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static struct server server;
    static struct ports ports;
    const struct listen_options control = { .address = "127.0.0.1", .control = true };

    server_init(&server);
    read_options(&server, &ports, argc, argv);
    announce(&ports, server_listen(&server, &control));
    server_run(&server);
    counts_print(&server.counts, stdout);
    server_release(&server);
    return 0;
}
