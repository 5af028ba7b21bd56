# SPDX-License-Identifier: Apache-2.0
"""`ligament docs`: write the reference pages, manual pages and completions of shells."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import DEFAULT_OUT, write_text
from ligament.cli.common import JsonOption, print_json
from ligament.cli.reference import all_pages
from ligament.errors import counted

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the pages go.")]
Man = Annotated[
    Path | None,
    typer.Option("--man", metavar="DIR", help="Write manual pages there instead: ligament.1, ..."),
]
Completions = Annotated[
    Path | None,
    typer.Option(
        "--completions",
        metavar="DIR",
        help="Write what bash, zsh and fish complete with instead, where each looks below DIR, a "
        "`share` folder.",
    ),
]


def docs(
    out: Out = DEFAULT_OUT / "docs" / "reference",
    man: Man = None,
    completions: Completions = None,
    json: JsonOption = False,
) -> None:
    """Write the reference pages of all file formats, verbs and trace events.

    They are generated, and not kept in the repository, so they are never out of date: index.md
    lists them.

    Examples:

    `ligament docs --out build/docs/reference`

    `ligament docs --man build/docs/man`
    """
    wanted = [(folder, pages) for folder, pages in
              ((man, manual_pages), (completions, completion_scripts)) if folder]  # fmt: skip
    if wanted:
        told = [_write(folder, pages(), json) for folder, pages in wanted]
    else:
        told = [_write(out, all_pages(), json, start="index.md")]
    if json:
        print_json({"written": told})


def manual_pages() -> dict[str, str]:
    """Return the manual pages by the names of their files."""
    from ligament.cli.man import pages  # noqa: PLC0415 - it imports every verb

    return pages()


def completion_scripts() -> dict[str, str]:
    """Return the scripts by where shells look for them."""
    from ligament.cli.completion import PLACES, script  # noqa: PLC0415 - for this alone

    return {place: script(shell) for shell, place in PLACES.items()}


def _write(folder: Path, pages: dict[str, str], quiet: bool, start: str = "") -> dict[str, Any]:
    """Write pages into a folder; returns what --json says of it."""
    written = {name: write_text(folder / name, text) for name, text in pages.items()}
    if not quiet:
        where = f"; start at {folder / start}" if start else ""
        print(f"{folder}: {counted(len(written), 'page')}, {sum(written.values())} changed{where}")
    return {"folder": str(folder), "pages": sorted(written)}
