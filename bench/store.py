# SPDX-License-Identifier: GPL-3.0-or-later
"""The store: a list of ten thousand runs, and a comparison of 2 000 cells × 10 samples × 5 metrics out of it."""
import json
import os
import subprocess
import tempfile
import time

import lab
from table import Table

RUNS, LIST_BAR_S = 10000, 0.1
CELLS, SAMPLES, METRICS, COMPARE_BAR_S = 2000, 10, ("requests_per_s", "latency_mean", "latency_p50", "latency_p95", "latency_p99"), 0.5
TIMES = 5


def plimsoll(folder, *args, codes=(0,)):
    """The shortest of some runs: what else the machine does only adds."""
    environment = {**os.environ, "PLIMSOLL_DB": os.path.join(folder, "results.db")}
    begin = time.perf_counter()
    done = subprocess.run([lab.PLIMSOLL, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, timeout=300, check=False)
    if done.returncode not in codes:
        raise RuntimeError(f"{args[0]} {args[1]} ended with {done.returncode}: {done.stderr.decode()}")
    return time.perf_counter() - begin


def shortest(folder, *args, codes=(0,)):
    return min(plimsoll(folder, *args, codes=codes) for _ in range(TIMES))


def sample(side, cell, number, factor):
    spread = 1 + ((cell * 7919 + number * 104729) % 1000 - 500) / 50000
    values = {name: (1000.0 if name == "requests_per_s" else 0.01) * spread * factor for name in METRICS}
    return {"format": "plimsoll-result", "version": 1, "id": f"{side}{cell:06x}-{number:04x}-4000-8000-000000000000", "name": f"side-{side}",
            "kind": "import", "run": f"{side}{cell // 500:07x}-0000-4000-8000-000000000000",
            "started": f"2026-03-0{side}T{number:02d}:00:00.000Z", "valid": True, "cell": {"routes": str(cell)}, "sample": number, "totals": {},
            "labels": {"session": f"day-{side}"},
            "metrics": {name: {"value": value, "unit": "1/s" if name == "requests_per_s" else "s",
                               "better": "higher" if name == "requests_per_s" else "lower"} for name, value in values.items()}}


def fill_runs(folder):
    """Runs of one sample each, through the front door."""
    path = os.path.join(folder, "runs.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump([{**sample(1, i, 0, 1.0), "id": f"{i:08x}-0000-4000-8000-000000000001", "run": None, "name": f"run-{i % 50}",
                    "started": f"2025-{1 + i // 1000 % 12:02d}-{1 + i // 40 % 28:02d}T{i // 60 % 24:02d}:{i % 60:02d}:00.000Z",
                    "labels": {"branch": f"b{i % 7}", "commit": f"{i:x}"}} for i in range(RUNS)], f)
    return plimsoll(folder, "results", "import", path)


def fill_sides(folder):
    for side, factor in ((1, 1.0), (2, 1.01)):
        path = os.path.join(folder, f"side-{side}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump([sample(side, cell, number, factor) for cell in range(CELLS) for number in range(SAMPLES)], f)
        plimsoll(folder, "results", "import", path)


def run(options):
    table = Table("store", "The store", ["what", "seconds"])
    with tempfile.TemporaryDirectory() as folder:
        table.add(f"import of {RUNS:,} documents", f"{fill_runs(folder):.2f}")
        listed, as_json = shortest(folder, "results", "list"), shortest(folder, "results", "list", "--json")
        table.add(f"results list, {RUNS:,} runs", f"{listed:.3f}")
        table.add(f"results list --json, {RUNS:,} runs", f"{as_json:.3f}")
        table.bar(f"results list of {RUNS:,} runs", max(listed, as_json), LIST_BAR_S, " s")
    with tempfile.TemporaryDirectory() as folder:
        fill_sides(folder)
        what = f"compare, {CELLS:,} cells × {SAMPLES} samples × {len(METRICS)} metrics"
        took, as_json = (shortest(folder, "compare", "--metric", ",".join(METRICS), "--format", form, "side-1", "side-2", codes=(0, 1))
                         for form in ("table", "json"))
        table.add(what, f"{took:.3f}")
        table.add("the same as JSON, with every sample", f"{as_json:.3f}")
        table.bar(what, took, COMPARE_BAR_S, " s")
    return table
