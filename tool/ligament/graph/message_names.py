# SPDX-License-Identifier: Apache-2.0
"""Which message types there are, and which fields they have.

The standard definitions are those of `rosbags`; a user's own come from the `.msg` files of the
graph's message packages. The code for a message is made elsewhere (`ligament.messages`); here only
names and fields matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ligament.errors import Location, Problem, nearest

Fields = dict[str, Any]


@dataclass(frozen=True)
class MessageCatalog:
    """Message types by name with their fields, and the user's message packages by name."""

    types: Mapping[str, Fields]
    packages: Mapping[str, str] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Return whether a message type exists."""
        return name in self.types

    def field_kind(self, message: str, path: str) -> str:
        """Return what a field path leads to: `unbounded`, `bounded`, `plain` or an empty string."""
        current, kind = message, "plain"
        for part in path.split("."):
            fields = self.types.get(current)
            if fields is None or part not in fields:
                return ""
            current, kind = _unfold(fields[part])
        return kind


# rosbags' node kinds: a primitive, a message name, a fixed array, a sequence.
_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4


def _unfold(description: Any) -> tuple[str, str]:
    kind, detail = description
    if kind == _NAME:
        return str(detail), "plain"
    if kind == _BASE:
        name, limit = detail
        text = name in ("string", "wstring")
        return "", ("unbounded" if not limit else "bounded") if text else "plain"
    inner, limit = detail
    message, inner_kind = _unfold(inner)
    if kind == _ARRAY:
        return message, inner_kind
    return message, "bounded" if limit else "unbounded"


def load_messages(
    distro: str, folders: Mapping[str, Location], problems: list[Problem]
) -> MessageCatalog:
    """Return the catalogue of a distribution plus message package folders."""
    types: dict[str, Fields] = dict(_standard(distro))
    packages: dict[str, str] = {}
    for name, asked_at in folders.items():
        folder = Path(name)
        if not folder.is_dir():
            problems.append(_missing(folder, asked_at))
            continue
        package = package_name(folder)
        packages[package] = str(folder)
        found = sorted((folder / "msg").glob("*.msg"))
        if not found and not any((folder / k).is_dir() for k in ("srv", "action")):
            problems.append(
                Problem(
                    "message-package-empty",
                    f"'{folder}' holds no msg/, srv/ or action/",
                    asked_at,
                    expected="a message package folder",
                )
            )
        for path in found:
            types.update(_definition(path, package, problems))
    return MessageCatalog(types, packages)


def _missing(folder: Path, asked_at: Location) -> Problem:
    beside = [p.name for p in folder.parent.iterdir()] if folder.parent.is_dir() else []
    text = f"there is no folder '{folder}'"
    return Problem("file-missing", text, asked_at, hint=nearest(folder.name, beside))


def package_name(folder: Path) -> str:
    """Return a message package's name: that of its package.xml, else the folder's."""
    manifest = folder / "package.xml"
    if manifest.is_file():
        match = re.search(r"<name>\s*([\w-]+)\s*</name>", manifest.read_text(encoding="utf-8"))
        if match:
            return match.group(1)
    return folder.resolve().name


@cache
def _standard(distro: str) -> dict[str, Fields]:
    # Imported here: it takes a noticeable part of a second, and `--help` has no use for it.
    from rosbags.typesys import Stores, get_typestore  # noqa: PLC0415

    store = get_typestore(Stores[f"ROS2_{distro.upper()}"])
    return {name: dict(definition[1]) for name, definition in store.fielddefs.items()}


def _definition(path: Path, package: str, problems: list[Problem]) -> dict[str, Fields]:
    from rosbags.typesys import get_types_from_msg  # noqa: PLC0415

    name = f"{package}/msg/{path.stem}"
    try:
        parsed = get_types_from_msg(path.read_text(encoding="utf-8"), name)
    except Exception as error:  # rosbags raises its own and its parser's kinds
        line = _error_line(str(error))
        problems.append(Problem("message-syntax", f"{name}: {error}", Location(str(path), line)))
        return {name: {}}
    return {key: dict(value[1]) for key, value in parsed.items()}


def _error_line(text: str) -> int:
    match = re.search(r"line (\d+)|:(\d+):", text)
    return int(match.group(1) or match.group(2)) if match else 1
