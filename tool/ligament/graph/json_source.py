# SPDX-License-Identifier: Apache-2.0
"""JSON text with the place of every key and value (the twin of `source.parse_yaml`).

A small parser of its own: the standard one keeps no positions and lets duplicate keys pass.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed lacks it
from typing import Any, NoReturn

from ligament.errors import InputError, Location, Problem
from ligament.graph.source import MAX_DEPTH, Document, Path

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None}


def parse_json(text: str, file: str) -> Document:
    """Parse one JSON document; raise InputError with the place of what is wrong."""
    parser = _Parser(text, file)
    end = parser.value(parser.space(0), ())
    end = parser.space(end)
    if end != len(text):
        parser.fail(end, "there is text after the end of the document")
    return parser.document


class _Parser:
    """Recursive descent; each method takes an offset and returns the offset behind what it read."""

    def __init__(self, text: str, file: str) -> None:
        self.document = Document(file)
        self._text = text
        self._file = file
        self._result: Any = None
        # Where each line begins: a place is asked for at every value.
        self._lines = [0, *(found.end() for found in re.finditer("\n", text))]

    def space(self, at: int) -> int:
        """Skip white space."""
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def fail(
        self, at: int, text: str, code: str = "json-syntax", note: Location | None = None
    ) -> NoReturn:
        """Raise the error that is at an offset."""
        notes = (("it was first given here", note),) if note else ()
        raise InputError(Problem(code, text, self._location(at, at + 1), notes=notes))

    def value(self, at: int, path: Path) -> int:
        """Read any value; what was read is in the document (root) or `_result`."""
        if len(path) > MAX_DEPTH:
            self.fail(at, "the document is nested too deeply")
        char = self._text[at : at + 1]
        self.document.values[path] = self._location(at, at + 1)
        if char == "{":
            end = self._object(at + 1, path)
        elif char == "[":
            end = self._array(at + 1, path)
        elif char == '"':
            end = self._string(at)
        else:
            end = self._plain(at)
        if char not in ("{", "["):
            self.document.values[path] = self._location(at, end)
        if not path:
            self.document.data = self._result
        return end

    def _string(self, at: int) -> int:
        try:
            self._result, end = scanstring(self._text, at + 1, True)
        except json.JSONDecodeError as error:
            # The place is ours to say: "unterminated string starting at".
            self.fail(error.pos, error.msg.lower().removesuffix(" at").removesuffix(" starting"))
        return int(end)

    def _plain(self, at: int) -> int:
        for word, value in _WORDS.items():
            if self._text.startswith(word, at):
                self._result = value
                return at + len(word)
        match = _NUMBER.match(self._text, at)
        if not match:
            shown = repr(self._text[at : at + 1]) if at < len(self._text) else "the end of the file"
            self.fail(at, f"expected a value, found {shown}")
        whole = match.group(1) is None and match.group(2) is None
        try:
            self._result = int(match.group()) if whole else float(match.group())
        except ValueError:  # Python reads whole numbers of up to 4300 digits
            self.fail(at, "the number is too long")
        if self._result in (math.inf, -math.inf):
            self.fail(at, f"{match.group()} is not a finite number", "number-not-finite")
        return match.end()

    def _array(self, at: int, path: Path) -> int:
        items: list[Any] = []
        at = self.space(at)
        while not self._text.startswith("]", at):
            if items:
                at = self.space(self._expect(at, ",", "between two items or ']' after the last"))
            at = self.space(self.value(at, (*path, len(items))))
            items.append(self._result)
        self._result = items
        return at + 1

    def _object(self, at: int, path: Path) -> int:
        data: dict[str, Any] = {}
        at = self.space(at)
        while not self._text.startswith("}", at):
            if data:
                at = self.space(self._expect(at, ",", "between two members or '}' after the last"))
            start = at
            if not self._text.startswith('"', at):
                self.fail(at, "expected a key in double quotes")
            at = self._string(at)
            key = str(self._result)
            if key in data:
                first = self.document.keys[(*path, key)]
                self.fail(start, f"the key '{key}' appears twice", "json-duplicate-key", first)
            self.document.keys[(*path, key)] = self._location(start, at)
            at = self.space(self._expect(self.space(at), ":", "after the key"))
            at = self.space(self.value(at, (*path, key)))
            data[key] = self._result
        self._result = data
        return at + 1

    def _expect(self, at: int, char: str, where: str) -> int:
        if not self._text.startswith(char, at):
            found = repr(self._text[at : at + 1]) if at < len(self._text) else "the end of the file"
            self.fail(at, f"expected '{char}' {where}, found {found}")
        return at + 1

    def _location(self, at: int, end: int) -> Location:
        line = bisect_right(self._lines, at)
        return Location(self._file, line, at - self._lines[line - 1] + 1, max(1, end - at))
