# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics that users of other load generators found wrong. Both laws are asserted in every run of every test (lib/laws.py); these are about
figures whose right value is known."""
import csv
import math

import pytest

from lib.laws import percentile_of
from lib.target import OK, reply

# What a busy machine may add to a time it was asked to keep.
NOISE_S = 0.025


def test_latency_times_throughput_is_one_for_one_connection(load, start_target):
    """C1: 6 ms and 0.49 ms at the same 5 000/s with one connection cannot both be."""
    target = start_target(r"\{wait 200us}" + OK)
    run = load("-c", "1", "-d", "2s", target.url(), server=target)
    assert run.exit == 0
    assert run.latency["mean"] * run.totals["requests_per_s"] == pytest.approx(1.0, abs=0.03)
    assert run.latency["min"] >= 200e-6


def test_everything_after_the_first_million_counts(load, start_target, full):
    """C4: counts that stick at 1 000 000, and percentiles of the beginning only."""
    quick, slow = (1_000_000, 200_000) if full else (50_000, 10_000)
    target = start_target(reply(body="hello world"), r"\{wait 5ms}" + reply(body="hello world"), when=[f"after={quick}:1"])
    run = load("-c", "20", "-n", str(quick + slow), target.url(), server=target, timeout_s=300)
    assert run.exit == 0
    assert run.totals["ok"] == quick + slow == target.counts()["requests"]
    assert run.totals["body_bytes_received"] == 11 * (quick + slow)
    assert run.latency["p50"] < (0.001 if full else 0.003)
    assert run.latency["p90"] >= 0.005


def test_quick_error_pages_do_not_pull_the_median_down(load, start_target):
    """C6: 70 % are refused in 1 ms, 30 % answered in 2 s."""
    target = start_target(r"\{wait 1ms}" + reply("429 Too Many Requests"), r"\{wait 2s}" + OK, when=["pick=0010010100"])
    run = load("-c", "50", "-n", "100", target.url(), server=target)
    assert run.exit == 3 and not run.doc["valid"]
    classes = run.doc["latency_by_class"]
    assert classes["2xx"]["count"] == 30 and classes["4xx"]["count"] == 70
    assert 2.0 <= classes["2xx"]["p50"] <= 2.0 + 10 * NOISE_S
    assert 0.001 <= classes["4xx"]["p50"] <= 0.001 + 2 * NOISE_S
    assert run.latency["count"] == 30 and run.latency["p50"] >= 2.0, "latency is of ok requests"
    assert run.doc["status"] == {"200": 30, "429": 70}
    assert run.error("status")["count"] == 70


@pytest.mark.parametrize("drain_s", [0.3, 1.0])
def test_requests_in_flight_at_the_deadline_do_not_vanish(load, start_target, full, drain_s):
    """C8: every 50th reply never comes."""
    duration_s = 10 if full else 1.5
    target = start_target(r"\{wait 1ms}" + OK, r"\{hang}", when=["every=50:1"])
    run = load("-c", "20", "-d", f"{duration_s}s", "--drain", f"{drain_s}s", target.url(), server=target)
    hung = target.counts()["by_reply"][1]
    assert run.totals["unfinished"] == hung >= 1
    assert run.totals["ok"] == target.counts()["requests"] - hung
    assert 0 < run.totals["unfinished_oldest_s"] <= duration_s + drain_s + 1
    assert duration_s + drain_s * 0.9 <= run.wall_s <= duration_s + drain_s + 2
    assert any("unfinished" in warning for warning in run.doc["warnings"])
    assert run.totals["in_flight_mean"] == pytest.approx(20, abs=1), "hung requests are in flight"


def test_a_longer_drain_lets_slow_replies_count(load, start_target):
    target = start_target(r"\{wait 700ms}" + OK)
    run = load("-c", "5", "-d", "1s", "--drain", "3s", target.url(), server=target)
    assert run.exit == 0 and run.totals["unfinished"] == 0
    assert run.totals["ok"] == 10, "five inside the window, five in the drain"
    assert run.totals["ok_in_window"] == 5 and run.totals["requests_per_s"] == pytest.approx(5, rel=0.05)
    run = load("-c", "5", "-d", "1s", "--drain", "0s", target.url(), server=None)
    assert run.totals["ok"] == 5 and run.totals["unfinished"] == 5
    assert run.totals["unfinished_oldest_s"] == pytest.approx(0.3, abs=0.2)


def read_log(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_percentiles_follow_the_rank_rule(load, start_target, tmp_path, full):
    """C11: the i-th request takes i steps; p99 equal to the maximum was another tool's answer. The log says the same to one bucket."""
    step_s = 0.001 if full else 0.00025
    target = start_target(OK, index_delay=f"{step_s * 1e6:.0f}us")
    log = tmp_path / "log.csv"
    run = load("-c", "50", "-n", "1000", "--log", log, target.url(), server=target)
    assert run.exit == 0 and run.latency["count"] == 1000
    for key, rank in (("p50", 500), ("p90", 900), ("p99", 990), ("max", 1000)):
        assert rank * step_s <= run.latency[key] <= rank * step_s * 1.001 + 8 * NOISE_S, key
    assert run.latency["p99"] < run.latency["max"]

    rows = read_log(log)
    assert len(rows) == 1000
    values = sorted(float(row["latency_s"]) for row in rows)
    assert values[0] == pytest.approx(run.latency["min"], abs=2e-9) and values[-1] == pytest.approx(run.latency["max"], abs=2e-9)
    assert sum(values) == pytest.approx(run.latency["sum_ns"] / 1e9, abs=1e-6)
    for key in [k for k in run.latency if k[0] == "p" and k[1:].isdigit()]:
        exact = values[max(0, math.ceil(percentile_of(key) / 100 * 1000 - 1e-9) - 1)]
        assert run.latency[key] == pytest.approx(exact, rel=0.001), key


def test_refusals_are_failures(load, start_target):
    """C18: 403s that counted as neither."""
    target = start_target(reply("403 Forbidden"))
    run = load("-c", "4", "-n", "100", target.url(), server=target)
    assert run.exit == 3 and not run.doc["valid"]
    assert run.totals["ok"] == 0 and run.totals["failed"] == 100 and run.doc["status"] == {"403": 100}
    assert run.latency is None and run.doc["latency_by_class"]["4xx"]["count"] == 100
    assert run.error("status")["detail"] == "status 403"
    assert "403" in run.err, "the text says it too"


@pytest.mark.parametrize("connections, requests, threads", [(10, 103, None), (10, 103, 1), (7, 3, None), (2, 1, 2), (50, 1000, 2), (16, 17, 3)])
def test_exact_number_of_requests(load, start_target, connections, requests, threads):
    target = start_target(OK)
    more = ["-t", str(threads)] if threads else []
    run = load("-c", str(connections), "-n", str(requests), *more, target.url(), server=target)
    assert run.exit == 0
    assert run.totals["started"] == run.totals["ok"] == requests == target.counts()["requests"]


def test_duration_or_count_whichever_first(load, start_target):
    target = start_target(r"\{wait 10ms}" + OK)
    by_count = load("-c", "2", "-d", "20s", "-n", "40", target.url(), server=target)
    assert by_count.totals["ok"] == 40 and by_count.doc["duration_s"] < 5
    other = start_target(r"\{wait 10ms}" + OK)
    by_time = load("-c", "2", "-d", "500ms", "-n", "100000", other.url(), server=other)
    assert by_time.totals["ok"] < 200 and by_time.doc["duration_s"] == pytest.approx(0.5, abs=0.05)


def test_duration_is_the_wall_clock(load, start_target):
    target = start_target(OK)
    run = load("-c", "3", "-d", "1s", target.url(), server=target)
    assert run.doc["duration_s"] == pytest.approx(1, abs=0.02)
    assert 1 <= run.wall_s <= 1 + 5
    intervals = run.doc["intervals"]
    assert sum(i["length_s"] for i in intervals) == pytest.approx(run.doc["duration_s"], abs=0.05)


def test_warm_up_is_outside_all_figures(load, start_target):
    """The first requests are slow and fail; none of it may show."""
    target = start_target(r"\{wait 300ms}" + reply("500 Warming"), r"\{wait 1ms}" + OK, when=["after=4:1"])
    run = load("-c", "4", "--warmup", "600ms", "-d", "500ms", target.url(), server=target)
    assert run.exit == 0 and run.totals["failed"] == 0
    assert run.doc["warmup"]["failed"] == 4 and run.doc["warmup"]["started"] > 4
    assert run.doc["status"] == {"200": run.totals["ok"]}
    assert run.latency["max"] < 0.3
    assert run.doc["warmup"]["duration_s"] == pytest.approx(0.6, abs=0.1)
    assert run.doc["duration_s"] == pytest.approx(0.5, abs=0.05)
    assert run.totals["connections_opened"] <= target.counts()["accepted"] == 4


def test_warm_up_request_that_ends_late_stays_a_warm_up_request(load, start_target):
    target = start_target(r"\{wait 800ms}" + OK)
    run = load("-c", "3", "--warmup", "500ms", "-d", "1s", "--drain", "2s", target.url(), server=target)
    assert run.doc["warmup"]["started"] == 3
    assert run.totals["started"] == target.counts()["requests"] - 3


def test_service_time_and_phases(load, start_target):
    target = start_target(r"\{wait 20ms}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no\{wait 30ms}k")
    run = load("-c", "2", "-n", "20", target.url(), server=target)
    phases = run.doc["phases"]
    assert 0.020 <= phases["wait"]["p50"] <= 0.020 + NOISE_S
    assert 0.030 - 0.001 <= phases["receive"]["p50"] <= 0.030 + NOISE_S
    assert phases["connect"]["count"] == 2 and phases["tls"] is None
    assert run.doc["service_time"]["mean"] <= run.latency["mean"]
    assert 0.050 <= run.latency["p50"] <= 0.050 + 2 * NOISE_S


def test_a_connection_opened_for_a_request_is_inside_its_latency(load, start_target):
    """The first connections are opened before the window, the others inside."""
    target = start_target(reply(fields=["Connection: close"]) + r"\{fin}")
    run = load("-c", "2", "-n", "50", "--requests-per-connection", "1", target.url(), server=target)
    assert run.totals["connections_opened"] == 50 == target.counts()["accepted"]
    assert run.doc["phases"]["connect"]["count"] == 50
    assert run.latency["sum_ns"] > run.doc["service_time"]["sum_ns"]


def test_several_targets_have_their_own_figures(load, start_target):
    target = start_target(r"\{wait 1ms}" + OK, r"\{wait 20ms}" + reply(body="slow"), reply("404 Not Found"), when=["path=/slow:1", "path=/none:2"])
    run = load("-c", "2", "-d", "1s", target.url("/"), target.url("/slow"), target.url("/none"), server=target)
    by_path = {t["url"].rsplit("/", 1)[1]: t for t in run.doc["targets"]}
    seen = target.counts()["by_reply"]
    for path, reply_number in (("", 0), ("slow", 1), ("none", 2)):
        assert by_path[path]["totals"]["sent"] == seen[reply_number], path
    assert by_path["none"]["latency"] is None and by_path["none"]["totals"]["failed"] == seen[2]
    assert by_path["slow"]["latency"]["min"] >= 0.020 > by_path[""]["latency"]["p50"]
    assert target.counts()["accepted"] >= 6


def test_count_is_shared_by_several_targets(load, start_target):
    target = start_target(OK)
    run = load("-c", "3", "-n", "100", target.url("/a"), target.url("/b"), server=target)
    assert run.totals["ok"] == 100 == target.counts()["requests"]
