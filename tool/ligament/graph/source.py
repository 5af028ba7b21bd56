# SPDX-License-Identifier: Apache-2.0
"""A YAML or JSON text as data, with the place of every key and value.

`yaml_source.parse_yaml(text, file)` and `json_source.parse_json(text, file)` return a `Document`:
plain data plus, for each path into it (`("nodes", "camera", "type")`), where the key and the value
stand. What the plain parsers let pass silently is refused by them: duplicate keys, keys that are
not strings, aliases that contain themselves, documents that unfold without end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ligament.errors import Location

Path = tuple[str | int, ...]

# Aliases may unfold a small text into an endless tree; no graph comes near this many values.
MAX_VALUES = 200_000
MAX_DEPTH = 100


@dataclass
class Document:
    """Parsed data with the location of each key and value."""

    file: str
    data: Any = None
    values: dict[Path, Location] = field(default_factory=dict)
    keys: dict[Path, Location] = field(default_factory=dict)

    def at(self, *path: str | int) -> Location:
        """Return where the value at `path` stands, or the nearest thing around it."""
        return self._find(self.values, path)

    def key_at(self, *path: str | int) -> Location:
        """Return where the key at `path` stands, or the nearest thing around it."""
        return self.keys.get(path) or self.at(*path)

    def _find(self, table: dict[Path, Location], path: Path) -> Location:
        for end in range(len(path), -1, -1):
            found = table.get(path[:end])
            if found:
                return found
        return Location(self.file)
