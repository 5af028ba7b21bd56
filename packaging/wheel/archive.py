# SPDX-License-Identifier: Apache-2.0
"""The wheel itself: the Python package with the staged tree as its data, and a tag that is true.

The tag says which systems may install it. glibc's version in it is checked against the versions of
the symbols that the programs ask for.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import platform
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from bundle import elfs, said

GLIBC = (2, 36)
HIGHEST = {"GLIBC": GLIBC, "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
"""What a system with that glibc has, by name of the versions: Debian 12 (GCC 12)."""
MACHINES = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}
TIME = (2020, 1, 1, 0, 0, 0)
"""Of every file, so that the same input gives the same bytes."""
Fail = Callable[[str], None]


def tag() -> str:
    """The platform tag of a wheel that is built here (PEP 600)."""
    return f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"


def too_new(path: Path) -> list[str]:
    """The versions of symbols that a program or library asks for and the tag does not promise."""
    text = said("objdump", "-T", path)
    asked = set(re.findall(r"\((?:GLIBC|GLIBCXX|CXXABI|GCC)_[\d.]+\)", text))
    wrong = []
    for word in sorted(asked):
        name, _, version = word.strip("()").partition("_")
        if tuple(int(part) for part in version.split(".")) > HIGHEST[name]:
            wrong.append(word.strip("()"))
    return wrong


def check_tag(stage: Path, fail: Fail) -> None:
    """Stop where a file of the tree is not what the tag says."""
    for path in elfs(stage):
        if wrong := too_new(path):
            fail(
                f"{path.name} needs {', '.join(wrong)}, newer than {tag()} says: build on Debian 12"
            )
        machine = MACHINES[platform.machine()]
        if machine not in said("readelf", "-h", path):
            fail(f"{path.name} is not for {platform.machine()}")


def write_wheel(
    pure: Path, stage: Path, licences: dict[str, Path], folder: Path, *, fail: Fail
) -> Path:
    """Write the wheel, whole or not at all, in place of an earlier version's; return its path."""
    check_tag(stage, fail)
    with zipfile.ZipFile(pure) as package:
        files = {name: package.read(name) for name in package.namelist() if name[-1] != "/"}
        programs = {entry.filename for entry in package.infolist() if is_program(entry)}
    name, version = pure.name.split("-")[:2]
    information = f"{name}-{version}.dist-info"
    files.pop(f"{information}/RECORD")
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: ligament ({version})\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{tag()}\n"
    ).encode()
    for package_name, path in sorted(licences.items()):
        files[f"{information}/licenses/debian/{package_name}"] = path.read_bytes()
    for path in sorted(stage.rglob("*")):
        if path.is_symlink():
            fail(f"{path.relative_to(stage)} is a link, and a wheel holds none")
        if path.is_file():
            place = f"{name}-{version}.data/data/{path.relative_to(stage)}"
            files[place] = path.read_bytes()
            if path.stat().st_mode & 0o100:
                programs.add(place)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}-{version}-py3-none-{tag()}.whl"
    partial = target.with_name(f".{target.name}.partial")
    _write(partial, files, programs, f"{information}/RECORD")
    partial.replace(target)
    for old in folder.glob(f"{name}-*-{tag()}.whl"):
        if old != target:
            old.unlink()
    return target


def is_program(entry: zipfile.ZipInfo) -> bool:
    """Whether a file of an archive may be run."""
    return bool(entry.external_attr >> 16 & 0o100)


def _write(target: Path, files: dict[str, bytes], programs: set[str], record: str) -> None:
    rows = io.StringIO()
    lines = csv.writer(rows, lineterminator="\n")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        for name, content in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            lines.writerow([name, f"sha256={digest.decode()}", len(content)])
            _add(wheel, name, content, name in programs)
        lines.writerow([record, "", ""])
        _add(wheel, record, rows.getvalue().encode(), False)


def _add(wheel: zipfile.ZipFile, name: str, content: bytes, is_program: bool) -> None:
    entry = zipfile.ZipInfo(name, TIME)
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, content)
