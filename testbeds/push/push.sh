#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A stand-in for `cf push`: what a platform does with an app, step by step, through `plimsoll serve` at URL.
#
#   testbeds/push/push.sh URL CELLS_DIR CELLS PACKAGE_BYTES DROPLET_BYTES STAGING APP
#   testbeds/push/push.sh --delete URL APP
#
# The package is uploaded; one of the cells is waited for; there the package is downloaded, staged (which takes the
# platform the CPU time of /prime/STAGING) and the droplet uploaded; the cell is left, the droplet downloaded again, and the
# app has started. The lines are those that phases/cf-push.yaml looks for. A cell is a lock on a file of CELLS_DIR: it is
# free again when its holder ends, however it ends.
set -eu

ask() { curl -sSf -o /dev/null "$@"; }

if [ "$1" = --delete ]; then
    for path in "droplets/$3/1" "blobs/packages/$3" "blobs/apps/$3"; do
        curl -sS -o /dev/null -X DELETE "$2/$path"
    done
    exit 0
fi
url=$1 cells_dir=$2 cells=$3 package=$4 droplet=$5 staging=$6 app=$7
work=$(mktemp -d "$cells_dir/push-XXXXXX")
finished=
finish() {
    rm -rf "$work"
    [ -n "$finished" ] || echo FAILED
}
trap finish EXIT

# Returns with a lock on descriptor 9.
take_cell() {
    while :; do
        k=0
        while [ $k -lt "$cells" ]; do
            exec 9>"$cells_dir/cell-$k"
            if flock -n 9; then return 0; fi
            k=$((k + 1))
        done
        sleep 0.1
    done
}

echo "Creating app $app..."
ask -X PUT -d "$app" "$url/blobs/apps/$app"
echo OK
echo "Uploading $app..."
head -c "$package" /dev/urandom >"$work/package"
ask -T "$work/package" "$url/blobs/packages/$app"
echo OK
echo "Starting app $app..."
echo "Creating container"
take_cell
echo "Successfully created container"
echo "Downloading app package..."
ask "$url/blobs/packages/$app"
echo "-----> Stand-in buildpack"
ask "$url/prime/$staging"
head -c "$droplet" /dev/urandom >"$work/droplet"
echo "Exit status 0"
echo "Uploading droplet..."
ask -X PUT -F "droplet=@$work/droplet" "$url/droplets/$app/1"
echo "Uploading complete"
exec 9>&-
ask "$url/droplets/$app/1"
ask "$url/healthz"
echo "App started"
finished=yes
