# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of one plan: exactly split, started together, merged as one process would have measured it, and what goes wrong with them."""
import csv
import datetime
import glob
import json
import math
import os
import signal
import time

import pytest

from lib import laws
from lib.clocks import Clock, build_off_clock
from lib.process import Process, run, wait_until
from lib.recorder import Recorder
from lib.target import OK, reply

AHEAD_S = 4.0  # so long before the start shares are begun: processes of a busy machine are ready by then


def moment(ahead_s):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=ahead_s)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


class Shares:
    """n processes of one plan; each: arguments, environment or command in front of one of them, by its number."""

    def __init__(self, plimsoll, folder, n, *args, prefix=None, env=None, absent=()):
        self.plimsoll, self.folder, self.n = plimsoll, folder, n
        self.processes = {}
        for i in range(1, n + 1):
            if i not in absent:
                self.begin(i, *args, prefix=(prefix or {}).get(i, ()), env=(env or {}).get(i))

    def begin(self, i, *args, prefix=(), env=None):
        argv = [*prefix, self.plimsoll, "load", "--no-store", "--share", f"{i}/{self.n}", "--json", str(self.folder / "part-{share}.json"), *args]
        self.processes[i] = Process(argv, env=env)

    def finish(self, codes=(0, 3), timeout_s=60.0):
        self.done = {}
        try:
            for i, process in self.processes.items():
                self.done[i] = process.finish(timeout_s)
                assert self.done[i].exit in codes, self.done[i]
        finally:
            for process in self.processes.values():
                process.close()
        return self

    def parts(self):
        out = {}
        for i in range(1, self.n + 1):
            path = self.folder / f"part-{i}.json"
            if path.exists():
                out[i] = laws.parse(path.read_text())
        return out

    def merge(self, *words, codes=(0, 3)):
        words = words or sorted(glob.glob(str(self.folder / "part-*.json")))
        done = run([self.plimsoll, "results", "merge", "--no-store", "-o", "-", *words])
        assert done.exit in codes, done
        return done

    def merged(self, *words):
        return laws.parse(self.merge(*words).out)


@pytest.fixture
def shares(plimsoll, tmp_path):
    def begin(n, *args, **how):
        folder = tmp_path / f"parts-{len(os.listdir(tmp_path))}"
        folder.mkdir()
        return Shares(plimsoll, folder, n, *args, **how)

    return begin


@pytest.fixture
def clock():
    one = Clock()
    yield one.where
    one.close()


@pytest.fixture
def server():
    one = Recorder()
    yield one
    one.stop()
    assert not one.errors, one.errors


# ---- the split ----

def test_requests_connections_seq_and_feed_are_dealt_exactly(shares, server, tmp_path):
    feed = tmp_path / "users.csv"
    feed.write_text("user\n" + "".join(f"u{i}\n" for i in range(10)))
    parts = shares(4, "-n", "103", "-c", "10", "-t", "2", "--feed", str(feed), "--seed", "7", "--warmup", "50ms",
                   server.url("/{seq}/{user}/{connection}")).finish().parts()
    assert [parts[i]["totals"]["started"] for i in (1, 2, 3, 4)] == [26, 26, 26, 25]
    assert [parts[i]["config"]["share"] for i in (1, 2, 3, 4)] == ["1/4", "2/4", "3/4", "4/4"]
    assert {(p["config"]["requests"], p["config"]["connections"]) for p in parts.values()} == {(103, 10)}, "of the whole plan"
    seen = [r.target.strip("/").split("/") for r in server.requests]
    assert sorted(int(seq) for seq, _, _ in seen if int(seq) <= 103) == list(range(1, 104))
    assert len({seq for seq, _, _ in seen}) == len(seen), "a warm-up's {seq} is nobody else's either"
    share_of_user = {}
    for seq, user, connection in seen:
        share = (int(seq) - 1) % 4
        assert share_of_user.setdefault(user, share) == share, f"{user} is in two shares"
        assert (int(connection) - 1) % 4 == share, "connections are numbered through"
    assert len(share_of_user) == 10


def test_a_part_of_a_request_is_no_missed_rate(shares, server):
    """50 requests in 4 shares are 13, 13, 12 and 12: none of them missed its 12.5."""
    done = shares(4, "-r", "50", "-d", "1s", "-c", "4", "--start-at", moment(AHEAD_S), server.url("/")).finish()
    assert sorted(part["totals"]["started"] for part in done.parts().values()) == [12, 12, 13, 13]
    said = [w for part in [*done.parts().values(), done.merged()] for w in part["warnings"] if "rate not met" in w]
    assert said == []


def merged_of_plan(shares, n, *args):
    """The shares' documents, begun together, and their merge."""
    done = shares(n, *args, "--start-at", moment(AHEAD_S)).finish()
    return done.parts(), done.merged()


@pytest.mark.parametrize("n, connections", [(4, "4"), (3, "4"), (2, "1")])
def test_a_rate_is_for_all_connections_alike(shares, start_target, n, connections):
    """Whatever divides what: each share has its connections' part of the rate, and each target as much as from one process."""
    servers = [start_target(OK) for _ in range(5)]
    parts, merged = merged_of_plan(shares, n, "-c", connections, "-t", "2", "-r", "150/s", "-d", "2s", *[s.url() for s in servers])
    assert sum(p["totals"]["started"] for p in parts.values()) == merged["totals"]["started"] == 300
    whole = sum(p["totals"]["connections_opened"] for p in parts.values())
    assert whole == 5 * int(connections)
    for part in parts.values():
        assert abs(part["totals"]["started"] - 300 * part["totals"]["connections_opened"] / whole) <= 2, part["totals"]
    sent = [t["totals"]["sent"] for t in merged["targets"]]
    assert all(abs(count - 60) <= 6 for count in sent), f"{sent}: a connection that is late has lost its place in line, no more"


def test_seq_and_rows_of_a_rate_are_those_of_one_process(shares, load, tmp_path):
    """Request k of the schedule is number k + 1 and takes row k, whoever sends it; no row is in two shares."""
    feed = tmp_path / "users.csv"
    feed.write_text("user\n" + "".join(f"u{i + 1}\n" for i in range(100)))

    def targets(begin):
        server = Recorder()
        begin(server.url("/{seq}/{user}"))
        server.stop()
        return sorted(r.target for r in server.requests)

    want = sorted(f"/{k}/u{k}" for k in range(1, 101))
    args = ("-n", "100", "-c", "7", "-t", "2", "-r", "400", "--feed", str(feed))
    once = ("-c", "7", "-t", "2", "-r", "400", "-d", "5s", "--feed", str(feed), "--feed-order", "once")
    assert targets(lambda url: load(*args, url)) == want
    assert targets(lambda url: shares(3, *args, url).finish()) == want
    assert targets(lambda url: shares(3, *once, url).finish()) == want


def test_a_share_without_requests_is_valid(shares, server):
    """Two requests come due of these stages, for three shares: the third had nothing to do, and nothing is wrong."""
    parts, merged = merged_of_plan(shares, 3, "-c", "9", "--stages", "step:1/s:1s,0/s:500ms,1/s:1s", "--slo", "p99<20s", "--strict", server.url())
    assert [parts[i]["totals"]["started"] for i in (1, 2, 3)] == [1, 1, 0]
    assert not_of_the_machine(parts[3]["reasons"]) == [] and parts[3]["slo"][0]["kept"] is True
    assert merged["totals"]["ok"] == 2 and not_of_the_machine(merged["reasons"]) == []


def test_the_same_requests_as_one_process(shares, load):
    def targets(begin):
        server = Recorder()
        begin(server.url("/{seq}/{uuid}/{random:8}"))
        server.stop()
        return sorted(r.target for r in server.requests)

    args = ("-n", "60", "-c", "6", "-t", "2", "--seed", "11")
    assert targets(lambda url: shares(3, *args, url).finish()) == targets(lambda url: load(*args, url))


def test_targets_are_dealt(shares, start_target):
    servers = [start_target(OK) for _ in range(5)]
    parts = shares(3, "-c", "1", "-n", "60", *[s.url() for s in servers]).finish().parts()
    assert [s.counts()["begun"] > 0 for s in servers] == [True] * 5
    opened = {i: [t["totals"]["connections_opened"] for t in p["targets"]] for i, p in parts.items()}
    assert opened == {1: [1, 0, 0, 1, 0], 2: [0, 1, 0, 0, 1], 3: [0, 0, 1, 0, 0]}


def test_schedules_lie_beside_each_other(shares, server):
    """200/s in 4 shares: share i sends at (k + i/4) * 20 ms."""
    dues = {}
    for i in (1, 2, 3, 4):
        part = shares(4, "-n", "40", "-c", "8", "-r", "200", server.url(), "--log", "LOG-{share}", absent={1, 2, 3, 4})
        part.begin(i, "-n", "40", "-c", "8", "-r", "200", server.url(), "--log", str(part.folder / "log-{share}"))
        part.finish()
        with open(part.folder / f"log-{i}", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        column = next(name for name in rows[0] if name.startswith("due") or name.startswith("t_s") or name == "at_s")
        dues[i] = sorted(float(row[column]) for row in rows)
        assert len(dues[i]) == 10
    everybody = sorted(due for one in dues.values() for due in one)
    assert all(math.isclose(due, k / 200, abs_tol=1e-6) for k, due in enumerate(everybody)), everybody
    assert [round(dues[i][0] * 200) for i in (1, 2, 3, 4)] == [0, 1, 2, 3]


SCHEDULERS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "JOB_COMPLETION_INDEX", "PARALLEL_SEQ", "SLURM_PROCID")
NO_SCHEDULER = ["env", *(word for name in SCHEDULERS for word in ("-u", name))]


@pytest.mark.parametrize("why, env, args, says", [
    ("Open MPI counts from 0", {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, [], "share 3 of 4"),
    ("PMI", {"PMI_RANK": "0", "PMI_SIZE": "4"}, [], "share 1 of 4"),
    ("Slurm", {"SLURM_PROCID": "3", "SLURM_NTASKS": "4"}, [], "share 4 of 4"),
    ("an Indexed Job does not say how many", {"JOB_COMPLETION_INDEX": "1"}, ["--of", "4"], "share 2 of 4"),
    ("GNU parallel counts from 1", {"PARALLEL_SEQ": "4"}, ["--of", "4"], "share 4 of 4"),
    ("mpirun in a batch script: the rank is mpirun's", {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"},
     [], "share 2 of 4"),
])
def test_auto(plimsoll, server, why, env, args, says):
    done = run([*NO_SCHEDULER, *(f"{k}={v}" for k, v in env.items()), plimsoll, "load", "--dry-run", "--share", "auto", *args, "-c", "8", server.url()])
    assert done.exit == 0 and says in done.out, (why, done)


@pytest.mark.parametrize("why, args, says", [
    ("counts from 1", ["--share", "0/4"], "the first share is 1"),
    ("beyond the last", ["--share", "5/4"], "beyond the last"),
    ("no numbers", ["--share", "one"], "is no share"),
    ("nobody says", ["--share", "auto"], "no scheduler says"),
    ("of without auto", ["--share", "1/2", "--of", "2"], "--of is for --share auto"),
    ("fewer connections than shares", ["--share", "1/4", "-c", "3"], "3 connections for 4 shares"),
    ("fewer requests than shares", ["--share", "4/4", "-c", "4", "-n", "3"], "3 requests for 4 shares"),
    ("fewer requests due than shares", ["--share", "3/3", "-c", "9", "-d", "3s", "-r", "0.5/s"], "2 requests due in the window for 3 shares"),
    ("and of the first share", ["--share", "1/3", "-c", "9", "-d", "3s", "-r", "0.5/s"], "2 requests due in the window for 3 shares"),
    ("no moment", ["--start-at", "noon"], "is no moment"),
    ("a moment without zone", ["--start-at", "2026-03-01T12:00:00"], "is no moment"),
    ("a day that no month has", ["--start-at", "2026-02-30T12:00:00Z"], "is no moment"),
    ("no such file", ["--start-at", "@/no/such/file"], "/no/such/file"),
    ("long ago", ["--start-at", "2020-01-01T00:00:00Z"], "ago by this machine's clock"),
    ("far ahead", ["--start-at", "2099-01-01T00:00:00Z"], "ahead by this machine's clock"),
    ("a check of nothing", ["--clock-check", "127.0.0.1"], "no meaning without --start-at"),
    ("a clock of no such scheme", ["--start-at", "+5s", "--clock-check", "ftp://x/"], "http:// or https:// URL"),
    ("nobody to ask", ["--start-at", "+5s", "--clock-check", "127.0.0.1:1"], "--clock-check: http://127.0.0.1:1/"),
])
def test_refused(plimsoll, server, why, args, says):
    done = run([*NO_SCHEDULER, plimsoll, "load", "--no-store", *args, server.url()])
    assert done.exit == 2 and says in done.err and "hint:" in done.err, (why, done)
    assert server.requests == []


def test_the_report_of_a_share_says_so(plimsoll, server):
    done = run([*NO_SCHEDULER, plimsoll, "load", "--no-store", "--share", "1/3", "-c", "7", "-r", "90/s", "-d", "1s", server.url()])
    assert done.exit in (0, 3) and "1 of 3 of the plan: 3 connections, 38.00 requests/s" in " ".join(done.out.split()), done
    done = run([*NO_SCHEDULER, plimsoll, "load", "--no-store", "-c", "7", "-n", "7", server.url()])
    assert "of the plan" not in done.out, done


def test_one_moment_in_a_file(plimsoll, server, tmp_path):
    path = tmp_path / "start"
    path.write_text(moment(1.5) + "\n")
    begun = time.monotonic()
    done = run([plimsoll, "load", "--no-store", "--start-at", f"@{path}", "-n", "5", "-c", "1", "--json", "-", server.url()])
    document = laws.parse(done.out)
    assert done.exit == 0 and time.monotonic() - begun > 1 and document["start"]["at"] + "\n" == path.read_text()
    path.write_text("+5s\n")
    done = run([plimsoll, "load", "--no-store", "--start-at", f"@{path}", server.url()])
    assert done.exit == 2 and str(path) in done.err


# ---- the merge ----

def latencies(folder, n):
    """Of ok requests, in ns, of the logs of all shares: what one process would have recorded."""
    out = []
    for i in range(1, n + 1):
        with open(folder / f"log-{i}", encoding="utf-8") as f:
            out += [float(row["latency_s"]) for row in csv.DictReader(f) if row["error"] == "" and row["latency_s"] != ""]
    return sorted(out)


def not_of_the_machine(reasons):
    """A machine that stands still or is busy is no fault of the merge."""
    return [r for r in reasons if "limited by its machine" not in r and "late" not in r and "stood still" not in r]


def test_four_shares_are_one_run(shares, start_target, tmp_path):
    server = start_target(OK)
    at = moment(AHEAD_S)
    these = shares(4, "-c", "10", "-r", "401", "-n", "1203", "--start-at", at, server.url(), "--log", str(tmp_path / "log-{share}")).finish()
    before = these.merged()
    assert before["totals"]["started"] == before["totals"]["ok"] == 1203 == server.counts()["begun"]
    assert not_of_the_machine(before["reasons"]) == []
    assert before["config"]["connections"] == 10 and before["config"]["requests"] == 1203
    assert before["totals"]["connections_opened"] == 10
    assert [p["share"] for p in before["parts"]] == ["1/4", "2/4", "3/4", "4/4"]
    assert [p["requests"] for p in before["parts"]] == [361, 361, 241, 240], "as their connections: 3, 3, 2 and 2"
    assert all(p["start"]["at"] == at and 0 <= p["start"]["late_s"] < 2 for p in before["parts"])
    everything = latencies(tmp_path, 4)
    assert len(everything) == before["latency"]["count"] == 1203
    for key, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        exact = everything[math.ceil(q * len(everything)) - 1]
        assert math.isclose(before["latency"][key], exact, rel_tol=1e-3), key
    assert math.isclose(before["latency"]["sum_ns"], sum(round(x * 1e9) for x in everything), rel_tol=1e-9)

    # all four saw one machine's sockets
    health, each = before["generator"], [p["generator"] for p in these.parts().values()]
    for figure in ("time_wait_start", "time_wait_end", "retransmits", "ports_available"):
        assert health[figure] == max(g[figure] or 0 for g in each), figure

    # any order, any tree: the same bytes
    names = [str(these.folder / f"part-{i}.json") for i in (1, 2, 3, 4)]
    text = these.merge().out
    pair, others = tmp_path / "pair.json", tmp_path / "others.json"
    pair.write_text(these.merge(names[3], names[1]).out)
    others.write_text(these.merge(names[2], names[0]).out)
    assert these.merge(*reversed(names)).out == text == these.merge(str(others), str(pair)).out

    # three of them, one twice, one cut off, one of another version, one of another plan
    assert "3 of 4 shares are here, 2 is missing" in " ".join(these.merged(names[0], names[2], names[3])["reasons"])
    assert these.merge(names[0], names[2], names[3]).exit == 3
    assert "is there already" in these.merge(*names, names[1], codes=(2,)).err
    whole = (these.folder / "part-2.json").read_text()
    for change, says in ((lambda d: d["host"].update(tool_version="0.0.1"), "same version"),
                         (lambda d: d["config"].update(connections=11), "configured differently: connections is 11"),
                         (lambda d: d["config"].update(duration_s=99), "configured differently: duration_s")):
        document = json.loads(whole)
        change(document)
        (tmp_path / "changed.json").write_text(json.dumps(document))
        assert says in (lambda done: done.err)(these.merge(names[0], str(tmp_path / "changed.json"), codes=(2,))), says
    for share in (1, {}, "x", "3/2"):
        document = json.loads(whole)
        document["config"]["share"] = share
        (tmp_path / "changed.json").write_text(json.dumps(document))
        refused = these.merge(names[0], str(tmp_path / "changed.json"), codes=(2,))
        assert "not a result document" in refused.err and '"share"' in refused.err, refused
    (tmp_path / "cut.json").write_text(whole[:len(whole) // 2])
    refused = these.merge(names[0], str(tmp_path / "cut.json"), codes=(2,))
    assert "cut.json" in refused.err and refused.out == ""


def counts_of(document):
    """What a plan of a number of requests fixes; but of totals not what depends on the moment."""
    totals = ("started", "sent", "ok", "failed", "unfinished", "not_sent", "bytes_sent", "bytes_received", "body_bytes_received", "connections_opened",
              "connections_reused")
    pick = lambda t: {k: t[k] for k in totals}  # noqa: E731
    return {"totals": pick(document["totals"]), "status": document["status"], "latency": document["latency"]["count"],
            "service_time": document["service_time"]["count"],
            "classes": {k: h["count"] for k, h in document["latency_by_class"].items() if h},
            "errors": sorted((e["kind"], e["detail"], e["count"]) for e in document["errors"]),
            "targets": {t["url"]: (pick(t["totals"]), t["status"], t["latency"] and t["latency"]["count"]) for t in document["targets"]},
            "addresses": sorted(document["addresses"], key=lambda a: a["address"])}


@pytest.mark.parametrize("how, paths", [(("-n", "120"), 1), (("-r", "100", "-n", "120"), 3)], ids=["requests", "rate"])
def test_the_merge_counts_what_one_process_counts(shares, load, start_target, how, paths):
    replies = (OK, reply(status="404 Not Found"), OK)[:paths]  # without a rate the fastest target gets most
    args = (*how, "-c", "3", "-t", "1", *[start_target(r).url() for r in replies])
    merged, alone = shares(3, *args).finish().merged(), load(*args).doc
    assert counts_of(merged) == counts_of(alone)


# ---- faults ----

def test_a_share_is_killed(shares, start_target):
    server = start_target(OK)
    these = shares(4, "-c", "8", "-r", "200", "-d", "3s", "--start-at", moment(AHEAD_S), server.url())
    wait_until(lambda: server.counts()["begun"] > 100, "the shares have begun", limit_s=30)
    these.processes[3].kill()
    these.finish(codes=(0, 3, -signal.SIGKILL))
    done = these.merge()
    document = laws.parse(done.out)
    assert done.exit == 3 and sorted(these.parts()) == [1, 2, 4], "an unfinished part is no part"
    assert "3 of 4 shares are here, 3 is missing: the figures are of these alone" in document["reasons"]
    assert document["totals"]["started"] == sum(p["totals"]["started"] for p in these.parts().values()) < server.counts()["begun"]


def test_a_share_stands_still(shares, start_target, full):
    server = start_target(OK)
    stop_s = 5.0 if full else 1.0
    these = shares(4, "-c", "8", "-r", "200", "-d", "10s" if full else "3s", "--start-at", moment(AHEAD_S), server.url())
    wait_until(lambda: server.counts()["begun"] > 50, "the shares have begun", limit_s=30)
    these.processes[2].signal(signal.SIGSTOP)
    time.sleep(stop_s)  # the fault itself
    these.processes[2].signal(signal.SIGCONT)
    these.finish()
    done = these.merge()
    document = laws.parse(done.out)
    assert done.exit == 3 and any(r.startswith("share 2/4 was limited by its machine") for r in document["reasons"]), document["reasons"]
    assert document["latency"]["max"] > 0.9 * stop_s, "what waited in the schedule is in the latency"
    assert [p["limited"] for p in document["parts"]][1] is True


def test_a_share_comes_late(shares, start_target, clock):
    """Three seconds: refused while nobody vouches for its clock, else it says by how much, and so does the merge."""
    server = start_target(OK)
    at = moment(AHEAD_S)
    args = ("-c", "8", "-r", "100", "-d", "5s", "--start-at", at, server.url())
    these = shares(4, *args, absent={4})
    due = time.monotonic() + AHEAD_S
    wait_until(lambda: time.monotonic() > due + 3.0, "three seconds after the start", limit_s=30)
    refused = run([these.plimsoll, "load", "--share", "4/4", *args])
    assert refused.exit == 2 and "ago by this machine's clock" in refused.err
    these.begin(4, *args, "--clock-check", clock)
    these.finish()
    late = these.parts()[4]["start"]["late_s"]
    assert 3.0 < late < 30 and "late" in these.done[4].err
    done = these.merge()
    document = laws.parse(done.out)
    assert done.exit == 3 and any(r.startswith("share 4/4 began ") and r.endswith(" after the agreed start") for r in document["reasons"])
    assert document["parts"][3]["start"]["late_s"] == late and document["totals"]["started"] == 500


@pytest.fixture(scope="module")
def off_clock(tmp_path_factory):
    """off_clock(seconds): the environment of a process whose wall clock is off by so much."""
    library = build_off_clock(tmp_path_factory.mktemp("clock"))
    return lambda seconds: {"LD_PRELOAD": library, "OFF_CLOCK_S": str(seconds)}


def test_a_clock_is_an_hour_off(shares, start_target, clock, off_clock, plimsoll):
    """With its clock checked the share starts with the others; without, it is refused, whichever way the clock is off."""
    if "san" in os.path.basename(os.path.dirname(plimsoll)):
        pytest.skip("the sanitizer wants to be the first library")
    server = start_target(OK)
    at = moment(AHEAD_S + 2)
    args = ("-c", "8", "-r", "100", "-d", "2s", "--start-at", at, server.url())
    for off, says in ((3600, "ago"), (-3600, "ahead")):
        refused = run([plimsoll, "load", "--share", "1/4", *args], env=off_clock(off))
        assert refused.exit == 2 and says in refused.err, refused
    these = shares(4, *args, absent={2, 3})
    for i, off in ((2, 3600), (3, -3600)):
        these.begin(i, *args, "--clock-check", clock, env=off_clock(off))
    these.finish()
    document = these.merged()
    assert not_of_the_machine(document["reasons"]) == [], document["reasons"]
    starts = {p["share"]: p["start"] for p in document["parts"]}
    assert -3602 < starts["2/4"]["clock_offset_s"] < -3598 and 3598 < starts["3/4"]["clock_offset_s"] < 3602
    assert all(0 < starts[s]["clock_resolution_s"] < 1 for s in ("2/4", "3/4"))
    assert document["totals"]["started"] == 200 == server.counts()["begun"]


# ---- a suite ----

SUITE = """
name: shared
parameters: {target: ""}
matrix:
  connections: [4, 6]
load:
  url: "{target}"
  connections: "{connections}"
  rate: 100
  duration: 1s
"""


def run_of_suite(plimsoll, folder, server, i, *args):
    return Process([plimsoll, "run", str(folder / "suite.yaml"), "-s", f"target={server.url()}", "--no-store", "--share", f"{i}/2", "--gap", "3s",
                    "--work-dir", str(folder / "work-{share}"), "--json", str(folder / "suite-{share}.json"), *args])


def test_a_suite_in_two_shares(plimsoll, start_target, tmp_path):
    """Both begin each sample at the same moment; their parts of a sample are merged like any others."""
    server = start_target(OK)
    (tmp_path / "suite.yaml").write_text(SUITE)
    at = moment(AHEAD_S)
    both = [run_of_suite(plimsoll, tmp_path, server, i, "--start-at", at) for i in (1, 2)]
    try:
        for one in both:
            done = one.finish(90)
            assert done.exit in (0, 3), done
    finally:
        for one in both:
            one.close()
    starts = []
    for sample, connections in (("sample-00001.json", 4), ("sample-00002.json", 6)):
        done = run([plimsoll, "results", "merge", "--no-store", "-o", "-", *(str(tmp_path / f"work-{i}" / sample) for i in (1, 2))])
        document = laws.parse(done.out)
        assert done.exit in (0, 3) and not_of_the_machine(document["reasons"]) == [], document["reasons"]
        assert document["totals"]["started"] == 100 and document["totals"]["connections_opened"] == connections
        assert len({p["start"]["at"] for p in document["parts"]}) == 1
        starts.append(document["parts"][0]["start"]["at"])
    first, second = (datetime.datetime.fromisoformat(at[:-1]) for at in starts)
    assert second - first == datetime.timedelta(seconds=4), "a sample's second and the gap"
    assert server.counts()["begun"] == 200
    refused = run_of_suite(plimsoll, tmp_path, server, 1).finish(20)
    assert refused.exit == 2 and "needs a moment that all shares know" in refused.err


def test_rounds_of_a_limit_in_two_shares(plimsoll, start_target, tmp_path):
    """The level is kept by both together, and a round above it is made too; what is judged is the merge."""
    server = start_target(OK)
    words = ["--slo", "p99<20s", "--from", "100/s", "--confirm", "1", "--step-time", "500ms", "-c", "4"]
    at = moment(AHEAD_S)
    both = [Process([plimsoll, "limit", *words, "--share", f"{i}/2", "--start-at", at, "--json", str(tmp_path / "round-{round}-part-{share}.json"),
                     server.url()]) for i in (1, 2)]
    try:
        for one in both:
            done = one.finish(120)
            assert done.exit in (0, 3), done
    finally:
        for one in both:
            one.close()
    for number, due in ((1, 50), (2, 55)):
        names = [str(tmp_path / f"round-{number}-part-{i}.json") for i in (1, 2)]
        done = run([plimsoll, "results", "merge", "--no-store", "-o", "-", *names])
        document = laws.parse(done.out)
        assert done.exit in (0, 3) and not_of_the_machine(document["reasons"]) == [], document["reasons"]
        assert document["totals"]["started"] == due and document["slo"][0]["kept"] is True
    assert server.counts()["begun"] == 105
    for more, says in ((["--share", "1/2", "--json", "{round}"], "none is given"), (["--share", "1/2", "--from", "5/s"], "a document for every round")):
        refused = run([plimsoll, "limit", "--slo", "p99<1s", *more, server.url()])
        assert refused.exit == 2 and says in refused.err
