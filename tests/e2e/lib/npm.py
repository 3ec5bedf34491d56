# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of npm that tests use: fetched once into the build folder, as the lock file beside their package.json says."""
import fcntl
import filecmp
import os
import re
import shutil
import subprocess

import pytest

from lib.target import ROOT

UNREACHABLE = re.compile("ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET|network")


def install(name):
    """The node_modules of tests/e2e/NAME. Skips the test where npm or its registry is not to be had."""
    here = os.path.join(ROOT, "tests", "e2e", name)
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder = os.path.join(ROOT, "build-test", name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as turn:  # files of tests run side by side
        fcntl.flock(turn, fcntl.LOCK_EX)
        return _install(here, folder)


def _install(here, folder):
    modules = os.path.join(folder, "node_modules")
    lock, installed = os.path.join(here, "package-lock.json"), os.path.join(folder, "installed-lock.json")
    if os.path.isdir(modules) and os.path.exists(installed) and filecmp.cmp(lock, installed, shallow=False):
        return modules
    for file in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(here, file), folder)
    try:
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True, timeout=240)
    except subprocess.TimeoutExpired:
        pytest.skip("npm's registry is too slow")
    if done.returncode != 0 and UNREACHABLE.search(done.stdout + done.stderr):
        pytest.skip("npm can not reach its registry")
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copy(lock, installed)
    return modules
