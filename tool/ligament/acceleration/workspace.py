# SPDX-License-Identifier: Apache-2.0
"""The platforms of a workspace, and which one is selected (spec/platform/packages.md)."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from ligament.acceleration.manifest import MANIFEST, Platform, read_platform
from ligament.disk import as_no_room, replacing
from ligament.errors import FailureError, InputError, Problem, no_such
from ligament.resources import platforms_dir

SELECT = "select"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_NAME_BYTES = 256


class Workspace:
    """A folder with platforms below acceleration/firmware, and those that ship with Ligament."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path()
        if not self.root.is_dir():
            text = f"there is no workspace '{self.root}'"
            raise InputError(
                Problem("workspace-missing", text, expected="a folder, as a rule one with src/")
            )

    @property
    def firmware(self) -> Path:
        """Return the folder of its platforms, which need not be there."""
        return self.root / "acceleration" / "firmware"

    def names(self) -> list[str]:
        """Return the names of all platforms, sorted."""
        return sorted({*self._own(), *self._built_in()})

    def platform(self, name: str) -> Platform:
        """Return a platform by name; raise InputError for an unknown or broken one."""
        files = self.firmware / name
        own, built_in = self._own().get(name), self._built_in().get(name)
        if own is not None:
            return read_platform(name, own, "workspace", files)
        if built_in is not None:
            return read_platform(name, built_in, "built-in", files)
        known = self.names()
        raise InputError(no_such("platform-unknown", f"there is no platform '{name}'", name, known))

    def platforms(self) -> list[Platform]:
        """Return all platforms, by name; raise InputError with all that are broken."""
        found: list[Platform] = []
        problems: list[Problem] = []
        for name in self.names():
            try:
                found.append(self.platform(name))
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        return found

    def selected_name(self) -> str | None:
        """Return the name of the selected platform; None: none is."""
        path = self.firmware / SELECT
        try:
            name = _read_selection(path)
        except IsADirectoryError:
            raise InputError(self._no_selection(path, "is a folder")) from None
        if name is None:
            return None
        if not _NAME.fullmatch(name):
            raise InputError(self._no_selection(path, f"holds no name of a platform: '{name}'"))
        return name

    def selected(self) -> Platform:
        """Return the selected platform; raise InputError where none is, or it is broken."""
        name = self.selected_name()
        if name is None:
            raise InputError(
                Problem(
                    "platform-none",
                    f"no platform is selected in {self.root.absolute()}",
                    hint="`ligament acceleration select NAME`; `list` has the names",
                )
            )
        return self.platform(name)

    def check(self, name: str) -> Platform:
        """Return a platform by name whose whole manifest was checked."""
        platform = self.platform(name)
        if platform.source is not None:
            from ligament.mapping import load_platform  # noqa: PLC0415 - `list` needs none of it

            load_platform(str(platform.folder / MANIFEST))
        return platform

    def select(self, name: str) -> Platform:
        """Make a platform the selected one, at once or not at all; return it."""
        platform = self.check(name)
        path = self.firmware / SELECT
        if _is_folder(path):
            raise InputError(self._no_selection(path, "is a folder"))
        try:
            self.firmware.mkdir(parents=True, exist_ok=True)
            with replacing(path) as partial:
                if platform.origin == "built-in":
                    partial.write_text(f"{name}\n", encoding="utf-8")
                else:
                    partial.symlink_to(name, target_is_directory=True)
        except OSError as error:
            if as_no_room(error) is not None:
                raise
            raise FailureError(
                f"cannot write {path}: {error.strerror}; nothing was changed",
                hint="make the workspace writable, or name another with --workspace",
            ) from error
        return platform

    def _own(self) -> dict[str, Path]:
        """Return the folders that are platforms of the workspace, or are to be."""
        if not self.firmware.is_dir():
            return {}
        built_in = self._built_in()
        return {
            path.name: path
            for path in sorted(self.firmware.iterdir())
            if path.is_dir()
            and _NAME.fullmatch(path.name)
            and path.name != SELECT
            # Of a built-in platform's name, and without a description: files for it.
            and (path.name not in built_in or (path / MANIFEST).exists())
        }

    def _built_in(self) -> dict[str, Path]:
        return {path.parent.name: path.parent for path in platforms_dir().glob(f"*/{MANIFEST}")}

    def _no_selection(self, path: Path, fault: str) -> Problem:
        return Problem(
            "platform-select",
            f"{path} {fault}",
            expected="a link to a platform's folder, or a file with a platform's name",
            hint=f"remove it, then `ligament acceleration {SELECT} NAME`",
        )


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder itself, in one look."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _read_selection(path: Path) -> str | None:
    """Return the name that a link leads to or a file holds; None: there is neither."""
    while True:
        try:
            return Path(os.readlink(path)).name
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.EINVAL:  # no link
                raise
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                continue  # another process has made it a link since
            raise
        try:
            text = os.read(descriptor, _NAME_BYTES)
        finally:
            os.close(descriptor)
        return text.decode("utf-8", "replace").partition("\n")[0].strip()
