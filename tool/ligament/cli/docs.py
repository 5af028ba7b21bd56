# SPDX-License-Identifier: Apache-2.0
"""`ligament docs`: write the reference pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT, write_text
from ligament.cli.common import JsonOption, print_json
from ligament.cli.reference import all_pages

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where the pages go.")]


def docs(out: Out = DEFAULT_OUT / "docs" / "reference", json: JsonOption = False) -> None:
    """Write the reference pages of all file formats, verbs and trace events.

    They are generated, and not kept in the repository, so they are never out of date: index.md
    lists them.

    Example:

    ligament docs --out build/docs/reference
    """
    written = {name: write_text(out / name, text) for name, text in all_pages().items()}
    if json:
        print_json({"folder": str(out), "pages": sorted(written)})
    else:
        changed = sum(written.values())
        print(f"{out}: {len(written)} pages, {changed} changed; start at {out / 'index.md'}")
