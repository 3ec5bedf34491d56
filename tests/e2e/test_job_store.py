# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a Kubernetes job by a store of objects: a real S3 server behind a gate that verifies signatures, and any that takes PUT."""
import http.server
import json
import os
import threading

import pytest

from lib import kubernetes
from lib.engines import pods_permitted  # noqa: F401  (fixture)
from lib.jobs import check_merged, print_job
from lib.laws import parse
from lib.process import Process, run
from lib.s3 import KEYS, Gate, S3rver
from lib.target import OK

LOAD = ("load", "-n", "301", "-c", "6", "-r", "200/s")


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3rver(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def store(s3):
    """Environment of who uses it."""
    gate = Gate(s3.port)
    yield {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{gate.port}"}
    assert gate.refused == 0
    gate.close()


class Shelf(http.server.BaseHTTPRequestHandler):
    """Keeps what is put, for whoever has the token. Fails the first PUT of each path with 503."""
    protocol_version = "HTTP/1.1"
    objects, seen, lock = {}, set(), threading.Lock()

    def _answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _is_known(self):
        return self.headers.get("Authorization") == "Bearer s3same"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.lock:
            first = self.path not in self.seen
            self.seen.add(self.path)
        if not self._is_known():
            self._answer(403)
        elif first:
            self._answer(503)
        else:
            self.objects[self.path] = body
            self._answer(201)

    def do_GET(self):
        if not self._is_known():
            self._answer(403)
        elif self.path in self.objects:
            self._answer(200, self.objects[self.path])
        else:
            self._answer(404)

    def log_message(self, *args):
        pass


@pytest.fixture
def shelf():
    one = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{one.server_port}/runs"
    one.shutdown()
    one.server_close()


def test_put_and_get_by_s3(plimsoll, store, tmp_path):
    (tmp_path / "a.json").write_text("first")
    (tmp_path / "b.bin").write_bytes(bytes(range(256)) * 8192)
    put = run([plimsoll, "results", "put", "s3://assets/by-hand", tmp_path / "a.json", tmp_path / "b.bin"], 60, env=store)
    assert put.exit == 0 and put.out == put.err == "", put
    (tmp_path / "back").mkdir()
    got = run([plimsoll, "results", "get", "-o", tmp_path / "back", "s3://assets/by-hand/", "a.json", "none.json", "b.bin"], 60, env=store)
    assert got.exit == 3 and "1 of 3 are not there: none.json" in got.err, got
    assert sorted(os.listdir(tmp_path / "back")) == ["a.json", "b.bin"]
    assert (tmp_path / "back/b.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def test_put_and_get_by_any_server(plimsoll, shelf, tmp_path):
    (tmp_path / "a.json").write_text("first")
    env = {"PLIMSOLL_STORE_TOKEN": "s3same"}
    assert run([plimsoll, "results", "put", shelf, tmp_path / "a.json"], 60, env=env).exit == 0, "a 503 is tried again"
    refused = run([plimsoll, "results", "put", shelf, tmp_path / "a.json"], 60, env={"PLIMSOLL_STORE_TOKEN": "other"})
    assert refused.exit == 2 and "answers 403" in refused.err and "other" not in refused.err, refused
    (tmp_path / "back").mkdir()
    got = run([plimsoll, "results", "get", "-o", tmp_path / "back", shelf, "a.json"], 60, env=env)
    assert got.exit == 0 and (tmp_path / "back/a.json").read_text() == "first", got


REFUSED = [
    ("no credentials", ("put", "s3://b/p", "x"), "no AWS_ACCESS_KEY_ID"),
    ("no bucket", ("put", "s3://", "x"), "can not be the place"),
    ("another scheme", ("get", "ftp://b/p", "x"), "no store that is known"),
    ("credentials in the URL", ("get", "https://u:pw@b/p", "x"), "has credentials in it"),
    ("a folder in the name", ("get", "http://127.0.0.1:1/p", "a/b"), "is no name of an object"),
]


@pytest.mark.parametrize("words, says", [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused(plimsoll, words, says):
    done = run([plimsoll, "results", *words], 20, env={"AWS_ACCESS_KEY_ID": ""})
    assert done.exit == 2 and says in done.err and "pw" not in done.err, done


def test_only_kubernetes_has_a_store(plimsoll):
    for words, says in ((("slurm", "-n", "2", "--parts", "s3://b/p"), "--parts URL has no meaning under slurm"),
                        (("kubernetes", "-n", "2", "--parts", "s3://b/p", "--claim", "c"), "contradict each other"),
                        (("kubernetes", "-n", "2", "--parts", "s3://u:pw@b/p"), "has credentials in it")):
        done = run([plimsoll, "job", *words, "--", "load", "-c", "4", "http://127.0.0.1:1/"], 20)
        assert done.exit == 2 and says in done.err and "pw" not in done.err, done


LIMIT = ("limit", "--slo", "p99<20s", "--from", "100/s", "--confirm", "1", "--step-time", "500ms", "-c", "4")


def begin(plimsoll, store, url, command, target, without=(), limit="60s"):
    """Starts the pods; secrets as the manifest's first lines say. without: containers that never come."""
    text, said = print_job(plimsoll, "kubernetes", "-n", "3", "--start-in=8s", f"--time-limit={limit}", "--parts", url, "--", *command, target.url(), env=store)
    assert "S3RVER" not in text + said and "AWS_SECRET_ACCESS_KEY" in text and "PersistentVolumeClaim" not in text
    objects = kubernetes.read(text)
    assert kubernetes.refused(objects)[0] == []
    secret = {"kind": "Secret", "metadata": {"name": "plimsoll-secrets"}, "stringData": store}
    pods = kubernetes.Pods([*objects, secret], plimsoll)
    argvs = [p for k, p in enumerate(pods.pods("plimsoll")) if k not in without] + pods.pods("plimsoll-merge")
    return pods, [Process(argv, env=env) for argv, env in argvs]


def test_parts_go_through_s3(plimsoll, pods_permitted, store, s3, start_target):
    """A load whose parts all come, one that lacks a share, and a limit: at once."""
    targets = [start_target(OK) for _ in range(3)]
    running = [begin(plimsoll, store, "s3://assets/all", LOAD, targets[0]), begin(plimsoll, store, "s3://assets/lacking", LOAD, targets[1], without=(1,), limit="25s"),
               begin(plimsoll, store, "s3://assets/limit", LIMIT, targets[2])]
    done = []
    try:
        for _, processes in running:
            done.append([one.finish(150) for one in processes])
    finally:
        for pods, processes in running:
            for one in processes:
                one.close()
            pods.remove()
    merge = done[0][-1]
    check_merged(parse(merge.out), merge.exit, 3, targets[0].counts()["begun"], 301)

    merge = done[1][-1]
    document = parse(merge.out)
    assert merge.exit == 3 and any("2 of 3 shares are here, 2 is missing" in r for r in document["reasons"]), document["reasons"]
    assert "1 of 3 are not there: part-2.json" in merge.err, merge
    assert document["totals"]["ok"] == targets[1].counts()["begun"] == 201

    merge = done[2][-1]
    pieces = dict(piece.split(" <==\n", 1) for piece in merge.out.split("==> ")[1:])
    assert sorted(pieces) == ["round-1.json", "round-2.json", "summary.txt"], merge
    for name, requests in (("round-1.json", 50), ("round-2.json", 55)):
        document = json.loads(pieces[name])
        check_merged(document, 0 if document["valid"] else 3, 3, requests=requests)
    assert merge.exit in (3, 4) and pieces["summary.txt"].endswith(f"exit status: {merge.exit}\n"), merge
    assert targets[2].counts()["begun"] == 105
