#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenShift router's way of routing on loopback: HAProxy in front of `plimsoll serve`, host-based routes in four
terminations (http, edge, passthrough, reencrypt), every route a backend of its own.

    testbeds/router/router.py --plimsoll build/plimsoll --dir /tmp/router --http-port 8080 --https-port 8443 --routes 10

Stays in the foreground and prints "ready" when every part accepts connections; TERM or Ctrl-C ends all of it. In --dir it
leaves ca.pem and target lists for `plimsoll load --targets`: targets-http.json, -edge, -passthrough, -reencrypt, and
targets-mix.json with the routes of all four. Router k listens on 127.0.0.(k+1); route i belongs to router i mod K."""
import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

TERMINATIONS = ("http", "edge", "passthrough", "reencrypt")
DOMAIN = "router.test"


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--plimsoll", required=True, help="the program that serves the backends")
    p.add_argument("--dir", required=True, help="folder for configuration, certificates and target lists")
    p.add_argument("--http-port", type=int, required=True)
    p.add_argument("--https-port", type=int, required=True)
    p.add_argument("--routes", type=int, default=10, help="of each termination (10)")
    p.add_argument("--routers", type=int, default=1, help="HAProxy processes (1)")
    p.add_argument("--maxconn", type=int, default=20000, help="of each router (20000)")
    p.add_argument("--threads", type=int, default=1, help="of each router (1)")
    p.add_argument("--path", default="/1024.html", help="what the target lists ask for (/1024.html)")
    return p.parse_args()


def openssl(*words, stdin=None):
    done = subprocess.run(["openssl", *words], input=stdin, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"router.py: openssl {words[0]} failed: {done.stderr.strip()}")


def make_certificates(folder):
    """A CA of our own, one certificate for the routers and one for the backends."""
    at = lambda name: os.path.join(folder, name)
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj",
            "/CN=plimsoll testbed CA", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", at("ca.key"), "-out", at("ca.pem"))
    for name in ("router", "backend"):
        names = f"DNS:*.{DOMAIN},DNS:{DOMAIN}"
        with open(at(f"{name}.ext"), "w", encoding="ascii") as f:
            f.write(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN=*.{DOMAIN}",
                "-keyout", at(f"{name}.key"), "-out", at(f"{name}.csr"))
        openssl("x509", "-req", "-in", at(f"{name}.csr"), "-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "30",
                "-extfile", at(f"{name}.ext"), "-out", at(f"{name}.crt"))
        with open(at(f"{name}.pem"), "w", encoding="ascii") as out:
            for part in (f"{name}.crt", f"{name}.key"):
                with open(at(part), encoding="ascii") as f:
                    out.write(f.read())


def host_of(termination, route):
    return f"{termination}-{route}.{DOMAIN}"


def address_of(router):
    return f"127.0.0.{router + 1}"


def haproxy_config(o, router, backends):
    routes = [i for i in range(o.routes) if i % o.routers == router]
    path = lambda name: os.path.join(o.dir, name)
    http_port, https_port = backends
    lines = [
        "global", f"  maxconn {o.maxconn}", f"  nbthread {o.threads}", "  tune.ssl.default-dh-param 2048",
        "defaults", f"  maxconn {o.maxconn}", "  timeout connect 5s", "  timeout client 30s", "  timeout server 30s",
        "  timeout http-request 10s", "  timeout http-keep-alive 300s",
        "frontend public", "  mode http", f"  bind {address_of(router)}:{o.http_port}",
        f"  use_backend %[req.hdr(host),field(1,:),lower,map({path(f'http-{router}.map')},be_none)]",
        "frontend public_ssl", "  mode tcp", f"  bind {address_of(router)}:{o.https_port}", "  tcp-request inspect-delay 5s",
        "  tcp-request content accept if { req.ssl_hello_type 1 }",
        f"  use_backend %[req.ssl_sni,lower,map({path(f'sni-{router}.map')},be_sni)]",
        "backend be_sni", "  mode tcp", f"  server fe_sni unix@{path(f'sni-{router}.sock')} send-proxy-v2",
        "frontend fe_sni", "  mode http", f"  bind unix@{path(f'sni-{router}.sock')} ssl crt {path('router.pem')} accept-proxy",
        f"  use_backend %[req.hdr(host),field(1,:),lower,map({path(f'tls-{router}.map')},be_none)]",
        "backend be_none", "  mode http", "  http-request return status 503 content-type text/plain string \"no such route\\n\"",
    ]
    maps = {"http": [], "tls": [], "sni": []}
    for route in routes:
        for termination in TERMINATIONS:
            name = f"be_{termination}_{route}"
            kind = {"http": "http", "edge": "tls", "reencrypt": "tls", "passthrough": "sni"}[termination]
            maps[kind].append(f"{host_of(termination, route)} {name}")
            server = f"  server pod 127.0.0.1:{https_port if termination in ('passthrough', 'reencrypt') else http_port}"
            if termination == "reencrypt":
                server += f" ssl verify required ca-file {path('ca.pem')} verifyhost {DOMAIN} sni str({DOMAIN})"
            lines += [f"backend {name}", f"  mode {'tcp' if termination == 'passthrough' else 'http'}", server]
    for kind, rows in maps.items():
        with open(path(f"{kind}-{router}.map"), "w", encoding="ascii") as f:
            f.write("".join(row + "\n" for row in rows))
    with open(path(f"haproxy-{router}.cfg"), "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    return path(f"haproxy-{router}.cfg")


def write_targets(o):
    lists = {t: [] for t in TERMINATIONS}
    for termination in TERMINATIONS:
        for route in range(o.routes):
            address, host = address_of(route % o.routers), host_of(termination, route)
            target = {"headers": {"Host": host}}
            if termination == "http":
                target["url"] = f"http://{address}:{o.http_port}{o.path}"
            else:
                target.update(url=f"https://{address}:{o.https_port}{o.path}", sni=host, cacert=os.path.join(o.dir, "ca.pem"))
            lists[termination].append(target)
    lists["mix"] = [target for t in TERMINATIONS for target in lists[t]]
    for name, targets in lists.items():
        with open(os.path.join(o.dir, f"targets-{name}.json"), "w", encoding="utf-8") as f:
            json.dump({"targets": targets}, f, indent=1)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(address, port, child, name):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if child.poll() is not None:
            sys.exit(f"router.py: {name} ended with status {child.returncode}")
        try:
            socket.create_connection((address, port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"router.py: {name} does not accept connections on {address}:{port}")


def main():
    o = options()
    o.dir = os.path.abspath(o.dir)
    os.makedirs(o.dir, exist_ok=True)
    if not 1 <= o.routers <= 200 or o.routes < 1:
        sys.exit("router.py: --routers is 1 to 200, --routes at least 1")
    children = []

    def leave(*_):
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    try:
        make_certificates(o.dir)
        backends = free_port(), free_port()
        children.append(subprocess.Popen([
            o.plimsoll, "serve", "--quiet", "--listen", f"127.0.0.1:{backends[0]}", "--tls-listen", f"127.0.0.1:{backends[1]}", "--cert",
            os.path.join(o.dir, "backend.crt"), "--key", os.path.join(o.dir, "backend.key"), "--max-connections", str(o.maxconn * o.routers)]))
        wait_for("127.0.0.1", backends[0], children[0], "the backend")
        for router in range(o.routers):
            config = haproxy_config(o, router, backends)
            children.append(subprocess.Popen(["haproxy", "-db", "-f", config]))
        for router, child in enumerate(children[1:]):
            wait_for(address_of(router), o.http_port, child, f"router {router}")
            wait_for(address_of(router), o.https_port, child, f"router {router}")
        write_targets(o)
        print("ready", flush=True)
        while all(child.poll() is None for child in children):
            time.sleep(0.2)
        sys.exit("router.py: a part ended by itself")
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
