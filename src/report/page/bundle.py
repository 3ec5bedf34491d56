#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""bundle.py OUTPUT WORK MODE SOURCE: the charts' library as one script, from npm.

MODE is a Meson feature: disabled writes an empty file; auto does so too, with a warning, where npm or its registry is not
to be had; enabled fails then. An empty file makes pages without charts, which say so; their tables are whole."""
import filecmp
import os
import shutil
import subprocess
import sys

NPM_TIMEOUT_S = 240


def run(words, work):
    done = subprocess.run(words, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=NPM_TIMEOUT_S)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words[:2])} failed:\n{done.stdout[-2000:]}")


def bundle(output, work, source):
    for program in ("node", "npm"):
        if not shutil.which(program):
            raise RuntimeError(f"{program} is not installed")
    os.makedirs(work, exist_ok=True)
    for name in ("package.json", "package-lock.json", "charts_library.js"):
        shutil.copy(os.path.join(source, name), work)
    lock, installed = os.path.join(work, "package-lock.json"), os.path.join(work, "installed-lock.json")
    if not os.path.exists(installed) or not filecmp.cmp(lock, installed, shallow=False):
        run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], work)
        shutil.copy(lock, installed)
    run([os.path.join(work, "node_modules", ".bin", "esbuild"), "charts_library.js", "--bundle", "--minify", "--format=iife",
         "--global-name=echarts", "--define:process.env.NODE_ENV=\"production\"", "--charset=ascii", "--legal-comments=eof",
         "--log-level=warning", f"--outfile={os.path.abspath(output)}"], work)


def main():
    output, work, mode, source = sys.argv[1:]
    if mode != "disabled":
        try:
            bundle(output, os.path.abspath(work), source)
            return 0
        except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
            print(f"bundle.py: {problem}", file=sys.stderr)
            if mode == "enabled":
                return 1
            print("bundle.py: warning: HTML reports of this build will have tables but no charts", file=sys.stderr)
    with open(output, "wb"):
        pass
    return 0


sys.exit(main())
