#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file to upload: testbeds/blobs/content.py random|same|zero SIZE FILE. SIZE is as 20MB or 512KiB.

"random" differs from file to file, so that nothing on the way can fold or compress it; "same" is random too, but the same
in every file of that size; "zero" is zeros."""
import os
import random
import re
import sys

UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
PIECE = 1 << 20


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("random", "same", "zero"):
        sys.exit(__doc__)
    kind, size, path = sys.argv[1:]
    parts = re.fullmatch(r"(\d+)([A-Za-z]*)", size)
    if parts is None or parts[2] not in UNITS:
        sys.exit(f"content.py: \"{size}\" is no size such as 20MB")
    left, same = int(parts[1]) * UNITS[parts[2]], random.Random(1)
    make = {"random": os.urandom, "same": same.randbytes, "zero": bytes}[kind]
    with open(path, "wb") as f:
        while left > 0:
            f.write(make(min(left, PIECE)))
            left -= min(left, PIECE)


if __name__ == "__main__":
    main()
