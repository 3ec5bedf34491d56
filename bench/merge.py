# SPDX-License-Identifier: GPL-3.0-or-later
"""Merging the parts of a thousand shares, each with the figures of a hundred targets: time, memory, and the same bytes in any order."""
import json
import os
import re
import subprocess
import tempfile
import time

import lab
from table import Table

PARTS, TARGETS, REQUESTS = 1000, 100, 50000
TIME_BAR_S, MEMORY_BAR_MIB = 2.0, 256
TIMES = 3


def one_part(folder, nginx):
    """A real part: what a share would write."""
    path = os.path.join(folder, "one.json")
    urls = [f"{nginx.url('1k')}?target={i}" for i in range(TARGETS)]
    done = subprocess.run([lab.PLIMSOLL, "load", "--no-store", "-c", "1", "-r", "5000", "-n", str(REQUESTS), "--share", "1/1", "--json", path, *urls],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
    if not os.path.exists(path):
        raise RuntimeError(done.stderr.decode())
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def write_parts(folder, part):
    """Parts of one run: of other machines, with other ids, begun within a tenth of a second."""
    size = 0
    for i in range(PARTS):
        part.update(id=f"{i:08x}-0000-4000-8000-{i:012x}", started=f"2026-03-01T12:00:00.{i % 100:03d}Z")
        part["config"]["share"] = f"{i + 1}/{PARTS}"
        part["host"]["hostname"] = f"host-{i}"
        path = os.path.join(folder, f"part-{i + 1}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(part, f)
        size += os.path.getsize(path)
    return size


def merge(folder, names, output):
    begin = time.perf_counter()
    done = subprocess.run(["/usr/bin/time", "-f", "%M", lab.PLIMSOLL, "results", "merge", "--no-store", "-o", output, *names], cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    took = time.perf_counter() - begin
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    return took, int(re.findall(r"^(\d+)$", done.stderr, re.M)[-1]) / 1024


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def run(options):
    table = Table("merge", "Merging the parts of many shares", ["what", "figure"])
    with lab.Nginx() as nginx, tempfile.TemporaryDirectory() as folder:
        size = write_parts(folder, one_part(folder, nginx))
        names = [f"part-{i + 1}.json" for i in range(PARTS)]
        runs = [merge(folder, names, "all.json") for _ in range(TIMES)]
        merge(folder, names[::-1], "reversed.json")
        table.add(f"{PARTS:,} parts of {TARGETS} targets, {REQUESTS // TARGETS} requests each", f"{size / 1e6:.0f} MB")
        took, memory = min(r[0] for r in runs), max(r[1] for r in runs)
        table.add("seconds", f"{took:.2f}")
        table.add("MiB", f"{memory:.0f}")
        table.bar(f"merge of {PARTS:,} parts", took, TIME_BAR_S, " s")
        table.bar("its memory", memory, MEMORY_BAR_MIB, " MiB")
        table.bar_ok("the same bytes in the other order", "yes" if read(folder, "all.json") == read(folder, "reversed.json") else "no",
                     read(folder, "all.json") == read(folder, "reversed.json"))
    return table
