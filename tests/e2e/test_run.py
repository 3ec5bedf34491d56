# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll run: what a suite makes, as the target and the commands it starts saw it."""
import signal
import subprocess
import threading
import time

import pytest

from lib.suite import Counter, SuiteRunner, is_alive


@pytest.fixture
def counter():
    server = Counter()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def run(plimsoll, tmp_path):
    return SuiteRunner(plimsoll, tmp_path)


MATRIX = """
name: two by two
parameters: {{target: '{url}'}}
matrix:
  path: [one, two]
  connections: [1, 2]
samples: 2
load:
  url: '{{target}}/{{path}}'
  connections: '{{connections}}'
  requests: 40
"""


def test_what_a_service_said_in_an_earlier_run_does_not_make_it_ready(run):
    """Its log grows from run to run of one folder; only what it says now counts."""
    text = """
name: late
services: [{name: slow, run: "sleep 0.7; touch {work}/there; echo ready; exec sleep 60", ready: {log: "^ready$"}}]
command: test -e {work}/there && rm {work}/there
"""
    for _ in range(2):
        done = run(text)
        assert done.returncode == 0, done.stdout + done.stderr


def test_every_request_is_that_of_a_sample(run, counter):
    done = run(MATRIX.format(url=counter.url))
    assert done.returncode == 0, done.stderr
    assert counter.seen == {"/one": 160, "/two": 160}
    cells = {(c["cell"]["path"], c["cell"]["connections"]): c for c in done.document["cells"]}
    assert sorted(cells) == [("one", "1"), ("one", "2"), ("two", "1"), ("two", "2")]
    assert all(c["samples"] == 2 and c["valid"] == 2 for c in cells.values())
    assert [s["outcome"] for s in done.document["samples"]] == ["valid"] * 8
    # interleaved: a sample of every cell, then the next
    assert counter.order == ["/one", "/two", "/one", "/two"]
    assert len({s["id"] for s in done.document["samples"]}) == 8


def test_samples_are_stored_with_their_cell(run, counter):
    assert run(MATRIX.format(url=counter.url), "--label", "build=7").returncode == 0
    documents = run.documents()
    assert len(documents) == 8
    assert {d["run"] for d in documents} == {documents[0]["run"]}
    assert sorted((d["cell"]["path"], d["cell"]["connections"], d["sample"]) for d in documents) == sorted(
        (p, c, s) for p in ("one", "two") for c in ("1", "2") for s in (1, 2))
    assert all(d["labels"] == {"build": "7"} and d["totals"]["sent"] == 40 for d in documents)


def test_as_written_and_only(run, counter):
    text = MATRIX.format(url=counter.url) + "order: as-written\n"
    assert run(text).returncode == 0
    assert counter.order == ["/one", "/two"]
    counter.seen.clear()
    done = run(text, "--only", "two/*", "--repeat", "3")
    assert done.returncode == 0 and counter.seen == {"/two": 240}


def test_two_sides_in_turn(run, counter):
    text = f"""
name: sides
parameters: {{path: old}}
against: {{path: new}}
samples: 4
load: {{url: '{counter.url}/{{path}}', requests: 30, connections: 1}}
gate: {{metric: requests_per_s, min_change: 90%}}
"""
    done = run(text)
    assert done.returncode == 0, done.stderr
    assert counter.seen == {"/old": 120, "/new": 120}
    # AB BA AB BA: neighbours of the same side are one entry
    assert counter.order == ["/old", "/new", "/old", "/new", "/old"]
    assert "in turn" in done.stdout


def test_commands_come_in_order(run, tmp_path):
    log = tmp_path / "log"
    text = f"""
matrix: {{n: [1, 2]}}
setup: ['echo setup >> {log}', {{run: 'exit 7', may_fail: true}}]
before_each: 'echo before {{n}} >> {log}'
command: 'echo sample {{cell}} {{sample}} >> {log}'
after_each: 'echo after {{n}} >> {log}'
teardown: 'echo teardown >> {log}'
facts: {{version: 'echo v1.2; echo more'}}
"""
    done = run(text)
    assert done.returncode == 0, done.stderr
    assert log.read_text().split("\n")[:-1] == [
        "setup", "before 1", "sample 1 1", "after 1", "before 2", "sample 2 1", "after 2", "teardown"]
    assert done.document["facts"] == ["version: v1.2"]
    assert "status 7" in done.stderr


def test_setup_that_fails(run, tmp_path):
    log = tmp_path / "log"
    done = run(f"setup: 'echo why not; exit 3'\ncommand: 'echo sample >> {log}'\nteardown: 'echo teardown >> {log}'\n")
    assert done.returncode == 2
    assert "setup command ended with status 3" in done.stderr and "why not" in done.stderr
    assert log.read_text() == "teardown\n"


SERVICE = """
import http.server, os, sys, threading, time
port, mark, life = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
open(mark, "a").write(f"{os.getpid()}\\n")
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *_): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", port), H)
if life: threading.Timer(life, lambda: os._exit(9)).start()
print("listening", flush=True)
s.serve_forever()
"""


@pytest.fixture
def service(tmp_path):
    """service(ready, life): its YAML; pids of all that were started stand in service.mark."""
    program, mark = tmp_path / "service.py", tmp_path / "pids"
    program.write_text(SERVICE)

    def text(ready="port: '{port:web}'", life=0, more=""):
        return f"services: [{{name: web, run: 'exec /usr/bin/python3 {program} {{port:web}} {mark} {life}', ready: {{{ready}}}{more}}}]\n"

    text.pids = lambda: [int(line) for line in mark.read_text().split()] if mark.exists() else []
    yield text
    for pid in text.pids():
        assert not is_alive(pid), "a service outlived its run"


@pytest.mark.parametrize("ready", ["port: '{port:web}'", "url: 'http://127.0.0.1:{port:web}/'", "log: '^listening'"])
def test_services_are_waited_for_and_ended(run, service, ready):
    done = run(service(ready) + "load: {url: 'http://127.0.0.1:{port:web}/', requests: 20}\nverify: {url: 'http://127.0.0.1:{port:web}/', body: '^ok$'}\n")
    assert done.returncode == 0, done.stderr
    assert len(service.pids()) == 1


def test_a_service_for_each_cell(run, service):
    done = run(service(more=", each_cell: true") + "matrix: {n: [1, 2, 3]}\norder: as-written\nsamples: 2\nload: {url: 'http://127.0.0.1:{port:web}/', requests: 5}\n")
    assert done.returncode == 0, done.stderr
    assert len(service.pids()) == 3


def test_a_service_that_never_comes_up(run, service, tmp_path):
    text = service("log: 'never said'", more=", timeout: 1s")
    done = run(text + f"command: 'touch {tmp_path}/ran'\n")
    assert done.returncode == 2
    assert 'the service "web" was not ready after 1.00 s' in done.stderr and "listening" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_service_that_dies_spoils_its_sample_alone(run, service):
    text = service(life=2) + "samples: 2\nload: {url: 'http://127.0.0.1:{port:web}/', duration: 3s, connections: 1}\n"
    done = run(text)
    assert done.returncode == 3
    outcomes = [s["outcome"] for s in done.document["samples"]]
    assert outcomes[0] in ("invalid", "failed") and len(outcomes) == 2 and "valid" not in outcomes
    assert 'the service "web" ended with status 9' in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])  # Ctrl-C; the terminal is gone
def test_interrupted_reports_and_resume_goes_on(run, service, counter, tmp_path, number):
    text = service() + f"""
name: long
matrix: {{path: [a, b]}}
samples: 3
load: {{url: '{counter.url}/{{path}}', requests: 25, connections: 1}}
after_each: 'sleep 0.3'
teardown: 'echo down >> {tmp_path}/down'
"""
    process = subprocess.Popen(run.command(text), env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # also under nohup
    deadline = time.monotonic() + 60
    while counter.seen["/b"] < 25 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "(interrupted)" in out and "--resume" in out
    assert (tmp_path / "down").read_text() == "down\n"
    stored = len(run.documents())
    assert 1 <= stored < 6
    counter.seen.clear()
    done = run(text, "--resume", "long@latest")
    assert done.returncode == 0, done.stderr
    assert sum(counter.seen.values()) == 25 * (6 - stored)
    assert all(c["valid"] == 3 for c in done.document["cells"])
    documents = run.documents()
    assert len(documents) == 6 and len({d["run"] for d in documents}) == 1


def test_budget(run, counter):
    text = f"""
matrix: {{connections: [10, 30]}}
load: {{url: '{counter.url}/{{connections}}', requests: 30, connections: '{{connections}}'}}
budget: {{clients: '{{connections}}', termination: edge, maxconn: 40}}
"""
    plan = run(text, "--dry-run")
    assert plan.returncode == 0 and "OVER BUDGET" in plan.stdout and not counter.seen
    stopped = run(text)
    assert stopped.returncode == 2 and "30 needs 60 connections" in stopped.stderr and not counter.seen
    skipped = run(text.replace("maxconn: 40", "maxconn: 40, over_budget: skip"))
    assert skipped.returncode == 0 and counter.seen == {"/10": 30}
    assert [s["outcome"] for s in skipped.document["samples"]] == ["valid", "not_run"]
    assert "not run: budget" in skipped.stdout
    forced = run(text, "--over-budget")
    assert forced.returncode == 0 and counter.seen == {"/10": 60, "/30": 30}


def test_verification_that_fails_stops_before_any_load(run, counter):
    text = f"load: {{url: '{counter.url}/load', requests: 10}}\nverify: [{{url: '{counter.url}/missing'}}]\n"
    done = run(text, "-v")
    assert done.returncode == 2
    assert "status 404, expected 2xx" in done.stderr
    assert "GET /missing HTTP/1.1" in done.stdout and "HTTP/1.1 404" in done.stdout
    assert counter.seen == {"/missing": 1}


def test_checks_become_metrics(run, counter):
    text = f"""
samples: 2
checks:
  - {{name: cpu, url: '{counter.url}/cpu', repeat: 3, best: true, metrics: {{seconds: inner.seconds, absent: no.such}}}}
  - {{name: io, url: '{counter.url}/io?{{repeat}}', metrics: {{io: count}}}}
"""
    done = run(text)
    assert done.returncode == 0, done.stderr
    assert counter.seen == {"/cpu": 6, "/io?1": 2}
    metrics = done.document["cells"][0]["metrics"]
    # the best of the first three answers is 1/3, of the next three 1/6; the geometric mean of both
    assert metrics["cpu.seconds"]["mean"] == pytest.approx((1 / 18) ** 0.5)
    assert metrics["cpu.seconds"]["max"] == pytest.approx(1 / 3)
    assert metrics["io"]["mean"] == pytest.approx(2 ** 0.5)
    assert "cpu.absent" not in metrics


def test_a_check_without_answer_is_an_invalid_sample(run, counter):
    done = run(f"checks: [{{name: cpu, url: '{counter.url}/missing', metrics: {{a: count}}}}]\n")
    assert done.returncode == 3
    assert "status 404" in done.stdout and done.document["cells"][0]["valid"] == 0


def test_what_a_check_did_not_get_is_said(run, counter):
    """A field that the answer lacks, a 404 that may be: in the table, on standard error, and in the document."""
    done = run(f"""
samples: 2
checks:
  - {{name: a, url: '{counter.url}/io', metrics: {{good: count, absent: no.such}}}}
  - {{name: b, url: '{counter.url}/missing', may_fail: true, metrics: {{c: count}}}}
""")
    assert done.returncode == 0 and "2 of 2" in done.stdout, done.stderr
    warnings = ['check a: the answer has no "no.such"', "check b: status 404"]
    for text in warnings:
        assert done.stderr.count(text) == 1, done.stderr
        assert f"Warning   all sample 1 and 1 more: {text}\n" in done.stdout, done.stdout
    assert [s["warnings"] for s in done.document["samples"]] == [warnings, warnings]


@pytest.mark.parametrize("doer", [
    "checks: [{{name: a, url: '{url}/io', metrics: {{b: no.such}}}}]\n",
    "checks: [{{name: a, url: '{url}/missing', may_fail: true, metrics: {{b: count}}}}]\n",
    "command: 'echo nothing'\nmetrics: [{{name: took, regex: 'took ([0-9.]+)'}}]\n",
])
def test_a_sample_without_a_figure_does_not_count(run, counter, doer):
    done = run(doer.format(url=counter.url))
    assert done.returncode == 3 and done.document["cells"][0]["valid"] == 0, done.stdout
    assert "had a figure" in done.stdout or "had no figure" in done.stdout, done.stdout


@pytest.mark.parametrize("checks, line, name", [
    ("  - {name: a, each: '{to}', url: 'http://127.0.0.1:1/{each}', metrics: {ms: x}}\n", 4, "a.p.ms"),
    ("  - {name: a, url: 'http://127.0.0.1:1/', metrics: {ms: x}}\n  - {name: a, url: 'http://127.0.0.1:1/', metrics: {ms: x}}\n", 5, "a.ms"),
])
def test_two_figures_of_one_name_are_refused(run, checks, line, name):
    done = run(f"parameters: {{to: 'p=1,q=2'}}\nsetup: 'exit 9'\nchecks:\n{checks}", "-s", "to=p=1,p=2")
    assert done.returncode == 2 and f'suite.yaml:{line}: check a: two figures would be called "{name}"' in done.stderr, done.stderr


def test_metrics_of_a_command(run):
    done = run("""
command: "echo talk; echo '{\\"a\\": {\\"b\\": 4}}'; echo rate=2.5/s >&2; echo took 7 ms"
metrics:
  - {name: b, json: a.b}
""".replace("; echo took 7 ms", ""))
    assert done.returncode == 0, done.stderr
    assert done.document["cells"][0]["metrics"]["b"]["mean"] == 4
    done = run("command: 'echo took 7 ms'\nmetrics: [{name: took, regex: 'took ([0-9.]+)'}, {name: none, regex: 'x([0-9]+)'}]\n")
    assert done.document["cells"][0]["metrics"] == {"took": {"mean": 7, "min": 7, "max": 7}}
    assert run("command: 'exit 4'\n").returncode == 3


def test_retries_and_rules(run, tmp_path):
    log = tmp_path / "tries"
    done = run(f"retries: 2\ncommand: 'echo x >> {log}; test $(wc -l < {log}) -ge 3'\n")
    assert done.returncode == 0, done.stderr
    assert log.read_text() == "x\nx\nx\n"
    assert [s["outcome"] for s in done.document["samples"]] == ["valid"]


def test_a_sample_that_hangs_is_stopped(run):
    begin = time.monotonic()
    done = run("timeout: 1s\ncommand: 'sleep 100'\n")
    assert done.returncode == 3 and time.monotonic() - begin < 40
    assert "stopped after" in done.stdout


def test_baseline(run, plimsoll, counter):
    text = f"name: b\nbaseline: good\nsamples: 3\nload: {{url: '{counter.url}/', requests: 50, connections: 1}}\ngate: {{min_change: 90%}}\n"
    first = run(text)
    assert first.returncode == 0 and 'no baseline "good" so far' in first.stderr
    run_id = first.document["id"]
    subprocess.run([plimsoll, "results", "tag", run_id, "good"], env=run.env, check=True, capture_output=True)
    second = run(text)
    assert second.returncode == 0, second.stderr
    assert "good, 3 samples" in second.stdout


@pytest.mark.parametrize("text, says", [
    ("comand: x\n", 'did you mean "command"?'),
    ("command: x\nmatrix: {a: []}\n", "has no values"),
    ("command: x\nmatrix: {a: [1, 2, 1]}\n", 'has the value "1" twice'),
    ("load: {url: 'http://127.0.0.1:1/', json: x}\n", '"json" is not for a suite to say'),
    ("command: '{nope}'\n", "{nope}"),
    ("command: x\nsetup: 'touch ran; echo {nope}'\n", "{nope}"),
    ("load: {url: 'http://127.0.0.1:1/', conections: 3}\n", "conections"),
])
def test_bad_suites(run, text, says):
    done = run(text)
    assert done.returncode in (2, 3)
    assert says in done.stderr + done.stdout


def test_ten_thousand_cells_are_planned(run):
    numbers = ", ".join(str(n) for n in range(100))
    done = run(f"command: 'true'\nmatrix: {{a: [{numbers}], b: [{numbers}]}}\n", "--dry-run")
    assert done.returncode == 0 and "10000 cells x 1 sample" in done.stdout


def test_places_are_checked_before_anything_starts(run, tmp_path):
    done = run(f"setup: 'touch {tmp_path}/ran'\ncommand: 'x'\nteardown: 'echo {{nope}}'\n")
    assert done.returncode == 2 and "{nope}" in done.stderr and not (tmp_path / "ran").exists()
    assert run("command: 'echo {nope}'\n", "--dry-run").returncode == 2


def test_another_suite_is_not_resumed(run, counter):
    text = f"name: r\nparameters: {{n: 5}}\nload: {{url: '{counter.url}/', requests: '{{n}}', connections: 1}}\n"
    assert run(text).returncode == 0
    done = run(text, "--resume", "r@latest", "-s", "n=6")
    assert done.returncode == 2 and "another suite" in done.stderr and counter.seen["/"] == 5
    assert run(text, "--resume", "r@latest").returncode == 0 and counter.seen["/"] == 5
