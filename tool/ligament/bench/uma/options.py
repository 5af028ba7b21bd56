# SPDX-License-Identifier: Apache-2.0
"""The options of `ligament bench uma`."""

from __future__ import annotations

from dataclasses import dataclass

from ligament.bench.options import option


@dataclass(frozen=True)
class Options:
    """Options of its own."""

    rows: int = option(2000, "Rows of the matrix, and work items.")
    columns: int = option(2048, "Words (4 bytes) in a row.")
    step_us: int = option(
        0,
        "What a step takes without ROS, at most; 0: as long as what ROS-SC adds may be, "
        "for its overhead to reach the paper's least.",
    )
    steps: int = option(100, "Exchanges there and back in a run.")
    runs: int = option(30, "Runs after the warm-up.")
    copied_runs: int = option(0, "Runs of ROS-SC's lines, which take long; 0: as many as others.")
    only: str = option(
        "", "Lines whose title has all these words, e.g. `concurrent ROS-SHM-ZC ZC`."
    )
    full: bool = option(
        False, "Every combination, not only the paper's and UM.", flags="--full/--paper"
    )
    middleware: str = option(
        "dds", "What ROS-SC's messages cross: `dds`, as ROS 2's do, or `pool`, by copies alone."
    )
    asleep: bool = option(
        False, "Let idle processors sleep, as they do where nobody asks otherwise."
    )
    pinned: bool = option(
        False,
        "Keep each worker's thread on a processor, with and without ROS; else the system "
        "places them.",
    )
    published: bool = option(
        False,
        "Add a model of ZC with caches off, by the paper's factors.",
        flags="--published/--measured",
    )
    plots: str = option("", "Folder for a drawing per table.")
