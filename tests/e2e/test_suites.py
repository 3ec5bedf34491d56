# SPDX-License-Identifier: GPL-3.0-or-later
"""The suites that come with plimsoll, at their smallest scale, against the real programs they name."""
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from lib import s3, target
from lib.process import accepts, free_port, wait_until


def run_suite(plimsoll, tmp_path, name, *options, code=0):
    env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
    done = subprocess.run([plimsoll, "run", os.path.join(target.ROOT, "suites", name), "-s", "scale=tiny", "--json", str(tmp_path / "run.json"),
                           "--work-dir", str(tmp_path / "work"), *options], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stdout + done.stderr
    return done, json.loads((tmp_path / "run.json").read_text())


def stored(plimsoll, tmp_path, run):
    """The documents of its samples, as the store has them."""
    done = subprocess.run([plimsoll, "results", "export", run], env=dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db")), capture_output=True,
                          text=True, check=True)
    documents = json.loads(done.stdout)
    return documents if isinstance(documents, list) else [documents]


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")
def test_ingress(plimsoll, tmp_path):
    done, document = run_suite(plimsoll, tmp_path, "ingress.yaml", "--repeat", "1")
    cells = {(c["cell"]["termination"], c["cell"]["keepalive"]) for c in document["cells"]}
    assert cells == {(t, k) for t in ("http", "edge", "passthrough", "reencrypt", "mix") for k in ("0", "50")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    assert "haproxy: HAProxy version" in done.stdout
    # every route of the mix was loaded, each through its own termination
    mix = [d for d in stored(plimsoll, tmp_path, document["id"]) if d["cell"]["termination"] == "mix"]
    assert len(mix) == 2
    for one in mix:
        assert len(one["targets"]) == 8 and all(t["totals"]["ok"] > 0 for t in one["targets"])
        assert sorted(t["url"].split(":")[0] for t in one["targets"]) == ["http"] * 2 + ["https"] * 6


def test_ingress_plan_of_the_published_scales(plimsoll, tmp_path):
    env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
    for scale, needs in (("large", ["20000 of 40000", "30000 of 40000"]), ("small", ["20000 of 40000"])):
        done = subprocess.run([plimsoll, "run", "--dry-run", os.path.join(target.ROOT, "suites", "ingress.yaml"), "-s", f"scale={scale}"],
                              env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and all(need in done.stdout for need in needs)
        assert "30 cells x 2 samples" in done.stdout


def test_cloud_check(plimsoll, tmp_path):
    _, document = run_suite(plimsoll, tmp_path, "cloud-check.yaml", "--repeat", "1")
    metrics = document["cells"][0]["metrics"]
    assert {"prime.ms", "recursive.ms", "small_new.files_per_s", "large_replace.MB_per_s"} <= set(metrics)
    assert all(figure is not None for figure in metrics.values())
    # each repetition removed its files
    assert list((tmp_path / "work" / "data" / "output").iterdir()) == []


@pytest.mark.parametrize("kind", ["haproxy", "nginx"])
def test_gateway(plimsoll, tmp_path, kind):
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    _, document = run_suite(plimsoll, tmp_path, "gateway.yaml", "-s", f"kind={kind}", "-s", "requests=100")
    cells = {(c["cell"]["flow"], c["cell"]["via"]): c for c in document["cells"]}
    assert set(cells) == {(f, v) for f in ("echo", "rest") for v in ("direct", "gateway")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    # the cache of definitions was put back as it was found, and the store stayed idle (after_each checks it)
    assert (tmp_path / "work" / "cache-before.json").read_text().startswith("{")


needs_nginx = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@needs_nginx
@needs_curl
@pytest.mark.parametrize("droplets,content", [("stream", "random"), ("spool", "same")])
def test_uploads(plimsoll, tmp_path, droplets, content):
    _, document = run_suite(plimsoll, tmp_path, "uploads.yaml", "-s", f"droplets={droplets}", "-s", f"content={content}", "--repeat", "1")
    cells = {(c["cell"]["concurrency"], c["cell"]["way"]): c for c in document["cells"]}
    assert set(cells) == {(n, w) for n in ("1", "4") for w in ("direct", "service")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    # every duration, and how they ended
    documents = stored(plimsoll, tmp_path, document["id"])
    assert len(documents) == 4
    for one in documents:
        (only,) = one["rounds"]
        assert str(only["concurrency"]) == one["cell"]["concurrency"] == str(len(only["copies"])) and only["ok"] == only["concurrency"]
        assert only["completion_spread"] is not None or only["concurrency"] == 1
    # what was uploaded was removed again, at both ends of the way
    for folder in ("store/www/dav", "service", "content"):
        assert [path for path in (tmp_path / "work" / folder).rglob("*") if path.is_file() and path.suffix != ".reply"] == []


@needs_nginx
@needs_curl
def test_uploads_to_a_store_that_asks_who_it_is(plimsoll, tmp_path):
    """The user and the password stand in a file of curl's, and nowhere else."""
    (tmp_path / "password").write_text("very secret\n")
    (tmp_path / "curl").write_text('user = "somebody:very secret"\n')
    port = free_port()
    store = subprocess.Popen([sys.executable, os.path.join(target.ROOT, "testbeds", "blobs", "blobs.py"), "--dir", str(tmp_path / "blobs"), "--port",
                              str(port), "--user", "somebody", "--password-file", str(tmp_path / "password")])
    try:
        wait_until(lambda: accepts(port), "the store listens")
        options = ["--only", "300kB/1/direct", "--repeat", "1", "-s", f"direct=http://127.0.0.1:{port}/dav"]
        run_suite(plimsoll, tmp_path, "uploads.yaml", *options, code=3)
        assert "error: 401" in (tmp_path / "work" / "sample-00001.log").read_text()
        _, document = run_suite(plimsoll, tmp_path, "uploads.yaml", "-s", f"curl_config={tmp_path}/curl", *options)
        assert document["cells"][0]["valid"] == 1
        assert "very secret" not in json.dumps(stored(plimsoll, tmp_path, document["id"]))
    finally:
        store.send_signal(signal.SIGTERM)
        store.wait(20)


@needs_nginx
def test_assets(plimsoll, tmp_path):
    done, document = run_suite(plimsoll, tmp_path, "assets.yaml", "-s", f"s3rver={s3.install()}")
    cells = {(c["cell"]["size"], c["cell"]["way"], c["cell"]["concurrency"]): c for c in document["cells"]}
    assert set(cells) == {(s, w, c) for s in ("29", "1048576") for w in ("disk-app", "disk-nginx", "s3-streamed", "s3-proxied") for c in ("1", "5")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    # the delay is on the way to S3, and nowhere else: no reply of S3's can be quicker
    for one in stored(plimsoll, tmp_path, document["id"]):
        if one["cell"]["way"].startswith("s3"):
            assert one["latency"]["min"] >= 0.002, one["cell"]
        assert one["totals"]["body_bytes_received"] == 20 * int(one["cell"]["size"])
    assert "s3 delay: 2ms" in done.stdout


@needs_nginx
def test_assets_says_how_the_proxied_way_fails(plimsoll, tmp_path):
    """Every fourth connection to S3 is reset or cut: replies that say so, and bodies that are short, told apart."""
    _, document = run_suite(plimsoll, tmp_path, "assets.yaml", "-s", f"s3rver={s3.install()}", "-s", "s3_faults=4", "--only", "1048576/s3-proxied/5", code=3)
    (one,) = stored(plimsoll, tmp_path, document["id"])
    kinds = {}
    for error in one["errors"]:
        kinds[error["kind"]] = kinds.get(error["kind"], 0) + error["count"]
    assert set(kinds) == {"status", "truncated"} and sum(kinds.values()) == one["totals"]["failed"] == 5
    assert one["status"].get("502") == kinds["status"]
    assert document["samples"][0]["outcome"] == "invalid"


@needs_curl
def test_push(plimsoll, tmp_path):
    _, document = run_suite(plimsoll, tmp_path, "push.yaml", "--repeat", "1")
    assert [c["cell"]["concurrency"] for c in document["cells"]] == ["1", "4"]
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    phases = {"create", "upload app", "create container", "download package", "stage", "upload droplet", "start"}
    for one in stored(plimsoll, tmp_path, document["id"]):
        for copy in one["rounds"][0]["copies"]:
            assert phases <= {name for name, seconds in copy["phases"].items() if seconds is not None}
    # the apps are gone, and so is what was written for them
    assert [path for path in (tmp_path / "work" / "platform").rglob("*") if path.is_file()] == []
    assert sorted(os.listdir(tmp_path / "work" / "cells")) in (["cell-0"], ["cell-0", "cell-1"])
    # all rounds together say how it grows
    samples = sorted(str(path) for path in (tmp_path / "work").glob("sample-*.json"))
    done = subprocess.run([plimsoll, "rounds", "import", *samples], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "2, of 1, 4 at once" in done.stdout and "Phases: mean time of a copy" in done.stdout


@needs_curl
def test_push_points_to_a_real_platform_by_one_parameter(plimsoll, tmp_path):
    """A cf that writes down what it is asked for."""
    (tmp_path / "bin").mkdir()
    cf = tmp_path / "bin" / "cf"
    cf.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\ncase $1 in push) echo "Creating app $2..."; echo "App started";; esac\n')
    cf.chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{tmp_path}/bin:{before}"
    try:
        run_suite(plimsoll, tmp_path, "push.yaml", "-s", "platform=cf", "-s", "app=/some/app", "--only", "4", "--repeat", "1")
    finally:
        os.environ["PATH"] = before
    asked = (tmp_path / "asked").read_text().splitlines()
    assert sorted(line for line in asked if line.startswith("push")) == [f"push plimsoll-{i} -p /some/app" for i in range(1, 5)]
    assert sum(line.startswith("delete -f -r plimsoll-") for line in asked) == 8
