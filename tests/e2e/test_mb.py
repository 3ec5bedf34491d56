# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll mb`: mb's request file, options, summary and CSV, as a wrapper written for mb meets them."""
import csv
import json
import os
import re
import signal
import statistics
import time
import urllib.parse

import pytest

from lib.process import Process, free_port, wait_until
from lib.target import OK, reply

COLUMNS = ["start_request", "delay", "status", "written", "read", "method_and_url", "thread_id", "conn_id", "conns", "reqs", "start",
           "socket_writable", "conn_est", "tls_reuse", "err"]
SUMMARY = re.compile(r"Time: (\d+\.\d\d)s\n"
                     r"Sent: \d+\.\d\d(?:B|kiB|MiB|GiB), \d+\.\d\d(?:B|kiB|MiB|GiB)/s\n"
                     r"Recv: \d+\.\d\d(?:B|kiB|MiB|GiB), \d+\.\d\d(?:B|kiB|MiB|GiB)/s\n"
                     r"Hits: (\d+), \d+\.\d\d/s\n"
                     r"(?:Errors connection: (\d+), status: (\d+), parser: (\d+)\n)?")


class Mb:
    def __init__(self, program, folder):
        self.program, self.folder = program, str(folder)

    def start(self, requests, *options, duration="1", csv_file=True, env=None, name="mb"):
        path = os.path.join(self.folder, "requests.json")
        with open(path, "w") as file:
            file.write(requests if isinstance(requests, str) else json.dumps(requests))
        self.csv = os.path.join(self.folder, "responses.csv")
        link = os.path.join(self.folder, name)
        if not os.path.islink(link):
            os.symlink(self.program, link)
        argv = [link, "-i", path, *(["-d", duration] if duration else []), *(["-o", self.csv] if csv_file else []), *options]
        return Process(argv, env=env)

    def __call__(self, requests, *options, timeout_s=60, **how):
        return Done(self.start(requests, *options, **how).finish(timeout_s), self.csv)


class Done:
    def __init__(self, done, path):
        self.exit, self.out, self.err, self.wall_s, self.done = done.exit, done.out, done.err, done.wall_s, done
        self.rows = []
        if os.path.exists(path):
            with open(path, newline="") as file:
                self.rows = [dict(zip(COLUMNS, row)) for row in csv.reader(file) if self.check_width(row)]
            os.unlink(path)
        found = SUMMARY.fullmatch(self.out)
        self.summary = found
        if found:
            self.seconds, self.hits = float(found[1]), int(found[2])
            self.errors = tuple(int(n or 0) for n in found.group(3, 4, 5))

    @staticmethod
    def check_width(row):
        assert len(row) == len(COLUMNS), f"{len(row)} columns: {row}"
        return True

    def numbers(self, column):
        return [int(row[column]) for row in self.rows]


@pytest.fixture
def mb(plimsoll, tmp_path):
    return Mb(plimsoll, tmp_path)


def where(url):
    parts = urllib.parse.urlsplit(url)
    return {"scheme": parts.scheme, "host": parts.hostname, "port": parts.port, "path": parts.path}


def test_summary_and_csv_against_nginx(mb, nginx):
    before, started_us = nginx.requests(), time.time() * 1e6
    done = mb([{**where(nginx.url()), "clients": 5}])
    assert done.exit == 0 and done.summary, done.done
    assert 0.9 <= done.seconds <= 4
    assert done.errors == (0, 0, 0) and "Errors" not in done.out
    counted = nginx.requests() - before
    assert done.hits == counted, (done.hits, counted)
    assert len(done.rows) <= done.hits <= len(done.rows) + 5, "what the end cut has no line"
    for row in done.rows:
        assert row["method_and_url"] == f"GET http://127.0.0.1:{nginx.plain}/small"
        assert row["status"] == "200" and row["err"] == "" and row["tls_reuse"] == "0"
        assert int(row["read"]) > 29 and int(row["written"]) > 40
        assert int(row["conns"]) == 1
        assert row["socket_writable"] == row["conn_est"]
        assert started_us - 1e6 < int(row["start_request"]) < started_us + 5e6
        assert int(row["start_request"]) >= int(row["start"])
    sockets = {row["conn_id"] for row in done.rows}
    assert len(sockets) == 5
    for socket in sockets:
        own = [row for row in done.rows if row["conn_id"] == socket]
        assert [int(row["reqs"]) for row in own] == list(range(1, len(own) + 1))
        assert len({row["start"] for row in own}) == 1
        assert own[0]["start_request"] == own[0]["start"], "the first starts with connecting"
        assert int(own[0]["delay"]) >= int(own[0]["conn_est"])


def test_first_delay_has_the_connect_in_it(mb, start_tls_target):
    """300 ms of handshake: in the first line of each connection, and in no other."""
    target = start_tls_target(hello_delay_s=0.3)
    done = mb([{**where(target.url()), "clients": 3, "delay": {"min": 5, "max": 10}}])
    assert done.exit == 0, done.done
    first = [row for row in done.rows if row["reqs"] == "1"]
    later = [row for row in done.rows if row["reqs"] != "1"]
    assert len(first) == 3 and later
    assert all(int(row["delay"]) >= 300000 and int(row["conn_est"]) >= 300000 > int(row["socket_writable"]) for row in first)
    assert statistics.median(int(row["delay"]) for row in later) < 100000


@pytest.mark.parametrize("termination", ["http", "edge", "passthrough", "reencrypt"])
def test_haproxy_terminations(mb, haproxy, termination):
    """TLS as mb does it: nothing is verified."""
    request = where(haproxy.url(termination))
    done = mb([{**request, "clients": 4, "keep-alive-requests": 10}])
    assert done.exit == 0 and done.errors == (0, 0, 0), done.done
    assert done.rows and set(done.numbers("status")) == {200}
    assert max(done.numbers("reqs")) == 10
    assert max(done.numbers("conns")) > 1


def test_keep_alive_requests(mb, start_target):
    """The last request of a connection carries Connection: close; without a limit none does."""
    target = start_target(OK)
    done = mb([{**where(target.url()), "clients": 2, "keep-alive-requests": 3, "max-requests": 9}], duration="5")
    assert done.exit == 0 and done.wall_s < 4, "all sent: the run may end earlier"
    assert len(done.rows) == 18 == target.counts()["begun"], done.done
    assert target.counts()["accepted"] == 6
    assert sorted(set(done.numbers("reqs"))) == [1, 2, 3] and sorted(set(done.numbers("conns"))) == [1, 2, 3]


@pytest.mark.parametrize("reuse", [True, False])
def test_tls_session_reuse(mb, nginx, reuse):
    """A connection for each request: resumed, but for the first ones, or never; beside a request that wants the other."""
    tls = where(nginx.url(tls=True))
    done = mb([{**tls, "clients": 2, "keep-alive-requests": 1, "tls-session-reuse": reuse, "max-requests": 50},
               {**tls, "path": "/kib", "keep-alive-requests": 1, "tls-session-reuse": not reuse, "max-requests": 50}], duration="10")
    assert done.exit == 0 and done.errors == (0, 0, 0), done.done
    own = [row["tls_reuse"] for row in done.rows if row["method_and_url"].endswith("/small")]
    other = [row["tls_reuse"] for row in done.rows if row["method_and_url"].endswith("/kib")]
    assert len(own) == 100 and len(other) == 50
    resumed, full = (own, other) if reuse else (other, own)
    assert set(full) == {"0"} and resumed.count("1") >= len(resumed) - 6


@pytest.mark.parametrize("linger", [None, 0])
def test_the_client_closes(mb, start_target, linger):
    """Without a word: no Connection: close is sent, and with linger 0 the end is a reset."""
    target = start_target(OK)
    close = {"client": True} if linger is None else {"client": True, "linger": linger}
    done = mb([{**where(target.url()), "keep-alive-requests": 4, "max-requests": 12, "close": close}], duration="5")
    assert done.exit == 0 and done.errors == (0, 0, 0), done.done
    assert target.counts()["accepted"] == 3
    assert len(set(done.numbers("written"))) == 1, "the last request of a connection is like the others"


def test_two_requests_each_in_its_own_manner(mb, start_target):
    quick, slow = start_target(OK), start_target(reply("404 No"))
    done = mb([{**where(quick.url("/quick")), "clients": 3, "max-requests": 100},
               {**where(slow.url("/slow")), "method": "POST", "body": {"content": "abc"}, "delay": {"min": 100, "max": 100}}])
    assert done.exit == 0, done.done
    assert quick.counts()["begun"] == 300
    late = [row for row in done.rows if "/slow" in row["method_and_url"]]
    assert 7 <= len(late) <= 10, "one every 100 ms, the first after 100 ms too"
    assert all(row["method_and_url"].startswith("POST http://") and row["status"] == "404" for row in late)
    assert done.errors == (0, len(late), 0), "above 399 it is a status error"


BODIES = [("a plain string", "hello", 5), ("content", {"content": "hello"}, 5), ("content said", {"type": "content", "content": "hello", "size": 9}, 5),
          ("random", {"type": "random", "size": 70000}, 70000), ("random ignores the content", {"type": "random", "size": 10, "content": "x" * 99}, 10)]


@pytest.mark.parametrize("why,body,size", BODIES, ids=[b[0] for b in BODIES])
def test_bodies(mb, start_target, why, body, size):
    target = start_target(OK)
    done = mb([{**where(target.url()), "method": "PUT", "body": body, "max-requests": 3}])
    assert done.exit == 0, done.done
    heads = int(mb([{**where(target.url()), "method": "PUT", "body": "", "max-requests": 1}]).rows[0]["written"])
    written = done.numbers("written")
    assert len(written) == 3 and all(heads - 1 + size <= n <= heads + size + 5 for n in written), (why, written, heads)


def test_headers_and_host(mb, start_target):
    """mb's Host has no port; its fields come as the file has them."""
    target = start_target(OK)
    done = mb([{**where(target.url()), "headers": {"X-One": "1", "X-Two": "2"}, "max-requests": 1}])
    bare = mb([{**where(target.url()), "max-requests": 1}])
    assert int(done.rows[0]["written"]) - int(bare.rows[0]["written"]) == len("X-One: 1\r\nX-Two: 2\r\n")


def test_cookies(mb, start_target):
    """With -c the second request carries what the first reply set; without it none does."""
    target = start_target(reply(fields=["Set-Cookie: a=1; Path=/"]))
    request = [{**where(target.url()), "max-requests": 2}]
    with_cookies, without = mb(request, "-c").numbers("written"), mb(request).numbers("written")
    assert without[0] == without[1] == with_cookies[0]
    assert with_cookies[1] - with_cookies[0] == len("Cookie: a=1\r\n")


def test_failures(mb, start_target):
    closing, garbage = start_target(r"\{fin}"), start_target(r"nonsense\r\n\r\n\{fin}")
    nobody = free_port()
    done = mb([{**where(closing.url())}, {**where(garbage.url())}, {"host": "127.0.0.1", "port": nobody}])
    assert done.exit == 0 and done.summary, done.done
    by_port = {port: [row for row in done.rows if f":{port}/" in row["method_and_url"]] for port in (closing.port, garbage.port, nobody)}
    assert all(by_port.values()), "a failure has its line too"
    assert all(row["status"] == "0" and row["err"] for row in done.rows)
    assert all(row["err"].startswith("socket_write()") and row["reqs"] == "0" for row in by_port[nobody])
    assert all(row["err"].startswith("socket_read(): connection") for row in by_port[closing.port])
    assert all(row["err"].startswith("socket_read(): parser") for row in by_port[garbage.port])
    connection, status, parser = done.errors
    assert connection == len(by_port[closing.port]) + len(by_port[nobody]) and parser == len(by_port[garbage.port]) and status == 0
    assert not any("," in row["err"] for row in done.rows)


def test_defaults(mb, start_target):
    """5 s, GET, /, one client; a comma too many is forgiven, as the file format's own examples have them."""
    target = start_target(r"\{wait 20ms}" + OK)
    done = mb('[{"host": "127.0.0.1", "port": %d, "headers": {"X-A": "b",},},]' % target.port, duration=None)
    assert done.exit == 0, done.done
    assert 4.9 <= done.seconds <= 9
    assert {row["method_and_url"] for row in done.rows} == {f"GET http://127.0.0.1:{target.port}/"}
    assert {row["conn_id"] for row in done.rows} == {done.rows[0]["conn_id"]}


def test_threads_and_ramp_up(mb, start_target):
    target = start_target(r"\{wait 5ms}" + OK)
    done = mb([{**where(target.url()), "clients": 8}], "-t", "2", "-r", "1", duration="2")
    assert done.exit == 0, done.done
    assert set(done.numbers("thread_id")) == {0, 1}
    starts = sorted(set(done.numbers("start")))
    assert len(starts) >= 6 and 0.6e6 <= starts[-1] - starts[0] <= 1.9e6, "clients begin over one second"


def test_a_hanging_target_ends_on_time(mb, start_target):
    target = start_target(r"\{hang}")
    done = mb([{**where(target.url()), "clients": 4}])
    assert done.exit == 0 and done.wall_s < 10, done.done
    assert done.hits == 4 and done.rows == []


def test_interrupted(mb, start_target):
    target = start_target(r"\{wait 5ms}" + OK)
    process = mb.start([where(target.url())], duration="30")
    wait_until(lambda: target.counts()["requests"] >= 5, "some requests")
    process.signal(signal.SIGINT)
    done = Done(process.finish(10), mb.csv)
    assert done.exit == 0 and done.summary and done.rows, done.done


def test_nameservers_from_the_environment(mb):
    """A name server that is not there: the name is asked of it, and of no other."""
    process = mb.start([{"host": "plimsoll.invalid"}], env={**os.environ, "NAMESERVER1": "127.0.0.9", "RES_OPTIONS": "timeout:1 attempts:1"})
    done = process.finish(30)
    assert done.exit == 1 and "plimsoll.invalid" in done.err, done
    bad = mb.start([{"host": "a.test"}], env={**os.environ, "NAMESERVER1": "nonsense"}).finish(30)
    assert bad.exit == 1 and "NAMESERVER1" in bad.err, bad


REFUSED = [
    ("no file", [], [], "request file is needed"),
    ("no such file", ["-i", "/nowhere/requests.json"], None, "/nowhere/requests.json"),
    ("no JSON", [], "[{]", "line 1"),
    ("the line of the fault", [], "[\n{\"host\": \"a\"}\n{}]", "line 3"),
    ("no list", [], "{}", "list"),
    ("an empty list", [], "[]", "empty"),
    ("no host", [], [{}], "\"host\""),
    ("an unknown member", [], [{"host": "a", "hots": "b"}], "hots"),
    ("an unknown member of delay", [], [{"host": "a", "delay": {"mean": 1}}], "mean"),
    ("another scheme", [], [{"host": "a", "scheme": "ftp"}], "ftp"),
    ("delay upside down", [], [{"host": "a", "delay": {"min": 2, "max": 1}}], "delay"),
    ("text for a number", [], [{"host": "a", "clients": "5"}], "clients"),
    ("too many clients", [], [{"host": "a", "clients": 50001}], "50000"),
    ("a random body without size", [], [{"host": "a", "body": {"type": "random"}}], "size"),
    ("the second request", [], [{"host": "a"}, {"host": "b", "port": 70000}], "request 2"),
    ("-d 0", ["-d", "0"], [{"host": "a"}], "duration"),
    ("-d with a unit", ["-d", "5s"], [{"host": "a"}], "5s"),
    ("ramp-up not below the duration", ["-d", "2", "-r", "2"], [{"host": "a"}], "ramp-up"),
    ("-t 0", ["-t", "0"], [{"host": "a"}], "threads"),
    ("SSL 3", ["-s", "1"], [{"host": "a"}], "SSL 3"),
    ("unknown option", ["-x"], [{"host": "a"}], "Usage"),
]


@pytest.mark.parametrize("why,options,requests,says", REFUSED, ids=[r[0] for r in REFUSED])
def test_refused(mb, plimsoll, why, options, requests, says):
    """mb has one exit code for all of it: 1."""
    if not requests and not isinstance(requests, str):
        done = Process([plimsoll, "mb", *options]).finish(10)
    else:
        done = mb.start(requests, *options, duration=None).finish(10)
    assert done.exit == 1, (why, done)
    assert says in done.err, (why, done)


def wrapper(program, urls, clients, keep_alive, seconds, folder):
    """What a script of a router benchmark does around mb: writes the file, runs it, and reads columns 2 and 3."""
    requests, out = os.path.join(folder, "requests.json"), os.path.join(folder, "responses.csv")
    with open(requests, "w") as file:
        json.dump([{"scheme": u.scheme, "tls-session-reuse": True, "host": u.hostname, "port": u.port, "method": "GET", "path": u.path,
                    "delay": {"min": 0, "max": 0}, "keep-alive-requests": keep_alive, "clients": clients} for u in urls], file)
    done = Process([program, "mb", "-i", requests, "-d", str(seconds), "-o", out]).finish(seconds + 20)
    assert done.exit == 0, done
    with open(out) as file:
        rows = [line.split(",") for line in file]
    delays = sorted(int(row[1]) for row in rows if row[2] == "200")
    return {"rps": len(delays) / seconds, "bad": sum(row[2] != "200" for row in rows), "p95_ms": delays[int(len(delays) * 0.95)] / 1000}


def test_router_benchmark_with_a_wrapper_for_mb(plimsoll, haproxy, tmp_path, full):
    """Job 5: terminations x clients x keep-alive, samples, against a router: a figure for each cell, none of them with errors."""
    seconds = 5 if full else 1
    cells = {}
    for termination in ("http", "edge", "passthrough", "reencrypt"):
        for clients in (1, 8):
            for keep_alive in (0, 1, 50):
                urls = [urllib.parse.urlsplit(haproxy.url(termination))]
                cells[termination, clients, keep_alive] = wrapper(plimsoll, urls, clients, keep_alive, seconds, str(tmp_path))
    mixed = [urllib.parse.urlsplit(haproxy.url(t)) for t in ("http", "edge", "passthrough", "reencrypt")]
    cells["mix", 4, 0] = wrapper(plimsoll, mixed, 4, 0, seconds, str(tmp_path))
    assert len(cells) == 25
    assert all(cell["rps"] > 0 and cell["bad"] == 0 and cell["p95_ms"] > 0 for cell in cells.values()), cells
    for termination in ("http", "edge", "passthrough", "reencrypt"):
        assert cells[termination, 8, 0]["rps"] > cells[termination, 8, 1]["rps"], "a connection for each request costs"
