# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of plimsoll job have in common: scripts are printed, run, and their merged result is held against the server."""
import json
import os

from lib import laws
from lib.process import run


def print_job(plimsoll, *args, env=None):
    """What is printed; what is said beside it."""
    done = run([plimsoll, "job", *args], 20, env=env)
    assert done.exit == 0 and done.out, done
    return done.out, done.err


def write_script(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    return str(path)


def read_document(path, said=""):
    assert os.path.exists(path), f"no {path}: {said}"
    with open(path, encoding="utf-8") as file:
        return laws.parse(file.read())


def check_merged(doc, code, shares, counted=None, requests=None):
    """All shares are in it, and what the server counted. On a machine that is busy with other things a share may have been
    limited by it, which makes the result invalid; no other reason is taken."""
    assert len(doc["parts"]) == shares, doc["parts"]
    assert sorted(p["share"] for p in doc["parts"]) == sorted(f"{k}/{shares}" for k in range(1, shares + 1)), doc["parts"]
    other = [r for r in doc["reasons"] if "limited by its machine" not in r]
    assert not other, json.dumps(doc["reasons"], indent=1)
    assert code == (0 if doc["valid"] else 3), (code, doc["reasons"])
    totals = doc["totals"]
    assert totals["started"] == totals["ok"] + totals["failed"] + totals["unfinished"], totals
    if requests is not None:
        assert totals["ok"] == requests and doc["latency"]["count"] == requests, totals
    if counted is not None:
        laws.check_count(doc, counted)
