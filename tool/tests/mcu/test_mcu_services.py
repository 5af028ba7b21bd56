# SPDX-License-Identifier: Apache-2.0
"""A service that a core offers: each request has its answer, as from the processor."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcu_runs import EXAMPLES, ligament, newest_run, require_core

REQUESTS = 300
AHEAD = {"software": 64, "c99": 64, "mcu": 32}
"""Requests that wait at once: more than rings of services hold."""


@pytest.mark.timeout(900)
def test_a_core_answers_as_its_c99_and_as_cpp_do(tmp_path: Path) -> None:
    """Several clients' worth of requests wait at once; none is lost, none is mixed up."""
    require_core()
    told = {}
    for variant, more in (("software", ()), ("c99", ()), ("mcu", ("--trace",))):
        ligament(
            "run", EXAMPLES / "adder", "--variant", variant, "--platform", "mcu_sim",
            "--out", tmp_path, "--set", f"asker.requests={REQUESTS}",
            "--set", f"asker.ahead={AHEAD[variant]}", *more,
        )  # fmt: skip
        told[variant] = (
            newest_run(tmp_path / "adder" / variant) / "outputs" / "asker.txt"
        ).read_text()
    lines = told["mcu"].splitlines()
    assert len(lines) == REQUESTS
    for place, line in enumerate(lines):
        assert line == f"{place} + {1000 * place * place} = {place + 1000 * place * place + 7}"
    assert told["mcu"] == told["c99"] == told["software"]
