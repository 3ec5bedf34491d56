# SPDX-License-Identifier: GPL-3.0-or-later
"""README's figures are those of docs/benchmarks.md, and a difference is found."""
import importlib.util
import os
import subprocess
import sys

import pytest
from test_scripts import ROOT

SCRIPT = os.path.join(ROOT, "bench", "readme.py")
spec = importlib.util.spec_from_file_location("readme", SCRIPT)
readme = importlib.util.module_from_spec(spec)
spec.loader.exec_module(readme)


def texts():
    return [open(path, encoding="utf-8").read() for path in (readme.README, readme.PAGE)]


def test_readme_has_the_figures_of_the_page():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("row", [row for row, _, _ in readme.ROWS])
def test_another_figure_is_found_and_put_right(row):
    text, page = texts()
    line = next(line for line in text.splitlines() if line.startswith(f"| {row} |"))
    others = line.split("|")
    others[2] = " 12,345 "
    wrong = text.replace(line, "|".join(others))
    assert readme.right(wrong, page) == text
    assert len(readme.differences(wrong, text)) == 1


@pytest.mark.parametrize("text, column, wanted", [
    ("15.14", "µs/request", "15.1 µs"), ("177.02", "µs/request", "177 µs"), ("9.876", "µs/request", "9.88 µs"), ("2,388", "instructions/request", "2,388"),
])
def test_three_digits(text, column, wanted):
    assert readme.shown(text, column) == wanted
