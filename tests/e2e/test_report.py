# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML page: what it says, that it is one file, and that nothing from outside becomes markup."""
import html.parser
import json
import os
import re
import subprocess
import xml.dom.minidom

import pytest

EVIL = "<script>alert(1)</script>"


class Page(html.parser.HTMLParser):
    """Elements that matter, and the text of tables, as a browser without scripts has them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.elements, self.rows, self._cell, self._in = text, [], [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.rows[-1].append(self._cell.strip())
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def ids(self):
        return [a["id"] for _, a in self.elements if "id" in a]

    def documents(self):
        return json.loads(re.search(r'id="documents">(.*?)</script>', self.text, re.S)[1])


def run(plimsoll, *words, code=0, **options):
    done = subprocess.run([plimsoll, *map(str, words)], capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def measured(plimsoll, tmp_path_factory):
    """A folder with two documents: all ok, and one with failures and markup wherever users may write."""
    from lib.serve_http import Server

    folder = tmp_path_factory.mktemp("measured")
    server = Server(plimsoll, "--threads", "1")
    run(plimsoll, "load", "-c", 2, "-n", 400, "--no-store", "--name", "good", "--slo", "p99<30s", "--json", folder / "good.json",
        "--html", folder / "good.html", "-H", "Authorization: Bearer hush-hush", server.url("/bytes/100"))
    run(plimsoll, "load", "-c", 2, "-n", 400, "--no-store", "--name", f"bad {EVIL}", "--label", f"team={EVIL}", "--max-errors", "100%",
        "--json", folder / "bad.json", "-H", f"X-Evil: {EVIL}", server.url("/bytes/100?q=%3Cscript%3E"), server.url(f"/status/503?q={EVIL}"))
    server.stop()
    return folder


# Markup, ends of what they may stand in, a line turned around, a NUL, commands of a terminal.
HOSTILE = EVIL + "</script>]]>--><img src=x onerror=alert(1)>\"'&\u202eevil\u2066\u200b\0\x1b[31m\x9b|\n"
WORDS_OF_OURS = {"format", "kind", "id", "run", "started", "hdr", "unit", "share"}


def hostile(value, key=None):
    """Every text that is not one of our own words; names of members that others choose are texts, too."""
    if key in ("hostname", "kernel", "cpu", "tool_version"):  # of a fixed length
        return EVIL + "\u202e"
    if isinstance(value, dict):
        named = key in ("labels", "cell", "watch", "metrics")
        return {(f"{k} {HOSTILE}" if named else k): v if k in WORDS_OF_OURS else hostile(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v, key) for v in value]
    return value if not isinstance(value, str) or key in WORDS_OF_OURS | {"config"} else (value[:40] + HOSTILE)[:120]


def hidden(text):
    return sorted({hex(ord(c)) for c in text if c in "\u202e\u2066\u200b\x9b\x1b\0"})


def report(plimsoll, folder, *words):
    run(plimsoll, "report", "--no-store", *words, "-o", folder / "page.html")
    return Page((folder / "page.html").read_text(encoding="utf-8"))


def test_the_page_of_load(measured):
    page = Page((measured / "good.html").read_text(encoding="utf-8"))
    assert "all 400 requests ok" in page.text and "Promises kept" in page.text
    assert {"verdict", "headline", "about"} <= set(page.ids())
    document = json.loads((measured / "good.json").read_text())
    assert page.documents() == [document]
    assert "hush-hush" not in page.text


def test_one_file_without_a_network(plimsoll, measured):
    page = report(plimsoll, measured, measured / "good.json", measured / "bad.json")
    for tag, attributes in page.elements:
        for name in ("src", "href", "action", "data"):
            value = attributes.get(name) or ""
            assert not value or value.startswith(("#", "data:")), (tag, value)
        assert tag not in ("link", "iframe", "object") or attributes.get("href") == "data:,"
    assert "@import" not in page.text and "url(http" not in page.text


def test_texts_from_outside_stay_texts(plimsoll, measured):
    page = report(plimsoll, measured, measured / "bad.json", "--title", EVIL)
    plain = report(plimsoll, measured, measured / "good.json")
    assert [t for t, _ in page.elements].count("script") == [t for t, _ in plain.elements].count("script")
    assert "<script>alert" not in page.text
    assert any(EVIL in cell for row in page.rows for cell in row)
    assert page.documents()[0]["name"] == f"bad {EVIL}"


def test_hostile_texts_everywhere(plimsoll, measured, tmp_path):
    """In every place where a document has a text: it is shown as text, what can not be seen is written out, and the page is whole."""
    document = json.loads((measured / "bad.json").read_text())
    document["labels"] = {"team": HOSTILE}
    document["watch"] = {"gw": {"spec": "pid:1", "capacity_cores": 1, "readings": 1, "missed": 0, "cpu_cores": {"mean": 1, "max": 1, "series": [1]}}}
    evil = dict(hostile(document), name="N" * 70_000 + HOSTILE)
    evil["labels"]["big"] = "L" * 1_000_000
    assert sum(1 for _ in re.finditer(re.escape(json.dumps(EVIL)[1:-1]), json.dumps(evil))) > 20
    (tmp_path / "evil.json").write_text(json.dumps(evil))
    plain = report(plimsoll, measured, measured / "bad.json", measured / "good.json")
    page = report(plimsoll, measured, tmp_path / "evil.json", measured / "good.json")
    assert [t for t, _ in page.elements].count("script") == [t for t, _ in plain.elements].count("script")
    assert "img" not in [t for t, _ in page.elements] and "onerror" not in {name for _, attributes in page.elements for name in attributes}
    assert hidden(page.text[:page.text.index('id="documents"')]) == []
    assert hidden(re.search(r'id="figures">(.*?)</script>', page.text, re.S)[1]) == []
    assert json.loads(re.search(r'id="figures">(.*?)</script>', page.text, re.S)[1])
    assert any(EVIL in cell and "[U+202E]evil[U+2066][U+200B]" in cell for row in page.rows for cell in row)
    assert "LLL ... (1,000,004 bytes in all)" in page.text, "with its name"
    picture = run(plimsoll, "report", tmp_path / "evil.json", "--format", "svg", "-o", "-").stdout
    assert hidden(picture) == []
    xml.dom.minidom.parseString(picture)


def test_hostile_texts_in_what_a_terminal_shows(plimsoll, measured, tmp_path):
    environment = {"PLIMSOLL_DB": str(tmp_path / "r.db"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    document = json.loads((measured / "bad.json").read_text())
    for number in range(2):
        evil = hostile(dict(document, id=f"00000000-0000-4000-8000-{number:012}", labels={"team": HOSTILE}))
        (tmp_path / f"{number}.json").write_text(json.dumps(evil))
        run(plimsoll, "results", "import", tmp_path / f"{number}.json", "--label", f"more={HOSTILE[:30]}", env=environment)
    stored, two = "00000000-0000-4000-8000-000000000000", [tmp_path / "0.json", tmp_path / "1.json"]
    for words in (["results", "list"], ["results", "show", stored], ["results", "export", stored, "--format", "markdown"],
                  ["results", "export", stored, "--format", "junit"], ["compare", *two], ["compare", *two, "--format", "markdown"],
                  ["compare", *two, "--format", "junit"]):
        done = run(plimsoll, *words, env=environment)
        assert hidden(done.stdout + done.stderr) == [], words
        assert "<script>" not in done.stdout or "markdown" not in words


def test_a_refusal_quotes_nothing_that_commands_a_terminal(plimsoll, measured, tmp_path):
    document = json.loads((measured / "bad.json").read_text())
    document["errors"][0]["kind"] = "tired\x1b]0;owned\x07\u202e\x9b"
    (tmp_path / "tired.json").write_text(json.dumps(document))
    said = run(plimsoll, "report", tmp_path / "tired.json", code=2).stderr
    assert '"tired?]0;owned?[U+202E][U+009B]" is not a kind of failure' in said and hidden(said) == []


def test_ids_are_unique(plimsoll, measured):
    ids = report(plimsoll, measured, measured / "good.json", measured / "bad.json").ids()
    assert len(ids) == len(set(ids))


def test_names_of_runs(plimsoll, measured):
    page = report(plimsoll, measured, measured / "good.json", measured / "bad.json", "--alias", "v1,v2")
    names = [row[0] for row in page.rows if row]
    headline = page.text[page.text.index('<section id="headline"'):page.text.index('<section id="comparison"')]
    assert "v1" in names and "v2" in names and ">v1</th>" in headline and ">good</th>" not in headline


def test_standard_output_and_mistakes(plimsoll, measured):
    done = run(plimsoll, "report", measured / "good.json", "-o", "-")
    assert done.stdout.startswith("<!DOCTYPE html>") and done.stdout.rstrip().endswith("</html>")
    assert "did you mean html?" in run(plimsoll, "report", measured / "good.json", "--format", "htm", code=2).stderr
    assert "no run was given" in run(plimsoll, "report", code=2).stderr
    assert "3 names" not in run(plimsoll, "report", measured / "good.json", "--alias", "a,b", code=2).stdout
    missing = run(plimsoll, "report", measured / "none.json", "-o", measured / "never.html", code=2)
    assert "none.json" in missing.stderr and not (measured / "never.html").exists()
    run(plimsoll, "report", measured / "good.json", "-o", measured / "no" / "such" / "folder.html", code=3)
    before = (measured / "good.json").read_bytes()
    os.link(measured / "good.json", measured / "same.json")
    assert "is one of the runs" in run(plimsoll, "report", measured / "good.json", "-o", measured / "same.json", code=2).stderr
    assert (measured / "good.json").read_bytes() == before
    (measured / "suite.json").write_text('{"format": "plimsoll-run", "version": 1}')
    assert "not a result" in run(plimsoll, "report", measured / "suite.json", code=2).stderr


def test_a_long_name_is_no_end_of_a_report(plimsoll, tmp_path):
    """100 kB, not far from the longest word that a command line can have."""
    made = run(plimsoll, "rounds", "--no-store", "-c", "1", "--json", tmp_path / "r.json", "--name", "N" * 100_000, "--", "true", "x" * 100_000)
    assert "makespan" in made.stdout
    run(plimsoll, "report", tmp_path / "r.json", "-o", tmp_path / "r.html")
    run(plimsoll, "report", tmp_path / "r.json", "--format", "svg", "-o", tmp_path / "r.svg")


@pytest.fixture(scope="module")
def limit(plimsoll, tmp_path_factory):
    """A folder with a limit's document and the page that limit wrote itself; ten connections of 20 ms each carry 500/s at most."""
    from lib.serve_http import Server

    folder = tmp_path_factory.mktemp("limit")
    server = Server(plimsoll, "--threads", "1")
    words = ["limit", "--slo", "p99<5s,errors<1%", "-c", 10, "--from", 100, "--to", 1600, "--step-time", "300ms", "--precision", "30%", "--confirm", 1,
             "-H", "Authorization: Bearer hush-hush", "--json", folder / "limit.json", "--html", folder / "limit.html", server.url("/delay/20")]
    done = subprocess.run([plimsoll, *map(str, words)], capture_output=True, timeout=120)
    server.stop()
    assert done.returncode in (0, 1), done  # on a machine that stands still no rate may be met: the page then says so
    return folder


def figure(text):
    return float(text.replace(",", ""))


def test_the_page_of_a_limit(plimsoll, limit):
    document = json.loads((limit / "limit.json").read_text())
    page = Page((limit / "limit.html").read_text(encoding="utf-8"))
    assert page.documents() == [document] and "hush-hush" not in page.text
    assert {"verdict", "limit", "about"} <= set(page.ids()) and "headline" not in page.ids()
    assert ("Safe:" in page.text) and ("p99&lt;5s,errors&lt;1%" in page.text) and document["host"]["kernel"] in page.text
    assert document["command"][:2] == ["plimsoll", "limit"] and "plimsoll limit --slo" in page.text
    levels = [figure(row[0]) for row in page.rows if len(row) == 10 and row[0][:1].isdigit()]
    assert levels == pytest.approx(sorted(trial["level"] for trial in document["trials"]), rel=0.01)
    kept = [row[9].startswith("kept") for row in page.rows if len(row) == 10 and row[0][:1].isdigit()]
    assert sorted(kept) == sorted(trial["kept"] for trial in document["trials"])
    assert report(plimsoll, limit, limit / "limit.json").documents() == [document]


def test_limits_side_by_side_and_beside_runs(plimsoll, limit, measured):
    page = report(plimsoll, limit, limit / "limit.json", measured / "good.json", limit / "limit.json", "--alias", "before,good,after")
    assert {"verdict", "limit", "headline", "about"} <= set(page.ids())
    assert {"before", "after"} <= {row[0] for row in page.rows if row}
    assert len(page.documents()) == 3
    piped = subprocess.run([plimsoll, "report", "-", "-o", "-"], stdin=open(limit / "limit.json", "rb"), capture_output=True, timeout=60)
    assert piped.returncode == 0 and b'<section id="limit"' in piped.stdout
    assert "not a result" in run(plimsoll, "compare", limit / "limit.json", measured / "good.json", code=2).stderr, "it is no run"
    assert "contradict" in run(plimsoll, "limit", "--slo", "p99<1s", "--from", 1, "--share", "1/2", "--json", "{round}-{share}", "--html", "x.html",
                               "http://127.0.0.1:1/", code=2).stderr


def test_errors_of_each_second_by_kind(plimsoll, measured):
    """A document of before kinds were kept by second has its failures, too; together they are what failed."""
    document = json.loads((measured / "bad.json").read_text())
    second = dict(document["intervals"][0], started=15, ok=5, failed=10, length_s=1.0)
    document["intervals"] = [dict(second, t_s=float(t)) for t in range(3)]
    document["intervals"][0]["errors"] = {"status": 10}
    document["intervals"][1]["errors"] = {"status": 7, "timeout": 3}
    document["intervals"][2].pop("errors")
    (measured / "kinds.json").write_text(json.dumps(dict(document, valid=False)))
    page = report(plimsoll, measured, measured / "kinds.json")
    heads = next(row for row in page.rows if row and row[-1] == "kind not kept/s")
    assert heads[-3:] == ["timeout/s", "status/s", "kind not kept/s"]
    rows = [row for row in page.rows if len(row) == len(heads) and row[0].endswith(" s")]
    assert [figure(row[3]) for row in rows] == [10, 10, 10]
    assert [sum(figure(cell) for cell in row[-3:]) for row in rows] == [10, 10, 10]
    assert 'data-chart="errors"' in page.text


def test_behind_each_cell_of_a_suite(plimsoll, measured):
    """Its samples together: phases, what failed with an example, and whether the generator was the limit."""
    folder = measured / "cells"
    folder.mkdir()
    document = json.loads((measured / "bad.json").read_text())
    failed = document["totals"]["failed"]
    assert failed > 0
    for number in range(4):
        document.update(id=f"00000000-0000-4000-8000-{number:012}", run="11111111-0000-4000-8000-000000000000", sample=number % 2, valid=True, reasons=[],
                        cell={"way": "ab"[number // 2]})
        document["generator"].update(limited=number == 3, reasons=["worker 0 used 99 % of its CPU"] if number == 3 else [])
        (folder / f"{number}.json").write_text(json.dumps(document))
    page = report(plimsoll, measured, folder)
    cells = re.split(r'<details class="cell"', page.text[:page.text.index('<section id="about"')])[1:]
    assert len(cells) == 2
    for cell in cells:
        rows = Page(cell).rows
        assert {"latency", "service time", "connect", "wait"} <= {row[0] for row in rows if row}
        wait = next(row for row in rows if row and row[0] == "wait")
        assert figure(wait[1]) == 2 * document["totals"]["ok"]
        counts = [figure(row[2]) for row in rows if len(row) == 6 and row[0] == "status"]
        assert sum(counts) == 2 * failed
        assert "The first status, status 503" in cell and "HTTP/1.1 503" in cell
    limited = [row[0] for row in page.rows if len(row) == 6 and (row[0].startswith("yes, in") or row[0] == "no sign of it")]
    assert limited == ["no sign of it", "yes, in 1 of 2 samples"] and "worker 0 used 99 %" in cells[1]


def test_parts_of_a_merged_result(plimsoll, tmp_path):
    from lib.serve_http import Server

    server = Server(plimsoll, "--threads", "1")
    for number in (1, 2):
        run(plimsoll, "load", "-c", 2, "-n", 40, "--share", f"{number}/2", "--no-store", "--json", tmp_path / f"{number}.json", server.url("/bytes/10"))
    server.stop()
    merged = subprocess.run([plimsoll, "results", "merge", tmp_path / "1.json", tmp_path / "2.json", "-o", tmp_path / "m.json"], capture_output=True, timeout=60)
    assert merged.returncode in (0, 3), merged  # a slow machine may be the limit
    page = report(plimsoll, tmp_path, tmp_path / "m.json")
    rows = {row[0]: row for row in page.rows if row and row[0] in ("1/2", "2/2") and len(row) == 12}
    documents = [json.loads((tmp_path / f"{n}.json").read_text()) for n in (1, 2)]
    assert [figure(rows[f"{n}/2"][5]) for n in (1, 2)] == [d["totals"]["ok"] for d in documents]
    assert "--share 1/2" in page.text and "--share 2/2" in page.text


def test_a_suite_and_its_baseline(plimsoll, tmp_path):
    environment = {"PLIMSOLL_DB": str(tmp_path / "r.db"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    (tmp_path / "s.yaml").write_text("""
name: tiny
matrix:
  size: [1, 2]
  way: [x, y]
samples: 2
command: "true"
baseline: first
""")
    run(plimsoll, "run", tmp_path / "s.yaml", "--html", tmp_path / "one.html", env=environment)
    one = Page((tmp_path / "one.html").read_text())
    assert "all 8 samples" in one.text
    run(plimsoll, "results", "tag", "tiny@latest", "first", env=environment)
    run(plimsoll, "run", tmp_path / "s.yaml", "--html", tmp_path / "two.html", env=environment)
    two = Page((tmp_path / "two.html").read_text())
    assert two.text.count("all 8 samples") == 2 and "first" in two.text
    labels = {row[0] for row in two.rows if row}
    assert {"1/x", "1/y", "2/x", "2/y"} <= labels
