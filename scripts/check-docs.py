#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks README.md and docs/: every link leads somewhere, and every plimsoll command line that is shown parses.

Usage: check-docs.py PROGRAM

A command line is tried with --help behind it: the program judges everything before that, values too, and does nothing.
Lines with a placeholder such as "..." are tried as far as it goes.
"""
import os
import re
import shlex
import subprocess
import sys

import csource

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|<img[^>]+src=\"([^\"]+)\"")
FENCE = re.compile(r"^ {0,8}(```+|~~~+)\s*(\w*)")
OPERATORS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "(", ")", "{", "}", "2>&1", ">/dev/null"}
WORDS_BEFORE = {"sudo", "time", "exec", "nohup", "if", "!", "while", "do", "then", "env", "run:", "-", "$", "#"}
HELP = {"ab": "-h", "mb": "-h"}
# What the shell would put there: any word does.
PLACE = re.compile(r"\$\{?\w+\}?|\$\([^)]*\)")


def anchors(text):
    """What GitHub makes of headings."""
    for line in text.splitlines():
        if line.startswith("#"):
            name = re.sub(r"[`*]|\[|\]\([^)]*\)", "", line.lstrip("#").strip()).lower()
            yield re.sub(r"[^\w\- ]", "", name).replace(" ", "-")


def check_links(name, text):
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            to = next(g for g in found.groups() if g)
            if re.match(r"[a-z]+:", to):
                continue
            path, _, anchor = to.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            whole = os.path.join(csource.ROOT, target)
            if not os.path.exists(whole):
                yield number, f"link to {to}: there is no {target}"
            elif anchor and target.endswith(".md") and anchor not in set(anchors(csource.read(target))):
                yield number, f"link to {to}: no heading of {target} is called so"


def blocks(text):
    """(line number, language, lines) of fenced code."""
    inside, begin, language, lines = None, 0, "", []
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if fence and inside is None:
            inside, begin, language, lines = fence.group(1), number + 1, fence.group(2), []
        elif fence and line.strip() == inside:
            yield begin, language, lines
            inside = None
        elif inside is not None:
            lines.append(line)


def command_lines(first, lines):
    """Joined at backslashes: (line number, text)."""
    number, text = first, ""
    for offset, line in enumerate(lines):
        if not text:
            number = first + offset
        if line.rstrip().endswith("\\"):
            text += line.rstrip()[:-1] + " "
            continue
        yield number, text + line
        text = ""


def words_of(text):
    lexer = shlex.shlex(PLACE.sub("1", text), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    lexer.commenters = ""
    return list(lexer)


def plimsoll_commands(text):
    """The words behind each `plimsoll` of a line."""
    if "plimsoll " not in text or re.match(r"\s*(?:\w+ )?plimsoll \w*:", text):
        return
    text = re.sub(r"(^|\s)#\s.*$", "", text)
    try:
        words = words_of(text)
    except ValueError:  # a quote over several lines, or a sentence with an apostrophe
        return
    at_start, command = True, None
    for word in words + [";"]:
        if word in OPERATORS or set(word) <= set("();<>|&"):
            if command is not None:
                yield command
            at_start, command = True, None
        elif command is not None:
            command.append(word)
        elif at_start and (word == "plimsoll" or word.endswith("/plimsoll") or word == "{plimsoll}"):
            command = []
        elif word not in WORDS_BEFORE and not re.match(r"\w+=", word):
            at_start = False


def is_placeholder(word):
    return word.startswith("[") or word.endswith("...") or "\u2026" in word or word in ("COMMAND", "...")


def judge(program, command):
    """None, or what is wrong with it."""
    words = []
    for word in command:
        if is_placeholder(word):
            break
        words.append(word)
    if not words or words[0] in ("--version", "--help", "help", "-V", "-h") or words == ["COMMAND"]:
        return None
    if words[0] in ("rounds", "job") and "--" in words:
        words = words[:words.index("--")]
    ask = HELP.get(words[0], "--help")
    words.insert(len(words) - (words[0] == "ab"), ask)  # ab's options end with its URL
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=20, check=False,
                          stdin=subprocess.DEVNULL)
    first = done.stderr.split("\n")[0]
    # ab ends with 22 behind its usage, as it always did, and opens files while it reads its options.
    if done.returncode == 0 or (words[0] == "ab" and (first.startswith("Usage") or "Could not open" in first)):
        return None
    return (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[0]


def man_examples(text):
    """Lines between .nf and .fi."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if line in (".nf", ".fi"):
            inside = line == ".nf"
        elif inside:
            yield number, re.sub(r"\\([-e&])", lambda m: {"-": "-", "e": "\\", "&": ""}[m.group(1)], line)


def check_commands(program, name, text):
    if name.endswith(".md"):
        lines = [pair for first, _, body in blocks(text) for pair in command_lines(first, body)]
    else:
        numbered = list(man_examples(text))
        lines = numbered
    tried = 0
    for number, line in lines:
        for command in plimsoll_commands(line):
            tried += 1
            wrong = judge(program, command)
            if wrong:
                yield number, f"plimsoll {' '.join(command)}: {wrong}"
    COUNTS["commands"] += tried


COUNTS = {"commands": 0, "links": 0}


def main():
    program = os.path.abspath(sys.argv[1])
    names = [n for n in csource.tracked() if (n.endswith(".md") and (n.startswith("docs/") or "/" not in n) or n.startswith("man/plimsoll"))
             and os.path.isfile(os.path.join(csource.ROOT, n))]
    problems = 0
    for name in names:
        text = csource.read(name)
        found = list(check_commands(program, name, text))
        if name.endswith(".md"):
            found += check_links(name, text)
        for number, what in sorted(found):
            print(f"{name}:{number}: {what}")
            problems += 1
    print(f"docs: {len(names)} files, {COUNTS['commands']} command lines, {problems} problems")
    return 1 if problems or COUNTS["commands"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
