# SPDX-License-Identifier: GPL-3.0-or-later
"""Child processes that are bounded in time and always collected. Nothing is ended but what was started here, by its own pid."""
import os
import random
import re
import select
import signal
import socket
import subprocess
import tempfile
import time


class TimedOut(AssertionError):
    pass


def wait_until(condition, what, limit_s=10.0, step_s=0.01):
    """Polls until condition() is true and returns its value; fails with `what` after limit_s."""
    end = time.monotonic() + limit_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimedOut(f"not within {limit_s} s: {what}")
        time.sleep(step_s)


PORTS_OF_A_WORKER = 1000
_given_out = set()


def free_port(family=socket.AF_INET, host="127.0.0.1"):
    """One below the kernel's own range: a port of that may be taken by somebody's connection before the server has it.

    Nor is it another test's: each of those that run side by side has a range of its own, and none is given out twice."""
    worker = int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0) % 16
    first = 15000 + worker * PORTS_OF_A_WORKER
    for _ in range(2000):
        port = random.randrange(first, first + PORTS_OF_A_WORKER)
        if port in _given_out and len(_given_out) < PORTS_OF_A_WORKER // 2:
            continue
        with socket.socket(family) as s:
            try:
                s.bind((host, port))
                _given_out.add(port)
                return port
            except OSError:
                continue
    raise AssertionError(f"no free port of the {PORTS_OF_A_WORKER} from {first} on")


def accepts(port, host="127.0.0.1"):
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


class Finished:
    def __init__(self, argv, code, out, err, wall_s, peak_rss):
        self.argv, self.exit, self.out, self.err = argv, code, out, err
        self.wall_s, self.peak_rss = wall_s, peak_rss

    def __repr__(self):
        return (f"exit {self.exit} after {self.wall_s:.2f} s: {' '.join(self.argv)}\n"
                f"--- stderr\n{self.err[-4000:]}\n--- stdout\n{self.out[:4000]}")


class Process:
    """A child with its output in files. finish() waits, bounded, and returns a Finished."""

    def __init__(self, argv, env=None, cwd=None, stdin=b"", watch_rss=False):
        self.argv = [str(a) for a in argv]
        self._out, self._err, self._in = (tempfile.TemporaryFile() for _ in range(3))
        self._in.write(stdin)
        self._in.seek(0)
        self._watch_rss, self.peak_rss = watch_rss, 0
        self._code = None
        self.started = time.monotonic()
        self._child = subprocess.Popen(self.argv, stdin=self._in, stdout=self._out, stderr=self._err, cwd=cwd,
                                       env={**os.environ, **(env or {})}, start_new_session=True)
        self.pid = self._child.pid
        self._pidfd = os.pidfd_open(self.pid)

    def signal(self, number):
        if self._code is None:
            self._child.send_signal(number)

    def kill(self):
        """The child and the group it leads."""
        if self._code is None and self._child.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)

    def running(self):
        return self._child.poll() is None

    def out(self):
        return self._read(self._out)

    def err(self):
        return self._read(self._err)

    @staticmethod
    def _read(file):
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode("utf-8", "replace")

    def _sample_rss(self):
        try:
            with open(f"/proc/{self.pid}/status") as status:
                for line in status:
                    if line.startswith("VmHWM:"):
                        self.peak_rss = max(self.peak_rss, int(line.split()[1]) * 1024)
        except OSError:
            pass

    def finish(self, timeout_s):
        end = time.monotonic() + timeout_s
        while not select.select([self._pidfd], [], [], 0.02 if self._watch_rss else 0.2)[0]:
            if self._watch_rss:
                self._sample_rss()
            if time.monotonic() > end:
                self.kill()
                self._child.wait()
                raise TimedOut(f"still running after {timeout_s} s: {' '.join(self.argv)}\n{self.err()[-4000:]}")
        wall_s = time.monotonic() - self.started
        self._code = self._child.wait()
        done = Finished(self.argv, self._code, self.out(), self.err(), wall_s, self.peak_rss)
        self.close()
        return done

    def close(self):
        """Ends the child when it still runs; safe to call twice."""
        self.kill()
        self._child.wait()
        self._code = self._child.returncode
        for file in (self._out, self._err, self._in):
            file.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


def run(argv, timeout_s=60.0, **how):
    return Process(argv, **how).finish(timeout_s)


class Daemon:
    """A server of the tests: runs until stop(), which must not fail."""

    def __init__(self, argv, env=None):
        self.process = Process(argv, env=env)

    def wait_for(self, condition, what, limit_s=15.0):
        def ready():
            if not self.process.running():
                raise AssertionError(f"{what}: it ended: {self.process.out()}{self.process.err()}")
            return condition()

        try:
            return wait_until(ready, what, limit_s)
        except BaseException:
            self.process.close()
            raise

    def stop(self, number=signal.SIGTERM, limit_s=15.0):
        self.process.signal(number)
        return self.process.finish(limit_s)
