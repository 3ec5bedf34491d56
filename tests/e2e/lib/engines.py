# SPDX-License-Identifier: GPL-3.0-or-later
"""The engines that one machine can hold, as fixtures: Open MPI's mpirun, Slurm of one node, GNU parallel. Tests import them."""
import os
import shutil
import subprocess

import pytest

from lib import slurm as slurm_lib
from lib.process import run

# Shares wait for this; it is what a busy machine needs to start them all. Plus 2 s until one counts as late.
START = "--start-in=5s"
MPI_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PLIMSOLL_DB": "results.db"}


@pytest.fixture(scope="session")
def mpi(plimsoll):
    """Words of a job under mpirun."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not here")
    done = run(["mpirun", "-n", "2", "--oversubscribe", "true"], 60, env=MPI_ENV)
    if done.exit != 0:
        pytest.skip(f"mpirun can not start here: {done.err[-500:]}")
    return ("mpi", "-n", "4", "--per-machine", "4", "--launcher=--oversubscribe", START, "--program", plimsoll)


@pytest.fixture(scope="module")
def slurm():
    missing = slurm_lib.missing()
    if missing:
        pytest.skip(f"not here: {', '.join(missing)}")
    try:
        cluster = slurm_lib.Slurm()
    except AssertionError as reason:
        pytest.skip(f"Slurm can not start here: {reason}")
    done = subprocess.run(["srun", "-n", "2", "true"], env={**os.environ, **cluster.env}, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        reason = f"srun can not start here: {done.stderr}{cluster.said()}"
        cluster.stop()
        pytest.skip(reason)
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def parallel():
    if not shutil.which("parallel"):
        pytest.skip("GNU parallel is not here")


@pytest.fixture(scope="session")
def pods_permitted():
    """Root's: other users, and mounts."""
    done = subprocess.run(["unshare", "-m", "setpriv", "--reuid", "65532", "--clear-groups", "true"], capture_output=True, text=True, timeout=20)
    if done.returncode != 0:
        pytest.skip(f"pods can not be run here: {done.stderr.strip()}")
