# SPDX-License-Identifier: Apache-2.0
"""The one error of this room: a definition that cannot be used, and where."""

from __future__ import annotations

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
