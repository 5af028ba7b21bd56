# SPDX-License-Identifier: Apache-2.0
"""What goes over the connection of a host: one JSON object per line, some followed by bytes.

Both ends are this module: the deployer's in connection.py, the host's in serve.py. It imports
little, because the host's end is started anew by each deploy.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

VERB = "serve-host"
"""The host's end: `ligament serve-host FOLDER LEASE_S`."""
LONGEST_LINE = 16 << 20
CHUNK = 1 << 20
READY = "ligament-host"
"""Value of `hello` in the first line: what a login shell prints before is passed over."""

Message = dict[str, Any]


class WireError(ValueError):
    """What came is no message of this protocol."""


def line_of(message: Message) -> bytes:
    """Return a message as it is sent."""
    return json.dumps(message, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"


def message_of(line: bytes) -> Message:
    """Read a line; raise WireError if it is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {line[:80]!r}") from error
    if not isinstance(message, dict):
        raise WireError(f"no object: {line[:80]!r}")
    return message


def text_in(message: Message, key: str) -> str:
    """Return a text of a message; raise WireError if it is none."""
    value = message.get(key)
    if not isinstance(value, str) or not value:
        raise WireError(f"'{key}' is {value!r} and no text")
    return value


def size_in(message: Message, key: str = "size") -> int:
    """Return a number of bytes in a message; raise WireError if it is none."""
    value = message.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise WireError(f"'{key}' is {value!r} and no size")
    return value


def inner_path(text: str) -> str:
    """Return a path that stays within the folder that it is put into; raise WireError otherwise."""
    path = PurePosixPath(text)
    if (
        path.is_absolute()
        or ".." in path.parts
        or not path.parts
        or "\0" in text
        or str(path) != text
    ):
        raise WireError(f"the path {text!r} leads out of its folder")
    return text


def digest_in(text: object) -> str:
    """Return a SHA-256 in hexadecimal; raise WireError if it is none."""
    if isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text
    raise WireError(f"{text!r} is no digest")
