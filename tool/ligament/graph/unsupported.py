# SPDX-License-Identifier: Apache-2.0
"""Quality of service that can be written down but has no effect yet: refused, or warned about.

What would change results if it were taken for granted is refused (`keep_all`, whose back-pressure
does not exist). What only adds a guarantee is matched between the two ends, as in DDS, and the
user is told that nothing watches over it.
"""

from __future__ import annotations

from collections.abc import Mapping

from ligament.errors import Location, Problem
from ligament.graph.model import Topic
from ligament.graph.qos import QoS

UNENFORCED = {
    "deadline_ms": 0,
    "lifespan_ms": 0,
    "liveliness": "automatic",
    "liveliness_lease_ms": 0,
}
"""Field to the value that asks for nothing."""


def history_problem(node: str, port: str, qos: QoS, at: Location | None) -> Problem | None:
    """Return why a port's history cannot be had, or None."""
    if qos.history != "keep_all":
        return None
    return Problem(
        "qos-unsupported",
        f"port '{port}' of '{node}' asks for history keep_all, which does not exist yet: "
        "keep_all comes with back-pressure",
        at,
        expected="history: keep_last",
        hint="use keep_last with a depth",
    )


def unenforced(topics: Mapping[str, Topic]) -> list[str]:
    """Return a warning per topic some of whose ends ask for what nothing enforces yet."""
    warnings = []
    for topic in topics.values():
        asked: dict[str, set[str]] = {}
        for end in topic.ends:
            for name, nothing in UNENFORCED.items():
                if getattr(end.qos, name) != nothing:
                    asked.setdefault(name, set()).add(end.node)
        for name, nodes in asked.items():
            who = ", ".join(f"'{node}'" for node in sorted(nodes))
            # Both ends of a topic never agree on a lifespan: it is the publisher's alone.
            state = "is" if name == "lifespan_ms" else "is matched, but"
            warnings.append(f"{name} of '{topic.id}' (asked for by {who}) {state} not enforced yet")
    return warnings
