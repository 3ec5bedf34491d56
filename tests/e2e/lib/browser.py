# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser without a window: what a page has become once it has come to rest, and what it complained of."""
import re
import shutil
import subprocess

import pytest

LIMIT_S = 180


class Browser:
    def __init__(self, profile):
        self.program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not self.program:
            pytest.skip("no Chromium here")
        self.profile = str(profile)
        self.console = []  # of the page asked for last

    def dom(self, url, *options, budget_ms=20000):
        """The document as it stands after budget_ms of the page's own time, which pass as fast as it can work."""
        words = [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 f"--user-data-dir={self.profile}", f"--virtual-time-budget={budget_ms}", "--enable-logging=stderr", *options, "--dump-dom", url]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr[-2000:]
        self.console = re.findall(r":CONSOLE[^\]]*\] (.*)", done.stderr)
        return done.stdout
