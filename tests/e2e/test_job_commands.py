# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll job around limit and run: each round, each sample is made by all shares and merged by itself; on real engines."""
import os
import re
import signal

import pytest

from lib import kubernetes
from lib.engines import MPI_ENV, mpi, parallel, pods_permitted, slurm  # noqa: F401  (fixtures)
from lib.jobs import check_merged, print_job, read_document, write_script
from lib.process import Process, run, wait_until
from lib.target import OK, ROOT, Target

SUITE = """# it's "our" suite: $HOME `id`
name: shared
parameters: {target: ""}
samples: 1
order: as-written
matrix:
  connections: [4, 6]
load:
  url: "{target}"
  connections: "{connections}"
  rate: 100
  duration: 1s
# a line of its own, and no line end:
about: |
  PLIMSOLL_SUITE
  PLIMSOLL_SUITE_2"""
LIMIT = ("--slo", "p99<20s", "--from", "100/s", "--confirm", "1", "--step-time", "500ms", "-c", "4")
ROUNDS = {"round-1": 50, "round-2": 55}
SAMPLES = {"sample-00001": 100, "sample-00002": 100}


def run_words(suite, target):
    return ("run", "-s", f"target={target.url()}", suite, "--gap", "3s")


def limit_words(target):
    return ("limit", *LIMIT, target.url())


def check_pieces(folder, expected, shares, target, said):
    """Each has all shares, and together they have what the server counted. How many were invalid: of a machine that is busy."""
    invalid = []
    for name, requests in expected.items():
        document = read_document(f"{folder}/{name}.json", said)
        check_merged(document, 0 if document["valid"] else 3, shares, requests=requests)
        if not document["valid"]:
            invalid.append(name)
    assert target.counts()["begun"] == sum(expected.values())
    return invalid


def check_suite(folder, shares, target, done):
    invalid = check_pieces(folder, SAMPLES, shares, target, done)
    assert done.exit == (3 if invalid else 0), done
    for name in SAMPLES:
        assert f"{name}: {'invalid' if name in invalid else 'ok'}" in done.out, done


def check_limit(folder, shares, target, done):
    """So easy a promise is kept above the level too."""
    invalid = check_pieces(folder, ROUNDS, shares, target, done)
    assert done.exit == (3 if invalid else 4), done
    assert ("nothing is known of" if invalid else "the limit lies higher") in done.out, done


# ---- all of them at once: most of their time they wait ----

# engine, what, by --apply, more words
JOBS = {
    "mpi-suite": ("mpi", "suite", False, ()),
    "mpi-suite-on-a-shared-folder": ("mpi", "suite", True, ("--suite-path", "SUITE")),
    "parallel-suite": ("parallel", "suite", False, ()),
    "parallel-limit": ("parallel", "limit", False, ()),
    "slurm-limit": ("slurm", "limit", True, ()),
    "kubernetes-suite": ("kubernetes", "suite", True, ()),
    "kubernetes-limit": ("kubernetes", "limit", True, ()),
}
SHARES = 2


def engine_of(engine, request, plimsoll, folder):
    """Words of the job, environment; skips where the engine is not here."""
    if engine == "parallel":
        request.getfixturevalue("parallel")
        return ("ssh", "-H", ":", "--program", plimsoll), {}
    if engine == "slurm":
        return ("slurm", "--program", plimsoll), request.getfixturevalue("slurm").env
    if engine == "mpi":
        request.getfixturevalue("mpi")
        return ("mpi", "--launcher=--oversubscribe", "--program", plimsoll), MPI_ENV
    request.getfixturevalue("pods_permitted")
    (folder / "kubectl").mkdir()
    return ("kubernetes",), {"PATH": f"{ROOT}/tests/e2e/kubernetes:{os.environ['PATH']}", "KUBECTL_FOLDER": str(folder / "kubectl"),
                             "KUBECTL_PLIMSOLL": plimsoll}


class Job:
    """A process, or why there is none."""

    def __init__(self, how, plimsoll, folder, target, request):
        engine, self.what, apply, more = how
        self.folder, self.target, self.process, self.left_out = folder, target, None, None
        suite = folder / "my suite.yaml"
        suite.write_text(SUITE)
        try:
            words, env = engine_of(engine, request, plimsoll, folder)
        except pytest.skip.Exception as reason:
            self.left_out = str(reason)
            return
        more = [str(suite) if word == "SUITE" else word for word in more]
        words = (*words, "-n", str(SHARES), "--per-machine", str(SHARES), "--start-in=10s", *more)
        command = run_words(str(suite), target) if self.what == "suite" else limit_words(target)
        env = {**env, "PLIMSOLL_DB": str(folder / "db")}
        if apply:
            self.process = Process([plimsoll, "job", *words, "--apply", "--", *command], env=env, cwd=folder)
            return
        script, self.noted = print_job(plimsoll, *words, "--", *command)
        self.process = Process(["bash" if engine == "parallel" else "sh", write_script(folder / "job.sh", script)], env=env, cwd=folder)


@pytest.fixture(scope="module")
def jobs(request, plimsoll, target_program, tmp_path_factory):
    started = {}
    try:
        for name, how in JOBS.items():
            started[name] = Job(how, plimsoll, tmp_path_factory.mktemp(name), Target(target_program, OK), request)
        for job in started.values():
            job.done = job.process.finish(150) if job.process else None
        yield started
    finally:
        for job in started.values():
            if job.process:
                job.process.close()
            job.target.process.close()


@pytest.mark.parametrize("name", JOBS)
def test_every_round_and_sample_is_made_by_all_and_merged(jobs, name):
    job = jobs[name]
    if job.left_out:
        pytest.skip(job.left_out)
    (check_suite if job.what == "suite" else check_limit)(job.folder / "plimsoll-parts/merged", SHARES, job.target, job.done)
    assert "exit status" not in job.done.out
    brought = os.path.exists(job.folder / "plimsoll-parts/suite.yaml")
    assert brought == (name == "mpi-suite"), "a suite that lies in a shared folder is not brought along"


VERDICTS = [
    ("kept, and broken above", "0 0 0 1", 0, "Confirmed: the level keeps the promise in 3 rounds"),
    ("kept above too", "0 0 0 0", 4, "the limit lies higher"),
    ("broken once", "0 1 0 1", 1, "broken in round-2 round-4"),
    ("broken at the level alone", "0 1 0 0", 1, "broken in round-2"),
    ("a round that is invalid", "0 3 0 1", 3, "nothing is known of round-2"),
    ("a round that can not be merged", "0 0 0 2", 3, "nothing is known of round-4"),
]


@pytest.mark.parametrize("codes, exit_code, says", [r[1:] for r in VERDICTS], ids=[r[0] for r in VERDICTS])
def test_what_rounds_say_together(plimsoll, codes, exit_code, says, tmp_path):
    """The printed script with a merge that ends as told, and a launcher that starts nothing."""
    stand_in = tmp_path / "stand-in"
    stand_in.write_text('#!/bin/sh\nn=$(cat count 2>/dev/null || echo 0)\necho $((n + 1)) >count\nset -- %s\nshift "$n"\nexit "$1"\n' % codes)
    (tmp_path / "mpirun").write_text("#!/bin/sh\n")
    for one in ("stand-in", "mpirun"):
        (tmp_path / one).chmod(0o755)
    script, _ = print_job(plimsoll, "mpi", "-n", "2", "--program", str(stand_in), "--", "limit", "--slo", "p99<1s", "--from", "5/s", "http://127.0.0.1:1/")
    done = run(["sh", write_script(tmp_path / "job.sh", script)], 30, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, cwd=tmp_path)
    assert done.exit == exit_code and says in done.out, done
    assert (tmp_path / "plimsoll-parts/summary.txt").read_text().endswith(f"\nexit status: {exit_code}\n"), done


# ---- Kubernetes ----

def test_manifests_of_suites_and_limits_hold(plimsoll, tmp_path):
    suite = str(tmp_path / "my suite.yaml")
    (tmp_path / "my suite.yaml").write_text(SUITE)
    words = ("kubernetes", "-n", "2")
    text, _ = print_job(plimsoll, *words, "--", "run", suite, "-s", "target=http://127.0.0.1:1/")
    objects = kubernetes.read(text)
    problems, _ = kubernetes.refused(objects)
    assert problems == [] and kubernetes.find(objects, "ConfigMap", "plimsoll")["data"]["suite.yaml"] == SUITE + "\n"
    text, _ = print_job(plimsoll, *words, "--suite-path", "/suites/a b.yaml", "--", "run", suite, "-s", "target=http://127.0.0.1:1/")
    data = kubernetes.find(kubernetes.read(text), "ConfigMap", "plimsoll")["data"]
    assert "suite.yaml" not in data and "suite='/suites/a b.yaml'\n" in data["share.sh"], data
    text, _ = print_job(plimsoll, *words, "--", "limit", *LIMIT, "http://127.0.0.1:1/")
    assert kubernetes.refused(kubernetes.read(text))[0] == []


def test_a_cluster_that_takes_nothing(plimsoll, tmp_path):
    """One clear error, and exit 2: nothing was sent."""
    for engine, client, hint in (("kubernetes", "kubectl", "kubectl cluster-info"), ("slurm", "sbatch", "sinfo")):
        for name in ("kubectl", "sbatch", "squeue", "scancel"):
            (tmp_path / name).write_text("#!/bin/sh\necho \"$*\" >>asked\necho 'connection to the server was refused' >&2\nexit 1\n")
            (tmp_path / name).chmod(0o755)
        done = run([plimsoll, "job", engine, "-n", "2", "--apply", "--", "load", "-c", "4", "http://127.0.0.1:1/"], 60,
                   env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, cwd=tmp_path)
        assert done.exit == 2 and done.out == "" and hint in done.err, done
        assert "connection to the server was refused" in done.err and done.err.count(f"{client} ") >= 1, done
        assert "delete" not in done.err and len(done.err.strip().splitlines()) <= 3, done


def test_a_quarter_of_an_hour_ahead_is_taken_by_the_shares(plimsoll, tmp_path):
    """What the job lets pass, a share does not refuse, at the moment that the text was made."""
    for engine, pattern in (("kubernetes", r'start-at: "([^"]*)"'), ("slurm", None)):
        text, _ = print_job(plimsoll, engine, "-n", "2", "--start-in", "15m", "--", "load", "-c", "4", "-d", "1s", "http://127.0.0.1:1/")
        at = re.search(pattern, text)[1] if pattern else run(["sh", "-c", re.search(r"^start=.*$", text, re.M)[0] + '; echo "$start"'], 20).out.strip()
        share = Process([plimsoll, "load", "--no-store", "--share", "1/2", "--start-at", at, "-c", "4", "-d", "1s", "http://127.0.0.1:1/"])
        try:
            wait_until(lambda: not share.running() or "starting at" in share.err(), "it waits", 30)
            share.signal(signal.SIGINT)
            done = share.finish(30)
        finally:
            share.close()
        assert done.exit == 130 and "ahead" not in done.err, done
