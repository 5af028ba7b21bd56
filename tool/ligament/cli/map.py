# SPDX-License-Identifier: Apache-2.0
"""`ligament map`: the second stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import graph_folder, variant_folder, write_json
from ligament.cli.common import (
    Chosen,
    GraphArgument,
    JsonOption,
    graph_path,
    platform_here,
    print_json,
    warn,
    warn_of,
    with_chosen,
)
from ligament.errors import InputError, Problem
from ligament.graph import load_graph
from ligament.mapping import installed, load_platform, planned
from ligament.mapping.costs import Costs
from ligament.mapping.elsewhere import map_or_tell
from ligament.mapping.explain import explain
from ligament.mapping.files import load_costs

Optimise = Annotated[
    bool, typer.Option("--optimise", help="Choose the devices of nodes by their costs.")
]
CostsOption = Annotated[
    list[Path] | None,
    typer.Option("--costs", metavar="FILE", help="A report.json or costs.json; may be repeated."),
]
All = Annotated[bool, typer.Option("--all", help="Map every variant of the graph.")]
Plan = Annotated[
    bool,
    typer.Option(
        "--plan",
        help="Map on paper: also with back-ends that are not installed, and nodes to a device that "
        "they have no implementation for yet, where the graph asks for it.",
    ),
]


@with_chosen
def map_(
    chosen: Chosen,
    graph: GraphArgument = ".",
    all_variants: All = False,
    plan: Plan = False,
    optimise: Optimise = False,
    costs: CostsOption = None,
    json: JsonOption = False,
) -> None:
    """Map nodes to devices and topics to transports; every choice says why.

    Writes graph.json and mapping.json. A mapping.json written by hand enters at `generate`. With
    --optimise the devices are those that give the shortest way through the graph within the
    budgets; before and after are shown, and the costs are written to costs.json.

    Examples:

    `ligament map examples/perception --variant one_process`

    `ligament map graph.yaml --platform fpga_sim --plan`

    `ligament map graph.yaml -p fpga_sim --optimise --costs software.json --costs hardware.json`
    """
    path = graph_path(graph)
    checked = load_graph(path)
    target = load_platform(chosen.platform or platform_here(path))
    backends = planned() if plan else installed()
    names = sorted(checked.variants) if all_variants else [chosen.variant]
    write_json(graph_folder(checked.name, chosen.out) / "graph.json", checked.to_json())
    warn_of(checked)
    measured = _costs(optimise, costs or [])
    if measured is not None:
        write_json(graph_folder(checked.name, chosen.out) / "costs.json", measured.to_json())
    for name in names:
        if measured is None:
            mapping = map_or_tell(checked, target, name, backends)
        else:
            from ligament.mapping.optimise import optimise as best  # noqa: PLC0415 - rarely wanted

            mapping = best(checked, target, measured, name, backends)
        warn(tuple(w for w in mapping.warnings if w not in checked.warnings))
        write_json(
            variant_folder(checked.name, mapping.variant, chosen.out) / "mapping.json",
            mapping.to_json(),
        )
        if json:
            print_json(mapping.to_json())
        else:
            print("\n".join(explain(mapping)))


def _costs(wanted: bool, files: list[Path]) -> Costs | None:
    """Read the costs that the optimiser is to choose by; None where it is not asked for."""
    if wanted and files:
        return load_costs(files)
    if wanted or files:
        given, missing = ("--optimise", "--costs FILE") if wanted else ("--costs", "--optimise")
        raise InputError(
            Problem(
                "optimise-costs",
                f"{given} without {missing}",
                expected="both: nodes are placed by what they cost",
                hint="run and report the variants that are to be compared: their report.json",
            )
        )
    return None
