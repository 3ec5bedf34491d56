# SPDX-License-Identifier: GPL-3.0-or-later
"""A program for the shares of a job that puts a fault into some of them, whatever engine starts it."""
import os

# {plimsoll} with the fault that line I of the file beside it names for share I.
PROGRAM = """#!/bin/sh
[ "$1" = load ] || exec {plimsoll} "$@"
share=$((${{OMPI_COMM_WORLD_RANK:-${{PARALLEL_SEQ:-${{SLURM_PROCID:-0}}}}}} + 1))
[ -z "${{PARALLEL_SEQ:-}}" ] || share=$PARALLEL_SEQ
fault=$(sed -n "${{share}}p" {folder}/faults)
document={folder}/document-$share
for word in "$@"; do
    [ "${{last:-}}" != --start-at ] || start=$(date -d "$word" +%s)
    [ "${{last:-}}" != --json ] || out=$(echo "$word" | sed "s/{{share}}/$share/")
    last=$word
done
until_start() {{
    while [ "$(date +%s)" -lt $((start + $1)) ]; do sleep 0.1; done
}}
run() {{
    # Its document goes through our hands: --json stands once, the last one counts.
    {plimsoll} "$@" --json "$document" >/dev/null
}}
give() {{
    if [ "$out" = - ]; then cat; else cat >"$out"; fi
}}
case $fault in
killed)
    {plimsoll} "$@" &
    until_start 1; kill -KILL $!; wait $!; exit ;;
stopped)
    {plimsoll} "$@" &
    until_start 1; kill -STOP $!; sleep 5; kill -CONT $!; wait $!; exit ;;
late)
    until_start 3; exec {plimsoll} "$@" ;;
hour)
    LD_PRELOAD={off_clock} OFF_CLOCK_S=3600 exec {plimsoll} "$@" ;;
version)
    run "$@"; sed 's/"tool_version": "[^"]*"/"tool_version": "0.0.1"/' "$document" | give ;;
cut)
    run "$@"; head -c 3000 "$document" | give ;;
given)
    run "$@"; cp "$document" {folder}/other.new; mv {folder}/other.new {folder}/other; give <"$document" ;;
twice)
    for turn in $(seq 600); do [ ! -e {folder}/other ] || break; sleep 0.1; done
    give <{folder}/other ;;
*)
    exec {plimsoll} "$@" ;;
esac
"""


def write_program(folder, plimsoll, faults, off_clock):
    """faults: of each share, "" for none. off_clock: a library of lib/clocks.py. Its path, in folder."""
    with open(f"{folder}/faults", "w") as file:
        file.write("\n".join(faults) + "\n")
    path = f"{folder}/program"
    with open(path, "w") as file:
        file.write(PROGRAM.format(plimsoll=plimsoll, folder=folder, off_clock=off_clock))
    os.chmod(path, 0o755)
    return path
