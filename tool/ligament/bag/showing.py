# SPDX-License-Identifier: Apache-2.0
"""What people see of a recording: a line that changes while it goes, and a table at its end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ligament.bag.program import Bag

_KILO = 1000.0


def size_text(size: float) -> str:
    """`1.5 MB`."""
    for unit in ("B", "kB", "MB"):
        if size < _KILO:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= _KILO
    return f"{size:.2f} GB"


class ProgressLine:
    """One line that is written over on a terminal; elsewhere nothing, but for notes."""

    def __init__(self, *, is_quiet: bool = False) -> None:
        self._is_shown = sys.stderr.isatty() and not is_quiet
        self._is_there = False

    def show(self, text: str) -> None:
        """Replace what is there."""
        if self._is_shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._is_there = True

    def note(self, text: str) -> None:
        """Say something that stays."""
        self.clear()
        print(f"warning: {text}", file=sys.stderr)

    def clear(self) -> None:
        """Leave an empty line."""
        if self._is_there:
            sys.stderr.write("\r\x1b[K")
            self._is_there = False


def followed(
    words: list[str],
    line_of: Callable[[Mapping[str, Any]], str],
    *,
    is_quiet: bool,
    warnings_of: Callable[[Mapping[str, Any]], Iterable[str]] = lambda _: (),
) -> dict[str, Any]:
    """Run `ligament-bag` and show how it goes; return what it says at its end.

    Its first figures are given to `warnings_of`.
    """
    line = ProgressLine(is_quiet=is_quiet)
    is_first = True
    last: dict[str, Any] = {}
    with Bag.started(words) as bag:
        for told in bag.lines():
            if is_first and told["event"] in ("status", "finished"):
                is_first = False
                for text in warnings_of(told):
                    line.note(text)
            if told["event"] == "note":
                line.note(told["text"])
            elif told["event"] == "status":
                line.show(line_of(told))
            last = told
    line.clear()
    return last


def recording_line(seconds: float, status: Mapping[str, Any]) -> str:
    """How a recording goes."""
    lost = f", {status['lost']} lost" if status["lost"] else ""
    return (
        f"recording {seconds:.0f} s: {status['messages']} messages, "
        f"{size_text(status['bytes'])}{lost}   (Ctrl-C ends it)"
    )


def recording_table(status: Mapping[str, Any]) -> str:
    """Each topic's share."""
    rows = [("topic", "messages", "size", "lost")]
    rows += [
        (t["topic"], str(t["messages"]), size_text(t["bytes"]), str(t["lost"]))
        for t in status["topics"]
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    )


def playing_line(status: Mapping[str, Any]) -> str:
    """How playing goes."""
    return f"playing: {status['published']} of {status['in_file']} messages   (Ctrl-C ends it)"
