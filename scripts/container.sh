# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev container [--try]: the image of the Containerfile, by podman, docker or buildah, whichever is here. Sourced by ./dev.
# --try (root): by buildah, upon a Debian 12 made by debootstrap in place of the registry's; then started and asked.

. scripts/version.sh
. scripts/roots.sh

tries=$(wants_try container "$@")

container_build() {
    local tag engine
    tag="plimsoll:$(package_version | tr '~' '-')"
    for engine in podman docker buildah; do
        command -v "$engine" >/dev/null || continue
        say "building the image $tag with $engine"
        "$engine" build -f Containerfile -t "$tag" .
        return
    done
    die "neither podman nor docker nor buildah is here"
}

# Images and containers of our own, which go away with their folder. RUN in a chroot: it needs no other rights than root's.
buildah_here() { buildah --root "$STORAGE/root" --runroot "$STORAGE/run" --storage-driver vfs "$@"; }

# What FROM names, made here.
container_base() {
    local name=$1 container
    container=$(buildah_here from scratch)
    buildah_here add -q "$container" "$ROOTS/bookworm" / >/dev/null
    buildah_here config --cmd bash "$container"
    buildah_here commit -q "$container" "$name" >/dev/null
    buildah_here rm "$container" >/dev/null
}

container_try() {
    local base container root certificates status=0
    certificates=${NODE_EXTRA_CA_CERTS:-${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}}
    need container
    root_make bookworm
    STORAGE=$(mktemp -d "$ROOTS/containers.XXXXXX")
    trap 'rm -rf "$STORAGE"' EXIT
    base=$(awk '$1 == "FROM" { print $2; exit }' Containerfile)
    container_base "$base"
    say "building the image upon Debian 12 (some minutes)"
    buildah_here build --isolation chroot --pull-never --volume "$certificates:/certificates.pem:ro" \
        --build-arg NODE_EXTRA_CA_CERTS=/certificates.pem -f Containerfile -t plimsoll . >"$STORAGE/build.log" 2>&1 ||
        { tail -n 20 "$STORAGE/build.log" >&2; die "the image can not be built"; }
    container=$(buildah_here from --pull-never plimsoll)
    root=$(buildah_here mount "$container")
    say "in a container of it"
    scripts/try/image.sh "$root" "$(buildah_here inspect --type image plimsoll)" || status=1
    [ "$status" != 0 ] || root_enter --alone "$root" scripts/try/program.sh "$root" /usr/bin/plimsoll || status=1
    say "the image has $(du -sh --apparent-size "$root" | cut -f1), of which the base is $(du -sh --apparent-size "$ROOTS/bookworm" | cut -f1)"
    buildah_here rm "$container" >/dev/null
    [ "$status" = 0 ] || die "the image does not work"
}

if [ -n "$tries" ]; then container_try; else container_build; fi
