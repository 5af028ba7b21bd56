# SPDX-License-Identifier: Apache-2.0
"""Reads the standard message definitions that the `rosbags` package carries."""

from __future__ import annotations

from typing import Any

from rosbags.interfaces import Nodetype
from rosbags.typesys import Stores, get_typestore

from ligament.errors import listing, nearest
from ligament.messages.errors import DefinitionError
from ligament.messages.model import Constant, Field, FieldType, Message, Multiplicity

#: rosbags' own spellings of element types.
_ELEMENT_NAMES = {"octet": "byte", "boolean": "bool", "float": "float32", "double": "float64"}


def distros() -> list[str]:
    """Names of the ROS 2 distributions that can be chosen."""
    return sorted(s.name.removeprefix("ROS2_").lower() for s in Stores if "ROS2_" in s.name)


def standard_messages(distro: str) -> dict[str, Message]:
    """All messages of a distribution by full name."""
    if distro not in distros():
        raise DefinitionError(
            "distro-unknown",
            f"unknown ROS 2 distribution '{distro}'",
            expected=listing(distros()),
            hint=nearest(distro, distros()),
        )
    store = get_typestore(Stores[f"ROS2_{distro.upper()}"])
    origin = f"the {distro} definitions"
    return {
        name: Message(
            name,
            tuple(Field(n, _field_type(d)) for n, d in fields),
            tuple(Constant(n, _ELEMENT_NAMES.get(t, t), v) for n, t, v in constants),
            origin,
        )
        for name, (constants, fields) in sorted(store.fielddefs.items())
    }


def _field_type(description: Any) -> FieldType:
    node, args = description
    if node == Nodetype.BASE:
        return FieldType(_ELEMENT_NAMES.get(args[0], args[0]), string_bound=args[1])
    if node == Nodetype.NAME:
        return FieldType(args)
    inner = _field_type(args[0])
    count = args[1]
    if node == Nodetype.ARRAY:
        multiplicity = Multiplicity.ARRAY
    else:
        multiplicity = Multiplicity.BOUNDED if count else Multiplicity.SEQUENCE
    return FieldType(inner.element, multiplicity, count, inner.string_bound)
