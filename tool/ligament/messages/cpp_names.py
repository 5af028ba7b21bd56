# SPDX-License-Identifier: Apache-2.0
"""C++ spellings: types, literals, file names and accessor names of the generated headers."""

from __future__ import annotations

import math
import re
from types import MappingProxyType

from ligament.messages.model import Field, Multiplicity, Scalar

CPP_PRIMITIVES = MappingProxyType(
    {
        "bool": "bool",
        "byte": "std::uint8_t",
        "char": "std::uint8_t",
        "int8": "std::int8_t",
        "uint8": "std::uint8_t",
        "int16": "std::int16_t",
        "uint16": "std::uint16_t",
        "int32": "std::int32_t",
        "uint32": "std::uint32_t",
        "int64": "std::int64_t",
        "uint64": "std::uint64_t",
        "float32": "float",
        "float64": "double",
    }
)
_CPP_STRINGS = MappingProxyType({"string": "std::string", "wstring": "std::u16string"})

#: ElementKind enumerators of type_table.hpp that differ from the .msg spelling.
_ELEMENT_KINDS = MappingProxyType({"bool": "boolean", "char": "uint8"})

#: Names that views and builders use themselves; an accessor of that name gets a trailing `_`.
_TAKEN_ACCESSORS = frozenset(
    """parse create finish finished shorten relocate attach read fail mistake store store_text
    report_to min_size chosen_bytes""".split()  # noqa: SIM905 (a word list reads better)
)
#: C++20 keywords that are also valid field names in a .msg file.
_KEYWORDS = frozenset(
    """alignas alignof and asm auto bool break case catch char class concept const continue default
    delete do double else enum explicit export extern false float for friend goto if inline int
    long mutable namespace new not operator or private protected public register requires return
    short signed sizeof static struct switch template this throw true try typedef typeid typename
    union unsigned using virtual void volatile while xor""".split()  # noqa: SIM905 (a word list reads better)
)
_INTEGER_LIMITS = MappingProxyType(
    {-(2**63): "std::numeric_limits<std::int64_t>::min()", -(2**31): "(-2147483647 - 1)"}
)


def snake_case(name: str) -> str:
    """File name of a type, as rosidl derives it (`CameraInfo` -> `camera_info`)."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def header_path(name: str) -> str:
    """Include path of the header of `package/kind/Name`."""
    package, kind, base = name.split("/")
    return f"ligament/{package}/{kind}/{snake_case(base)}.hpp"


def qualified(name: str) -> str:
    """C++ name of `package/kind/Name`."""
    return "::ligament::" + name.replace("/", "::")


def field_name(name: str) -> str:
    """Member name of a field; a C++ keyword gets a trailing `_`."""
    return f"{name}_" if name in _KEYWORDS else name


def accessor_name(name: str) -> str:
    """Name of a view's or builder's accessor of a field."""
    return f"{name}_" if name in _KEYWORDS or name in _TAKEN_ACCESSORS else name


def element_type(element: str) -> str:
    """C++ type of one element."""
    if "/" in element:
        return qualified(element)
    return CPP_PRIMITIVES.get(element) or _CPP_STRINGS[element]


def element_kind(element: str) -> str:
    """Enumerator of `ElementKind`."""
    return "message" if "/" in element else _ELEMENT_KINDS.get(element, element)


def field_type(field: Field) -> str:
    """C++ type of a struct member."""
    element = element_type(field.type.element)
    if field.type.multiplicity is Multiplicity.ARRAY:
        return f"std::array<{element}, {field.type.count}>"
    return f"std::vector<{element}>" if field.type.is_sequence else element


def literal(element: str, value: Scalar) -> str:
    """A C++ literal of that element type."""
    if element == "bool":
        return "true" if value else "false"
    if element in ("float32", "float64"):
        return _float_literal(float(value), element)
    if element == "string":
        return f'"{_escaped(str(value).encode())}"'
    if element == "wstring":
        return f'u"{_escaped_wide(str(value))}"'
    number = int(value)
    if number in _INTEGER_LIMITS:
        return _INTEGER_LIMITS[number]
    return f"{number}U" if element in ("uint32", "uint64") else str(number)


def _float_literal(value: float, element: str) -> str:
    cpp = CPP_PRIMITIVES[element]
    if math.isnan(value):
        return f"std::numeric_limits<{cpp}>::quiet_NaN()"
    if math.isinf(value):
        sign = "-" if value < 0 else ""
        return f"{sign}std::numeric_limits<{cpp}>::infinity()"
    return repr(value) + ("F" if element == "float32" else "")


def _escaped(data: bytes) -> str:
    # Octal escapes end after three digits, so that a following digit cannot join them.
    safe = set(range(0x20, 0x7F)) - set(b'"\\?')
    return "".join(chr(b) if b in safe else f"\\{b:03o}" for b in data)


def _escaped_wide(text: str) -> str:
    plain = all(0x20 <= ord(c) < 0x7F and c not in '"\\?' for c in text)
    if plain:
        return text
    units = text.encode("utf-16-le")
    codes = [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
    return '" u"'.join(f"\\x{code:04x}" for code in codes)
