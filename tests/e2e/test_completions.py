# SPDX-License-Identifier: GPL-3.0-or-later
"""Completions of shells know runs, tags, suites and checks: asked of the shells themselves."""
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from lib.target import ROOT

FOLDER = os.path.join(ROOT, "completions")


@pytest.fixture(scope="module")
def installed(plimsoll, tmp_path_factory):
    """The program laid out as installed, with runs in a store of its own; the environment to find both."""
    home = tmp_path_factory.mktemp("home")
    for folder in ("bin", "share/plimsoll", "work"):
        (home / folder).mkdir(parents=True)
    shutil.copy(plimsoll, home / "bin" / "plimsoll")
    shutil.copytree(os.path.join(ROOT, "suites"), home / "share" / "plimsoll" / "suites")
    environment = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "HOME": str(home), "PLIMSOLL_DB": str(home / "results.db"), "TERM": "dumb"}
    one, other = (os.path.join(ROOT, "tests", "data", "ab", f"gateway-load-{flow}.txt") for flow in ("echo", "rest"))
    for words in (["import", "ab", one, "--name", "nightly"], ["import", "ab", other, "--name", "a b"], ["tag", "nightly", "golden"]):
        subprocess.run([plimsoll, "results", *words], env=environment, check=True, capture_output=True, timeout=20)
    return home, environment


def ask(installed, what):
    home, environment = installed
    return subprocess.run([str(home / "bin" / "plimsoll"), "complete", what], env=environment, capture_output=True, text=True, timeout=20, check=False)


def test_the_program_answers(installed):
    done = ask(installed, "runs")
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr and {"golden", "nightly", "nightly@latest"} <= set(words), done
    assert not any(" " in w for w in words) and len(words) == len(set(words))
    assert [line.split("\t")[0] for line in ask(installed, "tags").stdout.splitlines()] == ["golden"]
    assert "cloud-check\t" in ask(installed, "suites").stdout
    assert "cpu-governor\t" in ask(installed, "checks").stdout


@pytest.mark.parametrize("database", ["/nonexistent/folder/x.db", "/dev/null", "not a database"])
def test_it_never_fails(installed, tmp_path, database):
    home, environment = installed
    if database == "not a database":
        database = str(tmp_path / "x.db")
        (tmp_path / "x.db").write_text("not a database, but long enough to look at" * 100)
    done = subprocess.run([str(home / "bin" / "plimsoll"), "complete", "runs"], env={**environment, "PLIMSOLL_DB": database}, capture_output=True,
                          text=True, timeout=20, check=False)
    assert done.returncode == 0 and done.stdout == "" and done.stderr == ""
    assert ask(installed, "nonsense").returncode == 0


def bash_offers(installed, line):
    """What _plimsoll puts into COMPREPLY at the end of the line, its words cut as bash cuts them."""
    home, environment = installed
    script = r'''
    . "$1/plimsoll.bash"
    COMP_LINE=$2 COMP_POINT=${#2}
    mapfile -t COMP_WORDS < <(printf '%s' "$2" | sed -E 's/([@:=])/ \1 /g' | tr -s ' ' '\n')
    case $2 in *" ") COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _plimsoll
    printf '%s\n' "${COMPREPLY[@]}"
    '''
    done = subprocess.run(["bash", "--norc", "-c", script, "bash", FOLDER, line], env=environment, cwd=home / "work", capture_output=True, text=True,
                          timeout=20, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("line, offered, not_offered", [
    ("plimsoll re", {"report", "results"}, {"run"}),
    ("plimsoll report nig", {"nightly", "nightly@latest"}, {"golden"}),
    ("plimsoll report nightly@", {"latest"}, {"nightly@latest"}),
    ("plimsoll compare gol", {"golden"}, {"nightly"}),
    ("plimsoll results show ", {"golden", "nightly"}, {"list"}),
    ("plimsoll results list --tag ", {"golden"}, {"nightly"}),
    ("plimsoll results list --tag=g", {"golden"}, {"nightly"}),
    ("plimsoll results merge --", {"--output", "--no-store", "--help"}, {"--tag", "--yes", "--push", "--json"}),
    ("plimsoll results rm --", {"--yes"}, {"--output"}),
    ("plimsoll run cl", {"cloud-check"}, {"ingress"}),
    ("plimsoll run x.yaml --resume ni", {"nightly@latest"}, {"golden"}),
    ("plimsoll doctor --ignore cpu-g", {"cpu-governor"}, {"cpu-turbo"}),
    ("plimsoll report a.json --format svg --plot ", {"percentiles", "time", "matrix", "rounds"}, set()),
    ("plimsoll load --tls-min=1.", {"1.2", "1.3"}, set()),
    ("plimsoll load --share ", {"auto"}, {"--rate"}),
    ("plimsoll run x.yaml --share ", {"auto"}, {"cloud-check"}),
    ("plimsoll load --insecure ", {"--rate"}, set()),
    ("plimsoll doctor --json ", {"--ignore"}, set()),
])
def test_bash_offers(installed, line, offered, not_offered):
    got = bash_offers(installed, line)
    assert offered <= got and not not_offered & got, (line, got)


def test_bash_offers_no_option_where_a_value_stands(installed, plimsoll):
    """Told by --help: a word behind the option is its value; behind a flag there are at least two spaces, or nothing."""
    for command in ("load", "limit", "serve", "compare", "report", "rounds", "run", "doctor"):
        text = subprocess.run([plimsoll, command, "--help"], capture_output=True, text=True, timeout=20, check=True).stdout
        found = re.findall(r"^ +(?:-\w, )?(--[\w.-]+)(?: ?\[?=?(\S)|  |$)", text, re.M)
        assert len(found) > 3, text
        for option, value in found:
            got = {word for word in bash_offers(installed, f"plimsoll {command} {option} ") if word.startswith("-")}
            assert not got if value else got or command in ("compare", "report", "run"), (command, option, got)


def test_bash_completes_what_is_typed(installed):
    """A real interactive bash at a terminal: typed, then Tab."""
    home, environment = installed
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home / "work")
        os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {**environment, "PS1": "> ", "INPUTRC": "/dev/null"})
    try:
        type_and_wait(terminal, f". {FOLDER}/plimsoll.bash; bind 'set enable-bracketed-paste off'; echo rea''dy\n", "ready")
        type_and_wait(terminal, "plimsoll report gold\t", "plimsoll report golden")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def type_and_wait(terminal, text, awaited, timeout_s=30):
    os.write(terminal, text.encode())
    seen, deadline = "", time.monotonic() + timeout_s
    while awaited not in seen:
        assert time.monotonic() < deadline, f"waited for {awaited!r}: {seen!r}"
        if select.select([terminal], [], [], 0.5)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
@pytest.mark.parametrize("line, offered", [
    ("plimsoll report nig", "nightly@latest"), ("plimsoll run cl", "cloud-check"), ("plimsoll results list --tag ", "golden"),
    ("plimsoll doctor --ignore cpu-", "cpu-governor"), ("plimsoll report --plot ", "percentiles"),
])
def test_fish_offers(installed, line, offered):
    got = fish_offers(installed, line)
    assert offered in got, got


def fish_offers(installed, line):
    home, environment = installed
    done = subprocess.run(["fish", "--no-config", "-c", f"source {FOLDER}/plimsoll.fish; complete -C '{line}'"], env=environment, cwd=home / "work",
                          capture_output=True, text=True, timeout=60, check=False)
    return {row.split("\t")[0] for row in done.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish_offers_what_merge_takes(installed):
    got = fish_offers(installed, "plimsoll results merge --")
    assert {"--output", "--no-store"} <= got and not {"--tag", "--yes", "--push"} & got, got


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_zsh_completes_what_is_typed(installed):
    home, environment = installed
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(home / "work")
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment, "PS1": "> "})
    try:
        type_and_wait(terminal, f"fpath=({FOLDER} $fpath); autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste 2>/dev/null; echo rea''dy\n", "ready")
        type_and_wait(terminal, "plimsoll report gold\t", "golden")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
