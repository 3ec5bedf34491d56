# SPDX-License-Identifier: GPL-3.0-or-later
"""What packages are called, and the name server that they are tried with."""
import importlib.util
import os
import re
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")


def git(folder, *words):
    env = dict(os.environ, GIT_AUTHOR_DATE="2026-03-04T05:06:07Z", GIT_COMMITTER_DATE="2026-03-04T05:06:07Z", GIT_CONFIG_GLOBAL="/dev/null")
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.test", *words], cwd=folder, env=env, check=True, capture_output=True, timeout=30)


def version(folder):
    env = dict(os.environ, GIT_CEILING_DIRECTORIES=os.path.dirname(str(folder)), TZ="Asia/Tokyo")
    done = subprocess.run(["bash", "-euc", f'ROOT={folder}; . "{SCRIPTS}/version.sh"; package_version'], env=env, capture_output=True, text=True, timeout=30,
                          check=True)
    return done.stdout.strip()


@pytest.fixture
def sources(tmp_path):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "meson.build").write_text("project('plimsoll', 'c',\n  version: '1.2.3',\n  meson_version: '>=1.0')\n")
    return folder


def test_the_version_of_a_package(sources):
    assert version(sources) == "1.2.3~0"
    git(sources, "init", "-q")
    git(sources, "add", ".")
    git(sources, "commit", "-q", "-m", "one")
    between = version(sources)
    assert re.fullmatch(r"1\.2\.3~20260304050607\.[0-9a-f]{7,}", between)
    git(sources, "tag", "v1.2.2")
    assert version(sources) == between  # of another release
    git(sources, "tag", "v1.2.3")
    assert version(sources) == "1.2.3"
    if shutil.which("dpkg"):
        for older, newer in (("1.2.3~0", between), (between, "1.2.3"), (between, "1.2.3~20260304050608.0000000"), ("1.2.2", between)):
            assert subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=False, timeout=30).returncode == 0, (older, newer)


def test_every_list_of_packages_is_there():
    for name in os.listdir(SCRIPTS):
        if name.endswith(".sh"):
            with open(os.path.join(SCRIPTS, name), encoding="utf-8") as file:
                for line in re.findall(r"^\s*need ([a-z ]+)$", file.read(), re.M):
                    for one in line.split():
                        assert os.path.exists(os.path.join(SCRIPTS, "packages", one + ".txt")), f"{name}: need {one}"


def query(name, kind=1):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + labels + b"\x00" + bytes([0, kind, 0, 1])


def test_the_name_server():
    spec = importlib.util.spec_from_file_location("names", os.path.join(SCRIPTS, "try", "names.py"))
    names = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(names)
    known, other_kind, unknown = names.answer(query("a.b.test")), names.answer(query("a.test", kind=28)), names.answer(query("a.test.invalid"))
    assert known[:2] == b"\x12\x34" and known[3] & 15 == 0 and known[6:8] == b"\x00\x01" and known.endswith(bytes([0, 4, 127, 0, 0, 1]))
    assert other_kind[3] & 15 == 0 and other_kind[6:8] == b"\x00\x00"
    assert unknown[3] & 15 == 3 and unknown[6:8] == b"\x00\x00"
