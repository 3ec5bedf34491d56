# SPDX-License-Identifier: GPL-3.0-or-later
"""The worked example of docs/statistics.md: each of its numbers computed again, here by hand and by plimsoll compare."""
import copy
import json
import math
import os
import re
import statistics
import subprocess
import uuid

import pytest

from lib.target import ROOT


@pytest.fixture(scope="module")
def section():
    with open(os.path.join(ROOT, "docs", "statistics.md"), encoding="utf-8") as f:
        text = f.read().replace("\u2212", "-").replace("\u202f", " ")
    return text.split("## One cell, by hand")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def sides(section):
    found = re.search(r"Base gave ([\d, and]+) requests/s, new ([\d, and]+)\.", section)
    return [[float(n) for n in re.findall(r"\d+", side)] for side in found.groups()]


def share_beyond(t):
    """Of Student's t with 4 degrees of freedom, both tails: in closed form."""
    u = 1 + t * t / 4
    return 1 - 2 * (3 / 8 * t / math.sqrt(u) * (1 - t * t / u / 12))


def critical(share):
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if share_beyond(middle) > share else (low, middle)
    return low


@pytest.fixture(scope="module")
def computed(sides):
    logs = [[math.log(y) for y in side] for side in sides]
    n = len(logs[0])
    assert n == len(logs[1]) == 3
    difference = statistics.fmean(logs[1]) - statistics.fmean(logs[0])
    variance = (statistics.variance(logs[0]) + statistics.variance(logs[1])) / 2
    error = math.sqrt(variance * 2 / n)
    width = critical(0.05) * error
    return {"means": [statistics.fmean(side) for side in logs], "difference": difference, "change": math.expm1(difference), "variance": variance,
            "error": error, "t": abs(difference) / error, "p": share_beyond(abs(difference) / error),
            "interval": [math.expm1(difference - width), math.expm1(difference + width)]}


def number(pattern, section):
    found = re.search(pattern, section)
    assert found, pattern
    return [float(n.replace(" ", "")) for n in found.groups()]


def test_the_logarithms(section, computed):
    base, new, difference = number(r"logarithms are ([\d.]+) and ([\d.]+), the difference is (-[\d.]+)", section)
    assert [base, new] == [round(m, 4) for m in computed["means"]]
    assert difference == round(computed["difference"], 4)
    assert number(r"\*\*(-[\d.]+) %\*\*\.", section)[0] == round(100 * computed["change"], 1)


def test_the_noise(section, computed):
    variance, noise = number(r"variance ([\d.]+) \u00b7 10\u207b\u2074 \(a noise of ([\d.]+) %\)", section)
    assert variance == round(1e4 * computed["variance"], 2) and noise == round(100 * math.sqrt(computed["variance"]), 1)
    error, away = number(r"= ([\d.]+)\. The difference is ([\d.]+) errors away", section)
    assert error == round(computed["error"], 4) and away == round(computed["t"], 1)


def test_the_verdict(section, computed):
    assert number(r"by chance in ([\d.]+) % of all", section)[0] == round(100 * computed["p"], 1)
    low, high = number(r"\*\*(-[\d.]+) % \u2026 (-[\d.]+) %\*\*", section)
    assert [low, high] == [round(100 * v, 1) for v in computed["interval"]]
    assert "**regressed**" in section


def test_the_program_says_the_same(plimsoll, tmp_path, sides, computed):
    with open(os.path.join(ROOT, "docs", "pictures", "easy.json"), encoding="utf-8") as f:
        document = json.load(f)
    for side, values in zip(("base", "new"), sides):
        for i, value in enumerate(values):
            one = copy.deepcopy(document)
            one["id"] = str(uuid.uuid4())
            one["started"] = f"2026-03-01T00:{10 * (side == 'new') + i:02d}:00.000Z"
            one["totals"]["requests_per_s"] = value
            one["name"], one["labels"] = "", {}
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{i}.json").write_text(json.dumps(one))
    done = subprocess.run([plimsoll, "compare", "base", "new", "--same-session", "--no-store", "--metric", "requests_per_s", "--format", "json"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1, done
    cell, = json.loads(done.stdout)["cells"]
    assert cell["verdict"] == "regressed"
    assert cell["change"] == pytest.approx(computed["change"], rel=1e-6)
    assert cell["interval"] == pytest.approx(computed["interval"], rel=1e-6)
    assert cell["p_adjusted"] == pytest.approx(computed["p"], rel=1e-6)
