# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll results: what load keeps, and what can be done with it. The store is also read with SQLite itself."""
import copy
import csv
import io
import json
import os
import pty
import resource
import signal
import sqlite3
import subprocess
import time
import uuid

import pytest

from lib import target as targets
from lib.process import run as run_process
from lib.target import OK


@pytest.fixture(scope="module")
def document(load, target_program):
    """One real document, of which the tests make others."""
    server = targets.Target(target_program, OK)
    try:
        return load("-c", "2", "-n", "100", "--name", "real", server.url("/a"), server=server).doc
    finally:
        server.process.close()


@pytest.fixture
def db(tmp_path):
    return tmp_path / "store" / "results.db"


@pytest.fixture
def results(plimsoll, tmp_path, db):
    def one(*args, exit=0, env=None, stdin=b""):
        done = run_process([plimsoll, "results", *args], 60, cwd=tmp_path, env={"PLIMSOLL_DB": str(db), **(env or {})}, stdin=stdin)
        if exit is not None:
            assert done.exit == exit, done
        return done
    return one


@pytest.fixture
def write(document, tmp_path):
    """write(name, …): a document of that name as a file; returns its path."""
    def one(name, started="2026-03-01T10:00:00.000Z", labels=None, rate=None, file=None):
        doc = copy.deepcopy(document)
        doc.update(id=str(uuid.uuid4()), name=name, started=started, labels=labels or {})
        if rate is not None:
            doc["totals"]["requests_per_s"] = rate
        path = tmp_path / (file or f"{doc['id']}.json")
        path.write_text(json.dumps(doc))
        return path
    return one


@pytest.fixture
def stored(write, results):
    """Four runs, in the order of their starts: their documents."""
    paths = [write("nightly", "2026-03-01T10:00:00.000Z", {"branch": "main"}), write("nightly", "2026-03-02T10:00:00.000Z", {"branch": "main"}),
             write("nightly", "2026-03-03T10:00:00.000Z", {"branch": "new"}), write("other", "2026-04-01T10:00:00.000Z")]
    results("import", *paths)
    return [json.loads(path.read_text()) for path in paths]


def listed(results, *args):
    return json.loads(results("list", "--json", *args).out)


def rows(db, sql):
    with sqlite3.connect(db) as connection:
        return connection.execute(sql).fetchall()


def load_into(plimsoll, server, db, *args, env=None, cwd=None, exit=0, **how):
    done = run_process([plimsoll, "load", "-c", "2", "-n", "50", *args, server.url()], 30, cwd=cwd,
                       env={"PLIMSOLL_DB": str(db), **(env or {})}, **how)
    assert done.exit == exit, done
    return done


def test_load_keeps_its_run(plimsoll, start_target, results, db, tmp_path):
    """In the store is the document that --json wrote, byte for byte; --no-store leaves it out."""
    server = start_target(OK)
    load_into(plimsoll, server, db, "--name", "nightly", "--label", "branch=main", "--json", tmp_path / "run.json")
    load_into(plimsoll, server, db, "--no-store")
    runs = listed(results)
    doc = json.loads((tmp_path / "run.json").read_text())
    assert [(r["id"], r["name"], r["kind"], r["started"], r["labels"]) for r in runs] == \
        [(doc["id"], "nightly", "load", doc["started"], {"branch": "main"})]
    assert results("show", "--json", "nightly").out == (tmp_path / "run.json").read_text()
    assert rows(db, "PRAGMA journal_mode") == [("wal",)] and rows(db, "PRAGMA integrity_check") == [("ok",)]


def test_show_is_the_report(plimsoll, start_target, results, db):
    report = load_into(plimsoll, start_target(OK), db, "--name", "one").out
    shown = results("show", "one@latest").out
    assert report.strip() in shown and shown.splitlines()[0].endswith("Z")


@pytest.mark.parametrize("variable, place", [("XDG_DATA_HOME", "data/plimsoll/results.db"), ("HOME", "home/.local/share/plimsoll/results.db")])
def test_where_the_store_is(plimsoll, start_target, tmp_path, variable, place):
    home = {"PLIMSOLL_DB": "", "XDG_DATA_HOME": "", "HOME": str(tmp_path / "home"),
            variable: str(tmp_path / ("data" if variable == "XDG_DATA_HOME" else "home"))}
    (tmp_path / "home").mkdir()
    load_into(plimsoll, start_target(OK), "", env=home)
    assert rows(tmp_path / place, "SELECT count(*) FROM runs") == [(1,)]
    assert os.stat((tmp_path / place).parent).st_mode & 0o077 == 0


def test_a_home_that_is_not_there_is_not_made(plimsoll, start_target, tmp_path):
    done = load_into(plimsoll, start_target(OK), "", env={"XDG_DATA_HOME": "", "HOME": str(tmp_path / "none")}, cwd=tmp_path)
    assert "no place for the store" in done.err and "the result is in" in done.err and not (tmp_path / "none").exists()


def test_list_is_newest_first_and_filtered(results, stored):
    ids = [doc["id"] for doc in stored]
    assert [r["id"] for r in listed(results)] == ids[::-1]
    for why, args, want in [("a pattern", ["--name", "night*"], [2, 1, 0]), ("a label", ["--label", "branch=main"], [1, 0]),
                            ("any value", ["--label", "branch"], [2, 1, 0]), ("a day", ["--since", "2026-03-02", "--until", "2026-03-02"], [1]),
                            ("a month", ["--until", "2026-03"], [2, 1, 0]), ("a kind", ["--kind", "rounds"], []), ("so many", ["-n", "1"], [3])]:
        assert [r["id"] for r in listed(results, *args)] == [ids[i] for i in want], why
    text = results("list").out.splitlines()
    assert text[0].split()[:3] == ["RUN", "NAME", "KIND"] and len(text) == 5
    assert text[1].split()[0] == ids[3][:8] and "branch=new" in text[2]


def test_runs_are_called_by_prefix_tag_and_place(results, stored):
    def shown(reference):
        return json.loads(results("show", "--json", reference).out)["id"]
    ids = [doc["id"] for doc in stored]
    assert shown(ids[1]) == ids[1] and shown(ids[1][:8]) == ids[1]
    assert shown("nightly@latest") == ids[2] and shown("nightly@-1") == ids[2] and shown("nightly@-2") == ids[1]
    assert [doc["id"] for doc in json.loads(results("show", "--json", "nightly").out)] == ids[:3]
    results("tag", ids[0], "nightly@latest", "base")
    assert [doc["id"] for doc in json.loads(results("show", "--json", "base").out)] == [ids[0], ids[2]]
    assert [r["tags"] for r in listed(results, "--tag", "base")] == [["base"], ["base"]]
    results("untag", ids[0], "base")
    assert shown("base") == ids[2]
    assert "no tag" in results("untag", ids[0], "base", exit=2).err
    assert "there is no run" in results("show", "nightly@-4", exit=2).err
    assert "hint" in results("show", "nowhere", exit=2).err


def test_a_note(results, stored):
    results("note", "nightly@latest", "before the fix")
    assert "before the fix" in results("list").out
    results("note", "nightly@latest", "")
    assert listed(results, "-n", "2")[1]["note"] == ""
    assert "is 3 runs" in results("note", "nightly", "x", exit=2).err


def test_rm_asks(plimsoll, results, stored, db):
    done = results("rm", "other", exit=2)
    assert "nobody to ask" in done.err and len(listed(results)) == 4
    for answer, left in ((b"n\n", 4), (b"y\n", 3)):
        parent, child = pty.openpty()
        process = subprocess.Popen([plimsoll, "results", "rm", stored[3]["id"]], stdin=child, stderr=subprocess.PIPE,
                                   env={**os.environ, "PLIMSOLL_DB": str(db)})
        os.write(parent, answer)
        assert b"Remove this run?" in process.communicate(timeout=30)[1] and process.returncode == 0
        os.close(parent)
        os.close(child)
        assert len(listed(results)) == left
    results("rm", "--yes", "nightly")
    assert listed(results) == []
    for table in ("documents", "labels", "samples", "metrics"):
        assert rows(db, f"SELECT count(*) FROM {table}") == [(0,)]
    size = db.stat().st_size
    results("vacuum")
    assert db.stat().st_size < size


def test_export_and_import(results, stored, db, tmp_path):
    results("export", "nightly@latest", "-o", "one.json")
    assert json.loads((tmp_path / "one.json").read_text()) == stored[2]
    results("export", "nightly", "-o", "three.json")
    results("rm", "--yes", "nightly")
    done = results("import", "three.json", "one.json", "--json")
    assert [r["id"] for r in json.loads(done.out)] == [doc["id"] for doc in stored[:3]]
    assert "1 of 4 documents had been stored before" in done.err
    table = list(csv.reader(io.StringIO(results("export", "other", "--format", "targets").out)))
    assert len(table) >= 3 and table[-1][0] == "total"


def test_another_document_of_a_known_id_is_refused(results, stored, write, tmp_path):
    """The one that was there stays; the others of the import are stored."""
    other = dict(stored[0], totals=dict(stored[0]["totals"], requests_per_s=1.5))
    (tmp_path / "other.json").write_text(json.dumps(other))
    new = write("new")
    done = results("import", "other.json", new, exit=2)
    assert f"other.json is not stored: another document has its id {other['id']}" in done.err and "1 of 2 documents are not stored" in done.err
    assert [r["name"] for r in listed(results)].count("new") == 1
    assert json.loads(results("export", other["id"]).out) == stored[0]
    (tmp_path / "ours.json").write_text(json.dumps(stored[0], indent=7))  # other words, the same document
    assert "had been stored before" in results("import", "ours.json").err
    labelled = results("import", "ours.json", "--label", "extra=1", exit=2)
    assert "another document has its id" in labelled.err


def test_a_report_of_another_tool_is_known_again(results):
    report = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "tools", "h2load.txt")
    results("import", report, "--name", "before")
    assert "had been stored before" in results("import", report, "--name", "before").err
    assert "another document has its id" in results("import", report, "--name", "after", exit=2).err


def test_two_writers_at_once(plimsoll, write, results, db, tmp_path):
    """From the moment on at which there is no store."""
    for side in "ab":
        (tmp_path / side).mkdir()
        for i in range(20):
            write(side, file=f"{side}/{i}.json")
    writers = [subprocess.Popen([plimsoll, "results", "import", tmp_path / side], stdout=subprocess.DEVNULL,
                                env={**os.environ, "PLIMSOLL_DB": str(db)}) for side in "ab"]
    assert [w.wait(timeout=60) for w in writers] == [0, 0]
    assert len(listed(results, "--name", "a")) == 20 and len(listed(results, "--name", "b")) == 20


def test_a_killed_writer_loses_nothing_that_was_stored(plimsoll, write, results, stored, db, tmp_path):
    (tmp_path / "many").mkdir()
    first = write("many", file="many/0.json")
    for i in range(1, 60):
        doc = json.loads(first.read_text())
        doc["id"] = str(uuid.uuid4())
        (tmp_path / f"many/{i}.json").write_text(json.dumps(doc))
    for pause in (0.005, 0.02, 0.05):
        writer = subprocess.Popen([plimsoll, "results", "import", tmp_path / "many"], stdout=subprocess.DEVNULL,
                                  env={**os.environ, "PLIMSOLL_DB": str(db)})
        time.sleep(pause)
        writer.send_signal(signal.SIGKILL)
        writer.wait(timeout=30)
        assert len(listed(results)) in (4, 64)
        assert rows(db, "PRAGMA integrity_check") == [("ok",)]
    results("import", "many")
    assert len(listed(results)) == 64


def beside(done, where):
    """The file that a warning names."""
    assert "warning: the result is not stored" in done.err, done
    path = os.path.join(where, done.err.split("the result is in ")[1].split(" instead")[0])
    assert os.path.dirname(os.path.realpath(path)) == os.path.realpath(where), done
    return json.loads(open(path, encoding="utf-8").read())


def test_a_store_that_fails_warns_and_loses_nothing(plimsoll, start_target, results, db, tmp_path):
    """Damaged, another program's, a folder that can not be: exit 0, and the document is in a file, said where."""
    server = start_target(OK)
    db.parent.mkdir()
    db.write_bytes(b"no database at all, but longer than a header of one hundred bytes" * 100)
    done = load_into(plimsoll, server, db, "--name", "kept")
    doc = beside(done, db.parent)
    assert doc["name"] == "kept" and doc["totals"]["ok"] == 50
    assert results("list", exit=3).err.count("damaged") == 1
    blocked = tmp_path / "file" / "results.db"
    (tmp_path / "file").write_text("")
    assert beside(load_into(plimsoll, server, blocked, cwd=tmp_path), tmp_path)["totals"]["ok"] == 50
    assert db.read_bytes().startswith(b"no database")
    aside = tmp_path / "aside"
    aside.mkdir()
    for no_file in ("/dev/null", tmp_path / "file.d" / "of"):  # beside a device is no place, nor beside a folder
        (tmp_path / "file.d" / "of").mkdir(parents=True, exist_ok=True)
        assert beside(load_into(plimsoll, server, no_file, cwd=aside), aside)["totals"]["ok"] == 50
    db.unlink()
    results("import", *db.parent.glob("plimsoll-*.json"))
    assert [r["name"] for r in listed(results)] == ["kept"]


def test_a_document_that_is_written_anyway_is_not_written_twice(plimsoll, start_target, tmp_path):
    (tmp_path / "file").write_text("")
    done = load_into(plimsoll, start_target(OK), tmp_path / "file" / "results.db", "--json", "run.json", cwd=tmp_path)
    assert "the result is in run.json" in done.err and not list(tmp_path.glob("plimsoll-*.json"))


def test_a_full_disk(plimsoll, start_target, results, stored, db):
    """A limit on the size of files stands for it: the database may not grow, a document still fits."""
    server = start_target(OK)
    size = db.stat().st_size + 1000

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    with open(db, "rb") as before:
        content = before.read()
    processes = [subprocess.Popen([plimsoll, "load", "-c", "2", "-n", "50", "--name", f"full-{i}", server.url()], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, env={**os.environ, "PLIMSOLL_DB": str(db)}, preexec_fn=limit) for i in range(6)]
    said = [p.communicate(timeout=60)[1].decode() for p in processes]
    assert [p.returncode for p in processes] == [0] * 6 and content
    kept = {r["name"] for r in listed(results)}
    for i, err in enumerate(said):
        assert ("warning: the result is not stored" in err) == (f"full-{i}" not in kept), err
        assert "warning" not in err or "the result is in" in err
    assert any("warning" in err for err in said)
    assert {doc["id"] for doc in stored} <= {r["id"] for r in listed(results)}
    assert rows(db, "PRAGMA integrity_check") == [("ok",)]


def test_ten_thousand_runs_are_listed_by_one_pass(results, stored, db):
    """What takes time is counted in ./dev bench store; here: it is complete, and in order."""
    with sqlite3.connect(db) as connection:
        connection.executemany("INSERT INTO runs(id, name, kind, started, duration_s, valid, interrupted) VALUES(?,?,'load',?,1,1,0)",
                               [(f"{i:08x}-0000-4000-8000-000000000000", f"n{i}", f"2025-01-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}.000Z")
                                for i in range(10000)])
    runs = listed(results)
    assert len(runs) == 10004 and [r["started"] for r in runs] == sorted((r["started"] for r in runs), reverse=True)
    assert len(results("list").out.splitlines()) == 10005


@pytest.mark.parametrize("why, args, says", [
    ("no command", [], "a command is missing"),
    ("a mistyped command", ["lst"], "did you mean list"),
    ("no run", ["show"], "what to show is missing"),
    ("no tag", ["tag", "nightly"], "more than one word"),
    ("a tag that can not be", ["tag", "nightly", "a b"], "cannot be a tag"),
    ("a date", ["list", "--since", "yesterday"], "is no date"),
    ("a month of the calendar", ["list", "--since", "2026-13"], "is no date"),
    ("a day of the calendar", ["list", "--until", "2026-02-29"], "is no date"),
    ("an hour of the day", ["list", "--since", "2026-03-01T24:00"], "is no date"),
    ("whole numbers", ["list", "--since", "2026-03-01T1"], "is no date"),
    ("no time span", ["list", "--since", "-5d"], "is no date"),
    ("a form", ["export", "nightly", "--format", "xls"], "json, csv and others"),
    ("no such file", ["show", "./none.json"], "none.json"),
    ("two notes", ["note", "nightly", "a", "b"], "one word too many"),
    ("words where none are", ["vacuum", "x"], "x"),
    ("an unknown option", ["list", "--jsn"], "--jsn"),
])
def test_bad_input_is_refused(results, stored, why, args, says):
    done = results(*args, exit=2)
    assert says in done.err and not done.out, why


@pytest.mark.parametrize("command", ["import", "show", "export"])
def test_figures_that_contradict_each_other(results, write, command):
    path = write("torn")
    document = json.loads(path.read_text())
    document["totals"]["ok"] -= 1
    path.write_text(json.dumps(document))
    done = results(command, *(["json"] if command == "export" else []), path, exit=2)
    assert "figures contradict each other: total: " in done.err and not done.out


def test_nothing_is_stored_yet(results, db):
    assert listed(results) == [] and "nothing is stored yet" in results("list").err
    assert "nothing is stored yet" in results("show", "x", exit=2).err
    assert "nothing is stored yet" in results("tag", "x", "y", exit=2).err
    assert not db.exists()


def test_a_store_of_a_newer_plimsoll(results, stored, db):
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert "newer plimsoll" in results("list", exit=3).err


def test_control_characters_of_names_do_not_reach_the_terminal(results, write):
    path = write("a\x1b[31mb\n")
    results("import", path)
    shown = results("show", json.loads(path.read_text())["id"]).out
    assert "a?[31mb" in shown and "\x1b" not in shown + results("list").out


# ---- merge ----

def load_part(plimsoll, server, path, *args, path_of_url="/"):
    return subprocess.Popen([plimsoll, "load", "--no-store", "--json", path, *args, server.url(path_of_url)], stdout=subprocess.DEVNULL)


def merged(results, *words, **how):
    return json.loads(results("merge", "--no-store", "-o", "-", *words, **how).out)


def test_merge_is_what_one_process_would_have_seen(plimsoll, start_target, results, tmp_path):
    """C70: mostly fast requests and a few slow ones; the percentiles are those of all, sums are exact."""
    fast, slow = start_target(OK), start_target(r"\{wait 100ms}" + OK)
    parts = [load_part(plimsoll, fast, tmp_path / "a.json", "-c", "1", "-n", "90"),
             load_part(plimsoll, slow, tmp_path / "b.json", "-c", "1", "-n", "10")]
    assert [p.wait(timeout=60) for p in parts] == [0, 0]
    a, b = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    whole = merged(results, "a.json", "b.json")
    assert whole["totals"]["ok"] == 100 and whole["status"] == {"200": 100} and whole["valid"]
    assert whole["latency"]["sum_ns"] == a["latency"]["sum_ns"] + b["latency"]["sum_ns"]
    assert (whole["latency"]["min"], whole["latency"]["max"]) == (a["latency"]["min"], b["latency"]["max"])
    assert whole["latency"]["p90"] == pytest.approx(a["latency"]["max"], rel=0.0011) and whole["latency"]["p95"] >= 0.1
    assert [p["id"] for p in whole["parts"]] == sorted([a["id"], b["id"]]) and len(whole["host"]) == 2 == len(whole["command"])


def test_merge_of_parts_that_ran_together(plimsoll, start_target, results, tmp_path, db):
    """Every interval and every count is a sum; the target has seen as many; any order and grouping gives the same bytes."""
    server = start_target(r"\{wait 1ms}" + OK)
    parts = [load_part(plimsoll, server, tmp_path / f"{i}.json", "-c", "2", "-d", "2s", "--name", "part") for i in range(3)]
    assert [p.wait(timeout=60) for p in parts] == [0] * 3
    docs = [json.loads((tmp_path / f"{i}.json").read_text()) for i in range(3)]
    whole = merged(results, "0.json", "1.json", "2.json")
    for name in ("started", "ok", "failed", "unfinished", "sent", "bytes_received", "connections_opened"):
        assert whole["totals"][name] == sum(doc["totals"][name] for doc in docs), name
    assert whole["totals"]["sent"] == server.counts()["begun"]
    assert sum(i["ok"] for i in whole["intervals"]) == sum(i["ok"] for doc in docs for i in doc["intervals"])
    assert whole["config"]["connections"] == 6 and whole["name"] == "part" and whole["valid"]
    assert whole["totals"]["requests_per_s"] == pytest.approx(whole["totals"]["ok_in_window"] / whole["duration_s"])
    assert whole["totals"]["requests_per_s"] == pytest.approx(sum(doc["totals"]["requests_per_s"] for doc in docs), rel=0.5)
    results("merge", "0.json", "1.json", "-o", "01.json", "--no-store")
    results("merge", "2.json", "01.json", "-o", "all.json")
    assert (tmp_path / "all.json").read_text() == results("merge", "--no-store", "-o", "-", "1.json", "2.json", "0.json").out
    assert listed(results)[0]["id"] == whole["id"] and results("show", "--json", whole["id"]).out == (tmp_path / "all.json").read_text()
    assert "part" in results("show", whole["id"][:8]).out


def test_parts_that_ran_one_after_the_other_have_no_rate(plimsoll, start_target, results, tmp_path):
    server = start_target(OK)
    for name in "ab":
        assert load_part(plimsoll, server, tmp_path / f"{name}.json", "-c", "1", "-n", "50").wait(timeout=60) == 0
    done = results("merge", "--no-store", "-o", "all.json", "a.json", "b.json")
    whole = json.loads((tmp_path / "all.json").read_text())
    assert whole["totals"]["requests_per_s"] == 0 and whole["totals"]["ok"] == 100
    assert "did not run at the same time" in done.out and whole["valid"]


def test_what_can_not_be_merged_is_refused(plimsoll, start_target, results, tmp_path, write):
    server = start_target(OK)
    for name, connections in (("a", 1), ("b", 1), ("c", 2)):
        assert load_part(plimsoll, server, tmp_path / f"{name}.json", "-c", str(connections), "-n", "50").wait(timeout=60) == 0
    results("merge", "a.json", "b.json", "-o", "ab.json")
    for why, words, says in [("the same part", ["a.json", "a.json"], "there already"),
                             ("a part of a merged one", ["ab.json", "b.json"], "there already"),
                             ("another configuration", ["a.json", "c.json"], "connections is 2, in a.json it is 1"),
                             ("one part", ["a.json"], "one part alone"), ("no such part", ["a.json", "none.json"], "none.json")]:
        done = results("merge", *words, exit=2)
        assert says in done.err and not done.out, why
    doc = json.loads((tmp_path / "b.json").read_text())
    (tmp_path / "cut.json").write_text((tmp_path / "b.json").read_text()[:-200])
    assert "cut.json" in results("merge", "a.json", "cut.json", exit=2).err
    doc["host"]["tool_version"] = "0.0.1"
    (tmp_path / "old.json").write_text(json.dumps(doc))
    assert "same version" in results("merge", "a.json", "old.json", exit=2).err


@pytest.mark.parametrize("words", ["show nightly", "show nightly --json", "export nightly", "export csv nightly", "list"])
def test_a_reader_that_has_seen_enough_hears_no_complaint(plimsoll, stored, db, words):
    """As git: quiet, and the exit status of a program that SIGPIPE ended."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([plimsoll, "results", *words.split()], stdout=write, stderr=subprocess.PIPE, timeout=60, check=False,
                          env={**os.environ, "PLIMSOLL_DB": str(db)})
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([plimsoll, "results", *words.split()], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False,
                              env={**os.environ, "PLIMSOLL_DB": str(db)})
    assert done.returncode == 3 and b"No space left" in done.stderr
