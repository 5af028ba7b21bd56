# SPDX-License-Identifier: Apache-2.0
"""What `rosbags` drops from the standard definitions, put back: defaults and chosen arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament.errors import Location
from ligament.messages.errors import DefinitionError, hold_to
from ligament.messages.model import Field, Message, Scalar


@dataclass(frozen=True)
class StandardNotes:
    """Contents of `spec/interfaces/standard.yaml`."""

    defaults: Mapping[str, Mapping[str, Any]]
    chosen: Mapping[str, str]
    file: str

    def apply(self, message: Message) -> Message:
        """The message with its defaults and its chosen array."""
        notes = self.defaults.get(message.name, {})
        defaults, newer = notes.get("fields", {}), notes.get("newer", ())
        chosen = self.chosen.get(message.name)
        known = {f.name for f in message.fields}
        for name in (*defaults, *([chosen] if chosen else [])):
            if name not in known and name not in newer:
                raise DefinitionError(
                    "field-unknown",
                    f"'{message.name}' has no field '{name}'",
                    Location(self.file),
                    expected=f"one of {', '.join(sorted(known))}",
                )
        fields = tuple(
            self._field(message, f, defaults.get(f.name), f.name == chosen) for f in message.fields
        )
        return replace(message, fields=fields)

    @staticmethod
    def _field(message: Message, field: Field, default: Scalar | None, chosen: bool) -> Field:
        constants = {c.name: c.value for c in message.constants}
        if isinstance(default, str) and not field.type.is_string:
            # The name of a constant: older distributions have neither it nor the default.
            default = constants.get(default)
        return replace(field, default=default, marked=chosen)


def read_standard_notes(path: Path) -> StandardNotes:
    """Read the table of what the carrier of the standard definitions drops."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - slow to import

    data = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    schema = json.loads((path.parent / "standard-types.schema.json").read_text(encoding="utf-8"))
    hold_to(schema, data, path, "standard-types", "standard-types.schema.json")
    return StandardNotes(data["defaults"], data["chosen"], str(path))
