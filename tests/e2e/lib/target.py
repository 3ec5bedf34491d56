# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripted target (target/): started with a script, asked for its counts."""
import json
import os
import socket
import subprocess

from lib.process import Daemon

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))


def _newest_source():
    folder = os.path.join(HERE, "target")
    return max(os.path.getmtime(os.path.join(folder, name)) for name in os.listdir(folder))


def find_program(scratch):
    """PLIMSOLL_E2E_TARGET, else what Meson built, else compiled now."""
    named = os.environ.get("PLIMSOLL_E2E_TARGET")
    if named:
        return named
    for build in ("build-test", "build"):
        path = os.path.join(ROOT, build, "tests", "e2e", "target")
        if os.path.isfile(path) and os.path.getmtime(path) >= _newest_source():
            return path
    path = os.path.join(scratch, "target")
    folder = os.path.join(HERE, "target")
    sources = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".c")]
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-o", path, *sources], check=True, timeout=120)
    return path


def reply(status="200 OK", fields=(), body="ok", length=None):
    """A reply in the target's notation; length None says the body's own, False says none. body may hold the target's steps
    when length is given."""
    lines = [f"HTTP/1.1 {status}", *fields]
    if length is None:
        length = len(body)
    if length is not False:
        lines.append(f"Content-Length: {length}")
    return "".join(line + r"\r\n" for line in lines) + r"\r\n" + body


OK = reply()


class Target(Daemon):
    def __init__(self, program, *replies, when=(), listen=(), prefix=(), **options):
        argv = [*prefix, program]
        if "port" in options:
            argv += ["--port", str(options.pop("port"))]
        for address in listen:
            argv += ["--listen", address]
        for address in options.pop("dead", ()):
            argv += ["--dead", address]
        for text in replies:
            argv += ["--reply", text]
        for rule in when:
            argv += ["--when", rule]
        for name, value in options.items():
            argv += ["--" + name.replace("_", "-")] + ([] if value is True else [str(value)])
        super().__init__(argv)
        first = self.wait_for(lambda: "\n" in self.process.out() and self.process.out().split("\n")[0], "the target's first line")
        started = json.loads(first)
        self.ports, self.control = started["ports"], started["control"]
        self._final = None

    @property
    def port(self):
        return self.ports[0]

    def url(self, path="/", host="127.0.0.1", scheme="http", port=None):
        return f"{scheme}://{host}:{port or self.port}{path}"

    def urls(self, path="/"):
        return [self.url(path, port=port) for port in self.ports]

    def counts(self):
        if self._final is not None:
            return self._final
        with socket.create_connection(("127.0.0.1", self.control), timeout=10) as s:
            return json.loads(s.makefile().read())

    def stop(self):
        if self._final is None:
            done = super().stop()
            assert done.exit == 0, done
            self._final = json.loads(done.out.rstrip("\n").split("\n")[-1])
        return self._final
