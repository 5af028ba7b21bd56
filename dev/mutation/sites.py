# SPDX-License-Identifier: Apache-2.0
"""Where a fault can be planted, and what the text is with it.

Python is read by its own parser, so that every site is a whole expression or statement. C++ and
SystemVerilog are read as text without comments and strings, in the layout that the formatters
enforce (operators between spaces, a statement a line); what does not compile is counted apart.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """A replacement of text[begin:end] in a file. `kind` is the fault's kind, in words."""

    file: str
    kind: str
    begin: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """Return the source with the fault."""
        return source[: self.begin] + self.text + source[self.end :]

    def lines(self, source: str) -> tuple[int, str, str]:
        """Return the number of the first line that changes, that line, and the line it becomes."""
        number = source.count("\n", 0, self.begin)
        before = source.split("\n")[number]
        after = self.applied(source).split("\n")[number]
        return number + 1, before.strip(), after.strip()


def faults_of(file: str, source: str) -> list[Fault]:
    """Return every fault that can be planted in a file, by its language."""
    if Path(file).suffix == ".py":
        return list(_python(file, source))
    return list(_text(file, source))


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


def _python(file: str, source: str) -> Iterator[Fault]:
    places = _Places(source)
    for node in _code(ast.parse(source)):
        for kind, span, text in _operators(node, places):
            if span is not None:
                yield Fault(file, kind, *span, text)
        for kind, whole, text in _wholes(node, places):
            yield Fault(file, kind, *places.span(whole), text)
        if isinstance(node, ast.Call) and len(node.args) > 1 and _swappable(node.args[:2]):
            (a, b), (c, d) = places.span(node.args[0]), places.span(node.args[1])
            yield Fault(file, "arguments swapped", a, d, source[c:d] + source[b:c] + source[a:b])


def _operators(node: ast.AST, places: _Places) -> Iterator[tuple[str, tuple[int, int] | None, str]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        was, becomes = _COMPARED[type(node.ops[0])]
        yield "comparison", places.between(node.left, node.comparators[0], was), becomes
    elif isinstance(node, ast.BinOp) and type(node.op) in _CALCULATED:
        was, becomes = _CALCULATED[type(node.op)]
        if not (_is_text(node.left) or _is_text(node.right)):
            yield "operator", places.between(node.left, node.right, was), becomes
    elif isinstance(node, ast.BoolOp):
        was, becomes = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield "and, or", places.between(node.values[0], node.values[1], was), becomes


def _wholes(node: ast.AST, places: _Places) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield "constant", node, str(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "constant", node, str(not node.value)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition negated", node.test, f"(not ({places.text(node.test)}))"
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "statement dropped", node, "pass"


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but annotations and the texts between the parts of an f-string."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(tree, ast.arg | ast.AnnAssign) and child is tree.annotation:
            continue
        if isinstance(tree, ast.FunctionDef | ast.ClassDef) and _is_marking(tree, child):
            continue
        if isinstance(child, ast.JoinedStr) or (isinstance(tree, ast.Subscript) and _is_type(tree)):
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


def _swappable(both: list[ast.expr]) -> bool:
    return all(isinstance(a, ast.Name | ast.Attribute) for a in both) and ast.dump(
        both[0]
    ) != ast.dump(both[1])


_TEXT = (
    ("comparison", re.compile(r"(?<= )<=(?= [^;]*\))"), "<"),
    ("comparison", re.compile(r"(?<= )<(?= )"), "<="),
    ("comparison", re.compile(r"(?<= )>=(?= )"), ">"),
    ("comparison", re.compile(r"(?<= )>(?= )"), ">="),
    ("comparison", re.compile(r"(?<= )==(?= )"), "!="),
    ("comparison", re.compile(r"(?<= )!=(?= )"), "=="),
    ("operator", re.compile(r"(?<= )\+(?= )"), "-"),
    ("operator", re.compile(r"(?<= )-(?= )"), "+"),
    ("and, or", re.compile(r"(?<= )&&(?= )"), "||"),
    ("and, or", re.compile(r"(?<= )\|\|(?= )"), "&&"),
    ("constant", re.compile(r"(?<=[ (\[])1(?=[;,)\] ])"), "2"),
    ("constant", re.compile(r"(?<=[ (\[])0(?=[;,)\]])"), "1"),
    ("constant", re.compile(r"\btrue\b"), "false"),
    ("constant", re.compile(r"\bfalse\b"), "true"),
    ("condition negated", re.compile(r"(?<=\bif \()!(?=\w)"), ""),
    ("statement dropped", re.compile(r"(?m)^ +[\w.\->\[\]]+ (?:\+|-|\|)?= [^;{}\n]+;$"), " "),
    ("statement dropped", re.compile(r"(?m)^ +[a-z][\w.\->]*\([^;{}\n]*\);$"), " "),
)
_HARDWARE = (
    ("wrong reset", re.compile(r"(?<=<= )'0(?=;)"), "'1"),
    ("wrong reset", re.compile(r"(?<=<= )1'b0(?=;)"), "1'b1"),
    ("constant", re.compile(r"1'b1\b"), "1'b0"),
    ("operator", re.compile(r"(?<= )&(?= )"), "|"),
    ("operator", re.compile(r"(?<= )\|(?= )"), "&"),
    ("statement dropped", re.compile(r"(?m)^ +\w+(?:\[[^\]\n]+\])? <= [^;{}\n]+;$"), " "),
)
_NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?m:^ *(?:#|`|template|using|import).*$)', re.DOTALL
)
_DECLARED = re.compile(r"^\s*(?:const|constexpr|auto|static|localparam|parameter|input|output)\b")


def _text(file: str, source: str) -> Iterator[Fault]:
    bare = _NO_CODE.sub(lambda m: re.sub(r"[^\n]", "\x01", m.group()), source)
    hardware = Path(file).suffix in (".sv", ".svh")
    for kind, pattern, becomes in _TEXT + (_HARDWARE if hardware else ()):
        if hardware and pattern.pattern.startswith(r"(?<= )<"):
            continue  # an assignment is no comparison
        for match in pattern.finditer(bare):
            begin = source.rfind("\n", 0, match.start()) + 1
            if _DECLARED.match(source[begin:]) and kind in ("statement dropped", "constant"):
                continue
            yield Fault(file, kind, match.start(), match.end(), becomes)
