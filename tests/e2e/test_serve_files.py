# SPDX-License-Identifier: GPL-3.0-or-later
"""The file system check of plimsoll serve, as published and with what the published program does wrong."""
import os
import re
import string
import subprocess
import time

import pytest

from lib.process import wait_until
from lib.serve_http import Server, request


@pytest.fixture
def server(plimsoll, tmp_path):
    (tmp_path / "data").mkdir()
    one = Server(plimsoll, "--threads", "1", env={"DATA_ROOT": str(tmp_path / "data")}, cwd=tmp_path)
    one.output = tmp_path / "data" / "output"
    yield one
    assert one.stop() == 0


def test_the_published_commands(server, full):
    for prefix, n, size in [("s", 3000, 20_000), ("m", 300, 2_000_000), ("l", 6, 100_000_000)] if full else [("s", 300, 20_000), ("l", 2, 10_000_000)]:
        for extra in ["", "", "&deleteFirst=true"]:
            done = subprocess.run(["curl", "-sS", "-m", "100", server.url(f"/generate-files?prefix={prefix}&n={n}&size={size}{extra}")], capture_output=True, timeout=110)
            answer = __import__("json").loads(done.stdout)
            assert re.fullmatch(rf"{n} files generated successfully in [\d.]+ seconds", answer["message"])
            assert answer["filesPerSecond"] == pytest.approx(n / answer["seconds"], rel=0.01)
            assert answer["MBPerSecond"] == pytest.approx(n * size / 1024 / 1024 / answer["seconds"], rel=0.01)
            assert answer["dataRoot"] == str(server.output.parent) and answer["outputDir"] == str(server.output)
            assert 0 < answer["fileSeconds"]["p50"] <= answer["fileSeconds"]["p90"] <= answer["fileSeconds"]["max"] <= answer["seconds"]
        assert sorted(os.listdir(server.output)) == sorted(f"{prefix}_{i}.txt" for i in range(1, n + 1))
        assert all(os.path.getsize(server.output / f"{prefix}_{i}.txt") == size for i in range(1, n + 1))
        assert server.ask(f"/read-files?prefix={prefix}&n={n}").json()["bytes"] == n * size
        assert server.ask(f"/files?prefix={prefix}", "DELETE").json() == {"deleted": n}
    assert server.peak() < 64 << 20


def test_the_content_is_random_text(server):
    server.ask("/generate-files?n=3&size=700000")
    texts = [(server.output / f"file_{i}.txt").read_text() for i in (1, 2, 3)]
    assert set("".join(texts)) == set(string.ascii_letters + string.digits)
    assert len(set(t[:64] for t in texts)) == 3
    reply = server.ask("/file-content/file_2.txt")
    assert reply.body.decode() == texts[1] and reply["Content-Type"].startswith("text/plain")


def test_defaults_are_the_published_ones(server):
    server.ask("/generate-files")
    assert len(os.listdir(server.output)) == 3000 and os.path.getsize(server.output / "file_3000.txt") == 10_000


def test_options(server):
    assert server.ask("/generate-files?n=20&size=1000&parallel=4&fsync=true").json()["files"] == 20
    assert server.ask("/read-files?n=20&parallel=7").json()["bytes"] == 20_000
    assert server.ask("/generate-files?n=1&size=0").json()["bytes"] == 0
    inode = os.stat(server.output / "file_1.txt").st_ino
    server.ask("/generate-files?n=1&size=5&deleteFirst=false")
    assert os.stat(server.output / "file_1.txt").st_ino == inode
    assert server.ask("/list-files").json()["files"] == [f"file_{i}.txt" for i in range(1, 21)]


@pytest.mark.parametrize("query", ["prefix=../../x", "prefix=no/such/dir", "prefix=%2e%2e%2fx", "prefix=a%00b", "prefix=", "prefix=" + "x" * 241,
                                   "n=abc", "n=-1", "n=0", "n=1e3", "n=1000001", "n=", "size=-1", "size=1GB", "size=17179869185", "deleteFirst=maybe",
                                   "parallel=0", "parallel=65", "fsync=x", "prefix=%zz"])
def test_what_is_refused(server, query):
    reply = server.ask("/generate-files?" + query)
    assert reply.status == 400 and query.split("=")[0] in reply.json()["error"]
    assert not server.output.exists() or os.listdir(server.output) == []
    assert not list(server.output.parent.parent.glob("x*"))


@pytest.mark.parametrize("name,status", [("missing.txt", 404), ("..%2f..%2fsecret", 400), ("%2e%2e", 400), ("..%252fsecret", 404), ("a%00b", 400),
                                         ("x" * 256, 400), ("%zz", 400)])
def test_names_that_are_none(server, name, status):
    (server.output.parent / "secret").write_text("secret")
    reply = server.ask("/file-content/" + name)
    assert reply.status == status and "secret" not in reply.json()["error"]
    if status == 404:
        assert reply.json()["error"] == "File not found."


def test_links_are_not_followed(server):
    server.ask("/generate-files?n=1&size=1")
    (server.output.parent / "secret").write_text("secret")
    os.symlink("../secret", server.output / "file_2.txt")
    assert server.ask("/file-content/file_2.txt").status == 404
    assert server.ask("/generate-files?n=2&size=3").status == 500
    assert (server.output.parent / "secret").read_text() == "secret"


def test_head_does_not_write(server):
    assert server.ask("/generate-files?n=1", "HEAD").status == 405
    assert not server.output.exists()


def test_the_limit_of_the_disk(plimsoll, tmp_path):
    server = Server(plimsoll, "--data-root", str(tmp_path), "--max-disk", "1MB")
    assert server.ask("/generate-files?prefix=a&n=9&size=100000").status == 200
    reply = server.ask("/generate-files?prefix=b&n=2&size=100000")
    assert reply.status == 507 and "100000" in reply.json()["error"]
    assert server.ask("/generate-files?prefix=a&n=9&size=110000").status == 200  # they replace what is there
    assert server.stop() == 0


def test_a_full_disk(plimsoll, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("no file system of a known size can be made here")
    try:
        server = Server(plimsoll, "--data-root", str(folder))
        reply = server.ask("/generate-files?n=3&size=500000")
        assert reply.status == 507 and "file_3.txt" in reply.json()["error"] and "removed" in reply.json()["error"]
        assert sorted(os.listdir(folder / "output")) == ["file_1.txt", "file_2.txt"]
        assert server.stop() == 0
    finally:
        subprocess.run(["umount", folder], check=True)


def test_the_writing_ends_with_its_client(server):
    c = server.connect()
    c.send(request("/generate-files?n=1000000&size=2000"))
    wait_until(lambda: os.path.isdir(server.output) and len(os.listdir(server.output)) > 10, "it writes")
    assert server.ask("/healthz").status == 200
    c.close()

    def rests():
        count = len(os.listdir(server.output))
        time.sleep(0.3)
        return len(os.listdir(server.output)) == count < 1_000_000
    wait_until(rests, "the writing has ended")


def test_who_may_write(plimsoll, tmp_path):
    writes = [("/generate-files?n=1", "GET"), ("/files", "DELETE")]
    public = Server(plimsoll, "--public", "--data-root", str(tmp_path))
    for path, method in writes:
        reply = public.ask(path, method)
        assert reply.status == 403 and "--token" in reply.json()["error"] and "--open-writes" in reply.json()["error"]
    assert public.ask("/list-files").status == 200
    assert public.stop() == 0
    for options in [("--public", "--open-writes"), ()]:
        server = Server(plimsoll, *options, "--data-root", str(tmp_path))
        assert server.ask(*writes[0]).status == 200
        assert server.stop() == 0
    server = Server(plimsoll, "--public", "--token", "right", "--data-root", str(tmp_path))
    for value, status in [(None, 401), ("Bearer wrong", 401), ("Bearer righ", 401), ("Basic right", 401), ("Bearer right", 200), ("bearer right", 200)]:
        reply = server.ask(*writes[0], headers=[f"Authorization: {value}"] if value else [])
        assert reply.status == status and (status == 200 or reply["WWW-Authenticate"].startswith("Bearer"))
    assert server.stop() == 0


def test_a_data_root_that_is_none(plimsoll, tmp_path):
    from lib.process import Process
    done = Process([plimsoll, "serve", "--listen", "127.0.0.1:0", "--data-root", str(tmp_path / "none")]).finish(10)
    assert done.exit == 2 and "none" in done.err
