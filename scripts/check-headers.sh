#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each header of src/ compiles alone, with both compilers' usual warnings as errors.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
count=0
while read -r header; do
    count=$((count + 1))
    printf '#include "%s"\n' "${header#src/}" |
        ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -DPLIMSOLL_VERSION='"0"' -Wall -Wextra -Werror -fsyntax-only -Isrc -x c - || {
        echo "$header does not compile alone"
        failed=1
    }
done < <(git ls-files -co --exclude-standard 'src/*.h')
echo "headers: $count compiled alone"
exit "$failed"
