# SPDX-License-Identifier: GPL-3.0-or-later
"""lib/laws.py must notice: a document that keeps both laws, and one way to break each of them at a time."""
import copy

import pytest

from lib import laws


def latency(count, each_s):
    keys = ("p50", "p66", "p75", "p80", "p90", "p95", "p98", "p99", "p999", "p9999")
    return {"count": count, "sum_ns": round(count * each_s * 1e9), "mean": each_s, "stddev": 0.0, "min": each_s, "max": each_s,
            **{key: each_s for key in keys}, "hdr": ""}


def part():
    """100 requests of 10 ms over one connection, 10 of them 404, none unfinished."""
    totals = {name: 0 for name in laws.SUMMED}
    totals.update(not_sent=0, started=100, sent=100, ok=90, failed=10, unfinished=0, unfinished_oldest_s=None, requests_per_s=90.0, ok_in_window=90,
                  in_flight_mean=1.0, in_window_s=1.0, bytes_sent=5000)
    error = {"kind": "status", "detail": "status 404", "count": 10, "first": "", "first_at_s": 0.1, "last_at_s": 0.9}
    return {"totals": totals, "latency": latency(90, 0.01), "service_time": latency(90, 0.01), "status": {"200": 90, "404": 10}, "errors": [error]}


def document():
    return {"format": "plimsoll-result", "version": 1, "kind": "load", "valid": False, "reasons": ["too many failed"], "warnings": [], "slo": [],
            "duration_s": 1.0, "ramp_s": 0.01, "warmup": {"duration_s": 0.0, "started": 5, "sent": 5, "ok": 5, "failed": 0, "retried": 1}, **part(),
            "latency_by_class": {"2xx": latency(90, 0.01), "4xx": latency(10, 0.01)}, "phases": {"dns": None, "wait": latency(100, 0.009)},
            "addresses": [{"address": "127.0.0.1:80", "connections": 1, "requests": 100}],
            "config": {"connections": 1}, "intervals": [{"t_s": 0.0, "length_s": 1.0, "started": 100, "ok": 90, "failed": 10, "errors": {"status": 10},
                                                         "latency": latency(90, 0.01)}],
            "targets": [{"url": "http://127.0.0.1/", **part()}], "generator": {"rate_asked": None, "limited": False, "reasons": []}}


def both(doc, name, value):
    doc["totals"][name] = doc["targets"][0]["totals"][name] = value


BROKEN = [
    ("a request vanished", lambda d: both(d, "started", 101)),
    ("a target's requests do not add up", lambda d: d["targets"][0]["totals"].update(started=99, ok=89)),
    ("more sent than started", lambda d: both(d, "sent", 101)),
    ("fewer sent than ok", lambda d: both(d, "sent", 80)),
    ("an error was dropped", lambda d: d["errors"].clear()),
    ("an error is listed twice", lambda d: d["errors"].append(dict(d["errors"].pop(), count=5)) or d["errors"].append(dict(d["errors"][0]))),
    ("a status is missing", lambda d: d["status"].update({"200": 89})),
    ("a latency is missing", lambda d: d.update(latency=latency(89, 0.01))),
    ("a class is missing", lambda d: d["latency_by_class"].pop("4xx")),
    ("a class has too many", lambda d: d["latency_by_class"].update({"4xx": latency(9, 0.01), "error": latency(1, 0.01)})),
    ("totals are not the targets' sum", lambda d: d["totals"].update(bytes_sent=5001)),
    ("a percentile above the maximum", lambda d: d["latency"].update(p999=0.02)),
    ("a percentile below the one before", lambda d: d["latency"].update(p90=0.0099)),
    ("mean is not sum / count", lambda d: d["latency"].update(mean=0.0101)),
    ("impossible deviation", lambda d: d["latency"].update(stddev=0.5)),
    ("service time longer than latency", lambda d: d.update(service_time=latency(90, 0.011))),
    ("an empty object instead of null", lambda d: d["phases"].update(dns=latency(0, 0.0))),
    ("Little's law, too much in flight", lambda d: both(d, "in_flight_mean", 1.5)),
    ("Little's law, too little", lambda d: both(d, "in_flight_mean", 0.5)),
    ("Little's law, the document's own two sides", lambda d: both(d, "in_window_s", 3.0)),
    ("rate is not completions by time", lambda d: d["totals"].update(requests_per_s=100.0)),
    ("more in the window than in all", lambda d: d["totals"].update(ok_in_window=91, requests_per_s=91.0)),
    ("longer than the clock on the wall", lambda d: d.update(duration_s=9.0)),
    ("intervals lost requests", lambda d: d["intervals"][0].update(started=99)),
    ("no intervals though requests were sent", lambda d: d["intervals"].clear()),
    ("intervals lost a failure", lambda d: d["intervals"][0].update(failed=9)),
    ("a second's failure has no kind", lambda d: d["intervals"][0].pop("errors")),
    ("a second's failures are of another kind", lambda d: d["intervals"][0].update(errors={"timeout": 10})),
    ("intervals' ok are outside the window", lambda d: d["intervals"][0].update(t_s=1.0, length_s=0.1)),
    ("intervals beyond the end", lambda d: d["intervals"][0].update(t_s=0.9)),
    ("valid with reasons", lambda d: d.update(valid=True)),
    ("invalid without", lambda d: d.update(reasons=[])),
    ("other format", lambda d: d.update(version=2)),
]


def test_a_good_document_passes():
    laws.check(document(), 3, 1.2)
    laws.check_count(document(), 106)


@pytest.mark.parametrize("why, spoil", BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_document_is_noticed(why, spoil):
    doc = copy.deepcopy(document())
    spoil(doc)
    with pytest.raises((AssertionError, KeyError)):
        laws.check(doc, 3, 1.2)


def test_other_breaks_are_noticed():
    with pytest.raises(AssertionError):
        laws.check(document(), 0, 1.2)
    with pytest.raises(AssertionError):
        laws.check_count(document(), 105)
    for text in ('{"a": NaN}', '{"a": Infinity}', '{"a": 1, "a": 2}'):
        with pytest.raises(AssertionError):
            laws.parse(text)
    with pytest.raises(ValueError):
        laws.parse('{"a": 1} {"b": 2}')


@pytest.mark.parametrize("key, percentile", [("p50", 50), ("p1", 1), ("p99", 99), ("p999", 99.9), ("p9995", 99.95), ("p100", 100)])
def test_percentile_keys(key, percentile):
    assert laws.percentile_of(key) == pytest.approx(percentile)
