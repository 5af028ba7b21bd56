# SPDX-License-Identifier: Apache-2.0
"""What was worked out once and is the same every time: kept per user, found by what it is made of.

    key = cache.key(text, cache.fingerprint(schema_files))
    data = cache.get("documents", key)          # JSON data, or None
    cache.put("documents", key, data)

A key is made of everything that the result depends on, so that nothing in it can be out of date:
the digest of a text, and of code and data that ships with the tool their paths, sizes and times.
Entries lie in `$LIGAMENT_CACHE`, else in `$XDG_CACHE_HOME/ligament` (`~/.cache/ligament`), which
may be deleted at any time; with LIGAMENT_CACHE=off none is read or written. A cache that cannot be
read or written costs time and nothing else, so nothing here raises.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

VARIABLE = "LIGAMENT_CACHE"
MOST_ENTRIES = 500
"""Of one kind; the oldest go."""


def folder() -> Path | None:
    """Return where entries lie; None where none are kept."""
    own = os.environ.get(VARIABLE, "")
    if own:
        return None if own == "off" else Path(own)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the specification: a relative one is to be ignored
        return Path(base) / "ligament"
    try:
        return Path.home() / ".cache" / "ligament"
    except RuntimeError:
        return None


def fingerprint(files: Iterable[Path]) -> str:
    """Return what changes when one of the files does; their contents are not read."""
    found = []
    for path in files:
        stat = path.stat()
        found.append(f"{path}:{stat.st_size}:{stat.st_mtime_ns}")
    return key(*found)


def files_of(package: str, pattern: str = "__init__.py") -> list[Path]:
    """Return files of an installed package, which is not imported for it."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return sorted(path for folder in folders for path in Path(folder).glob(pattern))


def key(*parts: str) -> str:
    """Return the key of what is made of these texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def get(kind: str, entry: str) -> Any:
    """Return the data of an entry, or None."""
    place = folder()
    if place is None:
        return None
    try:
        return json.loads((place / kind / f"{entry}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def put(kind: str, entry: str, data: Any) -> None:
    """Keep the data (of what JSON knows) of an entry."""
    place = folder()
    if place is None:
        return
    path = place / kind / f"{entry}.json"
    partial = path.with_name(f".{entry}.{os.getpid()}-{os.urandom(4).hex()}.partial")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            partial.write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        _prune(path.parent)


def _prune(kind: Path) -> None:
    """Remove the oldest entries of a kind where there are too many."""
    with os.scandir(kind) as found:
        entries = [(e.stat().st_mtime_ns, e.path) for e in found]
    for _, path in sorted(entries)[: max(0, len(entries) - MOST_ENTRIES)]:
        Path(path).unlink(missing_ok=True)
