# SPDX-License-Identifier: Apache-2.0
"""The moves of a run: one at a time, into a container of its own or into a slot of a shell.

Who starts and watches containers is the supervisor; this keeps what moves change of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ligament.run.moving import (
    Move,
    MoveError,
    MoveWish,
    adopt,
    config_for_shell,
    forget,
    give,
    spec_of_moved,
    take,
)
from ligament.run.outcome import Observer, now_ns
from ligament.run.process import ContainerProcess, ContainerSpec
from ligament.run.status import StatusBoard

# By then the two containers have given up by themselves (move_times.hpp).
_PATIENCE_S = 120.0


class Keeper(Protocol):
    """Who starts containers, watches them and decides what their end means."""

    board: StatusBoard

    @property
    def alive(self) -> Mapping[str, ContainerProcess]:
        """Those that run, by name."""

    @property
    def specs(self) -> list[ContainerSpec]:
        """All that were started."""

    @property
    def observer(self) -> Observer:
        """Who is told."""

    @property
    def is_stopping(self) -> bool:
        """Whether the run is at its end."""

    def begin(self, spec: ContainerSpec, life: Coroutine[Any, Any, None]) -> None:
        """Run the life of one more container."""

    async def live_taking(self, spec: ContainerSpec, taking: socket.socket) -> Any:
        """Live once, beginning with the node that comes over that socket."""

    async def keep_from(self, spec: ContainerSpec, life: Any) -> None:
        """Keep it, now that its first life was this one."""

    def arrived(self, spec: ContainerSpec) -> None:
        """Expect from now on that it lives."""

    def is_empty(self, spec: ContainerSpec) -> None:
        """Expect no more of it: it has no nodes."""


@dataclass
class _Coming:
    """A node on its way, and where it goes."""

    node: str
    container: str
    is_new: bool
    gap_ns: asyncio.Future[int]

    def fail(self, error: MoveError) -> None:
        if not self.gap_ns.done():
            self.gap_ns.set_exception(error)


class Moves:
    """Those of one run."""

    def __init__(self, keeper: Keeper) -> None:
        self.made: list[Move] = []
        self._keeper = keeper
        self._coming: _Coming | None = None

    async def move(self, wish: MoveWish) -> Move:
        """Move a node; MoveError, and nothing has changed."""
        old = self._container_of(wish.node)
        if old.control is None or not old.ready or self._keeper.is_stopping:
            raise MoveError(f"'{wish.node}' cannot move: {old.spec.called} takes no such request")
        if self._coming is not None:
            raise MoveError("another node moves just now; ask again when it has arrived")
        shell = self._shell_for(wish, old)
        if shell is None:
            return await self._into_new(old, wish)
        return await self._into_shell(old, shell, wish)

    def is_new(self, container: str) -> bool:
        """Whether it was started for a node that has not arrived."""
        coming = self._coming
        return coming is not None and coming.is_new and coming.container == container

    def is_coming(self, node: str | None, container: str) -> bool:
        """Whether what the container says of the node is of one that has not arrived."""
        coming = self._coming
        here = coming is not None and coming.container == container
        return here and (self.is_new(container) or (coming is not None and coming.node == node))

    def arrive(self, container: str, how: int | MoveError) -> None:
        """A container tells how a move to it went: the gap in ns, or why the node stays."""
        coming = self._coming
        if coming is None or coming.container != container or coming.gap_ns.done():
            return
        if isinstance(how, MoveError):
            coming.fail(how)
        else:
            coming.gap_ns.set_result(how)

    # --- where it goes ----------------------------------------------------------------------------

    def _container_of(self, node: str) -> ContainerProcess:
        for container in self._keeper.alive.values():
            if node in container.spec.nodes and not self.is_new(container.spec.name):
                return container
        raise MoveError(f"there is no running node '{node}' on this host")

    def _shell_for(self, wish: MoveWish, old: ContainerProcess) -> ContainerProcess | None:
        """The container of the shell whose slot is asked for; None: there is none yet."""
        if not wish.shell:
            return None
        for container in self._keeper.alive.values():
            if container.spec.shell != wish.shell:
                continue
            held = {slot: node for node, slot in container.spec.slots.items()}
            if wish.device in held:
                raise MoveError(
                    f"the slot {wish.device} holds '{held[wish.device]}': move that one first"
                )
            if container is old:
                raise MoveError(
                    f"'{wish.node}' is in another slot of {wish.shell}: move it to a processor "
                    "first, as one process holds a node once"
                )
            if container.control is None or not container.ready:
                raise MoveError(f"{container.spec.called}, which has the slot, is not ready")
            return container
        return None

    @contextlib.contextmanager
    def _on_its_way(self, node: str, container: str, is_new: bool) -> Iterator[_Coming]:
        arrival = asyncio.get_running_loop().create_future()
        self._coming = _Coming(node, container, is_new, arrival)
        try:
            yield self._coming
        finally:
            if arrival.done() and not arrival.cancelled():
                arrival.exception()  # it may be that nobody waited for it any more
            self._coming = None

    async def _into_new(self, old: ContainerProcess, wish: MoveWish) -> Move:
        spec = spec_of_moved(old.spec, wish, {one.name for one in self._keeper.specs})
        with self._on_its_way(wish.node, spec.name, is_new=True) as coming:
            theirs = _asked(old, wish)
            self._keeper.begin(spec, self._keep(spec, theirs))
            try:
                gap = await asyncio.wait_for(asyncio.shield(coming.gap_ns), _PATIENCE_S)
            except TimeoutError:
                late = MoveError(f"{spec.called} did not take '{wish.node}' in time: killed")
                coming.fail(late)
                if spec.name in self._keeper.alive:
                    self._keeper.alive[spec.name].kill()
                raise late from None
        return self._moved(old, spec, wish, gap)

    async def _into_shell(
        self, old: ContainerProcess, shell: ContainerProcess, wish: MoveWish
    ) -> Move:
        path = config_for_shell(old.spec, shell.spec, wish)
        with self._on_its_way(wish.node, shell.spec.name, is_new=False) as coming:
            theirs = _asked(old, wish)
            with theirs:
                take(shell.control, wish.node, path, theirs)
            try:
                gap = await asyncio.wait_for(asyncio.shield(coming.gap_ns), _PATIENCE_S)
            except TimeoutError:
                raise MoveError(f"{shell.spec.called} did not take '{wish.node}' in time") from None
        adopt(shell.spec, path)
        shell.spec.nodes.append(wish.node)
        shell.spec.wishes = {**shell.spec.wishes, **_wish_of(old.spec, wish.node)}
        shell.spec.on_failure = _strictest(shell.spec)
        return self._moved(old, shell.spec, wish, gap)

    async def _keep(self, spec: ContainerSpec, taking: socket.socket) -> None:
        """As any container, once the node has arrived; before that, its end is nobody's."""
        coming = self._coming
        life = await self._keeper.live_taking(spec, taking)
        if coming is not None and _has_arrived(coming):
            await self._keeper.keep_from(spec, life)

    # --- what it changes --------------------------------------------------------------------------

    def _moved(self, old: ContainerProcess, spec: ContainerSpec, wish: MoveWish, gap: int) -> Move:
        """Take note of it; a container that is left without nodes has no more to do."""
        move = Move(wish.node, old.spec.name, spec.name, wish.device, now_ns(), gap)
        self.made.append(move)
        old.spec.nodes.remove(wish.node)
        old.spec.slots.pop(wish.node, None)
        if wish.shell:
            spec.slots[wish.node] = wish.device
        forget(old.spec, wish.node)
        if old.spec.shell:
            old.spec.on_failure = _strictest(old.spec)
        board = self._keeper.board
        figures = board.nodes[wish.node]
        figures.restarted()
        figures.container = spec.name
        figures.ready(move.at_ns)
        board.set_state(spec.name, "running")
        self._keeper.arrived(spec)
        text = f"{wish.node} moved from {move.source} to {move.container}, gap {gap / 1e6:.2f} ms"
        self._keeper.observer.note(text)
        if not old.spec.nodes:
            self._keeper.is_empty(old.spec)
            if not old.spec.shell:  # a shell stays for the next exchange
                old.stop()
        return move


def _strictest(spec: ContainerSpec) -> str:
    """What a shell's end means: what the strictest of its nodes wants; nothing to an empty one."""
    wishes = {spec.wishes.get(node, spec.on_failure) for node in spec.nodes}
    return next((wish for wish in ("stop", "restart") if wish in wishes), "continue")


def _asked(old: ContainerProcess, wish: MoveWish) -> socket.socket:
    """Ask for the node; the end of a pair for who shall take it."""
    ours, theirs = socket.socketpair()
    with ours:
        try:
            give(old.control, wish, ours)
        except MoveError:
            theirs.close()
            raise
    return theirs


def _has_arrived(coming: _Coming) -> bool:
    future = coming.gap_ns
    return future.done() and not future.cancelled() and future.exception() is None


def _wish_of(old: ContainerSpec, node: str) -> dict[str, str]:
    return {node: old.wishes[node]} if node in old.wishes else {}
