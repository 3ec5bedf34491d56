# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes out: the document, the text, CSV, the log, the distribution; that they say the same."""
import csv
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
import uuid

import pytest

from lib import laws
from lib.process import run as run_process
from lib.process import wait_until
from lib.target import OK, reply


@pytest.fixture(scope="module")
def text_of_help(plimsoll):
    done = run_process([plimsoll, "load", "--help"], 20)
    assert done.exit == 0 and not done.err
    return done.out


def test_standard_output_holds_exactly_one_document(load, start_target):
    """C65."""
    target = start_target(OK)
    run = load("-c", "2", "-n", "50", "--name", "a name", "--label", "commit=4f2a91c", "--label", "host=b", target.url(), server=target)
    doc = run.doc
    assert doc["format"] == "plimsoll-result" and doc["version"] == 1
    assert str(uuid.UUID(doc["id"])) == doc["id"]
    assert doc["name"] == "a name" and doc["labels"] == {"commit": "4f2a91c", "host": "b"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", doc["started"])
    assert doc["command"][1] == "load" and target.url() in doc["command"]
    assert doc["host"]["cpus"] > 0 and doc["host"]["memory_bytes"] > 0 and doc["host"]["tool_version"]
    assert doc["targets"][0]["url"] == target.url() and doc["targets"][0]["method"] == "GET"
    for name in ("config", "warmup", "phases", "intervals", "addresses", "watch", "generator", "tls"):
        assert name in doc


def test_without_json_the_text_is_on_standard_output(plimsoll, start_target):
    target = start_target(OK)
    done = run_process([plimsoll, "load", "--no-store", "-c", "2", "-n", "50", target.url()], 20)
    assert done.exit == 0 and "requests/s" in done.out and not done.out.startswith("{")


def durations(text):
    """(seconds, half of the last digit shown) of every figure with a unit of time."""
    scale = {"ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    for digits, unit in re.findall(r"(\d+(?:\.\d+)?) ?(ns|µs|us|ms|s)\b", text):
        decimals = len(digits.partition(".")[2])
        yield float(digits) * scale[unit], 0.5 * 10 ** -decimals * scale[unit]


def is_one_of(shown, exact):
    value, half = shown
    return any(abs(value - one) <= half * 1.001 for one in exact)


def test_each_figure_of_the_text_is_in_the_document(plimsoll, start_target, tmp_path):
    """C65: every duration in the text is one of the document's, to the digits shown; counts to the digit."""
    target = start_target(r"\{wait 2ms}" + OK, r"\{wait 4ms}" + reply("500 Oops"), when=["every=50:1"])
    file = tmp_path / "r.json"
    done = run_process([plimsoll, "load", "--no-store", "-c", "3", "-n", "1000", "--max-errors", "5%", "--json", file, target.url()], 30)
    assert done.exit == 0, done
    doc = laws.parse(file.read_text())
    laws.check(doc, 0, done.wall_s)
    known = list(_all_numbers(doc))
    without_drawing = re.sub(r"  latency up to.*?\n\n", "", done.out, flags=re.S)  # its bounds are those of the picture
    assert without_drawing != done.out, "there is a picture"
    for shown in durations(without_drawing):
        assert is_one_of(shown, [0.0, *known]), f"{shown[0]} s is in the text and not in the document\n{done.out}"
    for needle in (f"{doc['totals']['ok']:,}", "p50", "p90", "p99", "p99.9", "max", "requests/s", "500"):
        assert needle in done.out or needle.replace(",", "") in done.out or needle.replace(",", " ") in done.out, f"{needle}\n{done.out}"


def _all_numbers(node):
    if isinstance(node, dict):
        for value in node.values():
            yield from _all_numbers(value)
    elif isinstance(node, list):
        for value in node:
            yield from _all_numbers(value)
    elif isinstance(node, (int, float)) and not isinstance(node, bool):
        yield float(node)


def test_text_says_validity_first(plimsoll, start_target):
    good, bad = start_target(OK), start_target(reply("500 Oops"))
    done = run_process([plimsoll, "load", "--no-store", "-n", "20", good.url()], 20)
    assert "valid" in "\n".join(done.out.split("\n")[:6]).lower() and "invalid" not in done.out.lower()
    done = run_process([plimsoll, "load", "--no-store", "-n", "20", bad.url()], 20)
    assert done.exit == 3
    top = "\n".join(done.out.split("\n")[:8])
    assert "invalid" in top.lower() and "20" in top, top


@pytest.mark.parametrize("asked, key, label", [("99.95", "p9995", "p99.95"), ("99.999", "p99999", "p99.999"), ("12.5", "p125", "p12.5"), ("1", "p1", "p1")])
def test_asked_percentile_is_the_same_everywhere(load, start_target, tmp_path, asked, key, label):
    """C66: "undefined" in the report."""
    target = start_target(r"\{wait 1ms}" + OK)
    run = load("-c", "4", "-n", "2000", "--percentiles", f"50,{asked}", "--csv", tmp_path / "csv", target.url(), server=target)
    value = run.latency[key]
    with open(tmp_path / "csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1][f"latency_{label}_s"]) == pytest.approx(value, abs=1e-9)
    assert label in run.err and any(is_one_of(shown, [value]) for shown in durations(run.err))
    assert all(key in t["latency"] for t in run.doc["targets"])


def test_csv(load, start_target, tmp_path):
    target = start_target(OK)
    run = load("-c", "2", "-n", "100", "--csv", tmp_path / "csv", target.url("/a,b"), target.url("/c"), server=target)
    with open(tmp_path / "csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["target"] for row in rows] == [target.url("/a,b"), target.url("/c"), "total"]
    for row, part in zip(rows, [*run.doc["targets"], run.doc]):
        for name in ("started", "sent", "ok", "failed", "unfinished", "retried"):
            assert int(row[name]) == part["totals"][name], name
        for name in ("mean", "min", "max"):
            assert float(row[f"latency_{name}_s"]) == pytest.approx(part["latency"][name], abs=2e-9), name
        assert float(row["latency_p99_s"]) == pytest.approx(part["latency"]["p99"], abs=2e-9)
        assert int(row["received_body_bytes"]) == part["totals"]["body_bytes_received"]


def test_csv_on_standard_output(plimsoll, start_target):
    target = start_target(OK)
    done = run_process([plimsoll, "load", "--no-store", "--csv", "-", "-n", "20", target.url()], 20)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["target"] for row in rows] == [target.url(), "total"] and rows[1]["ok"] == "20"


def test_log_has_a_line_for_every_request(load, start_target, tmp_path):
    target = start_target(OK, reply("500 Oops"), r"\{fin}", r"\{hang}", when=["every=10:1", "every=25:2", "every=190:3"])
    run = load("-c", "4", "-n", "400", "--timeout", "300ms", "--log", tmp_path / "log", target.url(), server=target)
    with open(tmp_path / "log", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 400 == run.totals["started"]
    by_status, by_error = {}, {}
    for row in rows:
        if row["status"]:
            by_status[row["status"]] = by_status.get(row["status"], 0) + 1
        if row["error"]:
            by_error[row["error"]] = by_error.get(row["error"], 0) + 1
    assert by_error == run.kinds()
    assert by_status == run.doc["status"]
    assert sum(float(row["latency_s"]) for row in rows if not row["error"]) == pytest.approx(run.latency["sum_ns"] / 1e9, abs=1e-6)
    assert sum(row["retried"] in ("1", "true", "yes") for row in rows) == run.totals["retried"]


def test_log_marks_the_warm_up(load, start_target, tmp_path):
    target = start_target(r"\{wait 1ms}" + OK)
    run = load("-c", "2", "--warmup", "200ms", "-d", "300ms", "--log", tmp_path / "log", target.url(), server=target)
    with open(tmp_path / "log", newline="") as file:
        rows = list(csv.DictReader(file))
    warm = [row for row in rows if row["warmup"] in ("1", "true", "yes")]
    assert len(warm) == run.doc["warmup"]["started"] and len(rows) - len(warm) == run.totals["started"]


def test_distribution_file(load, start_target, tmp_path):
    target = start_target(OK)
    run = load("-c", "2", "-n", "500", "--hdr", tmp_path / "hdr", target.url(), server=target)
    text = (tmp_path / "hdr").read_text()
    assert text.lstrip().startswith("Value") and "TotalCount" in text
    lines = [line.split() for line in text.split("\n") if re.match(r"\s*\d", line)]
    assert int(lines[-1][2]) == 500 and float(lines[-1][0]) == pytest.approx(run.latency["max"] * 1000, rel=0.002, abs=0.001)
    values = [float(line[0]) for line in lines]
    assert values == sorted(values)


@pytest.mark.parametrize("existed", [False, True])
def test_result_file_is_whole_or_not_there(load, plimsoll, start_target, tmp_path, existed):
    """C65: killed at any moment, no half a file, and an old one stays until the new one is whole."""
    target = start_target(OK)
    file = tmp_path / "out" / "result.json"
    file.parent.mkdir()
    outcomes = set()
    old = json.dumps({"old": True})
    for i in range(24):
        file.unlink(missing_ok=True)
        if existed:
            file.write_text(old)
        process = load.start("-c", "2", "-d", "100ms", "--warmup", "0s", target.url(), "--json", file)
        try:
            wait_until(lambda: not process.running() or _age_s(process) > 0.08 + 0.004 * i, "its moment", 5, 0.001)
            process.signal(signal.SIGKILL)
            process.finish(10)
        finally:
            process.close()
        if file.exists():
            doc = json.loads(file.read_text())
            outcomes.add("old" if "old" in doc else doc["format"])
        else:
            assert not existed
            outcomes.add("none")
    assert outcomes <= {"old", "none", "plimsoll-result"}


def _age_s(process):
    return time.monotonic() - process.started


def test_result_file_takes_its_place_by_rename(load, start_target, tmp_path):
    target = start_target(OK)
    trace = tmp_path / "trace"
    process = load.start("-c", "2", "-n", "20", target.url(), "--json", tmp_path / "result.json",
                         prefix=["strace", "-f", "-o", trace, "-e", "trace=openat,rename,renameat,renameat2,link,linkat,fsync,fdatasync"])
    assert process.finish(20).exit == 0
    text = trace.read_text()
    assert re.search(r"(rename|link)\w*\(.*result\.json", text), text[-2000:]
    assert not re.search(r'openat\([^"]*"[^"]*/result\.json", O_(WRONLY|RDWR)', text)
    laws.parse((tmp_path / "result.json").read_text())


UNITS_IN_HELP = [("--duration", "TIME"), ("--timeout", "TIME"), ("--connections", "N"), ("--max-errors", "SHARE"), ("--requests", "N"),
                 ("--drain", "TIME"), ("--percentiles", "LIST"), ("--warmup", "TIME"), ("--connect-timeout", "TIME")]


def test_help_names_each_option_and_its_argument(text_of_help):
    """C68."""
    for option, argument in UNITS_IN_HELP:
        assert re.search(re.escape(option) + "[= ]" + argument, text_of_help), option
    for word in ("200ms", "10s", "exit", "%"):
        assert word.lower() in text_of_help.lower(), word
    assert max(len(line) for line in text_of_help.split("\n")) <= 100


def test_every_figure_of_the_text_has_a_unit_and_a_name(plimsoll, start_target):
    """C68: columns nobody explained."""
    target = start_target(OK, reply("500 Oops"), when=["every=200:1"])
    done = run_process([plimsoll, "load", "--no-store", "-c", "4", "-n", "2000", target.url()], 30)
    assert done.exit == 0, done
    for word in ("requests/s", "latency", "service time", "connect", "wait", "receive", "mean", "p50", "p90", "p99", "p99.9", "max", "ok", "failed"):
        assert word in done.out.lower(), f"{word}\n{done.out}"
    for line in done.out.split("\n"):
        assert "nan" not in line.lower().split() and "inf" not in line.lower().split()
    latency = next(line for line in done.out.split("\n") if re.search(r"\bp50\b", line) or line.lower().startswith("latency"))
    assert latency


def test_no_progress_without_a_terminal(plimsoll, start_target):
    target = start_target(r"\{wait 1ms}" + OK)
    quiet = run_process([plimsoll, "load", "--no-store", "-d", "1500ms", "--json", "-", target.url()], 20)
    assert quiet.exit == 0 and "\r" not in quiet.err and "\x1b" not in quiet.err


def test_progress_for_programs(plimsoll, start_target):
    target = start_target(r"\{wait 1ms}" + OK)
    told = run_process([plimsoll, "load", "--no-store", "-d", "2500ms", "--progress", "json", "--json", "/dev/null", target.url()], 20)
    objects = [json.loads(line) for line in told.err.split("\n") if line.startswith("{")]
    assert len(objects) >= 2 and all(isinstance(o, dict) and o for o in objects)


def on_a_terminal(argv, limit_s):
    """What a terminal of 80 columns shows, and what went to standard output."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs) as child:
        os.close(theirs)
        pipe, end = child.stdout.fileno(), time.monotonic() + limit_s
        shown, open_ends = {ours: b"", pipe: b""}, [ours, pipe]
        while open_ends and time.monotonic() < end:
            for one in select.select(open_ends, [], [], 0.2)[0]:
                try:
                    got = os.read(one, 65536)
                except OSError:  # a terminal whose other end is gone
                    got = b""
                if not got:
                    open_ends.remove(one)
                shown[one] += got
        child.kill()
    os.close(ours)
    return shown[ours].decode(), shown[pipe].decode()


@pytest.mark.parametrize("option", [[], ["--progress", "none"]])
def test_progress_on_a_terminal(plimsoll, start_target, option):
    target = start_target(r"\{wait 1ms}" + OK, reply("500 Oops"), when=["every=200:1"])
    shown, out = on_a_terminal([plimsoll, "load", "--no-store", "-d", "2500ms", "--json", "-", *option, target.url()], 20)
    assert laws.parse(out)["valid"]
    progress = shown.split("VALID", 1)[0]
    assert ("\r" in progress.replace("\r\n", "\n")) == (not option), repr(progress[:300])
    if not option:
        for word in ("/s", "p50", "p99", "fail"):
            assert word in progress, f"{word}: {progress!r}"
        assert all(len(line) <= 80 for line in re.split(r"\r|\n|\x1b\[K", progress)), progress


def test_phases_and_intervals_cover_the_run(load, start_target):
    target = start_target(r"\{wait 1ms}" + OK)
    run = load("-c", "3", "-d", "2500ms", target.url(), server=target)
    intervals = run.doc["intervals"]
    assert [i["t_s"] for i in intervals[:3]] == pytest.approx([0, 1, 2], abs=0.01)
    assert intervals[2]["length_s"] == pytest.approx(0.5, abs=0.1)
    for interval in intervals[:3]:
        assert interval["in_flight"] == pytest.approx(3, abs=0.3)
    assert run.doc["phases"]["wait"]["count"] == run.totals["ok"]
