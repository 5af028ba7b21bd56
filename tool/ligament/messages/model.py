# SPDX-License-Identifier: Apache-2.0
"""The type model: what every definition becomes, wherever it was read from."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from ligament.errors import Location

#: Primitive element types of the .msg language and their size on the wire in bytes.
PRIMITIVE_SIZES = MappingProxyType(
    {
        "bool": 1,
        "byte": 1,
        "char": 1,
        "int8": 1,
        "uint8": 1,
        "int16": 2,
        "uint16": 2,
        "int32": 4,
        "uint32": 4,
        "int64": 8,
        "uint64": 8,
        "float32": 4,
        "float64": 8,
    }
)
STRING_TYPES = frozenset({"string", "wstring"})

#: Name of the byte that stands in for the members of an empty message (rosidl's name).
DUMMY_MEMBER = "structure_needs_at_least_one_member"

Scalar = bool | int | float | str
Value = Scalar | tuple[Scalar, ...]


class Multiplicity(StrEnum):
    """How many elements a field holds."""

    SINGLE = "single"
    ARRAY = "array"
    BOUNDED = "bounded_sequence"
    SEQUENCE = "sequence"


@dataclass(frozen=True)
class FieldType:
    """Type of a field: `element` is a primitive, `string`, `wstring` or `package/kind/Name`."""

    element: str
    multiplicity: Multiplicity = Multiplicity.SINGLE
    count: int = 0
    """Elements of an array, bound of a bounded sequence, else 0."""
    string_bound: int = 0
    """Longest string, 0 where unbounded."""

    @property
    def is_message(self) -> bool:
        """Whether elements are messages."""
        return "/" in self.element

    @property
    def is_string(self) -> bool:
        """Whether elements are (wide) strings."""
        return self.element in STRING_TYPES

    @property
    def is_primitive(self) -> bool:
        """Whether elements have a fixed size and no fields."""
        return self.element in PRIMITIVE_SIZES

    @property
    def is_sequence(self) -> bool:
        """Whether the number of elements varies."""
        return self.multiplicity in (Multiplicity.BOUNDED, Multiplicity.SEQUENCE)

    def __str__(self) -> str:
        """As a .msg file spells it, with the full name of messages."""
        text = self.element + (f"<={self.string_bound}" if self.string_bound else "")
        suffix = {
            Multiplicity.SINGLE: "",
            Multiplicity.ARRAY: f"[{self.count}]",
            Multiplicity.BOUNDED: f"[<={self.count}]",
            Multiplicity.SEQUENCE: "[]",
        }
        return text + suffix[self.multiplicity]


@dataclass(frozen=True)
class Field:
    """One field of a message, in wire order."""

    name: str
    type: FieldType
    default: Value | None = None
    marked: bool = False
    """Marked as the chosen array (comment `# ligament: chosen`)."""
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Constant:
    """A named constant of a message."""

    name: str
    type: str
    value: Scalar
    location: Location | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Message:
    """A message type, or one half of a service, or one part of an action."""

    name: str
    fields: tuple[Field, ...]
    constants: tuple[Constant, ...] = ()
    origin: str = field(default="", compare=False)
    """File or type store it was read from, for error texts and headers."""
    location: Location | None = field(default=None, compare=False)

    @property
    def package(self) -> str:
        """First part of the name."""
        return self.name.split("/")[0]

    @property
    def kind(self) -> str:
        """`msg`, `srv` or `action`."""
        return self.name.split("/")[1]

    @property
    def base_name(self) -> str:
        """Last part of the name."""
        return self.name.split("/")[2]


@dataclass(frozen=True)
class Service:
    """A service: its messages are `<name>_Request`, `<name>_Response` and `<name>_Event`."""

    name: str
    request: Message
    response: Message
    event: Message | None
    """None in distributions before Iron, which have no service events."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages that this service defines."""
        parts = (self.request, self.response, self.event)
        return tuple(part for part in parts if part is not None)


@dataclass(frozen=True)
class Action:
    """An action: goal, result and feedback, and the services and message that carry them."""

    name: str
    goal: Message
    result: Message
    feedback: Message
    feedback_message: Message
    send_goal: Service
    get_result: Service

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages that this action defines, services excluded."""
        return (self.goal, self.result, self.feedback, self.feedback_message)
