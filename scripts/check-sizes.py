#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports the sizes of files and functions of src/. Large ones are listed; only what is beyond the hard limits fails."""
import sys

import csource

FILE_LARGE, FILE_LIMIT = 500, 750
FUNCTION_LARGE, FUNCTION_LIMIT = 60, 100


def rank(values, share):
    return sorted(values)[max(0, -(-len(values) * share // 100) - 1)] if values else 0


def line_of(what, sizes, large):
    values = [size for size, _ in sizes]
    return (f"{what}: {len(values)}, p50 {rank(values, 50)} lines, p90 {rank(values, 90)}, largest {max(values, default=0)}, "
            f"{sum(v > large for v in values)} above {large}")


def main():
    files, functions = [], []
    for name in csource.tracked("src"):
        if not name.endswith((".c", ".h")):
            continue
        text = csource.read(name)
        files.append((text.count("\n"), name))
        if name.endswith(".c"):
            functions += [(size, f"{name}:{line} {function}()") for function, line, size in csource.functions(text)]
    failed = 0
    for what, sizes, large, limit in (("files", files, FILE_LARGE, FILE_LIMIT),
                                      ("functions", functions, FUNCTION_LARGE, FUNCTION_LIMIT)):
        print(line_of(what, sizes, large))
        for size, name in sorted(sizes, reverse=True):
            if size > large:
                print(f"  {size:5} {name}{' TOO LARGE' if size > limit else ''}")
            failed += size > limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
