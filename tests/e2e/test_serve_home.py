# SPDX-License-Identifier: GPL-3.0-or-later
"""The home page of plimsoll serve, in a real browser where there is one."""
import html
import re

import pytest

from lib.browser import Browser
from lib.serve_http import Server

BROWSER = ["text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]


@pytest.fixture(scope="module")
def server(plimsoll, tmp_path_factory):
    one = Server(plimsoll, "--threads", "2", "--data-root", str(tmp_path_factory.mktemp("data")))
    yield one
    assert one.stop() == 0


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    """browse(url, option…): the page's DOM once it has come to rest."""
    return Browser(tmp_path_factory.mktemp("profile")).dom


def output(dom, check):
    """What the check's section shows."""
    return html.unescape(re.search(rf'<form id="{check}">.*?<output[^>]*>(.*?)</output>', dom, re.S)[1])


def test_who_gets_which(server):
    page = server.ask("/", headers=[f"Accept: {BROWSER[0]}"])
    assert page["Content-Type"].startswith("text/html") and page["Vary"] == "Accept" and "default-src 'none'" in page["Content-Security-Policy"]
    for accept in [[], ["Accept: */*"], ["Accept: application/json"]]:
        assert server.ask("/", headers=accept)["Content-Type"].startswith("text/plain")
    text = page.body.decode()
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), "everything is in the page itself"
    assert 'name="viewport"' in text and "prefers-color-scheme: dark" in text
    for field in re.findall(r"<(?:input|select)[^>]*>", text):
        before = text[:text.index(field)]
        assert before.rindex("<label") > before.rfind("</label>"), f"a field without label: {field}"


def test_the_cpu_check_in_a_browser(server, browse):
    shown = output(browse(server.url("/#cpu?n=100000")), "cpu")
    assert 'class="figure"' in shown and "100,003 is prime" in shown and "beside published" not in shown


def test_the_latency_check_in_a_browser(server, browse):
    shown = output(browse(server.url("/#latency?n=10")), "latency")
    assert "55, from 109 calls" in shown
    names = re.findall(r'<th scope="row">([^<]*)', shown)
    assert set(names) == {"here", "Cloud Foundry", "Kubernetes, through ingress", "Kubernetes, inside", "Docker on localhost"}
    widths = [float(w) for w in re.findall(r"width: ([\d.]+)%", shown)]
    assert widths == sorted(widths) and widths[-1] == 100


def test_the_files_check_in_a_browser(server, browse):
    assert "100 files:" in output(browse(server.url("/#files?how=delete")), "files")


@pytest.mark.parametrize("flow", ["echo", "rest"])
def test_the_gateway_check_in_a_browser(server, browse, flow):
    assert "half of 5 requests" in output(browse(server.url(f"/#gateway?flow={flow}&count=5")), "gateway")


def test_a_failure_is_shown(server, browse):
    shown = output(browse(server.url("/#latency?n=10&url=http://127.0.0.1:1")), "latency")
    assert 'class="wrong"' in shown and "--allow-upstream" in shown
    assert browse(server.url("/")).count('class="figure"') == 0


def test_the_page_fits_a_phone(server, browse):
    """No wider than its window: nothing to scroll sideways."""
    with_width = server.ask("/", headers=[f"Accept: {BROWSER[0]}"]).body.decode()
    assert "minmax(min(100%" in with_width and "overflow-wrap" in with_width
