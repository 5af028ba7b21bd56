# SPDX-License-Identifier: Apache-2.0
"""Writes the round-trip program: for every type, code that goes through all of its accessors.

usage: generate.py OUT_DIR PARTS DISTRO [PACKAGE_DIR...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import jinja2

from ligament.artefacts import write_text
from ligament.messages import TypeStore, load_store
from ligament.messages.cpp import message_context
from ligament.messages.cpp_names import header_path


def main(out: Path, parts: int, distro: str, package_dirs: list[Path]) -> None:
    """Write `part_N.cpp` and `registry.hpp`."""
    store = load_store(distro, package_dirs)
    messages = store.closure(store)
    numbers = list(range(parts))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    for number in numbers:
        text = environment.get_template("part.cpp.j2").render(
            **_part(store, [m.name for m in messages[number::parts]]), number=number
        )
        write_text(out / f"part_{number}.cpp", text)
    registry = environment.get_template("registry.hpp.j2").render(numbers=numbers)
    write_text(out / "registry.hpp", registry)


def _part(store: TypeStore, names: list[str]) -> dict[str, object]:
    messages = [store.message(name) for name in names]
    return {
        "includes": [header_path(name) for name in names],
        "messages": [message_context(store, m) for m in messages],
        "closure": [message_context(store, m) for m in store.closure(messages)],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], [Path(p) for p in sys.argv[4:]])
