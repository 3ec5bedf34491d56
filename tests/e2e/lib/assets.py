# SPDX-License-Identifier: GPL-3.0-or-later
"""The assets of plimsoll serve, as a client of theirs sees them."""
import re

from lib.process import wait_until


def form(*parts, boundary="xyz", end=True):
    """A body, and its Content-Type."""
    body = b""
    for name, filename, content in parts:
        file = f'; filename="{filename}"' if filename is not None else ""
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode("latin-1") + content + b"\r\n"
    return body + (f"--{boundary}--\r\n".encode() if end else b""), [f"Content-Type: multipart/form-data; boundary={boundary}"]


def post(server, filename, content, method="POST", path="/assets"):
    return server.ask(path, method, *form(("asset[file]", filename, content)))


def path_of(url):
    return re.fullmatch(r"http://[^/]+(/.*)", url)[1]


class Asset:
    """One that was posted: asset.path, asset.media, asset.id."""

    def __init__(self, server, filename, content):
        self.server = server
        reply = post(server, filename, content)
        assert reply.status == 201, reply
        self.made = reply.json()
        self.path, self.media = path_of(self.made["id"]), path_of(self.made["file_url"])
        self.id = self.path.rsplit("/", 1)[1]

    def put(self, filename, content):
        reply = post(self.server, filename, content, "PUT", self.path)
        assert reply.status == 200, reply
        self.media = path_of(reply.json()["file_url"])

    def now(self):
        return self.server.ask(self.path).json()

    def wait(self, **wanted):
        """Until it has these members."""
        def seen():
            now = self.now()
            return now if all(now.get(k) == v for k, v in wanted.items()) else None

        return wait_until(seen, f"the asset becomes {wanted}, it is {self.now()}", limit_s=20)

    def get(self, query="", method="GET", headers=()):
        return self.server.ask(self.media + query, method, headers=headers)
