# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of targets (--targets): what each says of itself, thousands of them, and mistakes told with their place."""
import json

import pytest

from lib import certificates
from lib.recorder import Recorder
from lib.target import OK


@pytest.fixture
def server():
    one = Recorder(answer=lambda request: (200, ["X-Kind: " + request.target[1:]], request.method.encode() + b" " + request.body))
    yield one
    one.stop()
    assert not one.errors, one.errors


def write(folder, text):
    path = folder / "targets"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return str(path)


YAML = """
# what each says of itself
targets:
  - {url}/plain
  - url: {url}/put
    method: PUT
    headers: {{X-Own: "yes", X-Common: mine}}
    body: "hello"
    connections: 3
    expect: {{body: "^PUT hello$", headers: {{X-Kind: put}}}}
  - url: {url}/file
    body_file: {file}
    weight: 2
    requests_per_connection: 2
    expect:
      status: 200
      body_size: 9
  - url: {url}/form
    form: {{a: 1, f: "@{file}"}}
    user: alice:secret
"""


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_each_target_is_its_own(load, server, tmp_path, form):
    file = tmp_path / "body"
    file.write_bytes(b"data")
    text = YAML.format(url=server.url(""), file=file)
    if form == "json":
        base = server.url("")
        text = [base + "/plain",
                {"url": base + "/put", "method": "PUT", "headers": {"X-Own": "yes", "X-Common": "mine"}, "body": "hello", "connections": 3,
                 "expect": {"body": "^PUT hello$", "headers": {"X-Kind": "put"}}},
                {"url": base + "/file", "body_file": str(file), "weight": 2, "requests_per_connection": 2,
                 "expect": {"status": 200, "body_size": 9}},
                {"url": base + "/form", "form": {"a": 1, "f": "@" + str(file)}, "user": "alice:secret"}]
    run = load("--targets", write(tmp_path, text), "-c", "1", "-n", "70", "-H", "X-Common: ours", server=server)
    assert run.exit == 0 and len(run.doc["targets"]) == 4, run.doc["errors"]
    seen = {name: [r for r in server.requests if r.target == name] for name in ("/plain", "/put", "/file", "/form")}
    assert {name: len(rs) for name, rs in seen.items()} == {t["url"][len(server.url("")):]: t["totals"]["sent"] for t in run.doc["targets"]}
    assert all(r.method == "GET" and r.body == b"" and r.field("x-common") == ["ours"] for r in seen["/plain"])
    assert all(r.method == "PUT" and r.body == b"hello" and r.field("x-own") == ["yes"] for r in seen["/put"])
    assert all(r.method == "POST" and r.body == b"data" for r in seen["/file"])
    assert all(b'filename="body"' in r.body and r.field("authorization") == ["Basic YWxpY2U6c2VjcmV0"] for r in seen["/form"])
    assert len({r.connection for r in seen["/plain"]}) == 1 and len({r.connection for r in seen["/put"]}) == 3
    by_connection = [sum(r.connection == c for r in seen["/file"]) for c in {r.connection for r in seen["/file"]}]
    assert max(by_connection) <= 2 and len(by_connection) >= len(seen["/file"]) / 2


def test_a_failed_expectation_is_of_its_target(load, server, tmp_path):
    path = write(tmp_path, [server.url("/a"), {"url": server.url("/b"), "expect": {"body_size": 5}}])
    run = load("--targets", path, "-c", "1", "-n", "20", "--max-errors", "60%", server=server)
    good, bad = run.doc["targets"]
    assert not good["errors"] and [e["kind"] for e in bad["errors"]] == ["body"] and bad["totals"]["ok"] == 0


def test_with_a_rate(load, server, tmp_path):
    path = write(tmp_path, [{"url": server.url("/a"), "connections": 2}, {"url": server.url("/b"), "connections": 2}])
    run = load("--targets", path, "-d", "1s", "--rate", "200", server=server)
    assert run.exit == 0 and 190 <= run.totals["ok"] <= 201
    assert all(t["totals"]["ok"] > 60 for t in run.doc["targets"])


def test_thousands_of_targets(load, nginx, tmp_path, full):
    """2 500 targets with a connection each, half of them TLS: under 256 MiB, a row with percentiles for each."""
    count = 2500 if full else 1250
    path = write(tmp_path, [nginx.url(f"/small?{i}", tls=i % 2 == 1) for i in range(count)])
    run = load("-k", "--targets", path, "-c", "1", "-d", "3s", "--max-errors", "0.1%", watch_rss=True, timeout_s=120)
    assert run.exit == 0 and len(run.doc["targets"]) == count
    assert run.peak_rss < 256 << 20, f"{run.peak_rss >> 20} MiB"
    assert all(t["totals"]["ok"] > 0 and t["latency"]["p99"] > 0 for t in run.doc["targets"])
    assert run.totals["tls_handshakes"] >= count // 2
    assert "Slowest targets" in run.err and "requests started per target" in run.err


@pytest.mark.parametrize("text, line, words", [
    ("- url: http://127.0.0.1:1/\n  conections: 4\n", 2, ["conections", "requests_per_connection"]),
    ("- url: http://127.0.0.1:1/\n\n\n\n\n\n  connections: 0\n", 7, ["connections", "from 1 to"]),
    ("- url: ftp://127.0.0.1/\n", 1, ["url", "http"]),
    ("- method: GET\n", 1, ["without \"url\""]),
    ("[]", 1, ["0 targets"]),
    ("just text", 1, ["list of targets"]),
    ("- url: http://a.test/\n  expect:\n    status: abc\n", 3, ["status", "2xx"]),
    ("- url: http://a.test/\n  expect:\n    body: 'a('\n", 3, ["body", "broken"]),
    ("- url: http://a.test/\n  body: x\n  body_random: 5kB\n", 3, ["has a body already"]),
    ("- url: http://a.test/\n  body_random: 5\n", 2, ["body_random", "5MB"]),
    ("- url: http://a.test/\n  body_file: /nonexistent\n", 2, ["/nonexistent"]),
    ("- url: http://a.test/\n  think: soon\n", 2, ["think"]),
    ("- url: http://a.test/\n  source: localhost\n", 2, ["127.0.0.2"]),
    ("- url: http://a.test/\n  headers: [a]\n", 2, ["map of names"]),
    ("- url: http://a.test/\n  headers:\n    'X Y': a\n", 3, ["headers"]),
    ("[{\"url\": \"http://a.test/\",}", 2, ["closing bracket"]),
    ("- url: http://a.test/\n  url: [\n", 2, ["duplicate key"]),
    ("- url: https://a.test/\n  insecure: maybe\n", 2, ["insecure", "true or false"]),
    ("- url: https://a.test/\n  insecure: true\n  cacert: x.pem\n", 3, ["insecure", "cacert"]),
    ("- url: https://a.test/\n  cacert: /nonexistent.pem\n", 2, ["/nonexistent.pem"]),
    ("- url: https://a.test/\n  cert: /nonexistent.pem\n", 2, ["/nonexistent.pem"]),
    ("- url: https://a.test/\n  key: /nonexistent.pem\n", 2, ["certificate"]),
    ("- url: https://a.test/\n  alpn: ','\n", 2, ["alpn"]),
    ("- url: http://a.test/\n  insecure: true\n", 2, ["not https"]),
])
def test_mistakes_have_their_place(load, tmp_path, text, line, words):
    path = write(tmp_path, text)
    done = load.refused("--targets", path)
    assert f"{path}:{line}: " in done.err, done.err
    assert all(word in done.err for word in words), done.err


@pytest.mark.parametrize("args, words", [(("--targets", "/nonexistent"), "No such file"), (("--targets", "x", "http://a.test/"), "contradict")])
def test_bad_options(load, args, words):
    assert words in load.refused(*args).err


def test_secrets_of_the_file_stay_in_it(load, start_target, tmp_path):
    target = start_target(OK)
    path = write(tmp_path, [{"url": target.url("/?token=hush1"), "user": "u:hush2", "headers": {"Cookie": "hush3"}},
                            {"url": target.url("/"), "bearer": "hush4"}])
    run = load("--targets", path, "-c", "1", "-n", "4", server=target)
    assert run.exit == 0 and "hush" not in run.out and "hush" not in run.err
    dry = load.start("--targets", path, "--dry-run").finish(20)
    assert dry.exit == 0 and "hush" not in dry.out + dry.err


def test_each_target_has_its_own_trust(load, start_tls_target, authority, tmp_path_factory, tmp_path):
    """One certificate of the given authority, one of nobody's: each target says how it wants to be sure."""
    stranger = certificates.Authority(tmp_path_factory.mktemp("stranger"))
    known, strange = start_tls_target(), start_tls_target(cert=stranger.cert, key=stranger.key)
    listed = [{"url": known.url("localhost"), "cacert": authority.ca}, {"url": strange.url("localhost"), "cacert": stranger.ca},
              {"url": strange.url("localhost"), "insecure": True}, {"url": known.url("localhost"), "cacert": stranger.ca},
              known.url("localhost")]
    run = load("--targets", write(tmp_path, listed), "-c", "1", "-n", "10", "--max-errors", "100%", "--cacert", authority.ca)
    assert [t["totals"]["ok"] > 0 for t in run.doc["targets"]] == [True, True, True, False, True], run.doc["targets"]
    assert [e["kind"] for e in run.doc["targets"][3]["errors"]] == ["tls"]
    run = load("--targets", write(tmp_path, listed), "-c", "1", "-n", "10", "--max-errors", "100%", "-k", "--tls-resume", "on",
               "--requests-per-connection", "1")
    assert [t["totals"]["ok"] > 0 for t in run.doc["targets"]] == [True, True, True, False, True], run.doc["targets"]
    assert run.doc["totals"]["tls_resumed"] > 0


@pytest.mark.parametrize("pattern, taken", [
    ("/b$", ["/b"]), ("!/b$", ["/a", "/c"]), ("^far", ["/c"]), ("^near|named", ["/a", "/b"]),
])
def test_a_filter_takes_some_of_them(load, server, tmp_path, pattern, taken):
    """By url, Host or sni; with ! those that do not match."""
    path = write(tmp_path, [server.url("/a"),
                            {"url": server.url("/b"), "headers": {"host": "near.example"}},
                            {"url": server.url("/c"), "headers": {"Host": "far.example"}}])
    if "named" in pattern:
        path = write(tmp_path, [{"url": server.url("/a"), "headers": {"Host": "named.example"}},
                                {"url": server.url("/b"), "headers": {"host": "near.example"}}, server.url("/c")])
    run = load("--targets", path, "--targets-filter", pattern, "-c", "1", "-n", str(2 * len(taken)))
    assert run.exit == 0, run
    assert sorted({request.target for request in server.requests}) == taken
    assert run.doc["config"]["targets_filter"] == pattern and len(run.doc["targets"]) == len(taken)


def test_a_filter_that_takes_nothing_is_refused(load, server, tmp_path):
    path = write(tmp_path, [server.url("/a")])
    assert "--targets-filter nowhere takes none of the 1 targets" in load.refused("--targets", path, "--targets-filter", "nowhere").err
    assert "--targets-filter (" in load.refused("--targets", path, "--targets-filter", "(").err
    assert "--targets-filter without --targets" in load.refused("--targets-filter", "a", server.url("/a")).err
    assert not server.requests
