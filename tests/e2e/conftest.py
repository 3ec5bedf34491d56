# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the end-to-end tests. Run them with ./dev test, or: PLIMSOLL=build/plimsoll python3 -m pytest tests/e2e [--full]"""
import os
import signal
import subprocess

import pytest

from lib import certificates, peers, target
from lib.load import Loader, find_program
from lib.namespace import Namespace
from lib.tls_target import TlsTarget


# Whoever starts the tests in the background has these ignored, and programs that are started keep it so.
for number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="long cases as they are written, not scaled down")


@pytest.fixture(scope="session", autouse=True)
def _store_of_the_tests(tmp_path_factory):
    """Nothing that the tests run writes to the store of whoever runs them."""
    before = os.environ.get("PLIMSOLL_DB")
    os.environ["PLIMSOLL_DB"] = str(tmp_path_factory.mktemp("store") / "results.db")
    yield
    os.environ.pop("PLIMSOLL_DB")
    if before is not None:
        os.environ["PLIMSOLL_DB"] = before


@pytest.fixture(scope="session")
def full(request):
    """True: the cases' own figures; false: scaled down, with the same asserts."""
    return request.config.getoption("--full") or os.environ.get("PLIMSOLL_FULL") == "1"


@pytest.fixture(scope="session")
def plimsoll():
    return find_program(target.ROOT)


@pytest.fixture(scope="session")
def load(plimsoll):
    return Loader(plimsoll)


@pytest.fixture(scope="session")
def target_program(tmp_path_factory):
    return target.find_program(str(tmp_path_factory.mktemp("target")))


@pytest.fixture
def start_target(target_program):
    """start_target(reply…, when=[…], …): a scripted target that ends with the test."""
    started = []

    def start(*replies, **options):
        started.append(target.Target(target_program, *replies, **options))
        return started[-1]

    yield start
    for one in started:
        one.process.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return certificates.Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def start_tls_target(authority):
    started = []

    def start(**options):
        cert, key = options.pop("cert", authority.cert), options.pop("key", authority.key)
        started.append(TlsTarget(cert, key, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="session")
def nginx(tmp_path_factory, authority):
    server = peers.Nginx(tmp_path_factory.mktemp("nginx"), authority)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def haproxy(tmp_path_factory, authority, nginx):
    server = peers.Haproxy(tmp_path_factory.mktemp("haproxy"), authority, nginx)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def serve(plimsoll, authority):
    server = peers.Serve(plimsoll, authority)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def _namespaces_permitted():
    try:
        done = subprocess.run(["unshare", "-n", "-m", "ip", "link", "set", "lo", "up"], capture_output=True, text=True, timeout=20)
    except FileNotFoundError as missing:
        return str(missing)
    return done.stderr.strip() if done.returncode else ""


@pytest.fixture
def start_namespace(_namespaces_permitted):
    """start_namespace(hosts=FILE, ip_local_port_range="…"); the test is skipped, saying why, where namespaces are not permitted."""
    if _namespaces_permitted:
        pytest.skip(f"no network namespace here: {_namespaces_permitted}")
    started = []

    def start(**options):
        started.append(Namespace(**options))
        return started[-1]

    yield start
    for one in started:
        one.close()
