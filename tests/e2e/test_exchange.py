# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll results import and export: what goes out for other programs, and to and from a server of documents."""
import base64
import csv
import http.server
import io
import json
import pathlib
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest

from lib.process import run as run_process

DATA = pathlib.Path(__file__).parent.parent / "data"


@pytest.fixture
def results(plimsoll, tmp_path):
    def one(*args, exit=0):
        done = run_process([plimsoll, "results", *args], 60, cwd=tmp_path, env={"PLIMSOLL_DB": str(tmp_path / "runs.db")})
        assert done.exit == exit, done
        return done
    return one


class Server:
    """As much of Elasticsearch as is used: _bulk, _search with scrolling. It can fail first, and refuse documents."""

    def __init__(self):
        self.documents, self.requests, self.fail_first, self.busy_first, self.refuse = {}, [], 0, 0, None
        self.page = 7
        self.scrolls = {}
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, answer = outer.answer(self.command, self.path, self.headers, body)
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_DELETE = answer

        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        threading.Thread(target=self.httpd.serve_forever, daemon=True).start()

    def answer(self, method, path, headers, body):
        self.requests.append((method, path, dict(headers)))
        if self.fail_first > 0:
            self.fail_first -= 1
            return 503, {"error": "not yet"}
        if path.endswith("/_bulk"):
            return 200, self.bulk(body.decode())
        if method == "DELETE":
            self.scrolls.clear()
            return 200, {}
        query = json.loads(body)
        if "scroll_id" in query:
            return 200, self.next_page(query["scroll_id"])
        wanted = query["query"]["match_phrase"]["uuid"]
        # An analysed field finds more than was asked for.
        self.scrolls["s1"] = [{"_id": i, "_source": d} for i, d in self.documents.items() if wanted.split("-")[0] in d["uuid"]]
        return 200, self.next_page("s1")

    def next_page(self, scroll):
        hits, self.scrolls[scroll] = self.scrolls[scroll][:self.page], self.scrolls[scroll][self.page:]
        return {"_scroll_id": scroll, "hits": {"hits": hits}}

    def bulk(self, text):
        lines = text.splitlines()
        items = []
        for action, document in zip(lines[::2], lines[1::2]):
            document = json.loads(document)
            if self.busy_first > 0:
                self.busy_first -= 1
                items.append({"index": {"status": 429, "error": {"type": "busy", "reason": "later"}}})
            elif self.refuse is not None and self.refuse(document):
                items.append({"index": {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no such field"}}})
            else:
                self.documents[json.loads(action)["index"]["_id"]] = document
                items.append({"index": {"status": 201}})
        return {"errors": False, "items": items}


@pytest.fixture
def server():
    server = Server()
    yield server
    server.httpd.shutdown()
    server.httpd.server_close()


def test_a_published_comparison_is_two_runs(results):
    results("import", DATA / "router" / "tables.txt", "--label", "team=router")
    listed = json.loads(results("list", "--json").out)
    assert sorted(run["name"] for run in listed) == ["tables:base", "tables:new"]
    assert all(run["kind"] == "import" and run["labels"] == {"team": "router"} for run in listed)
    again = results("import", DATA / "router" / "tables.txt")
    assert "60 of 60 documents had been stored before" in again.err
    rows = list(csv.DictReader(io.StringIO(results("export", "csv", "tables:base").out)))
    assert len(rows) == 30 and {row["name"] for row in rows} == {"tables:base"}
    assert {(row["test_type"], row["routes"], row["conn_per_targetroute"], row["keepalive"]) for row in rows} >= {("mix", "2000", "5", "50")}
    assert [row["requests_per_s"] for row in rows if row["test_type"] == "http"][0] == "49891.0"
    assert {row["requests"] for row in rows} == {""}  # not said, so not zero


def test_what_is_shown_of_a_foreign_report(results):
    out = results("show", DATA / "ab" / "gateway-load-echo.txt").out
    assert "latency_p99" in out and "435 ms" in out and "332.60" in out
    assert "unfinished" not in out and "connections opened" not in out


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_documents_go_out_and_come_back(results, tmp_path, form):
    results("import", DATA / "router" / "tables.txt", DATA / "ab" / "gateway-load-echo.txt", DATA / "tools" / "hey.csv")
    results("export", form, "tables:base", "gateway-load-echo", "hey", "-o", f"out.{form}")
    results("rm", "--yes", "tables:base", "gateway-load-echo", "hey")
    results("import", f"out.{form}")
    results("export", form, "tables:base", "gateway-load-echo", "hey", "-o", f"again.{form}")
    assert (tmp_path / f"out.{form}").read_text() == (tmp_path / f"again.{form}").read_text()


def test_forms_are_what_they_say(results, tmp_path):
    files = [DATA / "router" / "tables.txt", DATA / "tools" / "hey.csv"]
    suite = ElementTree.fromstring(results("export", "junit", *files).out)[0]
    assert suite.get("tests") == "61" and suite.get("failures") == "0" and len(suite) == 61
    metrics = results("export", "openmetrics", *files).out
    assert metrics.endswith("# EOF\n") and metrics.count("# TYPE plimsoll_requests_per_second gauge") == 1
    assert metrics.count("\nplimsoll_requests_per_second{") == 61
    assert results("export", "markdown", *files).out.count("\n") == 63
    assert results("export", "hdr", DATA / "tools" / "hey.csv").out.lstrip().startswith("Value")
    log = results("export", "hdr-log", DATA / "tools" / "hey.csv").out
    assert log.startswith("#[Histogram log format version 1.3]") and ",HIST" in log
    assert results("export", "gnuplot", *files).out.count("\n\n\n") == 1
    assert "has no histogram" in results("export", "hdr", DATA / "ab" / "gateway-load-echo.txt", exit=2).err
    assert "did you mean markdown?" in results("export", "--format", "markdwn", files[1], exit=2).err


def test_push_and_read_back(results, server, tmp_path):
    server.fail_first, server.busy_first = 2, 3
    done = results("export", DATA / "router" / "tables.txt", "--push", server.url + "/", "--index", "router-test-results")
    assert "took 60 documents" in done.err
    assert len(server.documents) == 60
    assert all(path == "/router-test-results/_bulk" for _, path, _ in server.requests)
    one = next(d for d in server.documents.values() if d["test_type"] == "mix" and d["conn_per_targetroute"] == 5 and d["keepalive"] == 50)
    assert one["requests_per_second"] == 66353.5 or one["requests_per_second"] == 63860
    assert one["termination"] == "mix" and one["routes"] == 2000
    # Sent again, they are the same documents.
    results("export", DATA / "router" / "tables.txt", "--push", server.url, "--index", "router-test-results")
    assert len(server.documents) == 60
    uuid = one["uuid"]
    server.documents["stranger"] = {**one, "uuid": uuid.split("-")[0] + "-another"}
    results("import", "elasticsearch", server.url, "--index", "router-test-results", "--uuid", uuid)
    listed = json.loads(results("list", "--json").out)
    assert len(listed) == 1
    documents = json.loads(results("export", listed[0]["id"]).out)
    assert len(documents) == 30 and {d["run"] for d in documents} == {uuid}
    assert server.requests[-1][0] == "DELETE" and not server.scrolls
    assert "30 of 30 documents had been stored before" in \
        results("import", "elasticsearch", server.url, "--index", "router-test-results", "--uuid", uuid).err


def test_what_the_server_refuses_is_said(results, server):
    server.refuse = lambda document: document["test_type"] == "edge"
    done = results("export", DATA / "router" / "tables.txt", "--push", server.url, "--index", "i", exit=3)
    assert "refused 12 of 60 documents, the first with 400 mapper_parsing_exception: no such field" in done.err
    assert len(server.documents) == 48


def test_credentials_are_sent_and_not_said(results, server):
    parts = urllib.parse.urlsplit(server.url)
    url = f"{parts.scheme}://perf:s%40cret@{parts.netloc}"
    results("export", DATA / "tools" / "hey.csv", "--push", url, "--index", "i")
    assert server.requests[-1][2]["Authorization"] == "Basic " + base64.b64encode(b"perf:s@cret").decode()
    server.httpd.shutdown()
    server.httpd.server_close()
    done = results("import", "elasticsearch", url, "--index", "i", "--uuid", "u", exit=3)
    assert "s%40cret" not in done.err and "s@cret" not in done.err and "could not connect" in done.err.lower()


@pytest.mark.parametrize("why, args, said", [
    ("no index", ["export", "FILE", "--push", "http://127.0.0.1:1"], "--index is missing"),
    ("no URL", ["export", "FILE", "--push", "localhost", "--index", "i"], "localhost"),
    ("no uuid", ["import", "elasticsearch", "http://127.0.0.1:1", "--index", "i"], "--uuid is missing"),
    ("a path for an index", ["import", "elasticsearch", "http://127.0.0.1:1", "--index", "a/b", "--uuid", "u"], "not the name of an index"),
    ("an unknown form", ["export", "--format", "xls", "FILE"], "is no form"),
])
def test_wrong_usage(results, why, args, said):
    done = results(*[str(DATA / "tools" / "hey.csv") if word == "FILE" else word for word in args], exit=2)
    assert said in done.err, why
