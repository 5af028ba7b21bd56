# SPDX-License-Identifier: Apache-2.0
"""A page of GitHub's Markdown as the generator's dialect (Python-Markdown) reads it the same.

What differs: lists are indented by four columns, a list after a paragraph needs an empty line, `|`
in code within a table is not escaped, and links name files of the generator's input.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)]) +")
_FENCE = re.compile(r"(`{3,}|~{3,})")
#: What holds no link (blocks and spans of code, comments), or a link's or picture's target.
_TOKEN = re.compile(
    r"(?P<skip>^ *```.*?^ *```[ ]*$|(?P<ticks>`+)(?!`)(?:(?!\n\n).)*?(?<!`)(?P=ticks)(?!`))"
    r"|<!--.*?-->\n?"
    r"|\]\((?P<target>[^)\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def with_links(text: str, new_target: Callable[[str], str]) -> str:
    """The page without comments, each link's target replaced by what `new_target` makes of it."""

    def changed(found: re.Match[str]) -> str:
        if found["skip"] is not None:
            # In a row of a table, where a forge asks for it in code, too.
            in_row = found["ticks"] and text.startswith("|", text.rfind("\n", 0, found.start()) + 1)
            return found[0].replace("\\|", "|") if in_row else found[0]
        return "" if found["target"] is None else f"]({new_target(found['target'])})"

    return _TOKEN.sub(changed, text).lstrip("\n")


class _Lists:
    """The open items of a page, by the column at which the content of each begins."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.blank = True

    def shift(self, line: str) -> tuple[str, bool]:
        """The line at its new column, and whether an empty line must come before it."""
        content = line.lstrip(" ")
        column = len(line) - len(content)
        if not content:
            self.blank = True
            return "", False
        item = _ITEM.match(content)
        inside = bool(self.columns)
        while self.columns and column < self.columns[-1] and (self.blank or item):
            self.columns.pop()
        base = self.columns[-1] if self.columns else 0
        new = 4 * len(self.columns)
        lonely = False
        if item and column - base < 4:
            lonely = not inside and not self.blank
            self.columns.append(column + item.end())
        else:
            new += max(0, column - base)
        self.blank = False
        return " " * new + content, lonely


def with_wide_lists(text: str) -> str:
    """The page with four columns for each level of its lists, an empty line before each list."""
    lists, lines = _Lists(), []
    fence, by = "", 0
    for line in text.split("\n"):
        if fence:
            lines.append(" " * by + line if line.strip() else "")
            if line.strip().startswith(fence):
                fence, lists.blank = "", False
            continue
        moved, lonely = lists.shift(line)
        if lonely:
            lines.append("")
        lines.append(moved)
        if opening := _FENCE.match(moved.lstrip(" ")):
            fence = opening[1]
            by = max(0, len(moved) - len(moved.lstrip(" ")) - (len(line) - len(line.lstrip(" "))))
    return "\n".join(lines)


def fenced(text: str, language: str) -> str:
    """A block of code whose fence is longer than any in it."""
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    ending = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{ending}{fence}\n"
