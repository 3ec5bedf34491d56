# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll limit` against targets whose capacity is known, and what it refuses."""
import json
import signal
import time

import pytest

from lib.bucket import BucketTarget
from lib.process import Process
from lib.target import OK, reply


@pytest.fixture
def bucket():
    target = BucketTarget(2000)
    yield target
    target.stop()


def limit(plimsoll, *args, timeout_s=120.0):
    done = Process([plimsoll, "limit", *args]).finish(timeout_s)
    return done


def document(done):
    doc = json.loads(done.out)
    assert doc["format"] == "plimsoll-limit" and doc["version"] == 1
    for trial in doc["trials"]:
        assert trial["started"] == trial["ok"] + trial["failed"] + trial["unfinished"], trial
        assert trial["kept"] == (trial["broke"] is None), trial
    return doc


def test_capacity_of_a_token_bucket_is_found_within_5_percent(plimsoll, bucket, full):
    """2 000/s are known: the answer lies within 5 %, and the interval around it is as narrow as asked."""
    step = ["--step-time", "5s"] if full else ["--step-time", "1500ms", "--from", "1000/s", "--confirm", "2"]
    done = limit(plimsoll, "--slo", "p99<30ms,errors<0.1%", *step, "--json", "-", bucket.url, timeout_s=400)
    assert done.exit == 0, done
    doc = document(done)
    assert 1900 <= doc["safe"] <= 2100, done
    assert doc["confirmed"], done
    assert doc["safe"] < doc["broken"] <= doc["safe"] * 1.021 + 1, done
    assert "p99<30ms" in doc["broke_first"], done
    rates = [t["level"] for t in doc["trials"]]
    assert any(abs(r - doc["safe"] * 1.1) < 2 for r in rates), "10 % above was not tried"
    assert "Safe" in done.err and "Broke first" in done.err and "Curve" in done.err, "text belongs on standard error with --json -"


def test_connections(plimsoll, bucket):
    """Little's law says the answer: at 2 000/s, c busy connections wait c/2000 s each; 20 ms are 40 connections."""
    done = limit(plimsoll, "--slo", "mean<20ms", "--of", "connections", "--from", "10", "--to", "200", "--step-time", "1s",
                 "--precision", "5%", "--confirm", "1", "--json", "-", bucket.url)
    assert done.exit == 0, done
    doc = document(done)
    assert doc["of"] == "connections"
    assert 36 <= doc["safe"] <= 41, done
    assert doc["broken"] > doc["safe"]


def test_more_than_is_tried(plimsoll, bucket):
    done = limit(plimsoll, "--slo", "errors<1%", "--from", "50", "--to", "200", "--step-time", "200ms", "--confirm", "1", "--json", "-",
                 bucket.url)
    assert done.exit == 0, done
    doc = document(done)
    assert doc["safe"] == 200 and doc["broken"] is None
    assert "at least 200.0/s" in done.err, done


def test_nothing_keeps_the_promise(plimsoll, start_target):
    """A target that takes 50 ms keeps no promise of 10 ms: exit 1, a declared check failed."""
    target = start_target(r"\{wait 50ms}" + OK)
    done = limit(plimsoll, "--slo", "p50<10ms", "--from", "20", "--to", "40", "--step-time", "200ms", target.url())
    assert done.exit == 1, done
    assert "nothing" in done.out and "p50<10ms" in done.out, done


def test_connections_were_the_limit(plimsoll, start_target):
    """One connection and 20 ms for each reply: 50/s, and the text says that the pool was too small, not the target too slow."""
    target = start_target(r"\{wait 20ms}" + OK)
    done = limit(plimsoll, "--slo", "p99<100ms", "-c", "1", "--from", "20", "--to", "400", "--step-time", "1s", "--precision", "20%",
                 "--confirm", "1", "--json", "-", target.url())
    assert done.exit == 0, done
    doc = document(done)
    assert 30 <= doc["safe"] <= 55, done
    assert doc["connections_limited"], done
    assert "all were busy" in done.err, done
    strict = limit(plimsoll, "--slo", "p99<100ms", "-c", "1", "--from", "40", "--to", "80", "--step-time", "1s", "--precision", "40%",
                   "--confirm", "1", "--strict", target.url())
    assert strict.exit == 4, strict


def test_errors_break_the_promise(plimsoll, start_target):
    target = start_target(reply("503 Busy"))
    done = limit(plimsoll, "--slo", "errors<1%", "--from", "20", "--to", "40", "--step-time", "200ms", "--json", "-", target.url())
    assert done.exit == 3, done
    doc = document(done)
    assert doc["safe"] is None
    assert len(doc["trials"]) == 2, "a target on which nothing succeeds is not searched any longer"
    assert "no request succeeded" in done.err, done


def test_list_of_targets(plimsoll, start_target, tmp_path):
    target = start_target(OK)
    listed = tmp_path / "targets.json"
    listed.write_text(json.dumps([{"url": target.url("/a")}, {"url": target.url("/b")}]))
    args = ["--slo", "errors<1%", "--from", "50", "--to", "100", "--step-time", "200ms", "--confirm", "1", "--targets", str(listed)]
    done = limit(plimsoll, *args, "--json", "-")
    assert done.exit == 0 and document(done)["url"] == target.url("/a") + " and 1 more", done
    refused = limit(plimsoll, *args, "--of", "connections")
    assert refused.exit == 2 and "--targets" in refused.err, refused


def test_interrupted(plimsoll, bucket):
    process = Process([plimsoll, "limit", "--slo", "p99<1s", "--from", "50", "--step-time", "1s", "--json", "-", bucket.url])
    time.sleep(2.5)
    process.signal(signal.SIGINT)
    done = process.finish(20)
    assert done.exit == 130, done
    assert document(done)["interrupted"]


REFUSED = [
    ("no promise", [], "no promise"),
    ("unknown figure", ["--slo", "q99<1s"], "no figure"),
    ("a limit without a unit", ["--slo", "p99<50"], "p99<50"),
    ("rate of 0", ["--slo", "p99<1s", "--from", "0"], "--from"),
    ("rate of -1", ["--slo", "p99<1s", "--from=-1"], "--from"),
    ("upside down", ["--slo", "p99<1s", "--from", "100", "--to", "10"], "above"),
    ("neither rate nor connections", ["--slo", "p99<1s", "--of", "users"], "rate or connections"),
    ("a fraction of a connection", ["--slo", "p99<1s", "--of", "connections", "--from", "1.5"], "whole numbers"),
    ("10^9 connections", ["--slo", "p99<1s", "--of", "connections", "--to", "1000M"], "1000000"),
    ("both -c and a search for it", ["--slo", "p99<1s", "--of", "connections", "-c", "7"], "contradict"),
    ("precision of nothing", ["--slo", "p99<1s", "--precision", "0"], "small"),
    ("a rate has no arrivals without one", ["--slo", "p99<1s", "--of", "connections", "--arrivals", "poisson"], "--arrivals"),
    ("an option of load that the search decides", ["--slo", "p99<1s", "--rate", "5"], "--rate"),
]


@pytest.mark.parametrize("why,args,says", REFUSED, ids=[r[0] for r in REFUSED])
def test_refused_and_nothing_sent(plimsoll, start_target, why, args, says):
    target = start_target(OK)
    done = limit(plimsoll, *args, target.url(), timeout_s=20)
    assert done.exit == 2, (why, done)
    assert says in done.err, (why, done)
    assert target.counts()["begun"] == 0, why
