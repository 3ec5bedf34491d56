# SPDX-License-Identifier: GPL-3.0-or-later
"""Import of mb's CSV: ten million rows, against Python's csv module with numpy's percentiles doing the same."""
import os
import random
import sys
import tempfile

import lab
from table import Table

ROWS, QUICK_ROWS = 10_000_000, 1_000_000
BLOCK = 100_000  # rows that are made once and written again and again
TIMES_FASTER, MEMORY_MIB = 10, 64

# What a router benchmark's script does with mb's rows: statuses counted, mean and percentiles of the delays.
PEER = """
import csv, collections, sys, numpy
statuses, delays = collections.Counter(), []
with open(sys.argv[1], newline="") as file:
    for row in csv.reader(file):
        statuses[row[2]] += 1
        delays.append(int(row[1]))
print(dict(statuses), numpy.average(delays), numpy.percentile(delays, 95), numpy.percentile(delays, 99))
"""


def write_rows(path, rows):
    dice, at = random.Random(1), 1796063785000000
    lines = []
    for i in range(BLOCK):
        delay = int(dice.lognormvariate(8, 0.7)) + 200
        at += dice.randrange(60)
        status = 200 if dice.random() < 0.999 else 503
        lines.append(f"{at},{delay},{status},112,{dice.randrange(400, 1500)},GET http://http-perf-{i % 50}.apps.example.com:80/1024.html,"
                     f"{i % 4},{20 + i % 200},1,{i // 200 + 1},1796063785000000,312,0,0,\n")
    block = "".join(lines)
    with open(path, "w", encoding="ascii") as file:
        for _ in range(rows // BLOCK):
            file.write(block)


def measure(argv):
    """Seconds, peak memory in MiB, and what was printed."""
    sample = lab.run_client(argv, 300)
    if sample.exit != 0:
        raise RuntimeError(f"{argv[0]} ended with {sample.exit}: {sample.out}")
    return sample.wall_s, sample.peak_kib / 1024, sample.out


def run(options):
    rows = QUICK_ROWS if options.quick else ROWS
    table = Table("import-mb", f"Import of mb's CSV, {rows:,} rows", ["who", "time", "rows/s", "memory"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "responses.csv")
        write_rows(path, rows)
        size = os.path.getsize(path)
        # Export without a store in between: reads the file, writes the document.
        ours = min((measure([lab.PLIMSOLL, "results", "export", path]) for _ in range(3)), key=lambda m: m[0])
        peer = measure([sys.executable, "-c", PEER, path])
    for name, (seconds, memory, _) in (("plimsoll", ours), ("Python csv + numpy", peer)):
        table.add(name, f"{seconds:.2f} s", f"{rows / seconds:,.0f}", f"{memory:.0f} MiB")
    table.notes.append(f"{size / 2**20:,.0f} MiB, in the page cache; the whole process, best of 3 and one.")
    table.bar("time against Python's", ours[0] / peer[0], 1 / TIMES_FASTER)
    table.bar("peak memory", ours[1], MEMORY_MIB, " MiB")
    return table
