# SPDX-License-Identifier: Apache-2.0
"""Spans of Python programs: named work and values with it, on the timeline of a traced run.

    from ligament.span import Spans

    spans = Spans("/tracker")                              # the node whose work it is

    @spans.spanned("decode")
    def decode(image): ...

    with spans.span("track", lambda: {"points": len(points)}) as span:
        inliers = track(points)
        span.finish(lambda: {"inliers": len(inliers)})     # else it ends with the block

The counterpart of `ligament/span.hpp`: the events go through the same provider object. A process is
recorded where its environment says so (`ligament trace env RUN_DIR`). Elsewhere a span is one and
the same idle object, and functions that tell values are never called.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from ligament.graph.names import name_hash
from ligament.trace.hooks import PROVIDER_VARIABLE, is_loaded, load_hooks

CATEGORIES = ("compute", "copy", "serialise")
LONGEST_NAME = 63
"""Longer names are cut, as in C++."""

Values = Callable[[], Mapping[str, float]]
P = ParamSpec("P")
R = TypeVar("R")


class Span:
    """A span that is not recorded. The base of the one that is."""

    def finish(self, tell: Values | None = None) -> None:
        """The work is done; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()


_IDLE = Span()


class Spans:
    """The spans of one node, named by its id (`/name` or `/namespace/name`)."""

    def __init__(self, node: str) -> None:
        self._recorder = _recorder()
        self._node = name_hash(node)
        if self._recorder is not None:
            self._recorder.tell_node(self._node, node)

    def span(self, name: str, tell: Values | None = None, *, category: str = "compute") -> Span:
        """Begin a span; use it as a context, or call finish() on the thread that began it."""
        if self._recorder is None:
            return _IDLE
        if category not in CATEGORIES:
            raise ValueError(f"a span's category is one of {', '.join(CATEGORIES)}, not {category}")
        return _Recorded(self._recorder, self._node, name, category, tell)

    def spanned(
        self, name: str | None = None, *, category: str = "compute"
    ) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Make each call of a function a span; its name is the function's unless one is given."""

        def decorate(function: Callable[P, R]) -> Callable[P, R]:
            if self._recorder is None:
                return function
            given = name or function.__name__

            @functools.wraps(function)
            def call(*words: P.args, **named: P.kwargs) -> R:
                with self.span(given, category=category):
                    return function(*words, **named)

            return call

        return decorate


class _Recorded(Span):
    def __init__(
        self, recorder: _Recorder, node: int, name: str, category: str, tell: Values | None
    ) -> None:
        self._recorder = recorder
        self._handle = recorder.begin(node, name, category)
        self._open = True
        self._tell(tell)

    def finish(self, tell: Values | None = None) -> None:
        if self._open:
            self._open = False
            self._tell(tell)
            self._recorder.hooks.span_end(self._handle)

    def _tell(self, tell: Values | None) -> None:
        for name, value in tell().items() if tell is not None else ():
            self._recorder.tell(self._handle, name, float(value))


class _Recorder:
    """The provider object's functions, and which names were told already."""

    def __init__(self, hooks: Any) -> None:
        self.hooks = hooks
        self._handles: dict[tuple[int, str], int] = {}
        self._lock = threading.Lock()

    def tell_node(self, handle: int, name: str) -> None:
        self.hooks.node_init(handle, name.encode())

    def begin(self, node: int, name: str, category: str) -> int:
        handle = self._handle(
            node, name, lambda own: self.hooks.span_name(own, node, _cut(name), category.encode())
        )
        self.hooks.span_begin(handle, 0, 0)
        return handle

    def tell(self, span: int, name: str, value: float) -> None:
        argument = self._handle(
            span, name, lambda own: self.hooks.value_name(own, span, _cut(name))
        )
        self.hooks.span_value(argument, value)

    def _handle(self, owner: int, name: str, introduce: Callable[[int], None]) -> int:
        known = self._handles.get((owner, name))
        if known is None:
            known = name_hash(name, owner) or 1
            with self._lock:
                if (owner, name) not in self._handles:
                    introduce(known)
                    self._handles[owner, name] = known
        return known


@functools.cache
def _recorder() -> _Recorder | None:
    """The recorder of this process; None where nothing records it."""
    path = os.environ.get(PROVIDER_VARIABLE)
    if not path:
        return None
    is_ours = is_loaded(path)  # by a container that this Python runs in, which told who it is
    recorder = _Recorder(load_hooks(path))
    if not is_ours:
        program = Path(sys.argv[0]).name or "python"
        run = os.environ.get("LIGAMENT_RUN_ID", "")
        recorder.hooks.process_start(os.getpid(), run.encode(), b"", b"", program.encode())
    return recorder


def _cut(name: str) -> bytes:
    return name.encode()[:LONGEST_NAME]
