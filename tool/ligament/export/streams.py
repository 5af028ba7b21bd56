# SPDX-License-Identifier: Apache-2.0
"""What a driver has to know of the streams of a design: where they lead, and what passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ligament.export.registers import node_of
from ligament.generate.fpga.plan import Design, Link, Member
from ligament.generate.fpga.texts import room_bytes


def streams_of(design: Design, longest: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the streams as export.json has them; `longest`: bytes of each message type at most."""
    ends = {link.name: end.number for end in design.ends for link in (end.entry, end.exit) if link}
    return [
        {
            "name": link.name,
            "node": node_of(member),
            "port": link.port,
            "direction": direction,
            "message": link.message,
            "bytes": room_bytes(longest.get(link.message, 1)),
            **_place(design, link, ends),
            **_unfit(design, member, link),
        }
        for member in design.members
        for direction, link in _links(member)
    ]


def _links(member: Member) -> Iterator[tuple[str, Link]]:
    yield from (("in", link) for link in member.inputs)
    yield from (("out", link) for link in member.outputs)


def _place(design: Design, link: Link, ends: Mapping[str, int]) -> dict[str, Any]:
    if link.outside is not None:
        return {"end": ends[link.name]}
    network = design.networks[link.network]
    is_input = link in network.subscriptions
    return {"topic": network.topic} | ({"subscription": link.end} if is_input else {})


def _unfit(design: Design, member: Member, link: Link) -> dict[str, Any]:
    """What of it the back-end `fpga_uio` does not serve (spec/device/uio.md)."""
    if link.service:
        return {"unfit": f"services ({link.name})"}
    if member.core.answers_each:
        return {"unfit": f"nodes that answer each message by itself ({node_of(member)})"}
    if link.outside is None and design.networks[link.network].gateway is not None:
        return {"unfit": f"gateways ({design.networks[link.network].topic})"}
    return {}
