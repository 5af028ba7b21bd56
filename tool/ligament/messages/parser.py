# SPDX-License-Identifier: Apache-2.0
"""Parser of the .msg, .srv and .action language.

A line is a field (`type name [default]`), a constant (`type NAME=value`), a `---` between the parts
of a service or action, or empty; `#` starts a comment unless it stands inside quotes. The comment
`# ligament: chosen` behind a field marks it as the chosen array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ligament.errors import Location, nearest
from ligament.messages.errors import DefinitionError
from ligament.messages.model import (
    PRIMITIVE_SIZES,
    STRING_TYPES,
    Constant,
    Field,
    FieldType,
    Multiplicity,
    Value,
)
from ligament.messages.values import ValueMistake, parse_value, parse_values

_TYPE = re.compile(
    r"(?P<base>[A-Za-z][\w/]*)(?:<=(?P<bound>\w+))?(?P<array>\[(?P<limit><=)?(?P<count>\w*)\])?"
)
_FIELD_NAME = re.compile(r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*")
_CONSTANT_NAME = re.compile(r"[A-Z](?:[A-Z0-9_]*[A-Z0-9])?")
_MESSAGE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_PACKAGE_NAME = re.compile(r"(?!.*__)(?!.*_$)[a-z][a-z0-9_]*")
_MARK = re.compile(r"#\s*ligament:\s*(?P<word>\S*)")

#: What people write out of habit from ROS 1, and what they mean.
_OLD_NAMES = {
    "Header": "std_msgs/Header",
    "time": "builtin_interfaces/Time",
    "duration": "builtin_interfaces/Duration",
}
_COUNT_LIMIT = 2**32


@dataclass
class Section:
    """One part of a definition: a message, or what stands between `---` lines."""

    fields: list[Field] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)


def parse_sections(text: str, file: str, package: str, count: int) -> list[Section]:
    """Parse a definition that has `count` parts separated by `---` lines."""
    sections = [Section()]
    for number, line in enumerate(text.splitlines(), start=1):
        parser = _LineParser(line, file, number, package)
        if parser.code.strip() == "---":
            sections.append(Section())
            if len(sections) > count:
                raise parser.error(
                    "separator", "one '---' too many", 0, expected=_separators(count)
                )
            continue
        _add(sections[-1], parser)
    if len(sections) < count:
        raise DefinitionError(
            "separator",
            f"the definition ends after {len(sections)} of {count} parts",
            Location(file, len(text.splitlines()) or 1),
            expected=_separators(count),
        )
    return sections


def _separators(count: int) -> str:
    return {1: "no '---' line in a .msg file", 2: "exactly one '---' line in a .srv file"}.get(
        count, "exactly two '---' lines in an .action file"
    )


def _add(section: Section, parser: _LineParser) -> None:
    member = parser.member()
    if member is None:
        return
    members: list[Field | Constant] = [*section.fields, *section.constants]
    known = {m.name: m for m in members}
    if member.name in known:
        first = known[member.name].location
        raise parser.error(
            "duplicate-name",
            f"'{member.name}' is already defined" + (f" in line {first.line}" if first else ""),
            parser.name_column,
            expected="a name once per message",
        )
    if isinstance(member, Field):
        if member.marked and any(f.marked for f in section.fields):
            raise parser.error(
                "mark",
                "another field is marked as the chosen array already",
                parser.name_column,
                expected="one mark per message",
            )
        section.fields.append(member)
    else:
        section.constants.append(member)


class _LineParser:
    """Parses one line and knows its place."""

    def __init__(self, line: str, file: str, number: int, package: str) -> None:
        self.file = file
        self.number = number
        self.package = package
        self.code, self.comment = _split_comment(line)
        self.name_column = 0

    def error(
        self, code: str, text: str, column: int, *, expected: str = "", hint: str = ""
    ) -> DefinitionError:
        return DefinitionError(
            code,
            text,
            Location(self.file, self.number, column + 1),
            expected=expected,
            hint=hint,
        )

    def member(self) -> Field | Constant | None:
        """The field or constant of this line; None if there is none."""
        if not self.code.strip():
            return None
        start = len(self.code) - len(self.code.lstrip())
        spelled = self.code[start:].split(maxsplit=1)[0]
        kind = self._type(spelled, start)
        name_start = start + len(spelled)
        rest = self.code[name_start:]
        name_start += len(rest) - len(rest.lstrip())
        rest = rest.strip()
        if not rest:
            raise self.error(
                "name-missing",
                f"'{spelled}' is not followed by a name",
                name_start,
                expected="'type name', 'type name default' or 'type NAME=value'",
            )
        self.name_column = name_start
        name = re.split(r"[\s=]", rest, maxsplit=1)[0]
        value = rest[len(name) :].lstrip()
        value_column = self.code.rstrip().rfind(value) if value else name_start + len(name)
        if value.startswith("="):
            text = value[1:].strip()
            return self._constant(kind, name, text, value_column + 1)
        return self._field(kind, name, value, value_column)

    def _type(self, spelled: str, column: int) -> FieldType:
        match = _TYPE.fullmatch(spelled)
        if match is None:
            raise self.error(
                "type-syntax",
                f"'{spelled}' is not a type",
                column,
                expected="a type such as uint8, string<=10, float64[9], Name[<=3] or package/Name",
            )
        base = self._element(match["base"], column)
        bound = 0
        if match["bound"] is not None:
            if base not in STRING_TYPES:
                raise self.error(
                    "bound-of-no-string",
                    f"'{base}' cannot have a length bound",
                    column,
                    expected=f"a bound on string or wstring, or on a sequence: {base}[<=N]",
                )
            bound = self._count(match["bound"], column + match.start("bound"))
        if match["array"] is None:
            return FieldType(base, string_bound=bound)
        if not match["count"]:
            if match["limit"]:
                raise self.error(
                    "count",
                    "the bound of the sequence is missing",
                    column,
                    expected="a number, such as [<=10]",
                )
            return FieldType(base, Multiplicity.SEQUENCE, 0, bound)
        count = self._count(match["count"], column + match.start("count"))
        kind = Multiplicity.BOUNDED if match["limit"] else Multiplicity.ARRAY
        return FieldType(base, kind, count, bound)

    def _count(self, text: str, column: int) -> int:
        if not text.isascii() or not text.isdigit() or not 0 < int(text) < _COUNT_LIMIT:
            raise self.error(
                "count",
                f"'{text}' is no number of elements",
                column,
                expected=f"a number from 1 to {_COUNT_LIMIT - 1}",
            )
        return int(text)

    def _element(self, base: str, column: int) -> str:
        if base in PRIMITIVE_SIZES or base in STRING_TYPES:
            return base
        parts = base.split("/")
        if len(parts) == 3 and parts[1] == "msg":
            parts.pop(1)
        if base in _OLD_NAMES:
            raise self.error(
                "type-unknown",
                f"'{base}' is not a type in ROS 2",
                column,
                expected="a package in front of message names",
                hint=f"did you mean '{_OLD_NAMES[base]}'?",
            )
        if len(parts) == 1 and not _MESSAGE_NAME.fullmatch(base):
            raise self.error(
                "type-unknown",
                f"unknown type '{base}'",
                column,
                expected="a built-in type, or a message name that begins with a capital letter",
                hint=nearest(base, [*PRIMITIVE_SIZES, *STRING_TYPES]),
            )
        package, name = parts if len(parts) == 2 else (self.package, parts[-1])
        valid = len(parts) <= 2 and _PACKAGE_NAME.fullmatch(package)
        if not valid or not _MESSAGE_NAME.fullmatch(name):
            raise self.error(
                "type-syntax",
                f"'{base}' is not a message name",
                column,
                expected="package/Name or Name",
            )
        return f"{package}/msg/{name}"

    def _field(self, kind: FieldType, name: str, default: str, column: int) -> Field:
        if not _FIELD_NAME.fullmatch(name):
            expected = "small letters, digits and single underscores, a letter first"
            raise self._misnamed("field", name, expected, _suggested(name))
        location = Location(self.file, self.number, self.name_column + 1, len(name))
        value = self._value(kind, default, column) if default else None
        return Field(name, kind, value, self._marked(kind), location)

    def _constant(self, kind: FieldType, name: str, text: str, column: int) -> Constant:
        if kind.is_message or kind.multiplicity is not Multiplicity.SINGLE:
            raise self.error(
                "constant-type",
                f"a constant cannot be a '{kind}'",
                0,
                expected="a single built-in type",
            )
        if not _CONSTANT_NAME.fullmatch(name):
            expected = "capital letters, digits and underscores"
            raise self._misnamed("constant", name, expected, name.upper())
        if not text and not kind.is_string:
            raise self.error(
                "value-missing",
                f"constant '{name}' has no value",
                column,
                expected=f"a value of type {kind}",
            )
        location = Location(self.file, self.number, self.name_column + 1, len(name))
        value = self._value(kind, text, column)
        assert not isinstance(value, tuple)
        return Constant(name, kind.element, value, location)

    def _misnamed(self, what: str, name: str, expected: str, suggested: str) -> DefinitionError:
        hint = f"did you mean '{suggested}'?" if suggested else ""
        text = f"'{name}' is not a {what} name"
        return self.error(f"{what}-name", text, self.name_column, expected=expected, hint=hint)

    def _value(self, kind: FieldType, text: str, column: int) -> Value:
        if kind.is_message:
            raise self.error(
                "default-of-message",
                f"a '{kind}' cannot have a default",
                column,
                expected="defaults on built-in types only",
            )
        try:
            if kind.multiplicity is Multiplicity.SINGLE:
                return parse_value(kind, text)
            return parse_values(kind, text)
        except ValueMistake as problem:
            raise self.error(
                "value", problem.text, column + problem.offset, expected=problem.expected
            ) from None

    def _marked(self, kind: FieldType) -> bool:
        match = _MARK.match(self.comment)
        if match is None:
            return False
        column = len(self.code)
        if match["word"] != "chosen":
            raise self.error(
                "mark", f"unknown mark '{match['word']}'", column, expected="# ligament: chosen"
            )
        if not kind.is_primitive or kind.multiplicity is Multiplicity.SINGLE:
            raise self.error(
                "mark",
                f"a '{kind}' cannot be the chosen array",
                column,
                expected="an array or sequence of numbers",
            )
        return True


def _split_comment(line: str) -> tuple[str, str]:
    """Code and comment of a line; a `#` between the quotes of a value begins no comment."""
    quote = ""
    for index, char in enumerate(line):
        if quote:
            if char == quote and line[index - 1] != "\\":
                quote = ""
        elif char == "#":
            return line[:index], line[index:]
        elif char in "\"'" and line[index - 1 : index] in tuple("=[, \t"):
            quote = char
    if quote:  # never closed: then it was no quote, and the first `#` counts
        code, mark, comment = line.partition("#")
        return code, mark + comment
    return line, ""


def _suggested(name: str) -> str:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    snake = re.sub(r"_+", "_", re.sub(r"\W", "_", snake)).strip("_")
    return snake if _FIELD_NAME.fullmatch(snake) else ""


def is_message_name(name: str) -> bool:
    """Whether a definition file may have that name."""
    return _MESSAGE_NAME.fullmatch(name) is not None


def is_package_name(name: str) -> bool:
    """Whether a package may have that name."""
    return _PACKAGE_NAME.fullmatch(name) is not None
