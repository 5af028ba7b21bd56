# SPDX-License-Identifier: Apache-2.0
"""The sources of a platform's `boot:` as trees: fetched and checked when first asked for."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from ligament.acceleration.images.archives import unpacked
from ligament.acceleration.images.debian import Package, fetch
from ligament.acceleration.images.tree import Entry, Tree
from ligament.acceleration.manifest import Platform
from ligament.errors import InputError, Problem, no_such

INSTALL = "install"
"""The source that is the workspace's install tree."""


class Sources:
    """What the files of one platform's images are taken from.

    `cache`: a folder of the workspace; `install`: the install tree, None if there is none.
    """

    def __init__(
        self, platform: Platform, cache: Path, install: Path | None = None, *, update: bool = False
    ) -> None:
        self.platform = platform
        self.cache = cache.absolute()
        self.install = install
        self.update = update
        self._packages: dict[str, dict[str, str]] = {}
        self._declared: Mapping[str, Mapping[str, Any]] = platform.document["boot"]["sources"]
        self._trees: dict[str, Tree] = {}

    def tree(self, name: str) -> Tree:
        """Return a source as a tree; a `file` is a tree of one file with its own name."""
        if name not in self._trees:
            self._trees[name] = self._load(name)
        return self._trees[name]

    def _load(self, name: str) -> Tree:
        tree = Tree()
        if name == INSTALL:
            if self.install is not None:
                tree.add_folder(self.install)
                _check_links(tree, self.install)
            return tree
        declared = self._source(name)
        if declared["kind"] == "debian":
            for package in self._fetched(declared):
                self._packages.setdefault(name, {})[package.path.name] = package.sha256
                tree.add_tree(unpacked(package.path, package.sha256, self.cache / "unpacked"))
            return tree
        path = self._checked(name, declared)
        if declared["kind"] == "folder":
            tree.add_folder(path)
        elif declared["kind"] == "file":
            tree.add(Entry(path.name, "file", 0o644, data=path))
        else:
            digest = _digest(path)
            tree.add_tree(unpacked(path, digest, self.cache / "unpacked"))
        return tree

    def packages(self, names: Iterable[str]) -> dict[str, str]:
        """Return the packages' files that these sources were made of, with their SHA-256."""
        found = {k: v for name in names for k, v in self._packages.get(name, {}).items()}
        return dict(sorted(found.items()))

    def _fetched(self, declared: Mapping[str, Any]) -> Sequence[Package]:
        with locked(self.cache / "apt"):
            return fetch(
                list(declared["packages"]), declared["architecture"], self.cache / "apt",
                depends=declared.get("depends", True), update=self.update,
            )  # fmt: skip

    def _source(self, name: str) -> Mapping[str, Any]:
        found = self._declared.get(name)
        if found is None:
            known = [*self._declared, INSTALL]
            at = self.platform.at("boot", "sources")
            raise InputError(
                no_such("boot-source", f"there is no source '{name}'", name, known, at)
            )
        return found

    def _checked(self, name: str, declared: Mapping[str, Any]) -> Path:
        path = self.platform.checked(declared["path"])
        wants_folder = declared["kind"] == "folder"
        at = self.platform.at("boot", "sources", name, "path")
        if path.is_dir() != wants_folder:
            text = f"{path} is {'no' if wants_folder else 'a'} folder"
            raise InputError(Problem("boot-source", text, at))
        wanted = declared.get("sha256")
        if wanted and (has := _digest(path)) != wanted:
            text = f"{path} is damaged, or another file than was meant: its SHA-256 is {has}"
            hint = "fetch it again, or correct sha256 of the source"
            raise InputError(Problem("boot-checksum", text, at, expected=wanted, hint=hint))
        return path

    def file(self, wanted: Mapping[str, Any]) -> Entry:
        """Return one file: `from` a source, whose `path` may have * in it."""
        tree, pattern = self.tree(wanted["from"]), wanted.get("path", "*")
        found = [self._followed(tree, e) for e in tree.find(pattern)]
        files = {e.path: e for e in found if e is not None and e.kind == "file"}
        if len(files) == 1:
            return next(iter(files.values()))
        told = f"{len(files)} files of '{wanted['from']}' are called" if files else (
            f"no file of '{wanted['from']}' is called"
        )  # fmt: skip
        expected = ", ".join(sorted(files)[:6])
        raise InputError(Problem("boot-file", f"{told} '{pattern}'", self.platform.at("boot"),
                                 expected=f"one of {expected}" if expected else ""))  # fmt: skip

    @staticmethod
    def _followed(tree: Tree, entry: Entry) -> Entry | None:
        return tree.entries.get(tree.resolved(entry.path))

    def content(self, pieces: Sequence[Mapping[str, Any]]) -> Tree:
        """Return the tree of a file system's content, piece after piece."""
        tree = Tree()
        for piece in pieces:
            for path, target in piece.get("links", {}).items():
                tree.add(Entry(path, "link", 0o777, target=target))
            for path in piece.get("folders", ()):
                tree.add(Entry(path, "folder", 0o755))
            if "from" in piece:
                self._add(tree, piece)
        return tree

    def _add(self, tree: Tree, piece: Mapping[str, Any]) -> None:
        source, at = self.tree(piece["from"]), piece.get("at", "/")
        kind = self._declared.get(piece["from"], {}).get("kind")
        if kind == "file":
            only = next(iter(source))
            place = at + only.path if at.endswith("/") else at
            tree.add(Entry(str(PurePosixPath(place)), "file", 0o644, data=only.data))
            return
        count = tree.add_tree(source, at, piece.get("only"), piece.get("without"))
        if count == 0 and piece["from"] != INSTALL:
            wanted = ", ".join(piece.get("only", ("*",)))
            text = f"the source '{piece['from']}' has nothing called {wanted}"
            raise InputError(Problem("boot-content", text, self.platform.at("boot")))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder, so that two builds in one workspace do not fetch the same at once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _check_links(tree: Tree, install: Path) -> None:
    """Links of an install tree must not lead to this machine: they lead nowhere on the board."""
    bad = [e for e in tree if e.kind == "link" and e.target.startswith("/")]
    if bad:
        text = f"{install / bad[0].path} leads to {bad[0].target}, which the board does not have"
        hint = "build without --symlink-install"
        raise InputError(Problem("image-install", text, hint=hint))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
