# SPDX-License-Identifier: Apache-2.0
"""The layout program of a message: what lig_unpack and lig_pack walk (spec/wire/fields.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum

from ligament.messages.errors import DefinitionError
from ligament.messages.hdl.bounds import Bounds
from ligament.messages.model import PRIMITIVE_SIZES, Field, Message, Multiplicity
from ligament.messages.store import TypeStore

#: Bits of an address and of a field's number.
ADDRESS_BITS = 12
ENCAPSULATION_BYTES = 4
MOST_BYTES = 2**32 - 1
#: Repeated elements within each other: what lig_unpack and lig_pack can count (their NESTING).
MOST_NESTING = 8


class Op(IntEnum):
    """As op_e of hdl/rtl/lig_fields_pkg.sv."""

    END = 0
    FIXED = 1
    SEQUENCE = 2
    STRING = 3
    WIDE_STRING = 4
    REPEAT = 5
    REPEAT_SEQUENCE = 6
    NEXT = 7


@dataclass(frozen=True)
class Word:
    """One instruction."""

    op: Op
    argument: int = 0
    log_size: int = 0
    is_bool: bool = False
    field: int = 0
    target: int = 0

    def encoded(self) -> int:
        """The 64 bits of instruction_t."""
        bits = self.argument | self.op << 32 | self.log_size << 35 | self.is_bool << 37
        return bits | self.field << 38 | self.target << 50


@dataclass(frozen=True)
class Leaf:
    """What a field number stands for: `header.stamp.sec`, `fields[].name`."""

    path: str
    op: Op
    argument: int
    log_size: int

    @property
    def constant(self) -> str:
        """Its name in the package; ROS 2 names have neither capitals nor double underscores."""
        path = self.path.replace("[].", ".").replace("[]", ".item")
        return "FIELD_" + path.replace(".", "__").upper()


@dataclass
class Layout:
    """A message's program, and what its field numbers stand for."""

    words: list[Word] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    nesting: int = 0
    """Sequences and arrays of messages or texts within each other."""
    longest: int = ENCAPSULATION_BYTES
    """No message within the bounds has more bytes; exact for a message of fixed size."""


def layout_of(store: TypeStore, message: Message, bounds: Bounds) -> Layout:
    """Compile a message."""
    compiler = _Compiler(store, bounds)
    compiler.message(message, "")
    compiler.emit(Word(Op.END))
    layout = compiler.layout
    limits = [
        (len(layout.words), (1 << ADDRESS_BITS) - 1, "has {} fields, nested ones included", ""),
        (layout.nesting, MOST_NESTING, "has arrays within each other {} deep",
         ", for which hardware has counters"),
    ]  # fmt: skip
    _within(message, limits)
    layout.longest += _longest(layout.words)
    header = ", which the header of a frame can say"
    _within(message, [(layout.longest, MOST_BYTES, "may have {} bytes within its bounds", header)])
    return layout


def _within(message: Message, limits: list[tuple[int, int, str, str]]) -> None:
    """Refuse what is beyond a limit: its value, the limit, what has it, why not more."""
    for value, most, has, why in limits:
        if value > most:
            raise DefinitionError(
                "layout-size",
                f"'{message.name}' {has.format(value)}",
                message.location,
                expected=f"at most {most}{why}",
            )


class _Compiler:
    def __init__(self, store: TypeStore, bounds: Bounds) -> None:
        self.store = store
        self.bounds = bounds
        self.layout = Layout()
        self.depth = 0

    def emit(self, word: Word) -> int:
        self.layout.words.append(word)
        return len(self.layout.words) - 1

    def leaf(self, path: str, word: Word) -> int:
        """An instruction that speaks, with a number of its own."""
        number = len(self.layout.leaves)
        self.layout.leaves.append(Leaf(path, word.op, word.argument, word.log_size))
        return self.emit(replace(word, field=number))

    def message(self, message: Message, prefix: str) -> None:
        for item in message.fields:
            self.field(message, item, prefix + item.name)

    def field(self, message: Message, item: Field, path: str) -> None:
        kind = item.type
        limits = self.bounds.limits(message, item)
        if kind.is_primitive:
            many = kind.is_sequence
            count = kind.count if kind.multiplicity is Multiplicity.ARRAY else 1
            size = PRIMITIVE_SIZES[kind.element]
            word = Word(
                Op.SEQUENCE if many else Op.FIXED,
                limits.count if many else count,
                size.bit_length() - 1,
                kind.element == "bool",
            )
            self.leaf(path, word)
        elif kind.multiplicity is Multiplicity.SINGLE:
            self.element(item, path, limits.length)
        else:
            self.repeat(item, path, limits.count, limits.length)

    def element(self, item: Field, path: str, length: int) -> None:
        kind = item.type
        if kind.is_message:
            self.message(self.store.message(kind.element), path + ".")
        elif kind.element == "string":
            self.leaf(path, Word(Op.STRING, length))
        else:
            self.leaf(path, Word(Op.WIDE_STRING, length, log_size=2))

    def repeat(self, item: Field, path: str, count: int, length: int) -> None:
        if item.type.is_sequence:
            begin = self.leaf(path, Word(Op.REPEAT_SEQUENCE, count))
        else:
            begin = self.emit(Word(Op.REPEAT, item.type.count))
        self.depth += 1
        self.layout.nesting = max(self.layout.nesting, self.depth)
        self.element(item, path + "[]", length)
        self.depth -= 1
        end = self.emit(Word(Op.NEXT, target=begin + 1))
        self.layout.words[begin] = replace(self.layout.words[begin], target=end + 1)


def _longest(words: list[Word]) -> int:
    """Bytes behind the encapsulation at most.

    While all before it has a fixed size, a position is known, and so is its padding; behind that
    each value may have the most padding that its size allows.
    """
    return _walk(words, 0, len(words), 0, True)[0]


def _walk(words: list[Word], begin: int, end: int, position: int, exact: bool) -> tuple[int, bool]:
    index = begin
    while index < end:
        word = words[index]
        size = 1 << word.log_size
        if word.op is Op.FIXED:
            position = _aligned(position, size, exact) + word.argument * size
        elif word.op is Op.STRING:
            position = _aligned(position, 4, exact) + 4 + word.argument + 1
        elif word.op in (Op.SEQUENCE, Op.WIDE_STRING):
            position = _aligned(position, 4, exact) + 4
            position = _aligned(position, size, exact) + word.argument * size
        elif word.op in (Op.REPEAT, Op.REPEAT_SEQUENCE):
            behind = word.target
            if word.op is Op.REPEAT_SEQUENCE:
                position = _aligned(position, 4, exact) + 4
            fixed = word.op is Op.REPEAT and _is_fixed(words[index + 1 : behind])
            if fixed and exact:
                for _ in range(word.argument):
                    position, _ = _walk(words, index + 1, behind - 1, position, True)
            else:
                once, _ = _walk(words, index + 1, behind - 1, 0, False)
                position += once * word.argument
                exact = False
            index = behind
            continue
        exact = exact and word.op in (Op.FIXED, Op.END, Op.NEXT)
        index += 1
    return position, exact


def _is_fixed(words: list[Word]) -> bool:
    return all(word.op in (Op.FIXED, Op.REPEAT, Op.NEXT) for word in words)


def _aligned(position: int, size: int, exact: bool) -> int:
    return -(-position // size) * size if exact else position + size - 1
