# SPDX-License-Identifier: Apache-2.0
"""`ligament map`: the second stage."""

from __future__ import annotations

from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT, graph_folder, variant_folder, write_json
from ligament.cli.common import (
    GraphArgument,
    JsonOption,
    OutOption,
    PlatformOption,
    VariantOption,
    graph_path,
    print_json,
    warn,
)
from ligament.graph import load_graph
from ligament.mapping import installed, load_platform, map_graph, planned
from ligament.mapping.explain import explain

All = Annotated[bool, typer.Option("--all", help="Map every variant of the graph.")]
Plan = Annotated[
    bool, typer.Option("--plan", help="Map on paper: also with back-ends that are not installed.")
]


def map_(
    graph: GraphArgument = ".",
    variant: VariantOption = None,
    platform: PlatformOption = "host",
    all_variants: All = False,
    plan: Plan = False,
    out: OutOption = DEFAULT_OUT,
    json: JsonOption = False,
) -> None:
    """Map nodes to devices and topics to transports; every choice says why.

    Writes graph.json and mapping.json. A mapping.json written by hand enters at `generate`.

    Examples:

    `ligament map examples/perception --variant one_process`

    `ligament map graph.yaml --platform platforms/kv260/platform.yaml --plan`
    """
    checked = load_graph(graph_path(graph))
    target = load_platform(platform)
    backends = planned() if plan else installed()
    names = sorted(checked.variants) if all_variants else [variant]
    write_json(graph_folder(checked.name, out) / "graph.json", checked.to_json())
    warn(checked.warnings)
    for name in names:
        mapping = map_graph(checked, target, name, backends)
        warn(tuple(w for w in mapping.warnings if w not in checked.warnings))
        write_json(
            variant_folder(checked.name, mapping.variant, out) / "mapping.json", mapping.to_json()
        )
        if json:
            print_json(mapping.to_json())
        else:
            print("\n".join(explain(mapping)))
