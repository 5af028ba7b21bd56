# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several verbs share, so that they read the same everywhere."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ligament.artefacts import DEFAULT_OUT, json_text
from ligament.errors import InputError, Problem, nearest, render_problem
from ligament.package.index import graph_of

if TYPE_CHECKING:
    from ligament.graph import Graph
    from ligament.pipeline import Request

GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="graph.yaml, its folder, a normalised graph.json, or an installed PACKAGE/GRAPH.",
    ),
]
VariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant", "-v", metavar="NAME", help="The variant; default: the graph's own default."
    ),
]
PlatformOption = Annotated[
    str | None,
    typer.Option(
        "--platform",
        "-p",
        metavar="NAME",
        help="A platform's name, or the path of a platform.yaml; default: the one that is selected "
        "in this workspace (acceleration select), else host.",
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


@dataclasses.dataclass(frozen=True)
class Chosen:
    """What is to be mapped where."""

    variant: VariantOption = None
    platform: PlatformOption = None
    out: OutOption = DEFAULT_OUT


@dataclasses.dataclass(frozen=True)
class ChosenMapping(Chosen):
    """The same, or a mapping that was made before: the options of verbs that may map first."""

    mapping: MappingOption = None

    def request(self, graph: str) -> Request:
        """Return what the pipe is asked for."""
        from ligament.pipeline import Request  # noqa: PLC0415 - `check` needs none of it

        path = graph_path(graph)
        platform = self.platform or platform_here(path, self.mapping)
        return Request(path, self.variant, platform, self.out, self.mapping)


def with_chosen(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options of `Chosen`, or more: it takes them as one, named `chosen`.

    Typer reads a function's signature; the one that it sees here has each option by itself.
    """
    hints = get_type_hints(verb, include_extras=True)
    own = get_type_hints(hints["chosen"], include_extras=True)

    @functools.wraps(verb)
    def call(**values: Any) -> None:
        chosen = hints["chosen"](**{name: values.pop(name) for name in own})
        verb(chosen=chosen, **values)

    parameters = []
    for parameter in inspect.signature(verb).parameters.values():
        if parameter.name == "chosen":
            parameters += [
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=field.default,
                    annotation=own[field.name],
                )
                for field in dataclasses.fields(hints["chosen"])
            ]
        else:
            parameters.append(
                parameter.replace(
                    kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name]
                )
            )
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def platform_here(graph: Path, mapping: Path | None = None) -> str:
    """The platform that is selected in this workspace, which is told on stderr; else host.

    What is mapped or built already needs none.
    """
    if mapping is not None or graph.name == "build.json":
        return "host"
    from ligament.acceleration.workspace import Workspace  # noqa: PLC0415 - `check` needs none

    name = Workspace().selected_name()
    if name is not None:
        print(f"platform: {name} (selected in this workspace)", file=sys.stderr)
    return name or "host"


def graph_path(given: str) -> Path:
    """Return the path of the graph file: a folder means the graph.yaml in it.

    What is no path may be an installed graph: PACKAGE/NAME.
    """
    path = Path(given)
    if not path.exists() and (installed := graph_of(given)):
        return installed
    if path.is_dir():
        path = path / "graph.yaml"
    if not path.exists():
        raise InputError(_no_graph(path))
    return path


def _no_graph(path: Path) -> Problem:
    """Say where it was looked for: often the working folder is another one than was thought."""
    folder = path.absolute().parent
    there = "" if folder.is_dir() else ", which is not there"
    beside = os.listdir(folder) if os.access(folder, os.R_OK) and not there else []
    return Problem(
        "file-missing",
        f"there is no graph file '{path}'",
        expected="a graph.yaml, the folder that it lies in, or PACKAGE/GRAPH of an installed one",
        hint=nearest(path.name, beside),
        notes=((f"looked in {folder}{there}", None),),
    )


def print_json(data: dict[str, Any]) -> None:
    """Print an artefact on stdout."""
    sys.stdout.write(json_text(data))


def warn(texts: tuple[str, ...]) -> None:
    """Print warnings on stderr."""
    for text in texts:
        print(f"warning: {text}", file=sys.stderr)


def warn_of(graph: Graph) -> None:
    """Print a graph's warnings on stderr, each with its place where that is known."""
    for text in graph.warnings:
        if text in graph.places:
            print(render_problem(graph.places[text], severity="warning"), file=sys.stderr)
        else:
            warn((text,))


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
