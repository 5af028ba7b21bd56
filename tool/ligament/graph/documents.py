# SPDX-License-Identifier: Apache-2.0
"""From a text to a document; a YAML text that was read before is not parsed again.

A graph's folders hold many node.yaml files that stay as they are, and parsing them was a third of
`ligament check`'s time. Only texts without a mistake are kept: a mistake is always found anew.
"""

from __future__ import annotations

import json
from functools import cache as once
from pathlib import Path
from typing import Any

from ligament import cache
from ligament.errors import Location
from ligament.graph import source
from ligament.graph.source import Document

KIND = "documents"


def parse_document(text: str, file: str, *, ros_booleans: bool = False) -> Document:
    """Parse a YAML or JSON text (by the file's suffix); raise InputError with what is wrong."""
    if file.endswith(".json"):
        from ligament.graph.json_source import parse_json  # noqa: PLC0415 - rarely needed

        return parse_json(text, file)
    entry = cache.key(_parser(), str(ros_booleans), text)
    kept = cache.get(KIND, entry)
    if kept is not None:
        return _Kept(file, *kept)
    from ligament.graph.yaml_source import parse_yaml  # noqa: PLC0415 - slow to import

    document = parse_yaml(text, file, ros_booleans=ros_booleans)
    cache.put(KIND, entry, [document.data, _packed(document)])
    return document


@once
def _parser() -> str:
    """Return what changes with the code that reads YAML."""
    own = [Path(__file__), Path(source.__file__), Path(__file__).with_name("yaml_source.py")]
    return cache.fingerprint([*own, *cache.files_of("ruamel.yaml")])


def _packed(document: Document) -> str:
    return json.dumps(
        [
            [[*path, at.line, at.column, at.length] for path, at in table.items()]
            for table in (document.values, document.keys)
        ],
        separators=(",", ":"),
    )


class _Kept(Document):
    """A document from the cache; its places are unpacked when one is asked for, which is rare."""

    def __init__(self, file: str, data: Any, places: str) -> None:
        super().__init__(file, data)
        self._places = places

    def at(self, *path: str | int) -> Location:
        self._unpack()
        return super().at(*path)

    def key_at(self, *path: str | int) -> Location:
        self._unpack()
        return super().key_at(*path)

    def _unpack(self) -> None:
        if not self._places:
            return
        tables = (self.values, self.keys)
        for table, packed in zip(tables, json.loads(self._places), strict=True):
            for *path, line, column, length in packed:
                table[tuple(path)] = Location(self.file, line, column, length)
        self._places = ""
