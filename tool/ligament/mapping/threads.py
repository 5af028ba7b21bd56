# SPDX-License-Identifier: Apache-2.0
"""How many threads run the callbacks of each container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ligament.errors import Problem, no_such
from ligament.graph.model import Variant
from ligament.mapping.platform import Device


def threads_of(containers: Mapping[str, str], variant: Variant) -> dict[str, int]:
    """Return the threads of those containers that have more than one; `containers`: by node."""
    wished = _wished(containers, variant)
    return {name: wished[name] for name in sorted(wished) if wished[name] > 1}


def thread_problems(
    containers: Mapping[str, str], devices: Mapping[str, Device], variant: Variant
) -> Iterator[Problem]:
    """Yield wishes for containers that do not exist, and for some that cannot have them.

    Kernels of a process share one queue to their device, which their executor's thread feeds.
    """
    known = sorted(set(containers.values()))
    by_name = not isinstance(variant.threads, int)
    wished = _wished(containers, variant)
    for name in sorted(wished):
        at = variant.places.get(("threads", name if by_name else ""), variant.at)
        if name not in known:
            text = f"variant '{variant.name}' has no container '{name}' that could have threads"
            yield no_such("container-unknown", text, name, known, at)
        on_device = sorted(
            f"'{node}' on {devices[node].name}"
            for node, container in containers.items()
            if container == name and devices[node].kind != "cpu"
        )
        if wished[name] > 1 and on_device:
            yield Problem(
                "threads-device",
                f"container '{name}' cannot have {wished[name]} threads: it holds {on_device[0]}, "
                "and kernels of a process are driven by one thread",
                at,
                expected="1 thread for it"
                if by_name
                else "threads by container, which leave this one out",
                hint="give nodes whose callbacks shall run in parallel a container of their own",
            )


def _wished(containers: Mapping[str, str], variant: Variant) -> dict[str, int]:
    if isinstance(variant.threads, int):
        return dict.fromkeys(containers.values(), variant.threads)
    return dict(variant.threads)
