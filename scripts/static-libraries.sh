# SPDX-License-Identifier: GPL-3.0-or-later
# The two libraries that Debian has no usable static form of: libsmartcols (it ships none) and libcurl (its own needs Kerberos
# and LDAP, which have none). Built from the sources of the system's own version, Debian's changes applied. Sourced.
# Everything else is linked from the .a files of the -dev packages.

STATIC_PREFIX="$ROOT/build-static-libraries"

# apt with lists of its own, so that the system's are left as they are.
apt_sources() {
    local dir="$STATIC_PREFIX/apt" keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
    [ -e "$keyring" ] && keyring="[signed-by=$keyring]" || keyring=
    [ -s "$dir/sources.list" ] || debian_archives | sed "s|^|deb-src $keyring |" >"$dir/sources.list"
    apt-get -q -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$dir/lists" \
        -o Dir::Cache="$dir/cache" -o APT::Sandbox::User= "$@" </dev/null
}

# source_of PACKAGE: prints the folder of its unpacked source.
source_of() {
    local dir="$STATIC_PREFIX/src/$1"
    rm -rf "$dir"
    mkdir -p "$dir"
    (cd "$dir" && apt_sources source "$1") >"$STATIC_PREFIX/$1.log" 2>&1 || { tail -n 5 "$STATIC_PREFIX/$1.log" >&2; return 1; }
    find "$dir" -mindepth 1 -maxdepth 1 -type d
}

# Debian's changes touch what configure is made from; made again it would need all of autotools.
keep_generated() {
    local file
    for file in aclocal.m4 configure config.h.in lib/curl_config.h.in; do [ ! -e "$file" ] || touch "$file"; sleep 0.02; done
    find . -name Makefile.in -exec touch {} +
}

build_smartcols() (
    dir=$(source_of util-linux) && cd "$dir" || return 1
    keep_generated
    ./configure --prefix="$STATIC_PREFIX" --disable-all-programs --enable-libsmartcols --enable-static --disable-shared \
        --disable-dependency-tracking --disable-nls --disable-asciidoc --disable-poman --without-python --without-systemd \
        --without-ncurses --without-ncursesw --without-tinfo --without-readline --without-util || return 1
    make -j"$(nproc)" libsmartcols.la libsmartcols/smartcols.pc || return 1
    mkdir -p "$STATIC_PREFIX/include/libsmartcols" "$STATIC_PREFIX/lib/pkgconfig"
    cp .libs/libsmartcols.a "$STATIC_PREFIX/lib/"
    cp libsmartcols/src/libsmartcols.h "$STATIC_PREFIX/include/libsmartcols/"
    cp libsmartcols/smartcols.pc "$STATIC_PREFIX/lib/pkgconfig/"
    cp debian/copyright "$STATIC_PREFIX/licence-libsmartcols"
)

# HTTP alone: plimsoll asks it for nothing else.
build_curl() (
    dir=$(source_of curl) && cd "$dir" || return 1
    keep_generated
    off=$(printf -- '--disable-%s ' ldap ldaps ftp file dict telnet tftp pop3 imap smb smtp gopher mqtt rtsp manual ntlm ntlm-wb \
        unix-sockets alt-svc hsts dependency-tracking)
    off+=$(printf -- '--without-%s ' libpsl libidn2 brotli zstd librtmp libssh2 libgsasl)
    # shellcheck disable=SC2086 # words
    ./configure --prefix="$STATIC_PREFIX" --libdir="$STATIC_PREFIX/lib" --disable-shared --enable-static --with-openssl --with-nghttp2 --with-zlib \
        --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt $off || return 1
    make -j"$(nproc)" -C lib || return 1
    make -C lib install && make -C include install && make install-pkgconfigDATA || return 1
    cp debian/copyright "$STATIC_PREFIX/licence-libcurl"
)

# Debian calls libuv's libuv_a.a, under another name for pkg-config.
name_libuv() {
    local dir
    dir=$(pkg-config --variable=libdir libuv)
    [ -e "$dir/libuv.a" ] || ln -sf "$dir/libuv_a.a" "$STATIC_PREFIX/lib/libuv.a"
}

# Built once per version of the system's own.
build_static_libraries() {
    local stamp name
    stamp=$(dpkg-query -W -f '${Package} ${Version}\n' libcurl4-openssl-dev libsmartcols-dev libssl-dev)
    [ "$(cat "$STATIC_PREFIX/.stamp" 2>/dev/null)" != "$stamp" ] || return 0
    rm -rf "$STATIC_PREFIX"
    mkdir -p "$STATIC_PREFIX"
    say "static libsmartcols and libcurl, from their Debian sources"
    apt_sources update >"$STATIC_PREFIX/update.log" 2>&1 || { cat "$STATIC_PREFIX/update.log" >&2; die "the lists of sources can not be fetched"; }
    for name in smartcols curl; do
        "build_$name" >"$STATIC_PREFIX/build-$name.log" 2>&1 || { tail -n 20 "$STATIC_PREFIX/build-$name.log" >&2; die "building $name failed"; }
    done
    name_libuv
    rm -rf "$STATIC_PREFIX/src" "$STATIC_PREFIX/apt"
    echo "$stamp" >"$STATIC_PREFIX/.stamp"
}
