# SPDX-License-Identifier: GPL-3.0-or-later
"""Rooms are archives: of two functions of one name the linker takes the first that it meets, without a word."""
import collections
import glob
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def defined(archives, nm):
    """Names of functions and data that other files can see, each with the archives that have it."""
    found = collections.defaultdict(list)
    for archive in archives:
        listed = subprocess.run([nm, "-g", "--defined-only", archive], capture_output=True, text=True, timeout=60, check=True).stdout
        for line in listed.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "TDBR":
                found[words[2]].append(os.path.basename(archive))
    return found


def test_every_name_has_one_owner():
    program = os.environ.get("PLIMSOLL") or os.path.join(ROOT, "build", "plimsoll")
    archives = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(program)), "src", "*", "lib*.a")))
    nm = shutil.which("gcc-nm") or shutil.which("nm")  # gcc's reads what is to be optimised when it is linked
    if not archives or nm is None:
        pytest.skip("no archives beside the program, or no nm")
    found = defined(archives, nm)
    assert "main" not in found and "load_run" in found and "serve_start" in found
    twice = {name: owners for name, owners in found.items() if len(owners) > 1}
    assert not twice
