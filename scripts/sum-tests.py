#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums every test that ran into one last line: N passed, N failed, N skipped.

Unit tests are counted by cmocka's own cases where a program printed them, else one per program; end-to-end
tests by case. Exits 1 when anything failed, when a part left no results, or when nothing ran.
"""
import argparse
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

CASE = re.compile(r"^\[\s+(OK|FAILED|SKIPPED)\s+\] (?!\d+ test)(\S+)", re.M)


class Sum:
    def __init__(self):
        self.passed = self.failed = 0
        self.skips = []
        self.failures = []
        self.unsteady = []

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)


def add_program(total, test):
    """One program that meson ran: its cmocka cases, or itself."""
    name, result = test["name"], test["result"]
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    cases = {}
    for verdict, case in CASE.findall(text):
        cases[case] = verdict
    if result == "SKIP":
        total.skips.append(f"{name}: {(text.strip().splitlines() or ['no reason given'])[-1]}")
        return
    if result not in ("OK", "EXPECTEDFAIL") and "FAILED" not in cases.values():
        total.fail(f"{name}: {result.lower()}")
    elif not cases:
        total.passed += 1
    for case, verdict in cases.items():
        if verdict == "OK":
            total.passed += 1
        elif verdict == "FAILED":
            total.fail(f"{name}: {case}")
        else:
            total.skips.append(f"{name}: {case}")


def add_meson(total, path):
    if not os.path.exists(path):
        total.fail("unit tests: no results")
        return
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            add_program(total, json.loads(line))


def cases_of(path):
    """(name, "passed", "failed" or "skipped", why skipped) of every case, as often as the file has it."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if skipped is not None:
            yield name, "skipped", skipped.get("message")
        elif case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed", None
        else:
            yield name, "passed", None


def passed_again(path):
    """Names that passed in the second run and did nothing else in it."""
    if not path or not os.path.exists(path):
        return set()
    verdicts = {}
    for name, verdict, _ in cases_of(path):
        verdicts.setdefault(name, set()).add(verdict)
    return {name for name, seen in verdicts.items() if seen == {"passed"}}


def add_junit(total, path, again=None):
    if not os.path.exists(path):
        total.fail("end-to-end tests: no results")
        return
    second = passed_again(again)
    for name, verdict, why in cases_of(path):
        if verdict == "skipped":
            total.skips.append(f"{name}: {why}")
        elif verdict == "passed":
            total.passed += 1
        elif name in second:
            total.passed += 1
            total.unsteady.append(name)
        else:
            total.fail(name)


def add_script(total, prefix):
    """PREFIX.txt and PREFIX.status of a script with exit codes 0, 77 (skipped) or other."""
    if not os.path.exists(prefix + ".status"):
        return
    name = os.path.basename(prefix)
    with open(prefix + ".status", encoding="utf-8") as f:
        status = int(f.read())
    with open(prefix + ".txt", encoding="utf-8", errors="replace") as f:
        last = (f.read().strip().splitlines() or [""])[-1]
    if status == 0:
        total.passed += 1
    elif status == 77:
        total.skips.append(f"{name}: {last}")
    else:
        total.fail(f"{name}: exit {status}: {last}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meson", action="append", default=[])
    parser.add_argument("--junit", action="append", default=[])
    parser.add_argument("--again", help="a second run of those that failed in --junit")
    parser.add_argument("--script", action="append", default=[])
    parser.add_argument("--count-failed", action="store_true", help="print how many failed, and nothing else")
    options = parser.parse_args()
    total = Sum()
    for path in options.meson:
        add_meson(total, path)
    for path in options.junit:
        add_junit(total, path, options.again)
    for path in options.script:
        add_script(total, path)
    if options.count_failed:
        print(total.failed)
        return 0
    for reason in total.skips:
        print(f"skipped {reason}")
    for name in total.unsteady:
        print(f"unsteady {name}: failed beside others, passed alone")
    for name in total.failures:
        print(f"FAILED {name}")
    print(f"{total.passed} passed, {total.failed} failed, {len(total.skips)} skipped")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
