# SPDX-License-Identifier: Apache-2.0
"""Which pages are on the site, and the place of each in its navigation (docs/site.yaml)."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

#: As mkdocs has it: a list of pages and of sections, each a name with its own list or page.
Nav = list[Any]


class SiteError(Exception):
    """What is wrong with a page or with docs/site.yaml, in one sentence."""


def read_site(root: Path) -> dict[str, Any]:
    """docs/site.yaml."""
    site: dict[str, Any] = YAML(typ="safe").load((root / "docs" / "site.yaml").read_text("utf-8"))
    return site


def pages_of(root: Path) -> list[str]:
    """All pages that git knows or would add, as paths in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted({page for page in listed.split("\0") if page and (root / page).is_file()})


def chosen(pages: Iterable[str], excluded: Mapping[str, str]) -> list[str]:
    """The pages without those that docs/site.yaml excludes; each pattern must match a page."""
    pages = list(pages)
    for pattern in excluded:
        if not any(fnmatch.fnmatch(page, pattern) for page in pages):
            raise SiteError(f"docs/site.yaml excludes '{pattern}', which is no page: remove it")
    return [page for page in pages if not any(fnmatch.fnmatch(page, p) for p in excluded)]


def place_of(page: str) -> str:
    """Where a page lies in the generator's input: a README is its folder's index."""
    folder, _, name = page.rpartition("/")
    name = "index.md" if name == "README.md" else name
    return f"{folder}/{name}" if folder else name


def title_of(text: str) -> str:
    """A page's title, without marks."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if found is None:
        raise SiteError("a page has no title ('# ...')")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1])
    return plain.replace("`", "").strip()


def _leaves(entries: Nav) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            ((_, inner),) = entry.items()
            yield from [inner] if isinstance(inner, str) else _leaves(inner)


def navigation(entries: Nav, texts: Mapping[str, str]) -> Nav:
    """The navigation with patterns resolved and every page named; `texts` has all pages.

    Raises SiteError where an entry names no page, or a page has no place.
    """
    leaves = list(_leaves(entries))
    named = [leaf for leaf in leaves if "*" not in leaf]
    for leaf in named:
        if leaf not in texts:
            raise SiteError(f"docs/site.yaml names '{leaf}', which is no page of the site")
        if named.count(leaf) > 1:
            raise SiteError(f"docs/site.yaml names '{leaf}' twice")
    free = {page for page in texts if page not in named}
    taken: dict[str, list[str]] = {}
    for pattern in leaves:
        if "*" in pattern:
            taken[pattern] = sorted(page for page in free if fnmatch.fnmatch(page, pattern))
            free -= set(taken[pattern])
    if free:
        raise SiteError(
            f"{', '.join(sorted(free))}: no place in the navigation; name it in docs/site.yaml"
        )
    return _resolved(entries, taken, texts)


def _resolved(entries: Nav, taken: Mapping[str, list[str]], texts: Mapping[str, str]) -> Nav:
    result: Nav = []
    for entry in entries:
        if isinstance(entry, str):
            found = taken.get(entry, [entry])
            result += [{title_of(texts[page]): place_of(page)} for page in found]
            continue
        ((name, inner),) = entry.items()
        if isinstance(inner, str):
            result.append({name: place_of(inner)})
        elif below := _resolved(inner, taken, texts):
            result.append({name: below})
    return result
