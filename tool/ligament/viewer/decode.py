# SPDX-License-Identifier: Apache-2.0
"""Messages of ROS 2's common types, from their stored form."""

from __future__ import annotations

from typing import Any

from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

#: The stored form begins with four bytes of how it is encoded: little-endian, version 1 of CDR.
_HEAD = b"\x00\x01"
_HEADER = "std_msgs/msg/Header"


class UnreadableError(Exception):
    """A message is not what its type says."""


class Decoder:
    """Reads messages of standard types; any other type is not known."""

    def __init__(self) -> None:
        self._store: Typestore = get_typestore(Stores.ROS2_JAZZY)

    def message(self, kind: str, stored: bytes) -> Any:
        """Return a message as an object; UnreadableError where it is none."""
        if stored[:2] != _HEAD:
            raise UnreadableError(f"{kind}: an encoding that is not read here")
        try:
            return self._store.deserialize_cdr(stored, kind)
        except Exception as error:  # of bytes from outside it raises whatever comes first
            raise UnreadableError(f"{kind}: {type(error).__name__}: {error}") from error

    def stamp(self, kind: str, stored: bytes) -> bytes | None:
        """Return the bytes of the stamp in front of a message; None where it has no header."""
        if kind not in self._store.fielddefs or stored[:2] != _HEAD or len(stored) < 12:
            return None
        fields = self._store.fielddefs[kind][1]
        is_stamped = bool(fields) and fields[0][1][1] == _HEADER
        stamp = stored[4:12]
        return stamp if is_stamped and any(stamp) else None
