# SPDX-License-Identifier: Apache-2.0
"""Who has become ready, in words, and once: all containers, and the edges."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ligament.run.process import ContainerSpec


class Readiness:
    """Told of all who are ready, it says what is new. Containers do not wait for their edges."""

    def __init__(self, specs: Iterable[ContainerSpec]) -> None:
        every = list(specs)
        self._containers = {s.name for s in every if not (s.auxiliary or s.external)}
        self._edges = {spec.name for spec in every if spec.auxiliary}
        networks = sorted({spec.network for spec in every if spec.network})
        self._network = f" ({', '.join(networks)})" if networks else ""
        self._containers_told = not self._containers
        self._edges_told = not self._edges

    def news(self, ready: Collection[str]) -> str:
        """One sentence once all containers are ready, one once the edges are too; else nothing."""
        told = []
        if not self._containers_told:
            if not self._containers.issubset(ready):
                return ""
            self._containers_told = True
            told.append(_all("container", len(self._containers)))
        where = ""
        if not self._edges_told and self._edges.issubset(ready):
            self._edges_told = True
            told.append(_all("edge", len(self._edges)))
            where = self._network
        if not told:
            return ""
        are = "is" if len(told) == 1 and told[0].startswith("the ") else "are"
        return f"{' and '.join(told)} {are} ready{where}"


def _all(what: str, count: int) -> str:
    return f"the {what}" if count == 1 else f"all {count} {what}s"
