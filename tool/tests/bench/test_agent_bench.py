# SPDX-License-Identifier: Apache-2.0
"""`ligament bench agent`: its rows from what its program tells."""

from __future__ import annotations

from typing import Any

import pytest

from ligament.bench import agent
from ligament.bench.goals import lines_of


def test_rate_and_latency_become_rows_and_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(what: str, passes: int, *words: str, samples: int = 1) -> Any:
        if what == "drain":
            return {"agent_ns": [300.0 * samples] * passes, "bare_ns": [200.0] * passes}
        late = 30_000 if words == ("--spin", "0") else 20_000
        return {"agent_ns": [late] * passes, "udp_ns": [5000] * passes}

    monkeypatch.setattr(agent, "ask", told)
    monkeypatch.setattr(
        agent, "bytes_copied", lambda passes: 7 + passes * agent.BURST * 2 * agent.COPIED_BYTES
    )
    result = agent.measure(True)
    assert result.failures == []
    rows = {(r["metric"], r["peer"], r["params"].get("samples_per_datagram")): r
            for r in result.rows}  # fmt: skip
    assert rows["time per datagram", "ligament", 1]["p50"] == 300
    assert rows["time per datagram", agent.RECEIVING, 4]["p50"] == 200
    assert rows["samples per second", "ligament", 4]["p50"] == pytest.approx(4e9 / 1200)
    found = {(c["metric"], c["kind"], c["params"].get("samples_per_datagram")) for c in
             result.comparisons}  # fmt: skip
    assert ("time per datagram", "ratio", 4) in found
    assert ("latency", "difference", None) in found
    late = {r["params"]["agent"]: r["p50"] for r in result.rows
            if (r["metric"], r["peer"]) == ("latency", "ligament")}  # fmt: skip
    assert late == {"sleeps": 30_000, "spins": 20_000}
    assert rows["copies", "ligament", None]["p50"] == 2.0
    verdicts = {line.what: line.verdict for line in lines_of(agent.FIGURES, vars(result))}
    assert verdicts["copies of a sample of 300 B in the agent"] == "missed"
    assert len(verdicts) == 9
