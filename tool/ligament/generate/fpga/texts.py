# SPDX-License-Identifier: Apache-2.0
"""The files of designs, rendered from their plans."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ligament import resources
from ligament.cores.manifest import Core
from ligament.cores.refusals import read_refusals
from ligament.cores.vhdl import verilog_of
from ligament.generate.files import GeneratedFile, project_values, render, source_of
from ligament.generate.fpga.pages import check_pages
from ligament.generate.fpga.plan import (
    FIGURES,
    PROBES_PER_WORD,
    Design,
    Link,
    Member,
    PoolEnds,
    member_of,
    slug,
)
from ligament.generate.registers import declaration_of, others_of
from ligament.graph.model import Graph, NodeType, Parameter
from ligament.graph.qos import QoS
from ligament.mapping.clocks import SIDES
from ligament.mapping.credit import IN_DESIGN, IN_GATEWAY
from ligament.messages.cpp_names import header_path, qualified

#: Of the stream IP, what a node needs around its core; packages first.
AROUND_CORES = (
    "lig_stream_pkg.sv", "lig_fields_pkg.sv", "lig_axis_if.sv", "lig_fields_if.sv",
    "lig_fields_pass.sv", "lig_gate.sv", "lig_rest.sv", "lig_skid.sv", "lig_field_slice.sv",
    "lig_unpack.sv", "lig_pack.sv",
)  # fmt: skip
#: What networks are made of.
NETWORKS = (
    "lig_store.sv", "lig_queue.sv", "lig_fifo.sv", "lig_fifo_drop.sv", "lig_fifo_last.sv",
    "lig_axis_wire.sv", "lig_bcast.sv", "lig_arbiter.sv", "lig_stats.sv", "lig_width.sv",
    "lig_topic.sv",
)  # fmt: skip
#: What ends in memory are made of.
MEMORY = (
    "lig_transfer_pkg.sv", "lig_axi_if.sv", "lig_axil_if.sv", "lig_store.sv", "lig_queue.sv",
    "lig_arbiter.sv",
    "lig_axi_read.sv", "lig_axi_no_read.sv", "lig_axi_no_write.sv", "lig_axi_answers.sv",
    "lig_axi_write.sv", "lig_smt_sub.sv", "lig_smt_pub.sv", "lig_axi_mux.sv", "lig_port_stats.sv",
    "lig_shell.sv",
)  # fmt: skip
#: What crosses clocks, and the crossing of each side that has its own.
CROSSES = (
    "lig_sync.sv", "lig_reset_cross.sv", "lig_cross_write.sv", "lig_cross_read.sv", "lig_cross.sv",
)  # fmt: skip
CROSS_OF = {"memory": "lig_axi_cross.sv", "registers": "lig_axil_cross.sv"}
#: What translates addresses of memory that no IOMMU does.
PAGES = ("lig_page_table.sv", "lig_axi_pages.sv")
#: What says what is on a board (spec/export/export.schema.json).
EXPORT = "export.json"
#: What a message from hardware may have in front of it, up to the boundary that its body begins at.
BOUNDARY_BYTES = 64
#: How the names of drivers begin.
DRIVER = "lig_driver_"
#: A room says its size in 32 bits.
MOST_ROOM_BYTES = 2**32 - BOUNDARY_BYTES


@dataclass(frozen=True)
class Place:
    """Where the files of one platform go."""

    project: str
    work: str
    libraries: str


def wrapper_of(node_type: str) -> str:
    """Return the module around a core of this type."""
    return "lig_node_" + slug(node_type)


def class_of(member: Member) -> str:
    """Return the generated class: `image/resize` becomes ImageResizeCore, then its place."""
    words = slug(member.type.type).split("_")
    name = "".join(word.capitalize() for word in words) + "Core"
    return f"{name}{member.place}" if member.id else name


def wrapper_file(place: Place, node_type: NodeType, core: Core) -> GeneratedFile:
    """Return the wrapper of a node type's core."""
    member = member_of(node_type, core)
    values = {
        "type": node_type.type,
        "top": wrapper_of(node_type.type),
        "core": core.top,
        "streams": core.streams,
        "each": core.answers_each,
        "wide": [slug(port) for port in core.wide_ports],
        "inputs": list(member.inputs),
        "outputs": list(member.outputs),
        "parameters": [parameter_values(p, "") for p in core.parameters],
    }
    source = str(Path(node_type.folder) / "node.yaml")
    return _rendered(f"{place.project}/{values['top']}.sv", "node.sv.j2", source, values)


def design_files(place: Place, design: Design, longest: Mapping[str, int]) -> list[GeneratedFile]:
    """Return top level, component (its driver and its figures) and list of sources of a design.

    `longest` has the bytes of each message type at most.
    """
    check_pages(design, longest)
    source = ", ".join(str(Path(m.type.folder) / "node.yaml") for m in design.types)
    figures = design.device.figures
    in_flight = design.device.in_flight
    parts = design.parts
    values: dict[str, Any] = {
        "name": design.name,
        "top": design.top,
        "device": design.device.name,
        "figures": {name: repr(float(figures[name])) for name in FIGURES},
        "clocks": {side: _hz(design, side) for side in SIDES},
        "duplex": design.device.duplex,
        "contention": {
            "share": repr(float(figures.get("contention", 0))),
            "seed": int(figures.get("seed", 1)),
        },
        "pages": design.device.pages,
        "page_bytes": design.device.page_bytes,
        "in_flight": in_flight,
        "held": in_flight + IN_DESIGN,
        "held_in_gateways": in_flight + IN_GATEWAY,
        "waveforms": design.device.waveforms,
        "board": _board(design),
        "includes": _includes(design),
        "members": [_member(member, design.gateways, parts) for member in design.members],
        "parts": _parts(design, parts),
        "part_of": parts,
        "owing": _owing(design, parts),
        "exits": [room_bytes(longest[link.message]) for link in design.exits],
        "ends": design.ends,
        "probes": design.probes,
        "problems": design.problems,
        "networks": design.networks,
        "words": _words(design),
        "gateways": [_gateway(design, ends) for ends in design.gateways],
        "port_bits": design.port_bits,
        "port_id_bits": max(1, (len(design.ends) - 1).bit_length()),
    }
    return [*_code(place, source, values), _source_list(place, design, source)]


def _code(place: Place, source: str, values: dict[str, Any]) -> Iterator[GeneratedFile]:
    """Yield a design's top, driver and figures.

    The driver is named by what is in it: other designs may have the same.
    """
    yield _rendered(f"{place.project}/{values['top']}.sv", "design.sv.j2", source, values)
    drawn = _rendered("", "design.cpp.j2", source, values)
    name = f"{DRIVER}{drawn.sha256[:12]}.cpp"
    yield replace(drawn, path=f"{place.project}/{name}")
    figures = values | {"driver": name}
    path = f"{place.project}/{values['name']}-fpga.cpp"
    yield _rendered(path, "figures.cpp.j2", source, figures)


def _source_list(place: Place, design: Design, source: str) -> GeneratedFile:
    text = "\n".join(sources_of(design)) + "\n"
    return GeneratedFile(f"{place.project}/{design.name}-fpga.f", text, source)


def _board(design: Design) -> dict[str, Any] | None:
    """Where a design's board is; None: it is simulated."""
    device = design.device
    if not device.is_board:
        return None
    files = device.figures.get("uio", {})
    return {
        "path": files.get("device", ""),
        "memory": files.get("memory", ""),
        "emulated": device.is_emulated,
        "design": f"{board_folder(design)}/{EXPORT}",
    }


def board_folder(design: Design) -> str:
    """Return the name of the folder beside its library that says what is on a board."""
    return f"{design.name}-board"


def _hz(design: Design, side: str) -> str:
    """Return the frequency of a side that has a clock beside the cores'; else nothing."""
    hz = design.device.domains.get(side) if design.ends else None
    return repr(hz) if hz else ""


def parts_of(design: Design) -> dict[str, str]:
    """Return the node or topic that each instance in the top level is for."""
    nodes = {f"node_{m.slug}": m.id or m.type.type for m in design.members}
    networks = {f"network_{n.number}": n.topic for n in design.networks}
    adapters = {
        f"{kind}_{n.number}_{link.end}": n.topic
        for n in design.networks
        for kind, links in (("widen", n.publishers), ("narrow", n.subscriptions))
        for link in links
        if n.width != link.width
    }
    gateways = {
        f"{part}_{ends.network.gateway}": ends.network.topic
        for ends in design.gateways
        for part in ("gateway", "gateway_narrow", "gateway_widen")
        if part == "gateway" or ends.network.width < design.port_bits
    }
    in_memory = {
        f"{part}_{link.outside}": member.id or member.type.type
        for member in design.members
        for parts, links in (
            (("entry", "entry_narrow"), member.inputs),
            (("exit", "exit_widen"), member.outputs),
        )
        for link in links
        if link.outside is not None
        for part in parts[: 1 + (design.port_bits > link.width)]
    }
    return {**nodes, **networks, **adapters, **gateways, **in_memory}


def sources_of(design: Design) -> list[str]:
    """All SystemVerilog of a design, in an order that any tool takes; ours by name."""
    shared = dict.fromkeys(
        (
            *AROUND_CORES,
            *(NETWORKS if design.networks else ()),
            *(MEMORY if design.ends else ()),
            *(("lig_width.sv",) if _adapts(design) else ()),
            *(("lig_gateway.sv",) if design.gateways else ()),
            *(PAGES if design.ends and design.device.pages else ()),
            *(CROSSES if design.ends and design.device.domains else ()),
            *(CROSS_OF[side] for side in design.device.domains if design.ends),
        )
    )
    return [
        *(str(resources.hdl_dir() / name) for name in shared),
        *core_sources(design.types, design.members),
        f"{design.top}.sv",
    ]


def core_sources(types: Iterable[Member], members: Iterable[Member] | None = None) -> list[str]:
    """Return the messages and cores of some node types, in their wrappers.

    `members`: whose messages; left out: those of `types`.
    """
    types = list(types)
    whose = types if members is None else list(members)
    ins = {link.module for member in whose for link in member.inputs}
    outs = {link.module for member in whose for link in member.outputs}
    cores = [source for member in types for source in _sources_of_core(member)]
    return [
        *(f"{name}_pkg.sv" for name in sorted(ins | outs)),
        *(f"{name}_unpack.sv" for name in sorted(ins)),
        *(f"{name}_pack.sv" for name in sorted(outs)),
        *dict.fromkeys(cores),
        *(f"{wrapper_of(member.type.type)}.sv" for member in types),
    ]


def _sources_of_core(member: Member) -> list[str]:
    if member.core.is_vhdl:
        return [translation_of(member.type.type)]
    # Types share files of a package.
    return [os.path.normpath(Path(member.type.folder) / s) for s in member.core.sources]


def translation_of(node_type: str) -> str:
    """Return the name of the Verilog file that is made of a type's VHDL."""
    return f"{wrapper_of(node_type)}_vhdl.v"


def translated_file(
    place: Place, node_type: NodeType, core: Core, packages: Mapping[str, str]
) -> GeneratedFile:
    """Return a core in VHDL as Verilog; `packages` are those of messages."""
    text = verilog_of(core.top, [Path(node_type.folder) / s for s in core.sources], packages)
    source = str(Path(node_type.folder) / "node.yaml")
    return GeneratedFile(f"{place.project}/{translation_of(node_type.type)}", text, source, "GHDL")


def _adapts(design: Design) -> bool:
    """Whether an entry or an exit is narrower than the memory port."""
    return any(link.width < design.port_bits for link in (*design.entries, *design.exits))


def driver_among(files: Iterable[GeneratedFile]) -> str:
    """Return the name of the driver among a design's files."""
    return next(name for file in files if (name := Path(file.path).name).startswith(DRIVER))


def project_files(
    place: Place,
    graph: Graph,
    drivers: Iterable[tuple[Design, str]],
    slotted: Mapping[str, Any],
) -> list[GeneratedFile]:
    """Return the CMake project that compiles all designs, each with the name of its driver.

    And the header between drivers and figures. `slotted`: shells, and cores for them.
    """
    models: set[tuple[str, bool]] = set()

    def makes_model(design: Design) -> bool:
        """Whether it is the first one with this model: devices may have the same hardware."""
        if design.device.is_board:
            return False
        model = (design.top, design.device.waveforms)
        is_first = model not in models
        models.add(model)
        return is_first

    values = {
        **project_values(graph),
        **slotted,
        "libraries": [
            {
                "name": design.name,
                "target": f"{design.name}-fpga",
                "driver": driver,
                "top": design.top,
                "makes_model": makes_model(design),
                "waveforms": design.device.waveforms,
                "is_board": design.device.is_board,
                "classes": [f"ligament::generated::{class_of(m)}" for m in design.members],
                "sources": sources_of(design),
            }
            for design, driver in drivers
        ],
    }
    source = source_of(graph)
    return [
        _rendered(f"{place.project}/CMakeLists.txt", "CMakeLists.txt.j2", source, values),
        _rendered(f"{place.project}/lig_figures.hpp", "figures.hpp.j2", source, {}),
    ]


def _rendered(path: str, template: str, source: str, values: Mapping[str, Any]) -> GeneratedFile:
    text = render("fpga", template, source, values)
    return GeneratedFile(path, text, source, f"fpga/{template}")


def room_bytes(longest: int) -> int:
    """Return the memory that is lent for a message of at most so many bytes."""
    return min(longest + BOUNDARY_BYTES, MOST_ROOM_BYTES)


def _includes(design: Design) -> list[str]:
    messages = {link.message for link in design.probes if not link.service and not link.client}
    cores = [member.core for member in design.members]
    services = {service.type for core in cores for service in core.services}
    called = {client.type for core in cores for client in core.clients}
    return sorted(header_path(name) for name in messages | services | called)


def _parts(design: Design, parts: Mapping[str, int]) -> list[str]:
    """Return the nodes of each part, in words."""
    found: dict[int, list[str]] = {}
    for member in design.members:
        found.setdefault(_part(member, parts), []).append(_what(member))
    return [", ".join(found[number]) for number in sorted(found)]


def _part(member: Member, parts: Mapping[str, int]) -> int:
    return parts[[*member.inputs, *member.outputs][0].name]


def _owing(design: Design, parts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Who owes answers apart from others: the nodes, and behind them each service of theirs."""
    nodes = [_answers(member, "", None, parts) for member in design.members]
    return nodes + [
        _answers(member, service.name, member.place, parts)
        for member in design.members
        for service in member.core.services
    ]


def _answers(
    member: Member, service: str, offered_by: int | None, parts: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "part": _part(member, parts),
        "what": f"{service} of {_what(member)}" if service else _what(member),
        "name": member.id or member.type.type,
        "inputs": [link_values(link) for link in member.inputs if link.service == service],
        "outputs": [link_values(link) for link in member.outputs if link.service == service],
        "refusals": {} if service else member_refusals(member),
        "each": not service and member.core.answers_each,
        "offered_by": offered_by,
    }


def _what(member: Member) -> str:
    return f"{member.id} ({member.type.type})" if member.id else member.type.type


def member_refusals(member: Member) -> dict[int, str]:
    """Return what the codes mean with which a core refuses messages."""
    return read_refusals(Path(member.type.folder) / file for file in member.core.refusals)


def _services(member: Member) -> list[dict[str, Any]]:
    entries = {link.service: link.outside for link in member.inputs}
    return [
        {"name": s.name, "cpp": qualified(s.type), "entry": entries[s.name]}
        for s in member.core.services
    ]


def _clients(member: Member) -> list[dict[str, Any]]:
    entries = {link.client: link.outside for link in member.inputs}
    exits = {link.client: link.outside for link in member.outputs}
    return [
        {
            "name": c.name,
            "cpp": qualified(c.type),
            "entry": entries[c.name],
            "exit": exits[c.name],
            "in_flight": c.in_flight,
            "time_limit_ms": c.time_limit_ms,
        }
        for c in member.core.clients
    ]


def _member(
    member: Member, gateways: Iterable[PoolEnds], parts: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "part": _part(member, parts),
        "place": member.place,
        "slug": member.slug,
        "what": _what(member),
        "node_id": member.id,
        "node_name": (member.id or member.type.type).rpartition("/")[2],
        "class_name": class_of(member),
        "module": wrapper_of(member.type.type),
        "pixels": member.pixels if member.core.wide_ports else None,
        "inputs": [link_values(link) for link in member.inputs],
        "outputs": [link_values(link) for link in member.outputs],
        "served": [
            {
                "number": ends.network.gateway,
                "cpp": qualified(ends.message),
                "publisher": _profile(ends.mapped.publisher),
                "subscription": _profile(ends.mapped.subscription),
            }
            for ends in gateways
            if ends.place == member.place
        ],
        "links": [
            link_values(link) | {"way": way}
            for way, links in (("in", member.inputs), ("out", member.outputs))
            for link in links
        ],
        "services": _services(member),
        "clients": _clients(member),
        "stamps": [link for link in member.outputs if link.outside is None],
        "parameters": [parameter_values(p, member.slug) for p in member.core.parameters],
        "others": others_of(member.type, member.core),
    }


def _gateway(design: Design, ends: PoolEnds) -> dict[str, Any]:
    return {
        "number": ends.network.gateway,
        "network": ends.network,
        "place": ends.place,
        "sources": ", ".join(str(place) for place in ends.sources),
        "rooms": ends.mapped.rooms,
        "room_bytes": ends.mapped.room_bytes,
        "narrower": ends.network.width < design.port_bits,
    }


def _profile(qos: QoS | None) -> dict[str, Any] | None:
    """A quality of service in the words of C++."""
    if qos is None:
        return None
    nanoseconds = {
        name: round(getattr(qos, f"{name}_ms") * 1e6)
        for name in ("deadline", "lifespan", "liveliness_lease")
    }
    durability = "volatile_" if qos.durability == "volatile" else qos.durability
    return qos.to_json() | {"durability": durability, "ns": nanoseconds}


def link_values(link: Link) -> dict[str, Any]:
    """Return what templates need of a stream."""
    fields = (
        "port",
        "name",
        "suffix",
        "probe",
        "outside",
        "network",
        "end",
        "problem",
        "service",
        "client",
        "kind",
        "width",
    )
    period = link.timer.period.name if link.timer else None
    own = {name: getattr(link, name) for name in fields}
    return own | {"cpp": qualified(link.message), "period": period}


def parameter_values(parameter: Parameter, owner: str) -> dict[str, Any]:
    """Return what templates need of a register."""
    name = slug(parameter.name)
    return {
        "port": f"parameter_{parameter.name.replace('.', '_')}_i",
        "wire": f"parameter_{owner}_{name}_i",
        "setting": f"{owner}.{parameter.name}",
        "name": parameter.name,
        "declare": declaration_of(parameter),
        "read_only": parameter.read_only,
        "choices": [str(choice) for choice in parameter.choices if parameter.type == "string"],
    }


def _words(design: Design) -> list[dict[str, Any]]:
    """The probes in words, each with the node's vector and the bit in it."""
    bits = [
        {"owner": member.slug, "bit": bit}
        for member in design.members
        for bit, _ in enumerate([*member.inputs, *member.outputs])
    ]
    cut = [bits[i : i + PROBES_PER_WORD] for i in range(0, len(bits), PROBES_PER_WORD)]
    return [
        {"number": number, "links": links, "free": PROBES_PER_WORD - len(links)}
        for number, links in enumerate(cut)
    ]
