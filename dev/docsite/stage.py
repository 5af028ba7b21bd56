# SPDX-License-Identifier: Apache-2.0
"""Write the generator's input: each page at its place, its links changed to lead to places.

A link may name a page, a folder (its README), or any other file of the repository: a picture is
copied, a text becomes a page that shows it, and anything else is copied as it is.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from docsite.markdown import fenced, with_links, with_wide_lists
from docsite.pages import SiteError, place_of

#: Longer texts are copied, not shown: nobody reads them in a browser.
MOST_SHOWN = 30_000
#: How a text is coloured, by the end of its file's name; others are not.
LANGUAGES = {
    ".c": "c", ".cl": "c", ".cmake": "cmake", ".cpp": "cpp", ".h": "c", ".hpp": "cpp",
    ".py": "python", ".sh": "sh", ".sql": "sql", ".sv": "systemverilog",
    ".toml": "toml", ".txt": "text", ".yaml": "yaml",
}  # fmt: skip
#: What a browser shows by itself, and better.
AS_IT_IS = {".svg", ".png", ".jpg", ".gif", ".json"}
#: Front matter of a page that shows a file: it is found from the page that links to it.
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"


@dataclass
class Stage:
    """A folder that becomes the generator's input."""

    root: Path
    folder: Path
    texts: Mapping[str, str]
    """All pages of the site, by their paths in the repository; generated ones too."""
    problems: list[str] = field(default_factory=list)
    _linked: set[str] = field(default_factory=set)

    def write(self) -> None:
        """Write all pages, and what they link to; raises SiteError naming every wrong link."""
        for page, text in self.texts.items():
            own = with_links(text, lambda target, page=page: self._target(page, target))  # type: ignore[misc]
            self._put(place_of(page), with_wide_lists(own))
        for path in sorted(self._linked):
            self._show(path)
        if self.problems:
            raise SiteError("\n".join(self.problems))

    def _put(self, place: str, text: str) -> None:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _target(self, page: str, target: str) -> str:
        if re.match(r"[a-z][a-z0-9+.-]*:|#", target):
            return target
        path, hash_, fragment = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        place = self._place(wanted)
        if place is None:
            self.problems.append(f"{page}: its link to '{target}' leads to no page and no file")
            return target
        own = posixpath.dirname(place_of(page)) or "."
        return posixpath.relpath(place, own) + hash_ + fragment

    def _place(self, wanted: str) -> str | None:
        """Where in the input a page, a folder or a file of the repository is."""
        for page in (wanted, posixpath.normpath(f"{wanted}/README.md")):
            if page in self.texts:
                return place_of(page)
        path = self.root / wanted
        if wanted.startswith("..") or not path.exists():
            return None
        self._linked.add(wanted)
        return f"{wanted}.md" if path.is_dir() or self._is_shown(path) else wanted

    @staticmethod
    def _is_shown(path: Path) -> bool:
        if path.suffix in AS_IT_IS or path.stat().st_size > MOST_SHOWN:
            return False
        try:
            path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def _show(self, wanted: str) -> None:
        path = self.root / wanted
        if path.is_dir():
            names = sorted(f"{p.name}/" if p.is_dir() else p.name for p in path.iterdir())
            rows = "\n".join(f"- `{name}`" for name in names if not name.startswith("."))
            self._put(f"{wanted}.md", f"{UNSEARCHED}# `{wanted}/`\n\n{rows}\n")
        elif self._is_shown(path):
            text = fenced(path.read_text(encoding="utf-8"), LANGUAGES.get(path.suffix, "text"))
            self._put(f"{wanted}.md", f"{UNSEARCHED}# `{wanted}`\n\n{text}")
        else:
            copy = self.folder / wanted
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
