/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/judge.h"

#include <math.h>

#include "base/units.h"

#define FEW_FILES 4096
#define FEW_PORTS 10000
#define FEW_IN_LINE 1024
#define FEW_TRACKED 65536
#define TIME_WAIT_S 60
#define SLOW_ROUND_TRIP_NS 500000

static const char *count(char out[UNITS_TEXT_MAX], double n)
{
    return units_format_count(out, (uint64_t)n);
}

static void judge_open_files(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "Every connection is an open file; the hard limit is the most that plimsoll can raise it to.";
    static const char MEND[] =
        "echo '* hard nofile 65536' | sudo tee /etc/security/limits.d/plimsoll.conf, then log in "
        "again; in a container: --ulimit nofile=65536";
    char hard[UNITS_TEXT_MAX], used[UNITS_TEXT_MAX];

    if (isnan(f->open_files_hard))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the limits of this process can not be read");
    else if (f->files_used > 0.9 * f->files_max)
        finding_set(out, FINDING_SPOILS, "The machine as a whole may soon open no file any more.",
                    "sudo sysctl -w fs.file-max=1000000", "%s of the machine's %s are in use",
                    count(used, f->files_used), count(hard, f->files_max));
    else if (isinf(f->open_files_hard))
        finding_set(out, FINDING_FINE, NULL, NULL, "no limit");
    else
        finding_set(out, f->open_files_hard < FEW_FILES ? FINDING_SPOILS : FINDING_FINE, WHY, MEND,
                    "at most %s at once", count(hard, f->open_files_hard));
}

static void judge_ports(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "Each connection to one address and port needs a local port of its own, and one that this "
        "side closed keeps it for a minute.";
    static const char MEND[] = "sudo sysctl -w net.ipv4.ip_local_port_range=\"1024 65000\"";
    const double ports = f->port_last - f->port_first + 1;
    char text[UNITS_TEXT_MAX], waiting[UNITS_TEXT_MAX];

    if (isnan(ports))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the range can not be read");
    else if (f->time_wait > ports / 2)
        finding_set(out, FINDING_SPOILS, "They are in TIME_WAIT, from connections that ended within the last minute.",
                    "sleep 60", "%s sockets still hold ports, of %s", count(waiting, f->time_wait), count(text, ports));
    else
        finding_set(out, ports < FEW_PORTS ? FINDING_SPOILS : FINDING_FINE, WHY, MEND,
                    "%s (%.0f to %.0f): %.0f new connections a second to one address, kept up for a minute",
                    count(text, ports), f->port_first, f->port_last, ports / TIME_WAIT_S);
}

static void judge_reuse(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "Without it a run that opens a connection for each request ends with \"local ports used up\" "
        "after a while; runs that keep connections do not care.";
    static const char MEND[] = "sudo sysctl -w net.ipv4.tcp_tw_reuse=1";

    if (isnan(f->tw_reuse))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "net.ipv4.tcp_tw_reuse can not be read");
    else if (f->tw_reuse == 1)
        finding_set(out, FINDING_FINE, NULL, NULL, "on: ports of closed connections are used again after a second");
    else
        finding_set(out, FINDING_NOTE, WHY, MEND, "%s (net.ipv4.tcp_tw_reuse=%.0f)",
                    f->tw_reuse == 2 ? "on for loopback alone" : "off", f->tw_reuse);
}

static void judge_tracking(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] = "The firewall remembers every connection, for minutes after its end; when its table is "
                              "full, packets of new ones are dropped without a word.";
    static const char MEND[] = "sudo sysctl -w net.netfilter.nf_conntrack_max=1048576";
    char used[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
    enum finding_level level = FINDING_FINE;

    if (isnan(f->conntrack_max)) {
        finding_set(out, FINDING_FINE, NULL, NULL, "connections are not tracked here");
        return;
    }
    if (f->conntrack_count > 0.8 * f->conntrack_max)
        level = FINDING_SPOILS;
    else if (f->conntrack_max < FEW_TRACKED)
        level = FINDING_NOTE;
    finding_set(out, level, WHY, MEND, "%s of %s entries in use",
                isnan(f->conntrack_count) ? "an unknown number" : count(used, f->conntrack_count),
                count(most, f->conntrack_max));
}

static void judge_line(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] =
        "A server on this machine, plimsoll serve too, can have no more connections waiting to be "
        "accepted: a burst of new ones is answered after a second or more.";
    char text[UNITS_TEXT_MAX];

    if (isnan(f->somaxconn))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "net.core.somaxconn can not be read");
    else
        finding_set(out, f->somaxconn < FEW_IN_LINE ? FINDING_NOTE : FINDING_FINE, WHY,
                    "sudo sysctl -w net.core.somaxconn=4096", "up to %s connections", count(text, f->somaxconn));
}

static void judge_ipv6(const struct machine_facts *f, struct finding *out)
{
    static const char WHY[] = "A name with addresses of both kinds may be tried over IPv6 first, which fails.";

    if (isnan(f->ipv6_disabled) || f->ipv6_disabled == 1)
        finding_set(out, FINDING_FINE, NULL, NULL, "off: IPv4 alone is used");
    else if (!f->ipv6_loopback)
        finding_set(out, FINDING_NOTE, WHY, "sudo sysctl -w net.ipv6.conf.lo.disable_ipv6=0, or plimsoll load -4",
                    "on, but ::1 is not there");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "on, %s",
                    f->ipv6_global ? "with an address to the outside" : "on this machine alone");
}

static void judge_path(const struct machine_facts *f, struct finding *out)
{
    static const char SLOW[] =
        "Something delays packets on the loopback interface (a netem rule, a firewall, a sandbox): "
        "targets on this machine look slower than they are.";
    static const char TRANSLATED[] =
        "A rule (of a service mesh, Docker or Kubernetes) may send connections through a proxy "
        "that nobody sees; its time is then the target's.";
    char trip[UNITS_TEXT_MAX];

    if (f->round_trip_p50_ns > SLOW_ROUND_TRIP_NS)
        finding_set(out, FINDING_SPOILS, SLOW, "sudo tc qdisc del dev lo root",
                    "a byte over the loopback interface and back takes %s",
                    units_format_duration(trip, f->round_trip_p50_ns));
    else if (f->address_translation)
        finding_set(out, FINDING_NOTE, TRANSLATED, "sudo iptables -t nat -S shows them",
                    "addresses are translated here");
    else if (isnan(f->round_trip_p50_ns))
        finding_set(out, FINDING_UNKNOWN, NULL, NULL, "the loopback interface could not be tried");
    else
        finding_set(out, FINDING_FINE, NULL, NULL, "loopback there and back %s",
                    units_format_duration(trip, f->round_trip_p50_ns));
}

const struct machine_check MACHINE_NETWORK_CHECKS[] = {
    { "open-files", "Open files", judge_open_files }, { "local-ports", "Local ports", judge_ports },
    { "time-wait-reuse", "Port reuse", judge_reuse }, { "tracking", "Conn. tracking", judge_tracking },
    { "accept-line", "Accept line", judge_line },     { "ipv6", "IPv6", judge_ipv6 },
    { "network-path", "Network path", judge_path },   { 0 },
};
