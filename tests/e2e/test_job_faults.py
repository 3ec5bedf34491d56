# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong with shares, under the engines that one machine can hold: mpirun, GNU parallel, Slurm of one node. Each job runs its
printed script, with a program that puts a fault into some of its shares. All jobs run side by side; then each is judged."""
import json
import os
import re
import shutil

import pytest

from lib import faults as faults_lib
from lib.clocks import Clock, build_off_clock
from lib.engines import MPI_ENV, mpi, slurm  # noqa: F401  (fixtures)
from lib.jobs import print_job, write_script
from lib.process import Process
from lib.target import OK, Target

START = "--start-in=10s"  # all shares of all jobs are up by then, on a machine that is busy with other things

CLOCK = "--clock-check"
JOBS = {  # faults of the shares, and what the command has beside its plan
    "faults": (["", "killed", "stopped", "late", "hour"], [CLOCK]),
    "clocks": (["", "late", "hour"], []),
    "version": (["", "version"], []),
    "twice": (["given", "twice"], []),
    "cut": (["", "cut"], []),
}
ENGINES = {"mpi": tuple(JOBS), "parallel": tuple(JOBS), "slurm": ("faults",)}  # Slurm has one node: its jobs would run one after the other


class Job:
    """A printed script that runs; done and document when it has ended."""

    def __init__(self, engine, words, env, plimsoll, folder, faults, more, clock, off_clock, target):
        os.makedirs(folder)
        self.engine, self.folder, self.target = engine, folder, target
        program = faults_lib.write_program(folder, plimsoll, faults, off_clock)
        shares = str(len(faults))
        plan = ("load", "-c", "10", "-r", "100/s", "-d", "7s", *(w for m in more for w in (m, clock)), self.target.url())
        script, _ = print_job(plimsoll, *words, "-n", shares, "--per-machine", shares, START, "--program", program, "--", *plan)
        path = write_script(f"{folder}/job.sh", script)
        env = {**env, "PLIMSOLL_DB": f"{folder}/db"}
        argv = ["sbatch", "--wait", path] if engine == "slurm" else ["bash" if engine == "parallel" else "sh", path]
        self._process = Process(argv, env=env, cwd=folder)
        self.done = None

    def finish(self):
        self.done = self._process.finish(150)
        self.counted = self.target.stop()["begun"]
        self.said = self.done.out + self.done.err
        for name in os.listdir(self.folder):
            if name.endswith(".log"):
                with open(f"{self.folder}/{name}", errors="replace") as file:
                    self.said += file.read()
        path = f"{self.folder}/plimsoll-parts/merged.json"
        self.document = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.document = json.load(file)

    def close(self):
        self._process.close()
        self.target.process.close()


@pytest.fixture(scope="module")
def jobs(request, plimsoll, target_program, tmp_path_factory):
    if "san" in os.path.basename(os.path.dirname(plimsoll)):
        pytest.skip("the sanitizer wants to be the first library")
    folder, clock = tmp_path_factory.mktemp("jobs"), Clock()
    off_clock = build_off_clock(folder)
    started, left_out = {}, {}
    try:
        for engine, names in ENGINES.items():
            try:
                words, env = engine_of(engine, request)
            except pytest.skip.Exception as reason:
                left_out[engine] = str(reason)
                continue
            for name in names:
                faults, more = JOBS[name]
                started[engine, name] = Job(engine, words, env, plimsoll, str(folder / f"{engine}-{name}"), faults, more, clock.where, off_clock,
                                            Target(target_program, OK))
        for job in started.values():
            job.finish()
    finally:
        for job in started.values():
            job.close()
        clock.close()
    return started, left_out


def engine_of(engine, request):
    """Words of the job, environment; skips where the engine is not here."""
    if engine == "parallel":
        if not shutil.which("parallel"):
            pytest.skip("GNU parallel is not here")
        return ("ssh", "-H", ":"), {}
    if engine == "slurm":
        return ("slurm",), request.getfixturevalue("slurm").env
    request.getfixturevalue("mpi")
    return ("mpi", "--launcher=--oversubscribe"), MPI_ENV


@pytest.fixture
def job(jobs, request):
    started, left_out = jobs
    engine, name = request.param
    if engine in left_out:
        pytest.skip(left_out[engine])
    return started[engine, name]


def of(*names):
    return pytest.mark.parametrize("job", [(e, n) for n in names for e in ENGINES if n in ENGINES[e]], indirect=True,
                                   ids=[f"{e}-{n}" for n in names for e in ENGINES if n in ENGINES[e]])


@of("faults")
def test_killed_stopped_late_and_an_hour_off(job):
    """With checked clocks: one is missing, one stood still, one was late, and the one whose clock is off began with the others."""
    document, said = job.document, job.said
    assert job.done.exit == 3 and document is not None and not document["valid"], said
    reasons = document["reasons"]
    assert any("4 of 5 shares are here, 2 is missing" in r for r in reasons), reasons
    assert any(r.startswith("share 3/5 was limited by its machine") for r in reasons), reasons
    assert any(re.match(r"share 4/5 began .* after the agreed start", r) for r in reasons), reasons
    parts = {p["share"]: p for p in document["parts"]}
    assert sorted(parts) == ["1/5", "3/5", "4/5", "5/5"]
    assert 2.5 < parts["4/5"]["start"]["late_s"] < 40, parts["4/5"]
    assert abs(parts["5/5"]["start"]["clock_offset_s"] + 3600) < 2 and parts["5/5"]["start"]["late_s"] < 2, parts["5/5"]
    assert document["latency"]["max"] > 3, "what was due while it stood still waited"
    # The killed one sent too, and left no part.
    assert document["totals"]["started"] == sum(p["requests"] for p in document["parts"])
    assert document["totals"]["ok"] <= document["totals"]["started"] < job.counted, (document["totals"], job.counted)


@of("clocks")
def test_clocks_that_nobody_vouches_for(job):
    """Late and an hour off: refused before anything is sent. What is left is merged, and says what is missing."""
    assert job.done.exit == 3 and job.document is not None, job.said
    assert any("1 of 3 shares are here, 2 and 3 are missing" in r or "1 of 3 shares are here, 2, 3 are missing" in r for r in job.document["reasons"]), job.document["reasons"]
    totals = job.document["totals"]
    assert totals["started"] == totals["ok"] + totals["failed"] + totals["unfinished"] and totals["ok"] <= job.counted <= totals["started"], (totals, job.counted)


REFUSALS = {"version": "same version", "twice": "is there already", "cut": "part-2.json"}


@of("version", "twice", "cut")
def test_parts_that_are_not_merged(job):
    assert job.done.exit == 2 and job.document is None, job.said
    assert REFUSALS[os.path.basename(job.folder).split("-")[1]] in job.said, job.said
    assert job.counted > 0
