# SPDX-License-Identifier: GPL-3.0-or-later
"""A network and mount namespace of its own: local port ranges, /etc/hosts and socket limits that the machine does not feel."""
import os
import subprocess

from lib.process import Process, wait_until


class Namespace:
    """Held open by a sleeping process; prefix runs a command inside."""

    def __init__(self, hosts=None, **sysctls):
        self._holder = Process(["unshare", "-n", "-m", "sleep", "600"])
        self.prefix = ["nsenter", "-t", str(self._holder.pid), "-n", "-m", "--"]
        own = os.readlink("/proc/self/ns/net")
        wait_until(lambda: self._namespace() not in (own, None) and self._command() == "sleep", "the namespace")
        self.run("ip", "link", "set", "lo", "up")
        for name, value in sysctls.items():
            self.run("sh", "-c", f'printf "%s" "{value}" >/proc/sys/net/ipv4/{name}')
        if hosts:
            self.run("mount", "--bind", str(hosts), "/etc/hosts")

    def _namespace(self):
        try:
            return os.readlink(f"/proc/{self._holder.pid}/ns/net")
        except OSError:
            return None

    def _command(self):
        try:
            with open(f"/proc/{self._holder.pid}/comm") as file:
                return file.read().strip()
        except OSError:
            return None

    def run(self, *argv):
        subprocess.run([*self.prefix, *argv], check=True, timeout=20, capture_output=True)

    def close(self):
        self._holder.close()
