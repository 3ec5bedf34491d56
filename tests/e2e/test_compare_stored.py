# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll compare on stored runs: sides by tag, name and id; sessions of unchanged code from the store; what a comparison is worth."""
import copy
import json
import random
import uuid

import pytest

from lib import target as targets
from lib.process import run as run_process
from lib.target import OK


@pytest.fixture(scope="module")
def document(load, target_program):
    server = targets.Target(target_program, OK)
    try:
        return load("-c", "2", "-n", "200", server.url("/a"), server=server).doc
    finally:
        server.process.close()


@pytest.fixture
def run(plimsoll, tmp_path):
    """run("compare", …) with a store of its own."""
    def one(*args, exit=0):
        done = run_process([plimsoll, *args], 60, cwd=tmp_path, env={"PLIMSOLL_DB": str(tmp_path / "results.db")})
        if exit is not None:
            assert done.exit == exit, done
        return done
    return one


@pytest.fixture
def store(document, run, tmp_path):
    """store(name, rates, minute=…): a stored run for each figure, two minutes apart; returns their ids."""
    def one(name, rates, minute=0, labels=None, connections=None, path=None):
        folder = tmp_path / f"docs-{uuid.uuid4()}"
        folder.mkdir()
        ids = []
        for i, rate in enumerate(rates):
            doc = copy.deepcopy(document)
            at = minute + 2 * i
            doc.update(id=str(uuid.uuid4()), name=name, labels=labels or {},
                       started=f"2026-03-{1 + at // 1440:02d}T{at // 60 % 24:02d}:{at % 60:02d}:00.000Z")
            doc["totals"]["requests_per_s"] = rate
            if connections is not None:
                doc["config"]["connections"] = connections
            if path is not None:
                doc["targets"][0]["url"] = doc["targets"][0]["url"].rsplit("/", 1)[0] + path
            (folder / f"{i}.json").write_text(json.dumps(doc))
            ids.append(doc["id"])
        run("results", "import", folder)
        return ids
    return one


def as_json(done):
    return json.loads(done.out)


def noisy(seed, n, mean=1000.0, noise=0.01):
    source = random.Random(seed)
    return [mean * (1 + source.gauss(0, noise)) for _ in range(n)]


def test_sides_are_named_by_tag_name_and_id(run, store):
    """In turn, as the starts say: the answer is the same by whatever name, and that of the files."""
    base, new = store("v1", [1000, 1002, 998, 1001], 0), store("v2", [850, 852, 848, 849], 1)
    run("results", "tag", "v1", "baseline")
    run("results", "export", "v1", "-o", "v1.json")
    answers = [as_json(run("compare", "--format", "json", *sides, exit=1)) for sides in
               (("v1", "v2"), ("baseline", "v2"), ("v1.json", "v2"), sum((["--base", b[:12]] for b in base), []) + sum((["--new", n] for n in new), []))]
    assert answers[0]["base"] == "v1" and answers[0]["new"] == "v2" and answers[0]["design"] == "interleaved"
    for answer in answers:
        assert answer["cells"] == answers[0]["cells"] and answer["summary"]["regressed"] == 1
    one = as_json(run("compare", "--format", "json", "v1@latest", "v2@-2"))
    cell = one["cells"][0]
    assert (cell["samples_base"], cell["samples_new"]) == (1, 1)
    assert cell["base"] == pytest.approx(1001) and cell["new"] == pytest.approx(848)


def test_a_run_counts_once(run, store):
    ids = store("v1", [1000, 1001])
    store("v2", [1000, 1001], 100)
    run("results", "export", ids[0], "-o", "copy.json")
    for words in (["--base", ids[0], "--base", "v1"], ["--base", "copy.json", "--base", ids[0]]):
        assert "same run" in run("compare", *words, "--new", "v2", exit=2).err


def test_no_such_run(run, store):
    assert "nothing is stored yet" in run("compare", "a", "b", exit=2).err
    store("v1", [1000])
    assert 'there is no run "v9"' in run("compare", "v1", "v9", exit=2).err


def sessions_of_unchanged_code(run, store, factors, **options):
    """A session a day, five samples each; every run is tagged."""
    for day, factor in enumerate(factors):
        store("same", [factor * rate for rate in noisy(day, 5, noise=0.002)], 1440 * (5 + day), **options)
    run("results", "tag", "--same-code", "same", "unchanged")


def test_sessions_of_unchanged_code_come_from_the_store(run, store):
    """Without them a drop of 30 % between two days is suspect at most; with three, it has regressed."""
    store("last", noisy(10, 5, 1000, 0.002), 0)
    store("today", noisy(11, 5, 700, 0.002), 1440)
    assert as_json(run("compare", "--format", "json", "last", "today"))["cells"][0]["verdict"] == "suspect"
    sessions_of_unchanged_code(run, store, [1.0, 1.01])
    assert as_json(run("compare", "--format", "json", "last", "today"))["cells"][0]["verdict"] == "suspect"
    store("same", noisy(12, 5, 990, 0.002), 1440 * 9)
    run("results", "tag", "--same-code", "same@latest", "unchanged")
    assert as_json(run("compare", "--format", "json", "last", "today", exit=1))["cells"][0]["verdict"] == "regressed"
    assert as_json(run("compare", "--no-store", "--format", "json", "last", "today"))["cells"][0]["verdict"] == "suspect"


def test_sessions_that_did_something_else_are_no_history(run, store):
    store("last", noisy(10, 5, 1000, 0.002), 0)
    store("today", noisy(11, 5, 700, 0.002), 1440)
    sessions_of_unchanged_code(run, store, [1.0, 1.01, 0.99], connections=17)
    assert as_json(run("compare", "--format", "json", "last", "today"))["cells"][0]["verdict"] == "suspect"


def test_a_common_shift_of_a_day_is_no_regression(run, store):
    """Sessions that differ by 3 %: a fall by 4 % from one day to the next says nothing."""
    sessions_of_unchanged_code(run, store, [1.0, 1.03, 0.97, 1.02, 0.98])
    store("last", noisy(20, 5, 1000, 0.002), 0)
    store("today", noisy(21, 5, 960, 0.002), 1440)
    assert as_json(run("compare", "--format", "json", "last", "today"))["summary"].get("regressed", 0) == 0


def test_a_baseline_of_several_sessions(run, store):
    """A tag of unchanged code as the base: its sessions are its own, and tell how much days differ."""
    sessions_of_unchanged_code(run, store, [1.0, 1.01, 0.99, 1.005])
    store("today", noisy(30, 5, 700, 0.002), 0)
    answer = as_json(run("compare", "--format", "json", "unchanged", "today", exit=1))
    assert answer["design"] == "separate sessions" and answer["cells"][0]["verdict"] == "regressed"


def test_a_damaged_store_does_not_keep_files_from_being_compared(run, store, tmp_path):
    store("v1", [1000, 1001])
    run("results", "export", "v1@latest", "-o", "a.json")
    run("results", "export", "v1@-2", "-o", "b.json")
    (tmp_path / "results.db").write_bytes(b"no database" * 1000)
    done = run("compare", "a.json", "b.json")
    assert "are left out" in done.err and "cannot tell" in done.out


def test_targets_as_cells(plimsoll, start_target, run, tmp_path):
    """Two targets of a run; one of them gets slower."""
    fast, slow = start_target(r"\{wait 1ms}" + OK), start_target(r"\{wait 12ms}" + OK)
    for i in range(3):
        for side, second in (("a", fast), ("b", slow)):
            done = run_process([plimsoll, "load", "--no-store", "-c", "1", "-d", "300ms", "--json", tmp_path / f"{side}{i}.json",
                                fast.url("/one"), second.url("/two")], 20)
            assert done.exit == 0, done
    answer = as_json(run("compare", "--per-target", "--format", "json", "a*.json", "b*.json", exit=1))
    verdicts = {cell["cell"]["target"]: cell["verdict"] for cell in answer["cells"]}
    assert set(verdicts) == {"/one", "/two"} and verdicts["/two"] == "regressed" and verdicts["/one"] != "regressed"


def test_rounds_are_compared_from_the_store(run, plimsoll):
    """Cell = concurrency, sample = round."""
    for name, pause in (("fast", "0.05"), ("slow", "0.15")):
        run("rounds", "--concurrency", "1,2", "--samples", "3", "--name", name, "--", "sleep", pause)
    answer = as_json(run("compare", "--same-session", "--format", "json", "fast", "slow", exit=1))
    assert {cell["cell"]["concurrency"] for cell in answer["cells"]} == {"1", "2"}
    assert all(cell["samples_base"] == 3 for cell in answer["cells"])
    assert answer["metric"] == "mean_ok_s"


def test_calibration_of_sessions(run, store):
    """Quiet sessions: hardly an alarm, and a small change is found; noisy days: only a large one."""
    sessions_of_unchanged_code(run, store, [1.0, 1.004, 0.996, 1.002, 0.998, 1.003])
    quiet = as_json(run("compare", "--calibrate", "--format", "json"))
    assert quiet["sessions"] == 6 and quiet["runs"] == 30
    metric = quiet["metrics"][0]
    assert metric["metric"] == "requests_per_s" and metric["comparisons"] == 15
    assert metric["false_alarms"] == 0 and 0.02 < metric["found_change"] < 0.1
    run("results", "rm", "--yes", "same")
    sessions_of_unchanged_code(run, store, [1.0, 1.08, 0.92, 1.05, 0.95, 1.04])
    noisy_days = as_json(run("compare", "--calibrate", "--format", "json"))["metrics"][0]
    assert noisy_days["found_change"] > 2 * metric["found_change"]
    text = run("compare", "--calibrate", "unchanged").out
    assert "cried wolf" in text and "6 sessions" in text and "requests/s" in text


def test_calibration_within_a_session(run, store):
    """Ten samples dealt to two sides, 200 times; the same answer each time."""
    store("same", noisy(40, 10, 1000, 0.01))
    first, second = (as_json(run("compare", "--calibrate", "--no-store", "--format", "json", "same")) for _ in range(2))
    assert first == second and first["sessions"] == 1
    metric = first["metrics"][0]
    assert metric["comparisons"] == 200 and metric["false_alarm_share"] < 0.2 and 0.005 < metric["found_change"] < 0.2


def test_too_little_for_a_calibration(run, store):
    assert "no run of unchanged code" in run("compare", "--calibrate", exit=2).err
    store("same", [1000, 1001])
    assert "too few" in run("compare", "--calibrate", "same", exit=2).err


def test_one_side_alone_is_told(run):
    done = run("compare", "baseline", exit=2)
    assert "nothing to compare baseline with" in done.err and "plimsoll compare baseline NEW" in done.err, done
    assert "cannot open" in run("compare", "tables.txt", exit=2).err
