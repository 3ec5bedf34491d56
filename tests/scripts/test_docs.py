# SPDX-License-Identifier: GPL-3.0-or-later
"""What README, docs and manual pages show is so: links lead somewhere, command lines parse."""
import os
import re
import subprocess
import sys

import pytest
from test_scripts import ROOT, module

PROGRAM = os.environ.get("PLIMSOLL", os.path.join(ROOT, "build", "plimsoll"))
docs = module("check-docs")


def test_every_link_and_command_line():
    done = subprocess.run([sys.executable, os.path.join(ROOT, "scripts", "check-docs.py"), PROGRAM], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("why, text, commands", [
    ("a plain line", "plimsoll load -c 2 http://a/", [["load", "-c", "2", "http://a/"]]),
    ("with its path, in the background", "build/plimsoll serve --listen 127.0.0.1:1 &", [["serve", "--listen", "127.0.0.1:1"]]),
    ("two of them", "plimsoll doctor && plimsoll run a.yaml", [["doctor"], ["run", "a.yaml"]]),
    ("a pipe", "plimsoll results list --json | jq .", [["results", "list", "--json"]]),
    ("quotes", "plimsoll load --slo 'p99<50ms' http://a/", [["load", "--slo", "p99<50ms", "http://a/"]]),
    ("a message of the program", "plimsoll load: --rate: \"x\" is no number", []),
    ("a prompt", "$ plimsoll doctor", [["doctor"]]),
    ("a step of a CI file", "      - plimsoll doctor --ignore power", [["doctor", "--ignore", "power"]]),
    ("a remark", "plimsoll doctor   # what would spoil it", [["doctor"]]),
    ("not the command but a word", "ls plimsoll doctor", []),
])
def test_command_lines_are_found(why, text, commands):
    assert list(docs.plimsoll_commands(text)) == commands, why


@pytest.mark.parametrize("command", [
    ["load", "--rates", "5", "http://a/"], ["load", "-d", "5", "http://a/"], ["laod", "http://a/"], ["results", "lst"], ["ab", "-N", "1", "http://a/"],
    ["rounds", "--samples", "x", "--", "true"],
])
def test_wrong_command_lines_are_told(command):
    assert docs.judge(PROGRAM, command)


@pytest.mark.parametrize("link, told", [
    ("[a](docs/measuring.md)", False), ("[a](docs/nothing.md)", True), ("[a](docs/measuring.md#the-window)", False),
    ("[a](docs/measuring.md#the-door)", True), ("![a](docs/nothing.svg)", True), ("[a](https://example.com/)", False),
])
def test_links_that_lead_nowhere_are_told(link, told):
    assert bool(list(docs.check_links("README.md", link))) == told


def help_options(command):
    text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, timeout=20, check=True).stdout
    return {o for row in re.findall(r"^ {1,8}(-\S.*)$", text, re.M) for o in re.findall(r"(?<![\w-])--([a-z0-9][a-z0-9.-]*[a-z0-9])", re.split(r"\s{2,}", row)[0])}


def completion(name):
    with open(os.path.join(ROOT, "completions", name), encoding="utf-8") as f:
        return f.read()


@pytest.mark.parametrize("command", ["load", "limit", "compare", "doctor", "report", "results", "rounds", "run", "serve"])
def test_completions_know_every_option(command):
    """Also those of which nobody thought: what --help shows is asked of all three shells' files."""
    options = help_options(command)
    assert len(options) > 3
    bash, zsh, fish = completion("plimsoll.bash"), completion("_plimsoll"), completion("plimsoll.fish")
    of_zsh = re.search(rf"^_plimsoll_{command}\(\) {{(.*?)^}}", zsh, re.M | re.S).group(1)
    of_fish = "\n".join(line for line in fish.splitlines() if re.search(rf"seen_subcommand_from[^']*\b{command}\b", line))
    if command == "limit":  # takes load's too
        of_zsh += zsh
    assert not {o for o in options if not re.search(rf"--{re.escape(o)}(?![\w-])", bash)}, "bash"
    assert not {o for o in options if not re.search(rf"--{re.escape(o)}(?![\w-])", of_zsh)}, "zsh"
    assert not {o for o in options if not re.search(rf"-l {re.escape(o)}(?![\w-])", of_fish)}, "fish"
