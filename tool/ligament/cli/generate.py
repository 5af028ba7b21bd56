# SPDX-License-Identifier: Apache-2.0
"""`ligament generate`: the third stage."""

from __future__ import annotations

import json as json_module

from ligament.artefacts import DEFAULT_OUT
from ligament.cli.common import (
    GraphArgument,
    JsonOption,
    MappingOption,
    OutOption,
    PlatformOption,
    VariantOption,
    graph_path,
    print_json,
)
from ligament.pipeline import Request, generated


def generate(
    graph: GraphArgument = ".",
    variant: VariantOption = None,
    platform: PlatformOption = "host",
    mapping: MappingOption = None,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Write the glue of a mapped graph: a CMake project and a configuration per container.

    Checks and maps first, unless a mapping is given. Files that are right already stay untouched;
    manifest.json lists every file with its source, template and hash.

    Examples:

    `ligament generate examples/perception --variant fused`

    `ligament generate graph.yaml --mapping edited.json`
    """
    result = generated(Request(graph_path(graph), variant, platform, out, mapping))
    if json:
        print_json(json_module.loads(result.manifest.read_text(encoding="utf-8")))
        return
    count = len(result.changed)
    what = f"{count} file{'s' * (count != 1)} changed" if count else "nothing changed"
    print(f"{result.manifest}: {what}")
