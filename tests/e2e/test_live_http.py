# SPDX-License-Identifier: GPL-3.0-or-later
"""--live-http: a page, metrics and JSON while it runs, for this machine alone, and nothing that a client does disturbs."""
import json
import re
import shutil
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request

import pytest

from lib.process import free_port, wait_until
from lib.target import OK, reply

SLOW_OK = r"\{wait 5ms}" + OK
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(\{{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\}})? (NaN|[-+]?[0-9.eE+-]+)$')


class Watched:
    """A command with --live-http; watched.url is where."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.err = ""
        self.url = None
        seen = threading.Event()

        def read():
            for line in self.process.stderr:
                self.err += line
                found = re.search(r"live figures: (http://\S+)/ ", line)
                if found:
                    self.url = found[1]
                    seen.set()
            seen.set()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        assert seen.wait(30) and self.url, self.err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(20)
        self._reader.join(20)
        self.process.stdout.close()
        self.process.stderr.close()

    @property
    def address(self):
        host, port = re.fullmatch(r"http://(.*):(\d+)", self.url).groups()
        return host, int(port)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return answer.headers, answer.read().decode()

    def json(self):
        return json.loads(self.get("/live.json")[1])

    def stop(self, limit_s=60):
        """Ctrl-C: what it printed, a report with what there is so far."""
        self.process.send_signal(signal.SIGINT)
        out = self.process.stdout.read()
        assert self.process.wait(limit_s) == 130, self.err
        return out


def parse_metrics(text):
    """The exposition format, strictly: {name with labels: value}, {family: type}."""
    types, values, helped, current = {}, {}, set(), None
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            family = re.match(rf"# HELP ({NAME}) \S", line)[1]
            assert family not in helped, f"{family} twice"
            helped.add(family)
        elif line.startswith("# TYPE "):
            current, kind = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line).groups()
            assert current in helped and current not in types
            types[current] = kind
        else:
            found = SAMPLE.fullmatch(line)
            assert found, f"no sample: {line!r}"
            name, labels, value = found.groups()
            family = re.sub("_(bucket|sum|count)$", "", name) if types.get(current) == "histogram" else name
            assert family == current, f"{name} stands in the family {current}"
            assert name + (labels or "") not in values, f"{line} twice"
            values[name + (labels or "")] = float(value)
    return values, types


def test_it_says_that_the_start_is_waited_for(plimsoll, start_target):
    target = start_target(OK)
    with Watched([plimsoll, "load", "--no-store", "--live-http", "0", "-c", "2", "-n", "2", "--start-at", "+600s", target.url()]) as watched:
        wait_until(lambda: watched.json()["stage"] == "waiting", "the wait")
        figures = watched.json()
        assert 300 < figures["left_s"] <= 600 and figures["started"] == 0
        assert 'stage="waiting"' in watched.get("/metrics")[1]
        watched.stop()
    assert target.counts()["begun"] == 0


def check_histogram(values, name):
    buckets = [(float(re.search(r'le="([^"]*)"', key)[1].replace("+Inf", "inf")), value) for key, value in values.items()
               if key.startswith(name + "_bucket")]
    assert buckets == sorted(buckets) and [v for _, v in buckets] == sorted(v for _, v in buckets)
    assert buckets[-1] == (float("inf"), values[name + "_count"])


@pytest.fixture
def watch(plimsoll):
    started = []

    def start(*args, address="0"):
        started.append(Watched([plimsoll, "load", "--no-store", "--json", "-", "--live-http", address, *args]))
        return started[-1].__enter__()

    yield start
    for one in started:
        one.__exit__()


def test_metrics_json_and_page_while_it_runs(watch, start_target):
    target = start_target(SLOW_OK, reply("500 No"), when=["path=/bad:1"])
    run = watch("-c", "2", "-r", "100", "-d", "5m", "--max-errors", "100%", target.url(), target.url("/bad"))
    headers, page = run.get("/")
    assert headers["Content-Type"].startswith("text/html") and page.startswith("<!doctype html>")
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", page), "nothing from elsewhere"
    assert "default-src 'none'" in headers["Content-Security-Policy"]

    before, seen = {}, []
    wait_until(lambda: run.json()["latency"], "a second is over", limit_s=30)
    for _ in range(10):
        headers, text = run.get("/metrics")
        assert headers["Content-Type"].startswith("text/plain; version=0.0.4")
        values, types = parse_metrics(text)
        check_histogram(values, "plimsoll_live_latency_seconds")
        for key, value in values.items():
            family = re.sub(r"\{.*", "", key)
            if types.get(family) == "counter" or family.startswith("plimsoll_live_latency_seconds_"):
                assert value >= before.get(key, 0), f"{key} fell"
                before[key] = value
        seen.append(values["plimsoll_live_ok_total"])
    assert any('target="' in key and key.startswith("plimsoll_live_target_ok_total") for key in values)

    figures = run.json()
    assert figures["format"] == "plimsoll-live" and figures["command"] == "load"
    assert figures["rate_asked"] == pytest.approx(100, rel=0.05)
    assert figures["errors"]["status"] == figures["failed"] > 0
    totals = json.loads(run.stop())["totals"]
    assert seen[-1] <= totals["ok"] and figures["ok"] <= totals["ok"] and figures["started"] <= totals["started"]
    with pytest.raises(OSError):
        socket.create_connection(run.address, timeout=5)


def test_only_this_machine_by_default(watch, start_target):
    target = start_target(SLOW_OK)
    port = free_port()
    run = watch("-c", "1", "-d", "5m", target.url(), address=str(port))
    assert run.address == ("127.0.0.1", port)
    assert run.json()["format"] == "plimsoll-live"
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    run.stop()


def test_other_paths_and_methods(watch, start_target):
    target = start_target(SLOW_OK)
    run = watch("-c", "1", "-d", "5m", target.url())
    for path, method, code in (("/secret", "GET", 404), ("/", "POST", 405), ("/../etc/passwd", "GET", 404)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(run.url + path, method=method), timeout=20)
        assert refused.value.code == code
        refused.value.close()
    run.stop()


def test_hostile_clients_disturb_nothing(watch, start_target):
    target = start_target(SLOW_OK)
    run = watch("-c", "2", "-r", "100", "-d", "5m", target.url())
    held = []
    try:
        for i in range(100):
            one = socket.create_connection(run.address, timeout=20)
            held.append(one)
            try:
                one.sendall((b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"\x16\x03\x01\x00\xff" * 50, b"", b"A" * 20000)[i % 4])
            except OSError:
                continue  # it has been sent away already
        for _ in range(5):
            assert run.json()["command"] == "load"
            assert parse_metrics(run.get("/metrics")[1])[0]["plimsoll_live_started_total"] >= 0
    finally:
        for one in held:
            one.close()
    doc = json.loads(run.stop())
    assert doc["valid"] and doc["totals"]["failed"] == 0 and doc["totals"]["ok"] > 0


def test_a_taken_port_is_told_before_anything_is_sent(load, start_target):
    target = start_target(OK)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = load.refused("--live-http", str(taken.getsockname()[1]), target.url())
        assert "--live-http" in done.err
    assert target.counts()["begun"] == 0


@pytest.mark.parametrize("address", ["eighty", "99999", "::1:80", "example.test:80", ""])
def test_wrong_addresses(load, address):
    done = load.refused("--live-http", address, "http://127.0.0.1:9/")
    assert "--live-http" in done.err and "hint" in done.err


def test_rounds_and_runs_too(plimsoll, start_target, tmp_path):
    with Watched([plimsoll, "rounds", "--no-store", "--live-http", "0", "-c", "2", "--samples", "400", "--", "sleep", "0.5"]) as run:
        figures = wait_until(lambda: (f := run.json()) and f["ok"] >= 2 and f, "the first round", limit_s=30)
        assert figures["command"] == "rounds" and figures["unit"] == "copies" and figures["steps"] == 400
        assert figures["table"]["rows"][0]["name"] == "2 copies"
        values, _ = parse_metrics(run.get("/metrics")[1])
        assert values["plimsoll_live_steps"] == 400
        run.stop()
    target = start_target(SLOW_OK)
    suite = tmp_path / "suite.yaml"
    suite.write_text(f"name: one\nsamples: 1\nload:\n  url: {target.url()}\n  connections: 1\n  duration: 5m\n")
    with Watched([plimsoll, "run", "--no-store", "--live-http", "0", str(suite)]) as run:
        figures = wait_until(lambda: (f := run.json()) and f["latency"] and f, "figures of the sample", limit_s=30)
        assert figures["command"] == "run" and figures["ok"] > 0 and figures["rate"] > 0
        parse_metrics(run.get("/metrics")[1])
        run.stop()


def test_the_page_in_a_browser(watch, start_target, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium here")
    target = start_target(SLOW_OK, reply("500 No"), when=["path=/bad:1"])
    run = watch("-c", "2", "-r", "100", "-d", "5m", "--max-errors", "100%", target.url(), target.url("/bad?x=<b>text</b>"))
    wait_until(lambda: run.json()["latency"], "a second is over", limit_s=30)
    done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--enable-logging=stderr",
                           f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000", "--dump-dom", run.url + "/"],
                          capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "CONSOLE" not in done.stderr, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert re.search(r"<dt>ok</dt><dd[^>]*>[1-9]", done.stdout) and re.search(r"<dt>failed</dt><dd class=\"bad\">[1-9]", done.stdout)
    assert "&lt;b&gt;text" in done.stdout and "<b>text" not in done.stdout, "what comes from outside is text"
    assert done.stdout.count("<rect") == 22 and '<path d="M' in done.stdout
    run.stop()
