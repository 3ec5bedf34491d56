# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev demo: the embedded target on a free loopback port, loaded for five seconds; then a tiny cut of the ingress suite,
# with its table and a report. Some 20 s, and 40 s on a busy machine. Sourced by ./dev.

need build demo
build_release

work=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

"$BUILD/plimsoll" serve --listen 127.0.0.1:0 >"$work/serve.txt" 2>&1 &
server=$!
port=
for _ in $(seq 1 100); do
    port=$(sed -nE 's/.*127\.0\.0\.1:([0-9]+).*/\1/p' "$work/serve.txt" | head -n 1)
    [ -z "$port" ] || break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
done
[ -n "$port" ] || { cat "$work/serve.txt" >&2; die "plimsoll serve did not start"; }

url="http://127.0.0.1:$port/bytes/1024"
say "plimsoll load -c 50 -d 5s $url"
status=0
"$BUILD/plimsoll" load -c 50 -d 5s --no-store "$url" || status=$?
[ "$status" = 0 ] || die "the load ended with exit code $status"

say "plimsoll run suites/ingress.yaml -s scale=tiny --html report.html"
"$BUILD/plimsoll" run suites/ingress.yaml -s scale=tiny --no-store --html "$ROOT/report.html" || status=$?
[ "$status" = 0 ] || die "the suite ended with exit code $status"
say "report.html: the same with charts, for a browser"
cat <<TEXT

What to try next (docs/tutorial.md goes on from here):
  build/plimsoll doctor                               what would spoil a measurement on this machine
  build/plimsoll serve --listen 127.0.0.1:8080        a target of your own: /bytes/{n} /status/{code} /delay/{ms} /chunked/{n}
  build/plimsoll load -c 10 -d 10s --json out.json http://127.0.0.1:8080/delay/5
  build/plimsoll ab -n 1000 -c 10 http://127.0.0.1:8080/bytes/1024
  build/plimsoll run --dry-run suites/ingress.yaml    what a suite would do; docs/suites.md has the six that come with it
  build/plimsoll load --help                          every option; docs/measuring.md says what each number means
TEXT
