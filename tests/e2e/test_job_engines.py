# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll job on the real engines: Open MPI's mpirun, Slurm of one node, GNU parallel. The scripts run as they are printed."""
import re
import signal

from lib.engines import MPI_ENV, START, mpi, parallel, slurm  # noqa: F401  (fixtures)
from lib.jobs import check_merged, print_job, read_document, write_script
from lib.process import Process, run, wait_until
from lib.target import OK, reply

PLAN = ("-n", "1001", "-c", "8", "-r", "400/s")  # 2.5 s, so that each share tells of its progress

def counted(target):
    return target.counts()["begun"]


# ---- mpirun ----

def test_mpirun_merges_what_the_server_counted(plimsoll, mpi, start_target, tmp_path):
    target = start_target(OK)
    script, said = print_job(plimsoll, *mpi, "--", "load", *PLAN, target.url())
    assert said == ""
    done = run(["sh", write_script(tmp_path / "job.sh", script)], 90, env=MPI_ENV, cwd=tmp_path)
    check_merged(read_document(tmp_path / "plimsoll-parts/merged.json", done), done.exit, 4, counted(target), 1001)
    assert "1,001 ok" in done.out, done


def test_a_second_run_does_not_mix_with_the_parts_of_the_first(plimsoll, mpi, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/part-1.json").write_text("{}")
    script, _ = print_job(plimsoll, *mpi, "--parts", "parts", "--", "load", "-c", "4", "http://127.0.0.1:1/")
    done = run(["sh", write_script(tmp_path / "job.sh", script)], 30, env=MPI_ENV, cwd=tmp_path)
    assert done.exit == 2 and "parts of another run" in done.err, done
    done = run([plimsoll, "job", *mpi, "--parts", "parts", "--apply", "--", "load", "-c", "4", "http://127.0.0.1:1/"], 30, env=MPI_ENV, cwd=tmp_path)
    assert done.exit == 2 and "parts of another run" in done.err and "--parts" in done.err, done


def test_words_and_secrets_arrive_as_they_were(plimsoll, mpi, start_target, tmp_path):
    """C: quotes, blanks, $ and `` in a field; a password that stands in no script."""
    target = start_target(reply("404 Not Found"))
    hostile = "X-Note: it's \"$HOME\" `id` $(id) \\n  {share} é"
    words = ("load", "-n", "8", "-c", "4", "-u", "alice:sword'fish $X", "-H", hostile, "--save-failures", "failures:9",
             "--expect-status", "200", target.url("/missing"))
    script, said = print_job(plimsoll, *mpi, "--", *words)
    assert "sword" not in script and "PLIMSOLL_SECRET_1" in script and "sword" not in said
    path = write_script(tmp_path / "job.sh", script)
    refused = run(["sh", path], 30, env=MPI_ENV, cwd=tmp_path)
    assert refused.exit == 2 and "PLIMSOLL_SECRET_1 is not set: set it to the value of -u" in refused.err, refused
    assert target.counts()["begun"] == 0
    done = run(["sh", path], 90, env={**MPI_ENV, "PLIMSOLL_SECRET_1": "alice:sword'fish $X"}, cwd=tmp_path)
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", done)
    assert done.exit == 3 and doc["totals"]["failed"] == 8, done  # the target knows no such page
    sent = "".join(p.read_text(errors="replace") for p in (tmp_path / "failures").rglob("*") if p.is_file())
    assert hostile.replace("é", r"\xc3\xa9") in sent, sent[:2000]


def test_apply_runs_mpirun_and_reports(plimsoll, mpi, start_target, tmp_path):
    target = start_target(OK)
    done = run([plimsoll, "job", *mpi, "--apply", "--json", "all.json", "--progress", "json", "--", "load", *PLAN, target.url()], 90,
               env=MPI_ENV, cwd=tmp_path)
    check_merged(read_document(tmp_path / "all.json", done), done.exit, 4, counted(target), 1001)
    assert "1,001 ok" in done.out, done
    for share in range(1, 5):
        assert re.search(rf'^\{{"share": {share}, "elapsed_s"', done.err, re.M), done.err


def test_apply_that_is_interrupted_ends_its_shares(plimsoll, mpi, start_target, tmp_path):
    target = start_target(OK)
    job = Process([plimsoll, "job", *mpi, "--apply", "--", "load", "-d", "100s", "-c", "8", "-r", "200/s", target.url()], env=MPI_ENV, cwd=tmp_path)
    wait_until(lambda: counted(target) > 50, "the shares send", 60)
    job.signal(signal.SIGINT)
    done = job.finish(60)
    assert done.exit == 130, done
    before = target.stop()["begun"]
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", done)
    assert not doc["valid"] and any("interrupted" in r for r in doc["reasons"]), doc["reasons"]
    assert 0 < doc["totals"]["sent"] <= before


# ---- Slurm ----

def job_words(plimsoll):
    return ("slurm", "-n", "4", "--per-machine", "4", START, "--program", plimsoll)


def test_slurm_merges_what_the_server_counted(plimsoll, slurm, start_target, tmp_path):
    target = start_target(OK)
    script, _ = print_job(plimsoll, *job_words(plimsoll), "--cpus", "1", "--", "load", *PLAN, target.url())
    env = {**slurm.env, "PLIMSOLL_DB": str(tmp_path / "db")}
    sent = run(["sbatch", "--parsable", write_script(tmp_path / "job.sh", script)], 60, env=env, cwd=tmp_path)
    assert sent.exit == 0, sent
    state = slurm.wait_for_job(sent.out.strip())
    log = (tmp_path / f"plimsoll-{sent.out.strip()}.log").read_text()
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", log)
    assert state == ("COMPLETED" if doc["valid"] else "FAILED"), (state, log)
    check_merged(doc, 0 if doc["valid"] else 3, 4, counted(target), 1001)


def test_apply_under_slurm_follows_the_job(plimsoll, slurm, start_target, tmp_path):
    target = start_target(OK)
    env = {**slurm.env, "PLIMSOLL_DB": str(tmp_path / "db")}
    done = run([plimsoll, "job", *job_words(plimsoll), "--apply", "--progress", "json", "--", "load", *PLAN, target.url()], 90, env=env, cwd=tmp_path)
    check_merged(read_document(tmp_path / "plimsoll-parts/merged.json", done), done.exit, 4, counted(target), 1001)
    assert "was submitted" in done.err and "1,001 ok" in done.out, done
    assert re.search(r'^\{"share": 4, "elapsed_s"', done.err, re.M), done.err


def test_apply_under_slurm_is_cancelled_by_an_interrupt(plimsoll, slurm, start_target, tmp_path):
    target = start_target(OK)
    job = Process([plimsoll, "job", *job_words(plimsoll), "--apply", "--name", "cancelled", "--", "load", "-d", "100s", "-c", "8", "-r", "200/s",
                   target.url()], env={**slurm.env, "PLIMSOLL_DB": str(tmp_path / "db")}, cwd=tmp_path)
    wait_until(lambda: counted(target) > 50, "the shares send", 60)
    job.signal(signal.SIGINT)
    done = job.finish(60)
    assert done.exit == 130 and "cancelled" in done.err, done
    assert slurm.ask("squeue", "--noheader", "--name=cancelled", "--states=RUNNING") == ""


# ---- GNU parallel, on this machine ----

def test_parallel_brings_the_parts_back(plimsoll, parallel, start_target, tmp_path):
    target = start_target(OK)
    words = ("ssh", "-n", "3", "--per-machine", "3", "-H", ":", START, "--program", plimsoll)
    script, _ = print_job(plimsoll, *words, "--", "load", *PLAN, "-H", "X: {1} {#} {} it's", target.url("/a{seq}"))
    done = run(["bash", write_script(tmp_path / "job.sh", script)], 90, env={"PLIMSOLL_DB": "results.db"}, cwd=tmp_path)
    check_merged(read_document(tmp_path / "plimsoll-parts/merged.json", done), done.exit, 3, counted(target), 1001)


def test_apply_without_the_client_program_is_refused(plimsoll, tmp_path):
    for engine, client, where in (("kubernetes", "kubectl", ()), ("slurm", "sbatch", ()), ("mpi", "mpirun", ()), ("ssh", "parallel", ("-H", ":"))):
        done = run([plimsoll, "job", engine, "-n", "1", *where, "--apply", "--", "load", "http://127.0.0.1:1/"], 20,
                   env={"PATH": str(tmp_path)})
        assert done.exit == 2 and f"{client} is not here" in done.err and "hint:" in done.err, done
