# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev check: everything that can be said without running the tests. Sourced by ./dev.

need build test check
failed=

# step NAME COMMAND...: shows what a failing step said, and goes on.
step() {
    local name=$1 out
    shift
    if out=$("$@" 2>&1); then
        printf 'ok      %-12s %s\n' "$name" "$(tail -n 1 <<<"$out")"
    else
        printf 'FAILED  %s\n%s\n' "$name" "$out"
        failed="$failed $name"
    fi
}

sources() { git ls-files -co --exclude-standard "$@" | while read -r f; do if [ -f "$f" ]; then echo "$f"; fi; done; }
check_format() { sources '*.c' '*.h' | xargs clang-format --dry-run -Werror; }
check_shell() {
    local scripts
    scripts=$({ echo dev; echo .ci/run; sources '*.sh'; sources tests bench scripts | xargs grep -lE '^#!.*\b(ba)?sh$'; } | sort -u)
    local script
    for script in $scripts; do bash -n "$script" || return 1; done
    # shellcheck disable=SC2086
    shellcheck -x -s bash -e SC1091,SC2034,SC2154 $scripts || return 1
    echo "$(wc -w <<<"$scripts") scripts"
}
check_python() { sources '*.py' | xargs "$PYTHON" -c 'import ast, sys
for name in sys.argv[1:]: ast.parse(open(name, encoding="utf-8").read(), name)
print(len(sys.argv) - 1, "files")'; }
warnings_as_errors() {
    local compiler=$1
    (
        export CC=$compiler
        configure "$ROOT/build-$compiler" --buildtype=debugoptimized -Dwerror=true -Dtests=true -Dcharts=disabled
        ninja -k 0 -C "$ROOT/build-$compiler" >"$ROOT/build-$compiler/compile.log" 2>&1 ||
            { grep -E '(error|warning|note): |undefined reference|error:' "$ROOT/build-$compiler/compile.log"; exit 1; }
    )
}

step format check_format
step arrows scripts/check-arrows.py
step text scripts/check-text.py
step shell check_shell
step python check_python
step headers scripts/check-headers.sh
step headers-clang env CC=clang scripts/check-headers.sh
step gcc warnings_as_errors gcc
step clang warnings_as_errors clang
step manual scripts/check-man.py "$ROOT/build-gcc/plimsoll"
step docs scripts/check-docs.py "$ROOT/build-gcc/plimsoll"
step figures bench/readme.py
scripts/check-sizes.py || failed="$failed sizes"

[ -z "$failed" ] || die "failed:$failed"
