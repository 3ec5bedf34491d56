# SPDX-License-Identifier: GPL-3.0-or-later
# Shared by ./dev and the scripts beside this file: messages, packages, builds. Sourced, never run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3
BUILD="$ROOT/build"
BUILD_TEST="$ROOT/build-test"

say() { printf '== %s\n' "$*"; }
die() { printf 'dev: %s\n' "$*" >&2; exit 1; }

# Names of one list, without what they are for.
package_names() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$ROOT/scripts/packages/$1.txt" | awk '{ print $1 }'; }

# "cmd:NAME" is satisfied by a command of that name, wherever it came from.
package_installed() {
    case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null ;;
    *) grep -qxF "$1" <<<"$INSTALLED_PACKAGES" ;;
    esac
}

# Prints the entries ("a" or "a|b") of the given lists of which nothing is installed.
packages_missing() {
    local list entry alternative found
    for list in "$@"; do
        for entry in $(package_names "$list"); do
            found=
            for alternative in ${entry//|/ }; do
                package_installed "$alternative" && found=1
            done
            [ -n "$found" ] || echo "$entry"
        done
    done | sort -u
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# The first name of "a|b" that this system's package lists know.
package_choose() {
    local alternative
    for alternative in ${1//|/ }; do
        case $alternative in cmd:*) continue ;; esac
        if apt-cache show "$alternative" >/dev/null 2>&1; then echo "$alternative"; return; fi
    done
    echo "${1%%|*}"
}

# A package that brings a daemon would start it (nginx on port 80, say). While ours install, policy-rc.d says no, unless
# the system has its own; afterwards the services that came with this very install are switched off.
install_packages() (
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap 'as_root rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "$@" </dev/null || die "installing failed: $*"
    for name in "$@"; do
        case $name in
        nginx | haproxy | slurmctld | slurmd | munge) switch_off_service "$name" ;;
        openssh-server) switch_off_service ssh ;;
        esac
    done
)

switch_off_service() {
    if [ -d /run/systemd/system ]; then
        as_root systemctl disable --now "$1" >/dev/null 2>&1 || true
    elif [ -x "/etc/init.d/$1" ]; then
        as_root "/etc/init.d/$1" stop >/dev/null 2>&1 || true
    fi
}

# need LIST...: installs what is missing of scripts/packages/LIST.txt; does nothing when all is there.
need() {
    local missing entry names=()
    if ! command -v dpkg-query >/dev/null; then
        echo "dev: no dpkg here: make sure that what scripts/packages/{$(IFS=,; echo "$*")}.txt names is installed" >&2
        return 0
    fi
    INSTALLED_PACKAGES=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    say "installing: $(echo "$missing" | tr '\n' ' ')"
    if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
        die "these packages are missing and neither root nor sudo is at hand: $(echo "$missing" | tr '\n' ' ')"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q -o DPkg::Lock::Timeout=300 </dev/null ||
        die "apt-get update failed"
    for entry in $missing; do names+=("$(package_choose "$entry")"); done
    install_packages "${names[@]}"
}

# configure DIR [meson options]: sets the directory up once; a change of options or a broken directory starts it anew.
configure() {
    local dir=$1 stamp
    shift
    stamp="$* ${CC:-}"
    if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/.dev-options" 2>/dev/null)" = "$stamp" ]; then return 0; fi
    rm -rf "$dir"
    meson setup "$dir" "$ROOT" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; rm -f "$dir.log"; die "configuring $dir failed"; }
    mv "$dir.log" "$dir/configure.log"
    echo "$stamp" >"$dir/.dev-options"
}

# compile DIR: builds everything there, quiet unless something is wrong.
compile() {
    local log="$1/compile.log"
    if ! ninja -C "$1" >"$log" 2>&1; then
        grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" >&2
        die "building in $1 failed"
    fi
    grep -E 'warning:' "$log" >&2 || true
}

build_release() {
    need build
    if [ -x "$BUILD/plimsoll" ]; then say "building build/plimsoll"; else say "building build/plimsoll: some minutes the first time"; fi
    configure "$BUILD" --buildtype=release -Doptimization=2 -Db_lto=true -Db_lto_threads=2 -Dtests=false
    compile "$BUILD"
}

build_tests() {
    configure "$BUILD_TEST" --buildtype=debugoptimized -Dtests=true -Dcharts=disabled
    compile "$BUILD_TEST"
}
