# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal: a program runs on a pseudo-terminal of ours, and what it writes is drawn on a screen of cells.

Strict: a sequence that it does not know, text beyond the last column, or a scroll of the whole screen is noted in screen.faults.
"""
import codecs
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import threading
import time
import unicodedata

from lib.process import wait_until

SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")
LIMIT_S = 60


def cells_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """Cells, cursor and the two screens (main and alternate) of one terminal."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.alternate = False
        self.cursor_visible = self.wraps = True
        self.colours = set()
        self.faults, self._stale = [], False
        self.last_of_alternate = []
        self.main_text = ""
        self._x = self._y = 0
        self._pending = ""
        self._clear()

    def _clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]

    def resize(self, columns, rows):
        """What was written for the old size is no fault: until the screen is cleared none is noted."""
        self.columns, self.rows = columns, rows
        self._stale = True
        self._clear()

    def _fault(self, what):
        if not self._stale:
            self.faults.append(what)

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def feed(self, text):
        text, self._pending = self._pending + text, ""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                found = SEQUENCE.match(text, at)
                if not found:
                    if len(text) - at < 12:
                        self._pending = text[at:]
                        return
                    self.faults.append(f"unknown sequence {text[at:at + 12]!r}")
                    at += 1
                    continue
                self._sequence(*found.groups())
                at = found.end()
                continue
            self._put(text[at])
            at += 1

    def _sequence(self, private, numbers, final):
        values = [int(n) if n else 0 for n in numbers.split(";")]
        if private:
            self._mode(values[0], final == "h")
        elif final == "H":
            self._y, self._x = (values + [1, 1])[0] - 1, (values + [1, 1])[1] - 1
            if self._y >= self.rows:
                self._fault(f"row {self._y + 1} of {self.rows}")
        elif final == "J" and values[0] == 2:
            self._stale = False
            self._clear()
        elif final == "K" and values[0] == 2:
            if self._y < self.rows:
                self.cells[self._y] = [" "] * self.columns
        elif final == "m":
            self.colours.update(values)
        else:
            self.faults.append(f"unknown sequence {private}{numbers}{final}")

    def _mode(self, number, on):
        if number == 1049:
            if self.alternate and not on:
                self.last_of_alternate = self.lines()
            self.alternate = on
            self._x = self._y = 0
        elif number == 25:
            self.cursor_visible = on
        elif number == 7:
            self.wraps = on
        else:
            self.faults.append(f"unknown mode {number}")

    def _put(self, character):
        if not self.alternate:
            self.main_text += character
            return
        if unicodedata.category(character) == "Cc":
            self.faults.append(f"control character {character!r} on the screen")
            return
        width = cells_of(character)
        if self._x + width > self.columns or self._y >= self.rows:
            self._fault(f"{character!r} in column {self._x + 1} of {self.columns}, row {self._y + 1} of {self.rows}")
            return
        if width:
            self.cells[self._y][self._x] = character
            if width == 2:
                self.cells[self._y][self._x + 1] = ""
        self._x += width


class Terminal:
    """Runs argv on a terminal of its own, in its foreground; use as a context."""

    def __init__(self, argv, columns=80, rows=24, env=None, stdin=None, cwd=None):
        self.screen = Screen(columns, rows)
        self.raw = ""
        self._lock = threading.Condition()
        self._master, slave = pty.openpty()
        self._slave = slave
        self._size(columns, rows)
        self.before = termios.tcgetattr(slave)
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
        environment.update({"TERM": "xterm-256color", "LANG": "C.UTF-8"}, **(env or {}))
        self.process = subprocess.Popen(argv, stdin=slave if stdin is None else stdin, stdout=slave, stderr=slave, cwd=cwd,
                                        env=environment, preexec_fn=self._become_foreground)
        self._end = False
        self._idle = 0  # how often there was nothing to read
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @staticmethod
    def _become_foreground():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setsid()
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LIMIT_S)
        self._end = True
        self._reader.join(LIMIT_S)
        os.close(self._master)
        os.close(self._slave)

    def _size(self, columns, rows):
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        with self._lock:
            self._size(columns, rows)
            self.screen.resize(columns, rows)

    def _read(self):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            ready, _, _ = select.select([self._master], [], [], 0.05)
            if not ready:
                self._idle += 1
                if self._end:
                    return
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                text = decoder.decode(data)
                self.raw += text
                self.screen.feed(text)
                self._lock.notify_all()

    def wait_for(self, condition, what, limit_s=LIMIT_S):
        """Until condition(screen) is true; its value."""
        until = time.monotonic() + limit_s
        with self._lock:
            while True:
                value = condition(self.screen)
                if value:
                    return value
                left = until - time.monotonic()
                assert left > 0, f"never seen: {what}\n{self.screen.text()}\n{self.screen.main_text[-2000:]}"
                self._lock.wait(min(left, 0.5))

    def press(self, keys):
        os.write(self._master, keys.encode())

    def wait(self, limit_s=LIMIT_S):
        """The exit code, when everything it wrote is drawn."""
        code = self.process.wait(limit_s)
        idle = self._idle
        wait_until(lambda: self._idle >= idle + 2 or not self._reader.is_alive(), "all of it is read", limit_s=limit_s)
        return code

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def after(self):
        """The terminal's settings now."""
        return termios.tcgetattr(self._slave)

    def assert_whole(self):
        """Everything of the terminal is as it was."""
        assert self.after() == self.before, "the settings of the terminal changed"
        assert not self.screen.alternate, "still on the other screen"
        assert self.screen.cursor_visible and self.screen.wraps
        assert not self.screen.faults, self.screen.faults[:5]
