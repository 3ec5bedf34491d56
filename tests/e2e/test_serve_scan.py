# SPDX-License-Identifier: GPL-3.0-or-later
"""The scan of assets by plimsoll serve --scan-command."""
import os
import time

import pytest

from lib.assets import Asset
from lib.process import run, wait_until
from lib.serve_http import Server

# $1 is the file. Its first word says what to do; every run leaves a line in log.
SCANNER = """#!/bin/sh
printf '%s\\n' "$#" "$1" >>"{folder}/log"
word=$(head -c 8 "$1")
case $word in
virus*) exit 1 ;;
broken*) echo "first line"; echo "no signatures" >&2; exit 2 ;;
hang*) sleep 600 & echo $! >"{folder}/child"; wait ;;
wait*) until [ -e "{folder}/go" ]; do sleep 0.02; done; grep -q virus "$1" && exit 1; exit 0 ;;
count*) mkdir "{folder}/running/$$"; ls "{folder}/running" | wc -l >>"{folder}/most"; sleep 0.1; rmdir "{folder}/running/$$" ;;
env*) env >"{folder}/env" ;;
esac
exit 0
"""


@pytest.fixture
def scanner(tmp_path):
    path = tmp_path / "scan ner.sh"
    path.write_text(SCANNER.format(folder=tmp_path))
    path.chmod(0o755)
    return path


@pytest.fixture
def start(plimsoll, tmp_path, scanner):
    started = []
    (tmp_path / "data").mkdir()

    def start_one(*options, env=None, command=None):
        server = Server(plimsoll, "--threads", "2", "--data-root", str(tmp_path / "data"), "--scan-command", command or f"'{scanner}'", *options, env=env)
        started.append(server)
        return server

    yield start_one
    for one in started:
        one.close()


def test_verdicts(start, tmp_path):
    server = start()
    clean, virus, broken = (Asset(server, word, word.encode()) for word in ("fine", "virus", "broken"))
    assert clean.made["state"] in ("unscanned", "clean")
    clean.wait(state="clean")
    virus.wait(state="infected")
    wait_until(lambda: "scan_error" in broken.now(), "the scan fails")
    assert clean.get().body == b"fine"
    reply = virus.get()
    assert reply.status == 404 and "infected" in reply.json()["error"]
    now = broken.now()
    assert now["state"] == "unscanned" and now["scan_error"] == "the scan command failed: exit code 2: no signatures"
    assert broken.get().status == 404
    wait_until(lambda: f"asset {broken.id} stays unscanned" in server.err(), "it is said on standard error")
    virus.put("now fine", b"fine")
    virus.wait(state="clean")
    assert virus.get().body == b"fine"
    clean.put("now bad", b"virus")
    clean.wait(state="infected")
    assert clean.get().status == 404
    assert server.ask(clean.path, "DELETE").status == 200
    assert server.stop() == 0


def test_nothing_is_served_before_its_scan(start, tmp_path):
    server = start()
    asset = Asset(server, "a", b"wait")
    assert asset.made["state"] == "unscanned" and asset.get().status == 404
    assert asset.now()["state"] == "unscanned"
    (tmp_path / "go").touch()
    asset.wait(state="clean")
    assert asset.get().body == b"wait"
    assert server.stop() == 0


def test_a_verdict_is_of_the_file_that_was_scanned(start, tmp_path):
    server = start()
    asset = Asset(server, "a", b"wait: fine")
    wait_until(lambda: (tmp_path / "log").exists(), "the first scan runs")
    asset.put("b", b"wait: virus")
    (tmp_path / "go").touch()
    asset.wait(state="infected")
    time.sleep(0.3)
    assert asset.now()["state"] == "infected" and asset.get().status == 404
    assert server.stop() == 0


def test_names_are_arguments_and_nothing_else(start, tmp_path):
    server = start()
    names = ["; touch x", "$(touch y)", "`touch z`", "-rf", "a b", "a'b", "a&b|c>d", "*", "~"]
    assets = [Asset(server, name, b"fine") for name in names]
    for asset in assets:
        asset.wait(state="clean")
    lines = (tmp_path / "log").read_text().splitlines()
    assert lines[::2] == ["1"] * len(names)
    assert sorted(lines[1::2]) == sorted(f"{tmp_path}/data/assets/{asset.id}/{name}" for asset, name in zip(assets, names))
    assert server.stop() == 0


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def child(tmp_path):
    wait_until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text().strip(), "the scanner hangs")
    return int((tmp_path / "child").read_text())


def test_a_scan_that_hangs_is_killed(start, tmp_path):
    server = start("--scan-timeout", "3s")
    asset = Asset(server, "a", b"hang")
    pid = child(tmp_path)
    error = wait_until(lambda: asset.now().get("scan_error"), "its time is over")
    assert "still running after 3.00 s" in error and asset.now()["state"] == "unscanned"
    wait_until(lambda: not is_there(pid), "its child is gone too")
    fine = Asset(server, "b", b"fine")
    fine.wait(state="clean")
    assert server.stop() == 0


def test_the_end_of_an_asset_ends_its_scan(start, tmp_path):
    server = start()
    asset = Asset(server, "a", b"hang")
    pid = child(tmp_path)
    assert server.ask(asset.path, "DELETE").status == 200
    wait_until(lambda: not is_there(pid), "the scanner is gone")
    assert os.listdir(tmp_path / "data" / "assets") == []
    assert server.stop() == 0


def test_a_stop_ends_scans_and_a_start_takes_them_up(start, tmp_path):
    server = start()
    hanging, waiting = Asset(server, "a", b"hang"), Asset(server, "b", b"wait")
    pid = child(tmp_path)
    assert server.stop() == 0
    assert not is_there(pid)
    (tmp_path / "go").touch()
    (tmp_path / "child").unlink()
    server = start()
    hanging.server = waiting.server = server
    waiting.wait(state="clean")
    assert hanging.now()["state"] == "unscanned" and "scan_error" not in hanging.now()
    child(tmp_path)
    assert server.stop() == 0


def test_only_a_few_at_once(start, tmp_path):
    (tmp_path / "running").mkdir()
    server = start()
    assets = [Asset(server, f"a{i}", b"count") for i in range(16)]
    for asset in assets:
        asset.wait(state="clean")
    most = [int(n) for n in (tmp_path / "most").read_text().split()]
    assert len(most) == 16 and max(most) <= 4
    assert server.stop() == 0


def test_the_scanner_gets_no_secrets(start, tmp_path):
    server = start(env={"AWS_ACCESS_KEY_ID": "key-of-mine", "AWS_SECRET_ACCESS_KEY": "secret-of-mine", "OTHER": "other-of-mine"})
    Asset(server, "a", b"env").wait(state="clean")
    seen = (tmp_path / "env").read_text()
    assert "other-of-mine" in seen and "secret-of-mine" not in seen and "key-of-mine" not in seen
    assert server.stop() == 0


def test_commands_of_the_system(start):
    server = start(command="true")
    Asset(server, "a", b"x").wait(state="clean")
    assert server.stop() == 0


@pytest.mark.parametrize("command,says", [("", "empty"), ("no-such-scanner-anywhere", "no-such-scanner-anywhere"), ("'sh", "quote"), ("/etc/passwd", "/etc/passwd")])
def test_commands_that_are_none(plimsoll, tmp_path, command, says):
    done = run([plimsoll, "serve", "--listen", "127.0.0.1:0", "--data-root", tmp_path, "--scan-command", command], timeout_s=20)
    assert done.exit == 2 and says in done.err, done
