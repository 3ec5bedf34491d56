# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll run when things go wrong: services that die, commands that fail, Ctrl-C in every phase, two at once, a full disk."""
import json
import os
import re
import signal
import subprocess
import threading

import pytest

from lib import target
from lib.process import wait_until
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


# A server that lives as long as its file says, once; the pids of all that were started stand in {work}/pids.
SERVER = """
import http.server, os, sys, threading
port, work = int(sys.argv[1]), sys.argv[2]
open(work + "/pids", "a").write(f"{os.getpid()}\\n")
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_GET(self):
        if self.path == "/die": os._exit(9)
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"ok")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", port), H).serve_forever()
"""


@pytest.mark.parametrize("rule, outcomes, started", [
    ("restart", ["valid", "invalid", "valid", "valid"], 2),
    ("stop", ["valid", "invalid", "pending", "pending"], 1),
    ("leave", ["valid", "invalid", "invalid", "invalid"], 1),
])
def test_a_service_that_dies_in_the_middle(run, tmp_path, rule, outcomes, started):
    """The sample in hand is invalid; what comes then is a rule of the service."""
    (tmp_path / "server.py").write_text(SERVER)
    done = run(f"""
services:
  - {{name: web, run: 'exec /usr/bin/python3 {tmp_path}/server.py {{port:web}} {{work}}', ready: {{port: '{{port:web}}'}}, if_it_dies: {rule}}}
samples: 4
command: >-
  if [ {{sample}} = 2 ]; then curl -s http://127.0.0.1:{{port:web}}/die; until grep -q '^State:.Z' /proc/{{pid:web}}/status; do sleep 0.01; done; fi
timeout: 60s
teardown: 'echo down >> {{work}}/down'
""")
    assert done.returncode == 3, done.stderr
    assert [s["outcome"] for s in done.document["samples"]] == outcomes
    assert 'the service "web" ended with status 9' in done.stderr + done.stdout
    assert ("is started again" in done.stderr) == (rule == "restart")
    pids = [int(line) for line in (run.work / "pids").read_text().split()]
    assert len(pids) == started and not any(is_alive(pid) for pid in pids)
    assert (run.work / "down").read_text() == "down\n"


def test_a_sample_that_a_command_refuses(run, counter):
    """It is invalid wherever it is read later, and the run goes on."""
    done = run(f"""
samples: 2
load: {{url: '{counter.url}/', requests: 5, connections: 1}}
verify_each: ['echo looked at {{sample}}; test {{sample}} = 2']
""")
    assert done.returncode == 3 and counter.seen["/"] == 10
    assert [s["outcome"] for s in done.document["samples"]] == ["invalid", "valid"]
    assert "looked at 1" in done.document["samples"][0]["note"]
    first, second = sorted(run.documents(), key=lambda d: d["sample"])
    assert not first["valid"] and "looked at 1" in first["reasons"][0] and second["valid"]


def test_rules_and_promises(run, counter):
    """A rule makes a sample invalid, in the store too; a promise that broke is said in the table and by the exit code."""
    text = f"name: r\nload: {{url: '{counter.url}/', requests: 20, connections: 1}}\n"
    done = run(text + "invalid_when: [client_limited, 'p99>0.001us']\n")
    assert done.returncode == 3 and done.document["samples"][0]["outcome"] == "invalid"
    assert "p99>0.001us" in done.document["samples"][0]["note"]
    (one,) = run.documents()
    assert not one["valid"] and "p99>0.001us" in one["reasons"][0]
    done = run(text + "slo: 'p99<0.001us'\n")
    assert done.returncode == 1 and "promise broken" in done.stdout and done.document["samples"][0]["outcome"] == "valid"
    assert run(text + "slo: 'p99<100s'\n").returncode == 0


@pytest.mark.parametrize("rule", ["client_limitted", "p99>1sec", "p99", "errors>", "p99>1s,errors>1%", ""])
def test_a_rule_that_is_none_is_refused(run, counter, rule):
    """A mistyped rule would never hold, and let every sample count."""
    done = run(f"name: r\nload: {{url: '{counter.url}/', requests: 1}}\ninvalid_when: ['{rule}']\n")
    assert done.returncode == 2 and f'invalid_when: "{rule}" is no rule' in done.stderr and "p99>1s" in done.stderr, done.stderr
    assert counter.seen["/"] == 0


def test_secrets_of_what_a_command_said(run, counter, tmp_path):
    done = run(f"name: r\nload: {{url: '{counter.url}/', requests: 1}}\n"
               "verify_each: [\"echo 'see https://u:pw91@h/?token=abc92 --password xyz93'; exit 1\"]\n", "--json", tmp_path / "r.json")
    table = (tmp_path / "r.json").read_text()
    assert "it said" in done.stderr and "it said" in table
    for secret in ("pw91", "abc92", "xyz93"):
        assert secret not in done.stdout + done.stderr + table and not any(secret in json.dumps(d) for d in run.documents())


def test_exit_code_of_two_sides(run, counter):
    """Side b is slower by far more than noise: regressed, exit 1; the other way round it is improved, exit 0."""
    text = """
name: sides
parameters: {{path: {0}}}
against: {{path: {1}}}
samples: 5
load: {{url: '{2}/{{path}}', requests: 4, connections: 1}}
gate: {{metric: latency_p50, min_change: 5%}}
"""
    done = run(text.format("quick", "slow", counter.url))
    assert done.returncode == 1 and "regressed" in done.stdout, done.stdout
    done = run(text.format("slow", "quick", counter.url))
    assert done.returncode == 0 and "improved" in done.stdout, done.stdout


def test_exit_code_of_a_baseline_with_tolerances(run, plimsoll, counter, tmp_path):
    """The baseline may be a parameter; a rule that is broken ends with 1 and says Fail."""
    (tmp_path / "rules.yaml").write_text("- {json_path: latency_p50, tolerancy: 400}\n")
    text = f"""
name: b
parameters: {{baseline: '', path: quick}}
baseline: '{{baseline}}'
tolerance: '{{dir}}/rules.yaml'
samples: 2
runtime: 300ms
warmup: 100ms
load: {{url: '{counter.url}/{{path}}', connections: 1}}
gate: {{metric: latency_p50}}
"""
    first = run(text)
    assert first.returncode == 0 and "baseline" not in first.stderr
    assert run.documents()[0]["config"]["warmup_s"] == 0.1 and run.documents()[0]["config"]["duration_s"] == 0.3
    subprocess.run([plimsoll, "results", "tag", first.document["id"], "good"], env=run.env, check=True, capture_output=True)
    done = run(text, "-s", "baseline=good")
    assert done.returncode == 0 and " Pass " in done.stdout, done.stdout
    done = run(text, "-s", "baseline=good", "-s", "path=slow")
    assert done.returncode == 1 and "TOLERANCE BROKEN" in done.stdout and " Fail " in done.stdout, done.stdout
    (tmp_path / "rules.yaml").write_text("- {tolerancy: x}\n")
    done = run(text)
    assert done.returncode == 2 and "rules.yaml:1" in done.stderr


def test_a_parameter_may_hold_a_dimension(run, counter):
    text = f"""
parameters: {{target: '{{base}}/{{path}}', base: '{counter.url}'}}
matrix: {{path: [one, two]}}
load: {{url: '{{target}}', requests: 3, connections: 1}}
"""
    assert run(text).returncode == 0 and counter.seen == {"/one": 3, "/two": 3}
    done = run(text + "setup: 'curl {target}'\n")
    assert done.returncode == 2 and "the parameter {target} holds a place of a cell" in done.stderr
    done = run(text.replace("{path}'", "{pth}'"))
    assert done.returncode == 2 and 'did you mean {path}?' in done.stderr


def test_questions_for_each_of_a_list(run, counter):
    done = run(f"""
parameters: {{bases: 'near={counter.url}/a,far={counter.url}/b'}}
samples: 2
checks:
  - {{name: way, each: '{{bases}}', url: '{{each}}', metrics: {{count: count}}}}
  - {{name: first, url: '{counter.url}/first', once: true, metrics: {{count: count}}}}
  - {{name: lacking, url: '{counter.url}/missing', may_fail: true, metrics: {{count: count}}}}
""")
    assert done.returncode == 0, done.stderr
    assert counter.seen == {"/a": 2, "/b": 2, "/first": 1, "/missing": 2}
    assert set(done.document["cells"][0]["metrics"]) == {"way.near.count", "way.far.count", "first.count"}


def test_a_summary_ends_the_report(run, counter, tmp_path):
    """It has all samples, also those of before a --resume, and its output stands in every form of the report."""
    text = f"""
name: s
parameters: {{n: 4}}
samples: 3
load: {{url: '{counter.url}/', requests: '{{n}}', connections: 1}}
summary:
  - 'echo "| of {{n}} |"; echo "|---|"; cat {{documents}}/*.json | grep -c plimsoll-result'
  - {{run: 'echo more; exit 3', may_fail: true}}
"""
    done = run(text, "--markdown", str(tmp_path / "run.md"))
    assert done.returncode == 0, done.stderr
    assert done.document["summary"] == "| of 4 |\n|---|\n3\nmore\n" and "| of 4 |\n|---|\n3\nmore\n" in done.stdout
    assert (tmp_path / "run.md").read_text().endswith("| of 4 |\n|---|\n\n```\n3\nmore\n```\n")
    again = run(text, "--resume", "s@latest")
    assert again.returncode == 0 and counter.seen["/"] == 12
    done = run(text.replace("exit 3', may_fail: true", "exit 3'"))
    assert done.returncode == 0 and "the summary command ended with status 3" in done.stderr


# What each phase does until it is stopped; {mark} tells that it is under way.
LONG = "touch {mark}; exec sleep 60"
PHASES = {
    "services": "services: [{name: web, run: '" + LONG + "', ready: {log: never}}]\ncommand: 'true'\n",
    "setup": "setup: '" + LONG + "'\ncommand: 'true'\n",
    "facts": "facts: {version: '" + LONG + "'}\ncommand: 'true'\n",
    "verify": "setup: 'touch {mark}'\nverify: {url: '{silent}'}\ncommand: 'true'\n",
    "quiet": "samples: 2\nquiet: 60s\nafter_each: 'touch {mark}'\ncommand: 'true'\n",
    "before_each": "before_each: '" + LONG + "'\ncommand: 'true'\n",
    "sample": "command: '" + LONG + "'\n",
    "load": "before_each: 'touch {mark}'\nload: {url: '{silent}', requests: 1, connections: 1, timeout: 60s}\n",
    "verify_each": "verify_each: '" + LONG + "'\ncommand: 'true'\n",
    "after_each": "after_each: '" + LONG + "'\ncommand: 'true'\n",
    "summary": "summary: '" + LONG + "'\ncommand: 'true'\n",
}


@pytest.mark.parametrize("phase", list(PHASES))
def test_ctrl_c_in_each_phase(run, tmp_path, counter, phase):
    """It ends what is under way, runs the teardown, leaves no process behind, and says that it was interrupted."""
    mark = tmp_path / "mark"
    text = PHASES[phase].replace("{mark}", str(mark)).replace("{silent}", counter.url + "/silent")
    text += f"teardown: 'echo down >> {tmp_path}/down'\n"
    if phase != "services":
        text += f"services: [{{name: other, run: 'echo $$ > {tmp_path}/pid; exec sleep 60'}}]\n"
    process = subprocess.Popen(run.command(text), env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(mark.exists, f"the phase {phase}", limit_s=60)
        if phase in ("verify", "load"):
            wait_until(lambda: counter.seen["/silent"] > 0, "a request that is not answered", limit_s=60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        counter.let_go.set()
        process.kill()
        process.wait()
    assert process.returncode == 130, err
    assert (tmp_path / "down").read_text() == "down\n"
    assert phase == "services" or not is_alive(int((tmp_path / "pid").read_text()))
    assert "sleep 60" not in err


def test_ctrl_c_in_the_teardown_lets_it_finish(run, tmp_path):
    text = f"command: 'true'\nteardown: ['touch {tmp_path}/mark; sleep 0.5; echo down >> {tmp_path}/down', 'echo last >> {tmp_path}/down']\n"
    process = subprocess.Popen(run.command(text), env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until((tmp_path / "mark").exists, "the teardown", limit_s=60)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert (tmp_path / "down").read_text() == "down\nlast\n"


GATED = "name: gated\nsamples: 2\ncommand: 'if [ {{sample}} = 2 ]; then touch {0}/waits; while ! test -e {0}/gate; do sleep 0.05; done; fi'\n"


def test_one_process_at_a_time_goes_on_with_a_run(run, plimsoll, tmp_path):
    text = GATED.format(tmp_path)
    process = subprocess.Popen(run.command(text), env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until((tmp_path / "waits").exists, "the second sample", limit_s=60)
        second = subprocess.run([plimsoll, "run", str(run.file), "--resume", "gated@latest", "--work-dir", str(tmp_path / "other")], env=run.env,
                                capture_output=True, text=True, timeout=60)
        assert second.returncode == 2 and f"is in use by process {process.pid} on" in second.stderr, second.stderr
        # nor is the folder for another run
        third = subprocess.run([plimsoll, "run", str(run.file), "--work-dir", str(run.work)], env=run.env, capture_output=True, text=True, timeout=60)
        assert third.returncode == 2 and "--work-dir" in third.stderr and f"process {process.pid}" in third.stderr, third.stderr
    finally:
        (tmp_path / "gate").touch()
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".lock")] == []
    assert run(text, "--resume", "gated@latest").returncode == 0


def test_two_runs_at_once(run, plimsoll, tmp_path):
    """Each has a folder and services of its own; the store takes both."""
    text = GATED.format(tmp_path) + "services: [{name: s, run: 'echo {port:s}; exec sleep 60', ready: {log: '^[0-9]+$'}}]\n"
    run.file.write_text(text)
    both = [subprocess.Popen([plimsoll, "run", str(run.file)], env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)]
    wait_until((tmp_path / "waits").exists, "a second sample", limit_s=60)
    (tmp_path / "gate").touch()
    said = [one.communicate(timeout=60) for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    documents = run.documents()
    assert len(documents) == 4 and len({d["run"] for d in documents}) == 2


def test_a_full_disk_costs_samples_and_no_more(run, counter, tmp_path):
    """The folder of its files is full from the second sample on; the store is on another one."""
    run.work.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(run.work)], capture_output=True).returncode:
        pytest.skip("a full disk needs the right to mount one")
    try:
        done = run(f"""
samples: 2
load: {{url: '{counter.url}/', requests: 5, connections: 1}}
after_each: 'dd if=/dev/zero of={{work}}/fill bs=1k 2>/dev/null; true'
teardown: 'echo down > {tmp_path}/down'
""")
        assert done.returncode == 3, done.stderr
        assert [s["outcome"] for s in done.document["samples"]] == ["valid", "failed"]
        assert "no space left on the disk" in done.document["samples"][1]["note"], done.document["samples"]
        assert (tmp_path / "down").exists() and len(run.documents()) == 1
    finally:
        subprocess.run(["umount", str(run.work)], check=True)


@pytest.mark.parametrize("text, says", [
    ('name: "a\\0b"\ncommand: x\n', '"name" holds a NUL'),
    ('command: x\nparameters: {a: "b\\0c"}\n', "holds a NUL"),
    ("name:\ncommand: x\n", '"name" has no value'),
    ("command: x\nmatrix: {a: }\n", '"a" has no value'),
    ("command: x\nruntime: 3s\n", '"runtime" goes with "load" alone'),
    ("load: {url: 'http://127.0.0.1:1/', duration: 1s}\nruntime: 3s\n", "say the same"),
    ("command: x\nverify: {}\n", 'needs "url" or "targets"'),
    ("command: x\nverify: {targets: a, method: PUT}\n", "stands in their file"),
    ("command: x\nroutes: {to: a}\n", '"routes" needs "from"'),
    ("command: x\nroutes: {from: /no/such/file.json}\n", "/no/such/file.json"),
    ("command: x\nservices: [{name: a, run: b, if_it_dies: restrat}]\n", "restart|stop|leave"),
    ("command: x\nmatrix: {n: [1]}\nexclude: {m: 1}\n", "m"),
])
def test_suites_that_are_refused(run, text, says):
    done = run(text)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert re.search(r"suite\.yaml", done.stderr) or "file.json" in done.stderr


@pytest.mark.parametrize("options", [["--dry-run"], []])
@pytest.mark.parametrize("text, says", [
    ("load:\n  url: 'http://127.0.0.1:1/'\n  bogus: 1\n", ':6: unknown option "--bogus"'),
    ("load:\n  connections: x\n  url: 'http://127.0.0.1:1/'\n", ":5: -c/--connections:"),
    ("load: {url: 'http://127.0.0.1:1/', duration: 5}\n", ":4: -d/--duration:"),
    ("load: {url: 'http://127.0.0.1:1/', rate: -3}\n", ":4: -r/--rate:"),
    ("load: {url: 'http://127.0.0.1:1/'}\nruntime: 5\n", ":5: -d/--duration:"),
    ("load: {url: 'http://127.0.0.1:1/'}\nslo: [nonsense]\n", ":5: --slo:"),
    ("load: {duration: 1s}\n", ":4: no URL"),
    ("matrix: {n: [1, x]}\nload: {url: 'http://127.0.0.1:1/', connections: '{n}'}\n", ":5: cell x: -c/--connections:"),
    ("load: {url: 'http://127.0.0.1:{port:web}/', rate: 1}\nagainst: {p: -1}\nparameters: {p: 1}\n".replace("rate: 1", "rate: '{p}'"), ":4: -r/--rate:"),
    ("rounds: {command: 'true', concurrency: x}\n", ":4: -c/--concurrency:"),
])
def test_options_that_a_sample_would_refuse(run, tmp_path, text, says, options):
    """What load and rounds would say of their words is said before anything is started."""
    services = f"services: [{{name: web, run: 'touch {tmp_path}/started; sleep 9'}}]\nsetup: 'touch {tmp_path}/started'\n\n"
    done = run(services + text, *options)
    assert done.returncode == 2 and "suite.yaml" + says in done.stderr, done.stderr
    assert not (tmp_path / "started").exists()


def test_ten_thousand_cells_take_a_second_to_plan(plimsoll, tmp_path):
    """A limit of CPU time, which a busy machine stretches less than the clock."""
    numbers = ", ".join(str(n) for n in range(100))
    (tmp_path / "suite.yaml").write_text(f"load: {{url: 'http://127.0.0.1:1/{{a}}/{{b}}'}}\nmatrix: {{a: [{numbers}], b: [{numbers}]}}\nsamples: 3\n"
                                         "budget: {clients: 10, routes: 5, maxconn: 1000}\n")
    before = os.times()
    done = subprocess.run([plimsoll, "run", "--dry-run", str(tmp_path / "suite.yaml")], capture_output=True, text=True, timeout=60)
    after = os.times()
    assert done.returncode == 0 and "10000 cells x 3 samples" in done.stdout
    assert after.children_user + after.children_system - before.children_user - before.children_system < 3


def test_every_key_stands_in_the_documents(plimsoll):
    schema = subprocess.run([plimsoll, "run", "--schema"], capture_output=True, text=True, check=True).stdout
    with open(os.path.join(target.ROOT, "docs", "suites.md"), encoding="utf-8") as f:
        text = f.read()
    assert len(schema.splitlines()) > 80 and schema in text, "docs/suites.md: what plimsoll run --schema prints has changed"


def test_a_mistake_is_told_with_its_place(run):
    done = run("command: x\nservices:\n  - {name: a, runs: b}\n")
    assert done.returncode == 2 and 'suite.yaml:3:15: a service has no key "runs"' in done.stderr and 'did you mean "run"?' in done.stderr


def test_progress_counts_samples_from_one(run, counter):
    done = run(f"samples: 2\nload: {{url: '{counter.url}/', requests: 3, connections: 1}}\n", "--progress", "json")
    lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert {line["sample"] for line in lines if line["sample"] is not None} == {1, 2}
    assert {d["sample"] for d in run.documents()} == {1, 2}
    assert "sample 1 of 2" in run(f"samples: 2\nload: {{url: '{counter.url}/', requests: 3, connections: 1}}\n", "-v").stderr


def test_what_commands_print_is_without_secrets_and_fit_for_a_terminal(run, tmp_path):
    """Facts, summary, teardown, verify_each: on the terminal, in the documents, on the page, in the store."""
    (tmp_path / "said").write_bytes(b"\x1b[31mred\x1b[0m\a \xff Authorization: Basic summary-SECRET\n| <i>a | b |\n```x\n")
    done = run("""
facts: {version: 'echo "1.0 https://u:fact-SECRET@h/?token=fact-SECRET"'}
command: echo took 3
metrics: [{name: took, regex: "took ([0-9]+)"}]
verify_each: 'echo "Authorization: Bearer verify-SECRET"; echo "$(seq 100) --token $(seq -s SECRET 100)"; echo "Authorization: Bearer verify-SECRET"; echo --password verify-SECRET; echo X-Api-Key:verify-SECRET; exit 1'
summary: cat said
teardown: 'echo "see https://u:teardown-SECRET@h/, Cookie: a=teardown-SECRET"; exit 1'
""", "--markdown", str(tmp_path / "run.md"), "--html", str(tmp_path / "run.html"))
    assert done.returncode == 3, done.stderr
    written = [tmp_path / "run.json", tmp_path / "run.md", tmp_path / "run.html", tmp_path / "results.db"]
    for where, text in [("out", done.stdout), ("err", done.stderr), *((p.name, p.read_bytes().decode(errors="replace")) for p in written)]:
        assert "SECRET" not in text, where
    summary = "red? ? Authorization: ***\n| <i>a | b |\n```x\n"
    assert "\n" + summary in done.stdout and done.document["summary"] == summary
    said = " ".join(done.stdout.split())
    assert "version: 1.0 https://***@h/?token=***" in said and "Authorization: *** --password *** X-Api-Key:***" in said
    assert (tmp_path / "run.md").read_text().endswith(
        "\n````\nred? ? Authorization: ***\n````\n\n| \\<i>a | b |\n\n````\n```x\n````\n")
