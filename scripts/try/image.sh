#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# image.sh ROOT INSPECTED: the image's own command, started as an engine would, with a user of OpenShift's kind in its group.
set -u
root=$1
config=$(printf '%s' "$2" | python3 -c '
import json, sys
c = json.load(sys.stdin)["OCIv1"]["config"]
assert list(c["ExposedPorts"]) == ["3000/tcp"], c
print(c["User"], *c["Entrypoint"], *c["Cmd"])
print(*c["Env"])') || { echo "FAILED  what the image says of itself"; exit 1; }
user=$(printf '%s\n' "$config" | head -n 1 | cut -d' ' -f1)
words=$(printf '%s\n' "$config" | head -n 1 | cut -d' ' -f2- | sed 's/:3000\b/:0/')
variables=$(printf '%s\n' "$config" | tail -n 1)
said=$(mktemp)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -f "$said"' EXIT

for who in "$user" 1000680000:0; do
    # shellcheck disable=SC2086 # words
    env -i $variables PLIMSOLL_TOKEN=secret chroot --userspec="$who" "$root" sh -c 'cd /data && exec "$@"' sh $words >"$said" 2>&1 &
    server=$!
    tries=0
    until url=$(sed -n 's/^listening on //p' "$said") && [ -n "$url" ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || { echo "FAILED  the image's command"; cat "$said"; exit 1; }
        sleep 0.1
    done
    url=$(printf '%s' "$url" | sed 's/0\.0\.0\.0/127.0.0.1/')
    python3 - "$url" <<'PYTHON' || { echo "FAILED  asking the image's server as $who"; cat "$said"; exit 1; }
import sys, urllib.request
for path in ("/readyz", "/generate-files?n=3&size=100", "/list-files"):
    asked = urllib.request.Request(sys.argv[1].rstrip("/") + path, headers={"Authorization": "Bearer secret"})
    with urllib.request.urlopen(asked, timeout=20) as reply:
        assert reply.status == 200
PYTHON
    kill -TERM "$server"
    wait "$server" || { echo "FAILED  the image's server ends with status $?"; exit 1; }
    server=
    rm -rf "$root/data/output"
    echo "ok      its command serves on port 3000 and writes below /data, as $who"
done
