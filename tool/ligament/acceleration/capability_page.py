# SPDX-License-Identifier: Apache-2.0
"""Results of the conformance suite: a file of them, and the page that is made of it."""

from __future__ import annotations

import datetime
import platform as machine
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ligament import __version__
from ligament.acceleration.capabilities import CAPABILITIES, YES, Capability, Verdict
from ligament.acceleration.claims import NONE, TESTED, Claim, standing
from ligament.acceleration.manifest import Platform
from ligament.artefacts import write_json, write_text
from ligament.graph.loader import read_document

SCHEMA = "ligament/capabilities/1"
_HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
# Capabilities

*For people who choose a platform: after this page you know what was tested of each.*

Made by `colcon acceleration conformance PLATFORM --results FILE`. The evidence of each cell is in
[{name}]({name}), the rules in
[conformance.md](../../spec/platform/conformance.md). The list is that of REP-2008's draft. FPGAs
are simulated, microcontrollers emulated: no row was tested on a board.

| cell | means |
|---|---|
| tested | it ran, and its result was right; with `*` the platform claims it, too |
| tested, in 3.v.a, c, d | files and image were read back; that they start is not tested |
| claimed | the platform claims it, and no test here can show it |
| contradicted | the platform claims it, and a test found otherwise |
| no | it does not, or nothing does it |
| not here | the machine lacked what it needs |
| board | what needs no board was right; the rest only the board shows |

"""


def rows_of(
    capabilities: Sequence[Capability], verdicts: Mapping[str, Verdict], claims: Mapping[str, Claim]
) -> list[dict[str, Any]]:
    """Return the rows of a result, in the draft's order."""
    return [
        {
            "name": c.name,
            "number": c.number,
            "text": c.text,
            "claimed": c.name in claims,
            **({"on_board": claims[c.name].on_board} if _on_board(claims.get(c.name)) else {}),
            "standing": standing(claims.get(c.name), verdicts[c.name]),
            "state": verdicts[c.name].state,
            "evidence": verdicts[c.name].evidence,
            "ran": list(verdicts[c.name].ran),
        }
        for c in capabilities
    ]


def _on_board(claim: Claim | None) -> bool:
    return claim is not None and bool(claim.on_board)


def cell_of(row: Mapping[str, Any]) -> str:
    """Return what the table says of a row: its standing, or what was found where nobody claims.

    Rows of earlier tools have no standing: it follows from the state.
    """
    stands = row.get("standing", TESTED if row["state"] == YES else NONE)
    if stands == NONE:
        return str(row["state"])
    star = " *" if stands == TESTED and row["claimed"] else ""
    return f"{stands}{star}"


def results_in(path: Path) -> dict[str, Any]:
    """Return the results of a file by platform, none if it is not there; InputError: no results."""
    if not path.exists():
        return {}
    return dict(read_document(path, "capabilities").data["platforms"])


def add_results(path: Path, platform: Platform, rows: list[dict[str, Any]]) -> None:
    """Put a platform's rows in place of its former ones; write the page beside the file."""
    platforms = results_in(path)
    kept = {row["name"]: row for row in platforms.get(platform.name, {}).get("rows", ())}
    kept |= {row["name"]: row for row in rows}
    order = [c.name for c in CAPABILITIES]
    platforms[platform.name] = {
        "version": platform.document.get("version", __version__),
        "tested": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{machine.system()} {machine.machine()}",
        "rows": sorted(kept.values(), key=lambda row: order.index(row["name"])),
    }
    ordered = {name: platforms[name] for name in sorted(platforms)}
    document = {"schema": SCHEMA, "tool": __version__, "platforms": ordered}
    write_json(path, document)
    write_text(path.with_suffix(".md"), page(document, path.name))


def page(document: Mapping[str, Any], name: str) -> str:
    """Return the page of a file of results: a row per capability, a column per platform."""
    platforms = document["platforms"]
    told = {p: {row["name"]: cell_of(row) for row in platforms[p]["rows"]} for p in platforms}
    lines = [
        "| | capability | " + " | ".join(f"`{p}`" for p in platforms) + " |",
        "|---|---|" + "---|" * len(platforms),
    ]
    for capability in CAPABILITIES:
        cells = " | ".join(told[p].get(capability.name, "") for p in platforms)
        lines.append(f"| {capability.number} | {capability.text} | {cells} |")
    return _HEAD.format(name=name) + "\n".join(lines) + "\n"
