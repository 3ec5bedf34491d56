# SPDX-License-Identifier: GPL-3.0-or-later
"""--live on a terminal: what it shows, its keys, and that the terminal is whole after any end."""
import datetime
import json
import os
import re
import signal
import time

import pytest

from lib.process import Process
from lib.screen import Terminal
from lib.target import OK, reply

SLOW_OK = r"\{wait 5ms}" + OK


def figure(screen, name):
    """"ok 1,234" of the last screen: 1234."""
    found = re.search(rf"\b{name} ([0-9,]+)", "\n".join(screen.last_of_alternate) or screen.text())
    assert found, f"no {name}: {screen.last_of_alternate or screen.text()}"
    return int(found[1].replace(",", ""))


def is_measuring(screen):
    return screen.alternate and re.search(r"measuring", screen.text()) and re.search(r"\bok [1-9]", screen.text())


@pytest.fixture
def live(plimsoll, tmp_path):
    """live(*args, **of the terminal): plimsoll load --live on a terminal, its document in tmp_path."""
    def start(*args, **how):
        return Terminal([plimsoll, "load", "--live", "--no-store", "--json", str(tmp_path / "load.json"), *args], cwd=str(tmp_path), **how)

    return start


def document(tmp_path):
    return json.loads((tmp_path / "load.json").read_text())


def test_the_last_screen_has_the_counts_of_the_document(live, start_target, tmp_path):
    target = start_target(SLOW_OK, reply("503 Busy"), when=["path=/bad:1"])
    with live("-c", "3", "-r", "150", "-d", "2500ms", "--max-errors", "100%", target.url(), target.url("/bad")) as terminal:
        terminal.wait_for(lambda s: "of 150/s asked" in s.text(), "the rate that was asked")
        assert terminal.wait() == 0, terminal.screen.main_text
        totals = document(tmp_path)["totals"]
        screen = terminal.screen
        assert figure(screen, "ok") == totals["ok"] > 0
        assert figure(screen, "failed") == totals["failed"] > 0
        assert figure(screen, "started") == totals["started"]
        assert figure(screen, "status") == totals["failed"], "errors by kind"
        assert any("/bad" in line for line in screen.last_of_alternate), "a row per target"
        assert "requests/s" in screen.main_text, "the report follows"
        terminal.assert_whole()


def test_by_count_with_many_targets_and_failures(live, start_target, tmp_path):
    target = start_target(OK, reply("404 No"), when=["path=/bad:1"])
    urls = [target.url(f"/a/long/path/of/target/number/{i}") for i in range(120)] + [target.url("/bad")]
    with live("-c", "1", "-n", "3000", "--max-errors", "100%", *urls) as terminal:
        assert terminal.wait() == 0, terminal.screen.main_text
        totals = document(tmp_path)["totals"]
        assert figure(terminal.screen, "ok") == totals["ok"] and figure(terminal.screen, "failed") == totals["failed"]
        terminal.assert_whole()


def test_it_follows_the_size_of_the_terminal(live, start_target):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "60s", target.url()) as terminal:
        terminal.wait_for(is_measuring, "figures")
        for columns, rows in ((120, 40), (40, 10), (20, 4), (80, 24)):
            terminal.resize(columns, rows)
            terminal.wait_for(lambda s: is_measuring(s) if s.columns >= 80 else "plimsoll load" in s.text(), f"a screen of {columns}x{rows}")
            assert "plimsoll load" in terminal.screen.text()
        terminal.press("q")
        assert terminal.wait() == 130
        terminal.assert_whole()


def test_the_keys(live, start_target, tmp_path):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "60s", target.url()) as terminal:
        terminal.wait_for(is_measuring, "figures")
        terminal.press("?")
        terminal.wait_for(lambda s: "Warm-up is in none" in s.text(), "the help")
        terminal.press("?")
        terminal.wait_for(is_measuring, "figures again")

        terminal.press("p")
        shown = terminal.wait_for(lambda s: "PAUSED" in s.text() and "p go on" in s.text() and s.text(), "the pause, to the last line")
        begun = target.counts()["begun"]
        terminal.wait_for(lambda _: target.counts()["begun"] > begun + 50, "the load goes on")
        assert terminal.screen.text() == shown
        terminal.press("s")
        terminal.wait_for(lambda s: "saved: plimsoll-live-" in s.text(), "that it was saved")
        saved = json.loads(next(tmp_path.glob("plimsoll-live-*.json")).read_text())
        assert saved["format"] == "plimsoll-live" and f"ok {saved['ok']:,}" in shown, "what is saved is what was shown"
        terminal.press("p")
        terminal.wait_for(lambda s: "PAUSED" not in s.text() and figure(s, "ok") > saved["ok"], "that it goes on")

        terminal.press("q")
        terminal.press("q")
        assert terminal.wait() == 130
        doc = document(tmp_path)
        assert doc["totals"]["ok"] == figure(terminal.screen, "ok"), "stopped, and reported"
        assert "plimsoll-live-" in terminal.screen.main_text
        terminal.assert_whole()


def test_no_color(live, start_target):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "1200ms", target.url(), env={"NO_COLOR": "1"}) as terminal:
        assert terminal.wait() == 0
        assert not terminal.screen.colours - {0}, terminal.screen.colours
        terminal.assert_whole()
    with live("-c", "2", "-d", "1200ms", target.url()) as terminal:
        assert terminal.wait() == 0
        assert terminal.screen.colours - {0}, "without it there are"


def test_a_terminal_without_utf8_gets_ascii(live, start_target):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "1200ms", target.url(), env={"LANG": "C"}) as terminal:
        assert terminal.wait() == 0
        assert terminal.raw.isascii()


@pytest.mark.parametrize("how, codes", [
    ("ctrl-c", {130}), ("term", {130}), ("hup", {130}), ("twice", {130}),
    ("segv", {-signal.SIGSEGV}), ("abrt", {-signal.SIGABRT}), ("quit", {-signal.SIGQUIT}),
])
def test_the_terminal_is_whole_after(live, start_target, how, codes):
    # What answers only after a while keeps the first signal's drain going until the second comes.
    target = start_target(r"\{wait 20s}" + OK if how == "twice" else SLOW_OK)
    with live("-c", "2", "-d", "60s", "--drain", "30s", target.url()) as terminal:
        terminal.wait_for(lambda s: s.alternate and "measuring" in s.text() if how == "twice" else is_measuring(s), "figures")
        assert terminal.after() != terminal.before, "keys come without a line's end meanwhile"
        if how == "ctrl-c":
            terminal.press("\x03")
        elif how == "twice":
            terminal.signal(signal.SIGTERM)
            terminal.wait_for(lambda s: "stopping" in s.text(), "that it stops")
            time.sleep(0.3)  # one signal may come twice: those within a tenth of a second are one
            terminal.signal(signal.SIGTERM)
        else:
            terminal.signal(getattr(signal, "SIG" + how.upper()))
        code = terminal.wait()
        sanitized = how in ("segv", "abrt") and "Sanitizer" in terminal.screen.main_text
        assert code in codes or sanitized, f"{code}\n{terminal.screen.main_text}"
        terminal.assert_whole()


def test_ctrl_z_gives_the_terminal_back_for_a_while(live, start_target):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "60s", target.url()) as terminal:
        terminal.wait_for(is_measuring, "figures")
        terminal.press("\x1a")
        terminal.wait_for(lambda s: not s.alternate, "the other screen")
        terminal.wait_for(lambda _: terminal.after() == terminal.before, "the settings")
        terminal.signal(signal.SIGCONT)
        terminal.wait_for(is_measuring, "figures again")
        terminal.press("q")
        assert terminal.wait() == 130
        terminal.assert_whole()


def test_keys_when_standard_input_is_no_terminal(live, start_target):
    target = start_target(SLOW_OK)
    with open(os.devnull) as nothing, live("-c", "2", "-d", "60s", target.url(), stdin=nothing) as terminal:
        terminal.wait_for(is_measuring, "figures")
        terminal.press("q")
        assert terminal.wait() == 130
        terminal.assert_whole()


def test_without_a_terminal_it_goes_on_and_says_so(load, start_target):
    target = start_target(OK)
    run = load("--live", "-n", "20", "-c", "2", target.url(), server=target)
    assert "--live: standard error is no terminal" in run.err and "\x1b" not in run.err + run.out


def test_a_terminal_that_can_not(live, start_target):
    target = start_target(OK)
    with live("-n", "20", "-c", "2", target.url(), env={"TERM": "dumb"}) as terminal:
        assert terminal.wait() == 0
        assert "TERM names no terminal" in terminal.screen.main_text and "\x1b" not in terminal.raw


def test_two_writers_on_one_stream_are_refused(load, start_target):
    target = start_target(OK)
    load.refused("--live", "--progress", "json", target.url())
    assert target.counts()["begun"] == 0


def test_drawing_costs_little(live, start_target):
    """The time of the thread that draws, as the kernel counts it. Measured: 0.2 % of a core; a machine that is busy may take some more."""
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "60s", target.url(), columns=120, rows=40) as terminal:
        terminal.wait_for(is_measuring, "figures")
        tasks = f"/proc/{terminal.process.pid}/task"
        thread = next(t for t in os.listdir(tasks) if open(f"{tasks}/{t}/comm").read().strip() == "live-screen")

        def cpu_ns():
            with open(f"{tasks}/{thread}/schedstat") as file:
                return int(file.read().split()[0])

        before, began, written = cpu_ns(), time.monotonic(), len(terminal.raw)
        time.sleep(2)
        used, passed, written = cpu_ns() - before, time.monotonic() - began, len(terminal.raw) - written
        terminal.press("q")
        assert terminal.wait() == 130
        assert used / 1e9 / passed < 0.03
        assert written / passed < 40000, "only what changed is written"


def test_rounds(plimsoll, tmp_path):
    out = tmp_path / "rounds.json"
    argv = [plimsoll, "rounds", "--live", "--no-store", "-c", "1,3", "--samples", "2", "--max-errors", "100%", "--json", str(out), "--",
            "sh", "-c", "sleep 0.6; test {i} != 3"]
    with Terminal(argv, cwd=str(tmp_path)) as terminal:
        terminal.wait_for(lambda s: re.search("round [2-4] of 4", s.text()), "the second round")
        assert terminal.wait() == 0, terminal.screen.main_text
        totals = json.loads(out.read_text())["totals"]
        assert figure(terminal.screen, "ok") == totals["ok"] == 6
        assert figure(terminal.screen, "failed") == totals["failed"] == 2
        assert any(re.match(r"3 copies\s+2 ", line) for line in terminal.screen.last_of_alternate), terminal.screen.last_of_alternate
        terminal.assert_whole()


def test_limit(plimsoll, start_target, tmp_path):
    target = start_target(OK)
    out = tmp_path / "limit.json"
    argv = [plimsoll, "limit", "--live", "--slo", "errors<50%", "--from", "50/s", "--to", "100/s", "--step-time", "1100ms", "--confirm", "1",
            "--json", str(out), target.url()]
    with Terminal(argv, cwd=str(tmp_path)) as terminal:
        terminal.wait_for(lambda s: re.search("trial [2-9]", s.text()), "the second trial")
        assert terminal.wait() == 0, terminal.screen.main_text
        trials = json.loads(out.read_text())["trials"]
        rows = [line for line in terminal.screen.last_of_alternate if re.match(r"\d+: ", line)]
        assert len(rows) == len(trials) and all("kept" in row for row in rows)
        assert f" {trials[-1]['ok']:,} " in rows[0], "the newest is the first"
        terminal.assert_whole()


def test_run(plimsoll, start_target, tmp_path):
    target = start_target(SLOW_OK)
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: cells\nmatrix:\n  connections: [1, 2]\nsamples: 1\nteardown:\n  - exit 3\n"
                     f"load:\n  url: {target.url()}\n  connections: \"{{connections}}\"\n  duration: 2500ms\n")
    with Terminal([plimsoll, "run", "--live", "--no-store", str(suite)], cwd=str(tmp_path)) as terminal:
        terminal.wait_for(lambda s: all(re.search(part, s.text()) for part in ("sample [12] of 2", " left", "rate +[1-9]", r"\bok [1-9]")),
                          "live figures of a sample, and the time left")
        terminal.wait_for(lambda s: "sample 2 of 2" in s.text(), "the second sample")
        code = terminal.wait()
        assert code == 0, terminal.screen.main_text
        rows = [line.split() for line in terminal.screen.last_of_alternate if re.match(r"[12]\s+1\s+1\s", line)]
        assert len(rows) == 2, terminal.screen.last_of_alternate
        assert "warning" in terminal.screen.main_text, "what was said meanwhile is said afterwards"
        terminal.assert_whole()


def test_a_dry_run_shows_nothing(plimsoll, start_target):
    target = start_target(OK)
    with Terminal([plimsoll, "load", "--live", "--live-http", "0", "--dry-run", target.url()]) as terminal:
        assert terminal.wait() == 0
        assert "\x1b" not in terminal.raw and "live figures" not in terminal.raw


def test_help_teaches_it(plimsoll):
    for command in ("load", "limit", "rounds", "run"):
        done = Process([plimsoll, command, "--help"]).finish(20)
        assert "--live-http ADDRESS" in done.out and "q stop and report" in " ".join(done.out.split())


def test_the_start_is_waited_for_on_the_screen(live, start_target, tmp_path):
    """--start-at: a count-down, the share, the clock; q ends the wait, and nothing was sent."""
    target = start_target(OK)
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=590)
    with live("-c", "4", "-n", "8", "--share", "2/4", "--start-at", at.strftime("%Y-%m-%dT%H:%M:%SZ"), "--live-http", "0", target.url(),
              columns=200) as terminal:
        text = terminal.wait_for(lambda s: s.alternate and "waiting" in s.text() and "share 2/4" in s.text() and s.text(), "the wait")
        assert f"starts at {at:%Y-%m-%dT%H:%M:%S}" in text and re.search(r"in [45]\d\d s;", text), text
        left = int(re.search(r"in (\d+) s;", text)[1])
        terminal.wait_for(lambda s: (found := re.search(r"in (\d+) s;", s.text())) and int(found[1]) < left, "the count-down")
        terminal.press("q")
        assert terminal.wait() == 130
        assert "nothing was sent" in terminal.screen.main_text and not (tmp_path / "load.json").exists()
        terminal.assert_whole()
    assert target.counts()["begun"] == 0


def test_after_the_wait_the_figures_come(live, start_target, tmp_path):
    target = start_target(SLOW_OK)
    with live("-c", "2", "-d", "60s", "--start-at", "+2s", target.url()) as terminal:
        terminal.wait_for(lambda s: s.alternate and "waiting" in s.text(), "the wait")
        terminal.wait_for(lambda s: is_measuring(s) and "starts at" not in s.text(), "figures")
        terminal.press("q")
        assert terminal.wait() == 130
        assert document(tmp_path)["totals"]["ok"] == figure(terminal.screen, "ok") > 0
        terminal.assert_whole()
