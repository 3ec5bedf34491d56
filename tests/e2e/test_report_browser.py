# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML page in a real browser: charts are drawn, nothing is complained of, everybody can use it."""
import html
import json
import os
import re
import subprocess

import pytest

from lib import npm
from lib.browser import Browser
from lib.serve_http import Server

EVIL = "<script>document.title='taken'</script>"
# What the page is asked for when it has come to rest: charts with something drawn in them, and axe's findings.
PROBE = """
<script>%s</script>
<script>
window.addEventListener('load', async () => {
    const charts = [...document.querySelectorAll('figure.chart')].filter((f) => !f.hidden && f.querySelector('.plot').clientWidth > 0);
    const found = await axe.run(document, {resultTypes: ['violations']});
    const sorter = document.querySelector('thead th button'), out = document.createElement('pre'), theme = [];
    const sorted = [1, 2].map(() => {
        sorter && sorter.click();
        return sorter && sorter.parentElement.getAttribute('aria-sort');
    });
    for (let i = 0; i < 2; i++) {
        document.querySelector('#tools button').click();
        theme.push(document.documentElement.dataset.theme);
    }
    out.id = 'probe';
    out.textContent = JSON.stringify({
        title: document.title, sorted, theme,
        charts: charts.map((f) => [f.dataset.chart, f.querySelectorAll('svg path, svg text').length]),
        violations: found.violations.map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))]),
    });
    document.body.appendChild(out);
});
</script></body>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    return Browser(tmp_path_factory.mktemp("profile"))


@pytest.fixture(scope="module")
def pages(plimsoll, tmp_path_factory):
    """Pages of each kind, by name."""
    folder = tmp_path_factory.mktemp("pages")

    def run(*words, codes=(0, 3)):  # a machine that stands still may make a run invalid: the page then says so
        done = subprocess.run([plimsoll, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=folder,
                              env={"PLIMSOLL_DB": str(folder / "r.db"), "PATH": "/usr/bin:/bin", "HOME": str(folder)})
        assert done.returncode in codes, done.stdout + done.stderr

    server = Server(plimsoll, "--threads", "1")
    run("load", "-c", 4, "--rate", 300, "-d", "4s", "--warmup", "500ms", "--name", "base", "--slo", "p99<30s", "--json", "base.json",
        server.url("/bytes/100"))
    run("load", "-c", 4, "--stages", "100/s:2s,400/s:2s", "--name", f"new {EVIL}", "--label", f"team={EVIL}", "--max-errors", "100%",
        "-H", f"X-Evil: {EVIL}", "--json", "new.json", server.url("/bytes/900"), server.url(f"/status/503?q={EVIL}"))
    (folder / "s.yaml").write_text(f"""
name: tiny
matrix:
  size: [1, 1000]
  connections: [1, 3]
samples: 2
load: {{url: "{server.url('/bytes/{size}')}", connections: "{{connections}}", duration: 400ms}}
""")
    for _ in range(2):
        run("run", "s.yaml")
    run("limit", "--slo", "p99<5s,errors<1%", "-c", 10, "--from", 100, "--to", 1600, "--step-time", "300ms", "--precision", "30%", "--confirm", 1,
        "--json", "limit.json", server.url("/delay/20"), codes=(0, 1))
    server.stop()
    run("rounds", "--concurrency", "1,2,4", "--samples", 2, "--max-errors", "100%", "--json", "rounds.json", "--", "sh", "-c", "sleep 0.0{i}; test {i} != 3")
    run("report", "base.json", "-o", "one.html", codes=(0,))
    run("report", "base.json", "new.json", "-o", "two.html", codes=(0,))
    run("report", "tiny@-2", "tiny@latest", "-o", "suite.html", codes=(0,))
    run("report", "rounds.json", "-o", "rounds.html", codes=(0,))
    run("report", "limit.json", "limit.json", "base.json", "-o", "limit.html", codes=(0,))
    return folder


@pytest.fixture(scope="module")
def probe(browser, pages):
    """probe(page, option…): what PROBE saw; a page is asked once for each set of options."""
    axe = open(os.path.join(npm.install("page"), "axe-core", "axe.min.js"), encoding="utf-8").read()
    known = {}

    def ask(name, *options):
        if (name, options) not in known:
            text = (pages / name).read_text(encoding="utf-8")
            page = pages / f"probed-{name}"
            page.write_text(text[:text.rindex("</body>")] + PROBE % axe + "</html>", encoding="utf-8")
            dom = browser.dom(page.as_uri(), *options, budget_ms=60000)
            seen = json.loads(html.unescape(re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1]))
            known[name, options] = dict(seen, console=browser.console)
        return known[name, options]

    return ask


def needs_charts(pages):
    if "build without charts" in (pages / "one.html").read_text(encoding="utf-8"):
        pytest.skip("this build has no charts")


CHARTS = {
    "one.html": {"percentiles", "rate", "latency-time", "heat", "phases"},
    "two.html": {"percentiles", "rate", "latency-time", "errors", "heat", "rate-latency", "phases", "targets"},
    "suite.html": {"forest"},
    "limit.html": {"limit-latency", "limit-rate"},
    "rounds.html": {"durations", "scaling", "gantt", "completion"},
}


@pytest.mark.parametrize("page", CHARTS)
def test_charts_are_drawn(pages, probe, page):
    needs_charts(pages)
    seen = probe(page)
    drawn = {kind for kind, shapes in seen["charts"] if shapes > 5}
    assert CHARTS[page] <= drawn, seen["charts"]
    assert seen["console"] == []


@pytest.mark.parametrize("page", CHARTS)
def test_everybody_can_use_it(probe, page):
    """axe-core finds nothing that is serious or critical."""
    found = [v for v in probe(page)["violations"] if v[0] in ("serious", "critical")]
    assert found == []


@pytest.mark.parametrize("page", ["two.html", "suite.html"])
def test_in_the_dark(pages, probe, page):
    seen = probe(page, "--blink-settings=preferredColorScheme=0")
    assert [v for v in seen["violations"] if v[0] in ("serious", "critical")] == []
    assert seen["console"] == []


def test_columns_sort_and_the_theme_changes(probe):
    assert probe("suite.html")["sorted"] == ["ascending", "descending"]
    assert probe("suite.html")["theme"] == ["dark", "light"]


def test_markup_from_outside_does_nothing(probe):
    assert probe("two.html")["title"] == f"base, new {EVIL} - Plimsoll"


WITHOUT = """<!DOCTYPE html><title>frame</title><iframe sandbox="allow-same-origin" src="%s" style="width:1200px;height:900px"></iframe>
<script>
window.addEventListener('load', () => {
    const page = document.querySelector('iframe').contentDocument, out = document.createElement('pre');
    out.id = 'probe';
    out.textContent = JSON.stringify({
        tables: [...page.querySelectorAll('table')].filter((t) => t.offsetHeight > 0).length,
        sections: [...page.querySelectorAll('section')].map((s) => s.id),
        note: [...page.querySelectorAll('noscript')].map((n) => n.textContent).join(''),
        charts: [...page.querySelectorAll('figure')].filter((f) => f.offsetHeight > 0).length,
        buttons: page.querySelectorAll('button').length,
    });
    document.body.appendChild(out);
});
</script>"""


def test_without_scripts(browser, pages):
    """In a frame that may not run any: tables are there, empty charts are not."""
    (pages / "frame.html").write_text(WITHOUT % "two.html")
    dom = browser.dom((pages / "frame.html").as_uri(), "--allow-file-access-from-files")
    seen = json.loads(html.unescape(re.search(r'<pre id="probe">(.*?)</pre>', dom, re.S)[1]))
    assert "Without scripts there are no charts" in seen["note"]
    assert {"verdict", "headline", "comparison", "percentiles", "time", "errors", "client", "about"} <= set(seen["sections"])
    assert seen["tables"] > 10 and seen["charts"] == 0 and seen["buttons"] == 0


def test_a_hundred_cells_are_below_two_megabytes(plimsoll, pages):
    """With documents that are too many to be whole in the page, each with failures and their examples."""
    document = json.loads((pages / "base.json").read_text())
    measured = document["intervals"]
    document["intervals"] = [dict(measured[i], t_s=float(i)) if i < len(measured) else dict(measured[0], t_s=float(i), started=0, ok=0, failed=0)
                             for i in range(30)]
    document["intervals"][0].update(started=measured[0]["started"] + 8, failed=8, errors={"status": 8})
    errors = [{"kind": "status", "detail": f"status {500 + k}", "count": 1, "first": "HTTP/1.1 " + "x" * 2000, "first_at_s": 0, "last_at_s": 1}
              for k in range(8)]
    for part in (document, document["targets"][0]):
        part["errors"] = errors
        part["totals"].update(started=part["totals"]["started"] + 8, failed=8)
    folder = pages / "hundred"
    folder.mkdir()
    for number in range(100):
        name = f"00000000-0000-4000-8000-{number:012}"
        document.update(id=name, run="11111111-0000-4000-8000-000000000000", sample=0,
                        cell={"termination": "abcde"[number // 20], "routes": str(number // 4 % 5), "keepalive": str(number % 4)})
        (folder / f"{number}.json").write_text(json.dumps(document))
    done = subprocess.run([plimsoll, "report", "--no-store", str(folder), "-o", str(pages / "hundred.html")], capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    assert (pages / "hundred.html").stat().st_size < 2_000_000
    text = (pages / "hundred.html").read_text()
    assert text.count('<details class="cell"') == 100 and text.count("status 500: 1, status 501: 1, ") == 100 and "HTTP/1.1 xxx" in text
    assert text.count(" and 2 more causes") == 100
    # Beside a baseline of as many cells and three samples each.
    twice = pages / "baseline"
    twice.mkdir()
    for number in range(300):
        document = json.loads((folder / f"{number % 100}.json").read_text())
        document.update(id=f"00000000-0000-4000-8001-{number:012}", run="22222222-0000-4000-8000-000000000000", sample=number // 100)
        (twice / f"{number}.json").write_text(json.dumps(document))
    done = subprocess.run([plimsoll, "report", "--no-store", str(twice), str(folder), "-o", str(pages / "both.html")], capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stderr
    assert (pages / "both.html").stat().st_size < 2_000_000
