# SPDX-License-Identifier: Apache-2.0
"""Every page can be read and be trusted: for whom it is, how long and how wide, what it names."""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

from ligament.acceleration.frame import parser_of
from ligament.bench.pages import BEGIN, END
from ligament.cli.main import VERBS, load_verb
from ligament.errors import InputError

REPO = Path(__file__).resolve().parents[3]
WIDEST = 100
#: Most words of a page that a user reads from top to bottom, and of a room's README.
USER_WORDS, ROOM_WORDS = 800, 400
USER_PAGES = re.compile(r"README\.md|CONTRIBUTING\.md|docs/(tour|how-to/.*|explanation/.*)\.md")
AUDIENCE = re.compile(r"^\*For .+: after this page you .+\.\*$")
FENCE = re.compile(r"^[ ]*```.*?^[ ]*```[ ]*$", re.MULTILINE | re.DOTALL)
FIGURES = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
#: First folders of paths in this repository.
TOP = "benchmarks|dev|docs|examples|firmware|hdl|nodes|platforms|ros2|runtime|spec|tool"
PATH = re.compile(rf"`((?:{TOP})/[\w./-]*[\w/-])(?:::\w+)?`")
COMMAND = re.compile(r"(?:^\$ |`)(?:\.venv/bin/)?ligament ([a-z][^`\n#|]*)", re.MULTILINE)
TARGET = re.compile(r"(?:^\$ |`)make ([a-z][a-z0-9-]*)", re.MULTILINE)


def pages() -> list[str]:
    """All pages that git knows or would add, but the log of changes, which speaks of what was."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout
    return [page for page in listed.split() if (REPO / page).exists() and page != "CHANGELOG.md"]


def prose(text: str) -> str:
    """A page without its blocks of code and its comments."""
    return re.sub(r"<!--.*?-->", "", FENCE.sub("", text), flags=re.DOTALL)


def written(text: str) -> str:
    """The prose of a page without the figures of a bench, which are generated."""
    return prose(FIGURES.sub("", text))


def words_of(text: str) -> int:
    """How many words a page has, code and generated figures left out."""
    return sum(any(c.isalnum() for c in word) for word in written(text).split())


def limit_of(page: str) -> int | None:
    """Most words of a page; None for references, which nobody reads from top to bottom."""
    if USER_PAGES.fullmatch(page):
        return USER_WORDS
    return ROOM_WORDS if page.endswith("README.md") else None


def wide_lines(text: str) -> list[str]:
    """Lines of prose that are too wide; tables, titles, pictures and lone links may be."""
    return [
        line
        for line in written(text).splitlines()
        if len(line) > WIDEST
        and not line.lstrip().startswith(("|", "#", "!["))
        and len(line.split()) > 1 + line.lstrip().startswith(("-", "*"))
    ]


def anchor(title: str) -> str:
    """The fragment that a title gets on a page."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title.lower())
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@functools.cache
def anchors(page: Path) -> frozenset[str]:
    """All fragments of a page."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return frozenset(anchor(title.strip()) for title in titles)


def broken_links(page: Path, text: str) -> list[str]:
    """Links to files and fragments that are not there."""
    broken = []
    for link in LINK.findall(prose(text)):
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        if not target.exists() or (
            fragment and target.suffix == ".md" and fragment not in anchors(target)
        ):
            broken.append(link)
    return broken


@functools.cache
def command_of(verb: str) -> Any:
    """A verb as click has it; None: there is no such verb."""
    known = next((v for v in VERBS if v.name == verb), None)
    if known is None:
        return None
    target = load_verb(known)
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command()(target)
        target = app
    return typer.main.get_command(target)


def mistake(words: str) -> str | None:
    """What is wrong with `VERB ...`, as far as its verb, its sub-verb and its options say."""
    verb, *rest = words.split()
    command = command_of(verb)
    if command is None:
        return f"there is no verb '{verb}'"
    below = getattr(command, "commands", {})
    if rest and rest[0] in below:
        command = below[rest.pop(0)]
    known = {option for item in command.params for option in (*item.opts, *item.secondary_opts)}
    if verb == "acceleration" and rest and not rest[0].startswith("-"):  # has parsers of its own
        try:
            known = set(parser_of(rest.pop(0), "ligament")._option_string_actions)
        except InputError as error:
            return error.problems[0].text
    last = {"--", "--run"} if words.startswith("acceleration emulation ") else {"--"}
    for word in rest:
        option = word.partition("=")[0].rstrip(".,;:)")
        if option in last:
            break
        if re.fullmatch(r"--?[a-z][\w-]*", option) and option not in known | {"--help"}:
            return f"'{verb}' has no option '{option}'"
    return None


def paths_that_are_not_there(text: str) -> list[str]:
    """Named paths of this repository that do not exist; capitals stand for any name."""
    return [
        path
        for path in PATH.findall(prose(text))
        if not (REPO / path).exists() and not re.search(r"\b(NAME|VERB|BENCH|KIND)\b", path)
    ]


every_page = pytest.mark.parametrize("page", pages())


@every_page
def test_it_says_for_whom_it_is(page: str) -> None:
    lines = [line for line in prose((REPO / page).read_text()).splitlines() if line.strip()]
    assert lines[0].startswith("# ")
    assert AUDIENCE.match(lines[1]), f"under its title {page} says: {lines[1]}"


@every_page
def test_its_prose_is_not_wide(page: str) -> None:
    assert wide_lines((REPO / page).read_text()) == []


@every_page
def test_it_is_not_long(page: str) -> None:
    words, limit = words_of((REPO / page).read_text()), limit_of(page)
    if limit is not None:
        assert words <= limit, f"{page} has {words} words, {limit} are the most"


@every_page
def test_its_links_lead_somewhere(page: str) -> None:
    assert broken_links(REPO / page, (REPO / page).read_text()) == []


@every_page
def test_its_paths_are_there(page: str) -> None:
    assert paths_that_are_not_there((REPO / page).read_text()) == []


@every_page
def test_its_commands_exist(page: str) -> None:
    text = (REPO / page).read_text()
    targets = set(re.findall(r"^([a-z0-9-]+):", (REPO / "Makefile").read_text(), re.MULTILINE))
    assert [wrong for words in COMMAND.findall(text) if (wrong := mistake(words))] == []
    assert set(TARGET.findall(text)) <= targets


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("run . --trace --variant fused", None),
        ("bench transport --quick", None),
        ("chekc .", "there is no verb 'chekc'"),
        ("run . --tracing", "'run' has no option '--tracing'"),
        ("trace import x --graphs y", "'trace' has no option '--graphs'"),
        ("acceleration mixin --write", None),
        ("acceleration mixin --writes", "'acceleration' has no option '--writes'"),
        ("acceleration emulation --keep --run sh -c", None),
        ("acceleration emulation --kep --run sh", "'acceleration' has no option '--kep'"),
        ("acceleration mixing", "there is no verb 'mixing'"),
    ],
)
def test_a_wrong_command_is_noticed(words: str, wrong: str | None) -> None:
    assert mistake(words) == wrong


def test_what_else_is_wrong_is_noticed() -> None:
    page = REPO / "README.md"
    assert broken_links(page, "[a](nowhere.md) [b](#nowhere) [c](DESIGN.md) [d](https://x.y)") == [
        "nowhere.md",
        "#nowhere",
    ]
    assert paths_that_are_not_there("`tool/nowhere.py` and `tool/ligament/cli/main.py`") == [
        "tool/nowhere.py"
    ]
    wide = "a " * 60
    assert wide_lines(f"{wide}\n\n| {wide} |\n```\n{wide}\n```\n") == [wide]
    assert words_of("# One title\n\n```\nno words\n```\n- three, *four*\n") == 4
    assert words_of(f"one\n{BEGIN}\nmany words\n{END}\ntwo") == 2
    assert not AUDIENCE.match("*For nobody in particular.*")
