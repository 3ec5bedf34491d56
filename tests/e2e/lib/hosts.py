# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts that are network namespaces: each has its own address, ports and sshd, all hang on one bridge. A server of several
processes stands beside the bridge."""
import os
import re
import subprocess
import tempfile

from lib.process import Daemon

SSHD = """
Port 22
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/login_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
AcceptEnv *
MaxStartups 100
"""

SSH = """
Host {names}
  User root
  IdentityFile {folder}/login_key
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  GlobalKnownHostsFile /dev/null
  LogLevel ERROR
  ConnectTimeout 30
"""

NGINX = """
{user}
daemon off; master_process on; worker_processes {processes}; worker_rlimit_nofile {files};
pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections {connections}; multi_accept on; }}
http {{
  access_log off; keepalive_requests 1000000; keepalive_timeout 600s; client_header_timeout 600s;
  server {{
    listen {address}:80 reuseport backlog=16384;
    location / {{ return 200 "ok"; }}
    location = /status {{ stub_status; keepalive_timeout 0; }}
  }}
}}
"""


class Hosts:
    """names of the hosts; prefix runs a command beside the bridge, env has what parallel needs to reach them by ssh."""
    HUB = "10.77.0.254"

    def __init__(self, start_namespace, count):
        self.folder = tempfile.mkdtemp(prefix="hosts-", dir="/tmp")
        self.names = [f"host-{k}" for k in range(1, count + 1)]
        self._daemons = []
        etc_hosts = self._write("hosts", "127.0.0.1 localhost\n" + "".join(f"{self._address(k)} {n}\n" for k, n in enumerate(self.names, 1)))
        self.hub = start_namespace(hosts=etc_hosts)
        self.prefix = self.hub.prefix
        self.hub.run("sh", "-c", f"ip link add br0 type bridge && ip addr add {self.HUB}/24 dev br0 && ip link set br0 up")
        self._keys()
        self.spaces = [start_namespace(hosts=etc_hosts, ip_local_port_range="10000 65000") for _ in self.names]
        for k, space in enumerate(self.spaces, 1):
            self._join(k, space)

    def _address(self, k):
        return f"10.77.0.{k}"

    def _write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def _keys(self):
        for name in ("host_key", "login_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/{name}"], check=True, timeout=30)
        self._write("ssh_config", SSH.format(names=" ".join(self.names), folder=self.folder))
        # sshd refuses a locked account, and root often is one: in the hosts it has a password that nobody knows.
        with open("/etc/shadow") as shadow:
            self._write("shadow", re.sub(r"^root:[^:]*:", "root:*:", shadow.read(), flags=re.M))
        self.env = {"PARALLEL_SSH": f"ssh -F {self.folder}/ssh_config"}

    def _join(self, k, space):
        self.hub.run("ip", "link", "add", f"v{k}", "type", "veth", "peer", "name", "eth0", "netns", space.prefix[2])
        self.hub.run("sh", "-c", f"ip link set v{k} master br0 up")
        space.run("sh", "-c", f"ip addr add {self._address(k)}/24 dev eth0 && ip link set eth0 up && mount -t tmpfs none /run && mkdir -p /run/sshd "
                              f"&& mount --bind {self.folder}/shadow /etc/shadow")
        config = self._write(f"sshd_{k}", SSHD.format(address=self._address(k), folder=self.folder))
        self._daemons.append(Daemon([*space.prefix, "/usr/sbin/sshd", "-D", "-e", "-f", config]))
        self._daemons[-1].wait_for(lambda: self.reaches(self._address(k), 22), f"sshd of {self.names[k - 1]} listens", 30)

    def at(self, folder):
        """The prefix, for a command that begins in a folder: nsenter would leave it in /."""
        return [*self.prefix, "env", "-C", str(folder)]

    def processes_of(self, index):
        """(pid, words) of what runs on a host."""
        own = os.readlink(f"/proc/{self.spaces[index].prefix[2]}/ns/net")
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/ns/net") == own:
                    with open(f"/proc/{pid}/cmdline") as words:
                        yield int(pid), words.read().split("\0")[:-1]
            except OSError:  # it has ended
                continue

    def reaches(self, address, port):
        return subprocess.run([*self.prefix, "bash", "-c", f"</dev/tcp/{address}/{port}"], capture_output=True, timeout=20).returncode == 0

    def serve(self, processes, connections):
        """nginx, each of its processes with a socket of its own (SO_REUSEPORT)."""
        folder = os.path.join(self.folder, "nginx")
        os.mkdir(folder)
        config = self._write("nginx.conf", NGINX.format(user="user root;", folder=folder, processes=processes, address=self.HUB,
                                                        connections=connections, files=connections + 64))
        self._daemons.append(Daemon([*self.prefix, "nginx", "-e", f"{folder}/error.log", "-p", folder, "-c", config]))
        self._daemons[-1].wait_for(lambda: self.reaches(self.HUB, 80), "nginx listens", 30)
        self._asked = 0
        return f"http://{self.HUB}/"

    def _status(self):
        said = subprocess.run([*self.prefix, "curl", "-s", f"http://{self.HUB}/status"], capture_output=True, text=True, timeout=60).stdout
        self._asked += 1
        return said

    def requests(self):
        """How many nginx counted, these questions left out."""
        counted = int(re.search(r"\n\s*\d+ \d+ (\d+)", self._status())[1])
        return counted - self._asked

    def active(self):
        """Connections that are open now, this question left out."""
        return int(re.search(r"Active connections: (\d+)", self._status())[1]) - 1

    def close(self):
        for daemon in reversed(self._daemons):
            daemon.process.signal(15)
            try:
                daemon.process.finish(15)
            except AssertionError:
                pass
            daemon.process.close()
        subprocess.run(["rm", "-rf", self.folder], check=False, timeout=60)
