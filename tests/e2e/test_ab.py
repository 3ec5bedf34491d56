# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll ab` beside ab itself, against the same servers: the same bytes on the wire, the same report to the line, the same files,
messages and exit codes; and right where docs/ab.md says that ab is wrong."""
import re
import shutil
import signal
import socket
import threading
import time

import pytest

from lib.process import Process, free_port, run
from lib.scripted_http import ScriptedHttp

AB = "ab"  # by its name: complaints begin with it
needs_ab = pytest.mark.skipif(shutil.which(AB) is None, reason="no ab here (apache2-utils)")


@pytest.fixture(scope="module")
def server():
    one = ScriptedHttp()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def ours(plimsoll):
    def call(*args, timeout_s=60.0):
        return run([plimsoll, "ab", *args], timeout_s)

    return call


@pytest.fixture(scope="module")
def both(ours):
    """Runs ab, then ours, each against its own copy of what the path's script does."""

    def call(*args, path=None):
        if path is None:
            return run([AB, *args], 60.0), ours(*args)
        return run([AB, *args, path("a")], 60.0), ours(*args, path("b"))

    return call


@pytest.fixture
def body_file(tmp_path):
    file = tmp_path / "body"
    file.write_bytes(b"a=1&b=2")
    return str(file)


def lines_of(done):
    """The report with figures of time and the marks of who ran replaced; the banner's two lines about the author are left out."""
    text = re.sub(r"(?m)^(ERROR|WARNING): The median .*\n.*\n", "", done.out)
    text = re.sub(r"\d+\.\d+(?= (\[|seconds|kb/s))", "F", text)
    text = re.sub(r"(?m)^((?:Connect|Processing|Waiting|Total): +)[\d .]+$", lambda m: m[1].rstrip() + f" {len(m[0].split())} columns", text)
    text = re.sub(r"(?m)^( *\d+%  ) *\d+", r"\1N", text)
    text = re.sub(r"(<t[hd][^>]*>(?:Connect|Processing|Total):</th>).*", r"\1", text)
    text = re.sub(r"\d+\.\d+(?=</td>)", "F", text)
    text = re.sub(r"(?m)^(Document Path:.*|.*Document Path.*)/[ab]\b", r"\1", text)
    text = re.sub(r"(?m)^(GET|POST|HEAD) (\S*)/[ab] ", r"\1 \2 ", text)
    lines = text.split("\n")
    return lines[:1] + lines[3:] if lines[0].startswith("This is") else lines[:2] + lines[4:]


def assert_same(theirs, mine, errors=True):
    assert lines_of(mine) == lines_of(theirs), mine
    assert mine.exit == theirs.exit
    if errors:
        assert mine.err == theirs.err


def figure(done, label):
    found = re.findall(rf"(?m)^{re.escape(label)}: +([\d.]+)", done.out)
    assert found, f"no {label}: {done}"
    return float(found[0])


REQUESTS = [
    (),
    ("-k",),
    ("-i",),
    ("-p", "BODY"),
    ("-p", "BODY", "-T", "a/b", "-k"),
    ("-u", "BODY"),
    ("-m", "DELETE"),
    ("-p", "BODY", "-m", "PATCH"),
    ("-m", "POST"),
    ("-T", "a/b"),
    ("-C", "a=b"),
    ("-C", "a=b", "-C", "c=d"),
    ("-A", "u:p", "-P", "q:r"),
    ("-H", "X-Y:z", "-H", "Foo:  bar "),
    ("-H", "User-Agent:me", "-H", "accept: none", "-H", "Host: other"),
    ("-k", "-p", "BODY", "-C", "a=b", "-A", "u:p", "-H", "X: y"),
    ("-n", "5", "-c", "2", "-k"),
]


def sent_by(server, call, *args):
    server.take_requests()
    assert call(*args).exit == 0
    return server.take_requests()


def theirs(*args):
    return run([AB, *args], 60.0)


@needs_ab
@pytest.mark.parametrize("options", REQUESTS, ids=" ".join)
def test_the_same_bytes_are_sent(server, ours, body_file, options):
    args = [body_file if word == "BODY" else word for word in options]
    for url in (server.url("/x?y=z"), server.url("/a%20b#c")[len("http://"):]):
        expected = sent_by(server, theirs, *args, url)
        assert expected and sent_by(server, ours, *args, url) == expected


@needs_ab
@pytest.mark.parametrize("url", ["http://example.test/x", "http://example.test:8080/x?y"])
def test_the_same_bytes_are_sent_to_a_proxy(server, ours, url):
    args = ["-n", "2", "-P", "q:r", "-X", f"127.0.0.1:{server.port}", url]
    expected = sent_by(server, theirs, *args)
    assert expected[0].startswith(b"GET http://example.test") and sent_by(server, ours, *args) == expected


REPORTS = [
    ("-n", "200", "-c", "5", "/"),
    ("-n", "300", "-c", "5", "-k", "/"),
    ("-n", "200", "-q", "/"),
    ("-n", "1", "/"),
    ("-n", "5", "-d", "/"),
    ("-n", "5", "-S", "/"),
    ("-n", "5", "-i", "/"),
    ("-n", "5", "-p", "BODY", "/"),
    ("-n", "5", "-u", "BODY", "-k", "/"),
    ("-n", "9", "-k", "/statuses"),
    ("-n", "9", "/lengths"),
    ("-n", "9", "-l", "/lengths"),
    ("-n", "9", "/drop"),
    ("-n", "9", "/cut3"),
    ("-n", "3", "/until-close"),
    ("-n", "2", "/head/5000"),
    ("-w", "-n", "5", "-k", "/statuses"),
    ("-w", "-n", "5", "-p", "BODY", "-l", "/"),
    ("-w", "-n", "200", "/lengths"),
    ("-x", "border=1", "-y", "a=b", "-z", "c=d", "-n", "2", "/"),
    ("-v", "1", "-n", "2", "/"),
    ("-v", "2", "-n", "2", "/"),
    ("-v", "3", "-n", "2", "-k", "/"),
    ("-v", "4", "-n", "2", "-p", "BODY", "/statuses"),
    ("-v", "4", "-n", "1", "-i", "/"),
    ("-w", "-v", "4", "-n", "1", "/"),
    ("-B", "127.0.0.3", "-n", "2", "/"),
]


@needs_ab
@pytest.mark.parametrize("options", REPORTS, ids=" ".join)
def test_the_same_report(both, server, body_file, options):
    args = [body_file if word == "BODY" else word for word in options[:-1]]
    name = options[-1].rstrip("/")
    where = f"{name}/" if name.startswith("/head") else f"{name or '/x'}/{REPORTS.index(options)}/"
    assert_same(*both(*args, path=lambda which: server.url(where + which)))


@needs_ab
def test_the_same_report_of_a_proxy(both, server):
    assert_same(*both("-n", "2", "-X", f"127.0.0.1:{server.port}", "http://example.test/x"))


@needs_ab
@pytest.mark.parametrize("options", [(), ("-k",), ("-f", "TLS1.2"), ("-I",), ("-Z", "ECDHE+AESGCM")], ids=" ".join)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_same_report_over_tls(both, nginx, host, options):
    url = nginx.url("/kib", True).replace("127.0.0.1", host).replace("localhost", host)
    assert_same(*both("-n", "5", *options, url))


@needs_ab
def test_the_same_rounding_and_layout_of_the_table(both, nginx):
    """Rates and times within noise; here only that they hold together: time per request = concurrency * time / requests."""
    for done in both("-n", "2000", "-c", "10", "-k", nginx.url("/kib")):
        taken, rate = figure(done, "Time taken for tests"), figure(done, "Requests per second")
        assert abs(rate * taken / 2000 - 1) < 0.05
        each = [float(t) for t in re.findall(r"Time per request: +([\d.]+)", done.out)]
        assert abs(each[0] - 10 * each[1]) < 0.006  # both rounded to 1 us
        assert figure(done, "Document Length") == 1024 and figure(done, "HTML transferred") == 2000 * 1024
        percents = [int(p) for p in re.findall(r"(?m)^ *\d+% +(\d+)", done.out)]
        assert len(percents) == 9 and percents == sorted(percents)
        total = [line for line in done.out.split("\n") if line.startswith("Total:  ")][0].split()
        assert int(total[1]) <= int(total[4]) <= int(total[5]) == percents[-1]


@needs_ab
@pytest.mark.parametrize("n", [1, 3, 200])
def test_the_same_files(server, ours, tmp_path, n):
    files = {}
    for who, call in (("ab", theirs), ("ours", ours)):
        csv, gnuplot = tmp_path / f"{who}.csv", tmp_path / f"{who}.tsv"
        assert call("-q", "-n", str(n), "-e", str(csv), "-g", str(gnuplot), server.url("/x")).exit == 0
        files[who] = csv.read_text().split("\n"), gnuplot.read_text().split("\n")
    for csv, gnuplot in files.values():
        assert csv[0] == "Percentage served,Time in ms" and len(csv) == 103 and csv[-1] == ""
        assert [line.split(",")[0] for line in csv[1:-1]] == [str(p) for p in range(101)]
        assert all(re.fullmatch(r"\d+,\d+\.\d{3}", line) for line in csv[1:-1])
        assert gnuplot[0] == "starttime\tseconds\tctime\tdtime\tttime\twait" and len(gnuplot) == n + 2
        assert all(re.fullmatch(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}(\t\d+){5}", line) for line in gnuplot[1:-1])
    csv, gnuplot = files["ours"]
    times = [float(line.split(",")[1]) for line in csv[1:-1]]
    assert times == sorted(times)
    for line in gnuplot[1:-1]:
        when, seconds, connect, processing, total, wait = line.split("\t")
        assert when == time.strftime("%a %b %e %H:%M:%S %Y", time.localtime(int(seconds)))
        assert abs(int(connect) + int(processing) - int(total)) <= 1 and int(wait) <= int(processing) + 1


BAD_WORDS = [
    ("-n", "0", "http://127.0.0.1:1/"),
    ("-n", "x", "http://127.0.0.1:1/"),
    ("-c", "5", "-n", "3", "http://127.0.0.1:1/"),
    ("-n",),
    ("-k",),
    ("-m",),
    ("http://127.0.0.1:1",),
    ("http://127.0.0.1:0/",),
    ("http://127.0.0.1:70000/",),
    ("localhost:80",),
    ("http://127.0.0.1:1/", "http://127.0.0.1:1/"),
    ("http://127.0.0.1:1/", "-n", "5"),
    ("-p", "/nonexistent", "http://127.0.0.1:1/"),
    ("-p", "/etc/hostname", "-u", "/etc/hostname", "http://127.0.0.1:1/"),
    ("-i", "-p", "/etc/hostname", "http://127.0.0.1:1/"),
    ("-m", "X", "-i", "http://127.0.0.1:1/"),
    ("-Y", "http://127.0.0.1:1/"),
    ("-Y", "-n", "2", "http://127.0.0.1:1/"),
    ("http://127.0.0.1:1/",),
    ("http://no-such-name.invalid/",),
    ("-B", "no-such-name.invalid", "http://127.0.0.1:1/"),
    ("-h",),
    ("-V",),
]


@needs_ab
@pytest.mark.parametrize("args", BAD_WORDS, ids=" ".join)
def test_the_same_complaint(both, args):
    expected, mine = both(*args)
    said = [[line for line in done.err.split("\n") if not line.startswith("    ")] for done in (expected, mine)]
    assert said[1] == said[0]
    assert_same(expected, mine, errors=False)


@needs_ab
def test_every_option_is_explained(both):
    options = [re.findall(r"(?m)^    (-\w)", done.err) for done in both("-h")]
    assert options[1] == options[0]


@needs_ab
def test_a_reset_ends_the_run(both, server):
    expected, mine = both("-n", "9", path=lambda which: server.url(f"/reset/end/{which}"))
    assert mine.exit == expected.exit == 104 and mine.err == expected.err
    assert "Total of 2 requests completed" in mine.out and "Requests per second" not in mine.out


@needs_ab
def test_a_reply_that_does_not_come_ends_the_run(both):
    with Silent() as silent:
        expected, mine = both("-n", "3", "-s", "1", f"http://127.0.0.1:{silent.port}/")
    assert mine.exit == expected.exit == 119 and mine.err == expected.err


class Silent:
    """Accepts and says nothing."""

    def __enter__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        return self

    def accept(self):
        """Waits for a request."""
        self._socket.settimeout(20)
        self._held = self._socket.accept()[0]
        assert self._held.recv(10)

    def __exit__(self, *_):
        self._socket.close()


def test_the_run_ends_at_its_time(ours, server):
    done = ours("-t", "1", "-c", "2", server.url("/"))
    assert done.exit == 0 and 1.0 <= figure(done, "Time taken for tests") < 4 and done.wall_s < 10
    n = int(figure(done, "Complete requests"))
    assert n > 10 and f"Finished {n} requests" in done.err


@needs_ab
def test_progress_lines(both, server):
    expected, mine = both("-n", "2500", "-c", "4", "-k", server.url("/"))
    assert mine.err == expected.err and mine.err.startswith("Completed 250 requests\n")


def test_interrupted(plimsoll):
    with Silent() as silent:
        process = Process([plimsoll, "ab", "-n", "5", f"http://127.0.0.1:{silent.port}/"])
        silent.accept()
        process.signal(signal.SIGINT)
        done = process.finish(10)
    assert done.exit == 1 and figure(done, "Complete requests") == 0 and "done" not in done.out


# What ab gets wrong.


def test_bodies_cut_short_fail(ours, server):
    done = ours("-n", "9", server.url("/cut"))
    assert figure(done, "Failed requests") == 9 and "Length: 9" in done.out


@pytest.mark.parametrize("keep", [(), ("-k",)])
def test_chunked_replies(ours, server, keep):
    done = ours("-n", "50", "-c", "5", *keep, server.url("/chunked"))
    assert done.exit == 0 and figure(done, "Failed requests") == 0 and figure(done, "Document Length") == 11
    assert figure(done, "HTML transferred") == 550
    assert not keep or figure(done, "Keep-Alive requests") == 50


def test_replies_that_end_with_the_connection(ours, server):
    done = ours("-n", "50", "-c", "5", "-k", server.url("/until-close"))
    assert figure(done, "Failed requests") == 0 and figure(done, "HTML transferred") == 250


@pytest.mark.parametrize("size, failed", [(9000, 0), (60000, 0), (70000, 3)])
def test_large_heads(ours, server, size, failed):
    done = ours("-n", "3", server.url(f"/head/{size}"))
    assert done.exit == 0 and figure(done, "Failed requests") == failed


def test_garbage_fails(ours, server):
    done = ours("-n", "3", server.url("/garbage"))
    assert figure(done, "Failed requests") == 3 and "Exceptions: 3" in done.out


def test_resets_count_once(ours, server):
    done = ours("-r", "-n", "9", server.url("/reset/once"))
    assert done.exit == 0 and figure(done, "Complete requests") == 9 and "Receive: 3, Length: 0, Exceptions: 0" in done.out


def test_replies_over_two_gib(ours, tmp_path):
    """3 GiB in one reply, by a server that sends the same mebibyte again and again."""
    listener = socket.create_server(("127.0.0.1", 0))
    size, piece = 3 << 30, b"x" * (1 << 20)

    def serve():
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(size // len(piece)):
                connection.sendall(piece)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    done = ours("-n", "1", f"http://127.0.0.1:{listener.getsockname()[1]}/")
    thread.join(10)
    listener.close()
    assert done.exit == 0 and figure(done, "Document Length") == size and figure(done, "HTML transferred") == size
    assert figure(done, "Failed requests") == 0


def test_secrets_are_not_shown(ours, server, tmp_path):
    files = [str(tmp_path / name) for name in ("csv", "tsv")]
    done = ours("-v", "4", "-A", "u:hunter2", "-P", "v:hunter2", "-C", "s=hunter2", "-H", "X-Api-Key: hunter2", "-n", "2", "-e", files[0],
                "-g", files[1], server.url("/x?a=b&token=hunter2&c=d"))
    assert done.exit == 0 and "Document Path:          /x?a=b&token=***&c=d\n" in done.out and "Cookie: ***" in done.out
    for text in (done.out, done.err, *(open(name).read() for name in files)):
        assert not re.search("hunter2|aHVudGVyMg|dTpodW50ZXIy|djpodW50ZXIy", text)


def test_called_as_ab(plimsoll, server, tmp_path):
    link = tmp_path / "ab"
    link.symlink_to(plimsoll)
    done = run([str(link), "-n", "2", server.url("/")], 30)
    assert done.exit == 0 and figure(done, "Complete requests") == 2


def test_nothing_listens(ours):
    done = ours(f"http://127.0.0.1:{free_port()}/")
    assert done.exit == 111 and done.err == "apr_socket_recv: Connection refused (111)\n"
