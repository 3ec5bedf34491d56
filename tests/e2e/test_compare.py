# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll compare on documents that plimsoll load made, and on copies of them whose figures are known."""
import copy
import csv
import io
import json
import random
import uuid
import xml.etree.ElementTree as ElementTree

import pytest

from lib.process import run as run_process
from lib.target import OK, reply


@pytest.fixture(scope="module")
def document(load, target_program):
    """One real document, of which the tests make others by changing the figures that they are about."""
    from lib import target as targets
    server = targets.Target(target_program, OK)
    try:
        return load("-c", "2", "-n", "200", server.url("/a"), server=server).doc
    finally:
        server.process.close()


@pytest.fixture
def write(document, tmp_path):
    """write(name, rate, minute=…, **changes): a document with that many requests/s; returns its path."""
    def one(name, rate, minute=0, labels=None, connections=None, valid=True, reasons=(), **totals):
        doc = copy.deepcopy(document)
        doc["id"] = str(uuid.uuid4())
        doc["started"] = f"2026-03-{1 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00.000Z"
        doc["totals"]["requests_per_s"] = rate
        doc["totals"].update(totals)
        doc["labels"] = labels or {}
        doc["valid"], doc["reasons"] = valid, list(reasons)
        if connections is not None:
            doc["config"]["connections"] = connections
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(doc))
        return path
    return one


@pytest.fixture
def compare(plimsoll, tmp_path):
    def one(*args, exit=None):
        done = run_process([plimsoll, "compare", *args], 30, cwd=tmp_path)
        if exit is not None:
            assert done.exit == exit, done
        return done
    return one


def as_json(done):
    return json.loads(done.out)


def in_turn(write, base, new, **options):
    for i, (b, n) in enumerate(zip(base, new)):
        write(f"base/{i}.json", b, minute=4 * i, **options)
        write(f"new/{i}.json", n, minute=4 * i + 2, **options)


def test_a_slower_target_has_regressed(plimsoll, start_target, tmp_path):
    """The whole way: two targets, one of them slower, measured in turn; no figure is made up.

    The times are long against what a busy machine adds to a request (some ms), and requests are counted, not seconds:
    a window of a few round trips would round the rate."""
    fast, slow = start_target(r"\{wait 40ms}" + OK), start_target(r"\{wait 80ms}" + OK)
    for i in range(4):
        for side, target in (("a", fast), ("b", slow)):
            done = run_process([plimsoll, "load", "--no-store", "-c", "4", "-n", "40", "--json", tmp_path / f"{side}{i}.json",
                                target.url()], 20)
            assert done.exit == 0, done
    done = run_process([plimsoll, "compare", "--format", "json", tmp_path / "a*.json", tmp_path / "b*.json"], 20)
    answer = as_json(done)
    assert done.exit == 1 and answer["design"] == "interleaved", done
    assert answer["summary"]["regressed"] == 1
    assert -0.6 < answer["cells"][0]["change"] < -0.3
    back = as_json(run_process([plimsoll, "compare", "--format", "json", tmp_path / "b*.json", tmp_path / "a*.json"], 20))
    assert back["summary"]["improved"] == 1
    assert 1 + back["cells"][0]["change"] == pytest.approx(1 / (1 + answer["cells"][0]["change"]))


def test_in_turn_the_drift_falls_out(write, compare):
    """C79: the machine slows by 10 %, A = B."""
    noise = random.Random(79)
    rates = [1000 * (1 - 0.1 * i / 40) * (1 + noise.gauss(0, 0.002)) for i in range(40)]
    in_turn(write, rates[0::2], rates[1::2])
    answer = as_json(compare("--format", "json", "base", "new", exit=0))
    assert abs(answer["cells"][0]["change"]) < 0.01
    assert answer["cells"][0]["verdict"] == "unchanged" and answer["cells"][0]["samples_base"] == 20


def test_two_noisy_samples_are_inconclusive(write, compare):
    """C78."""
    in_turn(write, [1000, 1080], [970, 1030])
    done = compare("base", "new", exit=0)
    assert "inconclusive" in done.out and "regressed" not in done.out.replace("shown to regress", "")
    compare("--strict", "base", "new", exit=4)


def test_one_sample_cannot_tell(write, compare):
    done = compare(write("a.json", 1000), write("b.json", 500, minute=1), exit=0)
    assert "cannot tell" in done.out and "-50.0 %" in done.out
    compare("--strict", "a.json", "b.json", exit=4)


def test_separate_sessions_are_suspect_at_most(write, compare):
    for i in range(5):
        write(f"base/{i}.json", 1000 + i, minute=i)
        write(f"new/{i}.json", 700 + i, minute=1440 + i)
    answer = as_json(compare("--format", "json", "base", "new", exit=0))
    assert answer["cells"][0]["verdict"] == "suspect" and answer["overall"]["p"] is None
    done = compare("base", "new")
    assert "separate sessions" in done.out and "--history" in done.out
    compare("--strict", "base", "new", exit=4)
    compare("--same-session", "base", "new", exit=1)


def test_a_history_of_unchanged_code_settles_it(write, compare):
    for i in range(5):
        write(f"base/{i}.json", 1000 + i, minute=i)
        write(f"new/{i}.json", 700 + i, minute=1440 + i)
    history = []
    for day, factor in enumerate((1.0, 1.01, 0.99, 1.005)):
        for i in range(5):
            write(f"day{day}/{i}.json", factor * 1000 + i, minute=1440 * (2 + day) + i)
        history += ["--history", f"day{day}"]
    compare(*history, "base", "new", exit=1)
    compare(*history[:4], "base", "new", exit=0)  # two are no history
    for i in range(5):
        write(f"new/{i}.json", 1004 + i, minute=1440 + i)
    answer = as_json(compare(*history, "--format", "json", "base", "new", exit=0))
    assert answer["cells"][0]["verdict"] in ("unchanged", "inconclusive")


def test_labels_say_the_rounds_and_the_session(write, compare):
    for i in range(5):
        write(f"base/{i}.json", 1000 + 50 * i, minute=i, labels={"round": str(i), "session": "s"})
        write(f"new/{i}.json", 900 + 46 * i, minute=100 + i, labels={"round": str(i), "session": "s"})
    assert as_json(compare("--format", "json", "base", "new", exit=1))["design"] == "interleaved"


def test_what_varies_within_a_side_is_a_cell(write, compare):
    for connections in (10, 50):
        for i in range(4):
            worse = 0.8 if connections == 50 else 1
            write(f"base/{connections}-{i}.json", 1000 + i, minute=4 * i, connections=connections)
            write(f"new/{connections}-{i}.json", worse * 1000 + i, minute=4 * i + 2, connections=connections)
    answer = as_json(compare("--format", "json", "base", "new", exit=1))
    verdicts = {cell["cell"]["connections"]: cell["verdict"] for cell in answer["cells"]}
    assert verdicts == {"10": "unchanged", "50": "regressed"}
    assert "1 of 2 cells regressed, worst 50: -2" in compare("base", "new").out


def test_a_cell_without_its_other_side_is_missing(write, compare):
    for i in range(3):
        write(f"base/{i}.json", 1000 + i, minute=4 * i, connections=10)
        write(f"new/{i}.json", 1000 + i, minute=4 * i + 2, connections=10)
        write(f"base/more{i}.json", 1000 + i, minute=4 * i, connections=50)
    answer = as_json(compare("--format", "json", "base", "new", exit=3))
    assert answer["summary"]["missing"] == 1


def test_another_workload_is_not_comparable(write, compare):
    for i in range(3):
        write(f"base/{i}.json", 1000 + i, minute=4 * i, connections=10)
        write(f"new/{i}.json", 1000 + i, minute=4 * i + 2, connections=50)
    done = compare("base", "new", exit=3)
    assert "not comparable" in done.out and "connections: 10 in base, 50 in new" in done.out
    compare("--by", "path", "base", "new", exit=0)


def test_other_machines_are_told(write, compare, tmp_path):
    in_turn(write, [1000, 1001, 1002], [1000, 1001, 1002])
    for file in (tmp_path / "new").iterdir():
        doc = json.loads(file.read_text())
        doc["host"]["cpu"], doc["host"]["cpus"] = "Another CPU", 64
        file.write_text(json.dumps(doc))
    done = compare("base", "new", exit=0)
    assert "load generator's cpus" in done.out and "64 in new" in done.out and "Another CPU" in done.out


def test_an_invalid_run_is_refused(write, compare):
    """C69."""
    in_turn(write, [1000, 1001, 1002], [1000, 1001, 1002])
    write("new/1.json", 1001, minute=6, valid=False, reasons=["12.0 % of the requests failed"])
    done = compare("base", "new", exit=3)
    assert "invalid" in done.out and "12.0 % of the requests failed" in done.out


def test_failures_that_are_new_are_shown(plimsoll, start_target, tmp_path):
    """A status class that was not there, whatever the latency says."""
    good, bad = start_target(OK), start_target(OK, reply("503 Busy"), when=["every=200:1"])
    for i in range(3):
        for side, target in (("a", good), ("b", bad)):
            done = run_process([plimsoll, "load", "--no-store", "-c", "2", "-n", 900 + 100 * i, "--json", tmp_path / f"{side}{i}.json",
                                target.url()], 20)
            assert done.exit == 0, done
    done = run_process([plimsoll, "compare", tmp_path / "a*.json", tmp_path / "b*.json"], 20)
    assert "status 5xx was not there before: 15 in new, none in base" in done.out, done
    assert "base 0 of 3,000 requests, new 15 of 3,000" in done.out
    answer = as_json(run_process([plimsoll, "compare", "--format", "json", tmp_path / "a*.json", tmp_path / "b*.json"], 20))
    share = [cell for cell in answer["cells"] if cell["metric"] == "error_share"]
    assert share and share[0]["verdict"] == "regressed" and share[0]["change"] == pytest.approx(0.005, abs=4e-4)
    assert {"what": "status 5xx", "base": 0, "new": 15} in answer["seen"]


RULES = [{"json_path": "connections/*/avg(requests_per_s)", "tolerancy": -10, "max_failures": 0}]


def test_tolerance_rules(write, compare, tmp_path):
    for connections, rate in ((10, 950), (50, 880)):
        write(f"base/{connections}.json", 1000, connections=connections)
        write(f"new/{connections}.json", rate, minute=1, connections=connections)
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES))
    done = compare("--tolerance", rules, "--alias", "v1,v2", "base", "new", exit=1)
    assert "-12.00%" in done.out and "Fail" in done.out and "Pass" in done.out
    assert "Largest deviation: -12.00% in 50" in done.out
    header = next(line for line in done.out.splitlines() if line.startswith("| connections"))
    assert [word.strip() for word in header.strip("|").split("|")] == ["connections", "metric", "result", "verdict", "deviation", "v1", "v2"]
    rules.write_text("- json_path: connections/*/avg(requests_per_s)\n  tolerancy: -10\n  max_failures: 50\n")
    compare("--tolerance", rules, "base", "new", exit=0)
    rules.write_text(json.dumps([dict(RULES[0], json_path="connections/11/requests_per_s")]))
    assert "matches nothing" in compare("--tolerance", rules, "base", "new", exit=1).out
    answer = as_json(compare("--format", "json", "base", "new"))
    assert {cell["tolerance"] for cell in answer["cells"]} == {None}


def test_every_form_says_the_same(write, compare, tmp_path):
    in_turn(write, [1000, 1002, 998, 1001], [850, 852, 848, 849])
    answer = as_json(compare("--format", "json", "base", "new", exit=1))
    for name in ("base", "new", "metric", "min_change", "summary", "overall", "cells"):
        assert name in answer
    cell = answer["cells"][0]
    for name in ("cell", "metric", "base", "new", "change", "interval", "p_adjusted", "verdict", "tolerance", "samples_base",
                 "samples_new", "samples_needed"):
        assert name in cell
    assert cell["interval"][0] < cell["change"] < cell["interval"][1]
    rows = list(csv.DictReader(io.StringIO(compare("--format", "csv", "base", "new", exit=1).out)))
    assert rows[0]["verdict"] == "regressed" and float(rows[0]["change"]) == pytest.approx(cell["change"])
    suite = ElementTree.fromstring(compare("--format", "junit", "base", "new", exit=1).out).find("testsuite")
    assert suite.get("tests") == "1" and suite.get("failures") == "1" and suite.find("testcase/failure") is not None
    markdown = compare("--format", "markdown", "base", "new", exit=1).out
    assert "**regressed**" in markdown and "| requests/s |" in markdown
    done = compare("--format", "json", "-o", "out.json", "base", "new", exit=1)
    assert done.out == "" and json.loads((tmp_path / "out.json").read_text())["cells"] == answer["cells"]
    text = compare("base", "new", exit=1).out
    assert "regressed" in text and "-15." in text
    strip = next(line for line in text.splitlines() if line.rstrip().endswith("|"))
    assert strip.count("o") + strip.count("x") + strip.count("8") >= 3


def test_more_than_two_sides(write, compare):
    for i in range(4):
        write(f"v1/{i}.json", 1000 + i, minute=6 * i)
        write(f"v2/{i}.json", 1001 + i, minute=6 * i + 2)
        write(f"v3/{i}.json", 801 + i, minute=6 * i + 4)
    answers = as_json(compare("--alias", "one,two,three", "--format", "json", "v1", "v2", "v3", exit=1))
    assert [(a["base"], a["new"], a["cells"][0]["verdict"]) for a in answers] == [("one", "two", "unchanged"), ("one", "three", "regressed")]
    compare("--alias", "one,two", "v1", "v2", "v3", exit=2)
    done = compare("v1/0.json", "v1/1.json", "v2/0.json", exit=0)
    assert "quote a pattern" in done.err


def test_names_of_others_do_not_reach_the_terminal(write, compare, tmp_path):
    for i in range(2):
        for value in ("a\x1b[31m|b", "<c>&\""):
            write(f"base/{i}{len(value)}.json", 1000 + i, minute=4 * i, labels={"k": value})
            write(f"new/{i}{len(value)}.json", 1000 + i, minute=4 * i + 2, labels={"k": value})
    assert "\x1b" not in compare("base", "new").out
    assert "\x1b" not in compare("--format", "markdown", "base", "new").out
    ElementTree.fromstring(compare("--format", "junit", "base", "new").out)
    assert {c["cell"]["k"] for c in as_json(compare("--format", "json", "base", "new"))["cells"]} == {"a\x1b[31m|b", "<c>&\""}


@pytest.mark.parametrize("why, args, says", [
    ("nothing at all", [], "no BASE"),
    ("no NEW", ["a.json"], "no NEW"),
    ("--new and NEW", ["a.json", "--new", "b.json", "b.json"], "one path too many"),
    ("no such file", ["a.json", "none.json"], "none.json"),
    ("an empty folder", ["a.json", "empty"], "empty"),
    ("no document", ["a.json", "junk.json"], "junk.json"),
    ("an unknown metric", ["--metric", "speed", "a.json", "b.json"], "speed"),
    ("an unknown label", ["--by", "colour", "a.json", "b.json"], "colour"),
    ("an unknown form", ["--format", "xml", "a.json", "b.json"], "junit"),
    ("no share", ["--min-change", "300%", "a.json", "b.json"], "--min-change"),
    ("one alias", ["--alias", "x", "a.json", "b.json"], "--alias"),
    ("rules that are no rules", ["--tolerance", "junk.json", "a.json", "b.json"], "junk.json"),
    ("totals that contradict each other", ["a.json", "torn.json"], "torn.json: figures contradict each other: total: "),
    ("the same run twice", ["--base", "a.json", "--base", "a.json", "--new", "b.json"], "same run"),
])
def test_bad_input_is_refused(write, compare, tmp_path, why, args, says):
    write("a.json", 1000)
    write("b.json", 1000, minute=1)
    (tmp_path / "junk.json").write_text('{"a": 1}')
    (tmp_path / "empty").mkdir()
    write("torn.json", 1000, minute=2, started=123456)
    done = compare(*args, exit=2)
    assert says in done.err and not done.out, why
