# SPDX-License-Identifier: Apache-2.0
"""The layers of an rclcpp system that a message passes between two nodes.

    rclcpp_publish | rcl_publish | rmw_publish ... next event | ... wake-up | execute | rmw_take
        rclcpp     |     rcl     |         rmw                |   between   | rclcpp  |  rmw

`rmw` on the publishing side is an upper bound: the middleware does not tell when it is done, only
the thread's next event does. Where the publishing thread is in no callback, nothing bounds it, and
its time is part of `between`. While the taking thread is in a callback, it is waiting time and
belongs to no layer. A message in a ring buffer passes rclcpp alone, and `between` is the wake-up;
where one thread publishes and takes, nobody is woken, and that is rclcpp too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]


@dataclass(frozen=True)
class Way:
    """Per message, in order of time: when it passed from layer to layer."""

    begin: Times
    rcl: Times
    send: Times
    visible: Times
    ready: Times
    execute: Times
    take: Times

    @staticmethod
    def of(table: dict[str, Any], k: int, begin: Times, visible: Times, take: Times) -> Way:
        """The way over hop k; a time that is not known is that of the step after it."""
        execute = _known(table[f"take_execute_{k}"], take)
        ready = _known(table[f"take_ready_{k}"], execute)
        # An execute that is older than the last look for work was of another callback.
        execute = np.where(execute < ready, take, execute)
        # A ring buffer is read without an execute event.
        execute = np.where(table[f"take_intra_{k}"] == 1, take, execute)
        send = np.clip(table[f"pub_end_{k}"], begin, visible)
        rcl = np.clip(_known(table[f"pub_rcl_{k}"], send), begin, send)
        ready = np.clip(ready, visible, take)
        return Way(begin, rcl, send, visible, ready, np.clip(execute, ready, take), take)


def _known(times: Times, otherwise: Times) -> Times:
    return np.where(times > 0, times, otherwise)


def split_layers(
    way: Way, same_thread: NDArray[np.bool_], busy: Callable[[Times, Times], Times]
) -> dict[str, Times]:
    """Time in each layer. `busy`: how long the taking thread was in callbacks between two times."""

    def idle(low: Times, high: Times) -> Times:
        return high - low - busy(low, high)

    between = idle(way.visible, way.ready)
    own = np.where(same_thread, between, 0)
    return {
        "rclcpp": way.rcl - way.begin + idle(way.ready, way.execute) + own,
        "rcl": way.send - way.rcl,
        "rmw": way.visible - way.send + idle(way.execute, way.take),
        "between": between - own,
    }


def add_taken(layers: dict[str, Times], rcl_take: Times, take: Times, rest: Times) -> None:
    """Add what passes between the take and the callback: rcl up to its event, then rclcpp."""
    rcl = np.clip(np.where(rcl_take > 0, rcl_take - take, 0), 0, rest)
    layers["rcl"] = layers["rcl"] + rcl
    layers["rclcpp"] = layers["rclcpp"] + rest - rcl
