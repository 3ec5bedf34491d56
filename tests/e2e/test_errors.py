# SPDX-License-Identifier: GPL-3.0-or-later
"""Every failure has its name, its count, its first example and its time; the exit code follows the rule."""
import json
import os
import signal
import time

import pytest

from lib.process import free_port, wait_until
from lib.target import OK, reply


def test_time_outs(load, start_target, full):
    """C52: no reply ever was "0 requests", 0 time-outs."""
    timeout_s, duration_s = (1, 5) if full else (0.3, 1.5)
    target = start_target(r"\{hang}")
    run = load("-c", "8", "-d", f"{duration_s}s", "--timeout", f"{timeout_s * 1000:.0f}ms", target.url(), server=target)
    assert run.exit == 3 and run.kinds().keys() == {"timeout"}
    assert 32 <= run.error("timeout")["count"] <= 40
    assert run.totals["ok"] == 0 and run.latency is None
    assert timeout_s <= run.doc["latency_by_class"]["error"]["p50"] <= timeout_s * 1.2


@pytest.mark.parametrize("text", [r"HTTP/1.1 200 OK\r\nContent-Le\{hang}", r"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf\{hang}",
                                  r"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n\{hang}"])
def test_time_out_in_the_middle_of_a_reply(load, start_target, text):
    target = start_target(text)
    run = load("-c", "4", "-n", "8", "--timeout", "200ms", target.url(), server=target)
    assert run.exit == 3 and run.kinds() == {"timeout": 8} and run.wall_s < 5


@pytest.mark.parametrize("ends", ["time-out", "unfinished"])
@pytest.mark.parametrize("options", [[], ["--pipeline", "2"]])
def test_what_came_of_a_long_body_is_counted(load, start_target, ends, options):
    """However the waiting for the rest is done."""
    body = r"\{x*100000}\{wait 100ms}\{x*9000}\{wait 100ms}\{x*700}\{hang}"
    target = start_target(reply(length=1 << 20, body=body))
    asked = 8 if options else 4
    limits = ["-n", str(asked), "--timeout", "900ms"] if ends == "time-out" else ["-d", "900ms", "--drain", "100ms"]
    run = load("-c", "4", *limits, *options, target.url(), server=target)
    assert run.totals["failed" if ends == "time-out" else "unfinished"] == asked
    assert run.totals["body_bytes_received"] == 4 * 109700
    assert run.totals["bytes_received"] == target.stop()["bytes_out"]


def test_time_out_is_for_the_whole_request(load, start_target):
    """Bytes that keep trickling in do not extend it."""
    target = start_target(reply(body=r"\{x*200}", length=200), split="bytes", pause="20ms")
    run = load("-c", "2", "-n", "4", "--timeout", "300ms", target.url(), server=target)
    assert run.kinds() == {"timeout": 4} and run.wall_s < 4


def test_connection_refused(load):
    """The target was never reached: said at once, exit 3."""
    port = free_port()
    run = load("-c", "4", "-d", "5s", f"http://127.0.0.1:{port}/")
    assert run.exit == 3 and run.kinds().keys() == {"connect_refused"}
    assert run.totals["sent"] == 0 and run.totals["ok"] == 0 and run.totals["started"] >= 1
    assert str(port) in run.err and "refused" in run.err
    for entry in run.doc["errors"]:
        assert 0 <= entry["first_at_s"] <= entry["last_at_s"]


def test_server_that_goes_away_and_comes_back(load, start_target):
    """Refused in between, counted, then on with the load."""
    first = start_target(OK)
    process = load.start("-c", "2", "-d", "4s", "--max-errors", "100%", first.url())
    wait_until(lambda: first.counts()["requests"] > 100, "the load runs")
    seen = first.stop()
    second = start_target(OK, listen=["127.0.0.1"], port=first.port)
    run = load.finish(process)
    again = second.counts()
    assert again["requests"] > 100, "it reconnected"
    assert set(run.kinds()) <= {"connect_refused", "reset", "closed_early", "truncated"}
    assert seen["requests"] + again["requests"] <= run.totals["sent"] + run.totals["retried"]


def test_a_refused_connect_uses_up_a_request(load, start_target):
    target = start_target(r"\{wait 5ms}" + reply(fields=["Connection: close"]) + r"\{fin}")
    process = load.start("-c", "10", "-n", "120", "--requests-per-connection", "1", target.url())
    wait_until(lambda: target.counts()["requests"] > 50, "the load runs")
    seen = target.stop()
    run = load.finish(process, 60)
    assert run.exit == 3 and run.totals["started"] + run.totals["not_sent"] == 120, "every one of -n is accounted for"
    assert 40 <= run.totals["ok"] <= seen["requests"] and run.kinds()["connect_refused"] >= 120 - seen["requests"] - 10
    assert run.doc["phases"]["connect"]["count"] == run.totals["connections_opened"]


def test_refused_connects_back_off(load, start_target):
    target = start_target(OK)
    process = load.start("-c", "4", "-d", "1500ms", target.url())
    wait_until(lambda: target.counts()["requests"] > 50, "the load runs")
    target.stop()
    run = load.finish(process)
    assert 1 <= run.kinds()["connect_refused"] < 1000, "not as fast as it can"


def test_connect_time_out(load, start_target):
    target = start_target(OK, listen=["127.0.0.1"], dead=["127.0.0.2"])
    run = load("-c", "2", "-n", "4", "--connect-timeout", "300ms", target.url(host="127.0.0.2"), timeout_s=20)
    assert run.exit == 3 and run.kinds().keys() == {"connect_timeout"} and run.totals["sent"] == 0
    assert run.totals["failed"] + run.totals["not_sent"] == 4
    assert run.wall_s < 5


@pytest.mark.parametrize("end, kind", [("fin", "closed_early"), ("close", "closed_early"), ("rst", "reset")])
def test_ends_before_the_reply(load, start_target, end, kind):
    target = start_target(r"\{%s}" % end)
    run = load("-c", "4", "-n", "40", target.url(), server=target)
    assert run.exit == 3 and run.kinds() == {kind: 40}


def test_errors_carry_an_example_and_times(load, start_target):
    target = start_target(r"\{wait 5ms}" + OK, reply("503 Busy", fields=["X-Why: tired"], body="come back later"), when=["every=20:1"])
    run = load("-c", "2", "-n", "100", target.url("/x"), server=target)
    entry = run.error("status")
    assert entry["count"] == 5 and entry["detail"] == "status 503"
    for part in ("503 Busy", "X-Why: tired", "come back later"):
        assert part in entry["first"]
    assert 0 < entry["first_at_s"] < entry["last_at_s"] <= run.doc["duration_s"] + 0.1


def test_first_example_holds_at_most_512_bytes_of_body(load, start_target):
    target = start_target(reply("500 Oops", body=r"\{b*5000}", length=5000))
    first = load("-c", "1", "-n", "3", target.url(), server=target).error("status")["first"]
    assert 500 <= first.count("b") <= 520 and "500 Oops" in first


@pytest.mark.parametrize("failing, exit_code", [(2, 3), (200, 0)])
def test_failures_above_and_below_the_limit(load, start_target, failing, exit_code):
    """C69: published tables dropped the error lines. Above 1 %: invalid, with reasons; below: a warning that cannot be overlooked."""
    target = start_target(OK, reply("500 Oops"), when=[f"every={failing}:1"])
    run = load("-c", "4", "-n", "1000", target.url(), server=target)
    assert run.exit == exit_code and run.doc["valid"] == (exit_code == 0)
    assert run.totals["failed"] == 1000 // failing
    said = run.doc["reasons"] if exit_code else run.doc["warnings"]
    assert any(str(1000 // failing) in line and "failed" in line for line in said), said
    assert "500" in run.err and str(1000 // failing) in run.err


@pytest.mark.parametrize("limit, exit_code", [("4%", 3), ("0.06", 0), ("5%", 0), ("0%", 3), ("100%", 0)])
def test_max_errors(load, start_target, limit, exit_code):
    target = start_target(OK, reply("500 Oops"), when=["every=20:1"])
    assert load("-c", "4", "-n", "100", "--max-errors", limit, target.url(), server=target).exit == exit_code


def test_strict_makes_warnings_fail(load, start_target):
    target = start_target(OK, reply("500 Oops"), when=["every=200:1"])
    run = load("-c", "4", "-n", "1000", "--strict", target.url(), server=target)
    assert run.exit == 3 and run.doc["reasons"]


def test_save_failures(load, start_target, tmp_path):
    body = r"\{b*3000}"
    target = start_target(OK, reply("500 Oops", fields=["X-Why: tired"], body=body, length=3000), when=["every=5:1"])
    load("-c", "2", "-n", "100", "--save-failures", f"{tmp_path}/out:7", target.url("/some"), server=target)
    files = sorted((tmp_path / "out").glob("*.http"))
    assert len(files) == 7
    for file in files:
        content = file.read_bytes()
        assert b"HTTP/1.1 500 Oops\r\n" in content and b"X-Why: tired" in content and b"b" * 3000 in content


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_reports_what_there_is(load, start_target, tmp_path, number):
    target = start_target(r"\{wait 1ms}" + OK)
    file = tmp_path / "result.json"
    process = load.start("-c", "3", "-d", "60s", "--csv", tmp_path / "csv", target.url())
    wait_until(lambda: target.counts()["requests"] > 200, "the load runs")
    process.signal(number)
    run = load.finish(process, 15, server=target, codes=(130,))
    assert run.totals["ok"] > 190 and run.doc["interrupted"] and run.doc["duration_s"] < 20
    assert (tmp_path / "csv").read_text().count("\n") >= 2 and not file.exists()


def test_interrupted_run_writes_its_file(load, plimsoll, start_target, tmp_path):
    target = start_target(r"\{wait 1ms}" + OK)
    file = tmp_path / "result.json"
    process = load.start("-c", "3", "-d", "60s", target.url(), "--json", file)
    wait_until(lambda: target.counts()["requests"] > 200, "the load runs")
    process.signal(signal.SIGINT)
    done = process.finish(15)
    assert done.exit == 130, done
    assert json.loads(file.read_text())["totals"]["ok"] > 190
    assert "interrupt" in (done.out + done.err).lower()


def test_second_interrupt_quits_at_once(load, start_target):
    target = start_target(r"\{hang}")
    process = load.start("-c", "3", "-d", "60s", "--drain", "50s", target.url())
    wait_until(lambda: target.counts()["requests"] == 3, "the load runs")
    process.signal(signal.SIGINT)
    first = time.monotonic()
    wait_until(lambda: not _pending(process.pid, signal.SIGINT) and time.monotonic() > first + 0.3, "a person's second press")
    assert process.running(), "it drains"
    process.signal(signal.SIGINT)
    assert process.finish(10).exit == 130


def test_one_interrupt_that_arrives_twice_is_one(load, start_target):
    """timeout(1) and shells signal the process and its group."""
    target = start_target(r"\{wait 300ms}" + OK)
    process = load.start("-c", "3", "-d", "60s", target.url())
    wait_until(lambda: target.counts()["requests"] == 3, "the load runs")
    process.signal(signal.SIGINT)
    wait_until(lambda: not _pending(process.pid, signal.SIGINT), "the first is delivered", 5, 0.001)
    process.signal(signal.SIGINT)
    run = load.finish(process, 15, server=target, codes=(130,))
    assert run.totals["ok"] == 3 == run.totals["started"]


def _pending(pid, number):
    with open(f"/proc/{pid}/status") as status:
        masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(mask >> (number - 1) & 1 for mask in masks)


UNKNOWN = "no-such-host.invalid"


def test_unknown_name_is_told_before_anything_is_sent(load, start_target, tmp_path):
    """C60: resolver failures hidden among target failures; at most one look-up for each name."""
    target = start_target(OK)
    trace = tmp_path / "trace"
    done = load.refused("-c", "20", "-n", "100", target.url(host="localhost"), f"http://{UNKNOWN}:{target.port}/", target.url(host="localhost"),
                        codes=(2,), timeout_s=60, prefix=["strace", "-f", "-o", trace, "-e", "trace=openat"])
    assert UNKNOWN in done.err
    assert target.counts()["accepted"] == 0
    assert trace.read_text().count('"/etc/hosts"') <= 2


def test_names_are_looked_up_once(load, start_target, tmp_path):
    target = start_target(OK)
    trace = tmp_path / "trace"
    run = load("-4", "-c", "10", "-n", "200", "--requests-per-connection", "5", target.url("/a", host="localhost"),
               target.url("/b", host="localhost"), server=target, prefix=["strace", "-f", "-o", trace, "-e", "trace=openat"])
    assert run.exit == 0 and trace.read_text().count('"/etc/hosts"') <= 1


BAD_INPUT = [
    ("no URL", [], "URL"),
    ("unknown option", ["--frobnicate", "URL"], "--frobnicate"),
    ("other scheme", ["ftp://127.0.0.1/"], "ftp"),
    ("no scheme", ["127.0.0.1/"], "127.0.0.1"),
    ("port 0", ["http://127.0.0.1:0/"], "port"),
    ("port too high", ["http://127.0.0.1:70000/"], "70000"),
    ("port is no number", ["http://127.0.0.1:http/"], "http"),
    ("no host", ["http:///x"], "host"),
    ("no connections", ["-c", "0", "URL"], "0"),
    ("connections negative", ["-c", "-3", "URL"], "-3"),
    ("connections are no number", ["-c", "many", "URL"], "many"),
    ("duration without unit", ["-d", "5", "URL"], "5"),
    ("no duration", ["-d", "0s", "URL"], "0s"),
    ("unknown unit", ["-d", "5parsecs", "URL"], "5parsecs"),
    ("no requests", ["-n", "0", "URL"], "0"),
    ("no threads", ["-t", "0", "URL"], "0"),
    ("body file is missing", ["--body", "@/no/such/file", "URL"], "/no/such/file"),
    ("upload file is missing", ["-T", "/no/such/file", "URL"], "/no/such/file"),
    ("upload of a folder", ["-T", "/", "URL"], "/"),
    ("header with a line break", ["-H", "X: a\r\nY: b", "URL"], "X"),
    ("header without colon", ["-H", "nonsense", "URL"], "nonsense"),
    ("method with a space", ["-X", "GET IT", "URL"], "GET IT"),
    ("space in the URL", ["http://127.0.0.1/a b"], "space"),
    ("both IP versions", ["-4", "-6", "URL"], "-6"),
    ("bad status list", ["--expect-status", "abc", "URL"], "abc"),
    ("bad share", ["--max-errors", "lots", "URL"], "lots"),
    ("bad percentile", ["--percentiles", "101", "URL"], "101"),
    ("CA file is missing", ["--cacert", "/no/such/ca", "https://127.0.0.1/"], "/no/such/ca"),
    ("CA file holds none", ["--cacert", "/etc/hostname", "https://127.0.0.1/"], "/etc/hostname"),
    ("source that is no address", ["--source", "nowhere", "URL"], "nowhere"),
    ("source of another machine", ["--source", "192.0.2.77", "URL"], "192.0.2.77"),
    ("bad resolve", ["--resolve", "justahost", "URL"], "justahost"),
    ("bad label", ["--label", "novalue", "URL"], "novalue"),
    ("bad progress", ["--progress", "loud", "URL"], "loud"),
    ("result file's folder is missing", ["--csv", "/no/such/folder/x.csv", "URL"], "/no/such/folder"),
    ("bad failures folder", ["--save-failures", "/tmp", "URL"], "/tmp"),
    ("token's variable is not set", ["--auth-bearer", "env:NO_SUCH_VARIABLE", "URL"], "NO_SUCH_VARIABLE"),
    ("user without colon", ["-u", "alice", "URL"], "-u"),
]


@pytest.mark.parametrize("why, options, named", BAD_INPUT, ids=[row[0] for row in BAD_INPUT])
def test_bad_input_is_refused_before_anything_is_sent(load, start_target, why, options, named):
    target = start_target(OK)
    done = load.refused(*[target.url() if option == "URL" else option for option in options])
    assert named in done.err, done.err
    assert target.counts()["accepted"] == 0
    assert len(done.err) < 2000 and "\n" in done.err


def test_unix_socket_that_is_not_there(load):
    process = load.start("--unix-socket", "/no/such/socket", "-n", "5", "http://any.test/")
    done = process.finish(20)
    assert done.exit in (2, 3) and "/no/such/socket" in done.err, done.err


def test_dry_run_sends_nothing(plimsoll, load, start_target):
    target = start_target(OK)
    process = load.start("--dry-run", "-c", "5", target.url("/here"))
    done = process.finish(20)
    assert done.exit == 0 and target.counts()["accepted"] == 0
    assert "/here" in done.out + done.err and str(target.port) in done.out + done.err


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a route that says no")
def test_unreachable(load, start_namespace):
    space = start_namespace()
    run = load("-c", "2", "-n", "4", "http://192.0.2.1/", prefix=space.prefix, timeout_s=30)
    assert run.exit == 3 and run.kinds().keys() == {"connect_unreachable"}
