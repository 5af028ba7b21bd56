# SPDX-License-Identifier: Apache-2.0
"""`ligament bench messages`: benchmarks/messages/README.md says what and how."""

from __future__ import annotations

from ligament.bench.framework import Row, program, rows_of


def measure(quick: bool) -> list[Row]:
    """Run the program."""
    return rows_of([str(program("ligament-bench-messages")), *(["--quick"] if quick else [])])
