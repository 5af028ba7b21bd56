# SPDX-License-Identifier: Apache-2.0
"""Options of benches, and lists in them; all mistakes of a command line are told at once.

@dataclass(frozen=True)
class Options:
    widths: str = option("", "Bits per beat, a list with commas (64,512).")
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import Field, field, fields
from typing import Annotated, Any, Protocol, TypeVar, get_type_hints

import typer

from ligament.errors import InputError, Problem, nearest

Item = TypeVar("Item", int, str)


class HasTitle(Protocol):
    """What `--only` chooses from."""

    @property
    def title(self) -> str:
        """For people."""


Titled = TypeVar("Titled", bound=HasTitle)


def option(default: Any, text: str, flags: str = "", **more: Any) -> Any:
    """A field of a bench's dataclass of options; its flag is its name, unless told."""
    return field(default=default, metadata={"help": text, "flags": flags, **more})


def hints_of(options: type) -> dict[str, Any]:
    """Each option of such a dataclass in typer's form."""
    types = get_type_hints(options)
    return {one.name: Annotated[types[one.name], _typer_option(one)] for one in fields(options)}


def _typer_option(one: Field[Any]) -> Any:
    more = dict(one.metadata)
    flags = more.pop("flags") or "--" + one.name.replace("_", "-")
    return typer.Option(flags, **more)


def with_words(only: str, items: Sequence[Titled]) -> list[Titled]:
    """Those whose title has all words of the option `--only`; InputError if there is none."""
    words = only.split()
    chosen = [
        one for one in items if all(word in one.title.replace(",", "").split() for word in words)
    ]
    if not chosen:
        raise InputError(
            Problem(
                "option",
                f"no line has all of '{only}'",
                expected=f"words of titles such as '{items[0].title}'",
            )
        )
    return chosen


class Lists:
    """Reads lists with commas, and gathers what is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def refuse(self, flag: str, value: str, expected: str = "", hint: str = "") -> None:
        """One more mistake."""
        text = f"{flag} {value}" if "'" in value else f"{flag} '{value}' cannot be used"
        self.problems.append(Problem("bench-option", text, None, expected, hint))

    def raise_mistakes(self) -> None:
        """InputError with all of them, if there are any."""
        if self.problems:
            raise InputError(self.problems)

    def numbers(self, flag: str, text: str, legal: Collection[int]) -> list[int]:
        """Whole numbers."""

        def parse(word: str) -> int:
            if not word.isdecimal() or int(word) not in legal:
                raise ValueError(word)
            return int(word)

        if isinstance(legal, range):
            expected = f"numbers from {legal[0]} to {legal[-1]}, with commas"
        else:
            expected = f"among {', '.join(map(str, legal))}, with commas"
        return self._items(flag, text, parse, expected)

    def words(self, flag: str, text: str, known: Sequence[str]) -> list[str]:
        """Names; a hint tells the nearest."""

        def parse(word: str) -> str:
            if word not in known:
                raise ValueError(word)
            return word

        hint = next((nearest(w, known) for w in text.split(",") if w and w not in known), "")
        return self._items(flag, text, parse, f"among {', '.join(known)}, with commas", hint)

    def _items(
        self, flag: str, text: str, parse: Callable[[str], Item], expected: str, hint: str = ""
    ) -> list[Item]:
        found = []
        for word in [part.strip() for part in text.split(",")] if text else []:
            try:
                found.append(parse(word))
            except ValueError:
                self.refuse(flag, word, expected, hint)
        return list(dict.fromkeys(found))
