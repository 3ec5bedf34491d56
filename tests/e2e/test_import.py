# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of other tools, compared as they are: nothing is converted by hand."""
import csv
import json
import pathlib
import shutil
import subprocess

import pytest

from lib.process import run as run_process

DATA = pathlib.Path(__file__).parent.parent / "data"
PUBLISHED_CELLS = 30


@pytest.fixture
def compare(plimsoll, tmp_path):
    def one(*args, exit=None):
        done = run_process([plimsoll, "compare", *args], 30, cwd=tmp_path)
        if exit is not None:
            assert done.exit == exit, done
        return done
    return one


@pytest.mark.parametrize("name", ["tables.txt", "deviation.csv"])
def test_a_published_comparison_of_unchanged_software(compare, tmp_path, name):
    """30 cells, one number a side: a tolerance of -10 % passes them all, and nothing can be told. The file is both sides."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("- json_path: [test_type, '*', routes, '*', conn_per_targetroute, '*', keepalive, '*', avg(requests_per_second)]\n"
                     "  tolerancy: -10\n")
    done = compare("--tolerance", rules, DATA / "router" / name, exit=0)
    assert "cannot tell (30 of 30 cells)" in done.out
    assert "Overall shift: +1.5 %" in done.out
    assert done.out.count("|  Pass  |") == PUBLISHED_CELLS and "Fail" not in done.out
    assert "Largest deviation: 9.53% in http/500/1/1" in done.out
    answer = json.loads(compare("--format", "json", DATA / "router" / name, exit=0).out)
    assert answer["summary"]["inconclusive"] == PUBLISHED_CELLS
    assert {cell["verdict"] for cell in answer["cells"]} == {"inconclusive"}
    with open(DATA / "router" / "deviation.csv", newline="") as file:
        for row in csv.DictReader(file):
            cell = next(c for c in answer["cells"] if c["cell"] == {k: row[k] for k in
                        ("test_type", "routes", "conn_per_targetroute", "keepalive")})
            assert cell["values_base"] == [float(row["baseline"])] and cell["values_new"] == [float(row["new"])]
            assert round(100 * cell["change"], 2) == pytest.approx(float(row["deviation_percent"]), abs=0.011)


def test_a_broken_tolerance_is_found_in_an_imported_report(compare, tmp_path):
    rules = tmp_path / "rules.yaml"
    rules.write_text("- json_path: [test_type, http, routes, '*', conn_per_targetroute, '*', keepalive, '*', avg(requests_per_second)]\n"
                     "  tolerancy: -5\n")
    done = compare("--tolerance", rules, DATA / "router" / "tables.txt", exit=1)
    assert done.out.count("|  Fail  |") == 2


def test_all_reports_of_ab_are_read(compare):
    for path in sorted((DATA / "ab").glob("*.txt")):
        answer = json.loads(compare("--format", "json", "--metric", "requests_per_s,latency_mean", path, path).out)
        assert answer["cells"][0]["base"] > 0, path


def test_reports_of_ab_become_samples_of_one_cell(compare, tmp_path):
    """Files of any names: they are samples, not cells of their own."""
    text = (DATA / "ab" / "gateway-load-echo.txt").read_text()
    for side, rates in (("a", (332.60, 331.20, 333.10)), ("b", (233.00, 231.00, 234.00))):
        for i, rate in enumerate(rates):
            changed = text.replace("332.60 [#/sec]", f"{rate:.2f} [#/sec]").replace("30.066 seconds", f"{10000 / rate:.3f} seconds")
            (tmp_path / f"{side}-{i}.txt").write_text(changed)
    done = compare("--same-session", "--format", "json", "a-*.txt", "b-*.txt", exit=1)
    answer = json.loads(done.out)
    assert len(answer["cells"]) == 1 and answer["cells"][0]["verdict"] == "regressed"
    assert answer["cells"][0]["values_base"] == [332.6, 331.2, 333.1]


def test_copies_of_a_report_count_once(compare, tmp_path):
    for name in ("a1.txt", "a2.txt"):
        shutil.copy(DATA / "ab" / "gateway-load-echo.txt", tmp_path / name)
    done = compare("a*.txt", DATA / "ab" / "gateway-load-rest.txt", exit=2)
    assert "holds the same run as" in done.err


def test_reports_of_two_tools_are_two_cells(compare, tmp_path):
    """wrk and hey measured the same: side by side, each held against its own."""
    for side in ("base", "new"):
        (tmp_path / side).mkdir()
        for name in ("wrk-latency.txt", "hey.txt"):
            text = (DATA / "tools" / name).read_text()
            (tmp_path / side / name).write_text(text.replace("20.37ms", "20.38ms").replace("0.0015", "0.0016") if side == "new" else text)
    answer = json.loads(compare("--format", "json", "--metric", "latency_p99", "--by", "tool", "base/*", "new/*", exit=0).out)
    assert {cell["cell"]["tool"]: cell["values_new"] for cell in answer["cells"]} == {"wrk": [0.00994], "hey": [0.0052]}


@pytest.mark.parametrize("tool, argv", [
    ("ab", ["ab", "-q", "-n", "300", "-c", "3", "-k", "URL"]),
    ("wrk", ["wrk", "-t1", "-c2", "-d1s", "--latency", "URL"]),
    ("h2load", ["h2load", "--h1", "-n", "300", "-c", "3", "URL"]),
    ("hey", ["hey", "-n", "300", "-c", "3", "URL"]),
])
def test_what_the_tools_of_this_machine_print(compare, nginx, tmp_path, tool, argv):
    """Run now, against nginx, and read as it is."""
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    done = subprocess.run([nginx.url() if word == "URL" else word for word in argv], capture_output=True, text=True, timeout=60)
    (tmp_path / "report.txt").write_text(done.stdout)
    done = compare("--format", "json", "report.txt", "report.txt")
    assert done.exit == 0, (done, (tmp_path / "report.txt").read_text())
    answer = json.loads(done.out)
    assert answer["cells"][0]["base"] > 0
    assert answer["base"] == "report.txt"


@pytest.mark.parametrize("why, name, text, said", [
    ("one side only", "one.csv", "test_type,metric,result,deviation,a\nhttp,avg(x),Pass,,5\n", "no NEW was given"),
    ("of no known format", "notes.txt", "we measured, it was fast\n", "of no known format"),
    ("cut off", "cut.txt", "Running 10s test @ http://h/\n  2 threads and 4 connections\n", "cut off"),
])
def test_what_is_no_comparison_is_refused(compare, tmp_path, why, name, text, said):
    (tmp_path / name).write_text(text)
    done = compare(name, exit=2)
    assert said in done.err and name in done.err, why
