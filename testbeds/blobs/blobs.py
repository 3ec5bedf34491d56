#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A blob store as such stores are run: nginx with its DAV module. PUT, GET and DELETE below /dav/.

    testbeds/blobs/blobs.py --dir /tmp/blobs --port 8080 --user name --password-file secret

Stays in the foreground until TERM or Ctrl-C. Blobs lie in --dir/www/dav."""
import argparse
import os
import signal
import subprocess
import sys

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
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    root {dir}/www;
    default_type application/octet-stream;
    location = /healthz {{ return 200 "ok\\n"; }}
    location /dav/ {{ dav_methods PUT DELETE; create_full_put_path on; {auth} }}
  }}
}}
"""


def write_users(o):
    with open(o.password_file, encoding="utf-8") as f:
        password = f.read().rstrip("\n")
    hashed = subprocess.run(["openssl", "passwd", "-5", "-stdin"], input=password, capture_output=True, text=True, check=True).stdout
    path = os.path.join(o.dir, "users")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{o.user}:{hashed}")
    return f'auth_basic "blobs"; auth_basic_user_file {path};'


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--dir", required=True, help="folder for configuration and blobs")
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--user", default="", help="ask for basic authentication of this user")
    p.add_argument("--password-file", help="the password of --user")
    o = p.parse_args()
    if bool(o.user) != bool(o.password_file):
        sys.exit("blobs.py: --user and --password-file go together")
    o.dir = os.path.abspath(o.dir)
    os.makedirs(os.path.join(o.dir, "www"), exist_ok=True)
    config = os.path.join(o.dir, "nginx.cfg")
    with open(config, "w", encoding="utf-8") as f:
        f.write(NGINX.format(dir=o.dir, port=o.port, auth=write_users(o) if o.user else "", user="user root;" if os.geteuid() == 0 else ""))
    child = subprocess.Popen(["nginx", "-e", f"{o.dir}/nginx.err", "-p", o.dir, "-c", config])

    def leave(*_):
        child.terminate()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    sys.exit(child.wait())


if __name__ == "__main__":
    main()
