# SPDX-License-Identifier: Apache-2.0
"""The host's end of a deploy: `ligament serve-host FOLDER LEASE_S`, started over ssh.

Requests come on stdin, answers and events go to stdout (spec/run/deploy.md, "The connection").
Whatever ends the connection ends the run: nothing runs here that nobody watches.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from ligament.deploy import needs, whoami
from ligament.deploy.clean import clean, left, note_users
from ligament.deploy.part_run import PartRun
from ligament.deploy.store import File, Store
from ligament.deploy.wire import (
    CHUNK,
    LONGEST_LINE,
    READY,
    Message,
    WireError,
    inner_path,
    line_of,
    message_of,
    size_in,
    text_in,
)
from ligament.disk import as_no_room
from ligament.errors import FailureError, LigamentError


class Inlet:
    """Lines and bytes from a pipe; silence for `lease_s` is its end, as a cut is."""

    def __init__(self, handle: int, lease_s: float) -> None:
        self._handle = handle
        self._lease_s = lease_s
        self._rest = b""

    def line(self) -> bytes:
        """The next line, without its end; empty: there is no more."""
        while b"\n" not in self._rest:
            data = self._more()
            if not data or len(self._rest) > LONGEST_LINE:
                return b""
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def take(self, most: int) -> bytes:
        """Some of the bytes that follow a line, at most so many; raises EOFError at the end."""
        if not self._rest:
            self._rest = self._more()
            if not self._rest:
                raise EOFError
        data, self._rest = self._rest[:most], self._rest[most:]
        return data

    def _more(self) -> bytes:
        readable, _, _ = select.select([self._handle], [], [], self._lease_s)
        return os.read(self._handle, CHUNK) if readable else b""


class Outlet:
    """Lines to a pipe, from several threads; one that takes nothing for `lease_s` is cut."""

    def __init__(self, handle: int, lease_s: float) -> None:
        os.set_blocking(handle, False)
        self._out = os.fdopen(handle, "wb", buffering=0)
        self._lease_s = lease_s
        self._lock = threading.Lock()
        self.is_cut = False

    def send(self, message: Message, payload: Iterable[bytes] = ()) -> None:
        """Send a message and the bytes that belong to it. Once nobody reads, nothing happens."""
        with self._lock:
            if self.is_cut:
                return
            try:
                self._write(line_of(message))
                for data in payload:
                    self._write(data)
            except OSError:
                self.is_cut = True

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [self._out], [], self._lease_s)
            if not ready:
                raise TimeoutError
            view = view[self._out.write(view) or 0 :]


_BUSY_S = 0.25
_SLOW = ("needs", "offer", "put", "tree", "fetch", "forget", "clean")
"""Requests that wait for a lock or a disk. Not `run`: it forks, with no other thread."""


class HostEnd:
    """Answers requests in order until the connection ends."""

    def __init__(self, inlet: Inlet, outlet: Outlet, folder: Path) -> None:
        self._inlet = inlet
        self._outlet = outlet
        self._folder = folder
        self._store = Store(folder)
        self._offered: tuple[str, list[File]] = ("", [])
        self._locked = contextlib.ExitStack()
        self._kept = contextlib.ExitStack()
        self._held: tuple[str, BinaryIO | None] = ("", None)
        self._run: PartRun | None = None

    def serve(self) -> None:
        """Until stdin ends or is silent, or nobody reads what is said."""
        self._outlet.send({"hello": READY})
        with self._kept, self._locked:
            try:
                while (line := self._inlet.line()) and not self._outlet.is_cut:
                    self._answer(message_of(line))
            except (WireError, EOFError) as error:
                self._outlet.send({"event": "broken", "text": str(error) or "cut off"})
            finally:
                if self._run is not None:
                    self._run.end()

    def _answer(self, message: Message) -> None:
        number = size_in(message, "n")
        handlers: dict[str, Callable[[Message], dict[str, Any]]] = {
            "hello": lambda _: whoami.describe(self._folder),
            "clock": lambda _: dict(whoami.clocks()),
            "needs": needs.answer,
            "offer": self._offer,
            "put": self._put,
            "tree": self._tree,
            "run": self._start,
            "stop": self._stop,
            "fetch": self._fetch,
            "forget": self._forget,
            "clean": self._clean,
        }
        do = text_in(message, "do")
        handler = handlers.get(do)
        if handler is None:
            raise WireError(f"there is no request '{do}'")
        try:
            with self._busy() if do in _SLOW else contextlib.nullcontext():
                answer = handler(message)
        except (LigamentError, OSError) as error:
            answer = {"error": str(as_no_room(error, self._folder) or error)}
        self._outlet.send({"to": number, **answer})

    @contextlib.contextmanager
    def _busy(self) -> Iterator[None]:
        """Say again and again that an answer takes time: silence would mean that we are gone."""
        done = threading.Event()

        def tell() -> None:
            while not done.wait(_BUSY_S):
                self._outlet.send({"event": "busy"})

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield
        finally:
            done.set()
            teller.join()

    def _offer(self, message: Message) -> dict[str, Any]:
        tree, files = text_in(message, "tree"), message.get("files")
        if not isinstance(files, list):
            raise WireError("'files' is no list")
        self._locked.enter_context(self._store.locked())
        self._offered = (tree, [File.of(entry) for entry in files])
        missing = self._store.missing(*self._offered)
        return {"missing": missing}

    def _put(self, message: Message) -> dict[str, Any]:
        size = size_in(message)
        left = size

        def read(most: int) -> bytes:
            nonlocal left
            data = self._inlet.take(most)
            left -= len(data)
            return data

        try:
            self._store.put(text_in(message, "digest"), size, read)
        finally:
            while left:  # a full disk: what comes after these bytes is still understood
                read(min(left, CHUNK))
        return {"ok": True}

    def _tree(self, message: Message) -> dict[str, Any]:
        name = text_in(message, "name")
        path = self._store.make(*self._offered, name)
        held = self._hold(path.name)  # before others may remove it
        if held:  # it may hang before its run has started
            note_users(path, os.getpid())
        earlier = left(self._store, name, path.name if held else "")
        self._locked.close()
        return {"path": str(path), "left": earlier}

    def _hold(self, tree: str) -> BinaryIO | None:
        """Keep a tree until the end; None: a run of another deploy has it."""
        if self._held[0] != tree:
            mark = self._kept.enter_context(self._store.in_use(tree))
            if mark is None:
                return None
            self._held = (tree, mark)
        return self._held[1]

    def _start(self, message: Message) -> dict[str, Any]:
        tree = text_in(message, "tree")
        if self._run is not None:
            raise WireError("a part was started already")
        words = message.get("words")
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise WireError("'words' is no list of words")
        variant = inner_path(text_in(message, "variant"))
        build = self._store.path(tree) / variant / "build.json"
        mark = self._hold(tree)
        if mark is None:
            raise FailureError(
                f"this part of the graph runs already from {build.parent}",
                hint="if nobody watches it: the same `ligament deploy` with --clean stops it",
            )
        host = text_in(message, "host")
        self._run = PartRun(build, ["--host", host, *words], self._outlet.send, mark.fileno())
        note_users(self._store.path(tree), os.getpid(), self._run.pid)
        return {"ok": True}

    def _stop(self, _: Message) -> dict[str, Any]:
        if self._run is not None:
            self._run.stop()
        return {"ok": True}

    def _folder_of(self, message: Message) -> Path:
        if self._run is None or self._run.folder is None:
            raise WireError("there is no run")
        if text_in(message, "run") != self._run.folder.name:
            raise WireError(f"the run is {self._run.folder.name}")
        return self._run.folder

    def _fetch(self, message: Message) -> dict[str, Any]:
        folder = self._folder_of(message)
        paths = sorted(p for p in folder.rglob("*") if p.is_file() and not p.is_symlink())
        for path in paths:
            name = path.relative_to(folder).as_posix()
            with path.open("rb") as stream:  # before its size is told: bytes must follow that
                size = os.fstat(stream.fileno()).st_size
                told = {"to": message["n"], "file": name, "size": size}
                self._outlet.send(told, _bytes_of(stream, size))
        return {"files": len(paths)}

    def _forget(self, message: Message) -> dict[str, Any]:
        shutil.rmtree(self._folder_of(message))
        return {"ok": True}

    def _clean(self, message: Message) -> dict[str, Any]:
        found = clean(self._store, text_in(message, "name"))
        return {"stopped": found.stopped, "removed": found.removed}


def _bytes_of(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Exactly so many: zeros stand for what a file lost meanwhile, or what cannot be read."""
    while size:
        try:
            data = stream.read(min(size, CHUNK))
        except OSError:
            data = b""
        data = data or bytes(min(size, CHUNK))
        size -= len(data)
        yield data


def serve(words: Sequence[str]) -> int:
    """Serve one connection: FOLDER, relative to the home folder, and LEASE_S."""
    folder = Path.home() / Path(words[0]).expanduser()
    # Whatever prints must not get between the messages.
    handle = os.dup(1)
    os.dup2(2, 1)
    lease_s = float(words[1])
    outlet = Outlet(handle, lease_s)
    try:
        end = HostEnd(Inlet(0, lease_s), outlet, folder)
    except OSError as error:
        why = as_no_room(error, folder) or f"{error.strerror}: {error.filename}"
        outlet.send({"hello": READY, "error": f"the folder {folder} cannot be used: {why}"})
        return 1
    end.serve()
    return 0
