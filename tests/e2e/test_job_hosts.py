# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll job ssh on several hosts: network namespaces with addresses, ports and sshd of their own, reached by GNU parallel."""
import os
import re
import shutil
import signal

import pytest

from lib.clocks import build_off_clock
from lib.faults import write_program
from lib.hosts import Hosts
from lib.jobs import check_merged, print_job, read_document, write_script
from lib.process import Process, wait_until

COUNT = 4
START = "--start-in=10s"  # four logins one after another, on a machine that is busy with other things


@pytest.fixture
def hosts(start_namespace):
    missing = [name for name in ("parallel", "ssh", "ssh-keygen", "nginx", "curl") if not shutil.which(name)]
    if not shutil.which("sshd", path="/usr/sbin:/usr/bin"):
        missing.append("sshd")
    if missing:
        pytest.skip(f"not here: {', '.join(missing)}")
    built = Hosts(start_namespace, COUNT)
    yield built
    built.close()


def words(plimsoll, hosts):
    return ("ssh", "-n", str(COUNT), "-H", ",".join(hosts.names), "--program", plimsoll)


def test_hosts_bring_more_connections_than_one_has_ports(plimsoll, hosts, tmp_path, full):
    """4 x 12 000 connections to one address (scaled down unless --full), held by 4 server processes, all open at once."""
    each = 12000 if full else 250
    url = hosts.serve(processes=4, connections=16000)
    plan = ("-c", str(COUNT * each), "-n", str(3 * COUNT * each), "-r", "8000/s" if full else "1000/s", "--timeout", "60s")
    script, _ = print_job(plimsoll, *words(plimsoll, hosts), "--start-in", "30s" if full else "10s", "--", "load", *plan, url)
    assert f"ulimit -n {each + 128}" in script
    job = Process([*hosts.at(tmp_path), "bash", write_script(tmp_path / "job.sh", script)], env={**hosts.env, "PLIMSOLL_DB": str(tmp_path / "db")})
    wait_until(lambda: not job.running() or hosts.active() >= COUNT * each, "all connections are open", 180, 0.2)
    done = job.finish(240)
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", done)
    check_merged(doc, done.exit, COUNT, hosts.requests(), 3 * COUNT * each)
    assert doc["totals"]["connections_opened"] == COUNT * each, doc["totals"]
    assert [a["connections"] for a in doc["addresses"]] == [COUNT * each], doc["addresses"]


def test_apply_over_ssh_and_what_a_lost_host_does(plimsoll, hosts, tmp_path):
    """One of four dies in the middle: the rest is merged, and the result says what is missing."""
    url = hosts.serve(processes=1, connections=1000)
    job = Process([*hosts.at(tmp_path), plimsoll, "job", *words(plimsoll, hosts), START, "--apply", "--progress", "json", "--", "load", "-d", "10s", "-c", "8",
                   "-r", "400/s", url], env={**hosts.env, "PLIMSOLL_DB": str(tmp_path / "db")})
    wait_until(lambda: not job.running() or hosts.requests() > 100, "the shares send", 90, 0.2)
    killed = [pid for pid, words in hosts.processes_of(1) if "--share" in words and words[1:2] == ["load"]]
    assert len(killed) == 1, killed
    os.kill(killed[0], signal.SIGKILL)
    done = job.finish(120)
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", done)
    assert done.exit == 3 and not doc["valid"], done
    # Which share a host has is parallel's affair.
    assert any(re.search("3 of 4 shares are here, [1-4] is missing", r) for r in doc["reasons"]), doc["reasons"]
    assert re.search(r'^\{"share": [1-4], "elapsed_s"', done.err, re.M), done.err
    assert "shares were invalid, or failed" in done.err, done.err


def test_an_interrupt_ends_the_shares_on_all_hosts(plimsoll, hosts, tmp_path):
    url = hosts.serve(processes=1, connections=1000)
    job = Process([*hosts.at(tmp_path), plimsoll, "job", *words(plimsoll, hosts), START, "--apply", "--", "load", "-d", "200s", "-c", "8", "-r", "200/s", url],
                  env={**hosts.env, "PLIMSOLL_DB": str(tmp_path / "db")})
    wait_until(lambda: not job.running() or hosts.requests() > 50, "the shares send", 90, 0.2)
    job.signal(signal.SIGINT)
    done = job.finish(90)
    assert done.exit == 130, done
    wait_until(lambda: hosts.active() == 0, "no share is left", 60, 0.2)


def test_a_suite_goes_along_and_its_documents_come_back(plimsoll, hosts, tmp_path):
    """The suite is carried over ssh with the function, line ends and quotes and all; each share's documents come back as an archive."""
    url = hosts.serve(processes=1, connections=1000)
    (tmp_path / "suite.yaml").write_text('# it\'s "ours": $HOME `id`\nname: shared\nparameters: {target: ""}\nsamples: 2\nload:\n  url: "{target}"\n'
                                         '  connections: 8\n  rate: 100\n  duration: 1s\n')
    script, _ = print_job(plimsoll, *words(plimsoll, hosts), START, "--", "run", str(tmp_path / "suite.yaml"), "-s", f"target={url}", "--gap", "3s")
    job = Process([*hosts.at(tmp_path), "bash", write_script(tmp_path / "job.sh", script)], env={**hosts.env, "PLIMSOLL_DB": str(tmp_path / "db")})
    done = job.finish(120)
    for name in ("sample-00001", "sample-00002"):
        doc = read_document(tmp_path / f"plimsoll-parts/merged/{name}.json", done)
        check_merged(doc, 0 if doc["valid"] else 3, COUNT, requests=100)
    wait_until(lambda: hosts.requests() == 200, "the server has counted all", 20, 0.2)


def test_a_share_that_stands_still_one_late_one_an_hour_off(plimsoll, hosts, tmp_path):
    """On hosts of their own, with clocks checked: reasons name the shares; the one whose clock is off began with the others."""
    if "san" in os.path.basename(os.path.dirname(plimsoll)):
        pytest.skip("the sanitizer wants to be the first library")
    url = hosts.serve(processes=1, connections=1000)
    program = write_program(tmp_path, plimsoll, ["", "stopped", "late", "hour"], build_off_clock(tmp_path))
    script, _ = print_job(plimsoll, "ssh", "-n", str(COUNT), "-H", ",".join(hosts.names), "--program", program, START, "--", "load", "-c", "8", "-r", "100/s",
                          "-d", "7s", "--clock-check", url, url)
    job = Process([*hosts.at(tmp_path), "bash", write_script(tmp_path / "job.sh", script)], env={**hosts.env, "PLIMSOLL_DB": str(tmp_path / "db")})
    done = job.finish(120)
    doc = read_document(tmp_path / "plimsoll-parts/merged.json", done)
    assert done.exit == 3 and not doc["valid"], done
    assert any(r.startswith("share 2/4 was limited by its machine") for r in doc["reasons"]), doc["reasons"]
    assert any(re.match("share 3/4 began .* after the agreed start", r) for r in doc["reasons"]), doc["reasons"]
    off = next(p for p in doc["parts"] if p["share"] == "4/4")["start"]
    assert abs(off["clock_offset_s"] + 3600) < 2 and off["late_s"] < 2, off
    wait_until(lambda: hosts.requests() >= doc["totals"]["ok"], "the server has counted all", 20, 0.2)
