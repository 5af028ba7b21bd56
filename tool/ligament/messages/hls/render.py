# SPDX-License-Identifier: Apache-2.0
"""HLS C++ of messages: the same fields, numbers and bounds as the SystemVerilog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ligament.messages.cpp_names import field_name, snake_case
from ligament.messages.hdl.bounds import Bounds
from ligament.messages.hdl.layout import layout_of
from ligament.messages.hdl.render import environment
from ligament.messages.model import PRIMITIVE_SIZES, Field, Message, Multiplicity
from ligament.messages.store import TypeStore
from ligament.resources import hls_dir

#: Types that every HLS compiler knows; `char` is unsigned in .msg files.
_TYPES = {
    "bool": "bool", "byte": "unsigned char", "char": "unsigned char", "int8": "signed char",
    "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
    "uint32": "unsigned", "int64": "long long", "uint64": "unsigned long long",
    "float32": "float", "float64": "double",
}  # fmt: skip


@dataclass(frozen=True)
class _Member:
    """One field in C++: how it is declared, taken, put, and how far it reaches."""

    declaration: str
    take: str
    put: str
    end: str


def render_hls(store: TypeStore, messages: Iterable[Message], bounds: Bounds) -> dict[str, str]:
    """File name -> text, for the messages and those that they are made of."""
    files = {}
    for message in store.closure(list(messages)):
        template = environment().get_template("message_hls.hpp.j2")
        files[header_of(message.name)] = template.render(_context(store, message, bounds))
    return files


def hls_support() -> dict[str, str]:
    """Return what the headers include, and what natively stands in for the vendor's headers."""
    folder = hls_dir()
    paths = (p for pattern in ("*.hpp", "native/*") for p in folder.glob(pattern))
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in sorted(paths)}


def header_of(name: str) -> str:
    """Return the path of a message's header, as a node includes it."""
    package, kind, base = name.split("/")
    return f"{package}/{kind}/{snake_case(base)}.hpp"


def qualified_of(name: str) -> str:
    """Return the full name of a message's struct."""
    return "::lig_hls::" + name.replace("/", "::")


def _context(store: TypeStore, message: Message, bounds: Bounds) -> dict[str, object]:
    package, kind, base = message.name.split("/")
    layout = layout_of(store, message, bounds)
    members, number = [], 0
    for field in message.fields:
        members.append(_member(message, field, bounds, number))
        number += _leaves(store, field)
    nested = {f.type.element for f in message.fields if f.type.is_message}
    return {
        "type": message.name,
        "origin": message.origin,
        "guard": "LIG_HLS_" + "_".join((package, kind, snake_case(base))).upper() + "_HPP",
        "includes": sorted(header_of(name) for name in nested),
        "package": package,
        "kind": kind,
        "base": base,
        "cpp": qualified_of(message.name),
        "leaves": len(layout.leaves),
        "constants": layout.leaves,
        "words": [f"0x{word.encoded():016x}ULL" for word in layout.words],
        "members": members,
    }


def _leaves(store: TypeStore, field: Field) -> int:
    """Return how many numbers a field takes (layout.py numbers in the same order)."""
    kind = field.type
    if kind.is_primitive:
        return 1
    one = 1
    if kind.is_message:
        one = sum(_leaves(store, f) for f in store.message(kind.element).fields)
    return one + (1 if kind.is_sequence else 0)


def _member(message: Message, field: Field, bounds: Bounds, number: int) -> _Member:
    kind, name = field.type, field_name(field.name)
    limits = bounds.limits(message, field)
    place = f"first + {number}"
    if kind.is_primitive:
        return _values(field, name, limits.count, place)
    element = _element(field, limits.length)
    if kind.multiplicity is Multiplicity.SINGLE:
        return _Member(
            f"{element.type} {name}",
            "  " + element.take(f"m.{name}", place),
            "  " + element.put(f"m.{name}", place),
            "  " + element.end(f"m.{name}"),
        )
    return _repeated(field, element, limits.count, number)


@dataclass(frozen=True)
class _Element:
    """A text or a nested message: its C++ type, and statements for a value of it."""

    type: str
    wide: bool = False
    text: bool = False

    def take(self, value: str, place: str) -> str:
        if not self.text:
            return f"take_fields(in, taking, {value}, {place});"
        bound = f"{self.type}::bound"
        return (
            f"{value}.count = take_count(in, taking, {place}, {bound});\n"
            f"  take_values(in, taking, {place}, {value}.values, {value}.count);"
        )

    def put(self, value: str, place: str) -> str:
        if not self.text:
            return f"put_fields(out, {value}, {place});"
        return (
            f"put_count(out, {place}, {value}.count);\n"
            f"  put_values(out, {place}, {value}.values, {value}.count);"
        )

    def end(self, value: str) -> str:
        if not self.text:
            return f"position = end_of({value}, position);"
        size, more = (4, "") if self.wide else (1, " + 1")
        return (
            "position = behind(position, 4, 1);\n"
            f"  position = behind(position, {size}, {value}.count{more});"
        )


def _element(field: Field, length: int) -> _Element:
    element = field.type.element
    if element == "string":
        return _Element(f"::lig_hls::Sequence<unsigned char, {length}>", text=True)
    if element == "wstring":
        return _Element(f"::lig_hls::Sequence<unsigned, {length}>", wide=True, text=True)
    return _Element(qualified_of(element))


def _values(field: Field, name: str, bound: int, place: str) -> _Member:
    kind, size = field.type, PRIMITIVE_SIZES[field.type.element]
    plain = _TYPES[kind.element]
    if kind.is_sequence:
        return _Member(
            f"::lig_hls::Sequence<{plain}, {bound}> {name}",
            f"  m.{name}.count = take_count(in, taking, {place}, {bound});\n"
            f"  take_values(in, taking, {place}, m.{name}.values, m.{name}.count);",
            f"  put_count(out, {place}, m.{name}.count);\n"
            f"  put_values(out, {place}, m.{name}.values, m.{name}.count);",
            "  position = behind(position, 4, 1);\n"
            f"  position = behind(position, {size}, m.{name}.count);",
        )
    single = kind.multiplicity is Multiplicity.SINGLE
    count = 1 if single else kind.count
    value = f"&m.{name}" if single else f"m.{name}"
    return _Member(
        f"{plain} {name}" if single else f"{plain} {name}[{count}]",
        f"  take_values(in, taking, {place}, {value}, {count});",
        f"  put_values(out, {place}, {value}, {count});",
        f"  position = behind(position, {size}, {count});",
    )


def _repeated(field: Field, element: _Element, bound: int, number: int) -> _Member:
    kind, name = field.type, field_name(field.name)
    place = f"first + {number}"
    if not kind.is_sequence:
        loop = f"  for (unsigned i = 0; i < {kind.count}; ++i) {{\n  "
        value = f"m.{name}[i]"
        return _Member(
            f"{element.type} {name}[{kind.count}]",
            f"{loop}{element.take(value, place)}\n  }}",
            f"{loop}{element.put(value, place)}\n  }}",
            f"{loop}{element.end(value)}\n  }}",
        )
    loop = f"  for (unsigned i = 0; i < m.{name}.count; ++i) {{\n  "
    value, inside = f"m.{name}.values[i]", f"first + {number + 1}"
    return _Member(
        f"::lig_hls::Sequence<{element.type}, {bound}> {name}",
        f"  m.{name}.count = take_count(in, taking, {place}, {bound});\n"
        f"{loop}{element.take(value, inside)}\n  }}",
        f"  put_count(out, {place}, m.{name}.count);\n{loop}{element.put(value, inside)}\n  }}",
        f"  position = behind(position, 4, 1);\n{loop}{element.end(value)}\n  }}",
    )
