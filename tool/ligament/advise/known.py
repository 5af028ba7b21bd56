# SPDX-License-Identifier: Apache-2.0
"""What messages and nodes cost: in this run, in other runs, and in the table of known costs.

    costs.draws(rng)(kind, topic, bytes)     # a time of a message
    costs.node("image/resize", "fpga", 921664)

The table (`known.json`, written by `ligament bench advise`) was measured on another machine. Times
of messages in it are scaled by the kinds that the run knows, too; cycles are as they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ligament.advise.setting import Kind
from ligament.advise.waits import Samples, UnknownKindError

SCHEMA = "ligament/known-costs/1"
TABLE = Path(__file__).parent / "known.json"
P99_SIGMAS = 2.326
"""Standard deviations from the median to the 99th percentile of a normal distribution."""
LEAST_SHARED = 1


@dataclass(frozen=True)
class NodeTime:
    """What a node takes for a message on a kind of device: `cycles` at the device's own clock, or
    samples of nanoseconds."""

    basis: str
    samples_ns: Samples | None = None
    cycles: float | None = None
    around_ns: float = 0.0
    """What the software around a device takes besides."""


@dataclass
class Costs:
    """All that is known, the nearest first: this run's kinds, other runs', the table."""

    own: Mapping[Kind, Samples]
    others: Sequence[tuple[str, Mapping[Kind, Samples]]] = ()
    table: Mapping[str, Any] = field(default_factory=dict)
    nodes: Mapping[tuple[str, str], NodeTime] = field(default_factory=dict)
    """From other runs, by node type and kind of device."""
    used: set[str] = field(default_factory=set)
    """Sentences: what the last predictions were drawn from."""

    def _told_scale(self) -> float:
        """The scale as it is told: the same in each replay."""
        return self._scale(np.random.default_rng(0))

    def draws(self, rng: np.random.Generator) -> Callable[[Kind, str, int], float]:
        """Draw times; each kind's samples are resampled once, as is the table's scale."""
        kept: dict[tuple[Kind, int], Samples] = {}
        scale = self._scale(rng)

        def draw(kind: Kind, _: str, size: int) -> float:
            key = (kind, size)
            if key not in kept:
                samples = self.samples(kind, size, scale)
                kept[key] = samples[rng.integers(0, len(samples), len(samples))]
            return float(kept[key][rng.integers(0, len(kept[key]))])

        return draw

    def samples(self, kind: Kind, size: int, scale: float) -> Samples:
        """Times of a kind, from the nearest source that has it."""
        if kind in self.own:
            self.used.add("this run's messages")
            return self.own[kind]
        for name, pools in self.others:
            if kind in pools:
                self.used.add(f"messages of {name}")
                return pools[kind]
        for likely in (kind, replace(kind, one_core=not kind.one_core)):
            row = _row_of(self.table.get("messages", ()), likely, size)
            if row is not None:
                text = f"the table of known costs, times {self._told_scale():.2g}"
                if likely is not kind:
                    text += f" ({'on any core' if kind.one_core else 'on one core'})"
                self.used.add(text)
                return _spread(row["p50"] * scale, row["p99"] * scale)
        raise UnknownKindError(kind)

    def node(self, node_type: str, device: str, size: int) -> NodeTime | None:
        """What a node of a type takes on a kind of device; None: nobody measured it."""
        found = self.nodes.get((node_type, device))
        if found is not None:
            return found
        rows = [
            row
            for row in self.table.get("nodes", ())
            if row["type"] == node_type and row["device"] == device
        ]
        if not rows or device != "fpga" or size <= 0:
            return None
        row = rows[0]
        per_byte = size / row["bytes"]
        text = f"{row['cycles']:,.0f} cycles for {row['bytes']:,} bytes in the table of known costs"
        return NodeTime(text, None, row["cycles"] * per_byte, row["around_ns"])

    def _scale(self, rng: np.random.Generator) -> float:
        """How this run's times lie to the table's, by what both have; 1 where that is nothing."""
        ratios = []
        for kind, samples in self.own.items():
            row = _row_of(self.table.get("messages", ()), kind, 0) if not kind.topic else None
            if row is not None and row["p50"] > 0:
                drawn = samples[rng.integers(0, len(samples), len(samples))]
                ratios.append(float(np.median(drawn)) / row["p50"])
        ratios = [ratio for ratio in ratios if ratio > 0]
        if len(ratios) < LEAST_SHARED:
            return 1.0
        return float(np.exp(np.mean(np.log(ratios))))


def read_table(path: Path = TABLE) -> dict[str, Any]:
    """The table of known costs; empty where there is none."""
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _row_of(rows: Sequence[Mapping[str, Any]], kind: Kind, size: int) -> dict[str, float] | None:
    """The row of a kind; of several sizes, in between by the size."""
    fitting = sorted(
        (
            row
            for row in rows
            if (row["way"], row["asleep"], row["one_core"])
            == (kind.way, kind.asleep, kind.one_core)
        ),
        key=lambda row: row["bytes"],
    )
    if not fitting:
        return None
    sizes = [row["bytes"] for row in fitting]
    return {
        name: float(np.interp(size, sizes, [row[name] for row in fitting]))
        for name in ("p50", "p99")
    }


def _spread(p50: float, p99: float, count: int = 101) -> Samples:
    """Times with this median and 99th percentile: log-normal, as waits are."""
    if p50 <= 0:
        return np.zeros(1)
    sigma = math.log(max(p99, p50) / p50) / P99_SIGMAS
    shares = (np.arange(count) + 0.5) / count
    return np.asarray(p50 * np.exp(sigma * _normal_quantile(shares)), dtype=np.float64)


def _normal_quantile(shares: Samples) -> Samples:
    """Quantiles of the standard normal distribution, by its logistic approximation's refinement."""
    from statistics import NormalDist  # noqa: PLC0415 - only a table needs it

    normal = NormalDist()
    return np.array([normal.inv_cdf(float(share)) for share in shares])
