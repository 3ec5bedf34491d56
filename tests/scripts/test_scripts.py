# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts that judge the code and sum the tests are code too: each must be able to say no."""
import importlib.util
import json
import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "scripts")
sys.path.insert(0, SCRIPTS)


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(SCRIPTS, name + ".py"))
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def summed(tmp_path, programs, *more):
    log = tmp_path / "testlog.json"
    log.write_text("".join(json.dumps(p) + "\n" for p in programs))
    done = subprocess.run([sys.executable, os.path.join(SCRIPTS, "sum-tests.py"), "--meson", str(log), *more],
                          capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout.splitlines()[-1]


def program(result, text, name="t"):
    return {"name": name, "result": result, "stdout": text, "stderr": ""}


OK_TWO = "[==========] Running 2 test(s).\n[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n[       OK ] b\n[  PASSED  ] 2 test(s).\n"
ONE_FAILED = "[       OK ] a\n[  FAILED  ] b\n[  PASSED  ] 1 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] b\n"


@pytest.mark.parametrize("why, programs, want", [
    ("cases are counted, not programs", [program("OK", OK_TWO)], (0, "2 passed, 0 failed, 0 skipped")),
    ("a failing case counts once", [program("FAIL", ONE_FAILED)], (1, "1 passed, 1 failed, 0 skipped")),
    ("a crash after a case that passed is a failure", [program("FAIL", "[       OK ] a\n[ RUN      ] b\n")],
     (1, "1 passed, 1 failed, 0 skipped")),
    ("a time-out is a failure", [program("TIMEOUT", "")], (1, "0 passed, 1 failed, 0 skipped")),
    ("a program without cases is one test", [program("OK", "3 inputs replayed")], (0, "1 passed, 0 failed, 0 skipped")),
    ("a skipped program", [program("OK", OK_TWO), program("SKIP", "no kernel support")], (0, "2 passed, 0 failed, 1 skipped")),
    ("nothing ran", [], (1, "0 passed, 0 failed, 0 skipped")),
])
def test_sum(tmp_path, why, programs, want):
    assert summed(tmp_path, programs) == want, why


def test_sum_of_junit_and_scripts(tmp_path):
    junit = tmp_path / "e2e.xml"
    junit.write_text('<testsuites><testsuite><testcase classname="x" name="a"/><testcase classname="x" name="b"><failure/></testcase>'
                     '<testcase classname="x" name="c"><skipped message="why"/></testcase></testsuite></testsuites>')
    (tmp_path / "interop.status").write_text("77\n")
    (tmp_path / "interop.txt").write_text("no npm\n")
    got = summed(tmp_path, [program("OK", OK_TWO)], "--junit", str(junit), "--script", str(tmp_path / "interop"))
    assert got == (1, "3 passed, 1 failed, 2 skipped")


@pytest.mark.parametrize("why, again, want", [
    ("what passes alone counts, and is named", '<testcase classname="x" name="b"/>', (0, "2 passed, 0 failed, 0 skipped")),
    ("what fails twice is a failure", '<testcase classname="x" name="b"><failure/></testcase>', (1, "1 passed, 1 failed, 0 skipped")),
    ("a skip in the second run is no pass", '<testcase classname="x" name="b"><skipped message="no"/></testcase>',
     (1, "1 passed, 1 failed, 0 skipped")),
    ("passed, then failed in its teardown", '<testcase classname="x" name="b"/><testcase classname="x" name="b"><error/></testcase>',
     (1, "1 passed, 1 failed, 0 skipped")),
    ("another that passed says nothing of it", '<testcase classname="x" name="c"/>', (1, "1 passed, 1 failed, 0 skipped")),
    ("no second run", None, (1, "1 passed, 1 failed, 0 skipped")),
])
def test_sum_of_a_second_run(tmp_path, why, again, want):
    junit, second = tmp_path / "e2e.xml", tmp_path / "again.xml"
    form = "<testsuites><testsuite>{}</testsuite></testsuites>"
    junit.write_text(form.format('<testcase classname="x" name="a"/><testcase classname="x" name="b"><failure/></testcase>'))
    if again is not None:
        second.write_text(form.format(again))
    assert summed(tmp_path, [], "--junit", str(junit), "--again", str(second)) == want, why


def test_a_part_without_results_is_a_failure(tmp_path):
    assert summed(tmp_path, [program("OK", OK_TWO)], "--junit", str(tmp_path / "missing.xml"))[0] == 1


def arrows(files, rooms=None, doors=None):
    check = module("check-arrows").Check()
    check.rooms = rooms or {"base": set(), "net": {"base"}, "load": {"base", "net"}, "cli": {"base", "net", "load"}}
    check.doors = doors or {"base": [], "net": ["uv.h", "openssl/"], "load": [], "cli": []}
    check.outside = sorted({n for names in check.doors.values() for n in names})
    check.files = files
    check.order()
    check.includes()
    check.leaks()
    check.prints()
    return check.problems


@pytest.mark.parametrize("why, files, want", [
    ("downwards is fine", {"src/net/a.c": '#include "base/b.h"\n', "src/base/b.h": "\n"}, 0),
    ("upwards is not", {"src/base/a.c": '#include "net/b.h"\n', "src/net/b.h": "\n"}, 1),
    ("names are from src/", {"src/net/a.c": '#include "b.h"\n', "src/net/b.h": "\n"}, 1),
    ("an outside library at its door", {"src/net/a.c": "#include <uv.h>\n#include <openssl/ssl.h>\n"}, 0),
    ("and not elsewhere", {"src/load/a.c": "#include <uv.h>\n"}, 1),
    ("nor through a header of ours", {"src/net/n.h": "#include <uv.h>\n", "src/load/a.c": '#include "net/n.h"\n'}, 1),
    ("an unknown library has no door", {"src/net/a.c": "#include <event2/event.h>\n"}, 1),
    ("the C library needs none", {"src/net/a.c": "#include <sys/socket.h>\n#include <string.h>\n"}, 0),
    ("only cli prints", {"src/load/a.c": 'void f(void) { fprintf(stderr, "x"); }\n'}, 1),
    ("only cli exits", {"src/load/a.c": "void f(void) { exit(1); }\n", "src/cli/a.c": "void g(void) { exit(1); }\n"}, 1),
    ("a word in a comment or string prints nothing", {"src/load/a.c": '/* printf("x") */ const char *s = "exit(1)";\n'}, 0),
    ("a file that is not stderr may be written", {"src/load/a.c": "void f(FILE *o) { fputs(s, o); x->printf(1); }\n"}, 0),
])
def test_arrows(why, files, want):
    assert len(arrows(files)) == want, (why, arrows(files))


def test_a_room_may_not_use_one_above_it():
    rooms = {"base": {"net"}, "net": set()}
    assert len(arrows({}, rooms, {"base": [], "net": []})) == 1


def test_functions_are_measured():
    text = "static int\nfirst(void)\n{\n    return 1;\n}\n\nstruct s {\n    int x;\n};\n\nint second(int a,\n           int b)\n{\n}\n"
    assert list(module("csource").functions(text)) == [("first", 1, 5), ("second", 11, 4)]


def test_manual_and_help():
    check = module("check-man")
    shown = check.options_of_help("usage: x [--no]\n\nHow:\n  -d, --duration TIME   how long, see --requests\n      --json FILE       out\n  -k   keep\n")
    assert shown == {"--duration", "--json", "-k"}
    written = check.options_of_man(".TP\n\\fB\\-d\\fR, \\fB\\-\\-duration\\fR \\fITIME\\fR\nhow long; see \\-\\-other\n.TP\n.B \\-k\nkeep\n")
    assert written == {"--duration", "-k"}
