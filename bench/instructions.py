# SPDX-License-Identifier: GPL-3.0-or-later
"""User-space instructions per request under callgrind: the difference of two runs, so that start and end cancel out.

Repeatable to some percent, so it is also a regression test: bench/instructions.txt has the accepted figures, 5 % margin. What differs from run to run
is what is done per look at the sockets (how many replies it finds), per second (an interval is packed) and per report (how many different latencies
there were). What is done for one reply and the next request alone is the same in every run, so what should cost nothing is compared there.
"""
import os
import re
import subprocess
import tempfile

import clients
import lab
from table import Table

BAR = 4000
MARGIN = 1.05
SHARE_BAR = 1.001  # the same instructions, but for a reply that came in two pieces
PATH = ", from a reply to the next request"
ON_REPLY = "client_ready_events"  # a socket is ready: the reply is read and counted, the next request written
# … by the reply that finds a second over: its interval is packed.
EACH_SECOND = ("account_roll", "interval_log_add", "hist_pack", "hist_pack_max", "slots_put", "slots_put_all", "hist_reset")
ACCEPTED = os.path.join(lab.ROOT, "bench/instructions.txt")
FEW, MANY = 10000, 20000
WRK_SECONDS = {FEW: 3, MANY: 12}


def counted_commands(nginx):
    """Name -> function of a size to a command. wrk knows no number of requests: it runs twice as long instead."""
    url = nginx.url("1k")
    return {
        "plimsoll": lambda n: [lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", "50", "-n", str(n), url],
        "plimsoll --share": lambda n: [lab.PLIMSOLL, "load", "--no-store", "--share", "2/2", "-t", "1", "-c", "100", "-n", str(2 * n), url],
        "plimsoll ab": lambda n: [lab.PLIMSOLL, "ab", "-q", "-k", "-c", "50", "-n", str(n), url],
        "ab": lambda n: ["ab", "-q", "-k", "-c", "50", "-n", str(n), url],
        "h2load": lambda n: ["h2load", "--h1", "-t", "1", "-c", "50", "-n", str(n), url],
        "wrk": lambda n: ["wrk", "-t", "1", "-c", "50", "-d", f"{WRK_SECONDS[n]}s", url],
    }


def instructions(nginx, args):
    sample = lab.run_counted(nginx, ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + args, 120)
    found = re.search(r"I\s+refs:\s+([\d,]+)", sample.out)
    if not found:
        raise RuntimeError(f"callgrind said nothing of {args[0]}:\n{sample.out[-2000:]}")
    return int(found.group(1).replace(",", "")), sample.requests


def instructions_on_reply(nginx, args):
    """Of the function that a reply wakes, with all that it calls, without what it does once a second."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        profile = os.path.join(folder, "profile")
        sample = lab.run_counted(nginx, ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", f"--toggle-collect={ON_REPLY}"] + args, 120)
        done = subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=100", profile], capture_output=True, text=True, timeout=60, check=True)
    rows = re.findall(r"^\s*([\d,]+) \(.*:(\w+)\S*(?: \[.*)?$", done.stdout, re.MULTILINE)
    if not any(function == ON_REPLY for _, function in rows):
        raise RuntimeError(f"callgrind saw no {ON_REPLY}():\n{sample.out[-2000:]}")
    return sum(int(count.replace(",", "")) for count, function in rows if function not in EACH_SECOND), sample.requests


def per_request(nginx, command, count=instructions):
    few, few_requests = count(nginx, command(FEW))
    many, many_requests = count(nginx, command(MANY))
    if many_requests - few_requests < FEW / 4:
        return None  # too few on a busy machine to say anything
    return (many - few) / (many_requests - few_requests)


def accepted():
    if not os.path.exists(ACCEPTED):
        return {}
    with open(ACCEPTED, encoding="utf-8") as f:
        rows = [line.split("#")[0].rsplit(None, 1) for line in f if line.split("#")[0].strip()]
    return {name.strip(): float(value) for name, value in rows}


def write_accepted(figures):
    with open(ACCEPTED, "w", encoding="utf-8") as f:
        f.write("# User-space instructions per request, 1 KiB replies, keep-alive, 50 connections (./dev bench instructions --write).\n"
                "# ./dev bench instructions fails when a figure grows by more than 5 %.\n")
        for name, value in figures.items():
            f.write(f"{name} {value:.0f}\n")


def run(options):
    table = Table("instructions", "User-space instructions per request, 1 KiB replies, keep-alive, 50 connections (callgrind)",
                  ["client", "instructions/request"])
    figures = {}
    with lab.Nginx() as nginx:
        for name, command in counted_commands(nginx).items():
            if clients.available(name):
                figures[name] = per_request(nginx, command)
                table.add(name, f"{figures[name]:,.0f}" if figures[name] else "?")
        for name in ("plimsoll", "plimsoll --share"):
            figures[name + PATH] = per_request(nginx, counted_commands(nginx)[name], instructions_on_reply)
            table.add(name + PATH, f"{figures[name + PATH]:,.1f}" if figures[name + PATH] else "?")
    own = {name: value for name, value in figures.items() if value and name.startswith("plimsoll")}
    if "plimsoll" in own:
        table.bar("plimsoll", own["plimsoll"], BAR)
    if "plimsoll" + PATH in own and "plimsoll --share" + PATH in own:
        table.bar("plimsoll --share / plimsoll" + PATH, own["plimsoll --share" + PATH] / own["plimsoll" + PATH], SHARE_BAR)
    if options.write:
        write_accepted(own)
    for name, limit in accepted().items():
        if name in own:
            table.bar(f"{name} against bench/instructions.txt", own[name] / limit, MARGIN)
    return table
