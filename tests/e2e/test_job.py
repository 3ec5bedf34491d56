# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll job as a command line: what it refuses before anything runs, and what it says beside the text. The engines are in
test_job_engines.py, test_job_hosts.py and test_job_kubernetes.py."""
import re

import pytest

from lib.jobs import print_job
from lib.process import run
from lib.target import ROOT

LOAD = ("--", "load", "-c", "8", "http://127.0.0.1:1/")

REFUSED = [
    ("no scheduler", (), "the scheduler is missing", "kubernetes|slurm|mpi|ssh"),
    ("one that is mistyped", ("kubernets", "-n", "4", *LOAD), '"kubernets"', "did you mean kubernetes?"),
    ("one that is unknown", ("pbs", "-n", "4", *LOAD), '"pbs"', "kubernetes, slurm, mpi and ssh"),
    ("no number of shares", ("slurm", *LOAD), "number of shares is missing", "-n 4"),
    ("no shares", ("slurm", "-n", "0", *LOAD), '"0" is too small', "the least is 1"),
    ("no command", ("slurm", "-n", "4"), "no command was given", "-- load URL"),
    ("a command without --", ("slurm", "-n", "4", "load", "http://127.0.0.1:1/"), "no -- stands before", "-- load URL"),
    ("nothing behind --", ("slurm", "-n", "4", "--"), "no command stands behind --", "-- load URL"),
    ("a command that is mistyped", ("slurm", "-n", "4", "--", "lod", "http://127.0.0.1:1/"), '"lod"', "did you mean load?"),
    ("one that has no shares", ("slurm", "-n", "4", "--", "serve"), '"serve" can not be shared', "load [OPTION]"),
    ("a mistake in the command", ("slurm", "-n", "4", "--", "load", "--rte", "5/s", "http://127.0.0.1:1/"), '"--rte"', "did you mean --rate?"),
    ("a URL that is none", ("slurm", "-n", "4", "--", "load", "-c", "4", "ftp://x/"), "ftp", "http"),
    ("what the job says itself", ("slurm", "-n", "2", "--", "load", "--share", "1/2", "http://127.0.0.1:1/"), "--share stands in the command", "leave it out"),
    ("the start too", ("slurm", "-n", "2", "--", "load", "--start-at=+5s", "http://127.0.0.1:1/"), "--start-at stands", "leave it out"),
    ("the part too", ("slurm", "-n", "2", *LOAD, "--json", "x"), "--json stands", "leave it out"),
    ("a screen for each share", ("slurm", "-n", "2", "--", "load", "--live", "-c", "4", "http://127.0.0.1:1/"), "--live stands", "shows what they do"),
    ("a start that no share waits for", ("slurm", "-n", "2", "--start-in", "20m", *LOAD), "--start-in 20 m 00 s", "--clock-check"),
    ("a page for each share", ("slurm", "-n", "2", *LOAD, "--live-http", "127.0.0.1:0"), "--live-http stands", "shows what they do"),
    ("an end within the drain", ("slurm", "-n", "2", "--start-in", "30s", "--time-limit", "75s", *LOAD, "-d", "40s", "--drain", "10s"), "--time-limit 1 m 15", "leave --time-limit out"),
    ("an end before the end", ("slurm", "-n", "2", "--time-limit", "1m", *LOAD, "-d", "1h"), "--time-limit 1 m 00 s", "leave --time-limit out"),
    ("a limit without its level", ("slurm", "-n", "2", "--", "limit", "--slo", "p99<1s", "http://127.0.0.1:1/"), "shares confirm a level", "--from LEVEL"),
    ("a limit's own document", ("slurm", "-n", "2", "--", "limit", "--slo", "p99<1s", "--from", "5/s", "--json", "x", "http://127.0.0.1:1/"), "--json stands", "leave it out"),
    ("one document of many", ("slurm", "-n", "2", "--json", "x", "--", "limit", "--slo", "p99<1s", "--from", "5/s", "http://127.0.0.1:1/"), "4 documents are merged", "--parts"),
    ("a suite that is not there", ("slurm", "-n", "2", "--", "run", "./none.yaml"), "none.yaml", ""),
    ("a suite of other things than load", ("slurm", "-n", "2", "--", "run", f"{ROOT}/suites/cloud-check.yaml"), "can not be shared", "suites of load"),
    ("a suite's own folder", ("slurm", "-n", "2", "--", "run", "ingress", "--work-dir", "x"), "--work-dir stands", "leave it out"),
    ("a path of no suite", ("slurm", "-n", "2", "--suite-path", "/x", *LOAD), "--suite-path has no meaning", "-- run"),
    ("help in the command", ("slurm", "-n", "2", "--", "load", "--help"), "--help stands", "plimsoll load --help"),
    ("fewer connections than shares", ("slurm", "-n", "9", *LOAD), "8 connections can not be divided among 9 shares", "whole plan"),
    ("fewer requests than shares", ("slurm", "-n", "4", *LOAD, "-n", "3"), "3 requests can not be divided among 4 shares", "whole plan"),
    ("no machines", ("ssh", "-n", "2", *LOAD), "no machine was named", "-H"),
    ("too few machines", ("ssh", "-n", "5", "-H", "a,b", *LOAD), "5 shares do not fit on 2 machines", "--per-machine 3"),
    ("no such file of machines", ("ssh", "-n", "1", "--hosts-file", "/nowhere", *LOAD), "/nowhere", ""),
    ("what is another scheduler's", ("slurm", "-n", "2", "-H", "a", *LOAD), "--hosts has no meaning under slurm", "leave it out"),
    ("a name that is no label", ("slurm", "-n", "2", "--name", "A b", *LOAD), '"A b" is no name', "small letters"),
    ("a folder that would be taken for an option", ("slurm", "-n", "2", "--parts=-rf", *LOAD), '"-rf" begins with a dash', "--parts"),
    ("a folder with parallel's words", ("ssh", "-n", "1", "-H", ":", "--parts", "a{}", *LOAD), "braces", "--parts"),
    ("too little memory", ("slurm", "-n", "2", "--memory", "1kB", *LOAD), "too small", "1MiB"),
    ("bytes that YAML can not hold", ("kubernetes", "-n", "2", *LOAD, "-H", b"X: \xff"), "not UTF-8", "file"),
]


@pytest.mark.parametrize("words, what, hint", [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused_before_anything_runs(plimsoll, words, what, hint):
    for apply in ([], ["--apply"]):
        done = run([plimsoll, "job", *apply, *(w if isinstance(w, str) else w.decode("utf-8", "surrogateescape") for w in words)], 20)
        assert done.exit == 2 and done.out == "" and what in done.err and hint in done.err, done
        assert not hint or "hint:" in done.err, done


def test_a_checked_clock_allows_a_late_start(plimsoll):
    text, _ = print_job(plimsoll, "slurm", "-n", "2", "--start-in", "16m", *LOAD, "--clock-check", "chrony")
    assert "--clock-check chrony" in text


def test_help_teaches(plimsoll):
    done = run([plimsoll, "job", "--help"], 20)
    assert done.exit == 0 and "--per-machine" in done.out and "kubectl apply -f -" in done.out and not done.err, done
    assert max(map(len, done.out.splitlines())) <= 100


def test_what_the_text_does_not_bring_along_is_said(plimsoll, tmp_path):
    (tmp_path / "hosts").write_text("# ours\na.test\n\nuser@b.test\n")
    text, said = print_job(plimsoll, "ssh", "-n", "2", "--hosts-file", str(tmp_path / "hosts"), "--", "load", "-c", "8", "--feed", "users.csv", "--csv",
                           "out.csv", "--log", "log-{share}", "--auth-bearer", "env:API_TOKEN", "-H", "X-Api-Key: swordfish", "http://127.0.0.1:1/?token=swordfish")
    assert "swordfish" not in text + said
    for line in ("--feed users.csv: every machine needs", "--csv out.csv: all shares write this file", "API_TOKEN, the token of --auth-bearer",
                 "PLIMSOLL_SECRET_1, the value of -H", "PLIMSOLL_SECRET_2, word"):
        assert line in said, said
    assert "log-" not in said
    assert re.search(r"--env API_TOKEN\b", text) and "--auth-bearer env:API_TOKEN" in text and '-H "$PLIMSOLL_SECRET_1"' in text


def test_apply_needs_the_variables_that_the_command_names(plimsoll):
    done = run([plimsoll, "job", "ssh", "-n", "1", "-H", ":", "--apply", "--", "load", "--auth-bearer", "env:PLIMSOLL_NO_SUCH", "http://127.0.0.1:1/"], 20)
    if "is not here" not in done.err:
        assert "PLIMSOLL_NO_SUCH is not set" in done.err, done
    assert done.exit == 2 and done.out == "", done
