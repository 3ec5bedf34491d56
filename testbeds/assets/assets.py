#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assets as a publishing platform serves them: nginx in front of `plimsoll serve`, with an S3 server (s3rver) behind both.

    testbeds/assets/assets.py --plimsoll build/plimsoll --dir /tmp/assets --port 8080 --s3-delay 20ms --sizes 29,1048576

An asset of each size is put there, and stored in S3. In --dir are then target lists for `plimsoll load --targets`,
targets-SIZE-WAY.json: disk-app (sent by the application), disk-nginx (by nginx: X-Accel-Redirect), s3-streamed (fetched
and passed on by the application), s3-proxied (fetched by nginx). Every way goes through nginx. Stays in the foreground and
prints "ready" when all of it is there; TERM or Ctrl-C ends all of it.

s3rver comes from npm; --s3rver says where its program is, else it is fetched into build-test/s3 of the repository, or, where
plimsoll is installed, into ~/.cache/plimsoll/s3."""
import argparse
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUCKET = "assets"
KEYS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER", "AWS_REGION": "eu-central-1"}
NGINX = """worker_processes 1;
daemon off;
{user}
pid {dir}/nginx.pid;
error_log {dir}/nginx.err;
events {{ worker_connections 1000; }}
http {{
  access_log off;
  client_max_body_size 0;
  client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/f; uwsgi_temp_path {dir}/u; scgi_temp_path {dir}/s;
  proxy_set_header Host $http_host;
  server {{    # the application sends files itself
    listen 127.0.0.1:{plain} backlog=1024;
    location / {{ proxy_pass http://127.0.0.1:{app}; }}
  }}
  server {{    # nginx sends them
    listen 127.0.0.1:{port} backlog=1024;
    location / {{
      proxy_pass http://127.0.0.1:{app};
      proxy_set_header Host $http_host;
      proxy_set_header X-Sendfile-Type X-Accel-Redirect;
      proxy_set_header X-Accel-Mapping {dir}/data/assets/=/raw/;
    }}
    location /raw/ {{ internal; alias {dir}/data/assets/; }}
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


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--plimsoll", required=True, help="the program that serves the assets")
    p.add_argument("--dir", required=True, help="folder for configuration, assets and target lists")
    p.add_argument("--port", type=int, required=True, help="of nginx")
    p.add_argument("--sizes", default="29,1048576", help="bytes of the assets (29,1048576)")
    p.add_argument("--s3-delay", default="20ms", help="what S3 answers arrives so much later (20ms)")
    p.add_argument("--s3-faults", type=int, default=0, help="every Nth connection to S3 goes wrong, once all is ready (0: none)")
    p.add_argument("--s3rver", default="", help="path of s3rver.js")
    return p.parse_args()


def s3rver_program(given):
    if given:
        return given
    lists, folder = os.path.join(ROOT, "tests", "e2e", "s3"), os.path.join(ROOT, "build-test", "s3")
    if not os.path.isdir(lists):  # installed: they are beside this file
        lists = os.path.join(os.path.dirname(os.path.abspath(__file__)), "s3")
        folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "plimsoll", "s3")
    program = os.path.join(folder, "node_modules", "s3rver", "bin", "s3rver.js")
    installed = os.path.join(folder, "installed-lock.json")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as turn:  # the tests fetch it too, and two of us may start at once
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not os.path.exists(program) or not os.path.exists(installed):
            fetch_s3rver(lists, folder)
            shutil.copy(os.path.join(folder, "package-lock.json"), installed)
    return program


def fetch_s3rver(lists, folder):
    for name in ("node", "npm"):
        if shutil.which(name) is None:
            sys.exit(f"assets.py: {name} is not installed")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(lists, name), folder)
    done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"assets.py: npm can not fetch s3rver: {done.stderr.strip()}")


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def wait_for(port, child, name):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if child.poll() is not None:
            sys.exit(f"assets.py: {name} ended with status {child.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"assets.py: {name} does not accept connections on port {port}")


def post(app, size):
    """An asset of random bytes; the path of its file when it is in S3."""
    name = f"{size}.dat"
    body = (f'--plimsoll\r\nContent-Disposition: form-data; name="asset[file]"; filename="{name}"\r\n\r\n'.encode() + os.urandom(size)
            + b"\r\n--plimsoll--\r\n")
    base = f"http://127.0.0.1:{app}"
    asked = urllib.request.Request(f"{base}/assets", body, {"Content-Type": "multipart/form-data; boundary=plimsoll"})
    with urllib.request.urlopen(asked, timeout=60) as reply:
        made = json.load(reply)
    path = "/assets/" + made["id"].rsplit("/", 1)[1]
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with urllib.request.urlopen(base + path, timeout=60) as reply:
            now = json.load(reply)
        if now["state"] == "clean" and now["s3"] == "stored":
            return "/media/" + now["file_url"].split("/media/", 1)[1]
        time.sleep(0.05)
    sys.exit(f"assets.py: the asset of {size} bytes is not in S3: {now}")


def write_targets(o, size, path, plain):
    front = f"http://127.0.0.1:{o.port}{path}"
    ways = {"disk-app": f"http://127.0.0.1:{plain}{path}", "disk-nginx": front, "s3-streamed": f"{front}?stream_from_s3=true",
            "s3-proxied": f"{front}?proxy_to_s3=true"}
    for way, url in ways.items():
        with open(os.path.join(o.dir, f"targets-{size}-{way}.json"), "w", encoding="utf-8") as f:
            json.dump({"targets": [{"url": url, "expect": {"status": 200, "body_size": size}}]}, f, indent=1)


def run(o, children):
    here = os.path.dirname(os.path.abspath(__file__))
    plain, app, s3, far = free_ports(4)
    path = lambda name: os.path.join(o.dir, name)
    start = lambda *words, **how: children.append(subprocess.Popen([str(w) for w in words], **how))
    start("node", s3rver_program(o.s3rver), "-d", path("s3"), "-a", "127.0.0.1", "-p", s3, "--no-vhost-buckets", "--configure-bucket", BUCKET,
          stdout=subprocess.DEVNULL)
    start(sys.executable, os.path.join(here, "delay.py"), "--port", far, "--to", s3, "--delay", o.s3_delay, "--faults", o.s3_faults,
          "--switch", path("faults"))
    wait_for(s3, children[0], "s3rver")
    wait_for(far, children[1], "the delay")
    start(o.plimsoll, "serve", "--quiet", "--listen", f"127.0.0.1:{app}", "--data-root", path("data"), "--trust-proxy", "--s3-bucket", BUCKET,
          "--s3-endpoint", f"http://127.0.0.1:{far}", env=dict(os.environ, **KEYS))
    wait_for(app, children[2], "the application")
    with open(path("nginx.cfg"), "w", encoding="utf-8") as f:
        f.write(NGINX.format(dir=o.dir, port=o.port, plain=plain, app=app, user="user root;" if os.geteuid() == 0 else ""))
    start("nginx", "-e", path("nginx.err"), "-p", o.dir, "-c", path("nginx.cfg"))
    wait_for(o.port, children[3], "nginx")
    for size in map(int, o.sizes.split(",")):
        write_targets(o, size, post(app, size), plain)
    with open(path("faults"), "w", encoding="ascii") as f:
        f.write("on\n")
    print("ready", flush=True)
    while all(child.poll() is None for child in children):
        time.sleep(0.2)
    sys.exit("assets.py: a part ended by itself")


def main():
    o = options()
    o.dir = os.path.abspath(o.dir)
    for name in ("s3", "data"):
        os.makedirs(os.path.join(o.dir, name), exist_ok=True)
    children = []

    def leave(*_):
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    try:
        run(o, children)
    finally:
        for child in reversed(children):
            child.terminate()
        for child in children:
            try:
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


if __name__ == "__main__":
    main()
