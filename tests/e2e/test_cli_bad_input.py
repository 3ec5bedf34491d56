# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input: each is refused with the value and a way to mend it, exit 2, before a single connection is made. And what else belongs
to the command line itself: help, version, names, outputs that can not be written, interruption."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest


class Listener:
    """A loopback listener that answers every request with a small reply and counts connections."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.accepted = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    @staticmethod
    def serve(connection):
        waiting = b""
        with connection:
            while True:
                try:
                    data = connection.recv(65536)
                    waiting += data
                    while b"\r\n\r\n" in waiting:
                        waiting = waiting.partition(b"\r\n\r\n")[2]
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                except OSError:
                    return
                if not data:
                    return

    def close(self):
        self.socket.close()


@pytest.fixture
def listener():
    one = Listener()
    yield one
    one.close()


@pytest.fixture
def run(plimsoll, tmp_path):
    def call(*args, timeout_s=20, **how):
        return subprocess.run([plimsoll, *args], capture_output=True, text=True, timeout=timeout_s, cwd=tmp_path, check=False, **how)

    return call


URL = "http://127.0.0.1:{port}/"
# why, arguments of load, what the message must hold, what the hint must hold
BAD = [
    ("unknown option", ["--frobnicate", URL], "--frobnicate", "--help"),
    ("mistyped option", ["--conections", "3", URL], "--conections", "--connections"),
    ("unknown letter", ["-z", URL], '"-z"', "--help"),
    ("missing URL", ["-c", "3"], "URL", "http://"),
    ("value missing", [URL, "--duration"], "--duration", "30s"),
    ("another scheme", ["ftp://127.0.0.1:{port}/"], "ftp://127.0.0.1", "http://"),
    ("no scheme", ["127.0.0.1:{port}"], "127.0.0.1:", "http://127.0.0.1:"),
    ("port 0", ["http://127.0.0.1:0/"], "127.0.0.1:0", "65535"),
    ("port 70000", ["http://127.0.0.1:70000/"], "70000", "65535"),
    ("a good URL and a bad one", [URL, "http://127.0.0.1:70000/"], "70000", "65535"),
    ("no connections", ["-c", "0", URL], '"0"', "1"),
    ("a thousand million connections", ["-c", "1e9", URL], '"1e9"', "10k"),
    ("the same in digits", ["-c", "1000000000", URL], '"1000000000"', "1000000"),
    ("duration without unit", ["-d", "5", URL], '"5"', "5s"),
    ("no duration", ["-d", "0s", URL], '"0s"', "30s"),
    ("unreadable body file", ["--body", "@no/such/file", URL], "no/such/file", "file"),
    ("a directory as body", ["--body", "@/tmp", URL], "/tmp", "file"),
    ("unreadable upload", ["-T", "no/such/file", URL], "no/such/file", "file"),
    ("a device as upload", ["-T", "/dev/zero", URL], "/dev/zero", "file"),
    ("header with a line break", ["-H", "A: b\r\nEvil: c", URL], "A: b", "Name: value"),
    ("header without colon", ["-H", "nonsense", URL], "nonsense", "Name: value"),
    ("unknown name", ["http://no-such-name.invalid:{port}/"], "no-such-name.invalid", "--resolve"),
    ("one unknown name among known", [URL, "http://no-such-name.invalid:{port}/"], "no-such-name.invalid", "--resolve"),
    ("no such CA file", ["--cacert", "no/such/ca.pem", "https://127.0.0.1:{port}/"], "no/such/ca.pem", ""),
    ("no such token file", ["--auth-bearer", "@no/such/token", URL], "no/such/token", "file"),
    ("no such variable", ["--auth-bearer", "env:NO_SUCH_VARIABLE", URL], "NO_SUCH_VARIABLE", "export"),
    ("two bodies", ["--body", "x", "-T", "/etc/hostname", URL], "--body and --upload-file", "drop"),
    ("two families", ["-4", "-6", URL], "-4 and -6", "drop"),
    ("two credentials", ["-u", "a:b", "--auth-bearer", "c", URL], "--user and --auth-bearer", "drop"),
    ("status that is none", ["--expect-status", "2x", URL], '"2x"', "2xx"),
    ("percentile that is none", ["--percentiles", "101", URL], '"101"', "99.95"),
    ("two documents on standard output", ["--json", "-", "--csv", "-", URL], "--json and --csv", "own file"),
    ("document into nowhere", ["--json", "no/such/dir/x.json", URL], "no/such/dir/x.json", "mkdir"),
    ("log into nowhere", ["--log", "no/such/dir/x.log", URL], "no/such/dir/x.log", "mkdir"),
    ("document over a directory", ["--json", "/tmp", URL], "/tmp", "file"),
    ("failures kept in a file", ["--save-failures", "/etc/hostname:5", URL], "/etc/hostname", "directory"),
    ("address that is not ours", ["--source", "192.0.2.1", URL], "192.0.2.1", ""),
]


@pytest.mark.parametrize("why, args, what, hint", BAD, ids=[row[0].replace(" ", "-") for row in BAD])
def test_refused_before_anything_is_sent(run, listener, why, args, what, hint):
    done = run("load", "-n", "2", "--no-store", *[a.replace("{port}", str(listener.port)) for a in args])
    assert done.returncode == 2, done
    assert done.stdout == "", done
    assert what in done.stderr, done
    assert hint in done.stderr and (not hint or "hint: " in done.stderr), done
    assert listener.accepted == 0


def test_a_file_without_rights(plimsoll, listener):
    """As an ordinary user: root may read everything."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        body = os.path.join(folder, "body")
        with open(body, "w", encoding="utf-8") as file:
            file.write("x")
        os.chmod(body, 0)
        who = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            done = subprocess.run([plimsoll, "load", "-n", "1", "--body", "@" + body, listener.url], capture_output=True, text=True,
                                  timeout=10, check=False, cwd="/", **who)
        except PermissionError:
            pytest.skip("the program lies where an ordinary user can not run it")
    assert done.returncode == 2 and "Permission denied" in done.stderr and body in done.stderr, done
    assert listener.accepted == 0


def test_a_closed_port_is_no_usage_error(run):
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    done = run("load", "-n", "4", "-c", "2", "--no-store", f"http://127.0.0.1:{port}/")
    assert done.returncode == 3, done
    assert "connect_refused" in done.stdout and str(port) in done.stdout and "never reached" in done.stdout, done


@pytest.mark.parametrize("args, what", [
    ([], "usage: plimsoll"), (["lod"], 'unknown command "lod"'), (["--nonsense"], '"--nonsense"'),
    (["help", "nonsense"], '"nonsense"'), (["http://x/"], "plimsoll load URL")])
def test_no_command(run, args, what):
    done = run(*args)
    assert done.returncode == 2 and what in done.stderr and done.stdout == "", done


def test_a_mistyped_command_is_suggested(run):
    assert "did you mean load?" in run("laod", "http://x/").stderr


def test_help_teaches(run):
    top = run("--help")
    assert top.returncode == 0 and top.stderr == "", top
    for word in ("load", "ab", "serve", "help", "Exit status", "plimsoll load -c"):
        assert word in top.stdout
    for command in ("load", "serve"):
        by_option, by_word = run(command, "--help"), run("help", command)
        assert by_option.returncode == by_word.returncode == 0
        assert by_option.stdout == by_word.stdout
        assert "Examples:" in by_option.stdout and "default:" in by_option.stdout
        assert max(len(line) for line in by_option.stdout.splitlines()) <= 90


def test_help_explains_the_columns(run):
    text = run("load", "--help").stdout
    for word in ("requests/s", "latency", "service time", "p99", "stddev", "phases", "started", "retried"):
        assert word in text


def test_version_names_the_libraries(run):
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith("plimsoll ")
    for library in ("libuv", "OpenSSL", "llhttp", "zlib", "Jansson"):
        assert library in done.stdout


def options_of(text):
    """Long options that head a line of the help."""
    heads = [line.split("  ")[1] if line.startswith("  -") else line.strip().split(" ")[0] for line in text.splitlines()
             if line.startswith(("  -", "      --"))]
    return {word.strip(",") for head in heads for word in head.split() if word.startswith("--")}


@pytest.mark.parametrize("command", ["load", "serve"])
@pytest.mark.parametrize("shell", ["plimsoll.bash", "_plimsoll", "plimsoll.fish"])
def test_completions_know_every_option(run, command, shell):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "completions", shell), encoding="utf-8") as file:
        text = file.read()
    options = options_of(run(command, "--help").stdout)
    assert len(options) > 10
    for option in options:
        assert (f"-l {option[2:]} " if shell.endswith("fish") else option) in text, option


def test_called_as_ab(plimsoll, tmp_path):
    link = tmp_path / "ab"
    link.symlink_to(os.path.abspath(plimsoll))
    done = subprocess.run([link, "-h"], capture_output=True, text=True, timeout=10, check=False)
    assert "-c concurrency" in done.stderr, done  # where ab prints it


def test_help_of_ab_is_on_standard_output(run):
    by_option, by_word = run("ab", "--help"), run("help", "ab")
    assert by_option.returncode == by_word.returncode == 0
    assert "-c concurrency" in by_option.stdout and by_option.stdout == by_word.stdout, by_option


def test_json_on_standard_output_is_alone(run, listener):
    done = run("load", "-n", "3", "-c", "1", "--no-store", "--json", "-", listener.url)
    assert done.returncode == 0, done
    document = json.loads(done.stdout)
    assert document["format"] == "plimsoll-result" and document["totals"]["ok"] == 3
    assert "VALID" in done.stderr


def test_every_output(run, listener, tmp_path):
    done = run("load", "-n", "7", "-c", "2", "--no-store", "--json", "r.json", "--csv", "r.csv", "--hdr", "r.hdr", "--log", "r.log",
               "--name", "a run", "--label", "commit=4f2a", "--label", "empty=", listener.url)
    assert done.returncode == 0, done
    document = json.loads((tmp_path / "r.json").read_text())
    assert document["name"] == "a run" and document["labels"] == {"commit": "4f2a", "empty": ""}
    assert document["command"][:3] == ["plimsoll", "load", "-n"]
    assert document["config"]["connections"] == 2 and document["config"]["requests"] == 7
    assert len((tmp_path / "r.log").read_text().splitlines()) == 1 + 7
    assert (tmp_path / "r.csv").read_text().count("\n") >= 2
    assert "#[Mean" in (tmp_path / "r.hdr").read_text()


@pytest.mark.parametrize("option", ["--json", "--csv", "--hdr", "--log"])
def test_a_full_disk_does_not_lose_the_report(run, listener, option):
    done = run("load", "-n", "3", "-c", "1", "--no-store", option, "/dev/full", listener.url)
    assert done.returncode == 3, done
    assert "VALID" in done.stdout and "/dev/full" in done.stderr and "No space left" in done.stderr, done


def test_a_full_standard_output_moves_the_report(plimsoll, listener):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([plimsoll, "load", "-n", "3", "-c", "1", "--no-store", listener.url], stdout=full, stderr=subprocess.PIPE,
                              text=True, timeout=20, check=False)
    assert done.returncode == 3 and "No space left" in done.stderr and "VALID" in done.stderr, done


@pytest.mark.parametrize("words", [["--help"], ["load", "--help"], ["--version"]])
def test_help_that_nobody_gets_is_a_failure(plimsoll, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([plimsoll, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
    assert done.returncode == 3 and "standard output" in done.stderr, done


def test_a_server_says_elsewhere_where_it_listens(plimsoll):
    with open("/dev/full", "w", encoding="utf-8") as full, \
            subprocess.Popen([plimsoll, "serve", "--listen", "127.0.0.1:0"], stdout=full, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert "standard output" in server.stderr.readline()
            assert re.search(r"listening on http://127.0.0.1:\d+", server.stderr.readline())
        finally:
            server.terminate()
    assert server.returncode == 0


def test_one_file_by_two_names(run, listener, tmp_path):
    path = tmp_path / "a.json"
    for other in (f"{tmp_path}/./a.json", f"{tmp_path}/../{tmp_path.name}/a.json"):
        done = run("load", "-n", "1", "-c", "1", "--no-store", "--json", str(path), "--csv", other, listener.url)
        assert done.returncode == 2 and "are one file" in done.stderr and not path.exists(), done
    path.touch()
    os.link(path, tmp_path / "b.csv")
    done = run("load", "-n", "1", "-c", "1", "--no-store", "--json", str(path), "--csv", f"{tmp_path}/b.csv", listener.url)
    assert done.returncode == 2 and "are one file" in done.stderr, done


@pytest.mark.parametrize("option", [["-k"], ["--sni", "a.test"], ["--tls-min", "1.3"]])
def test_tls_without_https_is_said(run, listener, option):
    done = run("load", "-n", "1", "-c", "1", "--no-store", *option, listener.url)
    assert done.returncode == 0 and "has no effect" in done.stderr, done
    assert "has no effect" not in run("load", "-n", "1", "-c", "1", "--no-store", listener.url).stderr


def test_too_little_address_space_is_explained(plimsoll, listener):
    with open(plimsoll, "rb") as program:
        if re.search(b"__[at]san_init", program.read()):
            pytest.skip("a sanitizer needs address space itself")
    done = subprocess.run(["sh", "-c", f'ulimit -v 200000 && exec "{plimsoll}" load -n 1 -c 1 --no-store {listener.url}'], capture_output=True,
                          text=True, timeout=20)
    assert done.returncode == 2 and "ulimit -v" in done.stderr and "200000 KiB" in done.stderr, done


def test_a_closed_pipe_is_an_error_and_no_death(plimsoll, listener):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([plimsoll, "load", "-n", "3", "-c", "1", "--no-store", listener.url], stdout=write, stderr=subprocess.PIPE,
                          text=True, timeout=20, check=False)
    os.close(write)
    assert done.returncode == 3 and "Broken pipe" in done.stderr and "VALID" in done.stderr, done


def test_dry_run_sends_nothing(run, listener, tmp_path):
    done = run("load", "--dry-run", "-c", "3", "-d", "5s", "--log", "x.log", "--save-failures", "dir:3", listener.url)
    assert done.returncode == 0 and f"127.0.0.1:{listener.port}" in done.stdout, done
    assert listener.accepted == 0 and not list(tmp_path.iterdir())


def test_progress_as_json(run, listener):
    done = run("load", "-d", "2500ms", "-c", "1", "--no-store", "--progress", "json", listener.url)
    objects = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert len(objects) >= 2, done
    assert objects[-1]["done"] > 0 and objects[-1]["failed"] == 0 and objects[-1]["stage"] == "measuring"
    assert not run("load", "-d", "1500ms", "-c", "1", "--no-store", listener.url).stderr


def start(plimsoll, *args):
    return subprocess.Popen([plimsoll, "load", "--no-store", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition, limit_s=10):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_once_reports(plimsoll, listener, number):
    process = start(plimsoll, "-d", "60s", "-c", "2", "--json", "-", listener.url)
    wait_for(lambda: listener.accepted == 2)
    time.sleep(1)  # some requests: figures to report
    process.send_signal(number)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130, err
    document = json.loads(out)
    assert document["totals"]["ok"] > 0 and document["duration_s"] < 50


def test_interrupted_twice_quits(plimsoll):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = start(plimsoll, "-d", "60s", "-c", "1", "--drain", "60s", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        connection, _ = silent.accept()
        assert connection.recv(4096)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None  # waits for the request in flight
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=5)
        connection.close()
    assert process.returncode == 130 and "VALID" not in out, (out, err)
