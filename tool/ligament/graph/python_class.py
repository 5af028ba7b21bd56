# SPDX-License-Identifier: Apache-2.0
"""The `python` implementation of a node.yaml: does it name a class that is there?

The file is parsed, never run: whether it can be imported is known only where ROS 2 is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from ligament.errors import Problem, listing, nearest
from ligament.graph.source import Document


def python_problems(document: Document) -> Iterator[Problem]:
    """Yield what is wrong with a document's `python` implementation, if it has one."""
    found = document.data["implementations"].get("python")
    if found is None:
        return
    place = ("implementations", "python")
    if ("sources" in found) == ("module" in found):
        both = "both `sources` and `module`" if "sources" in found else "no `sources`"
        yield Problem(
            "python-class",
            f"'{document.data['type']}' names {both} for its class in Python",
            document.key_at(*place),
            expected="`sources`, files beside it, or `module`, of an installed package",
        )
    elif "sources" in found:
        file = Path(document.file).resolve().parent / found["sources"][0]
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*\.py", file.name):
            text = f"'{file.name}' is no name of a Python module"
            at = document.at(*place, "sources", 0)
            yield Problem("python-class", text, at, expected="a file such as track.py")
            return
        yield from _file_problems(document, file, found["class"]) if file.is_file() else ()


def _file_problems(document: Document, file: Path, name: str) -> Iterator[Problem]:
    try:
        # Bytes: Python itself reads which encoding they are in.
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return  # ROS 2's Python may be newer than this one: it is for it to judge
    # Names, too: a class may come from `import` or an assignment.
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if name not in {*classes, *_other_names(tree)}:
        yield Problem(
            "python-class",
            f"{file.name} has no class '{name}'",
            document.at("implementations", "python", "class"),
            expected=f"a class of that file: {listing(classes)}",
            hint=nearest(name, classes),
        )


def _other_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
