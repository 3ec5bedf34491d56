#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the text of all files: licence lines, no notes left in the code, nothing of one machine, ends of lines."""
import os
import re
import sys

import csource

NEEDS_LICENCE = (".c", ".h", ".py", ".sh")
BINARY = (".png", ".gz", ".der")
# What others wrote, kept to the byte.
OTHERS = ("tests/data/push/", "tests/data/tools/")
# Where folders of one machine, or where a package came from, would show.
HOSTS = re.compile(r"https?://[^\s\"']*(?:npm" r"js|debian|py" r"pi|pythonhosted)[^\s\"']*|\"resol" r"ved\"\s*:", re.I)
NOTES = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")


def machine_paths():
    """The checkout's own place and the home folder; never a plain /tmp or /."""
    for path in (csource.ROOT, os.path.dirname(csource.ROOT), os.path.expanduser("~")):
        if path.count("/") >= 1 and path not in ("/", "/tmp", "/var/tmp", "/home", "/usr", "/opt", "/srv"):
            yield re.compile(r"(?<![\w.}$/-])" + re.escape(path.rstrip("/") + "/"))


def check_file(name, paths):
    if name.endswith(BINARY) or "/corpus/" in name or name.startswith(OTHERS):
        return
    text = csource.read(name)
    if "\0" in text:
        return
    head = "\n".join(text.splitlines()[:2])
    if (name.endswith(NEEDS_LICENCE) or name == "dev") and "SPDX-License-Identifier: GPL-3.0-or-later" not in head:
        yield 1, "no SPDX-License-Identifier in the first two lines"
    for number, line in enumerate(text.splitlines(), 1):
        if name.startswith("src/") and NOTES.search(line):
            yield number, "a note left in the code"
        if HOSTS.search(line) and name != "LICENSE":
            yield number, "names a package registry"
        for path in paths:
            if path.search(line):
                yield number, "names a folder of this machine"
        if line != line.rstrip() and name != "LICENSE" and not name.endswith(".md"):
            yield number, "space at the end of the line"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no line break at the end"


def main():
    problems = 0
    paths = list(machine_paths())
    names = csource.tracked()
    for name in names:
        if not os.path.isfile(os.path.join(csource.ROOT, name)):
            continue
        for line, text in check_file(name, paths):
            print(f"{name}:{line}: {text}")
            problems += 1
    print(f"text: {len(names)} files, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
