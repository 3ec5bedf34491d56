# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll rounds` beside what else times commands: hyperfine without a shell, and bash with & and wait. Interleaved; medians."""
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import lab
from table import Table

COPIES, SLEEP, RUNS, PRINTED = 32, "0.1", 1000, 1000000000
BASH = 's=${EPOCHREALTIME/[.,]/}; for i in {1..%d}; do sleep %s & done; wait; e=${EPOCHREALTIME/[.,]/}; echo $((e-s))' % (COPIES, SLEEP)


def wall_s(argv):
    start = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    return time.monotonic() - start, done


def plimsoll(*args):
    """The rounds, and how long the program took in all."""
    took, done = wall_s([lab.PLIMSOLL, "rounds", "--no-store", "--json", "-", *args])
    return json.loads(done.stdout)["rounds"], took


def one_after_another(folder):
    """Microseconds of a run of `true`, start and report of the program included: hyperfine, plimsoll, and what each tells."""
    file = os.path.join(folder, "hyperfine.json")
    ours, took = plimsoll("--warmup", "10", "--samples", str(RUNS), "--", "true")
    its_took, _ = wall_s(["hyperfine", "-N", "--warmup", "10", "--runs", str(RUNS), "--export-json", file, "true"])
    with open(file, encoding="utf-8") as f:
        its = json.load(f)["results"][0]["median"]
    return [1e6 * t for t in (its_took / (RUNS + 10), took / (RUNS + 10), its,
                              statistics.median(r["copies"][0]["duration_s"] for r in ours))]


def at_once():
    """Milliseconds from the first start to the last end of 32 `sleep 0.1`: bash, plimsoll; the spread of plimsoll's execs."""
    done = subprocess.run(["bash", "-c", BASH], capture_output=True, text=True, timeout=60, check=True)
    rounds, _ = plimsoll("-c", str(COPIES), "--", "sleep", SLEEP)
    return int(done.stdout) / 1e3, 1e3 * rounds[0]["makespan_s"], 1e3 * rounds[0]["exec_spread_s"]


def printed():
    """Bytes per second read from two copies that print as fast as they can."""
    rounds, _ = plimsoll("-c", "2", "--", "head", "-c", str(PRINTED // 2), "/dev/zero")
    return sum(c["output_bytes"] for c in rounds[0]["copies"]) / rounds[0]["makespan_s"]


def thousand():
    rounds, _ = plimsoll("-c", "1000", "--", "true")
    return rounds[0]["ok"], rounds[0]["makespan_s"]


def version(program, pattern):
    found = re.search(pattern, subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout)
    return found.group(1) if found else "?"


def run(options):
    os.sched_setaffinity(0, range(os.cpu_count() or 1))  # what is timed is many processes, not one client
    table = Table("rounds", f"Timing commands: {options.rounds} interleaved rounds, medians", ["what", "peer", "plimsoll", "ratio"])
    if shutil.which("hyperfine") is None:
        table.notes.append("hyperfine is not installed: nothing to compare with")
        return table
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        alone, together, speeds = [], [], []
        for _ in range(options.rounds):
            alone.append(one_after_another(folder))
            together.append(at_once())
            speeds.append(printed())
    its_wall, wall, its, ours = (statistics.median(column) for column in zip(*alone))
    bash, makespan, spread = (statistics.median(column) for column in zip(*together))
    speed, (ok, thousand_s) = statistics.median(speeds) / 1e6, thousand()
    hyperfine = "hyperfine " + version("hyperfine", r"(\d\S+)") + " -N"
    table.add(f"`true`, one after another: wall clock per run, µs ({hyperfine})", f"{its_wall:.0f}", f"{wall:.0f}", f"{wall / its_wall:.2f}")
    table.add("the same: median duration told, µs", f"{its:.0f}", f"{ours:.0f}", f"{ours / its:.2f}")
    table.add(f"{COPIES} × `sleep {SLEEP}` at once: makespan, ms (bash)", f"{bash:.1f}", f"{makespan:.1f}", f"{makespan / bash:.2f}")
    table.add("spread of the execs of those, ms", "", f"{spread:.1f}", "")
    table.add("output of two copies read, MB/s", "", f"{speed:.0f}", "")
    table.add("1 000 × `true` at once: makespan, s", "", f"{thousand_s:.2f}", "")
    table.bar("wall clock per run of `true`, against hyperfine -N", wall / its_wall, 1.0)
    table.bar(f"makespan of {COPIES} × `sleep {SLEEP}`, against bash", makespan / bash, 1.0)
    table.bar("spread of 32 execs", spread, 25, " ms")
    table.bar_ok("output read ≥ 500 MB/s", f"{speed:.0f} MB/s", speed >= 500)
    table.bar_ok("1 000 at once, all ok", str(ok), ok == 1000)
    return table
