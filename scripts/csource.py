# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks know of our C: files by room, text without comments and strings, includes, functions."""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def tracked(*patterns):
    """Tracked files, and new ones that are not ignored, so that a check before the commit sees them."""
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout
    return [name for name in sorted(set(out.splitlines())) if os.path.exists(os.path.join(ROOT, name))]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def room_of(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def without_noise(text):
    """Comments and literals become blanks; line numbers stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return NOISE.sub(blank, text)


def includes(text):
    """(line, name, ours) of each include."""
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1) if match.group(1) else match.start(2)) + 1
        yield line, match.group(1) or match.group(2), match.group(1) is not None


def functions(text):
    """(name, first line, lines) of each function body, in our brace style: the body's braces stand in column 0."""
    lines = text.splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start is not None:
            head = signature_start(lines, start)
            name = re.search(r"(\w+)\s*\(", " ".join(lines[head - 1:start - 1]))
            if name and not line.startswith("};"):
                yield name.group(1), head, number - head + 1
            start = None


def signature_start(lines, brace):
    first = brace - 1
    while first > 1 and lines[first - 2].strip() and not re.search(r"[;}/]\s*$|^#", lines[first - 2]):
        first -= 1
    return first
