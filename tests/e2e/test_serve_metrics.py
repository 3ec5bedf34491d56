# SPDX-License-Identifier: GPL-3.0-or-later
"""What plimsoll serve says of itself: /metrics, the access log, /healthz and /readyz."""
import json
import re
import time

from lib.process import wait_until
from lib.serve_http import Server, request


def metrics(server):
    reply = server.ask("/metrics")
    assert reply["Content-Type"].startswith("text/plain; version=0.0.4")
    values = {}
    for line in reply.body.decode().splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r'(plimsoll_serve_[a-z_]+(?:\{.*\})?) (\S+)', line)
            assert match and match[1] not in values, line
            values[match[1].removeprefix("plimsoll_serve_")] = float(match[2])
    return values


def test_metrics(plimsoll):
    server = Server(plimsoll, "--threads", "2")
    for path, times in [("/bytes/1000", 5), ("/status/404", 2), ("/status/503", 1), ("/nothing", 3), ("/delay/20", 1)]:
        for _ in range(times):
            server.ask(path)
    with server.connect() as c:
        c.send(b"nonsense\r\n")
        c.reply()
    with server.connect() as c:
        c.send(request("/delay/60000"))
        c.taken()
    values = {}
    wait_until(lambda: metrics(server)["cut_off_total"] == 1, "the client that left is counted")
    # Each question is a connection of its own: the one before may not have been seen closed yet.
    wait_until(lambda: values.update(metrics(server)) or values["connections"] == 1, "only this question is connected")
    assert values['requests_total{route="/bytes/{n}",status="2xx"}'] == 5
    assert values['requests_total{route="/status/{code}",status="4xx"}'] == 2
    assert values['requests_total{route="/status/{code}",status="5xx"}'] == 1
    assert values['requests_total{route="(none)",status="4xx"}'] == 4
    delay = [values[f'request_seconds_bucket{{route="/delay/{{ms}}",le="{le}"}}'] for le in ("0.01", "1", "+Inf")]
    assert delay == [0, 1, 1] and 0.02 <= values['request_seconds_sum{route="/delay/{ms}"}'] < 5
    assert values['request_seconds_count{route="/bytes/{n}"}'] == 5
    assert values["connections"] == 1 and values["connections_total"] >= 14 and values["threads"] == 2
    assert values["sent_bytes_total"] > 5000 and values["received_bytes_total"] > 300
    assert values["cpu_seconds_total"] > 0 and 1 << 20 < values["resident_bytes"] < 1 << 28
    buckets = [v for k, v in values.items() if k.startswith('request_seconds_bucket{route="/bytes/{n}"')]
    assert buckets == sorted(buckets) and buckets[-1] == 5
    assert server.stop() == 0


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_the_access_log(plimsoll, tmp_path):
    file = tmp_path / "access.log"
    server = Server(plimsoll, "--threads", "2", "--access-log", str(file), tls=True)
    server.ask("/bytes/1000?x=1", headers=["User-Agent: a\"b", "Authorization: Bearer verysecret"])
    server.ask("/status/404?token=verysecret&X-Amz-Signature=verysecret", tls=True)
    server.ask("/chunked/50000", "HEAD")
    server.ask("/chunked/50000")
    with server.connect() as c:
        c.send(b"nonsense\r\n")
        c.reply()
    wait_until(lambda: len(lines(file)) == 5, "the lines are written without a further request")
    with server.connect() as c:
        c.send(request("/delay/60000"))
        c.taken()
    assert server.stop() == 0
    logged = lines(file)
    assert "verysecret" not in file.read_text()
    found = {(entry["target"].split("?")[0], entry["method"]): entry for entry in logged}
    one = found[("/bytes/1000", "GET")]
    assert one["status"] == 200 and one["bytes"] == 1000 and one["complete"] is True and one["userAgent"] == 'a"b' and one["tls"] is False
    assert one["route"] == "/bytes/{n}" and one["version"] == "1.1" and one["client"].startswith("127.0.0.1:") and one["target"] == "/bytes/1000?x=1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"]) and 0 <= one["seconds"] < 5
    assert found[("/status/404", "GET")]["tls"] is True
    assert found[("/chunked/50000", "HEAD")]["bytes"] == 0 and found[("/chunked/50000", "GET")]["bytes"] == 50_000
    assert found[("", "")]["status"] == 400 and found[("", "")]["route"] == "(none)"
    assert found[("/delay/60000", "GET")]["complete"] is False
    assert len(logged) == 6


def test_the_access_log_to_standard_output(plimsoll):
    server = Server(plimsoll, "--access-log", "-")
    for _ in range(300):
        server.ask("/healthz")
    server.signal(15)
    done = server.finish(10)
    entries = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
    assert len(entries) == 300 and all(e["route"] == "/healthz" for e in entries)


def test_no_log_by_default(plimsoll, tmp_path):
    server = Server(plimsoll, cwd=tmp_path)
    server.ask("/healthz")
    server.signal(15)
    done = server.finish(10)
    assert "{" not in done.out and done.err == "" and list(tmp_path.iterdir()) == []


def test_a_log_that_can_not_be_written(plimsoll, tmp_path):
    from lib.process import Process
    done = Process([plimsoll, "serve", "--listen", "127.0.0.1:0", "--access-log", str(tmp_path / "none" / "log")]).finish(10)
    assert done.exit == 2 and "none/log" in done.err


def test_health(plimsoll):
    server = Server(plimsoll)
    assert server.ask("/healthz").json()["status"] == "ok"
    assert server.ask("/readyz").json() == {"status": "ready"}
    assert server.stop() == 0
