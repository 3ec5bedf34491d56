# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll rounds: what it says of rounds, held against what was published and against what was built in."""
import csv
import datetime
import io
import json
import os

import pytest

from lib.process import run as run_process

DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "push")


@pytest.fixture
def rounds(plimsoll, tmp_path):
    def one(*args, exit=0, limit=60):
        done = run_process([plimsoll, "rounds", *args], limit, cwd=tmp_path, env={"PLIMSOLL_DB": str(tmp_path / "results.db")})
        assert done.exit == exit, done
        return done
    return one


@pytest.fixture
def document(rounds):
    """The document of an import."""
    def one(*args, **options):
        return json.loads(rounds("import", "--json", "-", *args, **options).out)
    return one


def data(name):
    return os.path.join(DATA, name)


# What was published.

def test_four_platforms_side_by_side(rounds, document):
    doc = document(data("rounds.csv"))
    laws = [s["scaling"] for s in doc["series"]]
    assert [s["name"] for s in doc["series"]] == [
        f"api_cores={a} local_workers={w} cells={c}" for a, w, c in ((2, 2, 4), (4, 2, 4), (4, 4, 4), (4, 2, 8))]
    for law, peak in zip(laws, (35.1, 39.1, 62.7)):
        assert law["verdict"] == "fits" and law["extrapolated"]
        assert abs(law["peak_concurrency"] - peak) <= 1
        assert law["intervals"]["peak_concurrency"] is None  # one round of a size
    assert laws[3]["verdict"] == "does not fit" and laws[3]["peak_concurrency"] is None
    assert "16 at once took 27.2 s each, less than one alone (31.9 s)" in laws[3]["note"]
    text = rounds("import", data("rounds.csv")).out
    assert "Side by side" in text and "extrapolated" in text and "does not fit" in text


def test_averages_that_count_failures(document):
    doc = document(data("rounds.csv"))
    failed = {r["mean_s"]: r for r in doc["rounds"] if r["failed"]}
    assert set(failed) == {60.5985, 55.4847}
    assert abs(failed[55.4847]["mean_discounted_s"] - 59.18) < 0.005
    assert abs(failed[60.5985]["mean_discounted_s"] - 62.5) < 0.1
    assert sum("it is really 62.5533 s" in w for w in doc["warnings"]) == 1


@pytest.mark.parametrize("clause, exit, said", [
    ("mean<45s", 0, "kept up to 8 at once; 16 at once break it; by the law up to 15"),
    ("mean<30s", 1, "kept by no size"),
    ("errors<1%", 0, "kept up to 16 at once; 32 at once break it"),
])
def test_the_largest_number_that_keeps_a_promise(rounds, clause, exit, said):
    text = " ".join(rounds("import", "--slo", clause, data("rounds.csv"), exit=exit).out.split())
    assert f"{clause}: {said}" in text


def test_phases_of_the_published_logs(rounds, document):
    files = (f"1={data('push-single.log')}", f"32={data('push-of-32.log')}")
    doc = document(*files)
    alone, among = (r["copies"][0] for r in doc["rounds"])
    for copy, want in ((alone, {"upload app": 5, "download package": 2, "stage": 12, "upload droplet": 6, "start": 5}),
                       (among, {"create": 3, "upload app": 8, "download package": 3, "stage": 18, "upload droplet": 4, "start": 9.5})):
        for phase, seconds in want.items():
            assert abs(copy["phases"][phase] - seconds) <= 1, phase
    assert abs(alone["duration_s"] - 31) <= 1 and abs(among["duration_s"] - 47.5) <= 1
    sizes = {s["concurrency"]: s for s in doc["sizes"]}
    assert abs(sizes[32]["phases"]["stage"] - 18) <= 1 and sizes[1]["groups"] == {"transfers": 13} and sizes[32]["groups"] == {"transfers": 15}
    text = rounds("import", *files).out
    assert "stage takes most of the growth" in " ".join(text.split())
    saved = next(line.split() for line in text.splitlines() if line.startswith("  transfers (group)"))
    assert [float(saved[i]) for i in (2, 4)] == [13, 15]


@pytest.mark.parametrize("name, pattern, spread", [("direct", "evenly spread", 0.88), ("service", "all at once", 0.05)])
def test_how_sixteen_uploads_ended(document, name, pattern, spread):
    end = document(data(f"uploads-{name}-16.txt"))["rounds"][0]
    assert end["completion_pattern"] == pattern and abs(end["completion_spread"] - spread) < 0.005


# What was built in: a platform of so many cells, on paper.

PHASES = r"""
phases:
  - {name: upload, first: ^Uploading, last: ^OK, group: transfers}
  - {name: stage, first: ^Staging, last: ^Exit status, group: work}
  - {name: start, first: ^Starting, last: ^App started}
"""
UPLOAD, STAGE, START = 5.0, 12.0, 4.0


def push_log(path, begin, wait):
    """A push whose staging waited for a cell."""
    at = datetime.datetime(2026, 3, 1, 23, 59, 40) + datetime.timedelta(seconds=begin)  # midnight passes meanwhile
    lines = []
    for seconds, text in ((0, "Uploading app..."), (UPLOAD, "OK"), (0, "Staging app"), (wait + STAGE, "Exit status 0"),
                          (0, "Starting app"), (START, "App started")):
        at += datetime.timedelta(seconds=seconds)
        lines.append(f"{at:%H:%M:%S.%f} app {text}\n")
    path.write_text("".join(lines))


@pytest.fixture
def pool(tmp_path):
    """pool(cells): logs of rounds of 1 to 32 on that many cells, as words of the command line."""
    (tmp_path / "phases.yaml").write_text(PHASES)

    def one(cells):
        words = []
        for n in (1, 2, 4, 8, 16, 32):
            for i in range(n):
                path = tmp_path / f"{cells}-{n}-{i}.log"
                push_log(path, 0, (i // cells) * STAGE)
                words.append(f"{n}={path}")
        return ["--phases", str(tmp_path / "phases.yaml"), *words]
    return one


def mean_phase(doc, n, phase):
    copies = next(r for r in doc["rounds"] if r["concurrency"] == n)["copies"]
    return sum(c["phases"][phase] for c in copies) / len(copies)


def test_one_cell_is_contention_alone(rounds, document, pool):
    words = pool(1)
    doc = document(*words)
    for n in (1, 2, 4, 8, 16, 32):
        assert abs(mean_phase(doc, n, "stage") - STAGE * (n + 1) / 2) < 1e-6
        assert abs(mean_phase(doc, n, "upload") - UPLOAD) < 1e-6
    law = doc["series"][0]["scaling"]
    assert law["verdict"] == "fits" and law["peak_concurrency"] is None and law["rms"] < 1e-6
    assert abs(law["sigma"] - STAGE / 2 / (UPLOAD + STAGE + START)) < 1e-6 and law["kappa"] < 1e-9
    last = doc["rounds"][-1]
    assert last["completion_pattern"] == "evenly spread"
    text = " ".join(rounds("import", *words).out.split())
    assert "From 1 to 32 at once a copy takes 186.00 s longer; stage takes most of the growth: +186.00 s (100 %)." in text
    assert "more at once always get more done, though less and less" in text


def test_four_cells(document, pool):
    doc = document(*pool(4))
    by_size = {r["concurrency"]: r for r in doc["rounds"]}
    assert [by_size[n]["completion_pattern"] for n in (4, 32)] == ["all at once", "evenly spread"]
    assert abs(mean_phase(doc, 4, "stage") - STAGE) < 1e-6
    assert abs(mean_phase(doc, 32, "stage") - STAGE * 4.5) < 1e-6
    assert by_size[32]["mean_ok_s"] == pytest.approx(UPLOAD + START + STAGE * 4.5, abs=1e-6)
    assert by_size[32]["makespan_s"] == pytest.approx(UPLOAD + START + STAGE * 8, abs=1e-6)


def test_a_real_pool_of_one_cell(rounds, tmp_path):
    """The same, run and timed. A line may be read late, so limits are half of what was slept."""
    (tmp_path / "phases.yaml").write_text(PHASES)
    push = tmp_path / "push"
    push.write_text("#!/bin/sh\necho Uploading; sleep 0.05; echo OK\necho Staging; flock cell sleep 1; echo Exit status 0\n"
                    "echo Starting; sleep 0.05; printf 'App '; printf 'started'\n")
    push.chmod(0o755)
    done = rounds("--no-store", "-c", "1,4", "--phases", "phases.yaml", "--log-dir", "logs", "--json", "run.json", "--", "./push")
    doc = json.loads((tmp_path / "run.json").read_text())
    assert mean_phase(doc, 1, "stage") >= 0.5
    assert mean_phase(doc, 4, "stage") >= 2.5 / 2
    assert all("start" in c["phases"] for r in doc["rounds"] for c in r["copies"])  # its last line has no end
    assert "stage takes most of the growth" in " ".join(done.out.split())
    again = json.loads(rounds("import", "--phases", "phases.yaml", "--json", "-", "logs").out)
    for ours, read in zip(doc["rounds"], again["rounds"]):
        assert ours["concurrency"] == read["concurrency"]
        for a, b in zip(ours["copies"], read["copies"]):
            assert a["phases"] == pytest.approx(b["phases"], abs=1e-6)


def test_kept_logs_tell_how_copies_ended(rounds, document, tmp_path):
    """Also those that say something else, or nothing, and those that were not one program's time to run."""
    script = ("case {i} in 1) echo fine;; 2) kill -9 $$;; 3) echo hang; sleep 30;; "
              "4) printf '#plimsoll ended after 1.0 s: ok: exit 0\\n{\"t\": 1.0, \"end\": \"exit 0\", \"ok\": true}'; exit 7;; esac")
    rounds("--no-store", "-c", "4", "--timeout", "2s", "--log-dir", "logs", "--setup", "sh -c 'exit 1'", "--ignore-setup",
           "--json", "run.json", "--", "sh", "-c", script, exit=3)
    ran = json.loads((tmp_path / "run.json").read_text())["rounds"][0]
    assert [(c["exit"], c["signal"], c.get("failure")) for c in ran["copies"]] == [
        (0, None, None), (None, 9, "signal 9 (Killed)"), (None, 15, "timed out after 2.00 s"), (7, None, "exit 7")]
    read = document("logs")
    assert not any("do not tell" in w for w in read["warnings"])
    keys = ("exit", "signal", "failure", "last_lines")
    assert [[c.get(k) for k in keys] for c in read["rounds"][0]["copies"]] == [[c.get(k) for k in keys] for c in ran["copies"]]
    for ours, again in zip(ran["copies"], read["rounds"][0]["copies"]):
        assert again["duration_s"] == pytest.approx(ours["duration_s"], abs=1e-6)
    texts = document(*(f"logs/round-001/copy-00{i}.log" for i in (1, 2, 3, 4)))
    assert (texts["totals"]["ok"], texts["totals"]["failed"]) == (1, 3)
    assert [c.get("failure") for c in texts["rounds"][0]["copies"]] == [c.get("failure") for c in ran["copies"]]
    (tmp_path / "logs/round-001/copy-001.jsonl").write_text('{"t": 0.5, "stream": "stdout", "line": "fine"}\n')
    (tmp_path / "logs/round-001/copy-004.jsonl").write_text("")  # its turn never came
    cut = document("logs")
    assert (cut["totals"]["ok"], cut["totals"]["failed"]) == (1, 2)
    assert "1 of 3 logs do not tell how their copy ended" in " ".join(cut["warnings"])


# Forms.

def test_roundup_there_and_back(rounds, document, tmp_path):
    before = document(data("rounds.csv"))
    text = rounds("import", "--format", "roundup", data("rounds.csv")).out
    assert "Starting round of 32\nAverage 72.0588 seconds\n" in text and "\nRounds:\n1 32.1\n2 32.295\n" in text
    (tmp_path / "roundup.txt").write_text(text)
    after = document("roundup.txt")
    assert [s["name"] for s in before["series"]] == [s["name"] for s in after["series"]]
    assert [(r["series"], r["concurrency"], r["mean_s"]) for r in before["rounds"]] == \
        [(r["series"], r["concurrency"], r["mean_s"]) for r in after["rounds"]]


def test_csv_there_and_back(rounds, document, pool, tmp_path):
    before = document("--csv", "rounds.csv", *pool(4))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "rounds.csv").read_text())))
    assert len(rows) == 63 and float(rows[-1]["phase upload_s"]) == UPLOAD
    after = document("rounds.csv")
    assert [p["name"] for p in after["copy_phases"]] == ["upload", "stage", "start"]
    for a, b in zip(before["rounds"], after["rounds"]):
        assert (a["concurrency"], a["completion_pattern"]) == (b["concurrency"], b["completion_pattern"])
        assert a["mean_ok_s"] == pytest.approx(b["mean_ok_s"], abs=1e-8)


def test_a_failure_in_gnu_times_words_is_no_duration(document, tmp_path):
    (tmp_path / "d.txt").write_text("52.1\nCommand exited with non-zero status 1\n3.2\n60.3\n")
    one = document("d.txt")["rounds"][0]
    assert (one["ok"], one["failed"], one["mean_ok_s"], one["min_s"]) == (2, 1, pytest.approx(56.2), 52.1)
    assert [c["duration_s"] for c in one["copies"]] == [52.1, 3.2, 60.3]
    one = document("4=d.txt")["rounds"][0]  # four ran: each line is one
    assert (one["ok"], one["failed"], one["mean_ok_s"]) == (3, 1, pytest.approx(115.6 / 3))


def test_hyperfines_export(rounds, tmp_path):
    (tmp_path / "h.json").write_text(json.dumps({"results": [
        {"command": "sleep 0.1", "user": 0.001, "system": 0.002, "times": [0.1, 0.102, 0.101, 0.9], "exit_codes": [0] * 4}]}))
    text = rounds("import", "h.json").out
    assert "One at a time" in text and "1.00 ms user, 2.00 ms system" in text and "1 outlier" in text


def test_documents_side_by_side_and_compared(plimsoll, rounds, tmp_path):
    for name, seconds in (("four", 30), ("eight", 20)):
        lines = "".join(f"{n},{k},{seconds + n + 0.1 * k}\n" for k in (1, 2, 3) for n in (1, 2))
        (tmp_path / f"{name}.csv").write_text("concurrency,sample,average_s\n" + lines)
        rounds("import", "--json", f"{name}.json", "--label", f"cells={name}", "--name", "push", f"{name}.csv")
    text = rounds("import", "four.json", "eight.json").out
    assert "A  push cells=four" in text and "B  push cells=eight" in text
    done = run_process([plimsoll, "compare", "--metric", "mean_s", "--same-session", "--format", "json", "four.json", "eight.json"], 30,
                       cwd=tmp_path)
    cells = json.loads(done.out)["cells"]
    assert sorted(c["cell"]["concurrency"] for c in cells) == ["1", "2"]
    assert all(c["verdict"] == "improved" and c["samples_base"] == 3 for c in cells)


def test_phases_compared(plimsoll, rounds, tmp_path):
    for name, staging in (("old", 12), ("new", 9)):
        rows = "".join(f"2,{k},{copy},{staging + 5 + 0.1 * k + copy},{staging + 0.1 * k},5\n" for k in (1, 2, 3, 4) for copy in (1, 2))
        (tmp_path / f"{name}.csv").write_text("concurrency,sample,copy,duration_s,phase stage app_s,phase start_s\n" + rows)
        rounds("import", "--json", f"{name}.json", f"{name}.csv")
    done = run_process([plimsoll, "compare", "--metric", "phase_stage_app_s,phase_start_s", "--same-session", "--format", "json",
                        "old.json", "new.json"], 30, cwd=tmp_path)
    verdicts = {c["metric"]: (c["verdict"], c["base"]) for c in json.loads(done.out)["cells"]}
    assert verdicts["phase_stage_app_s"] == ("improved", pytest.approx(12.25, abs=0.01))
    assert verdicts["phase_start_s"][0] != "improved"


@pytest.mark.parametrize("content, said", [
    ("It took long.\n", "no line begins with a stamp of time"),
    ("concurrency,duration_s\n1,fast\n", "x:2: a number was expected, not \"fast\""),
    (None, "x"),
])
def test_what_can_not_be_read(rounds, tmp_path, content, said):
    if content is not None:
        (tmp_path / "x").write_text(content)
    assert said in rounds("import", "x", exit=2).err


def test_mistakes_in_a_list_of_phases_have_their_line(rounds, tmp_path):
    (tmp_path / "p.yaml").write_text("phases:\n  - name: a\n    frist: x\n")
    err = rounds("import", "--phases", "p.yaml", data("push-single.log"), exit=2).err
    assert "p.yaml:3: a phase has no key \"frist\"" in err
    assert "cf-push" in rounds("import", "--phases", "cf-psuh", data("push-single.log"), exit=2).err


def test_the_list_that_comes_along_is_the_file(plimsoll, document):
    """Built in, and beside the program's other data."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    given = document("--phases", os.path.join(root, "phases", "cf-push.yaml"), data("push-single.log"))
    named = document("--phases", "cf-push", data("push-single.log"))
    assert given["rounds"][0]["copies"] == named["rounds"][0]["copies"]
