#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks what scripts/arrows.txt says: which rooms a room includes, and that each outside library stays behind its doors.

Also: a header that shows an outside library is not included, even indirectly, by a room that may not see it; and only
cli/ prints or exits.
"""
import os
import re
import sys

import csource

# Headers without a folder that belong to the C library or the kernel.
C_LIBRARY = set("""argz assert byteswap complex ctype dirent dlfcn elf endian errno error execinfo fcntl features fenv float fnmatch
ftw getopt glob grp ifaddrs inttypes iso646 langinfo limits link locale malloc math memory mntent netdb nss poll pthread pwd regex
resolv sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string
strings syscall sysexits termios tgmath threads time uchar ucontext unistd utime wait wchar wctype immintrin""".split())
C_FOLDERS = {"sys", "netinet", "arpa", "net", "linux", "asm", "bits", "netpacket"}

# Output and exits outside cli/: the file and why.
PRINTS = re.compile(r"(?<![\w.>])(exit|_exit|_Exit|quick_exit|abort|perror|printf|vprintf|puts|putchar|psignal)\s*\(|"
                    r"\bv?f(?:printf|puts|putc|write)\s*\([^;]*\b(?:stderr|stdout)\b|\b(?:write|dprintf)\s*\(\s*(?:STDERR_FILENO|STDOUT_FILENO|1|2)\b")
MAY_PRINT = {
    "src/base/err.c": "bug_abort() says where our own mistake is, then aborts",
    "src/suite/process.c": "a child that could not become its program has to end",
    "src/rounds/spawn.c": "a child that could not become its program has to end",
}


def load_arrows():
    rooms, doors = {}, {}
    for line in csource.read("scripts/arrows.txt").splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        room, rest = line.split(":", 1)
        below, _, outside = rest.partition("|")
        rooms[room.strip()] = set(below.split())
        doors[room.strip()] = outside.split()
    return rooms, doors


def matches(header, names):
    return any(header == n or (n.endswith("/") and header.startswith(n)) for n in names)


class Check:
    def __init__(self):
        self.rooms, self.doors = load_arrows()
        self.outside = sorted({n for names in self.doors.values() for n in names})
        self.files = {n: csource.read(n) for n in csource.tracked("src") if n.endswith((".c", ".h"))}
        self.problems = []

    def say(self, name, line, text):
        self.problems.append(f"{name}:{line}: {text}")

    def order(self):
        """The list itself: a room uses only rooms written above it."""
        seen = set()
        for room, below in self.rooms.items():
            for other in sorted(below - seen):
                self.say("scripts/arrows.txt", 1, f"{room} uses {other}, which does not stand above it")
            seen.add(room)

    def include(self, name, room, line, header, ours):
        if ours:
            other = header.split("/")[0]
            if "src/" + header not in self.files:
                self.say(name, line, f'"{header}" is not a file of src/ named from src/')
            elif other != room and other not in self.rooms[room]:
                self.say(name, line, f"{room} may not include {other} ({header})")
        elif matches(header, self.outside):
            if not matches(header, self.doors[room]):
                self.say(name, line, f"{room} is not a door of <{header}>")
        elif header.split("/")[0] not in C_FOLDERS and os.path.splitext(header)[0] not in C_LIBRARY:
            self.say(name, line, f"<{header}> is not of the C library: give it a door in scripts/arrows.txt")

    def includes(self):
        for name, text in self.files.items():
            room = csource.room_of(name)
            if room is None:
                continue
            if room not in self.rooms:
                self.say(name, 1, f"room {room} is not in scripts/arrows.txt")
                continue
            for line, header, ours in csource.includes(text):
                self.include(name, room, line, header, ours)

    def reach(self, name, seen):
        for _, header, ours in csource.includes(self.files.get(name, "")):
            if not ours:
                yield name, header
            elif "src/" + header not in seen:
                seen.add("src/" + header)
                yield from self.reach("src/" + header, seen)

    def leaks(self):
        for name in self.files:
            room = csource.room_of(name)
            if room not in self.rooms:
                continue
            for via, header in self.reach(name, set()):
                if via != name and matches(header, self.outside) and not matches(header, self.doors[room]):
                    self.say(name, 1, f"sees <{header}> through {via}")

    def prints(self):
        for name, text in self.files.items():
            if csource.room_of(name) in (None, "cli") or name in MAY_PRINT or not name.endswith(".c"):
                continue
            if "#include <err.h>" in text:
                self.say(name, 1, "only cli/ prints or exits: <err.h>")
            clean = csource.without_noise(text)
            for match in PRINTS.finditer(clean):
                line = clean.count("\n", 0, match.start()) + 1
                self.say(name, line, f"only cli/ prints or exits: {' '.join(match.group(0).split())}")


def main():
    check = Check()
    check.order()
    check.includes()
    check.leaks()
    check.prints()
    for problem in check.problems:
        print(problem)
    print(f"arrows: {len(check.files)} files, {len(check.problems)} problems")
    return 1 if check.problems or not check.files else 0


if __name__ == "__main__":
    sys.exit(main())
