# SPDX-License-Identifier: Apache-2.0
"""Where a fault can be planted in Python: its own parser finds whole expressions and statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from mutation.fault import Fault

_Piece = tuple[str, tuple[int, int] | None, str]
"""A fault's kind, where it is, and the text that it puts there."""

_COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
}  # fmt: skip
_CALCULATED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"),
               ast.FloorDiv: ("//", "*"), ast.Div: ("/", "*"), ast.Mod: ("%", "+")}  # fmt: skip


class _Places:
    """Where the nodes of a parsed text lie in it, in characters."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._raw = source.encode()
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line.encode()))

    def _place(self, row: int, column: int) -> int:
        return len(self._raw[: self._starts[row - 1] + column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return [begin, end) of a node."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        begin = self._place(node.lineno, node.col_offset)
        return begin, self._place(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        begin, end = self.span(node)
        return self.source[begin:end]

    def between(self, left: ast.expr, right: ast.expr, was: str) -> tuple[int, int] | None:
        """Return where an operator stands between its operands."""
        at = self.source.find(was, self.span(left)[1], self.span(right)[0])
        return None if at < 0 else (at, at + len(was))


def faults_in_python(file: str, source: str) -> Iterator[Fault]:
    """Yield the faults of a Python file, each once."""
    places, tree = _Places(source), ast.parse(source)
    rebinding = _rebinding(tree)
    found: set[tuple[int, int, str]] = set()
    for node in _code(tree):
        pieces = [*_operators(node, places), *_off_by_one(node, places), *_initial(node, places),
                  *_constants(node, places), *_statements(node, places, rebinding),
                  *_swapped(node, places)]  # fmt: skip
        for kind, span, text in pieces:
            if span is not None and (*span, text) not in found:
                found.add((*span, text))
                yield Fault(file, kind, *span, text)


def _operators(node: ast.AST, places: _Places) -> Iterator[_Piece]:
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, op, right in zip(operands, node.ops, operands[1:], strict=False):
            was, becomes = _COMPARED[type(op)]
            yield "comparison", places.between(left, right, was), becomes
    elif isinstance(node, ast.BinOp) and type(node.op) in _CALCULATED:
        was, becomes = _CALCULATED[type(node.op)]
        if not (_is_text(node.left) or _is_text(node.right)):
            yield "operator", places.between(node.left, node.right, was), becomes
    elif isinstance(node, ast.BoolOp):
        was, becomes = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in pairwise(node.values):
            yield "and, or", places.between(left, right, was), becomes
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition negated", places.span(node.test), f"(not ({places.text(node.test)}))"


def _off_by_one(node: ast.AST, places: _Places) -> Iterator[_Piece]:
    """Yield one more at the begin and one less at the end of slices; ranges that end later."""
    if isinstance(node, ast.Slice):
        for end, change in ((node.lower, "+ 1"), (node.upper, "- 1")):
            if end is not None:
                yield "off by one", places.span(end), f"({places.text(end)}) {change}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        for end in node.args[:2]:
            if not isinstance(end, ast.Starred):
                yield "off by one", places.span(end), f"({places.text(end)}) + 1"


def _initial(node: ast.AST, places: _Places) -> Iterator[_Piece]:
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Assign | ast.AnnAssign):
        values = [node.value]
    elif isinstance(node, ast.arguments):
        values = [*node.defaults, *node.kw_defaults]
    for value in values:
        if isinstance(value, ast.Constant):
            if value.value == "":
                yield "initial value", places.span(value), '"x"'
            for _, span, text in _constants(value, places):
                yield "initial value", span, text


def _constants(node: ast.AST, places: _Places) -> Iterator[_Piece]:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.Constant) and isinstance(value, int | float):
        # One more of a large number (a limit, a time-out) is as good as the same.
        large = 2 * value if abs(value) > 100 else value + 1
        other = not value if isinstance(value, bool) else large
        yield "constant", places.span(node), str(other)


def _statements(node: ast.AST, places: _Places, rebinding: set[ast.stmt]) -> Iterator[_Piece]:
    """Yield what can be left out such that names are still bound: the rest fails at once."""
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom)
    ):
        yield "statement dropped", places.span(node), "pass"
    elif isinstance(node, ast.Assign) and (
        node in rebinding or isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    ):
        yield "assignment dropped", places.span(node), "pass"
    elif isinstance(node, ast.Raise | ast.Continue | ast.Break):
        yield f"{type(node).__name__.lower()} dropped", places.span(node), "pass"
    elif isinstance(node, ast.Return):
        nothing = node.value is None or ast.unparse(node.value) == "None"
        yield "return dropped", places.span(node), "pass" if nothing else "return None"


def _rebinding(tree: ast.AST) -> set[ast.stmt]:
    """Return the assignments to a name that its function binds somewhere else too."""
    found: set[ast.stmt] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            inside = list(ast.walk(function))
            names = [
                n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            ]
            names += [n.arg for n in inside if isinstance(n, ast.arg)]
            for node in inside:
                target = node.targets[0] if isinstance(node, ast.Assign) else None
                if isinstance(target, ast.Name) and names.count(target.id) > 1:
                    found.add(node)  # type: ignore[arg-type]
    return found


def _swapped(node: ast.AST, places: _Places) -> Iterator[_Piece]:
    """Yield calls with two neighbours swapped: both by position, or both by keyword."""
    if not isinstance(node, ast.Call):
        return
    by_name = [keyword.value for keyword in node.keywords if keyword.arg is not None]
    for values in (node.args, by_name):
        for first, second in pairwise(values):
            if _swappable(first) and _swappable(second) and ast.dump(first) != ast.dump(second):
                (a, b), (c, d) = places.span(first), places.span(second)
                source = places.source
                yield "arguments swapped", (a, d), source[c:d] + source[b:c] + source[a:b]


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but annotations and the texts between the parts of an f-string."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.arg | ast.AnnAssign) and child is tree.annotation:
            continue
        if isinstance(tree, ast.FunctionDef | ast.ClassDef) and _is_marking(tree, child):
            continue
        if isinstance(child, ast.JoinedStr) or (isinstance(tree, ast.Subscript) and _is_type(tree)):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _code(child)


def _is_marking(tree: ast.FunctionDef | ast.ClassDef, child: ast.AST) -> bool:
    """Say whether it is a decorator or a result type: a right program runs the same without."""
    return child in tree.decorator_list or child is getattr(tree, "returns", None)


def _is_type(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("dict", "list", "tuple", "set")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _swappable(value: ast.expr) -> bool:
    return isinstance(value, ast.Name | ast.Attribute | ast.Constant)
