# SPDX-License-Identifier: GPL-3.0-or-later
"""What each client says of a target that misbehaves: 200 requests asked for (8 where each times out; 2 s for wrk), and the
client's own words, shortened."""
import json
import os
import re
import tempfile

import clients
import lab
from faulty import Faulty
from table import Table

CONNECTIONS, LIMIT_S = 4, 10
REQUESTS = 200
# Each of these waits for its time-out of one second.
REQUESTS_OF = {"no reply": 8}


def numbers(pattern, text, label):
    found = re.search(pattern, text)
    return [f"{found.group(1)} {label}"] if found and found.group(1) != "0" else []


def said_by_ab(text):
    words = re.search(r"Complete requests:\s+(\d+)", text)
    if not words:
        error = re.search(r"apr_\w+: .*", text)
        return ["no report", error.group(0) if error else "nothing said"]
    failed = re.search(r"Failed requests:\s+(\d+)", text)
    return [f"{words.group(1)} complete", f"{failed.group(1) if failed else '?'} failed"] + \
        numbers(r"Non-2xx responses:\s+(\d+)", text, "non-2xx")


def said_by_wrk(text):
    errors = re.search(r"Socket errors: (.*)", text)
    if "requests in" not in text:
        return ["no report"] + text.strip().splitlines()[-1:]
    return numbers(r"(\d+) requests in", text, "requests") + ([errors.group(1)] if errors else ["no socket errors"]) + \
        numbers(r"Non-2xx or 3xx responses: (\d+)", text, "non-2xx/3xx")


def said_by_hey(text):
    codes = [f"{n} × {code}" for code, n in re.findall(r"\[(\d{3})\]\s+(\d+) responses", text)]
    errors = {}
    for n, what in re.findall(r"^\s+\[(\d+)\]\s+(?!\d+ responses)(.+)$", text, re.M):
        what = re.sub(r".*?(?:\d+\.\d+\.\d+\.\d+:\d+: |\": )", "", what.strip())
        errors[what] = errors.get(what, 0) + int(n)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    return codes + [f"{n} × {what}" for what, n in errors.items()] + ([f"{float(rate.group(1)):,.0f} requests/s"] if rate else [])


def said_by_h2load(text):
    words = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", text)
    codes = re.search(r"status codes: (.*)", text)
    return ([f"{words.group(2)} succeeded, {words.group(3)} failed, {words.group(4)} errored"] if words else ["no report"]) + \
        ([codes.group(1)] if codes and words else [])


def said_by_plimsoll(text):
    try:
        document = json.loads(text)
    except ValueError:
        return [text.strip().splitlines()[-1][:80] if text.strip() else "no document"]
    totals = document["totals"]
    kinds = {}
    for error in document["errors"]:
        name = error["kind"] if error["kind"] != "status" else error["detail"] or "status"
        kinds[name] = kinds.get(name, 0) + error["count"]
    return [f"{totals['ok']} ok, {totals['failed']} failed"] + [f"{n} {kind}" for kind, n in kinds.items()]


def run_plimsoll(url, n):
    """The document is what counts: text and document agree by the end-to-end tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.json")
        sample = lab.run_client([lab.PLIMSOLL, "load", "--no-store", "-t", "1", "-c", str(CONNECTIONS), "-n", n, "--timeout", "1s",
                                 "--json", path, url], LIMIT_S)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                sample.out = f.read()
        return sample


def peer(*args):
    return lambda url, n: lab.run_client([n if a == "N" else a for a in args] + [url], LIMIT_S)


def askers():
    c = str(CONNECTIONS)
    return {
        "plimsoll": (run_plimsoll, said_by_plimsoll),
        "plimsoll ab": (peer(lab.PLIMSOLL, "ab", "-q", "-k", "-s", "1", "-n", "N", "-c", c), said_by_ab),
        "ab": (peer("ab", "-q", "-k", "-s", "1", "-n", "N", "-c", c), said_by_ab),
        "wrk": (peer("wrk", "-t", "1", "-c", c, "-d", "2s", "--timeout", "1s"), said_by_wrk),
        "h2load": (peer("h2load", "--h1", "-t", "1", "-n", "N", "-c", c), said_by_h2load),
        "hey": (peer("hey", "-cpus", "1", "-n", "N", "-c", c, "-t", "1"), said_by_hey),
    }


def words(sample, said):
    end = f"exit {sample.exit}" if sample.exit is not None else f"never ended (stopped after {LIMIT_S} s)"
    return "; ".join([end] + said(sample.out))


# fault -> the kind that plimsoll names it with; without one, all requests must be ok.
EXPECTED = {
    "truncated": "truncated", "garbage": "bad_message", "status 500": "status 500", "reset": "reset", "no reply": "timeout",
    "refused": "connect_refused",
}


def check(table, fault, asked, text):
    """Each failure has the fault's name. A target that is never reached ends the run early, so "refused" has fewer."""
    want, found = EXPECTED.get(fault), re.search(r"(\d+) ok, (\d+) failed(?:; (\d+) (.*))?$", text)
    if not found:
        ok = False
    elif want is None:
        ok = found.group(1, 2) == (asked, "0")
    else:
        ok = found.group(1) == "0" and found.group(2) == found.group(3) and found.group(4) == want and \
            (found.group(2) == asked or fault == "refused")
    table.bar_ok(f"plimsoll names {fault}", text, ok)


def run(_options):
    table = Table("faults", f"What each client says of a faulty target ({REQUESTS} requests asked for, {CONNECTIONS} connections)",
                  ["fault", "client", "server saw", "the client's words"])
    with Faulty() as target:
        for fault, port in target.ports.items():
            asked = str(REQUESTS_OF.get(fault, REQUESTS))
            for name, (ask, said) in askers().items():
                if not clients.available(name):
                    continue
                before = target.seen[fault]
                text = words(ask(f"http://127.0.0.1:{port}/", asked), said)
                table.add(fault, name, target.seen[fault] - before, text)
                if name == "plimsoll":
                    check(table, fault, asked, text)
    return table
