# SPDX-License-Identifier: GPL-3.0-or-later
"""Promises (--slo): judged after the run, told in text and document, exit 1 when one is broken."""
import pytest

from lib.target import OK, reply

SLOW = r"\{wait 20ms}" + OK


@pytest.mark.parametrize("clause, held, unit", [
    ("p99<10s", True, "s"),
    ("p50<5ms", False, "s"),
    ("min>=20ms", True, "s"),
    ("errors<=0%", True, "share"),
    ("requests_per_s>1k", False, "1/s"),
    ("p99@5xx<1ms", True, "s"),
    ("errors@5xx<=0%", True, "share"),
    ("wait_p50>=20ms", True, "s"),
    ("p50@1<5ms", False, "s"),
    ("tls_max<1s", False, "s"),
])
def test_a_clause(load, start_target, clause, held, unit):
    target = start_target(SLOW)
    run = load("-c", "2", "-n", "20", "--slo", clause, target.url(), server=target, codes=(0, 1))
    assert run.exit == (0 if held else 1) and run.doc["valid"]
    one, = run.doc["slo"]
    assert one["clause"] == clause and one["kept"] is held and one["unit"] == unit
    assert (one["observed"] is None) == (clause in ("tls_max<1s", "p99@5xx<1ms"))
    assert ("all kept" if held else "BROKEN") in run.err


def test_a_broken_promise_comes_before_an_invalid_run(load, start_target):
    target = start_target(reply(503))
    run = load("-c", "1", "-n", "10", "--slo", "errors<50%", "--slo", "errors@5xx<=0%,p99<1s", target.url(), server=target, codes=(1,))
    assert not run.doc["valid"] and [one["kept"] for one in run.doc["slo"]] == [False, False, False]
    assert run.doc["slo"][0]["observed"] == 1 and run.doc["slo"][2]["observed"] is None


def test_a_target_by_number_and_by_url(load, start_target):
    slow, fast = start_target(SLOW), start_target(OK)
    run = load("-c", "1", "-n", "40", "--slo", "p50@1<10ms", "--slo", f"p50@{slow.url('/slow')}<10ms",
               fast.url("/fast"), slow.url("/slow"), codes=(1,))
    assert [one["kept"] for one in run.doc["slo"]] == [True, False]
    assert run.doc["slo"][1]["observed"] >= 0.02


def test_each_target_and_each_class(load, start_target):
    slow, fast = start_target(SLOW), start_target(OK)
    run = load("-c", "1", "-n", "40", "--slo", "p50@*<10ms,p50@*<10s,p50@*xx<10s", fast.url("/fast"), slow.url("/slow"), codes=(1,))
    assert [(one["clause"], one["kept"]) for one in run.doc["slo"]] == [
        ("p50@*<10ms (worst: target 2)", False), ("p50@*<10s (worst: target 2)", True), ("p50@*xx<10s (worst: 2xx)", True)]


@pytest.mark.parametrize("clause, words", [
    ("p99<50", "unit"), ("latency<50ms", "requests_per_s"), ("p99", "<="), ("p99@6xx<1s", "class"), ("p99<50ms,", "compares nothing"),
])
def test_a_clause_that_is_none(load, start_target, clause, words):
    target = start_target(OK)
    done = load.refused("--slo", clause, target.url())
    assert words in done.err and "--slo" in done.err
    assert target.counts()["accepted"] == 0
