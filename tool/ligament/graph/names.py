# SPDX-License-Identifier: Apache-2.0
"""ROS 2 names: rules, resolution, remapping, and the number that stands for a name.

    resolve("image", namespace="/left", node="camera")   -> "/left/image"
    resolve("~/image", namespace="/left", node="camera") -> "/left/camera/image"

A node's or topic's id is its fully qualified name; where a number is needed it is `name_hash`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

# rmw's limit for a topic name; node names are part of one (private topics).
MAX_NAME_LENGTH = 247

_TOKEN = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
_FNV_OFFSET = 14695981039346656037
_FNV_PRIME = 1099511628211


def name_hash(name: str, owner: int = 0) -> int:
    """Return the 64-bit FNV-1a hash of a name, its numeric form in traces and on the wire.

    Where names are unique only within an owner (a node's spans), its number is mixed in first.
    """
    value = _FNV_OFFSET ^ owner
    for byte in name.encode():
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return value


def name_fault(name: str) -> str:
    """Return why `name` is no ROS 2 topic, node or namespace name, or an empty string."""
    body = name
    if body.startswith("~"):
        body = body[1:]
        if body and not body.startswith("/"):
            return "~ must be followed by /"
    if not body and name != "~":
        return "a name cannot be empty"
    if len(name) > MAX_NAME_LENGTH:
        return f"it is {len(name)} characters long, at most {MAX_NAME_LENGTH} are allowed"
    if body == "/" and name == "/":
        return ""
    if body.endswith("/"):
        return "it must not end with /"
    return _token_fault(body)


def _token_fault(body: str) -> str:
    for token in body.removeprefix("/").split("/") if body else ():
        if not token:
            return "it must not contain //"
        if "__" in token:
            return "it must not contain __ (two underscores are reserved)"
        if token[0].isdigit():
            return f"'{token}' starts with a digit"
        if not _TOKEN.match(token):
            return f"'{token}' may only contain letters, digits and _"
    return ""


def join(namespace: str, name: str) -> str:
    """Return `name` seen from `namespace`: absolute names stay as they are."""
    if name.startswith("/"):
        return name
    if not name:
        return namespace or "/"
    return f"{namespace.rstrip('/')}/{name}"


def substitute(name: str, namespace: str, node: str) -> str:
    """Replace ROS 2's {node}, {ns} and {namespace}."""
    inner = namespace.strip("/")
    for key, value in (("{node}", node), ("{ns}", inner), ("{namespace}", inner)):
        name = name.replace(key, value)
    return name


def resolve(name: str, namespace: str, node: str) -> str:
    """Return the fully qualified form of a topic name used by a node."""
    name = substitute(name, namespace, node)
    if name.startswith("~"):
        return join(join(namespace, node), name[1:].removeprefix("/"))
    return join(namespace, name)


def remapped(full_name: str, rules: Mapping[str, str]) -> str:
    """Return the name that the first matching rule gives (rules are fully qualified)."""
    return rules.get(full_name, full_name)
