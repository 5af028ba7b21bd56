# SPDX-License-Identifier: Apache-2.0
"""One platform: its description, and its files (spec/platform/packages.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ligament.acceleration.convention import read_board
from ligament.errors import InputError, Location, Problem
from ligament.graph.loader import read_document
from ligament.graph.source import Document

MANIFEST = "platform.yaml"


@dataclass(frozen=True)
class Platform:
    """A platform that a workspace knows."""

    name: str
    folder: Path
    document: Mapping[str, Any]
    """The validated platform.yaml; of a board of the published convention, what its files say."""
    origin: str
    """`workspace`, `built-in` or `convention`."""
    files: Path
    """Where the user puts files for it."""
    lacks: tuple[str, ...] = ()
    """What a board of the published convention does not say."""
    source: Document | None = None

    def at(self, *path: str | int) -> Location | None:
        """Return where a field stands in platform.yaml."""
        return self.source.at(*path) if self.source else None

    def find(self, relative: str) -> Path | None:
        """Return a file or folder of the platform by its relative path; None: it is missing."""
        path = PurePosixPath(relative)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            text = f"'{relative}' is no path within the platform '{self.name}'"
            expected = f"a path relative to {self.files}, without .."
            raise InputError(Problem("platform-path", text, self.at(), expected=expected))
        places = [folder / path for folder in (self.files, self.folder)]
        return next((place for place in places if place.exists()), None)

    def file(self, relative: str) -> Path:
        """Return a file or folder of the platform; raise InputError that says where to get it."""
        found = self.find(relative)
        if found is None:
            raise InputError(self.missing(relative))
        return found

    def missing(self, relative: str) -> Problem:
        """Return that a file is not there, with where it is to be had and where it belongs."""
        known = self.vendor_file(relative)
        return Problem(
            "platform-file-missing",
            f"the platform '{self.name}' has no file '{relative}'",
            self.at(),
            expected=f"{self.files / relative}",
            hint=f"get it: {known['from']}; it is for: {known['for']}" if known else "",
        )

    def vendor_file(self, relative: str) -> Mapping[str, Any] | None:
        """Return what is declared of a file that the user brings."""
        declared = self.document.get("vendor_files", ())
        return next((entry for entry in declared if entry["file"] == relative), None)

    def checked(self, relative: str) -> Path:
        """Return a file whose declared checksum is right; one that has none is returned as it is.

        It is read whole, so ask where it is used.
        """
        found = self.file(relative)
        wanted = (self.vendor_file(relative) or {}).get("sha256")
        if wanted and found.is_file():
            with found.open("rb") as stream:
                has = hashlib.file_digest(stream, "sha256").hexdigest()
            if has != wanted:
                text = f"{found} is another file than '{self.name}' needs: its SHA-256 is {has}"
                raise InputError(
                    Problem("platform-file-checksum", text, self.at(), expected=wanted)
                )
        return found


def read_platform(name: str, folder: Path, origin: str, files: Path) -> Platform:
    """Read a platform's folder; raise InputError with file, line and what to do."""
    path = folder / MANIFEST
    if not path.is_file():
        document, lacks = read_board(name, folder)
        return Platform(name, folder, document, "convention", files, lacks)
    source = read_document(path, "platform")
    if source.data["name"] != name:
        text = f"the platform '{source.data['name']}' lies in the folder '{name}'"
        expected = f"name: {name}, or another name of the folder"
        raise InputError(Problem("platform-name", text, source.at("name"), expected=expected))
    return Platform(name, folder, source.data, origin, files, source=source)
