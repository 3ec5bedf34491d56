#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""./dev bench [NAME...]: side by side with the peers. Without names, everything; --list names them; "serve" means all of serve-….

Prints each table with its bars; exits 1 when a bar is missed. --write puts the tables into docs/benchmarks.md.
"""
import argparse
import datetime
import os
import platform
import re
import subprocess
import sys

import cost
import faults
import import_mb
import instructions
import lab
import mb
import merge
import memory
import rates
import readme
import rounds
import serve
import store
import uploads

# What a busy machine hardly changes, and all that is not of rounds of so many seconds.
STEADY = ("instructions", "memory", "faults", "serve-idle", "import-mb")
UNTIMED = STEADY + ("store", "merge", "rounds")
PAGE = os.path.join(lab.ROOT, "docs/benchmarks.md")


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="show the names and end")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md and bench/instructions.txt")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds of each cell (7)")
    parser.add_argument("--seconds", type=int, default=2, help="length of one run (2)")
    parser.add_argument("--quick", action="store_true", help="memory after 100 k and 1 M requests instead of 1 M and 10 M")
    options = parser.parse_args()
    if options.rounds < 1 or not 1 <= options.seconds <= 60:
        parser.error("--rounds must be at least 1 and --seconds 1 to 60")
    return options


def benches(seconds):
    found = {cell.name: (lambda options, cell=cell: cost.run(cell, options)) for cell in cost.cells(seconds)}
    found.update({"instructions": instructions.run, "memory": memory.run, "faults": faults.run, "store": store.run,
                  "import-mb": import_mb.run, "merge": merge.run, "rounds": rounds.run, f"open-{rates.CONNECTIONS}": rates.run, f"mb-{mb.CONNECTIONS}": mb.run})
    found.update(uploads.benches())
    found.update(serve.benches())
    return found


def chosen(names, known):
    """A name, or the beginning of several up to a dash."""
    out = []
    for name in names:
        out += [name] if name in known else [one for one in known if one.startswith(name + "-")] or [name]
    return out


def version(args, pattern):
    try:
        done = subprocess.run(args, capture_output=True, text=True, timeout=10, check=False)
    except OSError:
        return None
    found = re.search(pattern, done.stdout + done.stderr)
    return found.group(1) if found else None


def machine():
    cpu = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        found = re.search(r"model name\s*:\s*(.*)", f.read())
        cpu = found.group(1) if found else cpu
    tools = {
        "plimsoll": version([lab.PLIMSOLL, "--version"], r"(\d\S+)"), "nginx": version(["nginx", "-v"], r"nginx/(\S+)"),
        "ab": version(["ab", "-V"], r"Version (\S+)"), "wrk": version(["wrk", "-v"], r"wrk (?:debian/)?(\S+)"),
        "h2load": version(["h2load", "--version"], r"nghttp2/(\S+)"), "valgrind": version(["valgrind", "--version"], r"valgrind-(\S+)"),
        "curl": version(["curl", "--version"], r"curl (\S+)"),
        "node": version(["node", "--version"], r"v(\S+)"),
        "hey": version(["dpkg-query", "-W", "-f", "${Version}", "hey"], r"(\S+)"),
    }
    day = datetime.date.today().isoformat()
    return f"{day}; {cpu}, {os.cpu_count()} CPUs, Linux {platform.release().split('-')[0]}; " + \
        ", ".join(f"{name} {number}" for name, number in tools.items() if number)


def write_page(table, options):
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    begin, end = f"<!-- bench {table.name} -->", f"<!-- end {table.name} -->"
    length = "" if table.name.startswith("upload-") else f" of {options.seconds} s"
    measured = f"Measured {machine()}" + ("." if table.name in UNTIMED else f"; {options.rounds} rounds{length}.")
    block = f"{begin}\n### {table.title}\n\n{table.markdown()}\n\n{measured}\n{end}"
    if begin in page:
        page = page[:page.index(begin)] + block + page[page.index(end) + len(end):]
    else:
        page = page.rstrip("\n") + f"\n\n{block}\n"
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page)


def main():
    options = parse()
    known = benches(options.seconds)
    if options.list:
        print("\n".join(known))
        return 0
    names = chosen(options.names, known) or list(known)
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"bench: unknown name {unknown[0]}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {lab.SERVER_CORE})
    missed, busy = [], os.getloadavg()[0]
    for name in names:
        table = known[name](options)
        if busy > 1 and name not in STEADY:
            table.notes.append(f"The machine was busy before the start (load average {busy:.1f}): absolute figures are too high.")
        print(table.text() + "\n", flush=True)
        if options.write:
            write_page(table, options)
            readme.main(["--write"])
        missed += [bar for bar in table.bars if not bar.ok]
    print(f"{len(missed)} bars missed")
    for bar in missed:
        print(f"  {bar}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
