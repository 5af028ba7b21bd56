# SPDX-License-Identifier: Apache-2.0
"""`ligament bench agent`: its rows from what its program tells."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.bench import agent


def test_rate_and_latency_become_rows_and_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(what: str, passes: int, samples: int = 1) -> Any:
        if what == "drain":
            return {"agent_ns": [300.0 * samples] * passes, "bare_ns": [200.0] * passes}
        return {"agent_ns": [20_000] * passes, "udp_ns": [5000] * passes}

    monkeypatch.setattr(agent, "ask", told)
    result = agent.measure(True)
    rows = {(r["metric"], r["peer"], r["params"].get("samples_per_datagram")): r
            for r in result.rows}  # fmt: skip
    assert rows["time per datagram", "ligament", 1]["p50"] == 300
    assert rows["time per datagram", agent.RECEIVING, 4]["p50"] == 200
    assert rows["samples per second", "ligament", 4]["p50"] == pytest.approx(4e9 / 1200)
    found = {(c["metric"], c["kind"], c["params"].get("samples_per_datagram")) for c in
             result.comparisons}  # fmt: skip
    assert ("time per datagram", "ratio", 4) in found
    assert ("latency", "difference", None) in found
