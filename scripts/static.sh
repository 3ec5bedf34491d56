# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev static [--try]: one program without dynamic libraries, and an archive of it with its suites. Sourced by ./dev.
# --try (root): in an empty root, and in one of Debian 11, whose libraries are older than those it was built with.

. scripts/version.sh
. scripts/roots.sh
. scripts/static-libraries.sh

BUILD_STATIC="$ROOT/build-static"
PACKAGES="$ROOT/build-packages"
tries=$(wants_try static "$@")

# Of what is inside the program.
static_licences() {
    local package file
    mkdir -p "$1"
    for package in libc6-dev libuv1-dev libssl-dev zlib1g-dev libjansson-dev libnghttp2-dev libpcre2-dev libfyaml-dev libgsl-dev \
        libsqlite3-dev node-llhttp libllhttp-dev; do
        file=/usr/share/doc/$package/copyright
        [ ! -e "$file" ] || cp "$file" "$1/$package"
    done
    for file in "$STATIC_PREFIX"/licence-*; do cp "$file" "$1/${file##*/licence-}"; done
    bundled_licences "$BUILD_STATIC" >"$1/echarts"
    [ -s "$1/echarts" ] || die "the licences of the charts' library are not where they were"
    cp "$ROOT/LICENSE" "$1/plimsoll"
}

static_archive() {
    local name tree
    name="plimsoll-$(package_version)-linux-$(uname -m)"
    tree="$BUILD_STATIC/tree"
    rm -rf "$tree"
    DESTDIR="$tree" meson install -C "$BUILD_STATIC" --no-rebuild --quiet >/dev/null
    mkdir -p "$PACKAGES"
    mv "$tree/usr/local" "$tree/$name"
    strip "$tree/$name/bin/plimsoll"
    static_licences "$tree/$name/share/doc/plimsoll/licences"
    cp -r README.md CHANGELOG.md docs "$tree/$name/share/doc/plimsoll/"
    rm -f "$PACKAGES"/plimsoll-*-linux-*.tar.gz
    STATIC_ARCHIVE="$PACKAGES/$name.tar.gz"
    tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(package_epoch)" -c "$name" | gzip -9n >"$STATIC_ARCHIVE"
    STATIC_PROGRAM="$tree/$name/bin/plimsoll"
    # What deploy/cloudfoundry/manifest.yml pushes.
    rm -rf "$PACKAGES/cloudfoundry"
    install -D "$STATIC_PROGRAM" "$PACKAGES/cloudfoundry/plimsoll"
}

static_try() {
    local root status=0
    [ "$(id -u)" = 0 ] || die "--try needs root: chroot"
    root_make bullseye
    say "in an empty root"
    root=$(mktemp -d "$ROOTS/empty.XXXXXX")
    chmod 755 "$root"
    cp "$STATIC_PROGRAM" "$root/plimsoll"
    root_enter --alone "$root" scripts/try/program.sh "$root" /plimsoll || status=1
    root_drop "$root"
    say "in Debian 11"
    root=$(root_copy bullseye)
    tar -C "$root/opt" --strip-components=1 -xzf "$STATIC_ARCHIVE"
    # A module of another glibc must not be loaded, nor missed.
    sed -i 's/^hosts:.*/hosts: files mdns4_minimal [NOTFOUND=return] dns myhostname/' "$root/etc/nsswitch.conf"
    root_enter --alone "$root" scripts/try/program.sh "$root" /opt/bin/plimsoll || status=1
    root_drop "$root"
    [ "$status" = 0 ] || die "the static program does not work everywhere"
}

need build static
build_static_libraries
say "building the static program"
export PKG_CONFIG_PATH="$STATIC_PREFIX/lib/pkgconfig" LIBRARY_PATH="$STATIC_PREFIX/lib"
configure "$BUILD_STATIC" --buildtype=release -Doptimization=2 -Db_lto=true -Db_lto_threads=2 -Dtests=false \
    -Dprefix=/usr/local -Dstatic=true -Dprefer_static=true -Dlibcurl=linked -Dcharts=enabled
# glibc's warnings that names are resolved with libraries: src/cli/main.c keeps it from loading any.
compile "$BUILD_STATIC" 2> >(grep -v 'in statically linked applications requires at runtime' >&2)
if readelf -lW "$BUILD_STATIC/plimsoll" | grep -q INTERP; then die "build-static/plimsoll asks for dynamic libraries"; fi
static_archive
[ -z "$tries" ] || static_try
say "$(du -h --apparent-size "$STATIC_PROGRAM" | cut -f1) build-packages/cloudfoundry/plimsoll, $(du -h --apparent-size "$STATIC_ARCHIVE" | cut -f1) ${STATIC_ARCHIVE#"$ROOT/"}"
