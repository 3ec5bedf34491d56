# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev deb [--try]: a Debian package of what Meson installs, its dependencies computed from the program. Sourced by ./dev.
# --try (root): installed in a clean Debian 12, used there, and removed without a trace.

. scripts/version.sh
. scripts/roots.sh

BUILD_DEB="$ROOT/build-deb"
PACKAGES="$ROOT/build-packages"
tries=$(wants_try deb "$@")

# As Debian builds its own: hardened, without paths of this machine.
deb_flags() {
    local name
    export DEB_BUILD_MAINT_OPTIONS=hardening=+all
    for name in CFLAGS CPPFLAGS LDFLAGS; do export "$name=$(dpkg-buildflags --get $name)"; done
}

# Texts: manual pages and the changelog compressed, as policy has them.
deb_documents() {
    local doc="$1/usr/share/doc/plimsoll" date
    date=$(date -R -u -d "@$(package_epoch)")
    mkdir -p "$doc"
    cp -r README.md docs "$doc/"
    cp packaging/debian/copyright "$doc/copyright"
    if [ -e /usr/share/doc/node-llhttp/copyright ]; then
        { printf '\nThe program contains llhttp, of which its package says:\n\n'; cat /usr/share/doc/node-llhttp/copyright; } >>"$doc/copyright"
    fi
    bundled_licences "$BUILD_DEB" >"$doc/NOTICE.charts"
    [ -s "$doc/NOTICE.charts" ] || die "the licences of the charts' library are not where they were"
    printf 'plimsoll (%s) unstable; urgency=medium\n\n  * Built from the sources; NEWS.gz says what changed.\n\n -- Plimsoll maintainers <maintainers@plimsoll.invalid>  %s\n' \
        "$2" "$date" >"$doc/changelog"
    cp CHANGELOG.md "$doc/NEWS"
    gzip -9n "$doc/changelog" "$doc/NEWS"
    find "$1/usr/share/man" -name '*.1' -exec gzip -9n {} +
}

# dpkg-shlibdeps wants a source package's control file beside it.
deb_dependencies() (
    cd "$BUILD_DEB" && rm -rf shlibs && mkdir -p shlibs/debian && cd shlibs || return 1
    printf 'Source: plimsoll\n\nPackage: plimsoll\nArchitecture: any\n' >debian/control
    dpkg-shlibdeps -O "$1" | sed -n 's/^shlibs:Depends=//p'
)

deb_control() {
    local tree=$1 version=$2
    mkdir -p "$tree/DEBIAN"
    sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$(dpkg --print-architecture)|" \
        -e "s|@SIZE@|$(du -k -s --apparent-size "$tree/usr" | cut -f1)|" -e "s|@DEPENDS@|$(deb_dependencies "$tree/usr/bin/plimsoll")|" \
        packaging/debian/control >"$tree/DEBIAN/control"
    (cd "$tree" && find usr -type f -exec md5sum {} + | sort -k 2) >"$tree/DEBIAN/md5sums"
}

deb_build() {
    local tree="$BUILD_DEB/tree" version
    version=$(package_version)
    rm -rf "$tree"
    DESTDIR="$tree" meson install -C "$BUILD_DEB" --no-rebuild --quiet >/dev/null
    strip --strip-unneeded --remove-section=.comment "$tree/usr/bin/plimsoll"
    deb_documents "$tree" "$version"
    chmod -R u=rwX,go=rX "$tree"
    deb_control "$tree" "$version"
    mkdir -p "$PACKAGES"
    rm -f "$PACKAGES"/plimsoll_*.deb
    DEB="$PACKAGES/plimsoll_${version}_$(dpkg --print-architecture).deb"
    SOURCE_DATE_EPOCH=$(package_epoch) dpkg-deb --root-owner-group -Zxz --build "$tree" "$DEB" >/dev/null
}

deb_try() {
    local root
    root_make bookworm
    say "installed in a clean Debian 12"
    root=$(root_copy bookworm)
    cp "$DEB" "$root/plimsoll.deb"
    if root_enter "$root" scripts/try/deb.sh "$root" install &&
        root_enter --alone "$root" scripts/try/program.sh "$root" /usr/bin/plimsoll &&
        root_enter "$root" scripts/try/deb.sh "$root" remove; then
        root_drop "$root"
        return
    fi
    root_drop "$root"
    die "the package does not work in a clean Debian 12"
}

need build deb
deb_flags
say "building the program of the package"
configure "$BUILD_DEB" --buildtype=plain -Db_lto=true -Db_lto_threads=2 -Dtests=false -Dprefix=/usr -Dcharts=enabled
compile "$BUILD_DEB"
deb_build
[ -z "$tries" ] || deb_try
say "$(du -h --apparent-size "$DEB" | cut -f1) ${DEB#"$ROOT/"}"
