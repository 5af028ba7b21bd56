# SPDX-License-Identifier: Apache-2.0
"""What each host gets: the files of its part of a built graph."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ligament.artefacts import json_text
from ligament.deploy.store import File, tree_digest
from ligament.errors import FailureError, InputError, Problem
from ligament.mapping.model import GraphMapping
from ligament.run.hosts import Share, share_of
from ligament.run.python_spec import is_python

CARRIED = ("cpu", "gpu")
"""Kinds of devices whose nodes are files that can be copied."""
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


def parts_of(build_path: Path, mapping: GraphMapping) -> dict[str, Part]:
    """Split a built graph by host; raise InputError for nodes that cannot be carried."""
    build = json.loads(build_path.read_text(encoding="utf-8"))
    if problems := _not_carried(mapping, build):
        raise InputError(problems)
    return {
        host: _part(build_path, build, mapping, share_of(build, mapping, host))
        for host in mapping.hosts
    }


def _not_carried(mapping: GraphMapping, build: Mapping[str, Any]) -> list[Problem]:
    hint = "start its host's part there: ligament run GRAPH --host NAME"
    told = {
        name: f"is on the device '{node.device}'"
        for name, node in mapping.nodes.items()
        if node.kind not in CARRIED or node.implementation not in CARRIED
    }
    in_python = [c["nodes"] for c in build["containers"].values() if is_python(c)]
    told |= {name: "is in Python" for nodes in in_python for name in nodes}
    return [
        Problem("deploy-carries", f"the node '{name}' {why}, and deploy cannot copy it", hint=hint)
        for name, why in sorted(told.items())
    ] + _executables_not_carried(mapping)


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


def _part(build_path: Path, build: Mapping[str, Any], mapping: GraphMapping, share: Share) -> Part:
    """The tree is laid out as below the graph's folder, so that `ligament run` finds all."""
    folder, variant = build_path.parent, build["variant"]
    part = Part(share.host, variant, tuple(share.nodes), share.containers)
    part.sources["graph.json"] = folder.parent / "graph.json"
    part.sources[f"{variant}/mapping.json"] = folder / "mapping.json"
    configs = {
        name: json.loads((folder / container["config"]).read_text(encoding="utf-8"))
        for name, container in share.containers.items()
    }
    used = {
        (folder / node["library"]).resolve()
        for config in configs.values()
        for node in config["nodes"]
    }
    libraries: dict[str, Any] = {}
    places: dict[Path, str] = {}
    for key, library in build["libraries"].items():
        path = (folder / library["path"]).resolve()
        if path not in used:
            continue
        place = f"lib/{library['sha256'][:16]}/{path.name}"
        places[path] = place
        part.sources[place] = path
        part.digests[place] = library["sha256"]
        part.machines.add(machine_of(path))
        libraries[key] = {**library, "path": f"../{place}"}
    for name, config in configs.items():
        for node in config["nodes"]:
            node["library"] = f"../{places[(folder / node['library']).resolve()]}"
        target = share.containers[name]["config"]
        part.sources[f"{variant}/{target}"] = json_text(config).encode()
    # All containers stay in it: from the topics of all follows when the work is done.
    # A target is what a build for another processor was compiled against here, at a path of this
    # computer. Where it runs, the host's own runtime is that.
    kept = {key: value for key, value in build.items() if key != "target"}
    text = json_text({**kept, "libraries": libraries})
    part.sources[f"{variant}/build.json"] = text.encode()
    return part


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
