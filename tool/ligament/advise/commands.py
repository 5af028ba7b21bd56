# SPDX-License-Identifier: Apache-2.0
"""The command that tries a change, and the mapping that it needs."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ligament.advise.changes import HOST, Change
from ligament.artefacts import variant_folder, write_json
from ligament.run.cores import one_core


def given_parameters(context: Mapping[str, Any]) -> list[str]:
    """What a run was given as `--set`, by the command in its context."""
    words = [str(word) for word in context.get("command", [])]
    return [
        value if word in ("--set", "-s") else word.partition("=")[2]
        for word, value in zip(words, [*words[1:], ""], strict=False)
        if word in ("--set", "-s") or word.startswith("--set=")
    ]


def command_of(
    change: Change, graph: str, base: str, out: Path, pinned: bool, parameters: Sequence[str]
) -> list[str]:
    """The words of the command; writes the mapping of a variant that the graph does not have.

    It lies at DIR/<graph>/<variant>/advise/<change>.json. The parameters are those of the run that
    advice is for: other work would take another time.
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
    words += [word for one in parameters for word in ("--set", one)]
    if change.priority:
        words = ["chrt", "--fifo", "1", *words]
    return [*words, "--trace"]


def text_of(words: list[str]) -> str:
    """The command as it is typed."""
    return shlex.join(words)
