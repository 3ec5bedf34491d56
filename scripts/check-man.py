#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the options that `plimsoll COMMAND --help` prints with those of man/plimsoll-COMMAND.1 and the bash completion.

Usage: check-man.py PROGRAM
"""
import glob
import os
import re
import subprocess
import sys

import csource

LONG = re.compile(r"(?<![\w-])--([a-z0-9][a-z0-9.-]*[a-z0-9])")
HELP_ROW = re.compile(r"^ {1,8}(-\S.*)$", re.M)
# argp's own rows, the same for each command; a manual page need not repeat them.
COMMON = {"help", "usage", "version"}


def help_text(program, command):
    return subprocess.run([program, command, "--help"], capture_output=True, text=True, timeout=10, check=False).stdout


def options_of_help(text):
    found = set()
    for row in HELP_ROW.findall(text):
        options = re.split(r"\s{2,}", row)[0]
        found |= {"--" + name for name in LONG.findall(options)}
        found |= set(re.findall(r"(?<![\w-])-[A-Za-z0-9](?![\w-])", options)) if "--" not in options else set()
    return found


def options_of_man(text):
    """Options that head a paragraph: the line after .TP, or .IP and .It lines."""
    text = text.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\fP", "")
    found = set()
    lines = text.splitlines()
    for before, line in zip([""] + lines, lines):
        if before.startswith((".TP", ".TQ")) or line.startswith((".IP", ".It")):
            line = re.sub(r"^\.[A-Z]{1,2}\s+", "", line).replace('"', "")
            found |= {"--" + name for name in LONG.findall(line)}
            if "--" not in line:
                found |= set(re.findall(r"(?<![\w-])-[A-Za-z0-9](?![\w-])", line))
    return found


def check_command(program, command, page):
    shown, written = options_of_help(help_text(program, command)), options_of_man(csource.read(page))
    common = {"--" + name for name in COMMON} | {"-?", "-V"}
    if not shown:
        yield f"plimsoll {command} --help shows no options"
    for option in sorted(shown - written - common):
        yield f"{page}: {option} is missing"
    for option in sorted(written - shown - common):
        yield f"{page}: {option} is not an option of plimsoll {command}"


def main():
    program = os.path.abspath(sys.argv[1])
    pages = sorted(os.path.relpath(p, csource.ROOT) for p in glob.glob(os.path.join(csource.ROOT, "man/plimsoll-*.1")))
    problems = []
    for page in pages:
        command = os.path.basename(page)[len("plimsoll-"):-len(".1")]
        problems += check_command(program, command, page)
    if not pages:
        problems.append("man/: no manual page of a command")
    for problem in problems:
        print(problem)
    print(f"manual: {len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
