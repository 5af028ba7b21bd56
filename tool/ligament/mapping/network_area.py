# SPDX-License-Identifier: Apache-2.0
"""Cells that a topic's network takes."""

from __future__ import annotations

from collections.abc import Mapping

from ligament.graph.model import Topic
from ligament.mapping.model import Stream


def network_area(
    stream: Stream, topic: Topic, hardware_nodes: frozenset[str], family: str
) -> Mapping[str, float]:
    """Return LUTs, flip-flops and block RAMs of a network; empty for a family without figures."""
    return {}
