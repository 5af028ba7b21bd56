# SPDX-License-Identifier: Apache-2.0
"""The command that tries a change, and the mapping that it needs."""

from __future__ import annotations

import shlex
from pathlib import Path

from ligament.advise.changes import HOST, Change
from ligament.artefacts import variant_folder, write_json
from ligament.run.cores import one_core


def command_of(change: Change, graph: str, base: str, out: Path, pinned: bool) -> list[str]:
    """The words of the command; writes the mapping of a variant that the graph does not have.

    It lies at DIR/<graph>/<variant>/advise/<change>.json.
    """
    words = ["ligament", "run", graph]
    if change.declared:
        words += ["--variant", change.variant.name]
        words += ["--platform", change.platform] if change.platform != HOST else []
    else:
        assert change.mapping is not None, "what cannot be mapped has no command"
        path = variant_folder(change.mapping.graph, base, out) / "advise" / f"{change.name}.json"
        write_json(path, change.mapping.to_json())
        words += ["--mapping", str(path)]
    if pinned if change.one_core is None else change.one_core:
        words += ["--cores", one_core()]
    if change.priority:
        words = ["chrt", "--fifo", "1", *words]
    return [*words, "--trace"]


def text_of(words: list[str]) -> str:
    """The command as it is typed."""
    return shlex.join(words)
