#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# deb.sh ROOT install|remove: /plimsoll.deb of a clean Debian, by its own apt. Started by root_enter of scripts/roots.sh.
set -u
root=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C chroot "$root" "$@"; }
expect() {
    what=$1
    shift
    if inside "$@" >"$log" 2>&1; then
        printf 'ok      %s\n' "$what"
    else
        printf 'FAILED  %s: %s\n' "$what" "$*"
        tail -n 20 "$log"
        exit 1
    fi
}

case $2 in
install)
    expect "lists of packages" apt-get update -q
    expect "installed by apt, with what it depends on" apt-get install -q -y --no-install-recommends /plimsoll.deb
    expect "every file is as it was packed" dpkg --verify plimsoll
    expect "no library is missing" sh -c '! ldd /usr/bin/plimsoll | grep "not found"'
    expect "libcurl can be loaded" sh -c 'ldconfig -p | grep -q libcurl.so.4'
    expect "suites, test beds, completions, manual pages" sh -c \
        'cd /usr/share && ls plimsoll/suites/cloud-check.yaml plimsoll/testbeds/router/router.py plimsoll/phases/cf-push.yaml bash-completion/completions/plimsoll && { ls man/man1/plimsoll-run.1.gz || grep -q "path-exclude.*man" /etc/dpkg/dpkg.cfg.d/*; }'
    inside dpkg -L plimsoll | sort >"$root/files-of-plimsoll"
    ;;
remove)
    expect "removed" apt-get purge -q -y plimsoll
    # shellcheck disable=SC2016 # expanded in there
    expect "nothing of it is left" sh -c 'while read -r f; do [ -d "$f" ] || [ ! -e "$f" ] || { echo "$f"; exit 1; }; done </files-of-plimsoll; [ ! -e /usr/share/plimsoll ]'
    ;;
esac
