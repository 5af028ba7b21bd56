# SPDX-License-Identifier: Apache-2.0
"""`ligament bench messages`: benchmarks/messages/README.md says what and how."""

from __future__ import annotations

from ligament.bench.goals import Figures, Goal
from ligament.bench.measuring import Row, program, rows_of

#: What each takes over a copy of the same bytes.
FIGURES = Figures(
    goals=tuple(
        Goal(f"{{message}}, {{size}}: {metric}", f"{metric}_to_memcpy", 1.2)
        for metric in ("view", "builder", "serialize", "deserialize")
    ),
    results={"messages": "each operation over a memcpy of the same bytes"},
)


def measure(quick: bool) -> list[Row]:
    """Run the program."""
    return rows_of([str(program("ligament-bench-messages")), *(["--quick"] if quick else [])])
