# SPDX-License-Identifier: Apache-2.0
"""Pages that no file of the repository holds: those of `ligament docs`, and the C++ headers.

A header's first comment says what it is for, as prose with examples; what follows are the
declarations, with a comment each. Both are shown as they are: a page per header needs no second
parser of C++ (Doxygen would need its own configuration and theme, and a search of its own).
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from ligament.cli.reference import all_pages

from docsite.markdown import fenced

HEADERS = "runtime/include/ligament"
FILES = "docs/reference/files"
CPP = "docs/reference/cpp"


def reference(root: Path) -> dict[str, str]:
    """All generated pages but the gallery, by the paths that they would have in the repository."""
    pages = {
        f"{FILES}/{'README.md' if name == 'index.md' else name}": text
        for name, text in all_pages().items()
    }
    return pages | headers(root)


def headers(root: Path) -> dict[str, str]:
    """A page for each promised header, and one that lists them."""
    found = {path.name: path.read_text("utf-8") for path in sorted((root / HEADERS).glob("*.hpp"))}
    pages = {f"{CPP}/{Path(name).stem}.md": header_page(name, text) for name, text in found.items()}
    rows = [f"| [{name}]({Path(name).stem}.md) | {summary(text)} |" for name, text in found.items()]
    pages[f"{CPP}/README.md"] = "\n".join(
        [
            "# C++ headers", "",
            "What these headers declare is promised; what is in namespace `detail` is not. Include "
            "`<ligament/ligament.hpp>` to have what a node needs.", "",
            "| header | what it is |", "|---|---|", *rows, "",
        ]
    )  # fmt: skip
    return pages


def essay(text: str) -> list[str]:
    """The lines of a header's first comment, without its marks."""
    lines = []
    for line in text.splitlines():
        if line.startswith("///"):
            lines.append(line[3:].removeprefix(" "))
        elif lines or line.startswith(("#", "namespace")):
            break
    if lines:
        lines[0] = re.sub(r"^[\\@]file\s*", "", lines[0])
    return lines


def summary(text: str) -> str:
    """A header's first sentence, for a cell of a table."""
    lines = itertools.takewhile(lambda line: line.strip(), essay(text))
    first = prose(" ".join(" ".join(lines).split()))
    sentence = re.match(r".*?\.(?=\s|$)", first)
    return (sentence[0] if sentence else first).rstrip(":").replace("|", "\\|")


def prose(text: str) -> str:
    """A line of a comment in which `<` begins no tag."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in parts)


def header_page(name: str, text: str) -> str:
    """A header's first comment as prose, with its indented lines as code, then its declarations."""
    parts: list[str] = []
    block: list[str] = []
    for line in [*essay(text), ""]:
        if line.startswith("  ") or (block and not line):
            block.append(line.removeprefix("  "))
            continue
        if block:
            parts.append(fenced("\n".join(block).strip("\n"), "cpp"))
            block = []
        parts.append(prose(line))
    if any(block):
        parts.append(fenced("\n".join(block).strip("\n"), "cpp"))
    _, _, declared = text.partition("#pragma once\n")
    return (
        f"# {name}\n\n" + "\n".join(parts).strip("\n") + "\n\n## Declarations\n\n"
        + fenced(declared.strip("\n"), "cpp")
    )  # fmt: skip
