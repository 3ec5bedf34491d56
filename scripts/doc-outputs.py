#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands of a page of docs/ in order, and puts their real output there. A test runs them too, with shorter times.

Usage: doc-outputs.py PROGRAM PAGE...

A fenced block ```sh is run, in a folder of its own that later blocks of the page share. A block ```text right behind it is
what it printed. Remarks before a block, which readers do not see, say more:
    <!-- exits 1 -->         the exit status of its last command, in place of 0 (several: exits 0 1)
    <!-- file gate.yaml -->  the block is not run but written to that file
    <!-- keep -->            the output is left as it is: only the exit status is looked at
    <!-- not run -->         shown only
A command that ends with & and holds `serve` is waited for until its port answers. Port 3000 becomes a free one.
"""
import os
import re
import socket
import subprocess
import sys
import tempfile

REMARK = re.compile(r"^<!-- (exits|file|keep|not run)\b(.*?) ?-->$")
PORT = "3000"
WAIT = "for i in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && break; sleep 0.05; done"


class Block:
    """lines[first:last] of the page are what stands between the fences."""

    def __init__(self, first, language, remarks):
        self.first, self.last, self.language, self.remarks = first, first, language, remarks
        self.output = None  # (first, last) of the block that shows what it printed

    def runs(self):
        return self.language == "sh" and "file" not in self.remarks and "not run" not in self.remarks

    def exits(self):
        return {int(n) for n in self.remarks.get("exits", "0").split()}


def blocks_of(lines):
    found, remarks, inside, gap = [], {}, None, True
    for number, line in enumerate(lines):
        if inside is None and line.startswith("```"):
            inside = Block(number + 1, line[3:].strip(), remarks)
            remarks = {}
        elif inside is not None and line.startswith("```"):
            inside.last = number
            if inside.language == "text" and found and found[-1].runs() and gap:
                found[-1].output = (inside.first, inside.last)
            else:
                found.append(inside)
            inside, gap = None, True
        elif inside is None:
            remark = REMARK.match(line)
            if remark:
                remarks[remark.group(1)] = remark.group(2).strip()
            gap = gap and not line.strip()
    return found


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def script_of(blocks, lines, folder, port, shorten):
    """One bash script for all of them, so that variables and background processes last."""
    out = ["set -o pipefail", "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT"]
    for n, block in enumerate(blocks):
        text = "\n".join(lines[block.first:block.last])
        if "file" in block.remarks:
            path = os.path.join(folder, block.remarks["file"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(shorten(re.sub(rf"\b{PORT}\b", port, text)) + "\n")
        if not block.runs():
            continue
        text = shorten(re.sub(rf"\b{PORT}\b", port, text))
        # What follows in the block finds it listening, as a reader would who types.
        text = re.sub(r"(?m)^(.*\bserve\b.*&)[ \t]*$", lambda m: m.group(1) + "\n" + WAIT.format(port=port), text)
        out.append(f"{{\n{text}\n}} >\"$OUT/{n}.txt\" 2>&1 </dev/null; echo $? >\"$OUT/{n}.status\"")
    return "\n".join(out) + "\n"


def run_page(program, text, shorten=lambda text: text, timeout_s=600):
    """[(block, exit status, output)] of the blocks that are run; -1: it never came to it."""
    lines = text.split("\n")
    blocks = blocks_of(lines)
    port = free_port()
    with tempfile.TemporaryDirectory() as scratch:
        folder, out, path = (os.path.join(scratch, name) for name in ("page", "out", "bin"))
        for made in (folder, out, path):
            os.mkdir(made)
        os.symlink(os.path.abspath(program), os.path.join(path, "plimsoll"))
        environment = {**os.environ, "PATH": path + ":" + os.environ["PATH"], "OUT": out, "HOME": scratch, "PLIMSOLL_DB": scratch + "/results.db",
                       "PLIMSOLL": os.path.abspath(program)}
        script = script_of(blocks, lines, folder, port, shorten)
        subprocess.run(["bash", "-c", script], cwd=folder, env=environment, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL)
        results = []
        for n, block in enumerate(blocks):
            if block.runs():
                results.append((block, read_status(f"{out}/{n}.status"), tidy(read(f"{out}/{n}.txt"), port, scratch)))
    return results


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def read_status(path):
    return int(read(path) or -1)


def tidy(text, port, scratch):
    text = re.sub(rf"\b{port}\b", PORT, text).replace(scratch + "/page/", "").replace(scratch, "~")
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))


def main():
    program, failed = sys.argv[1], False
    for page in sys.argv[2:]:
        text = read(page)
        lines = text.split("\n")
        for block, status, output in reversed(run_page(program, text)):
            if status not in block.exits():
                print(f"{page}:{block.first + 1}: exit status {status}, expected {sorted(block.exits())}\n{output}")
                failed = True
            elif block.output and "keep" not in block.remarks:
                lines[block.output[0]:block.output[1]] = output.split("\n")
        with open(page, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
