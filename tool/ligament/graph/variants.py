# SPDX-License-Identifier: Apache-2.0
"""The variants of a graph: named wishes for its mapping, checked against the graph itself.

What depends on a platform (does the device exist, can the transport reach) is the mapping's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ligament.errors import Location, Problem, listing, nearest, no_such
from ligament.graph import names
from ligament.graph.fusion import check_fusion, fusion_members
from ligament.graph.model import Edge, Fusion, Node, NodeType, Topic, Variant, Wait
from ligament.graph.parameters import apply_values
from ligament.graph.source import Document
from ligament.graph.source import Path as DocumentPath

# Names of folders beside the variants' own in build/<graph>/.
RESERVED = frozenset({"gen", "lib", "work"})


@dataclass
class Resolved:
    """What the variants refer to: nodes and topics by id, and nodes by the root file's keys."""

    document: Document
    nodes: Mapping[str, Node]
    topics: Mapping[str, Topic]
    types: Mapping[str, NodeType]
    keys: Mapping[str, str]
    sink: str | None = None
    problems: list[Problem] = field(default_factory=list)

    def node_id(
        self, written: str, at: Location, extra: Mapping[str, str] | None = None
    ) -> str | None:
        """Return the id that a key or an id stands for; note a problem when there is none.

        None without a problem: the node is in the file, but wrong, which is said at its place.
        """
        known = {**self.keys, **(extra or {})}
        found = known.get(written, written)
        if found not in self.nodes and found not in known.values():
            self.problems.append(
                Problem(
                    "node-unknown",
                    f"there is no node '{written}'",
                    at,
                    expected=listing(known),
                    hint=nearest(written, [*known, *self.nodes]),
                )
            )
            return None
        usable = found in self.nodes or found in (extra or {}).values()
        return found if usable else None


def build_variants(resolved: Resolved) -> tuple[dict[str, Variant], str]:
    """Return the variants by name and the default one's name."""
    document = resolved.document
    written = document.data.get("variants") or {}
    if not written:
        only = Variant(
            "default",
            wait=_wait({}, document.data),
            edge=_edge({}, document.data),
            at=document.at(),
        )
        return {"default": only}, "default"
    for name in sorted(RESERVED.intersection(written)):
        at = document.key_at("variants", name)
        text = f"'{name}' is a folder that all variants share"
        expected = f"another name than {listing(RESERVED)}"
        resolved.problems.append(Problem("variant-reserved", text, at, expected))
    variants = {name: _Builder(resolved, name).build() for name in written}
    default = document.data.get("default_variant", next(iter(written)))
    if default not in variants:
        resolved.problems.append(
            no_such(
                "variant-unknown",
                f"there is no variant '{default}'",
                default,
                variants,
                document.at("default_variant"),
            )
        )
    return variants, default


def _wait(data: Mapping[str, Any], graph: Mapping[str, Any]) -> Wait:
    chosen = data.get("wait") or graph.get("wait") or {}
    return Wait(chosen.get("strategy", "sleep"), chosen.get("spin_us", 50))


def _edge(data: Mapping[str, Any], graph: Mapping[str, Any]) -> Edge:
    """The graph's settings, the variant's over them; `false` takes all of them away."""
    wanted, settings = False, dict[str, Any]()
    for wish in (graph.get("edge"), data.get("edge")):
        if wish is None:
            continue
        wanted = wish is not False
        settings = {**settings, **wish} if isinstance(wish, Mapping) else settings
    if not wanted:
        return Edge()
    peers = settings.pop("static_peers", None)
    return Edge(wanted=True, static_peers=None if peers is None else tuple(peers), **settings)


class _Builder:
    """Turns one variant of the graph file into a `Variant`."""

    def __init__(self, resolved: Resolved, name: str) -> None:
        self.resolved = resolved
        self.name = name
        self.path: DocumentPath = ("variants", name)
        self.data: Mapping[str, Any] = resolved.document.data["variants"][name] or {}
        self.fused: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.places: dict[tuple[str, str], Location] = {}

    def build(self) -> Variant:
        fuse = tuple(f for i in range(len(self.data.get("fuse", ()))) if (f := self._fusion(i)))
        replaced = {n for f in fuse for n in f.nodes}
        return Variant(
            name=self.name,
            description=self.data.get("description", ""),
            containers=self._containers(replaced),
            fuse=fuse,
            devices=self._per_node("devices", replaced),
            implementations=self._per_node("implementations", replaced),
            device_models=self._per_node("device_models", replaced),
            topic_models=self._topic_models(),
            hosts=self._hosts(replaced),
            transports=self._transports(),
            modes=self._modes(),
            bound_bytes={t: n for _, t, n in self._by_topic("bound_bytes")},
            parameters=self._parameters(replaced),
            wait=_wait(self.data, self.resolved.document.data),
            threads=self._threads(),
            edge=_edge(self.data, self.resolved.document.data),
            fpga=self._fpga(),
            at=self._key_at(),
            places=self.places,
        )

    def _fpga(self) -> dict[str, Any]:
        found = dict(self.data.get("fpga", {}))
        for side in found.get("clocks", {}):
            self.places["clocks", side] = self._at("fpga", "clocks", side)
        return found

    def _at(self, *path: str | int) -> Location:
        return self.resolved.document.at(*self.path, *path)

    def _key_at(self, *path: str | int) -> Location:
        return self.resolved.document.key_at(*self.path, *path)

    def _fusion(self, index: int) -> Fusion | None:
        entry = self.data["fuse"][index]
        found = [
            self.resolved.node_id(n, self._at("fuse", index, "nodes", i))
            for i, n in enumerate(entry["nodes"])
        ]
        ids = tuple(n for n in found if n)
        node_type = self.resolved.types.get(entry["as"])
        at = self._at("fuse", index, "as")
        if node_type is None:
            self._problem(
                "node-type-unknown",
                f"there is no node type '{entry['as']}'",
                at,
                listing(t for t, n in self.resolved.types.items() if n.fuses),
                nearest(entry["as"], self.resolved.types),
            )
            return None
        if node_type.fuses is None:
            self._problem(
                "fuse-mismatch",
                f"'{node_type.type}' does not say what it fuses",
                at,
                "a node type with `fuses` in its node.yaml",
            )
            return None
        if len(ids) != len(found):
            return None
        return self._checked_fusion(entry, ids, node_type, at)

    def _checked_fusion(
        self, entry: Mapping[str, Any], ids: tuple[str, ...], node_type: NodeType, at: Location
    ) -> Fusion | None:
        name = entry.get("name", node_type.type.rsplit("/", 1)[-1])
        new_id = names.join(self.resolved.nodes[ids[0]].namespace, name)
        members, fault = fusion_members(node_type, [self.resolved.nodes[i] for i in ids])
        if fault:
            self._problem(
                "fuse-mismatch", fault, at, f"the nodes that {node_type.type}'s `fuses` names"
            )
            return None
        fusion = Fusion(ids, node_type.type, new_id, members, at)
        for text in check_fusion(fusion, node_type, self.resolved.nodes, self.resolved.topics):
            self._problem("fuse-mismatch", text, at)
        if new_id in self.resolved.nodes and new_id not in ids:
            self._problem(
                "node-duplicate-id",
                f"there is already a node '{new_id}'",
                at,
                "another `name` for the fused node",
            )
        if self.resolved.sink in ids:
            self._problem(
                "fuse-mismatch",
                f"'{self.resolved.sink}' records the result (check.sink)",
                at,
                "a fusion without it",
            )
        self.fused[name] = new_id
        self.types[new_id] = node_type.type
        return fusion

    def _node(self, written: str, at: Location, replaced: set[str]) -> str | None:
        found = self.resolved.node_id(written, at, self.fused)
        if found in replaced and found not in self.types:
            self._problem(
                "node-replaced",
                f"'{found}' is replaced by a fused node in this variant",
                at,
                listing(self.fused),
            )
            return None
        return found

    def _containers(self, replaced: set[str]) -> str | dict[str, tuple[str, ...]]:
        wish = self.data.get("containers", "separate")
        if isinstance(wish, str):
            return wish
        groups: dict[str, tuple[str, ...]] = {}
        owner: dict[str, str] = {}
        for group, members in wish.items():
            ids: list[str] = []
            for i, written in enumerate(members):
                at = self._at("containers", group, i)
                found = self._node(written, at, replaced)
                if found and found in owner:
                    self._problem(
                        "container-twice",
                        f"'{found}' is in the container '{owner[found]}' already",
                        at,
                        "each node in one container",
                    )
                elif found:
                    owner[found] = group
                    ids.append(found)
            groups[group] = tuple(ids)
        return groups

    def _per_node(self, key: str, replaced: set[str]) -> dict[str, str]:
        found = {}
        for written, wish in self.data.get(key, {}).items():
            node = self._node(written, self._key_at(key, written), replaced)
            if node:
                found[node] = str(wish)
                self.places[key, node] = self._at(key, written)
        return found

    def _hosts(self, replaced: set[str]) -> dict[str, str]:
        found = {}
        known = self.resolved.document.data.get("hosts", {})
        for written, host in self.data.get("hosts", {}).items():
            node = self._node(written, self._key_at("hosts", written), replaced)
            if host not in known:
                at, hint = self._at("hosts", written), nearest(host, known)
                self._problem(
                    "host-unknown", f"there is no host '{host}'", at, listing(known), hint
                )
            elif node:
                found[node] = str(host)
        return found

    def _topic_models(self) -> dict[str, str]:
        found = {}
        for written, topic, model in self._by_topic("topic_models"):
            found[topic] = str(model)
            self.places["topic_models", topic] = self._key_at("topic_models", written)
        return found

    def _transports(self) -> dict[str, tuple[str, ...]]:
        found = {}
        for written, topic, transports in self._by_topic("transports"):
            found[topic] = tuple(transports)
            self.places["transports", topic] = self._at("transports", written)
        return found

    def _threads(self) -> int | dict[str, int]:
        written = self.data.get("threads", 1)
        if isinstance(written, int):
            self.places["threads", ""] = self._at("threads") if written != 1 else self._key_at()
            return written
        for container in written:
            self.places["threads", container] = self._key_at("threads", container)
        return dict(written)

    def _modes(self) -> dict[str, str]:
        """Return the mode of each topic; a service may be named with the only one that it has."""
        found = {}
        served = {s for node in self.resolved.nodes.values() for s in node.services.values()}
        for written, mode in self.data.get("modes", {}).items():
            topic = names.join("/", written)
            if topic in served and topic not in self.resolved.topics:
                self._service_mode(topic, str(mode), self._key_at("modes", written))
                continue
            self._known_topic("modes", written)
            found[topic] = str(mode)
            self.places["modes", topic] = self._key_at("modes", written)
        return found

    def _service_mode(self, service: str, mode: str, at: Location) -> None:
        reasons = {
            "shared": "a request and a response are structs, which are copied at both ends; in "
            "place they would be topics",
            "handed_over": "ROS-ZC has no services, as a request is no message that one "
            "subscription owns; its ends copy",
        }
        if mode in reasons:
            text = f"the service '{service}' cannot be {mode}: {reasons[mode]}"
            self._problem("mode-impossible", text, at, "mode: copied, or a topic each way")

    def _by_topic(self, key: str) -> Iterator[tuple[str, str, Any]]:
        """Yield name as written, topic and value of each entry; note topics that are none."""
        for written, value in self.data.get(key, {}).items():
            self._known_topic(key, written)
            yield written, names.join("/", written), value

    def _known_topic(self, key: str, written: str) -> None:
        topic = names.join("/", written)
        if topic not in self.resolved.topics:
            self._problem(
                "topic-unknown",
                f"there is no topic '{topic}'",
                self._key_at(key, written),
                listing(self.resolved.topics),
                nearest(topic, self.resolved.topics),
            )

    def _parameters(self, replaced: set[str]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for written in self.data.get("parameters", {}):
            node = self._node(written, self._key_at("parameters", written), replaced)
            if node is None:
                continue
            type_name = self.types.get(node) or self.resolved.nodes[node].type
            node_type = self.resolved.types.get(type_name)
            if node_type:
                apply_values(
                    node_type,
                    found.setdefault(node, {}),
                    self.resolved.document,
                    (*self.path, "parameters", written),
                    self.resolved.problems,
                )
        return found

    def _problem(
        self, code: str, text: str, at: Location, expected: str = "", hint: str = ""
    ) -> None:
        self.resolved.problems.append(Problem(code, text, at, expected, hint))
