# SPDX-License-Identifier: Apache-2.0
"""`ligament generate`: the third stage."""

from __future__ import annotations

import json as json_module

from ligament.cli.common import (
    ChosenMapping,
    GraphArgument,
    JsonOption,
    print_json,
    with_chosen,
)
from ligament.errors import counted
from ligament.pipeline import generated


@with_chosen
def generate(
    chosen: ChosenMapping,
    graph: GraphArgument = ".",
    json: JsonOption = False,
) -> None:
    """Write the glue of a mapped graph: a CMake project and a configuration per container.

    Checks and maps first, unless a mapping is given. Files that are right already stay untouched;
    manifest.json lists every file with its source, template and hash.

    Examples:

    `ligament generate examples/perception --variant fused`

    `ligament generate graph.yaml --mapping edited.json`
    """
    result = generated(chosen.request(graph))
    if json:
        print_json(json_module.loads(result.manifest.read_text(encoding="utf-8")))
        return
    count = len(result.changed)
    what = f"{counted(count, 'file')} changed" if count else "nothing changed"
    print(f"{result.manifest}: {what}")
