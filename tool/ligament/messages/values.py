# SPDX-License-Identifier: Apache-2.0
"""Values in definitions: constants and defaults, checked against their type."""

from __future__ import annotations

import re
from types import MappingProxyType

from ligament.messages.model import FieldType, Multiplicity, Scalar

_INTEGER_RANGES = MappingProxyType(
    {
        "byte": (0, 255),
        "char": (0, 255),
        **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
        **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    }
)
_BOOLEANS = MappingProxyType({"true": True, "false": False, "1": True, "0": False})
_FLOAT32_MAX = 3.4028235677973366e38
_ITEM = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^,"']*)\s*(,|$)""")


class ValueMistake(Exception):  # noqa: N818 (caught here, becomes a DefinitionError)
    """A value does not fit: what, where in the text, and what would."""

    def __init__(self, text: str, expected: str, offset: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.expected = expected
        self.offset = offset


def parse_value(kind: FieldType, text: str) -> Scalar:
    """The value of one element."""
    if kind.is_string:
        value = _unquoted(text)
        units = value.encode("utf-16-le") if kind.element == "wstring" else value.encode()
        length = len(units) // 2 if kind.element == "wstring" else len(units)
        if kind.string_bound and length > kind.string_bound:
            raise ValueMistake(f"the text has {length} characters", f"at most {kind.string_bound}")
        return value
    if kind.element == "bool":
        if text.lower() not in _BOOLEANS:
            raise ValueMistake(f"'{text}' is not a bool", "true or false")
        return _BOOLEANS[text.lower()]
    if kind.element in _INTEGER_RANGES:
        return _integer(kind.element, text)
    return _number(kind.element, text)


def parse_values(kind: FieldType, text: str) -> tuple[Scalar, ...]:
    """The values of an array or sequence: `[a, b, c]`."""
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueMistake(f"'{text}' is no list", "a list such as [1, 2, 3]")
    single = FieldType(kind.element, string_bound=kind.string_bound)
    values = []
    for offset, item in _items(text[1:-1]):
        try:
            values.append(parse_value(single, item))
        except ValueMistake as problem:
            raise ValueMistake(problem.text, problem.expected, 1 + offset) from None
    if kind.multiplicity is Multiplicity.ARRAY and len(values) != kind.count:
        raise ValueMistake(f"the default has {len(values)} elements", f"exactly {kind.count}")
    if kind.multiplicity is Multiplicity.BOUNDED and len(values) > kind.count:
        raise ValueMistake(f"the default has {len(values)} elements", f"at most {kind.count}")
    return tuple(values)


def _items(text: str) -> list[tuple[int, str]]:
    if not text.strip():
        return []
    items = []
    position = 0
    while True:
        match = _ITEM.match(text, position)
        if match is None:
            raise ValueMistake("the list is not well formed", "values between commas", 1 + position)
        items.append((match.start(1), match[1].strip()))
        if match[2] != ",":
            return items
        position = match.end()


def _unquoted(text: str) -> str:
    quote = text[:1]
    if quote not in ("'", '"'):
        return text
    if len(text) < 2 or not text.endswith(quote):
        raise ValueMistake("the text is not closed", f"a closing {quote}")
    inner = text[1:-1]
    if re.search(rf"(?<!\\){quote}", inner):
        raise ValueMistake(f"a {quote} inside the text ends it", f"\\{quote} inside quotes")
    return inner.replace(f"\\{quote}", quote)


def _integer(element: str, text: str) -> int:
    low, high = _INTEGER_RANGES[element]
    try:
        value = int(text, 0)
    except ValueError:
        raise ValueMistake(f"'{text}' is not an integer", f"an {element}") from None
    if not low <= value <= high:
        raise ValueMistake(f"{value} does not fit", f"an {element} from {low} to {high}")
    return value


def _number(element: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueMistake(f"'{text}' is not a number", f"a {element}") from None
    if element == "float32" and abs(value) > _FLOAT32_MAX and abs(value) != float("inf"):
        raise ValueMistake(f"{text} does not fit", "a float32")
    return value
