# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages of docs/ that teach by commands: every command runs, in order, with shorter times, and ends as the page says."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest

from lib.target import ROOT

PAGES = ["README", "docs/tutorial", "docs/recipes", "docs/load", "docs/limit", "docs/compare"]
# Figures of a busy machine may break a promise or hide a change: such a page may try again. A usage error never passes.
TRIES = 3
USAGE = {2, 126, 127}


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(ROOT, "scripts", name + ".py"))
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.join(ROOT, "scripts"))
    spec.loader.exec_module(loaded)
    sys.path.pop(0)
    return loaded


outputs = module("doc-outputs")
docs = module("check-docs")


def page(name):
    with open(os.path.join(ROOT, name + ".md"), encoding="utf-8") as f:
        return f.read()


def shorten(text):
    """Times of the load, not those that are waited for: 5s becomes 0.4 s. wrk knows whole seconds alone."""
    return "\n".join(line if line.startswith("wrk") else shorten_line(line) for line in text.split("\n"))


def shorten_line(text):
    text = re.sub(r"(-d|--step-time|duration:) ?([2-9]|\d\d)s\b", r"\1 400ms", text)
    text = re.sub(r"(-d|--step-time) 1s\b", r"\1 300ms", text)
    text = re.sub(r"warmup: \d+ms", "warmup: 50ms", text)
    return re.sub(r"/s:[12]s", "/s:300ms", text)


def missing_programs(text):
    first = {line.split()[0] for line in re.split(r"[\n|]|&&", text) if line.split() and re.fullmatch(r"[a-z]\w*", line.split()[0])}
    return {w for w in first & {"ab", "wrk", "hyperfine", "h2load", "curl"} if shutil.which(w) is None}


def faults(plimsoll, name):
    lines = page(name).split("\n")
    for block, status, output in outputs.run_page(plimsoll, page(name), shorten, timeout_s=300):
        text = "\n".join(lines[block.first:block.last])
        if status not in block.exits() and not missing_programs(text):
            yield status, f"{name}.md:{block.first + 1}: exit status {status}, not {sorted(block.exits())}\n{text}\n{output}"


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_a_page_runs(plimsoll, name):
    for _ in range(TRIES):
        found = list(faults(plimsoll, name))
        usage = [what for status, what in found if status in USAGE]
        assert not usage, "\n".join(usage)
        if not found:
            return
    pytest.fail("\n".join(what for _, what in found))


def test_a_wrong_command_is_told(plimsoll):
    text = "```sh\nplimsoll load --no-such-option http://127.0.0.1:1/\n```\n```text\n```\n"
    (block, status, output), = outputs.run_page(plimsoll, text)
    assert status == 2 and status not in block.exits() and "no-such-option" in output


def ci_commands(language_file):
    """Lines of a CI file's script that call plimsoll."""
    for line in language_file.splitlines():
        found = re.match(r"\s*(?:- |run: )(?:run: )?(plimsoll .*)$", line)
        if found:
            yield found.group(1)


@pytest.mark.parametrize("ci", ["github.yml", "gitlab.yml"])
def test_the_ci_jobs_of_the_tutorial_run(plimsoll, tmp_path, ci):
    text = page("docs/tutorial")
    files = {b.remarks["file"]: "\n".join(text.split("\n")[b.first:b.last]) for b in outputs.blocks_of(text.split("\n")) if "file" in b.remarks}
    (tmp_path / "perf").mkdir()
    (tmp_path / "bin").mkdir()
    os.symlink(os.path.abspath(plimsoll), tmp_path / "bin" / "plimsoll")
    (tmp_path / "perf" / "gate.yaml").write_text(shorten(files["perf/gate.yaml"]))
    commands = list(ci_commands(files[ci]))
    assert any(c.startswith("plimsoll run perf/gate.yaml") for c in commands) and any("doctor" in c for c in commands)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PLIMSOLL_DB": str(tmp_path / "db")}
    for command in commands:
        for _ in range(TRIES):
            done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode not in (1, 3):
                break
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    for left in re.findall(r"\bgate\.\w+\b", files[ci]):
        assert left == "gate.yaml" or (tmp_path / left).stat().st_size > 0, left


def test_the_ci_files_are_yaml(plimsoll, tmp_path):
    """As far as a reader of YAML can tell: the program's own, which says which key it does not know."""
    text = page("docs/tutorial")
    for block in outputs.blocks_of(text.split("\n")):
        name = block.remarks.get("file", "")
        if name in ("github.yml", "gitlab.yml"):
            (tmp_path / name).write_text("\n".join(text.split("\n")[block.first:block.last]))
            done = subprocess.run([plimsoll, "run", "--dry-run", str(tmp_path / name)], capture_output=True, text=True, timeout=20, check=False)
            assert done.returncode == 2 and "a suite has no key" in done.stderr, done.stderr


def test_every_command_has_a_page_and_a_manual_page(plimsoll):
    text = subprocess.run([plimsoll, "--help"], capture_output=True, text=True, timeout=20, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) +\S", text.split("Options:")[0], re.M)
    assert {"load", "run", "report", "doctor"} <= set(commands)
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    for command in commands:
        if command == "help":
            continue
        assert os.path.exists(os.path.join(ROOT, "man", f"plimsoll-{command}.1")), command
        assert os.path.exists(os.path.join(ROOT, "docs", {"run": "suites"}.get(command, command) + ".md")), command
        assert f"plimsoll {command}" in readme, command
