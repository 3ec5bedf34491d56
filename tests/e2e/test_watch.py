# SPDX-License-Identifier: GPL-3.0-or-later
"""--watch: what is said of the target's parts, against what they say themselves; and that no watch ever stops or slows a run."""
import base64
import calendar
import http.server
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from lib import laws
from lib.process import Process, run as run_process, wait_until
from lib.target import OK

# Burns about half a core itself, has a child that does the same, and logs what getrusage says of each.
BURNER = """
import os, resource, sys, time
child = os.fork() == 0
log = open(sys.argv[1] + ("-child" if child else "-parent"), "w", buffering=1)
parent = os.getppid()
while os.getppid() == parent:
    until = time.monotonic() + 0.02
    while time.monotonic() < until:
        pass
    time.sleep(0.02)
    u = resource.getrusage(resource.RUSAGE_SELF)
    log.write("%f %f\\n" % (time.time(), u.ru_utime + u.ru_stime))
"""


@pytest.fixture
def start():
    """start(argv…): a process that ends with the test."""
    started = []

    def begin(*argv):
        started.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True))
        return started[-1]

    yield begin
    for one in started:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()


@pytest.fixture
def burner(start, tmp_path):
    process = start(sys.executable, "-c", BURNER, str(tmp_path / "log"))
    logs = [tmp_path / "log-parent", tmp_path / "log-child"]
    wait_until(lambda: all(log.exists() and log.read_text().count("\n") > 1 for log in logs), "the burner burns")
    process.logs = logs
    return process


def used(log, start, end):
    """CPU seconds per second by the process's own log, from about start to about end."""
    points = [tuple(map(float, line.split())) for line in log.read_text().splitlines() if line.count(" ") == 1]
    first = max((p for p in points if p[0] <= start), default=points[0])
    last = min((p for p in points if p[0] >= end), default=points[-1])
    return (last[1] - first[1]) / (last[0] - first[0])


def window(doc):
    whole, fraction = re.fullmatch(r"(.*)\.(\d+)Z", doc["started"]).groups()
    start = calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float("0." + fraction) + doc["ramp_s"]
    return start, start + doc["duration_s"]


def warnings_of(run, name):
    return [w for w in run.doc["warnings"] if w.startswith(f"watching {name}: ")]


def check_figures(doc):
    """What holds of every watched figure."""
    for part in doc["watch"].values():
        for figure in (f for f in part.values() if isinstance(f, dict)):
            known = [v for v in figure["series"] if v is not None]
            assert len(figure["series"]) == len(doc["intervals"]), "beside the intervals"
            assert not known or figure["max"] == max(known), figure


def test_cpu_of_a_process_and_its_child_is_what_they_say(load, start_target, burner):
    target = start_target(OK)
    run = load("-c", "1", "-d", "3s", "--think", "5ms", "--watch", f"burner=pid:{burner.pid}", target.url(), server=target)
    assert run.exit == 0
    check_figures(run.doc)
    start, end = window(run.doc)
    time.sleep(0.2)  # their logs reach beyond the end
    said = sum(used(log, start, end) for log in burner.logs)
    part = run.doc["watch"]["burner"]
    assert part["spec"] == f"pid:{burner.pid}" and part["readings"] + part["missed"] == 4 and part["readings"] >= 3
    assert part["cpu_cores"]["mean"] == pytest.approx(said, rel=0.15, abs=0.05)
    assert part["threads"]["max"] == 2 and part["rss_bytes"]["max"] > 1 << 20
    assert part["capacity_cores"] is None or 0 < part["capacity_cores"] <= os.cpu_count()
    assert part["cpu_s"] == pytest.approx(part["cpu_cores"]["mean"] * run.doc["duration_s"])
    assert part["cpu_s_per_request"] == pytest.approx(part["cpu_s"] / (run.totals["ok"] + run.totals["failed"]))
    assert sum(v is not None for v in part["cpu_cores"]["series"]) >= 2
    assert re.search(r"Watched +burner (worked|was busy|was idle) \(\d\.\d\d of [\d.]+ cores?\)", run.err), run.err
    assert "CPU per request" in run.err


def test_one_core_kept_full_is_called_busy_and_a_sleeper_idle(load, start_target, start):
    burn = start(sys.executable, "-c", "while True: pass")
    sleep = start("sleep", "1000")
    target = start_target(OK)
    run = load("-c", "1", "-d", "2s", "--think", "5ms", "--watch", f"gateway=pid:{burn.pid}", "--watch", f"store=pid:{sleep.pid}",
               target.url())
    cpu = run.doc["watch"]["gateway"]["cpu_cores"]["mean"]
    words = "busy" if cpu >= 0.9 else "worked"  # others may have wanted the processor too
    assert re.search(rf"gateway (was )?{words} \({cpu:.2f} of 1 core\), +store\s+was\s+idle\s+\(0\.0\d\s+of\s+1\s+core\)",
                     " ".join(run.err.split())), run.err


def test_a_process_that_ends_is_a_warning(load, start_target, start):
    target = start_target(OK)
    mortal = start("sleep", "2.5")
    collector = threading.Thread(target=mortal.wait)
    collector.start()
    run = load("-c", "1", "-d", "5s", "--watch", f"mortal=pid:{mortal.pid}", target.url(), server=target)
    collector.join()
    check_figures(run.doc)
    assert run.exit == 0 and run.doc["valid"]
    (warning,) = warnings_of(run, "mortal")
    assert f"process {mortal.pid} has ended" in warning
    part = run.doc["watch"]["mortal"]
    assert part["missed"] >= 2 and part["readings"] + part["missed"] == 6
    assert part.get("rss_bytes", {"series": [None]})["series"][-1] is None


def left_over(word):
    """Processes with this word in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if word.encode() in words and state not in "ZX":
            found.append(int(pid))
    return found


@pytest.mark.parametrize("end", ["deadline", "count", "interrupted"])
def test_a_command_that_hangs_delays_nothing(load, start_target, end):
    """The others are read on, the run ends on time, and nothing of the command is left."""
    target = start_target(OK)
    length = f"10{os.getpid()}.{ {'deadline': 1, 'count': 2, 'interrupted': 3}[end]}"
    how = {"deadline": ["-d", "3s"], "count": ["-n", "100", "--think", "20ms"], "interrupted": ["-d", "60s"]}[end]
    process = load.start("-c", "1", *how, "--watch", f"hangs=cmd:sleep {length} & sleep {length}", "--watch", "good=cmd:echo depth=7",
                         target.url())
    if end == "interrupted":
        wait_until(lambda: left_over(length), "the command runs")
        time.sleep(1.2)
        process.signal(signal.SIGINT)
    run = load.finish(process, codes=(130,) if end == "interrupted" else (0,))
    assert run.wall_s < 30
    (warning,) = warnings_of(run, "hangs")
    assert run.doc["watch"]["hangs"]["readings"] == 0 and "the command" in warning
    wait_until(lambda: not left_over(length), "the command and its child are gone")
    good = run.doc["watch"]["good"]
    assert good["depth"]["mean"] == 7 and good["readings"] >= 1
    check_figures(run.doc)


def test_a_command_that_fails_is_said_with_its_words(load, start_target):
    target = start_target(OK)
    run = load("-c", "1", "-d", "1s", "--watch", "q=cmd:echo 'no such queue' >&2; exit 3", "--watch", "words=cmd:echo hello", target.url())
    assert run.exit == 0
    assert "the command ended with status 3: no such queue" in warnings_of(run, "q")[0]
    assert 'it printed no line name=value, but "hello"' in warnings_of(run, "words")[0]


class Exporter:
    """A page of metrics: a counter that rises by 50 a second, CPU that rises by half a second each."""

    def __init__(self):
        exporter = self
        self.asked, self.begun = [], time.monotonic()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                exporter.asked.append((self.path, self.headers.get("Authorization")))
                t = time.monotonic() - exporter.begun
                page = ("# TYPE hits_total counter\n" f'hits_total{{code="200"}} {30 * t}\n' f'hits_total{{code="500"}} {20 * t}\n'
                        "# TYPE depth gauge\ndepth 12\n" f"process_cpu_seconds_total {t / 2}\nprocess_resident_memory_bytes 1048576\n")
                self.send_response(200)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page.encode())

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def exporter():
    one = Exporter()
    yield one
    one.stop()


def test_metrics_of_a_server(load, start_target, exporter):
    target = start_target(OK)
    url = f"http://127.0.0.1:{exporter.port}/metrics"
    run = load("-c", "1", "-d", "3s", "--think", "5ms", "--watch", f"api=prom:{url}#hits_total,depht,depth,hits_total{{code=\"500\"}},x{{y=\"z\"}}",
               "--watch", f"own=prom:{url}", "--watch", f"gone=prom:http://127.0.0.1:{exporter.port}/#nothing", target.url())
    assert run.exit == 0
    check_figures(run.doc)
    api, own = run.doc["watch"]["api"], run.doc["watch"]["own"]
    assert api["hits_per_s"]["mean"] == pytest.approx(50, rel=0.3)
    assert api['hits_per_s{code="500"}']["mean"] == pytest.approx(20, rel=0.3)
    assert api["depth"]["mean"] == api["depth"]["max"] == 12
    assert own["cpu_cores"]["mean"] == pytest.approx(0.5, rel=0.3) and own["rss_bytes"]["mean"] == 1048576
    assert own["cpu_s_per_request"] > 0
    assert "none of the metrics asked for" in warnings_of(run, "gone")[0]
    assert warnings_of(run, "api") == ['watching api: no reading had depht, x{y="z"}'] and warnings_of(run, "own") == []


def test_secrets_of_its_address_never_leave(load, start_target, exporter, tmp_path):
    target = start_target(OK)
    secrets = ("Zq7Passwd", "Zq7Token", "Zq7InCommand")
    url = f"http://alice:{secrets[0]}@127.0.0.1:{exporter.port}/metrics?token={secrets[1]}"
    outputs = [tmp_path / name for name in ("out.csv", "out.json")]
    run = run_process([load.program, "load", "-c", "1", "-d", "1s", "--no-store", "--csv", outputs[0], "--json", outputs[1], "--watch",
                       f"api=prom:{url}#depth", "--watch", f"cmd=cmd:echo no {url} >&2; exit 1", "--watch",
                       f"user=cmd:true -u bob:{secrets[2]}; echo depth=1", "--watch", f"word=cmd:PASSWORD={secrets[2]} true; echo depth=1",
                       target.url()])
    assert run.exit == 0, run
    doc = laws.parse(outputs[1].read_text())
    assert doc["watch"]["user"]["spec"] == doc["watch"]["word"]["spec"] == "cmd:***" and doc["watch"]["user"]["depth"]["mean"] == 1
    assert doc["watch"]["api"]["depth"]["mean"] == 12 and "***" in doc["watch"]["api"]["spec"]
    path, authorization = exporter.asked[0]
    assert secrets[1] in path and authorization == "Basic " + base64.b64encode(f"alice:{secrets[0]}".encode()).decode()
    for text in (run.out, run.err, *(path.read_text() for path in outputs)):
        assert not any(secret in text for secret in secrets), text
    dry = run_process([load.program, "load", "--dry-run", "--watch", f"api=prom:{url}#depth", "--watch",
                       f"user=cmd:true -u bob:{secrets[2]}", target.url()])
    assert dry.exit == 0 and "watching api: prom:http://" in dry.out and not any(s in dry.out + dry.err for s in secrets), dry


KUBECTL = """#!/bin/sh
echo "$*" >>"$0.asked"
echo "gateway-6d4cf56db6-abcde   250m   64Mi"
echo "gateway-6d4cf56db6-fghij   500m   128Mi"
"""


def test_pods_by_kubectl(load, start_target, tmp_path):
    target = start_target(OK)
    stand_in = tmp_path / "kubectl"
    stand_in.write_text(KUBECTL)
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    run = load("-c", "1", "-d", "2s", "--think", "5ms", "--watch", "gateway=kubectl:shop/app=gateway,tier=web", "--watch", "all=kubectl:shop",
               target.url(), env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert run.exit == 0
    part = run.doc["watch"]["gateway"]
    assert part["cpu_cores"]["mean"] == 0.75 and part["memory_bytes"]["max"] == 192 << 20 and part["pods"]["max"] == 2
    asked = set((tmp_path / "kubectl.asked").read_text().splitlines())
    assert asked == {"top pods --no-headers --namespace shop --selector app=gateway,tier=web", "top pods --no-headers --namespace shop"}


@pytest.fixture
def own_group(start):
    """A control group of the test's own with a process that burns; skipped where groups can not be made."""
    v2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    name = f"plimsoll-test-{os.getpid()}"
    paths = [f"/sys/fs/cgroup/{name}"] if v2 else [f"/sys/fs/cgroup/{c}/{name}" for c in ("cpu", "cpuacct")]
    burn = start(sys.executable, "-c", "while True: pass")
    made = []
    try:
        for path in paths:
            if not os.path.isdir(path):
                os.mkdir(path)
                made.append(path)
            with open(f"{path}/cgroup.procs", "w") as file:
                file.write(str(burn.pid))
    except OSError as refused:
        for path in reversed(made):
            os.rmdir(path)
        pytest.skip(f"no control groups here: {refused}")
    yield name
    os.killpg(burn.pid, signal.SIGKILL)
    burn.wait()
    for path in reversed(made):
        wait_until(lambda: not open(f"{path}/cgroup.procs").read(), "the group is empty")
        os.rmdir(path)


def test_a_control_group(load, start_target, own_group):
    target = start_target(OK)
    run = load("-c", "1", "-d", "2s", "--think", "5ms", "--watch", f"g=cgroup:/{own_group}", target.url())
    part = run.doc["watch"]["g"]
    assert run.exit == 0 and part["readings"] >= 2
    assert 0.2 < part["cpu_cores"]["mean"] < 1.1  # a whole core, unless others wanted it too


WRONG = {
    "no name": ("pid:1", "has no name"),
    "unknown kind": ("a=pit:1", '"pit" is not a kind'),
    "no kind": ("a=1", "has no kind"),
    "no process": ("a=pid:4194999", "there is no process 4194999"),
    "not a process": ("a=pid:me", '"me" is not the number of a process'),
    "no group": ("a=cgroup:/nowhere/at/all", 'no control group "/nowhere/at/all"'),
    "no unit": ("a=unit:nowhere-at-all", "no unit nowhere-at-all.service is running"),
    "bad URL": ("a=prom:127.0.0.1:9090/metrics", "is not one of http or https"),
    "bad metric": ("a=prom:http://127.0.0.1/m#a b", '"a b" is not the name of a metric'),
    "no kubectl": ("a=kubectl:shop/app=x", "there is no kubectl"),
    "no namespace": ("a=kubectl:", "is not a namespace"),
    "no command": ("a=cmd:", "the command is empty"),
    "twice": ("twice=cmd:true", 'the name "twice" was given before'),
}


@pytest.mark.parametrize("way", WRONG)
@pytest.mark.parametrize("command", ["load", "limit"])
def test_wrong_ones_are_refused_before_anything_is_sent(plimsoll, start_target, tmp_path, way, command):
    target = start_target(OK)
    spec, words = WRONG[way]
    options = ["--slo", "p99<1s"] if command == "limit" else ["-d", "1s", "--no-store"]
    done = run_process([plimsoll, command, *options, "--watch", "twice=cmd:true", "--watch", spec, target.url()], env={"PATH": str(tmp_path)})
    assert done.exit == 2 and words in done.err and "--watch" in done.err and not done.out, done
    assert len(done.err.strip().splitlines()) >= 2, f"a hint: {done}"
    assert target.counts()["accepted"] == 0


def test_those_who_offer_the_load_read_nothing(load, start_target, start, tmp_path):
    """Threads that read /proc and those that send requests are not the same ones."""
    target = start_target(OK)
    other = start("sleep", "1000")
    trace = tmp_path / "trace"
    run = load("-c", "2", "-t", "2", "-d", "2s", "--watch", f"a=pid:{other.pid}", "--watch", "b=cmd:echo x=1", target.url(), server=target,
               prefix=["strace", "-ff", "-qq", "-e", "trace=openat,write,sendto,clone3,vfork,clone", "-o", str(trace)], timeout_s=120)
    assert run.exit == 0 and run.doc["watch"]["a"]["readings"] >= 2
    senders = readers = 0
    for path in tmp_path.glob("trace.*"):
        text = path.read_text(errors="replace")
        sends, reads = "GET / HTTP/1.1" in text, f"/proc/{other.pid}/stat" in text and "execve" not in text
        senders += sends
        if not sends and reads:
            readers += text.count(f"/proc/{other.pid}/stat") > 1
        assert not sends or f"/proc/{other.pid}/" not in text, path
    assert senders == 2 and readers >= 1


def test_limit_says_how_busy_the_parts_were(plimsoll, start_target, burner):
    target = start_target(OK)
    done = run_process([plimsoll, "limit", "--slo", "p99<5s", "--from", "50/s", "--to", "100/s", "--step-time", "1s", "--confirm", "1",
                        "--watch", f"burner=pid:{burner.pid}", "--json", "-", target.url()], timeout_s=120)
    assert done.exit == 0, done
    trials = json.loads(done.out)["trials"]
    assert len(trials) >= 2 and all(t["watch"]["burner"]["cpu_cores"]["mean"] > 0.05 for t in trials), trials
    assert re.search(r"Parts +at 100\.0/s burner (worked|was)", done.err), done.err


def test_compare_knows_the_cpu_per_request(plimsoll, load, start_target, burner, tmp_path):
    target = start_target(OK)
    paths = [tmp_path / f"{i}.json" for i in range(2)]
    for path in paths:
        done = run_process([plimsoll, "load", "-c", "1", "-n", "100", "--think", "5ms", "--no-store", "--json", str(path), "--watch",
                            f"burner=pid:{burner.pid}", target.url()])
        assert done.exit == 0, done
    done = run_process([plimsoll, "compare", "--metric", "cpu_s_per_request@burner", str(paths[0]), str(paths[1])])
    assert re.search(r"cpu_s_per_request@burner(.|\n)* [\d.]+ (us|ms)", done.out) and done.exit in (0, 1, 4), done
