# SPDX-License-Identifier: GPL-3.0-or-later
"""The suites that come with plimsoll, at their smallest scale, against the real programs they name."""
import json
import os
import shutil
import subprocess

import pytest

from lib import target


def run_suite(plimsoll, tmp_path, name, *options):
    env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
    done = subprocess.run([plimsoll, "run", os.path.join(target.ROOT, "suites", name), "-s", "scale=tiny", "--json", str(tmp_path / "run.json"),
                           "--work-dir", str(tmp_path / "work"), *options], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done, json.loads((tmp_path / "run.json").read_text())


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="haproxy is not installed")
def test_ingress(plimsoll, tmp_path):
    done, document = run_suite(plimsoll, tmp_path, "ingress.yaml", "--repeat", "1")
    cells = {(c["cell"]["termination"], c["cell"]["keepalive"]) for c in document["cells"]}
    assert cells == {(t, k) for t in ("http", "edge", "passthrough", "reencrypt", "mix") for k in ("0", "50")}
    assert all(c["valid"] == 1 and c["metrics"]["error_share"]["mean"] == 0 for c in document["cells"])
    assert "haproxy: HAProxy version" in done.stdout
    # every route of the mix was loaded, each through its own termination
    documents = json.loads(subprocess.run([plimsoll, "results", "export", document["id"]], env=dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db")),
                                          capture_output=True, text=True, check=True).stdout)
    mix = [d for d in documents if d["cell"]["termination"] == "mix"]
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
