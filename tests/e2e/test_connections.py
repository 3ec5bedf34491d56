# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections: how many, kept how long, from and to which addresses, what happens when they end."""
import re

import pytest

from lib import laws
from lib.process import wait_until
from lib.target import OK, reply

CLOSE = reply(fields=["Connection: close"])


def test_as_many_connections_as_asked(load, start_target):
    """C25: two connections per worker."""
    target = start_target(OK)
    run = load("-c", "50", "-n", "10000", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 10000
    counts = target.counts()
    assert counts["accepted"] == 50 == run.totals["connections_opened"] and counts["outstanding_max"] == 1
    assert run.totals["connections_reused"] == 10000 - 50
    assert run.doc["addresses"][0]["connections"] == 50 and run.doc["addresses"][0]["requests"] == 10000


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_connections_are_over_all_threads(load, start_target, threads):
    target = start_target(OK)
    run = load("-c", "10", "-t", threads, "-d", "300ms", target.url(), server=target)
    assert target.counts()["accepted"] == 10 and len(run.doc["generator"]["cpu_per_worker"]) == int(threads)


@pytest.mark.parametrize("connections, requests, end", [(1, 10_000, r"\{fin}"), (10, 100_000, r"\{fin}"), (10, 100_000, r"\{close}"),
                                                        (10, 20_000, "")])
def test_server_closes_every_thousandth(load, start_target, full, connections, requests, end):
    """C29: the load stops for the rest of the run."""
    every = 1000 if full else 100
    requests = requests if full else requests // 10
    target = start_target(OK, CLOSE + end, when=[f"nth={every}:1"])
    run = load("-c", str(connections), "-n", str(requests), target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == requests and not run.doc["errors"]
    opened = target.counts()["accepted"]
    assert opened == run.totals["connections_opened"]
    assert requests // every <= opened <= requests // every + connections
    if connections == 1:
        assert opened == requests // every, "no connection is opened for nothing"
    assert target.counts()["on_connection_max"] == every


@pytest.mark.parametrize("per_connection", [1, 2, 7])
def test_requests_per_connection(load, start_target, tmp_path, per_connection):
    target = start_target(OK, CLOSE + r"\{fin}", when=[f"nth={per_connection}:1"], record=tmp_path / "record")
    run = load("-c", "4", "-n", "140", "--requests-per-connection", str(per_connection), target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 140
    counts = target.counts()
    assert counts["on_connection_max"] == per_connection
    assert 140 // per_connection <= counts["accepted"] <= 140 // per_connection + 4
    closing = (tmp_path / "record").read_bytes().lower().count(b"connection: close")
    assert counts["accepted"] - 4 <= closing <= counts["accepted"], "the last request of a connection says so"


@pytest.mark.parametrize("end", ["fin", "rst", "close"])
def test_idle_connection_ended_by_the_server_is_retried(load, start_target, end):
    """The second request of a connection finds it gone before a byte of reply: sent again, once, and counted."""
    target = start_target(OK, r"\{%s}" % end, when=["only=2:1"])
    run = load("-c", "1", "-n", "10", target.url(), server=target)
    assert run.exit == 0 and run.totals["ok"] == 10 and run.totals["retried"] == 9
    counts = target.counts()
    assert counts["accepted"] == 10 == run.totals["connections_opened"] and counts["heads"] == 19


def test_retried_request_keeps_its_first_due_time(load, start_target):
    target = start_target(OK, r"\{wait 50ms}\{fin}", when=["only=2:1"])
    run = load("-c", "1", "-n", "10", target.url(), server=target)
    assert run.totals["retried"] == 9 and run.latency["p80"] >= 0.050


def test_no_retry(load, start_target):
    target = start_target(OK, r"\{fin}", when=["only=2:1"])
    run = load("-c", "1", "-n", "10", "--no-retry", target.url(), server=target)
    assert run.exit == 3 and run.totals["retried"] == 0
    assert run.totals["ok"] == 5 and run.kinds() == {"closed_early": 5}


@pytest.mark.parametrize("method, retried", [("POST", False), ("PATCH", False), ("PUT", True), ("DELETE", True), ("HEAD", True)])
def test_only_idempotent_requests_are_retried(load, start_target, method, retried):
    target = start_target(OK if method != "HEAD" else reply(body="", length=2), r"\{fin}", when=["only=2:1"])
    run = load("-c", "1", "-n", "10", "-X", method, target.url(), server=target)
    assert run.totals["retried"] == (9 if retried else 0)
    assert run.kinds() == ({} if retried else {"closed_early": 5})


def test_an_upload_is_retried_whole(load, start_target, tmp_path):
    file = tmp_path / "body"
    file.write_bytes(b"q" * 200_000)
    target = start_target(OK, r"\{fin}", when=["only=2:1"])
    run = load("-T", file, "-c", "1", "-n", "4", target.url(), server=target)
    assert run.exit == 0 and run.totals["retried"] == 3 and target.counts()["body_bytes_in"] == 7 * 200_000


def test_a_retry_is_not_repeated(load, start_target):
    """A fresh connection that ends without reply is a failure."""
    target = start_target(OK, r"\{fin}", when=["conn=2:1", "only=2:1"])
    run = load("-c", "1", "-n", "4", target.url(), server=target)
    assert run.totals["retried"] >= 1 and run.kinds().get("closed_early", 0) >= 1
    assert run.totals["started"] == 4


def test_fresh_connection_closed_before_the_reply_is_not_retried(load, start_target):
    target = start_target(r"\{fin}")
    run = load("-c", "2", "-n", "20", target.url(), server=target)
    assert run.exit == 3 and run.totals["retried"] == 0 and run.kinds() == {"closed_early": 20}


@pytest.mark.parametrize("end", ["fin", "close", "rst"])
def test_unannounced_close_after_each_reply(load, start_target, end):
    """The race of every keep-alive client: the close comes after the reply, or after the next request was sent into it."""
    target = start_target(OK + r"\{%s}" % end)
    run = load("-c", "4", "-n", "400", target.url())
    assert run.exit == 0 and run.totals["ok"] == 400, run.doc["errors"]
    served, sent = target.counts()["replies"] + (400 if end != "fin" else 0), run.totals["sent"] + run.totals["retried"]
    assert run.totals["connections_opened"] == 400 == target.counts()["accepted"]
    assert target.counts()["begun"] <= sent and served >= 400


def test_names_with_several_addresses_are_spread_evenly(load, start_target):
    """C58: one address of many gets all the load."""
    hosts = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
    target = start_target(OK, listen=hosts)
    run = load("-c", "9", "-n", "900", "--resolve", f"a.test:{target.port}:{','.join(hosts)}", target.url(host="a.test"), server=target)
    assert run.exit == 0
    seen = target.counts()["listeners"][:3]
    assert [one["accepted"] for one in seen] == [3, 3, 3]
    told = {a["address"]: a for a in run.doc["addresses"]}
    for host, one in zip(hosts, seen):
        assert told[f"{host}:{target.port}"]["connections"] == one["accepted"]
        assert told[f"{host}:{target.port}"]["requests"] == one["requests"]


def test_new_connections_follow_a_changed_record(load, start_target, start_namespace, tmp_path):
    """C58: with --re-resolve, within a second."""
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 moving.test\n")
    space = start_namespace(hosts=hosts)
    target = start_target(CLOSE + r"\{fin}", listen=["127.0.0.1", "127.0.0.2"], prefix=space.prefix, arrivals=1)
    process = load.start("--re-resolve", "-c", "2", "-d", "4s", "--requests-per-connection", "1", "--log", tmp_path / "log",
                         target.url(host="moving.test"), prefix=space.prefix)
    wait_until(lambda: (tmp_path / "log").exists() and (tmp_path / "log").stat().st_size > 1000, "the load runs")
    hosts.write_text("127.0.0.2 moving.test\n")
    run = load.finish(process)
    told = {a["address"]: a["requests"] for a in run.doc["addresses"]}
    seen = target.stop()["listeners"]
    assert seen[1]["requests"] > 0 and told[f"127.0.0.2:{target.port}"] == seen[1]["requests"]
    assert seen[0]["requests"] < seen[1]["requests"] * 2, "it followed early in the run"


def test_dead_ipv6_falls_to_ipv4(load, start_target):
    target = start_target(OK)
    run = load("-c", "4", "-n", "40", "--resolve", f"a.test:{target.port}:::1,127.0.0.1", target.url(host="a.test"), server=target)
    assert run.exit == 0 and run.totals["ok"] == 40 and not run.doc["errors"]
    assert target.counts()["requests"] == 40


def test_silent_ipv6_falls_to_ipv4(load, start_target):
    """Not refused: no answer at all."""
    target = start_target(OK, listen=["127.0.0.1"], dead=["::1"])
    run = load("-c", "4", "-n", "40", "--connect-timeout", "5s", "--resolve", f"a.test:{target.port}:::1,127.0.0.1", target.url(host="a.test"),
               server=target)
    assert run.exit == 0 and run.totals["ok"] == 40 and run.wall_s < 10


def test_one_dead_address_of_three(load, start_target):
    target = start_target(OK, listen=["127.0.0.1", "127.0.0.2"])
    run = load("-c", "6", "-n", "60", "--resolve", f"a.test:{target.port}:127.0.0.1,127.0.0.2,127.0.0.3", target.url(host="a.test"),
               server=target)
    assert run.exit == 0 and run.totals["ok"] == 60
    dead = [a for a in run.doc["addresses"] if a["address"].startswith("127.0.0.3")]
    assert not dead or dead[0]["requests"] == 0


def test_ipv6_literal(load, start_target):
    target = start_target(OK, listen=["::1"])
    run = load("-c", "2", "-n", "10", target.url(host="[::1]"), server=target)
    assert run.exit == 0 and run.totals["ok"] == 10
    assert run.doc["addresses"][0]["address"] == f"[::1]:{target.port}"


@pytest.mark.parametrize("option, listener", [("-4", 0), ("-6", 1)])
def test_one_ip_version_alone(load, start_target, start_namespace, tmp_path, option, listener):
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 both.test\n::1 both.test\n")
    space = start_namespace(hosts=hosts)
    target = start_target(OK, listen=["127.0.0.1", "::1"], prefix=space.prefix)
    run = load(option, "-c", "2", "-n", "10", target.url(host="both.test"), prefix=space.prefix)
    assert run.exit == 0 and target.stop()["listeners"][listener]["requests"] == 10


def test_unix_socket(load, start_target, tmp_path):
    path = tmp_path / "sock"
    target = start_target(OK, listen=[f"unix:{path}", "127.0.0.1"], record=tmp_path / "record")
    run = load("--unix-socket", path, "-c", "3", "-n", "300", "http://any.test/x", server=target)
    assert run.exit == 0 and run.totals["ok"] == 300
    assert target.counts()["listeners"][0]["requests"] == 300 and target.counts()["accepted"] == 3
    assert b"Host: any.test\r\n" in (tmp_path / "record").read_bytes()


def test_unix_socket_with_bodies(load, start_target, tmp_path):
    path = tmp_path / "sock"
    target = start_target(reply(length=3_000_000, body=r"\{file 3000000}"), listen=[f"unix:{path}", "127.0.0.1"])
    run = load("--unix-socket", path, "-T", __file__, "-c", "2", "-n", "10", "http://any.test/x", server=target)
    assert run.exit == 0 and run.totals["body_bytes_received"] == 30_000_000


class Calls:
    """What strace saw of each socket that was connected: its source address, and whether its port was left open at bind."""

    CALLS = "trace=socket,setsockopt,bind,connect"

    def __init__(self, path):
        self.sources, self.port_left_open = [], []
        bound, asked = {}, set()
        for line in path.read_text().split("\n"):
            call = re.match(r"\d+ +(\w+)\((\d+)?", line)
            if not call:
                continue
            name, descriptor = call[1], call[2]
            if name == "socket":
                made = re.search(r"= (\d+)$", line)
                bound.pop(made and made[1], None)
                asked.discard(made and made[1])
            elif name == "setsockopt" and "IP_BIND_ADDRESS_NO_PORT, [1]" in line:
                asked.add(descriptor)
            elif name == "bind" and "inet_addr" in line:
                bound[descriptor] = (re.search(r'inet_addr\("([\d.]+)"', line)[1], descriptor in asked)
            elif name == "connect" and descriptor in bound:
                source, left_open = bound.pop(descriptor)
                self.sources.append(source)
                self.port_left_open.append(left_open)


def test_source_addresses_in_turn(load, start_target, tmp_path):
    target = start_target(OK)
    run = load("--source", "127.0.0.2,127.0.0.3", "-c", "4", "-t", "2", "-n", "40", target.url(), server=target,
               prefix=["strace", "-f", "-o", tmp_path / "trace", "-e", Calls.CALLS])
    assert run.exit == 0
    assert sorted(Calls(tmp_path / "trace").sources) == ["127.0.0.2"] * 2 + ["127.0.0.3"] * 2


def test_source_address_does_not_reserve_its_port_at_bind(load, start_target, tmp_path):
    """C22: IP_BIND_ADDRESS_NO_PORT before bind."""
    target = start_target(OK)
    load("--source", "127.0.0.2", "-t", "1", "-c", "3", "-n", "10", target.url(), server=target,
         prefix=["strace", "-f", "-o", tmp_path / "trace", "-e", Calls.CALLS])
    assert Calls(tmp_path / "trace").port_left_open == [True] * 3


def test_ports_suffice_for_each_destination(load, start_target, start_namespace, full):
    """C22: a fixed source address; two destinations share the range instead of each having it."""
    held, ports = (9000, 10_000) if full else (900, 1000)
    space = start_namespace(ip_local_port_range=f"20000 {20000 + ports - 1}", tcp_tw_reuse=0)
    target = start_target(OK, ports=2, prefix=space.prefix)
    run = load("--source", "127.0.0.2", "-c", str(held), "-n", str(2 * held), *target.urls(), prefix=space.prefix, timeout_s=120)
    assert run.exit == 0 and run.totals["ok"] == 2 * held and not run.doc["errors"]
    assert target.stop()["open_max"] == 2 * held


def test_local_ports_used_up(load, start_target, start_namespace, full):
    """C21: "cannot assign requested address"; the cause by its name, with the range."""
    ports, connects = (10_000, 30_000) if full else (500, 1500)
    space = start_namespace(ip_local_port_range=f"20000 {20000 + ports - 1}", tcp_tw_reuse=0)
    target = start_target(CLOSE, prefix=space.prefix)
    run = load("-c", "10", "-n", str(connects), "-d", "60s" if full else "4s", "--requests-per-connection", "1", target.url(),
               prefix=space.prefix, timeout_s=120)
    assert run.exit == 3 and not run.doc["valid"]
    assert set(run.kinds()) == {"ports_exhausted"}
    assert run.totals["ok"] == target.stop()["requests"] <= ports
    assert run.totals["ok"] >= ports * 0.9, "the range is used"
    said = run.err + str(run.doc["errors"]) + str(run.doc["reasons"]) + str(run.doc["generator"])
    assert "20000" in said and str(20000 + ports - 1) in said, said
    assert run.doc["generator"]["time_wait_end"] >= ports * 0.9


@pytest.mark.parametrize("way", ["sources", "server closes", "reset"])
def test_local_ports_that_suffice(load, start_target, start_namespace, full, way):
    """C21: more source addresses bring more ports; who does not keep TIME_WAIT needs none."""
    ports, connects = (10_000, 30_000) if full else (500, 1500)
    space = start_namespace(ip_local_port_range=f"20000 {20000 + ports - 1}", tcp_tw_reuse=0)
    target = start_target({"sources": CLOSE, "server closes": CLOSE + r"\{fin}", "reset": CLOSE + r"\{rst}"}[way], prefix=space.prefix)
    options = ["--source", "127.0.0.2,127.0.0.3,127.0.0.4,127.0.0.5"] if way == "sources" else []
    run = load("-c", "10", "-n", str(connects), "--requests-per-connection", "1", *options, target.url(), prefix=space.prefix, timeout_s=120)
    assert run.exit == 0 and run.totals["ok"] == connects and not run.doc["errors"]
    assert target.stop()["requests"] == connects


def test_many_targets_half_of_them_tls(load, nginx, authority, full):
    """C32: a host limit; memory; TLS for all or none."""
    n = 2500 if full else 100
    urls = [nginx.url(f"/small?{i}", tls=i % 2 == 1) for i in range(n)]
    before = nginx.requests()
    run = load("--cacert", authority.ca, "-c", "1", "-n", str(n * 3), *urls, watch_rss=True, timeout_s=120)
    assert run.exit == 0 and [t["url"] for t in run.doc["targets"]] == urls
    assert all(t["totals"]["ok"] >= 1 for t in run.doc["targets"])
    assert run.totals["connections_opened"] == n and run.totals["tls_handshakes"] == n // 2
    laws.check_count(run.doc, nginx.requests() - before)
    assert run.peak_rss < 256 << 20, run.peak_rss


def test_targets_on_many_ports(load, start_target):
    target = start_target(OK, ports=50)
    run = load("-c", "2", "-n", "1000", *target.urls(), server=target)
    assert run.exit == 0 and [t["totals"]["sent"] for t in run.doc["targets"]] == [one["requests"] for one in target.counts()["listeners"][:50]]
    assert [one["accepted"] for one in target.counts()["listeners"][:50]] == [2] * 50


def test_many_connections_in_time(load, start_target, start_namespace, full):
    """C31: 10 s became 78 s, with 0 requests. (Above half of the local port range the kernel searches the whole range for each connect, 0.7 ms:
    not ours, so the range is wide here.)"""
    connections, duration_s = (15_000, 10) if full else (2000, 2)
    space = start_namespace(ip_local_port_range="1024 65000")
    target = start_target(OK, prefix=space.prefix)
    run = load("-c", str(connections), "-d", f"{duration_s}s", target.url(), prefix=space.prefix, timeout_s=60)
    assert run.exit == 0 and run.totals["ok"] > 0
    counts = target.stop()
    assert counts["accepted"] == connections == counts["open_max"] and counts["begun"] == laws.sent_in_all(run.doc)
    assert 0 < run.doc["ramp_s"] < 5 and run.doc["duration_s"] == pytest.approx(duration_s, abs=0.1)
    assert run.wall_s <= duration_s + run.doc["ramp_s"] + 2
