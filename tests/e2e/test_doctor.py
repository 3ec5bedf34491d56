# SPDX-License-Identifier: GPL-3.0-or-later
"""plimsoll doctor on this machine, and on one that was made worse on purpose."""
import json
import os
import subprocess

import pytest

CHECKS = {"open-files", "local-ports", "time-wait-reuse", "tracking", "accept-line", "ipv6", "network-path", "clock", "clock-sync", "timer",
          "cpu-governor", "cpu-turbo", "cpu-quota", "cpu-steal", "neighbours", "memory", "huge-pages", "power", "observers"}


def doctor(plimsoll, *words, prefix=(), env=None):
    return subprocess.run([*prefix, plimsoll, "doctor", "--time", "100ms", *words], capture_output=True, text=True, timeout=60, check=False,
                          env=None if env is None else {**os.environ, **env})


def findings(done):
    return {f["check"]: f for f in json.loads(done.stdout)["findings"]}


def test_every_check_says_something(plimsoll):
    done = doctor(plimsoll, "--json")
    found = findings(done)
    assert set(found) == CHECKS and not done.stderr
    for one in found.values():
        assert one["level"] in ("spoils", "note", "fine", "unknown") and one["found"], one
        if one["level"] in ("spoils", "note"):
            assert one["why"] and one["mend"], one
    spoils = any(f["level"] == "spoils" for f in found.values())
    assert done.returncode == (1 if spoils else 0) and json.loads(done.stdout)["ok"] == (not spoils)


def test_the_text_begins_with_the_verdict(plimsoll):
    done = doctor(plimsoll)
    first = done.stdout.splitlines()[0]
    assert ("will spoil a measurement on this machine" in first) == (done.returncode == 1), done
    assert ("mend: " in done.stdout) == ("Spoils" in done.stdout or "Worth knowing" in done.stdout)


def test_what_is_ignored_changes_no_exit_status(plimsoll):
    done = doctor(plimsoll, *(word for check in CHECKS for word in ("--ignore", check)))
    assert done.returncode == 0, done


def test_a_low_limit_of_open_files(plimsoll):
    done = doctor(plimsoll, "--json", prefix=["sh", "-c", 'ulimit -n 256 && exec "$@"', "sh"])
    one = findings(done)["open-files"]
    assert done.returncode == 1 and one["level"] == "spoils" and "256" in one["found"] and "nofile" in one["mend"]


def test_a_narrow_range_of_ports(plimsoll, start_namespace):
    space = start_namespace(ip_local_port_range="40000 40999")
    done = doctor(plimsoll, "--json", prefix=space.prefix)
    one = findings(done)["local-ports"]
    assert one["level"] == "spoils" and "1,000" in one["found"] and done.returncode == 1


def test_a_preloaded_library(plimsoll):
    assert findings(doctor(plimsoll, "--json", env={"LD_PRELOAD": " "}))["observers"]["level"] == "note"


@pytest.mark.parametrize("words, says", [
    (["--ignore", "cpu-govenor"], "did you mean cpu-governor?"),
    (["--time", "1"], "unit"),
    (["--time", "1ms"], "100"),
    (["extra"], "extra"),
])
def test_wrong_usage(plimsoll, words, says):
    done = subprocess.run([plimsoll, "doctor", *words], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2 and says in done.stderr and not done.stdout, done


def test_version_names_each_library_twice(plimsoll):
    text = subprocess.run([plimsoll, "--version"], capture_output=True, text=True, timeout=20, check=True).stdout
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.startswith("  ") and "library" not in line}
    assert set(rows) == {"libuv", "OpenSSL", "llhttp", "nghttp2", "libcurl", "Jansson", "SQLite", "zlib", "GSL", "libfyaml", "PCRE2", "libsmartcols"}
    for name, versions in rows.items():
        assert all(v[0].isdigit() for v in versions[:2] if name != "llhttp"), (name, versions)
