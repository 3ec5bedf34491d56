# SPDX-License-Identifier: GPL-3.0-or-later
# Roots of clean Debian systems that packages are tried in: made by debootstrap, once, below build-roots/. Sourced.
# PLIMSOLL_ROOTS names another folder for them.

ROOTS=${PLIMSOLL_ROOTS:-$ROOT/build-roots}

# Lines "SITE RELEASE COMPONENT" of the Debian archives that this system itself installs from.
# shellcheck disable=SC2016 # apt's own places
debian_archives() {
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' | sort -u
}

debian_mirror() { debian_archives | awk '$2 !~ /-/ && $1 !~ /security/ { print $1; exit }'; }

# root_make NAME [PACKAGE,...]: $ROOTS/NAME is a minimal system of that Debian release.
root_make() {
    local name=$1 also=${2:-} mirror
    [ ! -e "$ROOTS/$name/.complete" ] || return 0
    [ "$(id -u)" = 0 ] || die "a root of Debian $name is made and entered by root only: sudo ./dev ..."
    need roots
    mirror=$(debian_mirror)
    say "a root of Debian $name (debootstrap)"
    rm -rf "${ROOTS:?}/$name"
    mkdir -p "$ROOTS"
    # shellcheck disable=SC2086 # the mirror may be empty: debootstrap's own
    debootstrap --variant=minbase ${also:+"--include=$also"} "$name" "$ROOTS/$name" $mirror >"$ROOTS/$name.log" 2>&1 ||
        { tail -n 5 "$ROOTS/$name.log" >&2; die "debootstrap $name failed: $ROOTS/$name.log"; }
    touch "$ROOTS/$name/.complete"
}

# root_copy NAME: prints the folder of a fresh copy; whoever asks removes it with root_drop.
root_copy() {
    local copy
    copy=$(mktemp -d "$ROOTS/$1.XXXXXX")
    cp -a --reflink=auto "$ROOTS/$1/." "$copy/"
    chmod 755 "$copy"
    echo "$copy"
}

root_drop() { case $1 in "$ROOTS"/*.??????) rm -rf "$1" ;; *) die "not a copy of a root: $1" ;; esac; }

# root_enter [--alone] DIR COMMAND...: COMMAND of this system, with /proc and /dev mounted in DIR for as long as it runs.
# --alone: with a loopback interface of its own and no other, and a name server there (scripts/try/names.py).
root_enter() {
    local alone=
    if [ "$1" = --alone ]; then alone=--net; shift; fi
    # shellcheck disable=SC2016 # expanded by the inner shell
    ALONE=$alone NAMES="$PYTHON $ROOT/scripts/try/names.py" timeout 900 unshare --mount --pid --fork --kill-child $alone sh -c '
        root=$1; shift
        mount --make-rprivate /
        [ ! -d "$root/dev" ] || mount --rbind /dev "$root/dev"
        [ ! -d "$root/proc" ] || mount -t proc proc "$root/proc"
        if [ -n "$ALONE" ]; then
            ip link set lo up
            $NAMES &
            [ ! -d "$root/etc" ] || echo nameserver 127.0.0.1 >"$root/etc/resolv.conf"
        elif [ -d "$root/etc" ]; then
            cat /etc/resolv.conf >"$root/etc/resolv.conf"
        fi
        "$@"' sh "$@" </dev/null
}

root_run() { root_enter "$1" chroot "$@"; }

# wants_try COMMAND ARGUMENT...: the only option that ./dev COMMAND takes; prints 1 when it was given.
wants_try() {
    local command=$1 argument
    shift
    for argument in "$@"; do
        case $argument in
        --try) echo 1 ;;
        *) die "unknown option '$argument' (./dev $command [--try])" ;;
        esac
    done
}
