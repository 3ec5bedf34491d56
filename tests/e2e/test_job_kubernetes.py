# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll job kubernetes: the manifest against the API's schema, its pods run as it says on this machine, and --apply against a
stand-in for kubectl (there is no cluster here)."""
import json
import os
import re
import signal
import sys

import pytest

from lib import kubernetes
from lib.engines import pods_permitted  # noqa: F401  (fixture)
from lib.jobs import check_merged, print_job
from lib.laws import parse
from lib.process import Process, run, wait_until
from lib.target import OK, ROOT

START = "--start-in=5s"
PLAN = ("-n", "1001", "-c", "8", "-r", "400/s")  # 2.5 s, so that each share tells of its progress
HOSTILE = ["X-Note: it's \"$HOME\" $(id) $$(id) `id` \\n {share} é", "X-Tab: a\tb", "X-Yaml: {a: [b]} # no"]


VARIANTS = [
    ("plain", ()),
    ("all options", ("--cpus", "2", "--memory", "1GiB", "--namespace", "load-tests", "--name", "soak-1", "--image", "registry.test/p:1@x",
                     "--claim-size", "5GB", "--open-files", "20000", "--time-limit", "1h")),
    ("several on a node", ("--per-machine", "2",)),
    ("a claim that is there", ("--claim", "shared")),
]


@pytest.mark.parametrize("options", [v[1] for v in VARIANTS], ids=[v[0] for v in VARIANTS])
def test_manifests_are_what_the_api_takes(plimsoll, options):
    text, _ = print_job(plimsoll, "kubernetes", "-n", "4", *options, "--", "load", "-u", "a:b", "-H", HOSTILE[0], "http://svc/")
    objects = kubernetes.read(text)
    problems, fields = kubernetes.refused(objects)
    assert problems == [] and fields > 90, (problems, fields)
    job = kubernetes.find(objects, "Job", "soak-1" if "soak-1" in options else "plimsoll")
    assert job["spec"]["completionMode"] == "Indexed" and job["spec"]["completions"] == job["spec"]["parallelism"] == 4
    spec = job["spec"]["template"]["spec"]
    assert ("affinity" in spec) != ("topologySpreadConstraints" in spec) and ("affinity" in spec) == ("--per-machine" not in options)
    assert ("shared" in options) == (not any(o["kind"] == "PersistentVolumeClaim" for o in objects))
    assert all(o["metadata"].get("namespace") == ("load-tests" if "load-tests" in options else None) for o in objects)


def test_the_schema_refuses_what_is_wrong(plimsoll):
    """The check itself: it knows types, fields that must be there, and fields that do not exist."""
    objects = kubernetes.read(print_job(plimsoll, "kubernetes", "-n", "4", "--", "load", "-c", "4", "http://svc/")[0])
    job = kubernetes.find(objects, "Job", "plimsoll")
    job["spec"]["parallelism"] = "4"
    job["spec"]["template"]["spec"]["containers"][0]["imagee"] = "x"
    problems, _ = kubernetes.refused(objects)
    assert len(problems) == 2 and "parallelism must be integer" in problems[0] and "imagee: unknown field" in problems[1], problems


def test_words_survive_the_manifest(plimsoll, tmp_path):
    """YAML, then a shell, give the words back that were given; no word is a part of the container's command."""
    words = ["-c", "4", *(w for h in HOSTILE[:1] + HOSTILE[2:] for w in ("-H", h)), "--body", "line\nline 2\n\n  $(x)\t'\"\u2028", "http://svc/{seq}?a=$b"]
    text, _ = print_job(plimsoll, "kubernetes", "-n", "4", "--", "load", *words)
    objects = kubernetes.read(text)
    script = kubernetes.find(objects, "ConfigMap", "plimsoll")["data"]["share.sh"]
    (tmp_path / "plan").mkdir()
    (tmp_path / "plan/start-at").write_text("2026-03-01T12:00:30Z")
    program = tmp_path / "plimsoll"
    program.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps([w.encode('utf-8', 'surrogateescape').decode() for w in sys.argv[1:]]))\n")
    program.chmod(0o755)
    done = run(["sh", "-c", script.replace("/mnt/", f"{tmp_path}/")], 20, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.exit == 0, done
    got = json.loads(done.out)
    assert got[-len(words):] == words, got
    assert got[:4] == ["load", "--share", "auto", "--of"]


def test_pods_run_as_the_manifest_says(plimsoll, pods_permitted, start_target):
    target = start_target(OK)
    text, _ = print_job(plimsoll, "kubernetes", "-n", "4", START, "--", "load", *PLAN, "-u", "alice:sword'fish", "-H", HOSTILE[0], target.url())
    assert "sword" not in text
    secret = {"kind": "Secret", "metadata": {"name": "plimsoll-secrets"}, "stringData": {"PLIMSOLL_SECRET_1": "alice:sword'fish"}}
    pods = kubernetes.Pods([*kubernetes.read(text), secret], plimsoll)
    started = [Process(argv, env=env) for argv, env in pods.pods("plimsoll") + pods.pods("plimsoll-merge")]
    try:
        *shares, merge = [one.finish(90) for one in started]
    finally:
        for one in started:
            one.close()
        pods.remove()
    doc = parse(merge.out)  # the log is the document, and nothing else
    check_merged(doc, merge.exit, 4, target.counts()["begun"], 1001)
    for k, share in enumerate(shares):
        assert share.exit in (0, 3) and re.search(r'^\{"elapsed_s"', share.err, re.M), (k, share)


@pytest.fixture
def kubectl(plimsoll, tmp_path, pods_permitted):
    """Environment in which kubectl is the stand-in; state is in tmp_path/kubectl."""
    (tmp_path / "kubectl").mkdir()
    return {"PATH": f"{ROOT}/tests/e2e/kubernetes:{os.environ['PATH']}", "KUBECTL_FOLDER": str(tmp_path / "kubectl"),
            "KUBECTL_PLIMSOLL": plimsoll, "PLIMSOLL_DB": str(tmp_path / "db")}


def calls(tmp_path):
    return [json.loads(line) for line in (tmp_path / "kubectl/calls").read_text().splitlines()]


def test_apply_goes_through_kubectl(plimsoll, kubectl, start_target, tmp_path):
    target = start_target(OK)
    done = run([plimsoll, "job", "kubernetes", "-n", "4", START, "--namespace", "tests", "--apply", "--progress", "json", "--json", "all.json", "--",
                "load", *PLAN, "-u", "alice:swordfish", target.url()], 120, env=kubectl, cwd=tmp_path)
    check_merged(parse((tmp_path / "all.json").read_text()), done.exit, 4, target.counts()["begun"], 1001)
    assert "1,001 ok" in done.out and re.search(r'^\{"share": 4, "elapsed_s"', done.err, re.M), done
    asked = calls(tmp_path)
    assert [c[0] for c in asked[:2]] == ["apply", "apply"] and asked[-2][0] == asked[-1][0] == "delete" and "plimsoll-secrets" in asked[-1], asked
    assert all(c[-2:] == ["--namespace", "tests"] for c in asked), asked
    assert "swordfish" not in json.dumps(asked) + done.out + done.err


def test_apply_that_is_interrupted_deletes_the_job(plimsoll, kubectl, start_target, tmp_path):
    target = start_target(OK)
    job = Process([plimsoll, "job", "kubernetes", "-n", "2", START, "--apply", "--", "load", "-d", "100s", "-c", "4", "-r", "200/s", target.url()],
                  env=kubectl, cwd=tmp_path)
    wait_until(lambda: not job.running() or target.counts()["begun"] > 50, "the shares send", 90)
    job.signal(signal.SIGINT)
    done = job.finish(60)
    assert done.exit == 130, done
    assert calls(tmp_path)[-1][0] == "delete"
