# SPDX-License-Identifier: Apache-2.0
"""Definitions as text: what ROS 2's tools read from a recording (MCAP's schema `ros2msg`).

definition_text(load_store("jazzy"), "std_msgs/msg/Header")
# builtin_interfaces/Time stamp
# string frame_id
# ====...
# MSG: builtin_interfaces/Time
# int32 sec ...
"""

from __future__ import annotations

from ligament.messages.model import DUMMY_MEMBER, Constant, Field, Message, Value
from ligament.messages.store import TypeStore

_RULE = "=" * 80


def definition_text(store: TypeStore, name: str) -> str:
    """A message's definition, then those of all messages that it refers to."""
    message = store.message(name)
    others = [m for m in store.closure([message]) if m.name != name]
    parts = [_text(message), *(f"{_RULE}\nMSG: {_short(m.name)}\n{_text(m)}" for m in others)]
    return "".join(parts)


def _text(message: Message) -> str:
    constants = [_constant(c) for c in message.constants]
    fields = [_field(f) for f in message.fields if f.name != DUMMY_MEMBER]
    lines = [*constants, *fields] or ["# no fields"]
    return "".join(f"{line}\n" for line in lines)


def _constant(constant: Constant) -> str:
    return f"{constant.type} {constant.name}={_value(constant.value)}"


def _field(field: Field) -> str:
    kind = str(field.type)
    if field.type.is_message:
        kind = kind.replace(field.type.element, _short(field.type.element), 1)
    default = "" if field.default is None else f" {_value(field.default)}"
    return f"{kind} {field.name}{default}"


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(v) for v in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace('"', '\\"')  # a backslash elsewhere stands for itself
        return f'"{escaped}"'
    return repr(value)


def _short(name: str) -> str:
    """`package/Name`, as a .msg file says it; only messages are referred to there."""
    package, _, base = name.split("/")
    return f"{package}/{base}"
