# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed, and how it finds its own files. The packages themselves: ./dev deb --try, ./dev static --try."""
import os
import shutil
import subprocess

import pytest

from lib import target

SUITES = sorted(name[:-5] for name in os.listdir(os.path.join(target.ROOT, "suites")) if name.endswith(".yaml"))


@pytest.fixture
def installed(plimsoll, tmp_path):
    """A copy that lies as an unpacked archive does; run(…) runs it from a folder without suites."""
    place = tmp_path / "opt"
    (place / "bin").mkdir(parents=True)
    shutil.copy2(plimsoll, place / "bin" / "plimsoll")
    for folder in ("suites", "testbeds"):
        shutil.copytree(os.path.join(target.ROOT, folder), place / "share" / "plimsoll" / folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def run(*words, cwd=elsewhere):
        env = dict(os.environ, PLIMSOLL_DB=str(tmp_path / "results.db"))
        return subprocess.run([place / "bin" / "plimsoll", *words], cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.mark.parametrize("name", ["cloud-check", "cloud-check.yaml", "suites/cloud-check.yaml", "suites/cloud-check"])
def test_a_suite_is_found_by_its_name(installed, name):
    done = installed("run", "--dry-run", name)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split() == ["Suite", "cloud-check"]


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_is_found(installed, name):
    assert installed("run", "--dry-run", name).returncode == 0


def test_the_own_file_comes_first(installed, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    text = "name: mine\ncommand: 'true'\nsamples: 1\n"
    (mine / "cloud-check").write_text(text)
    done = installed("run", "--dry-run", "cloud-check", cwd=mine)
    assert done.stdout.splitlines()[0].split() == ["Suite", "mine"]
    (mine / "cloud-check").unlink()
    (mine / "suites").mkdir()
    (mine / "suites" / "cloud-check.yaml").write_text(text)
    done = installed("run", "--dry-run", "suites/cloud-check.yaml", cwd=mine)
    assert done.stdout.splitlines()[0].split() == ["Suite", "mine"]


@pytest.mark.parametrize("given, hint", [
    ("clod-check", "did you mean cloud-check?"),
    ("clod-check.yaml", "did you mean cloud-check?"),
    ("zzzzzzzz", "these come with plimsoll: " + ", ".join(SUITES)),
    ("zzz/cloud-check.yaml", None),  # with folders it can only be a file
    ("../suites/cloud-check.yaml", None),
])
def test_what_is_not_there(installed, given, hint):
    done = installed("run", "--dry-run", given)
    assert done.returncode == 2
    assert f"cannot open {given}: No such file or directory" in done.stderr
    assert hint is None or hint in done.stderr
    assert hint is not None or "come" not in done.stderr


def test_a_suite_finds_its_test_bed(installed):
    """{dir}/../testbeds, as the package has it: the gateway of the suite is started from there."""
    if shutil.which("haproxy") is None or shutil.which("curl") is None:
        pytest.skip("haproxy or curl is not installed")
    done = installed("run", "gateway", "-s", "scale=tiny", "--only", "echo/1/*", "--no-store")
    assert done.returncode in (0, 3), done.stdout + done.stderr  # a busy machine may spoil a sample; what cannot be started is 2


def test_meson_installs_all_of_it(tmp_path):
    """What the package has, asked of Meson's own description: no build."""
    if shutil.which("meson") is None:
        pytest.skip("meson is not installed")
    setup = subprocess.run(["meson", "setup", tmp_path / "build", target.ROOT, "-Dtests=false", "--prefix=/usr"], capture_output=True, text=True,
                           timeout=300, check=False)
    assert setup.returncode == 0, setup.stdout[-2000:] + setup.stderr
    shown = subprocess.run(["meson", "introspect", "--install-plan", tmp_path / "build"], capture_output=True, text=True, timeout=120, check=True)
    for wanted in ["{bindir}/plimsoll", "{mandir}/man1/plimsoll-run.1", "{datadir}/plimsoll/suites", "{datadir}/plimsoll/testbeds",
                   "{datadir}/plimsoll/phases/cf-push.yaml", "{datadir}/plimsoll/testbeds/assets/s3/package-lock.json",
                   "{datadir}/bash-completion/completions/plimsoll"]:
        assert wanted in shown.stdout, wanted


@pytest.mark.parametrize("command", ["deb", "static", "container"])
def test_a_package_works_in_a_clean_system(command, full):
    """Built, put into roots of Debian made for it, used there and removed."""
    if not full:
        pytest.skip(f"./dev {command} --try builds the program anew and makes a root of Debian: with --full alone")
    if os.geteuid() != 0:
        pytest.skip("a root of Debian is made and entered by root alone")
    done = subprocess.run([os.path.join(target.ROOT, "dev"), command, "--try"], cwd=target.ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
