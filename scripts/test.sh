# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev test [--full]: every test, then one line that sums them. Sourced by ./dev.

full=
for argument in "$@"; do
    case $argument in
    --full) full=--full ;;
    *) die "unknown option '$argument' (./dev test [--full])" ;;
    esac
done

need build test
build_release
say "building the unit tests"
build_tests

results="$BUILD_TEST/results"
rm -rf "$results"
mkdir -p "$results"
export PLIMSOLL="$BUILD/plimsoll" PLIMSOLL_E2E_TARGET="$BUILD_TEST/tests/e2e/target"
export PYTHONDONTWRITEBYTECODE=1
# Whoever runs the tests keeps their own results to themselves.
export PLIMSOLL_DB="$results/results.db"

# A failing part never stops the others: the sum at the end decides.
say "unit tests and fuzz corpora"
meson test -C "$BUILD_TEST" --no-rebuild --print-errorlogs --timeout-multiplier 2 >"$results/meson.txt" 2>&1 || true
grep -vE ' OK +[0-9.]+s$|^ninja: |^$|: +0 *$|^Full log written' "$results/meson.txt" || true

if [ -x tests/interop/run ]; then
    say "other readers of our formats"
    status=0
    timeout 300 tests/interop/run "$BUILD_TEST" >"$results/interop.txt" 2>&1 </dev/null || status=$?
    echo "$status" >"$results/interop.status"
    cat "$results/interop.txt"
fi

say "end-to-end tests"
# Most of them wait for clocks: three files at a time keep two cores half busy. (--full measures memory and times: alone.)
side_by_side="-n 3 --dist loadfile"
[ -z "$full" ] || side_by_side=
end_to_end() { # NAME OPTION...: leaves NAME.xml
    # shellcheck disable=SC2086 # words
    "$PYTHON" -m pytest tests/e2e tests/scripts $full "${@:2}" -q -rs -o cache_dir="$results/pytest" -o junit_family=xunit2 \
        --junitxml="$results/$1.xml" </dev/null || true
}
# shellcheck disable=SC2086 # words
end_to_end e2e $side_by_side

# A few that failed while others ran beside them get a second run alone. The sum names each that needed it, so an
# unsteady test stays in sight; more than a few are no accident and are not run again.
failed=$("$PYTHON" scripts/sum-tests.py --junit "$results/e2e.xml" --count-failed)
if [ -n "$side_by_side" ] && [ "$failed" -ge 1 ] && [ "$failed" -le 5 ]; then
    say "the $failed that failed, again and alone"
    end_to_end again --last-failed --last-failed-no-failures none
fi

"$PYTHON" scripts/sum-tests.py --meson "$BUILD_TEST/meson-logs/testlog.json" --junit "$results/e2e.xml" \
    --again "$results/again.xml" --script "$results/interop"
