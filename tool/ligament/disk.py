# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, and what is said where there is no room for them.

    with replacing(path) as partial:      # seen under its name when it is whole
        partial.write_text(text)

    with writing(path):                   # a log, which grows under its name
        log.write(line)

Both raise `NoRoomError` where the disk, a quota or `ulimit -f` takes no more: it names the path,
what was needed where that is known, what is free, and which folders of ours could go. `as_no_room`
finds the same in any error, `said_no_room` in what a child process said before it failed.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ligament import cache
from ligament.errors import FailureError, LigamentError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LITTLE_BYTES = 64 * 1024
"""Where less is free, whatever failed is taken to have failed for lack of room."""
_TOO_LARGE = re.compile(r"File too large|File size limit exceeded|SIGXFSZ|may not grow beyond")
_FULL = re.compile(
    r"No space left on device|Disk quota exceeded|No usable temporary directory|no room left"
)
_MOST_FILES = 100_000
"""Of a folder whose size is asked for; of one with more no more are counted."""


class NoRoomError(FailureError):
    """The disk is full, a quota is used up, or a file has reached its largest size. Exit code 1."""


def no_room(path: Path, code: int = errno.ENOSPC, needed: str = "") -> NoRoomError:
    """Return the error of a path that could not be written; `needed`: how much, where known."""
    wanted = f"{needed} were needed, " if needed else ""
    if code == errno.EFBIG and (limit := _size_limit()) is not None:
        return NoRoomError(
            f"cannot write {_shown(path)}: {wanted}a file may not grow beyond {_amount(limit)} "
            "here (ulimit -f)",
            hint="ulimit -f unlimited",
        )
    place = _existing(path)
    why = {errno.EDQUOT: "your quota is used up", errno.EFBIG: "the file system takes no larger"}
    return NoRoomError(
        f"cannot write {_shown(path)}: {why.get(code, 'no room left on the disk')}: {wanted}"
        f"{_amount(_free(place))} are free on {_mount_point(place)}",
        hint=_ways_out(path),
    )


@contextmanager
def writing(path: Path, needed: int | None = None) -> Iterator[None]:
    """Whatever finds no room in here is said of this path."""
    try:
        yield
    except Exception as error:
        _raise_no_room(error, path, "" if needed is None else _amount(needed))
        raise


@contextmanager
def replacing(path: Path, needed: int | None = None) -> Iterator[Path]:
    """Yield the path to write to. What is there becomes `path` at the end, if nothing was raised.

    Readers see the old file or the whole new one; writers at the same time do not collide.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
    try:
        yield partial
        partial.replace(path)
    except Exception as error:
        written = partial.stat().st_size if partial.is_file() else 0
        wanted = _amount(needed) if needed is not None else f"more than {_amount(written)}"
        _raise_no_room(error, path, wanted)  # before the partial file is removed: what is free now
        raise
    finally:
        partial.unlink(missing_ok=True)


def _raise_no_room(error: Exception, path: Path, needed: str) -> None:
    told = as_no_room(error, path, needed)
    if told is not None and told is not error:
        raise told from error


def as_no_room(
    error: BaseException, path: Path | None = None, needed: str = ""
) -> NoRoomError | None:
    """Return what to say of an error that means no room, or was raised because of one that does.

    Libraries that write files themselves (Arrow, DuckDB) may tell it in words only.
    """
    if isinstance(error, NoRoomError):
        return error
    if isinstance(error, LigamentError):
        cause = error.__cause__
        if cause is None or isinstance(cause, LigamentError):
            return None  # it says what there is to say
        found = as_no_room(cause, path, needed)
        return found and NoRoomError(f"{error}\n{found.text}", hint=found.hint)
    code = getattr(error, "errno", None)
    if code not in NO_ROOM:
        code = _code_in(str(error))
    if code is None:
        return None
    named = getattr(error, "filename", None)
    where = path or (Path(os.fsdecode(named)) if isinstance(named, str | bytes) else None)
    return no_room(where or _fullest([Path.cwd(), _temporary()]), code, needed)


def said_no_room(said: str, folder: Path) -> NoRoomError | None:
    """Return what to say of a child process that failed, if it said that it had found no room.

    Some do not say so and fail all the same: then there is next to nothing free where they write.
    """
    place = _fullest([folder, _temporary()])
    code = _code_in(said)
    if code is None:
        return no_room(place) if _free(_existing(place)) < LITTLE_BYTES else None
    return no_room(folder if code == errno.EFBIG else place, code)


def child_failure(
    text: str, command: Sequence[str], log: Path, output: str | None = None
) -> FailureError:
    """Return the error of a child process that failed: `text`, and whether it had found no room.

    `output`: what it said, if that is at hand; it is in its log otherwise.
    """
    if output is None:
        output = log.read_text(encoding="utf-8", errors="replace")
    found = said_no_room(f"{text}\n{output}", log.parent)
    if found is None:
        return FailureError(text, command=command, log=log)
    return NoRoomError(f"{text}\n{found.text}", command=command, log=log, hint=found.hint)


def _code_in(text: str) -> int | None:
    if _TOO_LARGE.search(text):
        return errno.EFBIG
    if "Disk quota exceeded" in text:
        return errno.EDQUOT
    return errno.ENOSPC if _FULL.search(text) else None


def _size_limit() -> int | None:
    import resource  # noqa: PLC0415 - where it is too late to be quick

    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def require_file_size(path: Path, needed: int) -> None:
    """Raise if `ulimit -f` does not let a file grow to that size: a child would die of it."""
    limit = _size_limit()
    if limit is not None and limit < needed:
        raise no_room(path, errno.EFBIG, _amount(needed))


def _fullest(places: list[Path]) -> Path:
    return min(places, key=lambda place: _free(_existing(place)))


def _existing(path: Path) -> Path:
    """The path itself or the nearest folder above it that there is."""
    path = path.absolute()
    return next((place for place in (path, *path.parents) if place.exists()), Path("/"))


def _free(place: Path) -> int:
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


def _mount_point(place: Path) -> Path:
    place = place.resolve()
    return next(p for p in (place, *place.parents) if os.path.ismount(p))


def _temporary() -> Path:
    """Where programs put what they need for a while; asking `tempfile` would try to write there."""
    import tempfile  # noqa: PLC0415 - slow, and seldom needed

    return Path(tempfile.tempdir or os.environ.get("TMPDIR") or "/tmp")


def _ways_out(path: Path) -> str:
    """Our own folders on that disk that could go, with their sizes, and where else to write."""
    device = os.stat(_existing(path)).st_dev
    path, temporary = path.absolute(), _temporary().absolute()
    found: list[str] = []
    for place, what in _removable(path):
        if place.exists() and os.stat(place).st_dev == device:
            found.append(f"{_shown(place)} ({what}, {_size(place)})")
    below = path.relative_to(temporary) if path.is_relative_to(temporary) else Path("elsewhere")
    elsewhere = "TMPDIR=DIR" if str(below).startswith((".", "ligament-")) else "--out DIR"
    gone = f"remove what you no longer need: {', '.join(found)}" if found else "free some"
    return f"{gone}; or write to another disk: {elsewhere}"


def _removable(path: Path) -> Iterator[tuple[Path, str]]:
    graph = next((p for p in path.parents if (p / "graph.json").is_file()), None)
    if graph is not None:
        for runs in sorted(graph.glob("*/runs")):
            yield runs, "runs and their recordings"
        yield graph, "all of this graph, which a build makes again"
    if (kept := cache.folder()) is not None:
        yield kept, "the cache"


def _size(folder: Path) -> str:
    total = count = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
            except OSError:  # removed meanwhile
                continue
        count += len(names)
        if count > _MOST_FILES:
            return f"more than {_amount(total)}"
    return _amount(total)


def _shown(path: Path) -> str:
    """As a person would type it from here."""
    here = Path.cwd()
    full = path.absolute()
    return str(full.relative_to(here)) if full.is_relative_to(here) and full != here else str(path)


def _amount(count: int) -> str:
    if count < 1_000_000:
        return f"{count:,} bytes"
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"
