#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""embed.py INPUT NAME: writes C that defines `const char NAME[]` and `const size_t NAME_len` with the bytes of a file."""
import sys


def main():
    path, name = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    print("#include <stddef.h>")
    print(f"extern const char {name}[];\nextern const size_t {name}_len;")
    print(f"const size_t {name}_len = {len(data)};")
    print(f"const char {name}[] = {{")
    for i in range(0, len(data), 24):
        print(",".join(str(b if b < 128 else b - 256) for b in data[i:i + 24]) + ",")
    print("0};")


main()
