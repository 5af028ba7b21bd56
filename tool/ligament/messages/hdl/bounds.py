# SPDX-License-Identifier: Apache-2.0
"""Bounds of what a definition leaves unbounded: hardware has no unlimited memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from ligament.messages.errors import DefinitionError, hold_to
from ligament.messages.model import Field, Message
from ligament.resources import spec_dir

#: What a bounds file gives of one field: a number, or both where a field needs both.
Entry = int | Mapping[str, int]


@dataclass(frozen=True)
class Limits:
    """Of one field: elements of a sequence, bytes (units) of a text; 0 where it has none."""

    count: int
    length: int


@dataclass(frozen=True)
class Bounds:
    """Bounds by message type and field."""

    entries: Mapping[str, Mapping[str, Entry]]
    files: tuple[str, ...]

    def limits(self, message: Message, field: Field) -> Limits:
        """The definition's own bounds, and the declared ones where it has none."""
        kind = field.type
        missing = [
            what
            for what, open_end in (
                ("count", kind.is_sequence and not kind.count),
                ("length", kind.is_string and not kind.string_bound),
            )
            if open_end
        ]
        declared = {what: self._declared(message, field, what, missing) for what in missing}
        return Limits(
            declared.get("count", kind.count if kind.is_sequence else 0),
            declared.get("length", kind.string_bound),
        )

    def _declared(self, message: Message, field: Field, what: str, missing: list[str]) -> int:
        entry = self.entries.get(message.name, {}).get(field.name)
        if isinstance(entry, int) and len(missing) == 1:
            return entry
        if isinstance(entry, Mapping) and what in entry:
            return entry[what]
        unit = "elements" if what == "count" else "bytes"
        raise DefinitionError(
            "bound-missing",
            f"'{field.name}' of '{message.name}' ({field.type}) has no bound on its {unit},"
            " and hardware has no unlimited memory",
            field.location or message.location,
            expected="an entry in a bounds file (`bounds` of a core's manifest, --bounds): "
            f"{message.name}: "
            f"{{{field.name}: {_example(missing)}}}",
            hint=f"bounds were read from {', '.join(self.files)}",
        )


def _example(missing: list[str]) -> str:
    if len(missing) == 2:
        return "{count: 16, length: 64}"
    return "16" if missing == ["count"] else "64"


def read_bounds(files: Iterable[Path]) -> Bounds:
    """The bounds that ship, and those of the files; a later file's entry counts."""
    shipped = spec_dir() / "interfaces" / "bounds.yaml"
    schema = json.loads((shipped.parent / "bounds.schema.json").read_text(encoding="utf-8"))
    entries: dict[str, dict[str, Entry]] = {}
    paths = [shipped, *files]
    for path in paths:
        for name, fields in _read(path, schema).items():
            entries.setdefault(name, {}).update(fields)
    return Bounds(entries, tuple(str(path) for path in paths))


def _read(path: Path, schema: Mapping[str, Any]) -> Mapping[str, Mapping[str, Entry]]:
    try:
        data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DefinitionError(
            "bounds-file", f"cannot read '{path}': {error.strerror}", expected="a bounds file"
        ) from error
    hold_to(schema, data, path, "bounds-file", "bounds.schema.json")
    bounds: Mapping[str, Mapping[str, Entry]] = data["bounds"]
    return bounds
