# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev sanitize: the unit tests and a short end-to-end run under ASan and UBSan, then the load under TSan. Sourced by ./dev.

need build test check
export PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:check_initialization_order=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$ROOT/scripts/tsan.supp"
failed=

# The thread sanitizer of older compilers can not live with much address randomisation.
without_aslr() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

# e2e NAME DIR FILE...: those end-to-end tests against the program in DIR, but none that measures memory, moves gigabytes or
# traces (a traced process can not look for leaks).
e2e() {
    local name=$1 dir=$2 file files=()
    shift 2
    for file in "$@"; do files+=("tests/e2e/test_$file.py"); done
    say "$name sanitizer: end-to-end tests: $*"
    PLIMSOLL="$dir/plimsoll" PLIMSOLL_SANITIZED=$name without_aslr "$PYTHON" -m pytest "${files[@]}" -q -p no:cacheprovider \
        -k "not large and not big_bodies and not memory and not million and not open_files and not unknown_name_is_told and not looked_up_once and not idle_connections" </dev/null || failed="$failed $name-e2e"
}

say "address and undefined behaviour"
configure "$ROOT/build-asan" --buildtype=debugoptimized -Dtests=true -Dcharts=disabled -Db_sanitize=address,undefined
compile "$ROOT/build-asan"
meson test -C "$ROOT/build-asan" --no-rebuild --print-errorlogs --timeout-multiplier 5 || failed="$failed asan-unit"
e2e address "$ROOT/build-asan" http1 http2 errors tls secrets shares live_http results serve_torture serve_droplets

say "threads"
configure "$ROOT/build-tsan" --buildtype=debugoptimized -Dtests=true -Dcharts=disabled -Db_sanitize=thread
compile "$ROOT/build-tsan"
without_aslr meson test -C "$ROOT/build-tsan" --no-rebuild --print-errorlogs --timeout-multiplier 10 --suite load --suite serve ||
    failed="$failed tsan-unit"
e2e thread "$ROOT/build-tsan" laws tls live_http serve_http1

[ -z "$failed" ] || die "failed:$failed"
say "no sanitizer had anything to say"
