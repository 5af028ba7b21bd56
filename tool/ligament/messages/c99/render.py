# SPDX-License-Identifier: Apache-2.0
"""C99 of messages: structs of fixed size, over the CDR of firmware/core.

Nothing is allocated: what a definition leaves unbounded has the bounds of the bounds files, as in
hardware. What comes in and is longer is refused, never cut.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ligament.messages.cpp_names import field_name, snake_case
from ligament.messages.errors import DefinitionError
from ligament.messages.hdl.bounds import Bounds, Limits
from ligament.messages.hdl.render import environment
from ligament.messages.model import (
    PRIMITIVE_SIZES,
    Constant,
    Field,
    Message,
    Multiplicity,
    Scalar,
)
from ligament.messages.store import TypeStore

_TYPES = {
    "bool": "bool", "byte": "uint8_t", "char": "uint8_t", "int8": "int8_t", "uint8": "uint8_t",
    "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t",
    "int64": "int64_t", "uint64": "uint64_t", "float32": "float", "float64": "double",
}  # fmt: skip
_LONGEST = 8  # alignment of anything


@dataclass(frozen=True)
class _Member:
    """One field in C: its declaration, and the statements that put, get and preset it."""

    declaration: str
    put: str
    get: str
    preset: str = ""


def render_c99(store: TypeStore, messages: Iterable[Message], bounds: Bounds) -> dict[str, str]:
    """File name -> text, for the messages and those that they are made of."""
    template = environment().get_template("message.h.j2")
    return {
        header_of(message.name): template.render(_context(store, message, bounds))
        for message in store.closure(list(messages))
    }


def header_of(name: str) -> str:
    """Return the path of a message's header, as it is included."""
    package, kind, base = name.split("/")
    return f"{package}/{kind}/{snake_case(base)}.h"


def struct_of(name: str) -> str:
    """Return the name of a message's struct, as rosidl's C generator spells it."""
    return name.replace("/", "__")


def _context(store: TypeStore, message: Message, bounds: Bounds) -> dict[str, object]:
    package, kind, base = message.name.split("/")
    struct = struct_of(message.name)
    nested = {f.type.element for f in message.fields if f.type.is_message}
    return {
        "type": message.name,
        "origin": message.origin,
        "struct": struct,
        "macro": struct.upper(),
        "guard": f"LIGAMENT_{struct.upper()}_H",
        "dds_type": f"{package}::{kind}::dds_::{base}_",
        "includes": sorted(header_of(name) for name in nested),
        "constants": [_constant(c) for c in message.constants],
        "members": [_member(message, f, bounds) for f in message.fields],
        "most": _most(store, message, bounds),
    }


def _constant(constant: Constant) -> tuple[str, str]:
    return constant.name, _literal(constant.type, constant.value)


def _literal(element: str, value: Scalar) -> str:
    if isinstance(value, str):
        escaped = "".join(_character(byte) for byte in value.encode())
        return f'"{escaped}"'
    if element == "bool":
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(element, value)
    if element.startswith(("int64", "uint64")):
        macro = "INT64_C" if element == "int64" else "UINT64_C"
        return f"(-{macro}({-value - 1}) - 1)" if value < 0 else f"{macro}({value})"
    return f"({_TYPES[element]}){value if value >= 0 else f'({value})'}"


def _character(byte: int) -> str:
    is_plain = 0x20 <= byte < 0x7F and chr(byte) not in '"\\?'
    return chr(byte) if is_plain else f"\\{byte:03o}"


def _float(element: str, value: float) -> str:
    if not math.isfinite(value):
        word = "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
        return f"({_TYPES[element]}){word}"
    return f"({_TYPES[element]}){value!r}"


def _member(message: Message, field: Field, bounds: Bounds) -> _Member:
    kind, name = field.type, field_name(field.name)
    if kind.element == "wstring":
        raise DefinitionError(
            "wide-text",
            f"'{field.name}' of '{message.name}' is a wide string, which C99 code has not",
            field.location or message.location,
            expected="a string",
        )
    limits = bounds.limits(message, field)
    preset = _presets(field, f"m->{name}", limits)
    if kind.multiplicity is Multiplicity.SINGLE:
        one = _one(field, f"m->{name}")
        return _Member(_declare(field, name, limits), one.put, one.get, preset)
    if kind.multiplicity is Multiplicity.ARRAY:
        many = _many(field, f"m->{name}", str(kind.count))
        return _Member(_declare(field, f"{name}[{kind.count}]", limits), many.put, many.get, preset)
    values = f"m->{name}.values"
    many = _many(field, values, f"m->{name}.count")
    declared = _declare(field, f"values[{max(limits.count, 1)}]", limits)
    bound = f"m->{name}.count > {limits.count}"
    return _Member(
        f"struct {{\n    uint32_t count;\n    {declared};\n  }} {name}",
        f"to->has_failed = to->has_failed || {bound};\n"
        f"  if (to->has_failed) {{\n    return;\n  }}\n"
        f"  ligament_cdr_put_u32(to, m->{name}.count);\n  {many.put}",
        f"m->{name}.count = ligament_cdr_get_count(from, {limits.count});\n  {many.get}",
        preset,
    )


def _declare(field: Field, name: str, limits: Limits) -> str:
    kind = field.type
    if kind.is_message:
        return f"{struct_of(kind.element)} {name}"
    if kind.is_string:
        return f"char {name}[{limits.length + 1}]"
    return f"{_TYPES[kind.element]} {name}"


@dataclass(frozen=True)
class _Both:
    put: str
    get: str


def _one(field: Field, value: str) -> _Both:
    element = field.type.element
    if field.type.is_message:
        struct = struct_of(element)
        return _Both(f"{struct}_put(to, &{value});", f"{struct}_get(from, &{value});")
    if field.type.is_string:
        return _Both(
            f"ligament_cdr_put_text(to, {value});",
            f"ligament_cdr_get_text(from, {value}, sizeof {value});",
        )
    if element == "bool":
        return _Both(
            f"ligament_cdr_put_u8(to, {value} ? 1 : 0);",
            f"{value} = ligament_cdr_get_bool(from);",
        )
    size = PRIMITIVE_SIZES[element]
    return _Both(
        f"ligament_cdr_put_values(to, &{value}, 1, {size});",
        f"ligament_cdr_get_values(from, &{value}, 1, {size});",
    )


def _many(field: Field, values: str, count: str) -> _Both:
    element = field.type.element
    if field.type.is_primitive and element != "bool":
        size = PRIMITIVE_SIZES[element]
        return _Both(
            f"ligament_cdr_put_values(to, {values}, {count}, {size});",
            f"ligament_cdr_get_values(from, {values}, {count}, {size});",
        )
    one = _one(field, f"{values}[i]")
    loop = f"for (uint32_t i = 0; i < {count}; ++i) {{\n    %s\n  }}"
    return _Both(loop % one.put, loop % one.get)


def _presets(field: Field, value: str, limits: Limits) -> str:
    """Statements for the definition's default; empty: it is zero."""
    default = field.default
    if default is None:
        return ""
    element = field.type.element
    if not isinstance(default, tuple):
        return _preset(field, value, default, limits)
    at = value if field.type.multiplicity is Multiplicity.ARRAY else f"{value}.values"
    lines = [_preset(field, f"{at}[{i}]", one, limits) for i, one in enumerate(default)]
    if field.type.is_sequence:
        lines.insert(0, f"{value}.count = {len(default)};")
        if len(default) > limits.count:
            raise DefinitionError(
                "default-too-long",
                f"the default of '{field.name}' ({element}) is longer than its bound",
                field.location,
                expected=f"a bound of {len(default)} or more",
            )
    return "\n  ".join(lines)


def _preset(field: Field, value: str, default: Scalar, limits: Limits) -> str:
    literal = _literal(field.type.element, default)
    if not field.type.is_string:
        return f"{value} = {literal};"
    size = len(str(default).encode())
    if size > limits.length:
        raise DefinitionError(
            "default-too-long",
            f"the default of '{field.name}' is longer than its bound",
            field.location,
            expected=f"a bound of {size} or more",
        )
    return f"memcpy({value}, {literal}, {size + 1});"


def _most(store: TypeStore, message: Message, bounds: Bounds) -> int:
    """Bytes that no body of this message exceeds: each value with the most padding before it."""
    total = 0
    for field in message.fields:
        kind = field.type
        limits = bounds.limits(message, field)
        if kind.is_message:
            one = _most(store, store.message(kind.element), bounds)
        elif kind.is_string:
            one = 3 + 4 + limits.length + 1
        else:
            one = PRIMITIVE_SIZES[kind.element]
        count = {Multiplicity.SINGLE: 1, Multiplicity.ARRAY: kind.count}.get(
            kind.multiplicity, limits.count
        )
        total += (3 + 4 if kind.is_sequence else 0) + _LONGEST - 1 + count * one
    return total
