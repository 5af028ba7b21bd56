# SPDX-License-Identifier: Apache-2.0
"""What Verilator says of a core's ports, said of the core.

It complains where a port is connected, which is in a generated wrapper. An author looks for the
line of the core: it is told as compilers tell errors, `FILE:LINE:COLUMN: error: TEXT`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_SAID = re.compile(
    r"^%(?:Error|Warning)[^:\s]*: (?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<text>.*)$", re.M
)
_WIDTH = re.compile(
    r"port connection '(?P<port>\w+)' expects (?P<has>\d+) bits.* (?P<needs>\d+) bits"
)
_ABSENT = re.compile(r"(?:Pin not found:|Instance attempts to connect to) '(?P<port>\w+)'")
_OPEN = re.compile(r"missing pin: '(?P<port>\w+)'")
_NO_MODULE = re.compile(r"Cannot find file containing module: '(?P<module>\w+)'")
_MODULE = re.compile(r"^[ \t]*module\s+(?:automatic\s+|static\s+)?(?P<name>\w+)", re.M)
#: The head of an instance, as the generator writes it.
_INSTANCE = re.compile(r"^ *(?P<module>\w+) \w+ \($")


class _Module(NamedTuple):
    path: Path
    text: str  # of the file
    begin: int
    end: int

    def place(self, at: int) -> str:
        """FILE:LINE:COLUMN of a character of the file."""
        line = self.text.count("\n", 0, at) + 1
        return f"{self.path}:{line}:{at - self.text.rfind(chr(10), 0, at)}"

    def port(self, name: str) -> int:
        """Return where the port is declared; where the module is, if it cannot be seen."""
        declared = re.compile(rf"\b(?:input|output)\b[^,;]*?\b({name})\b")
        found = declared.search(self.text, self.begin, self.end)
        return found.start(1) if found else self.begin


def said_of_cores(errors: str, cores: Sequence[Path]) -> Iterator[str]:
    """Yield a line per complaint about one of these sources' modules, each once."""
    modules = dict(_modules(cores))
    lines = (_line(match, modules) for match in _SAID.finditer(errors))
    yield from dict.fromkeys(line for line in lines if line)


def _modules(cores: Sequence[Path]) -> Iterator[tuple[str, _Module]]:
    for path in cores:
        text = path.read_text(encoding="utf-8", errors="replace")
        starts = [*_MODULE.finditer(text)]  # none in a file that is a package
        ends = [*(start.start() for start in starts[1:]), len(text)]
        for start, end in zip(starts, ends, strict=False):
            yield start["name"], _Module(path, text, start.start("name"), end)


def _line(said: re.Match[str], modules: dict[str, _Module]) -> str:
    text = said["text"]
    if found := _NO_MODULE.search(text):
        return _absent_module(found["module"], modules)
    name = _instantiated(Path(said["file"]), int(said["line"]))
    module = modules.get(name)
    if module is None:
        return ""
    if found := _WIDTH.search(text):
        at = module.place(module.port(found["port"]))
        return (
            f"{at}: error: the port '{found['port']}' of '{name}' has {found['has']} bits, and a "
            f"core's has {found['needs']}"
        )
    if found := _ABSENT.search(text):
        return f"{module.place(module.begin)}: error: '{name}' has no port '{found['port']}'"
    if found := _OPEN.search(text):
        at = module.place(module.port(found["port"]))
        return f"{at}: error: a core has no port '{found['port']}': nothing drives or takes it"
    return ""


def _absent_module(name: str, modules: dict[str, _Module]) -> str:
    if name in modules or not modules:
        return ""
    first = next(iter(modules.values()))
    return (
        f"{first.place(first.begin)}: error: no module '{name}' is in the sources that node.yaml "
        f"lists, but: {', '.join(modules)}; its `top` names the core's"
    )


def _instantiated(path: Path, line: int) -> str:
    """Return the module of the instance around a line of a generated file."""
    if not path.is_file():
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    heads = (_INSTANCE.match(text) for text in reversed(lines[:line]))
    return next((head["module"] for head in heads if head), "")
