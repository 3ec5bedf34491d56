# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev fuzz [SECONDS]: every target of tests/fuzz/ under libFuzzer. Sourced by ./dev.

seconds=${1:-10}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "seconds must be a whole number, not '$seconds'"
need build check
dir="$ROOT/build-fuzz"
say "building the fuzz targets with clang"
CC=clang configure "$dir" --buildtype=debugoptimized -Dtests=false -Dfuzz=true -Dcharts=disabled -Db_sanitize=address,undefined -Db_lundef=false
mapfile -t targets < <(ninja -C "$dir" -t targets all | sed -nE 's|^(tests/fuzz/fuzz_[^/:]+): .*_LINKER.*|\1|p')
[ "${#targets[@]}" -gt 0 ] || die "tests/fuzz/meson.build lists no target"
ninja -C "$dir" "${targets[@]}" >"$dir/compile.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] ' "$dir/compile.log" >&2; die "building failed"; }

failed=
for program in "${targets[@]}"; do
    name=${program##*/fuzz_}
    say "$name, $seconds s"
    # New inputs go to a folder of the build; what is worth keeping is copied into tests/fuzz/corpus/ by hand.
    mkdir -p "$dir/found/$name"
    if "$dir/$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$dir/found/$name-" "$dir/found/$name" "tests/fuzz/corpus/$name" >"$dir/$name.log" 2>&1; then
        sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/   \1 inputs tried/p' "$dir/$name.log"
    else
        cat "$dir/$name.log"
        failed="$failed $name"
    fi
done
[ -z "$failed" ] || die "failed:$failed"
say "${#targets[@]} targets, nothing found"
