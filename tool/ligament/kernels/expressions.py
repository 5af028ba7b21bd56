# SPDX-License-Identifier: Apache-2.0
"""Expressions of a kernel's manifest: parsed, typed, and written as C++.

The language is a small part of Python's, so that its own parser reads it: names, numbers, texts,
arithmetic, comparisons, `and or not`, `in`, `a if c else b` and a few functions. Each expression
has a type before any code is generated, and a mistake is a sentence with a column.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ligament.errors import nearest
from ligament.graph.message_names import MessageCatalog
from ligament.messages.cpp_names import accessor_name

INTEGER, FRACTION, FLAG, TEXT = "integer", "fraction", "flag", "text"
_NUMBERS = (INTEGER, FRACTION)
_INTEGERS = frozenset(
    {"byte", "char", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
)
_LARGEST = 2**63 - 1


class ExpressionError(Exception):
    """What is wrong, from which column on, and what might be meant."""

    def __init__(self, text: str, column: int = 0, hint: str = "") -> None:
        super().__init__(text)
        self.column = column
        self.hint = hint


@dataclass(frozen=True)
class Typed:
    """An expression as C++, and its type: one of the constants above, a message or an array."""

    cpp: str
    type: str
    message: str = ""
    path: str = ""
    """Of an array: its field path in the message of its port, to compare with the chosen array."""


@dataclass
class Scope:
    """The names that an expression may use."""

    catalog: MessageCatalog
    names: dict[str, Typed] = field(default_factory=dict)
    parameters: Mapping[str, Typed] = field(default_factory=dict)


def translate(text: str, scope: Scope) -> Typed:
    """Return the expression as typed C++; raise ExpressionError."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        column = (error.offset or 1) - 1 if isinstance(error, SyntaxError) else 0
        raise ExpressionError("this is no expression", column) from error
    return _Translator(scope).of(tree.body)


_BINARY: Mapping[type[ast.operator], str] = MappingProxyType(
    {
        ast.Add: "add",
        ast.Sub: "subtract",
        ast.Mult: "multiply",
        ast.Div: "divide",
        ast.FloorDiv: "floor_divide",
        ast.Mod: "modulo",
    }
)
_COMPARE: Mapping[type[ast.cmpop], str] = MappingProxyType(
    {
        ast.Eq: "==",
        ast.NotEq: "!=",
        ast.Lt: "<",
        ast.LtE: "<=",
        ast.Gt: ">",
        ast.GtE: ">=",
    }
)
_FUNCTIONS = ("abs", "any", "ceil", "floor", "int", "len", "max", "min", "round")


class _Translator:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def of(self, node: ast.expr) -> Typed:
        """Return one node of the tree as typed C++."""
        handler: Callable[[ast.expr], Typed] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if handler is None:
            raise ExpressionError("this form is not allowed here", node.col_offset)
        return handler(node)

    def _number(self, node: ast.expr) -> Typed:
        found = self.of(node)
        if found.type not in _NUMBERS:
            raise ExpressionError(
                f"a number is needed here, not {describe(found)}", node.col_offset
            )
        return found

    def _flag(self, node: ast.expr) -> Typed:
        found = self.of(node)
        if found.type != FLAG:
            raise ExpressionError(
                f"a condition is needed here, not {describe(found)}", node.col_offset
            )
        return found

    def _constant(self, node: ast.Constant) -> Typed:
        value = node.value
        if isinstance(value, bool):
            return Typed("true" if value else "false", FLAG)
        if isinstance(value, int) and value <= _LARGEST:
            return Typed(f"std::int64_t{{{value}}}", INTEGER)
        if isinstance(value, float) and math.isfinite(value):
            return Typed(repr(value), FRACTION)
        if isinstance(value, str):
            return Typed(f"std::string_view({json.dumps(value)})", TEXT)
        raise ExpressionError("this value is not allowed here", node.col_offset)

    def _name(self, node: ast.Name) -> Typed:
        found = self._scope.names.get(node.id)
        if found is None:
            known = [*self._scope.names, "parameters"]
            raise ExpressionError(
                f"there is no name '{node.id}'", node.col_offset, nearest(node.id, known)
            )
        return found

    def _attribute(self, node: ast.Attribute) -> Typed:
        if isinstance(node.value, ast.Name) and node.value.id == "parameters":
            found = self._scope.parameters.get(node.attr)
            if found is None:
                raise ExpressionError(
                    f"there is no parameter '{node.attr}' of one value",
                    node.col_offset,
                    nearest(node.attr, self._scope.parameters),
                )
            return found
        owner = self.of(node.value)
        fields = self._scope.catalog.types.get(owner.message, {})
        info = fields.get(node.attr)
        if info is None:
            raise ExpressionError(
                f"{describe(owner)} has no field '{node.attr}'",
                node.col_offset,
                nearest(node.attr, fields),
            )
        cpp = f"{owner.cpp}.{accessor_name(node.attr)}()"
        return _field(cpp, info.spelling, f"{owner.path}.{node.attr}".lstrip("."))

    def _binop(self, node: ast.BinOp) -> Typed:
        function = _BINARY.get(type(node.op))
        if function is None:
            raise ExpressionError("there is no such operation here", node.col_offset)
        left, right = self._number(node.left), self._number(node.right)
        both = INTEGER if {left.type, right.type} == {INTEGER} else FRACTION
        return Typed(
            f"gpu::{function}({_as(left, both)}, {_as(right, both)}, failed)",
            FRACTION if function == "divide" else both,
        )

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return Typed(f"(!{self._flag(node.operand).cpp})", FLAG)
        value = self._number(node.operand)
        if isinstance(node.op, ast.USub):
            zero = _as(Typed("std::int64_t{0}", INTEGER), value.type)
            return Typed(f"gpu::subtract({zero}, {value.cpp}, failed)", value.type)
        raise ExpressionError("there is no such operation here", node.col_offset)

    def _boolop(self, node: ast.BoolOp) -> Typed:
        sign = " && " if isinstance(node.op, ast.And) else " || "
        return Typed(f"({sign.join(self._flag(v).cpp for v in node.values)})", FLAG)

    def _ifexp(self, node: ast.IfExp) -> Typed:
        condition = self._flag(node.test)
        left, right = self.of(node.body), self.of(node.orelse)
        kind = _common(left, right, node.col_offset)
        return Typed(f"({condition.cpp} ? {_as(left, kind)} : {_as(right, kind)})", kind)

    def _compare(self, node: ast.Compare) -> Typed:
        left = self.of(node.left)
        parts = []
        for operator, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, ast.In | ast.NotIn):
                parts.append(self._membership(left, operator, right_node))
                continue
            right = self.of(right_node)
            kind = _common(left, right, right_node.col_offset)
            sign = _COMPARE.get(type(operator))
            if sign is None:
                raise ExpressionError("there is no such comparison here", node.col_offset)
            parts.append(f"({_as(left, kind)} {sign} {_as(right, kind)})")
            left = right
        return Typed(f"({' && '.join(parts)})", FLAG)

    def _membership(self, left: Typed, operator: ast.cmpop, node: ast.expr) -> str:
        if not isinstance(node, ast.Tuple | ast.List) or not node.elts:
            raise ExpressionError("after `in` comes a list in brackets", node.col_offset)
        tests = []
        for element in node.elts:
            right = self.of(element)
            kind = _common(left, right, element.col_offset)
            tests.append(f"{_as(left, kind)} == {_as(right, kind)}")
        text = f"({' || '.join(tests)})"
        return f"(!{text})" if isinstance(operator, ast.NotIn) else text

    def _call(self, node: ast.Call) -> Typed:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _FUNCTIONS or node.keywords:
            raise ExpressionError(
                f"there is no function '{ast.unparse(node.func)}'",
                node.col_offset,
                nearest(name, _FUNCTIONS) or f"there are {', '.join(_FUNCTIONS)}",
            )
        if name in ("min", "max"):
            return self._extreme(name, node)
        if len(node.args) != 1:
            raise ExpressionError(f"'{name}' takes one value", node.col_offset)
        if name == "len":
            return self._length(node.args[0])
        if name == "any":
            return Typed(f"gpu::any_of({self._numbers(node.args[0]).cpp})", FLAG)
        value = self._number(node.args[0])
        if name == "abs":
            return Typed(f"gpu::absolute({value.cpp})", value.type)
        function = "trunc" if name == "int" else "nearbyint" if name == "round" else name
        if value.type == INTEGER:
            return value
        return Typed(f"gpu::whole(std::{function}({value.cpp}), failed)", INTEGER)

    def _extreme(self, name: str, node: ast.Call) -> Typed:
        values = [self._number(a) for a in node.args]
        if not values:
            raise ExpressionError(f"'{name}' takes at least one value", node.col_offset)
        both = INTEGER if {v.type for v in values} == {INTEGER} else FRACTION
        c_type = "std::int64_t" if both == INTEGER else "double"
        return Typed(f"std::{name}<{c_type}>({{{', '.join(_as(v, both) for v in values)}}})", both)

    def _subscript(self, node: ast.Subscript) -> Typed:
        array = self._numbers(node.value)
        index = self.of(node.slice)
        if index.type != INTEGER:
            raise ExpressionError(
                f"an index is an integer, not {describe(index)}", node.slice.col_offset
            )
        element = array.type.removeprefix("array of ")
        kind = FRACTION if element.startswith("float") else INTEGER
        function = "fraction_at" if kind == FRACTION else "integer_at"
        return Typed(f"gpu::{function}({array.cpp}, {index.cpp}, failed)", kind)

    def _numbers(self, node: ast.expr) -> Typed:
        value = self.of(node)
        if not is_numbers(value):
            raise ExpressionError(
                f"an array of numbers is needed here, not {describe(value)}", node.col_offset
            )
        return value

    def _length(self, node: ast.expr) -> Typed:
        value = self.of(node)
        if value.type != TEXT and not value.type.startswith("array"):
            raise ExpressionError(
                f"{describe(value)} has no length", node.col_offset, "len(alias.array)"
            )
        return Typed(f"static_cast<std::int64_t>({value.cpp}.size())", INTEGER)


def is_numbers(value: Typed) -> bool:
    """Tell whether an expression is an array whose elements are numbers."""
    element = value.type.removeprefix("array of ")
    return element != value.type and (element in _INTEGERS or element in ("float32", "float64"))


def _field(cpp: str, spelling: str, path: str) -> Typed:
    if spelling in _INTEGERS:
        return Typed(f"gpu::integer({cpp})", INTEGER, path=path)
    if spelling in ("float32", "float64"):
        return Typed(f"double{{{cpp}}}", FRACTION, path=path)
    if spelling == "bool":
        return Typed(cpp, FLAG, path=path)
    if "[" in spelling:
        return Typed(cpp, f"array of {spelling.partition('[')[0]}", path=path)
    if spelling == "string" or spelling.startswith("string<="):
        return Typed(cpp, TEXT, path=path)
    return Typed(cpp, "message", message=spelling, path=path)


def _as(value: Typed, kind: str) -> str:
    return f"gpu::fraction({value.cpp})" if (value.type, kind) == (INTEGER, FRACTION) else value.cpp


def _common(left: Typed, right: Typed, column: int) -> str:
    if left.type == right.type and left.type in (*_NUMBERS, FLAG, TEXT):
        return left.type
    if left.type in _NUMBERS and right.type in _NUMBERS:
        return FRACTION
    raise ExpressionError(f"{describe(left)} and {describe(right)} do not compare", column)


def describe(value: Typed) -> str:
    """Return what an expression is, as a sentence's object."""
    return with_article(value.message or value.type)


def with_article(kind: str) -> str:
    """Return a type as people say it: `a number`, `an array of uint8`."""
    if kind == FLAG:
        return "a condition"
    return f"an {kind}" if kind[0] in "aei" else f"a {kind}"
