#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the README's example and puts its real output there, between the two marks. Needs ./dev build, and port 8080 free.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
build/plimsoll serve --listen 127.0.0.1:8080 >"$work/serve.txt" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 1 100); do
    if grep -q 8080 "$work/serve.txt"; then break; fi
    sleep 0.05
done
commands='build/plimsoll serve --listen 127.0.0.1:8080 &
build/plimsoll load -c 20 -d 5s http://127.0.0.1:8080/delay/5'
build/plimsoll load -c 20 -d 5s --no-store http://127.0.0.1:8080/delay/5 >"$work/report.txt" 2>/dev/null
{
    # shellcheck disable=SC2016
    printf '```\n%s\n```\n\n```\n' "$commands"
    cat "$work/report.txt"
    printf '```\n'
} >"$work/example.md"
sed -i -e "/<!-- example -->/r $work/example.md" -e '/<!-- example -->/,/<!-- end example -->/{/<!-- /!d}' README.md
