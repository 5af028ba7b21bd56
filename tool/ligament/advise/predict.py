# SPDX-License-Identifier: Apache-2.0
"""The chain after a change: replays with different draws, and how sure their answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ligament.advise.case import Case
from ligament.advise.changes import Change
from ligament.advise.known import Costs
from ligament.advise.replay import Replay
from ligament.advise.scenario import Scenario, UnknownNodeError, scenario_of
from ligament.advise.waits import Samples, UnknownKindError
from ligament.report.statistics import percentile

ROUNDS = 6
"""Replays of a change, each with draws of its own."""
RESAMPLES = 400
"""Resamples of the latencies, over all replays."""
BLOCK = 10
"""Neighbouring messages that are resampled together."""


@dataclass(frozen=True)
class Figure:
    """A percentile with its interval of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Prediction:
    """What the chain would take."""

    p50: Figure
    p99: Figure
    count: int
    basis: tuple[str, ...] = ()
    cycles: float | None = None


class UnpredictableError(Exception):
    """Something is not known; the text says what, and what to do."""


def predict(case: Case, change: Change, costs: Costs, seed: int = 1) -> Prediction:
    """Replay the run with a change; raise UnpredictableError where a cost is not known."""
    rng = np.random.default_rng(seed)
    costs.used.clear()
    found: list[Samples] = []
    scenario = Scenario(case.work, case.setting)
    try:
        for _ in range(ROUNDS):
            scenario = scenario_of(case, change, costs, rng)
            found.append(latencies(case, scenario, costs, rng))
    except UnknownKindError as error:
        text = f"no run and no table tells the time of {error.kind}"
        raise UnpredictableError(text) from error
    except UnknownNodeError as error:
        raise UnpredictableError(f"no run and no table tells {error}") from error
    if any(len(one) == 0 for one in found):
        raise UnpredictableError("no message of the chain reaches its end in the replay")
    basis = tuple(dict.fromkeys([*scenario.basis, *sorted(costs.used)]))
    return _summed_up(found, rng, basis or ("this run's own times",), scenario.cycles)


def replayed(case: Case, costs: Costs, seed: int = 1) -> Prediction:
    """The run as it was, once more: how far this is off is how far the model is."""
    rng = np.random.default_rng(seed)
    found = latencies(case, Scenario(case.work, case.setting), costs, rng)
    return _summed_up([found], rng, ("this run's own times",), None)


def latencies(case: Case, scenario: Scenario, costs: Costs, rng: np.random.Generator) -> Samples:
    """The chain's latency of each message, in order."""
    times = Replay(scenario.work, scenario.setting, case.measured, costs.draws(rng)).run()
    return np.array(
        [
            times.begin_ns[job] - times.sent_ns[first]
            for first, job in case.ends
            if job in times.begin_ns and first in times.sent_ns
        ],
        dtype=np.float64,
    )


def _summed_up(
    found: Sequence[Samples],
    rng: np.random.Generator,
    basis: tuple[str, ...],
    cycles: float | None,
) -> Prediction:
    figures = []
    for share in (0.5, 0.99):
        drawn = [
            percentile(np.sort(_resampled(one, rng)), share)
            for one in found
            for _ in range(RESAMPLES // len(found))
        ]
        value = float(np.median([percentile(np.sort(one), share) for one in found]))
        wider = _wider(len(found[0]))
        low, high = (value + wider * (float(np.quantile(drawn, q)) - value) for q in (0.025, 0.975))
        least = min(float(one.min()) for one in found)
        figures.append(Figure(value, max(least, min(low, value)), max(high, value)))
    return Prediction(figures[0], figures[1], len(found[0]), basis, cycles)


def _wider(count: int) -> float:
    """How much wider an interval of few blocks has to be: Student's t over the normal's 1.96."""
    freedom = max(3, count // BLOCK - 1)
    return 1 + (2.37 / freedom + 2.8 / freedom**2) / 1.96


def _resampled(values: Samples, rng: np.random.Generator) -> Samples:
    """As many values again, in blocks of neighbours: those depend on each other."""
    size = min(BLOCK, len(values))
    starts = rng.integers(0, len(values), -(-len(values) // size))
    # Round the end: else the first and the last ones would be drawn less often.
    places = (starts[:, None] + np.arange(size)).ravel()[: len(values)] % len(values)
    return np.asarray(values[places], dtype=np.float64)
