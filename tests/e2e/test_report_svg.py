# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for a README or a wiki: XML that holds, figures that are the document's, nothing from outside as markup."""
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from lib.serve_http import Server
from lib.target import ROOT

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert(1)</script>&\u0007"


def run(plimsoll, *words, code=0):
    done = subprocess.run([plimsoll, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def measured(plimsoll, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    server = Server(plimsoll, "--threads", "1")
    run(plimsoll, "load", "-c", 2, "-n", 500, "--no-store", "--name", "good", "--slo", "p99<30s", "--json", folder / "good.json", server.url("/bytes/10"))
    run(plimsoll, "load", "-c", 2, "-n", 40, "--no-store", "--name", EVIL.replace("\a", ""), "--max-errors", "100%", "--json", folder / "evil.json",
        server.url("/bytes/10"), server.url("/status/503"))
    server.stop()
    run(plimsoll, "rounds", "-c", "1,2,4", "--no-store", "--max-errors", "100%", "--json", folder / "rounds.json", "--shell", "--", "sleep 0.0{i}; [ {i} != 4 ]")
    return folder


def picture(plimsoll, measured, plot, *names):
    done = run(plimsoll, "report", *(measured / n for n in names), "--format", "svg", "--plot", plot, "-o", "-")
    assert "<script" not in done.stdout and "href" not in done.stdout and "url(" not in done.stdout
    return ElementTree.fromstring(done.stdout), done.stdout


def words(root):
    return [e.text or "" for e in root.iter(SVG + "text")]


def test_a_curve_per_run_with_its_figures_in_words(plimsoll, measured):
    root, text = picture(plimsoll, measured, "percentiles", "good.json", "evil.json")
    assert root.get("role") == "img" and root.find(SVG + "title").text == "Latency by percentile"
    documents = [json.loads((measured / n).read_text()) for n in ("good.json", "evil.json")]
    for document in documents:
        assert f": {document['latency']['count']:,} ok requests, p50 " in root.find(SVG + "desc").text
    assert any("script" in w for w in words(root)) and "promised: p99<30s" in words(root)
    assert "prefers-color-scheme:dark" in text
    # 500 values reach 99.8 %, and the axis goes no further.
    assert "99 %" in words(root) and "99.9 %" not in words(root)


def test_second_by_second_with_failures(plimsoll, measured):
    root, _ = picture(plimsoll, measured, "time", "evil.json")
    assert "failed requests a second" in words(root) and "latency of ok requests" in words(root)
    root, _ = picture(plimsoll, measured, "time", "good.json")
    assert "failed requests a second" not in words(root)


def curves(text, number):
    """Lines in the colour of the series: in panels, not in the legend (two points, short)."""
    return [d for d in re.findall(rf'<path class="s{number}" d="([^"]*)"', text) if not re.fullmatch(r"M(\S+) (\S+)L\S+ \2", d.strip())]


def test_a_line_for_each_sample(plimsoll, measured):
    """Two samples of one run have its colour; a second run has the next."""
    folder = measured / "samples"
    folder.mkdir()
    document = json.loads((measured / "evil.json").read_text())
    first, *_ = document["intervals"]
    first.update(length_s=1.0, started=document["totals"]["started"], ok=document["totals"]["ok"], failed=document["totals"]["failed"])
    first.pop("errors", None)
    idle = dict(first, started=0, ok=0, failed=0)
    for number in range(3):
        document.update(id=f"00000000-0000-4000-8000-{number:012}", name="ab"[number // 2], intervals=[dict(idle if t else first, t_s=float(t)) for t in range(4)])
        (folder / f"{number}.json").write_text(json.dumps(document))
    (folder / "a").mkdir()
    for number in range(2):
        (folder / f"{number}.json").rename(folder / "a" / f"{number}.json")
    root, text = picture(plimsoll, folder, "time", "a", "2.json")
    assert {"a", "b", "maximum of each second", "failed requests a second"} <= set(words(root))
    panels = 3
    assert len(curves(text, 0)) == 2 * panels and len(curves(text, 1)) == panels and not curves(text, 2)
    assert root.find(SVG + "desc").text.count("ok replies a second on average") == 3


def test_samples_of_rounds_are_drawn_together(plimsoll, measured):
    root, text = picture(plimsoll, measured, "rounds", "rounds.json", "rounds.json")
    assert text.count('"f0 faint"') == 6 and text.count('"f1 faint"') == 6 and text.count('"badline"') == 2
    folder = measured / "pushes"
    folder.mkdir()
    document = json.loads((measured / "rounds.json").read_text())
    for number in range(3):
        (folder / f"{number}.json").write_text(json.dumps(dict(document, id=f"00000000-0000-4000-8000-{number:012}")))
    root, text = picture(plimsoll, measured, "rounds", "pushes")
    assert text.count('"f0 faint"') == 3 * 6 and '"f1 faint"' not in text and "3 samples together" in words(root)
    assert "9 rounds of 1 to 4 copies at once, 3 copies failed." in root.find(SVG + "desc").text


def test_a_limit(plimsoll, measured):
    trials = [{"level": level, "stage": "expand", "kept": level <= 400, "broke": None if level <= 400 else "p99<50ms (90 ms)", "p50": level / 1e5,
               "p99": level / 8e3, "requests_per_s": min(level, 410), "started": 9, "ok": 9} for level in (100, 200, 400, 410, 800)]
    (measured / "limit.json").write_text(json.dumps({"format": "plimsoll-limit", "version": 1, "url": f"http://a.test/{EVIL}", "promise": "p99<50ms,errors<1%",
                                                     "of": "rate", "safe": 400, "broken": 410, "confirmed": True, "trials": trials}))
    root, text = picture(plimsoll, measured, "limit", "limit.json")
    assert {"safe", "broke", "promised: p99<50ms", "requests a second asked for"} <= set(words(root))
    assert text.count('"badline"') == 2 * 3, "two trials broke the promise, in three curves"
    assert "Safe: 400.0/s; the limit lies between it and 410.0/s. Broke first: at 410.0/s" in root.find(SVG + "desc").text
    out = run(plimsoll, "report", measured / "limit.json", "--format", "svg", "-o", "-").stdout
    assert ElementTree.fromstring(out).find(SVG + "title").text == "The limit", "without --plot what fits"
    root, text = picture(plimsoll, measured, "limit", "limit.json", "limit.json")
    assert root.find(SVG + "title").text == "Limits" and curves(text, 0) and curves(text, 1) and "safe" not in words(root)


def test_rounds_show_copies_and_failures(plimsoll, measured):
    root, text = picture(plimsoll, measured, "rounds", "rounds.json")
    assert text.count('"f0 faint"') == 6 and text.count('"badline"') == 1
    assert "3 rounds of 1 to 4 copies at once, 1 copies failed." in root.find(SVG + "desc").text


def test_cells_and_what_changed_in_them(plimsoll, measured):
    root, _ = picture(plimsoll, measured, "matrix", "rounds.json")
    assert {"1", "2", "4", "concurrency"} <= set(words(root))
    root, _ = picture(plimsoll, measured, "matrix", "rounds.json", "rounds.json")
    assert root.find(SVG + "title").text.startswith("Change of ")


def test_without_a_plot_what_fits(plimsoll, measured):
    for name, title in (("good.json", "Latency by percentile"), ("rounds.json", "Rounds")):
        out = run(plimsoll, "report", measured / name, "--format", "svg", "-o", "-").stdout
        assert ElementTree.fromstring(out).find(SVG + "title").text == title


def test_the_same_bytes_for_the_same_document(plimsoll, measured):
    assert picture(plimsoll, measured, "percentiles", "good.json")[1] == picture(plimsoll, measured, "percentiles", "good.json")[1]


@pytest.mark.parametrize("plot, names, says", [
    ("rounds", ["good.json"], "has no rounds"),
    ("time", ["good.json", "rounds.json"], "has no figures second by second"),
    ("limit", ["good.json"], "none of these is the document of a limit"),
    ("matrix", ["good.json"] * 3, "not 3"),
    ("percentiles", ["rounds.json"], "none of the runs has a distribution"),
    ("pie", ["good.json"], "is no picture"),
])
def test_what_there_is_no_picture_of(plimsoll, measured, plot, names, says):
    done = run(plimsoll, "report", *(measured / n for n in names), "--format", "svg", "--plot", plot, "-o", "-", code=2)
    assert says in done.stderr and not done.stdout


def test_a_page_has_all_plots(plimsoll, measured):
    assert "--format svg" in run(plimsoll, "report", measured / "good.json", "--plot", "time", code=2).stderr


def test_no_attribute_is_a_colour(plimsoll, measured):
    """They would not follow light and dark."""
    for plot, name in (("percentiles", "good.json"), ("time", "evil.json"), ("rounds", "rounds.json"), ("matrix", "rounds.json")):
        assert not re.search(r' (?:fill|stroke)="', picture(plimsoll, measured, plot, name)[1])


def test_the_picture_of_the_readme_is_what_the_program_draws(plimsoll):
    folder = os.path.join(ROOT, "docs", "pictures")
    drawn = run(plimsoll, "report", os.path.join(folder, "easy.json"), os.path.join(folder, "nearly.json"), "--format", "svg", "--plot", "percentiles",
                "-o", "-").stdout
    with open(os.path.join(folder, "percentiles.svg"), encoding="utf-8") as f:
        assert drawn == f.read(), "plimsoll report docs/pictures/easy.json docs/pictures/nearly.json --format svg -o docs/pictures/percentiles.svg"
