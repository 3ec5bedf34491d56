# SPDX-License-Identifier: GPL-3.0-or-later
"""`plimsoll rounds`: what became of every copy, against what the copies themselves wrote down."""
import json
import os
import re
import signal
import time

import pytest

from lib.process import Process, run, wait_until


def rounds(plimsoll, *args, timeout_s=60.0, **how):
    return run([plimsoll, "rounds", "--no-store", "--json", "-", *args], timeout_s=timeout_s, **how)


def document(done):
    doc = json.loads(done.out)
    totals, count = doc["totals"], {"ok": 0, "failed": 0, "unfinished": 0}
    for one in doc["rounds"]:
        check_round(one)
        for key in count:
            count[key] += one[key]
    assert doc["kind"] == "rounds"
    assert {key: totals[key] for key in count} == count, done
    assert totals["started"] == sum(count.values()), done
    return doc


def check_round(one):
    """The identities that every round keeps, whatever happened in it."""
    copies = one["copies"]
    ok = [c["duration_s"] for c in copies if c["ok"]]
    ended = [c["duration_s"] for c in copies if not c.get("unfinished") and c["duration_s"] is not None]
    assert one["ok"] + one["failed"] + one["unfinished"] == len(copies)
    assert [c["index"] for c in copies] == list(range(1, len(copies) + 1))
    if ok:
        assert one["mean_ok_s"] == pytest.approx(sum(ok) / len(ok))
        assert one["mean_discounted_s"] == pytest.approx(sum(ended) / len(ok))
        assert one["min_s"] == min(ok) and one["max_s"] == max(ok)
    else:
        assert one["mean_ok_s"] is None and one["mean_discounted_s"] is None
    if ended:
        assert one["mean_s"] == pytest.approx(sum(ended) / len(ended))
        last = max(c["start_s"] + c["duration_s"] for c in copies if c["duration_s"] is not None)
        assert one["makespan_s"] == pytest.approx(last)
    for copy in copies:
        assert (copy.get("failure") is None) == copy["ok"], copy


def descendants_named(mark):
    """Processes whose environment carries the mark: whatever a test started and forgot."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                if mark.encode() in environ.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


@pytest.fixture
def marked(request):
    """An environment that all processes of the test carry; none of them may be left."""
    mark = f"PLIMSOLL_TEST_MARK={os.getpid()}-{time.monotonic_ns()}"
    name, value = mark.split("=")
    yield {name: value}
    assert descendants_named(mark) == []


# What runs, and in which order.


def test_every_copy_of_every_round_runs_once(plimsoll, tmp_path, marked):
    done = rounds(plimsoll, "-c", "1,3,5", "--samples", "2", "--shell", "--", f"echo {{round}} {{n}} {{i}} >>{tmp_path}/seen",
                  env=marked)
    assert done.exit == 0, done
    doc = document(done)
    ran = sorted(tuple(map(int, line.split())) for line in (tmp_path / "seen").read_text().splitlines())
    told = sorted((r["number"], r["concurrency"], c["index"]) for r in doc["rounds"] for c in r["copies"])
    assert ran == told and len(ran) == 2 * (1 + 3 + 5)
    assert [r["concurrency"] for r in doc["rounds"]] == [1, 3, 5, 1, 3, 5]


def test_order_as_written_and_warm_up(plimsoll, tmp_path, marked):
    done = rounds(plimsoll, "-c", "2,1", "--samples", "2", "--warmup", "3", "--order", "as-written", "--shell", "--",
                  f"echo x >>{tmp_path}/seen", env=marked)
    doc = document(done)
    assert [r["concurrency"] for r in doc["rounds"]] == [2, 2, 1, 1]
    assert doc["warmup"]["started"] == doc["warmup"]["ok"] == 6
    assert doc["totals"]["started"] == 6
    assert len((tmp_path / "seen").read_text().split()) == 12


def test_places_are_one_copy_s_in_setup_copy_and_cleanup(plimsoll, tmp_path, marked):
    (tmp_path / "in1").write_text("first\n")
    (tmp_path / "in2").write_text("second\n")
    done = rounds(plimsoll, "-c", "2", "--setup", f"sh -c 'echo {{uuid}} >{tmp_path}/s{{i}}'",
                  "--cleanup", f"sh -c 'echo {{uuid}} >{tmp_path}/c{{i}}'", "--env", "WHO=copy{i} of {n}",
                  "--cwd", str(tmp_path), "--input", f"{tmp_path}/in{{i}}", "--",
                  "sh", "-c", 'read line; echo "{uuid} $WHO $line {other}" >r{i}', env=marked)
    assert done.exit == 0, done
    uuids = set()
    for i, line in ((1, "first"), (2, "second")):
        words = (tmp_path / f"r{i}").read_text().split()
        assert words[1:] == [f"copy{i}", "of", "2", line, "{other}"]
        assert (tmp_path / f"s{i}").read_text().strip() == words[0] == (tmp_path / f"c{i}").read_text().strip()
        assert re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", words[0])
        uuids.add(words[0])
    assert len(uuids) == 2


def test_copies_run_at_the_same_time(plimsoll, tmp_path, marked):
    """Each waits until all others are there: one after the other they would never end."""
    wait = f'touch {tmp_path}/at{{i}}; until [ "$(ls {tmp_path} | grep -c ^at)" = {{n}} ]; do sleep 0.01; done'
    done = rounds(plimsoll, "-c", "8", "--timeout", "30s", "--", "sh", "-c", wait, env=marked)
    assert done.exit == 0, done
    assert document(done)["rounds"][0]["exec_spread_s"] < 5


def test_rate_starts_on_a_schedule(plimsoll, marked):
    done = rounds(plimsoll, "-c", "6", "--rate", "20/s", "--", "true", env=marked)
    starts = [c["start_s"] for c in document(done)["rounds"][0]["copies"]]
    for i, start in enumerate(starts):
        assert start >= i * 0.05 - 1e-6, starts
    assert document(done)["rounds"][0]["exec_spread_s"] is None


def test_pause(plimsoll, marked):
    done = rounds(plimsoll, "--samples", "3", "--pause", "150ms", "--", "true", env=marked)
    at = [r["at_s"] for r in document(done)["rounds"]]
    assert at[1] - at[0] >= 0.15 and at[2] - at[1] >= 0.15


# What a copy may do.


def test_exit_codes_signals_and_last_lines(plimsoll, marked):
    script = ('case {i} in 1) exit 0;; 2) echo out; echo why >&2; exit 7;; 3) kill -9 $$;; '
              '4) printf "half a line"; exit 1;; 5) printf "a\\000b\\033[31mred\\n"; exit 2;; esac')
    done = rounds(plimsoll, "-c", "5", "--", "sh", "-c", script, env=marked)
    assert done.exit == 3, done
    copies = document(done)["rounds"][0]["copies"]
    assert [c["ok"] for c in copies] == [True, False, False, False, False]
    assert (copies[1]["exit"], copies[1]["failure"], copies[1]["last_lines"]) == (7, "exit 7", ["out", "why"])
    assert (copies[2]["exit"], copies[2]["signal"]) == (None, 9) and "signal 9" in copies[2]["failure"]
    assert copies[3]["last_lines"] == ["half a line"]
    assert copies[4]["last_lines"] == ["a?b?[31mred"], "nothing that a terminal would obey"


def test_expected_exit_codes(plimsoll, marked):
    done = rounds(plimsoll, "-c", "3", "--expect-exit", "1-2,5", "--", "sh", "-c", "exit {i}", env=marked)
    assert [c["ok"] for c in document(done)["rounds"][0]["copies"]] == [True, True, False]


def test_a_program_that_cannot_run_is_told_as_the_kernel_tells_it(plimsoll, tmp_path, marked):
    (tmp_path / "p1").write_text("no program\n")
    (tmp_path / "p3").write_text("#!/nowhere/interpreter\n")
    for name in ("p1", "p3"):
        (tmp_path / name).chmod(0o755)
    (tmp_path / "p2").mkdir()
    done = rounds(plimsoll, "-c", "4", "--", f"{tmp_path}/p{{i}}", env=marked)
    failures = [c["failure"] for c in document(done)["rounds"][0]["copies"]]
    for failure, why in zip(failures, ("Exec format error", "Permission denied", "No such file", "No such file")):
        assert failure.startswith("cannot run") and why in failure, failures
    alone = rounds(plimsoll, "--cwd", f"{tmp_path}/gone", "--", "true", env=marked)
    assert "cannot enter" in document(alone)["rounds"][0]["copies"][0]["failure"]
    unread = rounds(plimsoll, "-c", "2", "--input", f"{tmp_path}/gone{{i}}", "--", "true", env=marked)
    assert "cannot read" in document(unread)["rounds"][0]["copies"][1]["failure"]


def test_time_out_ends_the_whole_process_group(plimsoll, marked):
    done = rounds(plimsoll, "-c", "3", "--timeout", "1500ms", "--kill-after", "200ms", "--shell", "--",
                  'test {i} = 1 || trap "" TERM; sleep 1000 & while :; do sleep 0.02; done', env=marked)
    one = document(done)["rounds"][0]
    assert [c.get("timed_out") for c in one["copies"]] == [True, True, True]
    assert "timed out after 1.50 s" in one["copies"][0]["failure"]
    assert one["copies"][0]["signal"] == signal.SIGTERM and one["copies"][1]["signal"] == signal.SIGKILL
    assert all(1.49 <= c["start_s"] + c["duration_s"] < 20 for c in one["copies"])


def test_what_outlives_a_copy_is_not_waited_for_but_named_and_stopped(plimsoll, marked):
    """In its group, in a session of its own, holding its output, deaf to TERM."""
    done = rounds(plimsoll, "-c", "1", "--kill-after", "300ms", "--", "sh", "-c",
                  '(trap "" TERM; while :; do sleep 0.05; done) & setsid sleep 777 >/dev/null 2>&1 & sleep 778 & sleep 1; exit 0',
                  env=marked, timeout_s=30)
    assert done.exit == 0, done
    one = document(done)["rounds"][0]
    assert one["copies"][0]["ok"] and one["makespan_s"] < 20
    named = " | ".join(one["left_behind"])
    assert "sleep 777" in named and "copy 1: sleep 778" in named and "copy 1: sh -c" in named
    assert "behind" in " ".join(document(done)["warnings"])


def test_what_a_setup_starts_may_live_until_its_cleanup(plimsoll, tmp_path, marked):
    done = rounds(plimsoll, "-c", "2", "--shell", "--setup", f"sleep 500 & echo $! >{tmp_path}/pid{{i}}",
                  "--cleanup", f"kill $(cat {tmp_path}/pid{{i}})", "--", f"kill -0 $(cat {tmp_path}/pid{{i}})", env=marked)
    assert done.exit == 0, done
    assert document(done)["rounds"][0]["left_behind"] == []


def test_closed_standard_streams_do_not_matter(plimsoll, marked):
    done = rounds(plimsoll, "-c", "4", "--", "sh", "-c", "exec >&- 2>&- <&-; sleep 0.05; exit 0", env=marked)
    assert done.exit == 0, done


def test_many_at_once(plimsoll, marked):
    done = rounds(plimsoll, "-c", "500", "--", "true", env=marked, timeout_s=120)
    assert done.exit == 0, done
    assert document(done)["totals"]["ok"] == 500


def test_a_round_of_a_thousand_and_a_thousand_rounds(plimsoll, marked, full):
    done = rounds(plimsoll, "-c", "1000", "--", "true", env=marked, timeout_s=240)
    assert done.exit == 0 and document(done)["totals"]["ok"] == 1000, done
    samples = 1000 if full else 200
    done = rounds(plimsoll, "--samples", str(samples), "--", "true", env=marked, timeout_s=240)
    assert done.exit == 0 and document(done)["totals"]["ok"] == samples, done


def test_too_many_for_the_limit_of_open_files_is_refused_at_once(plimsoll, tmp_path, marked):
    done = run(["sh", "-c", f"ulimit -n 200; exec {plimsoll} rounds --no-store -c 500 -- touch {tmp_path}/ran"], env=marked)
    assert done.exit == 2 and "200" in done.err, done
    assert not (tmp_path / "ran").exists()


def test_limits_and_signals_of_the_copies_are_ours_before_we_changed_them(plimsoll, marked):
    """SIGPIPE, which we ignore, is the 13th bit: of the fourth digit from the right."""
    done = run(["sh", "-c", f"ulimit -S -n 100; exec {plimsoll} rounds --no-store --json - -c 100 -- sh -c "
                "'test $(ulimit -S -n) = 100 && ! grep -q \"^SigIgn:.*[13579bdf]...$\" /proc/$$/status'"], env=marked)
    assert document(done)["totals"]["ok"] == 100, done


# Output.


def test_output_is_kept_line_by_line_with_its_time(plimsoll, tmp_path, marked):
    logs = tmp_path / "logs"
    script = r'printf "one\ntwo"; echo err >&2; sleep 0.2; printf " and a half\n\000nul\n\377\n"; printf "no end"'
    done = rounds(plimsoll, "-c", "2", "--log-dir", str(logs), "--setup", "echo setting {i}", "--", "sh", "-c", script,
                  env=marked)
    assert done.exit == 0, done
    for i in (1, 2):
        *lines, end = [json.loads(line) for line in (logs / f"round-001/copy-00{i}.jsonl").read_text().splitlines()]
        assert (end["end"], end["ok"], end["exit"]) == ("exit 0", True, 0) and end["t"] >= lines[-1]["t"] - 0.1, end
        out = [(line["line"], line.get("whole", True)) for line in lines if line["stream"] == "stdout"]
        assert out == [("one", True), ("two and a half", True), ("\0nul", True), ("\ufffd", True), ("no end", False)]
        assert [line["line"] for line in lines if line["stream"] == "stderr"] == ["err"]
        times = {line["line"]: line["t"] for line in lines}
        assert times["two and a half"] - times["one"] >= 0.19
        assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
        text = (logs / f"round-001/copy-00{i}.log").read_bytes()
        assert re.search(rb"(?m)^[A-Z][a-z]{2} [0-9]{2} [0-9:]{8} two and a half$", text)
        assert b" \xff\n" in text and re.search(rb" no end\n#plimsoll ended after [0-9.]+ s: ok: exit 0\n$", text)
        setting, end = (logs / f"round-001/setup-00{i}.log").read_text().splitlines()
        assert setting.endswith(f" setting {i}") and end.startswith("#plimsoll ended after ")


def test_a_line_of_any_length_is_kept_whole_in_bounded_pieces(plimsoll, tmp_path, marked):
    logs = tmp_path / "logs"
    done = rounds(plimsoll, "--log-dir", str(logs), "--", "sh", "-c", "head -c 1000000 /dev/zero | tr '\\000' x; echo", env=marked)
    assert done.exit == 0, done
    *lines, end = [json.loads(line) for line in (logs / "round-001/copy-001.jsonl").read_text().splitlines()]
    assert "line" not in end and end["ok"]
    assert "".join(line["line"] for line in lines) == "x" * 1000000
    assert max(len(line["line"]) for line in lines) <= 65536
    assert [line.get("whole", True) for line in lines[:-1]] == [False] * (len(lines) - 1) and "whole" not in lines[-1]
    text = (logs / "round-001/copy-001.log").read_text()
    line, end = text.splitlines()
    assert line.endswith(" " + "x" * 1000000) and end.startswith("#plimsoll ended")


def test_a_copy_that_prints_a_lot_costs_bounded_memory(plimsoll, marked, full):
    size = 1000000000 if full else 200000000
    done = rounds(plimsoll, "-c", "2", "--", "head", "-c", str(size), "/dev/zero", env=marked, watch_rss=True, timeout_s=120)
    assert done.exit == 0, done
    assert [c["output_bytes"] for c in document(done)["rounds"][0]["copies"]] == [size, size]
    assert done.peak_rss < 64 << 20


def test_a_full_disk_loses_the_log_and_not_the_measurement(plimsoll, tmp_path, marked):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "round-001").mkdir()
    os.symlink("/dev/full", logs / "round-001/copy-001.log")
    done = rounds(plimsoll, "--log-dir", str(logs), "--", "seq", "10000", env=marked)
    assert done.exit == 0, done
    assert "No space left" in " ".join(document(done)["warnings"])


# Set-up, clean-up, ends.


def test_a_setup_that_fails_keeps_its_round_from_running(plimsoll, tmp_path, marked):
    setup = ["--setup", f"sh -c 'echo cannot {{i}}; test {{i}} != 2'", "--cleanup", f"touch {tmp_path}/cleaned{{i}}"]
    done = rounds(plimsoll, "-c", "2", "--samples", "2", *setup, "--", "touch", f"{tmp_path}/ran", env=marked)
    assert done.exit == 3, done
    doc = document(done)
    assert doc["totals"]["started"] == 0 and not (tmp_path / "ran").exists()
    assert doc["rounds"][0]["hook_failures"] == [
        {"what": "setup", "index": 2, "failure": "exit 1", "last_lines": ["cannot 2"]}]
    assert "cannot 2" in " ".join(doc["reasons"])
    assert len(doc["rounds"]) == 1, "without --keep-going nothing follows"
    assert (tmp_path / "cleaned1").exists() and (tmp_path / "cleaned2").exists()
    done = rounds(plimsoll, "-c", "2", "--ignore-setup", *setup, "--", "touch", f"{tmp_path}/ran", env=marked)
    assert done.exit == 0 and (tmp_path / "ran").exists(), done
    assert document(done)["totals"]["ok"] == 2


def test_a_round_without_a_success_ends_the_run_unless_told_otherwise(plimsoll, marked):
    done = rounds(plimsoll, "--samples", "3", "--", "false", env=marked)
    assert done.exit == 3 and len(document(done)["rounds"]) == 1, done
    done = rounds(plimsoll, "--samples", "3", "--keep-going", "--", "false", env=marked)
    assert done.exit == 3 and len(document(done)["rounds"]) == 3, done


def test_some_failures_are_valid_up_to_max_errors(plimsoll, marked):
    some = ["-c", "4", "--", "sh", "-c", "test {i} != 1"]
    assert rounds(plimsoll, *some, env=marked).exit == 3
    assert rounds(plimsoll, "--max-errors", "25%", *some, env=marked).exit == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleans_up_and_reports_the_rounds_so_far(plimsoll, tmp_path, marked, number):
    process = Process([plimsoll, "rounds", "--no-store", "--json", "-", "-c", "1,3", "--samples", "50", "--cleanup",
                       f"touch {tmp_path}/cleaned-{{round}}-{{i}}", "--", "sh", "-c",
                       f"touch {tmp_path}/in-{{round}}-{{i}}; test {{n}} = 1 || exec sleep 600"], env=marked)
    wait_until(lambda: (tmp_path / "in-2-3").exists(), "the second round")
    process.signal(number)
    done = process.finish(30)
    assert done.exit == 130, done
    doc = document(done)
    assert doc["interrupted"] and [r["concurrency"] for r in doc["rounds"]] == [1, 3]
    assert doc["rounds"][0]["ok"] == 1 and doc["rounds"][1]["unfinished"] == 3
    assert all((tmp_path / f"cleaned-2-{i}").exists() for i in (1, 2, 3))


def test_killed_outright_it_takes_its_copies_along(plimsoll, tmp_path, marked):
    process = Process([plimsoll, "rounds", "--no-store", "-c", "3", "--", "sh", "-c", f"touch {tmp_path}/in{{i}}; exec sleep 600"],
                      env=marked)
    wait_until(lambda: all((tmp_path / f"in{i}").exists() for i in (1, 2, 3)), "the copies")
    process.signal(signal.SIGKILL)
    process.finish(10)
    mark = "=".join(*marked.items())
    wait_until(lambda: descendants_named(mark) == [], "the end of the copies")


# Words, shells, comparisons.


def test_a_pipe_fails_when_any_part_of_it_does(plimsoll, marked):
    done = rounds(plimsoll, "--shell", "--", "false | cat", env=marked)
    assert done.exit == 3 and document(done)["rounds"][0]["failed"] == 1, done


def test_without_a_shell_its_signs_are_refused(plimsoll, marked):
    for command in ("false | cat", "echo $HOME", "a; b", "a >b"):
        done = rounds(plimsoll, command, env=marked)
        assert done.exit == 2 and "--shell" in done.err, done
    done = rounds(plimsoll, "--", "sh", "-c", "test '$HOME;|' = '$HOME;|'", env=marked)
    assert done.exit == 0, done


def test_no_bash_is_said(plimsoll, tmp_path, marked):
    os.symlink("/bin/sh", tmp_path / "sh")
    done = rounds(plimsoll, "--shell", "--", "exit 0", env={**marked, "PATH": str(tmp_path)})
    assert done.exit == 0 and "pipefail" in " ".join(document(done)["warnings"]), done


@pytest.mark.parametrize("args, why", [
    (["-c", "0", "--", "true"], "no number of copies"),
    (["-c", "2,2", "--", "true"], "twice"),
    (["-c", "2"], "no command"),
    (["sleep", "1"], "no -- stands before it"),
    (["--", "no-such-program-anywhere"], "no program"),
    (["--setup", "no-such-program-anywhere", "--", "true"], "no program"),
    (["--env", "X", "--", "true"], "NAME=VALUE"),
    (["--expect-exit", "256", "--", "true"], "exit code"),
    (["--order", "random", "--", "true"], "order"),
    (["--ignore-setup", "--", "true"], "--setup"),
    (["--concurency", "2", "--", "true"], "--concurrency"),
    (["--phases", "no-such-phases", "--", "true"], "no-such-phases"),
])
def test_what_is_wrong_is_told_before_anything_runs(plimsoll, args, why):
    done = rounds(plimsoll, *args)
    assert done.exit == 2 and why in done.err, done


def test_values_of_variables_and_passwords_are_nowhere(plimsoll, tmp_path, marked):
    done = rounds(plimsoll, "--env", "TOKEN=s3cr3t-one", "--", "sh", "-c", "true", "curl", "-u", "me:s3cr3t-two", env=marked)
    assert done.exit == 0 and "s3cr3t" not in done.out + done.err, done


def test_compare_runs_in_turn_and_tells_which_is_slower(plimsoll, marked):
    done = rounds(plimsoll, "-c", "2", "--samples", "6", "--compare", "sleep 0.4", "--", "sleep", "0.05", env=marked)
    assert done.exit == 1 and "regressed" in done.err, done
    series = [r["series"] for r in document(done)["rounds"]]
    assert series == [0, 1, 1, 0] * 3, "A and B are first in turn"
    done = rounds(plimsoll, "-c", "2", "--samples", "6", "--compare", "sleep 0.05", "--", "sleep", "0.4", env=marked)
    assert done.exit == 0 and "improved" in done.err, done


def test_documents_are_compared(plimsoll, tmp_path, marked):
    for name, command in (("base", "sleep 0.05"), ("new", "sleep 0.4")):
        done = rounds(plimsoll, "-c", "1,2", "--samples", "5", command, env=marked)
        (tmp_path / f"{name}.json").write_text(done.out)
    done = run([plimsoll, "compare", "--same-session", f"{tmp_path}/base.json", f"{tmp_path}/new.json"])
    assert done.exit == 1 and "mean_ok_s" in done.out and "regressed" in done.out, done


def test_dry_run_runs_nothing(plimsoll, tmp_path):
    done = run([plimsoll, "rounds", "--dry-run", "-c", "1,2", "--", "touch", f"{tmp_path}/ran"])
    assert done.exit == 0 and "touch" in done.out and not (tmp_path / "ran").exists(), done


def test_phases_are_timed_by_the_lines(plimsoll, tmp_path, marked):
    (tmp_path / "phases.yaml").write_text("phases:\n  - name: wait\n    first: '^begin'\n    last: '^end'\n")
    done = rounds(plimsoll, "-c", "2", "--phases", f"{tmp_path}/phases.yaml", "--", "sh", "-c", "echo begin; sleep 0.2; echo end",
                  env=marked)
    for copy in document(done)["rounds"][0]["copies"]:
        assert 0.19 <= copy["phases"]["wait"] <= copy["duration_s"]


def test_progress(plimsoll, marked):
    done = rounds(plimsoll, "-c", "1,2", "--progress", "json", "--", "sleep", "0.2", env=marked)
    seen = [json.loads(line) for line in done.err.splitlines() if line.startswith("{")]
    assert {s["stage"] for s in seen} >= {"starting", "running"} and seen[-1]["rounds"] == 2
