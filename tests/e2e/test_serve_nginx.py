# SPDX-License-Identifier: GPL-3.0-or-later
"""A real nginx before plimsoll serve that sends the assets itself: from disk (X-Sendfile), and from S3 (X-Accel-Redirect)."""
import json
import os
import urllib.error
import urllib.request

import pytest

from lib.assets import Asset, path_of
from lib.process import Daemon, accepts, free_port, wait_until
from lib.s3 import KEYS, Gate, S3rver
from lib.serve_http import Server

# As docs/serve.md has it.
CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
{user}
events {{ worker_connections 1024; }}
http {{
  access_log off; client_max_body_size 100m;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{app};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Sendfile-Type X-Accel-Redirect;
      proxy_set_header X-Accel-Mapping {data}/assets/=/raw/;
    }}
    location /raw/ {{ internal; alias {data}/assets/; }}
    location ~ ^/cloud-storage-proxy/(.*)$ {{
      internal;
      set $place $1$is_args$args;
      proxy_set_header Host $proxy_host;
      proxy_set_header Authorization "";
      proxy_pass $place;
    }}
  }}
}}
"""


class Front(Daemon):
    def __init__(self, folder, app, data):
        self.port = free_port()
        os.makedirs(folder)
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(CONFIG.format(folder=folder, port=self.port, app=app, data=data, user="user root;" if os.geteuid() == 0 else ""))
        super().__init__(["nginx", "-e", os.path.join(folder, "error.log"), "-p", str(folder), "-c", path])
        self.wait_for(lambda: accepts(self.port), "nginx listens")

    def get(self, path, method="GET", **headers):
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, headers={k.replace("_", "-"): v for k, v in headers.items()})
        try:
            with urllib.request.urlopen(asked, timeout=20) as reply:
                return reply.status, dict(reply.headers), reply.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, dict(refused.headers), refused.read()


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    server = S3rver(tmp_path_factory.mktemp("s3"))
    yield server
    server.stop()


@pytest.fixture
def front(plimsoll, tmp_path, s3):
    """nginx before serve: front.app, front.log()."""
    data = tmp_path / "data"
    data.mkdir()
    gate = Gate(s3.port)
    app = Server(plimsoll, "--threads", "2", "--data-root", str(data), "--trust-proxy", "--access-log", str(tmp_path / "log"),
                 "--s3-bucket", "assets", "--s3-endpoint", f"http://127.0.0.1:{gate.port}", env=KEYS)
    one = Front(tmp_path / "nginx", app.port, data)
    one.app = app

    def log(asset):
        def lines():
            with open(tmp_path / "log") as file:
                return [entry for entry in map(json.loads, file) if asset.id in entry["target"] and entry["method"] != "POST"]
        return wait_until(lines, "the access log has it")

    one.log = log
    yield one
    one.stop()
    assert app.stop() == 0 and gate.refused == 0
    gate.close()


@pytest.mark.parametrize("name", ["plain.bin", "a b%41?#+;.txt", "ü&=.css"])
@pytest.mark.parametrize("size", [0, 29, 1 << 20])
def test_from_disk(front, name, size):
    content = os.urandom(size)
    asset = Asset(front.app, name.encode().decode("latin-1"), content)
    status, fields, body = front.get(asset.media)
    assert status == 200 and body == content
    assert fields["Server"].startswith("nginx") and fields["Accept-Ranges"] == "bytes" and "X-Accel-Redirect" not in fields
    assert fields["Content-Type"].startswith({"bin": "application/octet-stream", "txt": "text/plain", "css": "text/css"}[name[-3:]])
    status, _, _ = front.get(asset.media, "HEAD")
    assert status == 200
    if size > 4:
        status, fields, body = front.get(asset.media, Range="bytes=1-3")
        assert status == 206 and body == content[1:4]
    assert all(entry["bytes"] == 0 for entry in front.log(asset)), "serve sent none of it"


@pytest.mark.parametrize("size", [0, 29, 1 << 20])
def test_from_s3(front, s3, size):
    content = os.urandom(size)
    asset = Asset(front.app, "a.txt", content)
    status, fields, body = front.get(asset.media + "?proxy_to_s3=true")
    assert status == 200 and body == content and "X-Accel-Redirect" not in fields and fields["Content-Type"].startswith("text/plain")
    status, fields, body = front.get(asset.media + "?proxy_to_s3=true", "HEAD")
    assert status == 200 and body == b"" and int(fields["Content-Length"]) == size
    if size > 4:
        status, _, body = front.get(asset.media + "?proxy_to_s3=true", Range="bytes=1-3", Authorization="Basic eDp5")
        assert status == 206 and body == content[1:4]
    assert all(entry["bytes"] == 0 for entry in front.log(asset)), "serve sent none of it"


def test_the_inner_places_are_closed(front):
    asset = Asset(front.app, "a.txt", b"hello")
    for path in (f"/raw/{asset.id}/a.txt", f"/cloud-storage-proxy/http://127.0.0.1:{front.app.port}/healthz"):
        assert front.get(path)[0] == 404, path


def test_only_a_trusted_proxy_is_believed(plimsoll, tmp_path):
    asked = ["X-Sendfile-Type: X-Accel-Redirect", f"X-Accel-Mapping: {tmp_path}/assets/=/raw/"]
    server = Server(plimsoll, "--data-root", str(tmp_path))
    asset = Asset(server, "a.txt", b"hello")
    reply = asset.get(headers=asked)
    assert reply.body == b"hello" and reply["X-Accel-Redirect"] is None
    assert server.stop() == 0
    server = Server(plimsoll, "--data-root", str(tmp_path), "--trust-proxy")
    asset.server = server
    reply = asset.get(headers=asked)
    assert reply.body == b"" and reply["X-Accel-Redirect"] == f"/raw/{asset.id}/a.txt"
    for mapping in ("/elsewhere/=/raw/", f"{tmp_path}/assets", f"{tmp_path}/ass=/raw/", "=", f"{tmp_path}/assets/=raw", ","):
        reply = asset.get(headers=[asked[0], f"X-Accel-Mapping: {mapping}"])
        assert reply.body == b"hello" and reply["X-Accel-Redirect"] is None, mapping
    reply = asset.get(headers=[asked[0], f"X-Accel-Mapping: /other/=/x/, {tmp_path} = /data"])
    assert reply["X-Accel-Redirect"] == f"/data/assets/{asset.id}/a.txt"
    reply = asset.get(headers=["X-Sendfile-Type: X-Sendfile", asked[1]])
    assert reply.body == b"hello"
    assert server.stop() == 0


def test_unclean_assets_stay_closed(plimsoll, tmp_path):
    server = Server(plimsoll, "--data-root", str(tmp_path), "--trust-proxy", "--scan-command", "false")
    asset = Asset(server, "a.txt", b"hello")
    asset.wait(state="infected")
    reply = asset.get(headers=["X-Sendfile-Type: X-Accel-Redirect", f"X-Accel-Mapping: {tmp_path}/assets/=/raw/"])
    assert reply.status == 404 and reply["X-Accel-Redirect"] is None
    assert path_of(asset.now()["file_url"]) == asset.media
    assert server.stop() == 0
