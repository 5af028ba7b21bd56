# SPDX-License-Identifier: Apache-2.0
"""Manual pages say what the help says, and groff has nothing to say against them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ligament.cli import man
from ligament.cli.main import VERBS, command_of, main


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return man.pages()


def shown(page: str) -> str:
    """A page as a reader sees it, as one line."""
    command = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=900n"]
    said = subprocess.run(command, input=page, capture_output=True, text=True, check=True).stdout
    return " ".join(said.split())


def test_there_is_a_page_for_every_verb(pages: dict[str, str]) -> None:
    assert set(pages) == {"ligament.1", *(f"ligament-{verb.name}.1" for verb in VERBS)}
    whole = shown(pages["ligament.1"])
    assert all(f"ligament-{verb.name}(1) {verb.text}" in whole for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_it_has_every_option(verb, pages: dict[str, str]) -> None:
    whole = shown(pages[f"ligament-{verb.name}.1"])
    assert f"ligament-{verb.name} - " in whole
    commands = [command_of(verb)]
    commands += getattr(commands[0], "commands", {}).values()
    for parameter in (p for command in commands for p in command.params):
        names = parameter.opts if parameter.param_type_name == "option" else []
        assert [name for name in names if name not in whole] == []
        words = " ".join((getattr(parameter, "help", "") or "").replace("`", "").split())
        assert words in whole


def test_groff_warns_of_nothing(pages: dict[str, str]) -> None:
    assert shutil.which("groff"), "groff belongs to Debian's base system"
    for name, text in pages.items():
        command = ["groff", "-man", "-Tutf8", "-k", "-ww", "-z"]
        said = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        assert said.stderr == "", name


def test_what_begins_a_request_is_text() -> None:
    assert man.escaped(".TH -x \\n") == "\\&.TH \\-x \\en"
    assert man.inline("`--a`: 'b'") == "\\fB\\-\\-a\\fP: 'b'"
    assert man.inline("a lone ` stays") == "a lone ` stays"
    assert (
        shown(f".TH X 1\n.SH A\n{man.inline('.hidden and `.PP`')}\n").count(".hidden and .PP") == 1
    )


def test_the_verb_writes_pages_and_scripts(tmp_path: Path, capsys) -> None:
    assert main(["docs", "--man", str(tmp_path / "man"), "--completions", str(tmp_path)]) == 0
    assert "0 changed" not in capsys.readouterr().out
    assert re.match(r"\.\\\" Made", (tmp_path / "man" / "ligament-run.1").read_text())
    assert (tmp_path / "bash-completion" / "completions" / "ligament").is_file()
    assert (tmp_path / "zsh" / "site-functions" / "_ligament").is_file()
    words = ["docs", "--man", str(tmp_path / "man"), "--completions", str(tmp_path), "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)["written"]
    assert [one["folder"] for one in told] == [str(tmp_path / "man"), str(tmp_path)]
    assert "ligament-run.1" in told[0]["pages"]
