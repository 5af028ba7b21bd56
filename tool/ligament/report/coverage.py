# SPDX-License-Identifier: Apache-2.0
"""How much of any time window a thread spent in intervals of one kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]
Numbers = NDArray[Any]


def by_thread(threads: Times, times: Times) -> list[tuple[int, NDArray[np.int64]]]:
    """For each thread the places of its rows, in order of time."""
    if len(threads) == 0:
        return []
    order = np.lexsort((times, threads))
    names, starts = np.unique(threads[order], return_index=True)
    return [
        (int(name), rows) for name, rows in zip(names, np.split(order, starts[1:]), strict=True)
    ]


class Coverage:
    """The time that threads spent inside given, not overlapping intervals.

    `weights`: how much a nanosecond of each interval counts; 1 unless given.
    """

    def __init__(
        self,
        threads: Times,
        begins: Times,
        ends: Times,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        counted: Numbers = np.ones(len(begins), dtype=np.int64) if weights is None else weights
        self._threads: dict[int, tuple[Times, Times, Numbers, Numbers]] = {}
        for name, rows in by_thread(threads, begins):
            begin, end, weight = begins[rows], ends[rows], counted[rows]
            total = np.concatenate(([0], np.cumsum((end - begin) * weight)))
            self._threads[name] = (begin, end, weight, total)

    def __bool__(self) -> bool:
        return bool(self._threads)

    def inside(self, threads: Times, begin: Times, end: Times) -> Times:
        """Nanoseconds of [begin, end] that each row's thread spent inside intervals."""
        result = np.zeros(len(begin), dtype=np.int64)
        for name in np.unique(threads):
            if int(name) in self._threads:
                rows = threads == name
                until = self._until(int(name), np.maximum(begin[rows], end[rows]))
                spent = until - self._until(int(name), begin[rows])
                result[rows] = np.rint(spent).astype(np.int64)
        return result

    def _until(self, name: int, time: Times) -> Numbers:
        begins, ends, weights, total = self._threads[name]
        started = np.searchsorted(begins, time, side="right")
        last = np.maximum(started - 1, 0)
        unfinished = np.where(started > 0, np.maximum(ends[last] - time, 0) * weights[last], 0)
        return np.asarray(total[started] - unfinished)
