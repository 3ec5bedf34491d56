# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm of one node: munged, slurmctld and slurmd with a folder, ports and a key of their own."""
import os
import shutil
import socket
import subprocess
import tempfile

from lib.process import Daemon, free_port, wait_until

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/linear
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MailProg=/bin/true
KillWait=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Names of programs that are not here."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if not shutil.which(name, path=path)]


class Slurm:
    """env is what sbatch and the others need; say() is what the daemons said, when something did not work."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="slurm-", dir="/tmp")  # a short name: the socket's has 107 bytes at most
        self.env = {"SLURM_CONF": os.path.join(self.folder, "slurm.conf"), "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
        self._daemons = []
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self):
        f = self.folder
        with open(f"{f}/munge.key", "wb") as key:
            key.write(os.urandom(128))
        os.chmod(f"{f}/munge.key", 0o600)
        for name in ("state", "spool"):
            os.mkdir(f"{f}/{name}")
        with open(f"{f}/slurm.conf", "w") as config:
            config.write(CONFIG.format(host=socket.gethostname().split(".")[0], folder=f, ctld_port=free_port(), slurmd_port=free_port(),
                                       user=subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()))
        self._daemon("/usr/sbin/munged", "--foreground", "--force", f"--socket={f}/munge.sock", f"--key-file={f}/munge.key",
                     f"--pid-file={f}/munged.pid", f"--seed-file={f}/munge.seed", "--num-threads=2").wait_for(
                         lambda: os.path.exists(f"{f}/munge.sock"), "munged listens")
        self._daemon("slurmctld", "-D", "-c")
        node = self._daemon("slurmd", "-D", "-c")
        node.wait_for(lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle", "the node is idle", limit_s=40)

    def _daemon(self, *argv):
        self._daemons.append(Daemon(argv, env=self.env))
        return self._daemons[-1]

    def ask(self, *argv):
        return subprocess.run(argv, env={**os.environ, **self.env}, capture_output=True, text=True, timeout=30).stdout.strip()

    def said(self):
        return "\n".join(d.process.err()[-2000:] for d in self._daemons)

    def wait_for_job(self, job, limit_s=90):
        """Its last state."""
        going = ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING")
        return wait_until(lambda: next((s for s in [self.ask("squeue", "--noheader", "--states=all", "--format=%T", "--jobs", job)]
                                        if s and s not in going), None), f"job {job} ends", limit_s, 0.2)

    def stop(self):
        if self._daemons:
            self.ask("scancel", "--partition=test")
        for daemon in reversed(self._daemons):
            daemon.process.signal(15)
            try:
                daemon.process.finish(15)
            except AssertionError:
                pass
            daemon.process.close()
        shutil.rmtree(self.folder, ignore_errors=True)
