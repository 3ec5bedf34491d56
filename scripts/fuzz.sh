# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev fuzz [SECONDS]: every target of tests/fuzz/ under libFuzzer. Sourced by ./dev.

seconds=${1:-10}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "seconds must be a whole number, not '$seconds'"
need build check
dir="$ROOT/build-fuzz"
say "building the fuzz targets with clang"
CC=clang configure "$dir" --buildtype=debugoptimized -Dtests=false -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
ninja -C "$dir" >"$dir/compile.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] ' "$dir/compile.log" >&2; die "building failed"; }

failed=
ran=0
for program in "$dir"/tests/fuzz/fuzz_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
    name=${program##*/fuzz_}
    say "$name, $seconds s"
    # New inputs go to a folder of the build; what is worth keeping is copied into tests/fuzz/corpus/ by hand.
    mkdir -p "$dir/found/$name"
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
        -artifact_prefix="$dir/found/$name-" "$dir/found/$name" "tests/fuzz/corpus/$name" >"$dir/$name.log" 2>&1; then
        tail -n 1 "$dir/$name.log"
    else
        cat "$dir/$name.log"
        failed="$failed $name"
    fi
    ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || die "no fuzz target was built"
[ -z "$failed" ] || die "failed:$failed"
say "$ran targets, nothing found"
