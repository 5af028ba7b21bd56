# SPDX-License-Identifier: Apache-2.0
"""What an image says of itself: `ligament-image.json` in its first partition."""

from __future__ import annotations

import json
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament.acceleration.images import fat, table
from ligament.acceleration.images.layout import Layout
from ligament.acceleration.images.table import Part, Table
from ligament.errors import FailureError, InputError, Problem
from ligament.graph.json_source import parse_json
from ligament.graph.schema import validate

NAME = "ligament-image.json"


@dataclass(frozen=True)
class Image:
    """An image that exists: its table, its record, and the files of its boot partition."""

    path: Path
    table: Table
    record: dict[str, Any]
    boot: dict[str, bytes]

    def part(self, name: str) -> Part:
        """Return where a partition lies; raise InputError for an unknown one."""
        for number, named in enumerate(self.names()):
            if named == name:
                return self.table.parts[number]
        text = f"{self.path} has no partition '{name}'"
        raise InputError(Problem("image-partition", text, expected=", ".join(self.names())))

    def names(self) -> list[str]:
        """Return the partitions' names, in order."""
        return [p["name"] for p in self.record["partitions"]]


def read_image(path: Path) -> Image:
    """Read an image; raise InputError if it is none, damaged, or not made by this tool."""
    try:
        with path.open("rb") as file:
            found = table.read(file, str(path))
    except FileNotFoundError:
        hint = "`ligament acceleration linux` makes one"
        text = f"there is no image {path}"
        raise InputError(Problem("image-missing", text, hint=hint)) from None
    except OSError as error:
        text = f"{path} cannot be read: {error.strerror}"
        raise InputError(Problem("image-path", text, expected="the path of an image")) from None
    if not found.parts:
        raise InputError(Problem("image-table", f"{path} has no partitions"))
    boot = boot_files(path, found)
    if NAME not in boot:
        text = f"{path} does not say what is in it: its first partition has no {NAME}"
        raise InputError(
            Problem("image-record", text, hint="`ligament acceleration linux` makes it anew")
        )
    document = parse_json(boot[NAME].decode("utf-8", errors="replace"), f"{path}:{NAME}")
    problems = validate(document, "image")
    if problems:
        raise InputError(problems)
    for told in document.data["partitions"][1:]:
        if "digest" not in told or not _is_uuid(told.get("uuid", "")):
            text = f"the {NAME} of {path} lacks digest or UUID of partition '{told['name']}'"
            hint = "`ligament acceleration linux` makes it anew"
            raise InputError(Problem("image-record", text, hint=hint))
    places = [(p["start"], p["bytes"]) for p in document.data["partitions"]]
    if places != [(p.start, p.size) for p in found.parts]:
        text = f"the partitions of {path} are not where its {NAME} says"
        raise InputError(
            Problem("image-record", text, hint="`ligament acceleration linux` makes it anew")
        )
    return Image(path, found, document.data, boot)


def _is_uuid(text: str) -> bool:
    try:
        return bool(uuid.UUID(text))
    except ValueError:
        return False


def boot_files(path: Path, found: Table) -> dict[str, bytes]:
    """Return the files of an image's first partition, by path."""
    with tempfile.TemporaryDirectory(prefix="ligament-boot-") as name:
        folder = Path(name)
        try:
            fat.extract(path, found.parts[0].start, folder)
        except FailureError as error:
            text = f"the first partition of {path} cannot be read as FAT: {error.text}"
            raise InputError(Problem("image-table", text)) from error
        return {
            p.relative_to(folder).as_posix(): p.read_bytes()
            for p in sorted(folder.rglob("*"))
            if p.is_file()
        }


def check_old(layout: Layout, old: Image) -> None:
    """Raise InputError for an image whose parts cannot be exchanged by this layout."""
    if "domains" in old.record:
        text = f"{old.path} holds the domains {', '.join(old.record['domains'])}, in several places"
        hint = "`ligament acceleration linux --domains FILE` makes it anew"
        raise InputError(Problem("image-domains", text, hint=hint))
    expected = [p.name for p in layout.partitions]
    if old.record["platform"] != layout.platform.name or old.names() != expected:
        text = (
            f"{old.path} is an image of '{old.record['platform']}' with partitions "
            f"{', '.join(old.names())}"
        )
        wanted = f"one of '{layout.platform.name}' with {', '.join(expected)}"
        raise InputError(Problem("image-other", text, expected=wanted))


def record_bytes(data: dict[str, Any]) -> bytes:
    """Return a record as it lies in the image."""
    return (json.dumps({"schema": "ligament/image/1", **data}, indent=1) + "\n").encode()
