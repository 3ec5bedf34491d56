# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `plimsoll load`, reads its document and holds it against both laws."""
import os

from lib import laws
from lib.process import Process

SANITIZER_WORDS = ("AddressSanitizer", "ThreadSanitizer", "LeakSanitizer", "runtime error:")


def find_program(root):
    """PLIMSOLL, else build/plimsoll, else where Meson leaves it."""
    named = os.environ.get("PLIMSOLL")
    if named:
        return os.path.abspath(named)
    for path in ("build/plimsoll", "build/src/cli/plimsoll"):
        if os.path.isfile(os.path.join(root, path)):
            return os.path.join(root, path)
    raise AssertionError("no plimsoll: set PLIMSOLL, or run ./dev build")


class Run:
    """One finished load: exit code, document, text, and what the tests ask most."""

    def __init__(self, done, doc):
        self.exit, self.doc, self.err, self.out = done.exit, doc, done.err, done.out
        self.wall_s, self.peak_rss, self.argv = done.wall_s, done.peak_rss, done.argv

    @property
    def totals(self):
        return self.doc["totals"]

    @property
    def latency(self):
        return self.doc["latency"]

    def kinds(self):
        """Failures by kind."""
        out = {}
        for entry in self.doc["errors"]:
            out[entry["kind"]] = out.get(entry["kind"], 0) + entry["count"]
        return out

    def error(self, kind):
        """The only entry of a kind."""
        found = [e for e in self.doc["errors"] if e["kind"] == kind]
        assert len(found) == 1, f"{len(found)} entries of {kind}: {self.doc['errors']}"
        return found[0]


class Loader:
    def __init__(self, program):
        self.program = program

    def start(self, *args, prefix=(), env=None, stdin=b"", watch_rss=False, cwd=None):
        json = [] if "--json" in args else ["--json", "-"]
        argv = [*prefix, self.program, "load", *json, "--no-store", *args]
        if "strace" in prefix:  # the leak sanitizer does not work under it
            env = {**(env or {}), "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        return Process(argv, env=env, stdin=stdin, watch_rss=watch_rss, cwd=cwd)

    def finish(self, process, timeout_s=60.0, server=None, codes=(0, 3)):
        """server: whatever has requests() or counts(); its count must be the document's. codes: the exits that are acceptable."""
        done = process.finish(timeout_s)
        assert not any(word in done.err for word in SANITIZER_WORDS), done
        assert done.exit in codes, done
        try:
            doc = laws.parse(done.out)
            laws.check(doc, done.exit, done.wall_s)
            if server is not None:
                laws.check_count(doc, server.counts()["begun"])
        except (AssertionError, ValueError, KeyError) as fault:
            raise AssertionError(f"{type(fault).__name__}: {fault}\n{done!r}") from fault
        return Run(done, doc)

    def __call__(self, *args, timeout_s=60.0, server=None, codes=(0, 3), **how):
        return self.finish(self.start(*args, **how), timeout_s, server, codes)

    def refused(self, *args, timeout_s=20.0, codes=(2,), **how):
        """A run that must end before anything was sent, with a message."""
        done = self.start(*args, **how).finish(timeout_s)
        assert not any(word in done.err for word in SANITIZER_WORDS), done
        assert done.exit in codes and done.err.strip() and not done.out, done
        return done
