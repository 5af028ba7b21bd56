# SPDX-License-Identifier: Apache-2.0
"""Reads platforms and mappings: the only module of this room that touches files."""

from __future__ import annotations

from pathlib import Path

from ligament.errors import InputError, Problem, listing, nearest
from ligament.graph.loader import read_document
from ligament.mapping.consistency import inconsistencies
from ligament.mapping.model import GraphMapping, from_json
from ligament.mapping.platform import Platform, build_platform
from ligament.resources import platforms_dir


def load_platform(name: str) -> Platform:
    """Return a platform by name (a folder of platforms/) or by the path of a platform.yaml."""
    path = Path(name)
    if path.suffix not in (".yaml", ".yml", ".json"):
        path = platforms_dir() / name / "platform.yaml"
        if not path.is_file():
            known = [p.parent.name for p in platforms_dir().glob("*/platform.yaml")]
            raise InputError(
                Problem(
                    "platform-unknown",
                    f"there is no platform '{name}'",
                    expected=f"one of {listing(known)}, or a path of a platform.yaml",
                    hint=nearest(name, known),
                )
            )
    return build_platform(read_document(path, "platform"))


def load_mapping(path: str | Path) -> GraphMapping:
    """Return a mapping from its file, written by `ligament map` or by hand."""
    document = read_document(Path(path), "mapping")
    mapping = from_json(document.data)
    problems = list(inconsistencies(mapping, document))
    if problems:
        raise InputError(problems)
    return mapping
