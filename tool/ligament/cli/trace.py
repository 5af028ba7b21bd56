# SPDX-License-Identifier: Apache-2.0
"""`ligament trace`: the sixth stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.common import JsonOption, print_json
from ligament.trace.stage import trace_run

RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN_DIR", help="The folder of a run that was made with --trace.")
]


def trace(run: RunArgument, json: JsonOption = False) -> None:
    """Turn the recording of a run into one event table (events.parquet), on one clock.

    Also writes timeline.json, which ui.perfetto.dev shows.

    Example: `ligament trace build/perception/processes/runs/20260101-120000`
    """
    traced = trace_run(run)
    conversion = traced.conversion
    if json:
        print_json(
            {
                "table": str(conversion.path),
                "timeline": str(traced.timeline),
                "events": conversion.events,
                "discarded_events": conversion.discarded_events,
                "discarded_packets": conversion.discarded_packets,
                "foreign_events": conversion.foreign_events,
            }
        )
        return
    lost = conversion.discarded_events + conversion.discarded_packets + conversion.unknown_losses
    print(f"{conversion.events} events, {lost} lost: {conversion.path}")
    print(f"timeline for ui.perfetto.dev: {traced.timeline}")
