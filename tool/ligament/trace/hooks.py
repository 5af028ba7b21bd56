# SPDX-License-Identifier: Apache-2.0
"""The functions of a trace provider object, for Python: which there are, and how they are called.

A process that is recorded may have a Python without the tool's dependencies, such as ROS 2's own.
So a session writes the table of events into a file, which `EVENTS_VARIABLE` names; the file is read
with the standard library alone.
"""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any

PROVIDER_VARIABLE = "LIGAMENT_TRACE_PROVIDER"
"""Path of the provider object; not set where nothing is recorded."""
EVENTS_VARIABLE = "LIGAMENT_TRACE_EVENTS"
"""Path of the table of events; where it is not set, the tool reads its own."""

_ENTRY = "ligament_trace_provider"
_KINDS: dict[str, Any] = {
    "u8": ctypes.c_uint8, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
    "i64": ctypes.c_int64, "f64": ctypes.c_double, "string": ctypes.c_char_p,
}  # fmt: skip


def write_events(path: Path) -> None:
    """Write the table of events for processes that are recorded."""
    path.write_text(json.dumps(_declared()), encoding="utf-8")


def load_hooks(path: str) -> Any:
    """The functions of the provider object at a path, by the names of events."""
    table = _table()
    provider = _provider(ctypes.CDLL(path), table["events"])
    if provider.digest.decode() != table["digest"]:
        raise RuntimeError(
            f"{path} was made from another events.yaml than this tool; build the runtime again"
        )
    return provider.hooks.contents


def is_loaded(path: str) -> bool:
    """Whether something in this process has loaded the provider, and told who it is."""
    try:
        ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return False
    return True


def _table() -> dict[str, Any]:
    path = os.environ.get(EVENTS_VARIABLE)
    if not path:
        return _declared()
    table: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return table


def _declared() -> dict[str, Any]:
    # Imported here: a process that is recorded may lack what it needs.
    from ligament.trace.events import event_set  # noqa: PLC0415
    from ligament.trace.generate_events import digest  # noqa: PLC0415

    events = event_set()
    functions = [[event.name, [field.type for field in event.fields]] for event in events.events]
    return {"digest": digest(events), "events": functions}


def _provider(library: ctypes.CDLL, events: list[Any]) -> Any:
    """What the entry point gives: the table of functions, in the order of events.yaml."""
    functions = [
        (name, ctypes.CFUNCTYPE(None, *(_KINDS[kind] for kind in kinds))) for name, kinds in events
    ]
    hooks = type("Hooks", (ctypes.Structure,), {"_fields_": functions})
    members = [
        ("size", ctypes.c_size_t),
        ("digest", ctypes.c_char_p),
        ("hooks", ctypes.POINTER(hooks)),
    ]
    provider = type("Provider", (ctypes.Structure,), {"_fields_": members})
    entry = getattr(library, _ENTRY)
    entry.restype = ctypes.POINTER(provider)
    return entry().contents
