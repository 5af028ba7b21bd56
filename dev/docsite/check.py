# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a built site: links and anchors that lead nowhere, tags that are none, and
anything that a reader's browser would fetch from another server.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ELEMENTS = """
    a abbr article aside b blockquote body br button circle code dd defs del details dialog div dl
    dt ellipse em footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input kbd label
    li line link main meta nav noscript ol p path polygon polyline pre rect script section small
    span strong style sub summary sup svg symbol table tbody td template th thead title tr u ul use
"""
#: Elements of pages here: a word in angle brackets that was meant as text is none of them.
ELEMENTS = frozenset(_ELEMENTS.split())
#: What a browser fetches by itself, by element and attribute. Of a link only some are.
FETCHED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("link", "href")}
FETCHING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "manifest"}
#: What a style sheet fetches from a server that it names.
STYLE_FETCHES = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s;]+)""", re.I)


@dataclass
class _Page(HTMLParser):
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    strange: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element is, and what it names."""
        given = {key: value or "" for key, value in attrs}
        if tag not in ELEMENTS:
            self.strange.add(tag)
        if given.get("id"):
            self.ids.add(given["id"])
        is_fetching = tag != "link" or bool(
            FETCHING_LINKS & set(given.get("rel", "").lower().split())
        )
        for key in ("href", "src"):
            if (tag, key) in FETCHED and is_fetching and key in given:
                self.fetched.append(given[key])
            elif tag == "a" and key in given:
                self.links.append(given[key])


def read_page(path: Path) -> _Page:
    """What a page of the site holds."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def problems_of(site: Path, apart: str = "docs/reports") -> list[str]:
    """All that is wrong with a site, a sentence each. `apart`: pages of others, in its folder."""
    pages = {
        path.relative_to(site).as_posix(): read_page(path)
        for path in sorted(site.rglob("*.html"))
        if not path.relative_to(site).as_posix().startswith(f"{apart}/")
    }
    problems = []
    for name, page in pages.items():
        if name == "404.html":  # its links begin at the root of wherever the site is served
            continue
        problems += [f"{name}: <{tag}> is no element" for tag in sorted(page.strange)]
        problems += [
            f"{name}: fetches {url} from elsewhere" for url in page.fetched if urlsplit(url).netloc
        ]
        for link in [*page.links, *page.fetched]:
            if why := _wrong(site, pages, name, link):
                problems.append(f"{name}: '{link}' {why}")
    for style in sorted(site.rglob("*.css")):
        urls = STYLE_FETCHES.findall(style.read_text(encoding="utf-8"))
        problems += [f"{style.relative_to(site)}: fetches {url} from elsewhere" for url in urls]
    return problems


def _wrong(site: Path, pages: dict[str, _Page], name: str, link: str) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
    target = name if not parts.path else target
    if (site / target).is_dir():
        target = posixpath.normpath(f"{target}/index.html")
    if target.startswith("..") or not (site / target).is_file():
        return "leads to nothing"
    fragment = unquote(parts.fragment)
    if fragment and target in pages and fragment not in pages[target].ids:
        return "names no place on its page"
    return None
