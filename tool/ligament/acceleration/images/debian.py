# SPDX-License-Identifier: Apache-2.0
"""Packages of another architecture through this machine's apt, which learns nothing of it.

apt gets lists, status and archives of its own in the cache; sources and keys are the machine's.
What it chose is kept (file, SHA-256), so that the same image can be made again later.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from ligament.acceleration.images import tools
from ligament.disk import replacing
from ligament.errors import FailureError

_URIS_LINE = re.compile(r"^'[^']+' \S+ \d+ \S+$")


@dataclass(frozen=True)
class Package:
    """A package that lies in the cache."""

    path: Path
    sha256: str


def fetch(
    names: list[str], architecture: str, cache: Path, *, depends: bool = True, update: bool = False
) -> list[Package]:
    """Return the packages, and those that they need; fetch what the cache does not have.

    `update`: choose anew, by fresh lists. Raise FailureError if apt knows no such package, cannot
    reach its sources, or a file is not what apt's signed lists say.
    """
    asked = [architecture, depends, *sorted(names)]
    name = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
    kept = cache / "chosen" / f"{name}.json"
    archives = cache / "archives"
    if not update and (found := _kept(kept, archives)) is not None:
        return found
    _make_folders(cache)
    options = _options(cache, architecture)
    lists = cache / "state" / "lists"
    if update or not any(lists.glob(f"*binary-{architecture}_Packages*")):
        tools.run(["apt-get", *options, "update", "-qq"], cache, "apt cannot fetch its lists")
    chosen = _choose(names, options, cache, depends)
    _download(names, options, cache, depends)
    packages = [Package(archives / file, digest) for file, digest in chosen]
    _check(packages)
    kept.parent.mkdir(exist_ok=True)
    with replacing(kept) as partial:
        text = {"packages": names, "architecture": architecture, "files": chosen}
        partial.write_text(json.dumps(text, indent=1), encoding="utf-8")
    return packages


def _make_folders(cache: Path) -> None:
    for folder in ("archives/partial", "state/lists/partial", "nothing/partial"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
    (cache / "state" / "status").touch()


def _options(cache: Path, architecture: str) -> list[str]:
    values = {
        "APT::Architecture": architecture, "APT::Architectures": architecture,
        "APT::Install-Recommends": "false", "APT::Sandbox::User": "",
        "Acquire::Languages": "none", "Acquire::ForceHash": "SHA256",
        "Acquire::Retries": "3",
        "Dir::State": f"{cache}/state", "Dir::State::status": f"{cache}/state/status",
        "Dir::Cache": f"{cache}", "Dir::Cache::archives": f"{cache}/archives",
        "APT::Update::Post-Invoke::": "", "APT::Update::Error-Mode": "any",
        "DPkg::Lock::Timeout": "600",
    }  # fmt: skip
    return [word for key, value in values.items() for word in ("-o", f"{key}={value}")]


def _words(names: list[str], depends: bool) -> list[str]:
    return ["install", "--yes", "--", *names] if depends else ["download", "--", *names]


def _choose(
    names: list[str], options: list[str], cache: Path, depends: bool
) -> list[tuple[str, str]]:
    """Which files apt would fetch if it had none, with their SHA-256."""
    empty = ["-o", f"Dir::Cache::archives={cache}/nothing", "--print-uris", "-qq"]
    command = ["apt-get", *options, *empty, *_words(names, depends)]
    try:
        said = tools.run(command, cache, f"apt cannot choose {', '.join(names)}").stdout
    except FailureError as error:
        if error.hint:
            raise
        hint = "this machine's apt must have the release that the platform's packages are of"
        raise FailureError(error.text, command=error.command, hint=hint) from error
    chosen = []
    for line in said.splitlines():
        if not _URIS_LINE.match(line):
            continue
        _, file, _, digest = shlex.split(line)
        kind, _, value = digest.partition(":")
        if kind != "SHA256" or "/" in file:
            raise FailureError(f"apt names no SHA-256 of {file}, so it cannot be checked")
        chosen.append((file, value))
    if not chosen:
        raise FailureError(f"apt chose no package for {', '.join(names)}", command=command)
    return sorted(chosen)


def _download(names: list[str], options: list[str], cache: Path, depends: bool) -> None:
    words = ["--download-only", "-qq"] if depends else ["-qq"]
    command = ["apt-get", *options, *words, *_words(names, depends)]
    tools.run(command, cache / "archives", f"apt cannot fetch {', '.join(names)}")


def _check(packages: list[Package]) -> None:
    for package in packages:
        if not package.path.is_file():
            raise FailureError(f"apt did not leave {package.path.name} where it was told to")
        with package.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != package.sha256:
            raise FailureError(
                f"{package.path} is damaged: its SHA-256 is {digest}, "
                f"apt's lists say {package.sha256}",
                hint="remove it and try again: it is fetched anew",
            )


def _kept(kept: Path, archives: Path) -> list[Package] | None:
    """What was chosen before, if all of it is still there; raise if a file is not what it was."""
    try:
        files = json.loads(kept.read_text(encoding="utf-8"))["files"]
        packages = [Package(archives / file, digest) for file, digest in files]
    except (OSError, ValueError, KeyError):
        return None
    if not all(package.path.is_file() for package in packages):
        return None
    _check(packages)
    return packages
