# SPDX-License-Identifier: Apache-2.0
"""What a recording's metadata declares: each event with its fields, as written there."""

from __future__ import annotations

import re
import struct
from pathlib import Path

PACKET_MAGIC = 0x75D11D57
HEADER_BYTES = 37
EVENT = re.compile(
    r'event \{\s*name = "([^"]+)";.*?fields := struct \{(.*?)\n\t\};\s*\};', re.DOTALL
)
CONTEXT = re.compile(r"event\.context := struct \{(.*?)\n\t\};", re.DOTALL)


def metadata_text(recording: Path) -> str:
    """The text inside the packets of the one metadata file below a folder."""
    (path,) = recording.rglob("metadata")
    data, text, at = path.read_bytes(), b"", 0
    while at < len(data):
        assert struct.unpack_from("<I", data, at)[0] == PACKET_MAGIC
        content, packet = struct.unpack_from("<II", data, at + 24)
        text += data[at + HEADER_BYTES : at + content // 8]
        at += packet // 8
    return text.decode()


def declared_events(recording: Path, provider: str) -> dict[str, list[str]]:
    """Name of each event of a provider -> its fields, one line of the metadata each."""
    return {
        name.partition(":")[2]: _lines(fields)
        for name, fields in EVENT.findall(metadata_text(recording))
        if name.startswith(f"{provider}:")
    }


def declared_contexts(recording: Path) -> list[list[str]]:
    """The contexts of each channel that has any."""
    return [_lines(fields) for fields in CONTEXT.findall(metadata_text(recording))]


def _lines(fields: str) -> list[str]:
    return [" ".join(line.split()) for line in fields.splitlines() if line.strip()]
