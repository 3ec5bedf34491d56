# SPDX-License-Identifier: GPL-3.0-or-later
# What packages are called, and what else belongs into each. Sourced.

# "0.1.0" where the commit has the tag v0.1.0, else "0.1.0~20261130204512.abc1234": older than the release to dpkg. Without git
# (an unpacked archive of the sources) "0.1.0~0".
package_version() {
    local version tag commit
    version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$ROOT/meson.build" | head -n 1)
    if ! commit=$(TZ=UTC git -C "$ROOT" log -1 --format=%cd.%h --date=format-local:%Y%m%d%H%M%S --abbrev=7 2>/dev/null); then
        echo "$version~0"
        return
    fi
    tag=$(git -C "$ROOT" describe --exact-match --tags --match "v$version" 2>/dev/null || true)
    [ -n "$tag" ] && echo "$version" || echo "$version~$commit"
}

# Times of files in packages: the commit's, so that the same commit gives the same package.
package_epoch() { git -C "$ROOT" log -1 --format=%ct 2>/dev/null || stat -c %Y "$ROOT/CHANGELOG.md"; }

# bundled_licences BUILD: of what npm brought into the program, as text.
bundled_licences() {
    local name file
    for name in echarts zrender tslib; do
        for file in "$1"/src/report/*/node_modules/"$name"/{LICENSE,LICENSE.txt,NOTICE}; do
            [ ! -e "$file" ] || { printf '\n== %s: %s\n\n' "$name" "${file##*/}"; cat "$file"; }
        done
    done
}
