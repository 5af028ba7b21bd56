# SPDX-License-Identifier: Apache-2.0
"""The one error of this room: a definition that cannot be used, and where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ligament.errors import InputError, Location, Problem


class DefinitionError(InputError):
    """A message definition is wrong: what, where, what was expected, nearest name."""

    def __init__(
        self,
        code: str,
        text: str,
        location: Location | None = None,
        *,
        expected: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(Problem(code, text, location, expected=expected, hint=hint))


def hold_to(schema: Mapping[str, Any], data: object, path: Path, code: str, name: str) -> None:
    """Raise what of a file's content breaks its schema most; `name` is the schema's."""
    import jsonschema  # noqa: PLC0415 - slow to import

    problem = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(data)
    )
    if problem is not None:
        text = f"{problem.json_path}: {problem.message}"
        raise DefinitionError(code, text, Location(str(path)), expected=f"what {name} describes")
