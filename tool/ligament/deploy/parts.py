# SPDX-License-Identifier: Apache-2.0
"""What each host gets: the files of its part of a built graph."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ligament.artefacts import json_text, read_json_object
from ligament.deploy.needs import Needs
from ligament.deploy.store import File, tree_digest
from ligament.errors import FailureError, InputError, Problem
from ligament.mapping.model import GraphMapping
from ligament.run.hosts import Share, share_of
from ligament.run.python_spec import is_python

_EMULATORS = {"zcu102_r5": ("qemu-system-aarch64", "qemu-system-arm")}
"""Programs that run a core's firmware, by its board (runtime/src/mcu/emulator.cpp)."""
_EMULATOR = ("qemu-system-arm",)
_MACHINES = {3: "i686", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""e_machine of an ELF header (elf.h), as uname -m says it."""


@dataclass
class Part:
    """One host's part: where each file of its tree comes from."""

    host: str
    variant: str
    nodes: tuple[str, ...]
    containers: Mapping[str, Any]
    sources: dict[str, Path | bytes] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    """By path in the tree; those of libraries are known from the build."""
    machines: set[str] = field(default_factory=set)
    """What the libraries are for."""
    needs: Needs = field(default_factory=Needs)
    """What its host must have beside its files."""
    prefix: Path | None = None
    """Of the runtime that it was built against; None: this computer's."""

    def files(self) -> list[File]:
        """The list that is offered to the host."""
        return [
            File(path, self._digest(path), _size(source))
            for path, source in sorted(self.sources.items())
        ]

    def tree(self) -> str:
        """The name of the tree."""
        return tree_digest(self.files())

    def knows(self, digest: str) -> bool:
        """Whether it has such a file."""
        return any(file.digest == digest for file in self.files())

    def open(self, digest: str) -> BinaryIO:
        """The bytes of that digest."""
        path = next(file.path for file in self.files() if file.digest == digest)
        source = self.sources[path]
        return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")

    def size(self, digest: str) -> int:
        """How many those are."""
        return next(file.size for file in self.files() if file.digest == digest)

    def _digest(self, path: str) -> str:
        if path not in self.digests:
            source = self.sources[path]
            data = source if isinstance(source, bytes) else source.read_bytes()
            self.digests[path] = hashlib.sha256(data).hexdigest()
        return self.digests[path]


@dataclass(frozen=True)
class Beside:
    """What is carried with a library, by its absolute path; from the manifest of the variant."""

    python: Mapping[Path, tuple[Path, tuple[str, ...]]] = field(default_factory=dict)
    """Of a node's class: the folder of its files, and their names in it."""
    firmware: Mapping[Path, tuple[Path, tuple[str, ...]]] = field(default_factory=dict)
    """Of a core's nodes: the firmware, which is looked for beside it, and what runs that."""

    @staticmethod
    def of(build_path: Path, mapping: GraphMapping) -> Beside:
        """Read it; a manifest that is not there lists nothing."""
        folder = build_path.parent
        backends = read_json_object(folder / "manifest.json").get("backends", {})
        python = backends.get("python", {"libraries": {}})["libraries"].values()
        mcu = backends.get("mcu", {"libraries": {}, "images": {}})
        boards = {name: figures.get("board") for name, figures in mapping.hardware.items()}
        return Beside(
            {
                (folder / one["library"]).resolve(): (
                    (folder / one["target"]).resolve(), tuple(one["sources"]))
                for one in python
            },
            {
                (folder / mcu["libraries"][device]["library"]).resolve(): (
                    (folder / image["image"]).resolve(),
                    _EMULATORS.get(str(boards.get(device)), _EMULATOR),
                )
                for device, image in mcu["images"].items()
            },
        )  # fmt: skip


def parts_of(build_path: Path, mapping: GraphMapping) -> dict[str, Part]:
    """Split a built graph by host; raise InputError for what cannot be carried."""
    build = json.loads(build_path.read_text(encoding="utf-8"))
    if problems := _executables_not_carried(mapping) + _nodes_not_carried(mapping):
        raise InputError(problems)
    beside = Beside.of(build_path, mapping)
    return {
        host: _part(build_path, build, share_of(build, mapping, host), beside, mapping.distro)
        for host in mapping.hosts
    }


def _executables_not_carried(mapping: GraphMapping) -> list[Problem]:
    """Files are not copied; and one without a host would be started by each part."""
    said = "the executable '{}' is "
    return [
        Problem("deploy-carries", said.format(name) + "a file of this computer, and deploy does "
                "not copy it", hint="install it there in a package, or start it by hand")
        for name, one in mapping.executables.items() if one.is_file
    ] + [
        Problem("deploy-carries", said.format(name) + "on no host, and each would start it",
                hint="say where it runs: `host:` in graph.yaml")
        for name, one in mapping.executables.items() if not one.host and len(mapping.hosts) > 1
    ]  # fmt: skip


def _nodes_not_carried(mapping: GraphMapping) -> list[Problem]:
    """A slot's shell is a library that no node names; a board's description lies beside its own."""
    return [
        Problem("deploy-carries", f"the node '{name}' is on the board {node.device}, and deploy "
                "does not copy what says how it is driven",
                hint="start its host's part there: ligament run GRAPH --host NAME")
        for name, node in mapping.nodes.items()
        if mapping.hardware.get(node.device, {}).get("backend") == "uio"
    ] + [
        Problem("deploy-carries", f"the node '{name}' is in a slot, and deploy does not copy its "
                "shell", hint="start its host's part there: ligament run GRAPH --host NAME")
        for name, node in mapping.nodes.items()
        if mapping.hardware.get(node.device, {}).get("slots")
    ]  # fmt: skip


def _part(
    build_path: Path, build: Mapping[str, Any], share: Share, beside: Beside, distro: str
) -> Part:
    """The tree is laid out as below the graph's folder, so that `ligament run` finds all."""
    folder, variant = build_path.parent, build["variant"]
    part = Part(share.host, variant, tuple(share.nodes), share.containers)
    if "target" in build:
        part.prefix = Path(build["target"]["prefix"])
    part.sources["graph.json"] = folder.parent / "graph.json"
    part.sources[f"{variant}/mapping.json"] = folder / "mapping.json"
    configs = {
        name: json.loads((folder / container["config"]).read_text(encoding="utf-8"))
        for name, container in share.containers.items()
    }
    nodes = [node for config in configs.values() for node in config["nodes"]]
    used = {(folder / node["library"]).resolve() for node in nodes if node["library"]}
    libraries: dict[str, Any] = {}
    places: dict[Path, str] = {}
    for key, library in build["libraries"].items():
        path = (folder / library["path"]).resolve()
        if path in used:
            places[path] = _add_library(part, path, library["sha256"], beside)
            libraries[key] = {**library, "path": f"../{places[path]}"}
    for node in nodes:
        if node["library"]:
            node["library"] = f"../{places[(folder / node['library']).resolve()]}"
    for name, config in configs.items():
        target = share.containers[name]["config"]
        part.sources[f"{variant}/{target}"] = json_text(config).encode()
    # All containers stay in it: from the topics of all follows when the work is done.
    # A target is what a build for another processor was compiled against here, at a path of this
    # computer. Where it runs, the host's own runtime is that.
    kept = {key: value for key, value in build.items() if key != "target"}
    text = json_text({**kept, "libraries": libraries})
    part.sources[f"{variant}/build.json"] = text.encode()
    programs = {p for path in used if path in beside.firmware for p in beside.firmware[path][1]}
    part.needs = _needs(share, configs, sorted(programs), distro)
    return part


def _add_library(part: Part, path: Path, digest: str, beside: Beside) -> str:
    """Add a library and what lies beside it; returns its place in the tree."""
    if path in beside.python:
        target, sources = beside.python[path]
        for source in sources:
            part.sources[f"lib/python/{target.name}/{source}"] = target / source
        return f"lib/python/{target.name}/{path.relative_to(target).as_posix()}"
    place = f"lib/{digest[:16]}/{path.name}"
    part.sources[place] = path
    part.digests[place] = digest
    part.machines.add(machine_of(path))
    if path in beside.firmware:
        image = beside.firmware[path][0]
        part.sources[f"lib/{digest[:16]}/{image.name}"] = image
    return place


def _needs(share: Share, configs: Mapping[str, Any], programs: Iterable[str], distro: str) -> Needs:
    in_python = [n for name, one in share.containers.items() if is_python(one)
                 for n in configs[name]["nodes"]]  # fmt: skip
    modules = sorted({n["class"].partition(":")[0] for n in in_python if not n["library"]})
    return Needs(distro if in_python else None, tuple(modules), tuple(programs))


def machine_of(library: Path) -> str:
    """For which processor a library is, as `uname -m` names it."""
    try:
        with library.open("rb") as stream:
            head = stream.read(20)
    except OSError as error:
        raise FailureError(
            f"cannot read {library}: {error.strerror}", hint="run `ligament build` again"
        ) from error
    if head[:4] != b"\x7fELF":
        raise FailureError(f"{library} is no library", hint="run `ligament build` again")
    order = "little" if head[5] == 1 else "big"
    number = int.from_bytes(head[18:20], order)  # type: ignore[arg-type]
    return _MACHINES.get(number, f"machine {number}")


def _size(source: Path | bytes) -> int:
    return len(source) if isinstance(source, bytes) else source.stat().st_size
