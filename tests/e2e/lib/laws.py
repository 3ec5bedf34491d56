# SPDX-License-Identifier: GPL-3.0-or-later
"""The two laws every run must keep (docs/measuring.md), asserted from the document alone and against the server's count.

L1, conservation: started = ok + failed + unfinished, in the totals, per target and summed; failures by name add up; what was sent is what
the server counted. L2, figures that can be: min <= p(q) <= max and rising, Little's law, no NaN, the duration is the wall clock's."""
import json
import math

SUMMED = ("started", "sent", "ok", "failed", "unfinished", "retried", "interim_replies", "early_replies", "bytes_sent", "bytes_received",
          "body_bytes_received", "connections_opened", "connections_reused", "tls_handshakes", "tls_resumed")
WITH_STATUS = ("status", "body", "header")
MAY_HAVE_STATUS = WITH_STATUS + ("truncated", "timeout", "reset", "bad_message")
NEVER_SENT = ("dns", "connect_refused", "connect_timeout", "connect_unreachable", "ports_exhausted", "files_exhausted")


def _refuse_constant(word):
    raise AssertionError(f"the document holds {word}")


def _no_duplicates(pairs):
    out = dict(pairs)
    assert len(out) == len(pairs), f"a name occurs twice in the document: {[k for k, _ in pairs]}"
    return out


def parse(text):
    """Exactly one document, without NaN, infinity or a name used twice."""
    return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_no_duplicates)


def percentile_of(key):
    """p50 -> 50, p999 -> 99.9, p9995 -> 99.95."""
    digits = key[1:]
    return float(digits if len(digits) <= 2 else digits[:2] + "." + digits[2:]) if digits != "100" else 100.0


def _percentiles(figures):
    keys = [k for k in figures if k[0] == "p" and k[1:].isdigit()]
    return [(percentile_of(k), figures[k]) for k in sorted(keys, key=percentile_of)]


def check_latency(figures, where):
    """One latency object; null when nothing was recorded."""
    if figures is None:
        return 0
    assert figures["count"] > 0, f"{where}: an empty object must be null"
    low, high = figures["min"], figures["max"]
    last = low
    for q, value in _percentiles(figures):
        assert last <= value <= high, f"{where}: p{q} = {value} is not between {last} and {high}"
        last = value
    assert math.isclose(figures["mean"], figures["sum_ns"] / figures["count"] / 1e9, rel_tol=1e-6), f"{where}: mean != sum/count"
    assert low <= figures["mean"] <= high or math.isclose(low, high, rel_tol=1e-6), f"{where}: mean outside min..max"
    assert 0 <= figures["stddev"] <= (high - low) * 1.001 + 1e-9, f"{where}: impossible stddev"
    return figures["count"]


def _check_errors(errors, failed, where):
    assert sum(e["count"] for e in errors) == failed, f"{where}: errors do not add up to failed = {failed}: {errors}"
    names = [(e["kind"], e["detail"]) for e in errors]
    assert len(set(names)) == len(names), f"{where}: an error is listed twice: {names}"
    assert all(e["count"] > 0 for e in errors), where


def _check_status(part, where):
    counted = sum(part["status"].values())
    totals, errors = part["totals"], part["errors"]
    sure = sum(e["count"] for e in errors if e["kind"] in WITH_STATUS)
    perhaps = sum(e["count"] for e in errors if e["kind"] in MAY_HAVE_STATUS)
    assert totals["ok"] + sure <= counted <= totals["ok"] + perhaps, f"{where}: {counted} statuses, {totals}, {errors}"


def _check_part(part, where):
    totals = part["totals"]
    assert totals["started"] == totals["ok"] + totals["failed"] + totals["unfinished"], f"{where}: started is not what became of it: {totals}"
    assert totals["sent"] <= totals["started"], f"{where}: {totals}"
    never = sum(e["count"] for e in part["errors"] if e["kind"] in NEVER_SENT)
    again = min(never, totals["connections_reused"])  # sent on a reused connection that was dead, then no fresh one could be opened
    assert totals["sent"] <= totals["started"] - never + again, f"{where}: {never} failed before they were sent: {totals}"
    assert totals["sent"] >= totals["ok"], f"{where}: {totals}"
    _check_errors(part["errors"], totals["failed"], where)
    _check_status(part, where)
    assert check_latency(part["latency"], f"{where}.latency") == totals["ok"], f"{where}: latency.count != ok"
    assert check_latency(part["service_time"], f"{where}.service_time") == totals["ok"], f"{where}: service_time.count != ok"
    if totals["ok"]:
        assert part["service_time"]["max"] <= part["latency"]["max"] * 1.002, f"{where}: service time is part of latency"


def _inside(doc):
    """The intervals of the window; those of the drain begin at its end."""
    return [i for i in doc["intervals"] if i["t_s"] < doc["duration_s"] - 1e-6]


def _check_sums(doc):
    for key in SUMMED:
        total = doc["totals"][key]
        assert total == sum(t["totals"][key] for t in doc["targets"]), f"totals.{key} = {total} is not the targets' sum"
    assert doc["totals"]["not_sent"] >= sum(t["totals"]["not_sent"] for t in doc["targets"]), "not_sent: the rest of -n has no target"
    for status, n in doc["status"].items():
        assert n == sum(t["status"].get(status, 0) for t in doc["targets"]), f"status {status}"
    assert doc["intervals"] or not doc["totals"]["started"], "what failed before a window began has its interval too"
    for key in ("started", "ok", "failed") if doc["intervals"] else ():
        assert sum(i[key] for i in doc["intervals"]) == doc["totals"][key], f"intervals' {key} do not add up"
    for i in doc["intervals"]:
        assert sum(i.get("errors", {}).values()) == i["failed"], f"the kinds of a second's failures do not add up: {i}"
    for kind in {e["kind"] for e in doc["errors"]}:
        total = sum(e["count"] for e in doc["errors"] if e["kind"] == kind)
        assert sum(i.get("errors", {}).get(kind, 0) for i in doc["intervals"]) == total or not doc["intervals"], f"intervals' {kind} do not add up"
    inside = sum(i["ok"] for i in _inside(doc))
    assert inside == doc["totals"]["ok_in_window"], f"{inside} ok in the intervals of the window, {doc['totals']['ok_in_window']} in the totals"
    assert sum(a["requests"] for a in doc["addresses"]) == doc["totals"]["sent"] + doc["totals"]["retried"], "addresses' requests"
    assert doc["totals"]["connections_reused"] <= doc["totals"]["sent"], "requests on a connection used before"


def _check_classes(doc):
    """Every request that ended is in exactly one class, and a status class holds what the statuses say."""
    counts = {name: check_latency(figures, f"latency_by_class.{name}") for name, figures in doc["latency_by_class"].items()}
    assert sum(counts.values()) == doc["totals"]["ok"] + doc["totals"]["failed"], f"{counts} against {doc['totals']}"
    for name in ("1xx", "2xx", "3xx", "4xx", "5xx"):
        replies = sum(n for status, n in doc["status"].items() if status[0] == name[0])
        assert counts.get(name, 0) == replies, f"{replies} replies {name}, {counts.get(name, 0)} latencies of them"


def _check_little(doc):
    """in_flight_mean is integrated apart from the latencies. Requests that began in the window but ended in the drain are inside the latencies
    with a time outside the window: none longer than the longest latency. So are the first connections that could not be opened before it."""
    totals, duration = doc["totals"], doc["duration_s"]
    spent = sum(f["sum_ns"] for f in doc["latency_by_class"].values() if f) / 1e9
    ended = sum(f["count"] for f in doc["latency_by_class"].values() if f)
    integral = totals["in_flight_mean"] * duration
    assert abs(integral - totals["in_window_s"]) <= max(0.01 * integral, duration), f"Little's law: {integral} and {totals['in_window_s']} s"
    longest = max([f["max"] for f in doc["latency_by_class"].values() if f] or [0])
    slack = 0.01 * max(spent, integral) + max(spent / ended if ended else 0, 0.005)
    in_drain = max(0, ended - sum(i["ok"] + i["failed"] for i in _inside(doc)))
    silent = totals["started"] - ended  # unfinished
    never_open = sum(e["count"] for e in doc["errors"] if e["kind"] in NEVER_SENT + ("tls",))
    before = (doc["ramp_s"] + 0.02) * min(never_open, doc["config"]["connections"] * len(doc["targets"]))
    assert integral <= spent + silent * duration + slack, f"Little's law: {integral} s in flight, {spent} s spent, {silent} unfinished"
    if doc["generator"]["rate_asked"] is not None:
        # A request of a schedule may wait for a connection: its latency counts from when it was due, being in flight from when it was taken.
        spent = doc["service_time"]["sum_ns"] / 1e9 if doc["service_time"] else 0
    assert integral >= spent - max(in_drain, 1) * longest - before - slack, \
        f"Little's law: {integral} s in flight, {spent} s spent, {in_drain} drained"


def _check_clock(doc, wall_s):
    known = doc["duration_s"] + doc["ramp_s"] + doc["warmup"]["duration_s"]
    assert doc["duration_s"] >= 0 and doc["ramp_s"] >= 0
    assert known <= wall_s + 0.05, f"the document claims {known} s, the clock on the wall {wall_s} s"
    end = 0
    for interval in doc["intervals"]:
        assert interval["t_s"] >= end - 1e-6 and interval["length_s"] <= 1.0001, f"intervals overlap: {interval['t_s']}"
        end = interval["t_s"] + interval["length_s"]
    assert end <= wall_s, "intervals beyond the clock on the wall"
    totals = doc["totals"]
    assert totals["ok_in_window"] <= totals["ok"], totals
    assert math.isclose(totals["requests_per_s"] * doc["duration_s"], totals["ok_in_window"], rel_tol=1e-6, abs_tol=1e-6), totals


def _check_verdict(doc, code):
    if code == 130:
        return
    broken = any(not promise["kept"] for promise in doc["slo"])
    assert code == (1 if broken else 0 if doc["valid"] else 3), f"exit {code} but valid is {doc['valid']}: {doc['reasons']}"
    assert doc["valid"] or doc["reasons"], "invalid without a reason"
    assert doc["valid"] != bool(doc["reasons"]), doc["reasons"]


def check(doc, code, wall_s):
    """Both laws, from the document alone."""
    assert doc["format"] == "plimsoll-result" and doc["version"] == 1 and doc["kind"] == "load"
    _check_part(doc, "totals")
    for i, target in enumerate(doc["targets"]):
        _check_part(target, f"targets[{i}]")
    _check_sums(doc)
    _check_classes(doc)
    for name, figures in doc["phases"].items():
        check_latency(figures, f"phases.{name}")
    for i, interval in enumerate(doc["intervals"]):
        check_latency(interval["latency"], f"intervals[{i}]")
    _check_little(doc)
    _check_clock(doc, wall_s)
    _check_verdict(doc, code)


def sent_in_all(doc):
    """What a server must have counted: sent + retried + what the warm-up sent."""
    warmup = doc["warmup"]
    return doc["totals"]["sent"] + doc["totals"]["retried"] + warmup.get("sent", warmup["started"]) + warmup.get("retried", 0)


def check_count(doc, counted):
    assert counted == sent_in_all(doc), f"the server counted {counted} requests, the document has {doc['totals']}, warm-up {doc['warmup']}"
