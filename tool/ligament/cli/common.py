# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several verbs share, so that they read the same everywhere."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.artefacts import json_text
from ligament.errors import InputError, Problem

GraphArgument = Annotated[
    str, typer.Argument(metavar="GRAPH", help="graph.yaml, its folder, or a normalised graph.json.")
]
VariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant", "-v", metavar="NAME", help="The variant; default: the graph's own default."
    ),
]
PlatformOption = Annotated[
    str,
    typer.Option(
        "--platform",
        "-p",
        metavar="NAME",
        help="A platform's name, or the path of a platform.yaml.",
    ),
]
MappingOption = Annotated[
    Path | None,
    typer.Option("--mapping", "-m", metavar="FILE", help="Use this mapping.json as it is."),
]
OutOption = Annotated[
    Path,
    typer.Option("--out", "-o", metavar="DIR", help="Where artefacts lie: DIR/<graph>/<variant>/."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


def graph_path(given: str) -> Path:
    """Return the path of the graph file: a folder means the graph.yaml in it."""
    path = Path(given)
    if path.is_dir():
        path = path / "graph.yaml"
    if not path.exists():
        raise InputError(
            Problem(
                "file-missing",
                f"there is no graph file '{path}'",
                hint="name a graph.yaml or its folder: ligament check examples/perception",
            )
        )
    return path


def print_json(data: dict[str, Any]) -> None:
    """Print an artefact on stdout."""
    sys.stdout.write(json_text(data))


def warn(texts: tuple[str, ...]) -> None:
    """Print warnings on stderr."""
    for text in texts:
        print(f"warning: {text}", file=sys.stderr)


def has_display() -> bool:
    """Whether there is a screen that a browser could open a window on."""
    named = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return named or sys.platform in ("darwin", "win32")


def open_page(path: Path) -> bool:
    """Open a page in the reader's browser; without a display say where it is."""
    if has_display() and webbrowser.open(path.resolve().as_uri()):
        return True
    print(f"no display to open it on: {path}", file=sys.stderr)
    return False
