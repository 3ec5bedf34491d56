# SPDX-License-Identifier: GPL-3.0-or-later
"""The suites that come with plimsoll, at their smallest scale, against the real programs they name."""
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

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
    assert "router: HAProxy version" in done.stdout
    # every route of the mix was loaded, each through its own termination
    mix = [d for d in stored(plimsoll, tmp_path, document["id"]) if d["cell"]["termination"] == "mix"]
    assert len(mix) == 2
    for one in mix:
        assert len(one["targets"]) == 8 and all(t["totals"]["ok"] > 0 for t in one["targets"])
        assert sorted(t["url"].split(":")[0] for t in one["targets"]) == ["http"] * 2 + ["https"] * 6


def objects_of_a_cluster(http_only):
    """What kubectl says of the routes that the testbed's router has, and of one that nobody admitted."""
    route = lambda name, spec, **more: {"kind": "Route", "metadata": {"name": name, "namespace": "shop"}, "spec": spec, **more}
    items = [route("plain", {"host": "http-0.router.test", "path": "/bytes/7"}),
             route("refused", {"host": "http-9.router.test"}, status={"ingress": [{"conditions": [{"type": "Admitted", "status": "False"}]}]})]
    if not http_only:
        items += [route(t, {"host": f"{t}-1.router.test", "tls": {"termination": t}}) for t in ("passthrough", "reencrypt")]
        items += [{"kind": "Ingress", "metadata": {"name": "in"}, "spec": {"tls": [{"hosts": ["edge-0.router.test"]}], "rules": [
            {"host": h, "http": {"paths": [{"path": "/1024.html", "pathType": "Exact"}]}} for h in ("edge-0.router.test", "http-1.router.test")]}}]
    return {"kind": "List", "items": items}


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")
def test_ingress_of_a_cluster_that_is_there(plimsoll, tmp_path):
    """The routes of a router that somebody else runs, from a file of kubectl's."""
    ports = free_port(), free_port()
    file = tmp_path / "routes.json"
    router = subprocess.Popen([sys.executable, os.path.join(target.ROOT, "testbeds", "router", "router.py"), "--plimsoll", plimsoll, "--dir",
                               str(tmp_path / "router"), "--http-port", str(ports[0]), "--https-port", str(ports[1]), "--routes", "2", "--maxconn", "1000"],
                              stdout=subprocess.PIPE, text=True)
    options = ["-s", f"routes={file}", "-s", "router=127.0.0.1", "-s", f"router_http_port={ports[0]}", "-s", f"router_https_port={ports[1]}", "-s",
               f"cacert={tmp_path}/router/ca.pem", "-s", "route_path=/bytes/9", "-s", "keepalive=0", "-s", "runtime=200ms", "--repeat", "1"]
    try:
        assert router.stdout.readline() == "ready\n"
        file.write_text(json.dumps(objects_of_a_cluster(False)))
        done, document = run_suite(plimsoll, tmp_path, "ingress.yaml", *options)
        assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
        assert "not asked: shop/refused: no router has admitted it" in document["notes"]
        by_cell = {d["cell"]["termination"]: d for d in stored(plimsoll, tmp_path, document["id"])}
        bodies = sorted(t["totals"]["body_bytes_received"] / t["totals"]["ok"] for t in by_cell["mix"]["targets"])
        assert bodies == [7, 9, 9, 1024, 1024]    # each route with its own path, or the one for those that name none
        plan = subprocess.run([plimsoll, "run", "--dry-run", os.path.join(target.ROOT, "suites", "ingress.yaml"), *options], capture_output=True,
                              text=True, timeout=60)
        # 2 clients each: 2 http routes; 1 edge, 1 reencrypt of factor 2; 1 passthrough; a client for each of the five
        needs = {line.split()[0]: line.split(" connections")[0].split()[-3] for line in plan.stdout.splitlines() if " connections (" in line}
        assert needs == {"http/1/0": "2", "http/5/0": "10", "edge/1/0": "2", "edge/5/0": "10", "passthrough/1/0": "1", "passthrough/5/0": "5",
                         "reencrypt/1/0": "2", "reencrypt/5/0": "10", "mix/1/0": "7", "mix/3/0": "21"}, plan.stdout
        # a cluster with plain routes alone: the other terminations have nothing to ask
        file.write_text(json.dumps(objects_of_a_cluster(True)))
        _, document = run_suite(plimsoll, tmp_path, "ingress.yaml", *options)
        states = {s["cell"]["termination"]: s["outcome"] for s in document["samples"]}
        assert states == {"http": "valid", "mix": "valid", "edge": "not_run", "passthrough": "not_run", "reencrypt": "not_run"}
        # a route that does not answer stops the run before any load
        file.write_text(json.dumps(objects_of_a_cluster(True)).replace("http-0", "http-8"))
        env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
        done = subprocess.run([plimsoll, "run", os.path.join(target.ROOT, "suites", "ingress.yaml"), "-s", "scale=tiny", *options], env=env,
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "status 503, expected 2xx or 3xx" in done.stderr and "no such route" in done.stderr, done.stderr
    finally:
        router.terminate()
        router.wait(20)


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
    assert {"prime.20000000.ms", "recursive_14.self.ms", "small_new.files_per_s", "large_replace.MB_per_s"} <= set(metrics)
    assert all(figure is not None for figure in metrics.values())
    # each repetition removed its files
    assert list((tmp_path / "work" / "data" / "output").iterdir()) == []
    # beside what was published: 15074 ms on Cloud Foundry, and how many times as quick this is
    (row,) = [line for line in document["summary"].splitlines() if line.startswith("| of 14")]
    mine, first = re.match(r"\| of 14 +\| +([0-9.,]+) \| +15074 \(([0-9.,]+)x\)", row).groups()
    assert float(mine.replace(",", "")) == pytest.approx(metrics["recursive_14.self.ms"]["mean"], rel=0.01)
    assert float(first.replace(",", "")) == pytest.approx(15074 / metrics["recursive_14.self.ms"]["mean"], rel=0.06)


class OtherApp(http.server.BaseHTTPRequestHandler):
    """An application that answers alike, without the fields and the ways that it lacks."""

    def do_GET(self):
        path = self.path.split("?")[0].split("/")
        self.server.asked.append(self.path)
        if path[1] == "prime":
            self.reply({"n": path[2], "prime": 29, "msTime": 4000})
        elif path[1] == "recursive":
            self.reply({"n": path[2], "fibonacci": 55, "msTime": 500 if "far" in self.path else 250})
        elif path[1] == "generate-files":
            self.reply({"message": "done"})
        else:
            self.send_error(404)

    def do_DELETE(self):
        self.send_error(404)

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_cloud_check_of_another_application_by_two_paths(plimsoll, tmp_path):
    """A column of latency for each path to the application; what it lacks is absent, not invalid."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherApp) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            _, document = run_suite(plimsoll, tmp_path, "cloud-check.yaml", "-s", f"target={url}", "-s", "primes=2000000000", "-s",
                                    f"bases=local={url},far={url}/far", "--repeat", "2", "--markdown", str(tmp_path / "table.md"))
        finally:
            server.shutdown()
            thread.join()
    metrics = document["cells"][0]["metrics"]
    assert metrics["recursive_10.local.ms"]["mean"] == pytest.approx(250) and metrics["recursive_10.far.ms"]["mean"] == pytest.approx(500)
    assert not any("files_per_s" in name for name in metrics) and document["cells"][0]["valid"] == 2
    assert server.asked.count("/prime/2000000000") == 10 and server.asked.count(f"/recursive/12?url={url}/far") == 2
    pasted = (tmp_path / "table.md").read_text()
    assert re.search(r"^\| 2,000,000,000 +\| 4,000 \| +5113 \(1\.3x\) \| +4206 \(1\.1x\) \| +3570 \(0\.89x\) \|$", pasted, re.M)
    assert re.search(r"^\| Latency.* \| local \| far \| ", pasted, re.M)


@pytest.mark.parametrize("kind", ["haproxy", "nginx"])
def test_gateway(plimsoll, tmp_path, kind):
    if shutil.which(kind) is None:
        pytest.skip(f"{kind} is not installed")
    _, document = run_suite(plimsoll, tmp_path, "gateway.yaml", "-s", f"kind={kind}", "-s", "requests=100")
    cells = {(c["cell"]["flow"], c["cell"]["via"]): c for c in document["cells"]}
    assert set(cells) == {(f, v) for f in ("echo", "rest") for v in ("direct", "gateway")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    # the cache of definitions was put back as it was found
    assert (tmp_path / "work" / "cache-before.json").read_text().startswith("{")
    summary = document["summary"]
    assert summary.count("published") == 2 and "mean, across all concurrent requests" in summary
    assert set(re.findall(r"^  ((?:echo|rest) (?:direct|gateway)) +0\.\d+ s$", summary, re.M)) == {
        "echo direct", "echo gateway", "rest direct", "rest gateway"}
    # the gateway's own cost is the difference that the documents have, and both parts are watched
    documents = {(d["cell"]["flow"], d["cell"]["users"], d["cell"]["via"]): d for d in stored(plimsoll, tmp_path, document["id"])}
    cost = documents["echo", "1", "gateway"]["latency"]["mean"] - documents["echo", "1", "direct"]["latency"]["mean"]
    row = next(line.split() for line in summary.splitlines() if line.split()[:2] == ["echo", "1"])
    shown = float(row[4].replace(",", "")) * {"us": 1e-6, "ms": 1e-3, "s": 1}[row[5]]
    assert shown == pytest.approx(cost, rel=0.02, abs=1e-7), (row, cost)
    assert all(set(d["watch"]) == {"app", "gateway"} for d in documents.values())


def test_gateway_whose_store_is_read_meanwhile(plimsoll, tmp_path):
    """The cache is off while measuring: every request reads the store, so no sample counts, and the run goes on."""
    if shutil.which("haproxy") is None:
        pytest.skip("haproxy is not installed")
    text = open(os.path.join(target.ROOT, "suites", "gateway.yaml"), encoding="utf-8").read()
    changed = text.replace("""'{"enabled":true}' http""", """'{"enabled":false}' http""")
    assert changed != text
    suite = tmp_path / "gateway.yaml"
    suite.write_text(changed.replace("{dir}", os.path.join(target.ROOT, "suites")))
    done, document = run_suite(plimsoll, tmp_path, str(suite), "-s", "requests=50", "--only", "echo/1/*", code=3)
    assert [s["outcome"] for s in document["samples"]] == ["invalid"] * 2
    assert all("the store of definitions was read 50 times while measuring" in s["note"] for s in document["samples"])
    assert all(not d["valid"] and "read 50 times" in d["reasons"][0] for d in stored(plimsoll, tmp_path, document["id"]))


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
    # the summary has a row for each number at once, and takes the service's cost from these very figures
    rows = re.findall(r"^  300kB +(\d+) +([0-9.]+) (ms|s) +([0-9.]+) (ms|s) ", document["summary"], re.M)
    assert [row[0] for row in rows] == ["1", "4"]
    direct = next(d for d in documents if d["cell"] == {"size": "300kB", "concurrency": "4", "way": "direct"})["rounds"][0]["mean_ok_s"]
    assert float(rows[1][1]) * {"ms": 1e-3, "s": 1}[rows[1][2]] == pytest.approx(direct, rel=0.01)
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
    # the six results as published, and these
    assert re.search(r"^  Complete requests( +20){6}$", document["summary"], re.M)
    assert re.search(r"^  Failed requests( +0){4} +2 +209$", document["summary"], re.M)
    assert document["summary"].rstrip().endswith("none")


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
    # by kind, when, and what was said
    said = re.findall(r"^  1048576 +s3-proxied +5 +(\d) of 20 +(status|truncated)\S*.* +[0-9.]+ s +[0-9.]+ s +(.*)$", document["summary"], re.M)
    assert sum(int(count) for count, _, _ in said) == 5 and {kind for _, kind, _ in said} == {"status", "truncated"}
    assert any(text.startswith("HTTP/1.1 502 Bad Gateway") for _, kind, text in said if kind == "status")


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
    assert "2, of 1, 4 at once" in document["summary"] and "Phases: mean time of a copy" in document["summary"]


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


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")
def test_a_router_that_dies_in_the_middle(plimsoll, tmp_path):
    """Its sample is invalid, a new router is there for the next one, and nothing is left in the end."""
    env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
    config = str(tmp_path / "work" / "router" / "haproxy-0.cfg")

    def routers():
        found = []
        for name in os.listdir("/proc"):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as f:
                    if name.isdigit() and config.encode() in f.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found

    run = subprocess.Popen([plimsoll, "run", os.path.join(target.ROOT, "suites", "ingress.yaml"), "-s", "scale=tiny", "-s", "keepalive=0", "-s",
                            "runtime=3s", "--only", "http/*", "--repeat", "2", "--json", str(tmp_path / "run.json"), "--work-dir",
                            str(tmp_path / "work"), "--progress", "json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for line in run.stderr:
            if '"stage": "sample"' in line and '"sample": 1' in line and '"live"' in line:
                break
        for pid in routers():
            os.kill(pid, signal.SIGKILL)
        out, err = run.communicate(timeout=120)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 3, out + err
    document = json.loads((tmp_path / "run.json").read_text())
    assert [s["outcome"] for s in document["samples"]] == ["invalid", "valid"], out
    assert 'the service "http" ended with status' in out and "is started again" in err
    assert routers() == []
