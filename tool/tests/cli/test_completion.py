# SPDX-License-Identifier: Apache-2.0
"""What Tab gives: verbs, options and values, in real shells too, without importing what is slow."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ligament.cli import completion
from ligament.cli.main import VERBS, main
from ligament.resources import examples_dir

PERCEPTION = str(examples_dir() / "perception")
TOOL = Path(completion.__file__).resolve().parents[2]


def answers(line: str, at: int | None = None) -> list[str]:
    """What is offered for the last word of a line."""
    words = line.split(" ")
    said = completion.answer([str(len(words) - 1 if at is None else at), *words])
    return [row.partition("\t")[0] for row in said.splitlines()]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ligament ru", ["run"]),
        ("ligament --c", ["--completion"]),
        ("ligament --completion z", ["zsh"]),
        ("ligament run --vari", ["--variant"]),
        ("ligament trace imp", ["import"]),
        ("ligament trace import --js", ["--json"]),
        (f"ligament run {PERCEPTION} --variant fus", ["fused"]),
        (f"ligament run {PERCEPTION} --variant = fus", ["fused"]),  # as bash splits it
        (f"ligament run {PERCEPTION} --variant=fus", ["--variant=fused"]),
        (f"ligament run -v fus {PERCEPTION} --until si", ["sink"]),
        (f"ligament run {PERCEPTION} --set sink.fra", ["sink.frames="]),
        ("ligament run --trace = r", ["ros2"]),
        ("ligament run --log-level wa", ["warn"]),
        ("ligament map --platform fpga_sim_2", ["fpga_sim_250"]),
        ("ligament acceleration sel", ["select"]),
        ("ligament new mc", ["mcu-node"]),
        ("ligament new node fol", []),
        ("ligament run --out bu", []),  # a path: the shell's own
        ("ligament run exam", []),
        ("ligament chekc --", []),
        (f"ligament run {PERCEPTION}/nowhere --variant f", []),
    ],
)
def test_a_word_is_completed(line: str, offered: list[str], tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LIGAMENT_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert answers(line) == offered
    assert answers(line) == offered  # and from the cache


def test_every_verb_is_offered_with_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--complete", "1", "ligament", ""]) == 0
    rows = dict(row.split("\t") for row in capsys.readouterr().out.splitlines())
    assert rows == {verb.name: verb.text for verb in VERBS} | completion.GLOBAL


@pytest.mark.parametrize("words", [["--complete"], ["--complete", "x"], ["--complete", "9"]])
def test_what_a_shell_should_not_ask_is_answered_by_nothing(words, capsys) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out in ("", completion.answer(["0"]))


def test_an_unknown_shell_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--completion", "csh"]) == 2
    assert "there is no completion for 'csh'" in capsys.readouterr().err


def test_options_come_without_importing_the_verb(tmp_path: Path) -> None:
    code = (
        "import sys; from ligament.cli.main import main; "
        "main(['--complete', '2', 'ligament', 'report', '--js']); "
        "print(sorted({'typer', 'duckdb', 'rich', 'ligament.cli.report'} & set(sys.modules)))"
    )
    environment = {**os.environ, "LIGAMENT_CACHE": str(tmp_path), "PYTHONPATH": str(TOOL)}
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert said[1] == [said[0][0], "[]"]
    assert said[0][0].startswith("--json\t")


SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
#: What each is told before it can complete: the script, and a prompt that is known.
BEGIN = {
    "bash": "PS1='> '; source script",
    "zsh": "PS1='> '; autoload -Uz compinit && compinit -u -D && source ./script",
    "fish": "function fish_prompt; echo '> '; end; source script",
}
#: Keys that empty the line; fish draws it anew then.
CLEAR = "\x15"


class Terminal:
    """An interactive shell that has read the script; keys go in, what it shows comes out."""

    def __init__(self, folder: Path, shell: str) -> None:
        program = folder / "ligament"
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={TOOL} exec {sys.executable} -P -m ligament.cli.main "$@"\n'
        )
        program.chmod(0o755)
        (folder / "script").write_text(completion.script(shell))
        environment = {
            "PATH": f"{folder}:/usr/bin:/bin", "TERM": "dumb" if shell == "bash" else "vt100",
            "HOME": str(folder), "LIGAMENT_CACHE": str(folder / "cache"), "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        found = shutil.which(shell)
        assert found
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(found, SHELLS[shell], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.shown = ""
        self.type(f"{BEGIN[shell]}; echo rea''dy\n", "\\bready")

    def type(self, keys: str, until: str) -> str:
        """Type, and wait until this is shown; return what is shown since, as text."""
        begin, patience = len(self.shown), time.monotonic() + 60
        os.write(self.terminal, keys.encode())
        while not re.search(until, plain(self.shown[begin:])) and time.monotonic() < patience:
            if select.select([self.terminal], [], [], 1)[0]:
                self.shown += os.read(self.terminal, 4096).decode(errors="replace")
        return plain(self.shown[begin:])

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def plain(shown: str) -> str:
    """What stays on the line: without colours, rings, ways to a column, and what is drawn over."""
    text = re.sub(r"\r\x1b\[\d+C", "", shown)
    text = re.sub(r"\x1b(\[[0-9;?>=]*[A-Za-z]|[()][A-Z0-9]|[=>78])|[\x00\a\x0e\x0f]", "", text)
    return re.sub(r".\x08", "", text)


@pytest.fixture(params=SHELLS)
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of each shell that is here."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} (dev/setup --test)")
    (tmp_path / "graph.yaml").write_text((Path(PERCEPTION) / "graph.yaml").read_text())
    found = Terminal(tmp_path, shell)
    yield found
    found.end()


def test_a_real_shell_completes(terminal: Terminal) -> None:
    assert "ligament doctor" in terminal.type("ligament doct\t", "doctor")
    terminal.type(CLEAR, "")
    assert "--variant fused" in terminal.type("ligament run --vari\tfus\t", "--variant fused")
    terminal.type(CLEAR, "")
    assert "graph.yaml" in terminal.type("ligament check gra\t", r"graph\.yaml")
    terminal.type(CLEAR, "")
    # Of several it shows all.
    shown = terminal.type("ligament doc\t\t", r"doctor[\s\S]*docs|docs[\s\S]*doctor")
    assert "docs" in shown
    assert "doctor" in shown
