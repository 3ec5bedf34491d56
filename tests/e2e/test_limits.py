# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the generator itself is the limit: files, memory, CPU. It says so, or does not grow."""
import os

import pytest

from lib.target import OK, reply

MIB = 1 << 20


def with_limit(soft, hard):
    return ["sh", "-c", f'ulimit -Sn {soft} && ulimit -Hn {hard} && exec "$@"', "sh"]


def test_too_few_open_files_are_told_at_the_start(load, start_target):
    """C23: thousands of request errors, or nothing at all."""
    target = start_target(OK)
    done = load.refused("-c", "500", "-d", "2s", target.url(), prefix=with_limit(256, 256))
    assert "500" in done.err and "256" in done.err, done.err
    assert target.counts()["accepted"] == 0


def test_open_files_are_raised_to_the_hard_limit(load, start_target):
    """C23."""
    target = start_target(OK)
    run = load("-c", "500", "-n", "2000", target.url(), server=target, prefix=with_limit(256, 1024))
    assert run.exit == 0 and run.totals["ok"] == 2000 and target.counts()["accepted"] == 500
    assert run.doc["generator"]["open_files_max"] >= 500 and run.doc["generator"]["open_files_limit"] == 1024


@pytest.mark.parametrize("per_connection", ["0", "1"])
def test_memory_does_not_grow_with_requests(load, start_target, full, per_connection):
    """C61: 50 GB, then killed."""
    few, many = (1_000_000, 10_000_000) if full else (50_000, 400_000)
    if per_connection == "1":
        # With fewer the histograms still meet latencies they have not seen: pages touched once, which are no growth.
        few, many = (few // 4, many // 4) if full else (50_000, 150_000)
    target = start_target(OK if per_connection == "0" else reply(fields=["Connection: close"]) + r"\{fin}")
    pairs = []
    # What grows with requests grows every time; a latency that the histograms had not met touches a page once.
    for _ in range(3):
        peaks = []
        for n in (few, many):
            run = load("-c", "10", "-t", "1", "-n", str(n), "--requests-per-connection", per_connection, target.url(), watch_rss=True, timeout_s=1800)
            assert run.exit == 0 and run.totals["ok"] == n
            peaks.append(run.peak_rss - kept_of_seconds(run.doc))
        pairs.append(peaks)
        if abs(peaks[1] - peaks[0]) <= MIB:
            break
    assert target.counts()["requests"] == len(pairs) * (few + many)
    assert abs(pairs[-1][1] - pairs[-1][0]) <= MIB, pairs


def kept_of_seconds(doc):
    """Each second leaves its histogram, some 2 KiB, however many requests it had: on a slow machine ten million take a quarter of an hour."""
    return 2048 * max(0, len(doc["intervals"]) - 180)


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_bodies_are_not_held_in_memory(load, start_target, framing):
    """C62: 1 GiB on each of four connections."""
    size = 1 << 30
    if framing == "length":
        text = reply(length=size, body=r"\{file %d}" % size)
    else:
        text = r"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n\{file %d}\r\n0\r\n\r\n" % (size, size)
    target = start_target(text)
    run = load("-c", "4", "-n", "4", target.url(), server=target, watch_rss=True, timeout_s=120)
    assert run.exit == 0 and run.totals["body_bytes_received"] == 4 * size
    assert run.peak_rss < 64 * MIB


def test_uploads_are_not_held_in_memory(load, start_target, tmp_path):
    file = tmp_path / "body"
    size = 300_000_000
    with open(file, "wb") as out:
        out.truncate(size)
    target = start_target(OK)
    run = load("-T", file, "-c", "2", "-n", "4", target.url(), server=target, watch_rss=True, timeout_s=120)
    assert run.exit == 0 and target.counts()["body_bytes_in"] == 4 * size
    assert run.peak_rss < 64 * MIB


def test_many_connections_need_little_memory(load, start_target, full):
    connections = 10_000 if full else 3000
    target = start_target(OK)
    run = load("-c", str(connections), "-n", str(connections * 2), target.url(), server=target, watch_rss=True, timeout_s=120)
    assert run.exit == 0 and target.counts()["open_max"] == connections
    assert run.peak_rss < (40 if full else 30) * MIB, run.peak_rss / MIB


def on_cpu(number):
    return ["taskset", "-c", str(number)]


@pytest.fixture(scope="module")
def two_cpus():
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("needs two CPUs: one for the load, one for the target")
    return cpus[:2]


def test_the_generator_says_when_it_is_the_limit(load, start_target, two_cpus):
    """C77: replies that are cheap to send and dear to read."""
    dear = r"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + r"1\r\na\r\n" * 8000 + r"0\r\n\r\n"
    target = start_target(dear, prefix=on_cpu(two_cpus[1]))
    run = load("-t", "1", "-c", "20", "-d", "2s", target.url(), server=target, prefix=on_cpu(two_cpus[0]))
    health = run.doc["generator"]
    assert health["limited"] is True and health["reasons"], health
    assert any("cpu" in reason.lower() or "late" in reason or "lag" in reason for reason in health["reasons"]), health["reasons"]
    assert any("limit" in warning for warning in run.doc["warnings"])
    assert "was the limit" in run.err and "client" in run.err.lower()
    strict = load("--strict", "-t", "1", "-c", "20", "-d", "1s", target.url(), prefix=on_cpu(two_cpus[0]))
    assert strict.exit == 3


def test_the_generator_says_nothing_when_it_is_not_the_limit(load, start_target, two_cpus):
    """C77: a target that takes 5 ms."""
    target = start_target(r"\{wait 5ms}" + OK, prefix=on_cpu(two_cpus[1]))
    run = load("-t", "1", "-c", "5", "-d", "2s", target.url(), server=target, prefix=on_cpu(two_cpus[0]))
    health = run.doc["generator"]
    if health["limited"]:  # a busy machine that really kept the loop waiting, and no other reason
        assert health["loop_lag_p99"] > 0.010 and len(health["reasons"]) == 1 and "late" in health["reasons"][0], health
    assert max(health["cpu_per_worker"]) < 0.5
