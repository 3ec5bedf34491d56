#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# program.sh ROOT PROGRAM: does plimsoll work in there, for a user who is not root? Started by root_enter --alone of
# scripts/roots.sh; says a line for each thing that was tried, and ends with 1 at the first that did not work.
set -u
root=$1 program=$2
user=65534
home=
[ ! -d "$root/tmp" ] || home=/tmp
scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT

become() { exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=$home chroot --userspec=$user:$user "$root" "$@"; }
inside() { (become "$@"); }
good() { printf 'ok      %s\n' "$*"; }
bad() { printf 'FAILED  %s\n' "$*"; tail -n 20 "$scratch"/*.txt 2>/dev/null; exit 1; }

# expect WHAT PATTERN COMMAND...: it ends well and says so.
expect() {
    what=$1 pattern=$2
    shift 2
    if inside "$@" >"$scratch/out.txt" 2>&1 && grep -q "$pattern" "$scratch/out.txt"; then good "$what"; else bad "$what: $*"; fi
}

# load WHAT URL [OPTION]
load() {
    what=$1
    shift
    expect "$what" 'started = 100 ok + 0 failed' "$program" load --no-store -n 100 -c 4 "$@"
}

expect "starts, and names its libraries" '^plimsoll [0-9]' "$program" --version

become "$program" serve --listen 127.0.0.1:0 --tls-listen 127.0.0.1:0 >"$scratch/serve.txt" 2>&1 &
server=$!
tries=0
until [ "$(grep -c listening "$scratch/serve.txt")" = 2 ]; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || bad "serve does not listen"
    sleep 0.1
done
plain=$(sed -n 's/^listening on \(http:.*\)/\1/p' "$scratch/serve.txt")
secure=$(sed -n 's/^listening on \(https:.*\)/\1/p' "$scratch/serve.txt")
port=${plain##*:}

load "100 requests by address" "$plain/bytes/1024"
load "100 requests over TLS" "$secure/bytes/1024" --insecure
load "100 requests to a name of DNS" "http://plimsoll.test:${port%/}/bytes/1024"
if [ -d "$root/etc" ]; then
    echo "127.0.0.1 localhost from-hosts" >>"$root/etc/hosts"
    load "100 requests to a name of /etc/hosts" "http://from-hosts:${port%/}/bytes/1024"
fi
if inside "$program" load --no-store -n 1 "http://plimsoll.invalid:${port%/}/" >"$scratch/out.txt" 2>&1; then bad "an unknown name is reached"; fi
good "an unknown name is none"
if [ -x "$root/bin/sh" ]; then
    expect "the suite cloud-check, found by its name" 'large_replace.MB_per_s' "$program" run cloud-check -s scale=tiny
    expect "what it stored is listed" 'cloud-check' "$program" results list
fi
kill -TERM "$server"
wait "$server" || bad "serve ends with status $? after SIGTERM"
server=
good "serve ends well"
