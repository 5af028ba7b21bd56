# SPDX-License-Identifier: Apache-2.0
"""A page's steps: its files are written, its commands are run, what it shows is what they print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^( *)```(\S*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FILE_LINE = re.compile(r"^(?:#|//) file: (\S+)\n")
#: Stands for lines that a page leaves out.
LEFT_OUT = "…"
#: How far a build is: only where it takes long, so that no page shows it.
PROGRESS = re.compile(r"^building\b.*, \d+ s\b")


class Step(NamedTuple):
    """A file with its content, or the command "$" with its line and what the page shows of it."""

    path: str
    content: str
    shown: tuple[str, ...] = ()


def page_blocks(text: str) -> list[tuple[str, str]]:
    """Return the language and the content of each block of code, also of those in lists."""
    return [(language, textwrap.dedent(body)) for _, language, body in BLOCK.findall(text)]


def page_steps(text: str) -> list[Step]:
    """Return each file block and each command of a page, in order."""
    steps: list[Step] = []
    for language, body in page_blocks(text):
        named = FILE_LINE.match(body)
        if named:
            steps.append(Step(named.group(1), body[named.end() :]))
        elif language == "console":
            for said in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, *shown = said.rstrip("\n").split("\n")
                steps.append(Step("$", command, tuple(shown)))
    return steps


def run_command(command: str, folder: Path) -> str:
    """Run one command of a page in a folder, which is ~ too, with the installed Ligament; all that
    it printed.
    """
    prefix = Path(sys.prefix)
    environment = dict(os.environ, COLUMNS="100", LIGAMENT_PREFIX=str(prefix))
    environment["PATH"] = f"{prefix / 'bin'}:{environment['PATH']}"
    words: list[str] = []
    for word in shlex.split(command, comments=True):
        plain = word.replace("$LIGAMENT_PREFIX", str(prefix)).replace("~/", f"{folder}/")
        found = sorted(map(str, folder.glob(plain))) if "*" in plain else []
        words += [str(Path(path).relative_to(folder)) for path in found] or [plain]
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def plain_line(line: str) -> str:
    """A line without what differs from run to run: figures, their units, the width of tables."""
    line = re.sub(r"[─━]+", "━", line)
    line = re.sub(r"\bCPU (-|[\d.]+ ?%)", "CPU #", line)  # a short run has none
    line = re.sub(r"\d[\d.,]*(?: (?:ns|us|ms|s|[kM]?B|GB)\b)?", "#", line)
    return " ".join(line.split())


def missing_lines(shown: tuple[str, ...], printed: str) -> list[str]:
    """Of the lines that a page shows, the first that is not printed where it should be, if any.

    Lines follow each other directly, but where the page leaves some out.
    """
    lines = [
        plain_line(line)
        for line in printed.splitlines()
        if line.strip() and not PROGRESS.match(line)
    ]
    at, may_skip = 0, False
    for line in shown:
        if line.strip() == LEFT_OUT:
            may_skip = True
            continue
        wanted = plain_line(line)
        if may_skip:
            while at < len(lines) and lines[at] != wanted:
                at += 1
        if at >= len(lines) or lines[at] != wanted:
            return [line]
        at, may_skip = at + 1, False
    return [] if may_skip or at == len(lines) else [f"and no more, but: {lines[at]}"]


def follow(page: Path, folder: Path, without: tuple[str, ...] = ()) -> str:
    """Do what a page says in a folder; all that the commands printed, which is what it shows.

    Commands whose first word is in `without` are left out.
    """
    output = ""
    for path, content, shown in page_steps(page.read_text()):
        if path != "$":
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
            continue
        if content.split()[0] in without:
            continue
        printed = run_command(content, folder)
        if shown:
            missing = missing_lines(shown, printed)
            assert not missing, f"$ {content}\nthe page shows: {missing[0]}\n{printed}"
        output += printed
    return output
