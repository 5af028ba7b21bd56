# SPDX-License-Identifier: Apache-2.0
"""Which ROS 2 network an edge joins: domain, how far it looks, whom it asks, as ROS 2 has them.

The command line takes precedence over the graph, the graph over ROS 2's environment variables.
What is decided here reaches the DDS engine as configuration in front of the user's own
CYCLONEDDS_URI, which may therefore overrule it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ligament.errors import InputError, Problem
from ligament.graph.model import Edge

MAX_DOMAIN_ID = 232
RANGES = ("subnet", "localhost", "off", "system_default")
# As ROS 2's own binding of this engine: so many participants of a host are found without multicast.
_MAX_INDEX = 32
_PEER = re.compile(r"[A-Za-z0-9.:_%-]+")


@dataclass(frozen=True)
class Network:
    """What was decided."""

    domain_id: int
    discovery_range: str
    static_peers: tuple[str, ...]

    def environment(self, tag: str, others: Mapping[str, str] = os.environ) -> dict[str, str]:
        """What an edge needs in its environment; `tag` is unique among all edges of the network."""
        config = engine_config(self, tag)
        given = others.get("CYCLONEDDS_URI", "")
        joined = ",".join(part for part in (config, given) if part)
        return {"CYCLONEDDS_URI": joined} if joined else {}


def choose_network(
    edge: Edge, domain_id: int | None, environment: Mapping[str, str] = os.environ
) -> Network:
    """The network of an edge; raises InputError if a variable says what ROS 2 does not know."""
    # A person's list or range in the graph is not lost to ROS_LOCALHOST_ONLY in some terminal.
    alone = environment.get("ROS_LOCALHOST_ONLY", "") == "1"
    found = "localhost" if alone else _range(environment)
    peers = () if alone else _peers(environment)
    return Network(
        _domain_id(environment, domain_id if domain_id is not None else edge.domain_id),
        edge.discovery_range or found,
        edge.static_peers if edge.static_peers is not None else peers,
    )


def engine_config(network: Network, tag: str) -> str:
    """The engine's configuration as XML; empty where ROS 2 leaves the engine as it is."""
    reach = network.discovery_range
    peers = [] if reach in ("off", "system_default") else list(network.static_peers)
    if reach == "localhost":
        peers.insert(0, "127.0.0.1")  # a machine without /etc/hosts does not know `localhost`
    parts = []
    if reach in ("off", "localhost"):
        parts.append("<General><AllowMulticast>false</AllowMulticast></General>")
    if reach == "off":
        index = "<ParticipantIndex>none</ParticipantIndex>"
        parts.append(f"<Discovery>{index}<Tag>{tag}</Tag></Discovery>")
    elif peers:
        listed = "".join(f"<Peer Address={quoteattr(peer)}/>" for peer in peers)
        parts.append(
            "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
            f"<MaxAutoParticipantIndex>{_MAX_INDEX}</MaxAutoParticipantIndex>"
            f"<Peers>{listed}</Peers></Discovery>"
        )
    return f"<CycloneDDS><Domain>{''.join(parts)}</Domain></CycloneDDS>" if parts else ""


def _domain_id(environment: Mapping[str, str], chosen: int | None) -> int:
    if chosen is not None:
        return chosen
    text = environment.get("ROS_DOMAIN_ID", "") or "0"
    if not text.isdecimal() or int(text) > MAX_DOMAIN_ID:
        raise _refused("ROS_DOMAIN_ID", text, f"a number from 0 to {MAX_DOMAIN_ID}")
    return int(text)


def _range(environment: Mapping[str, str]) -> str:
    text = environment.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "") or "SUBNET"
    if text.lower() not in RANGES or text != text.upper():
        known = ", ".join(word.upper() for word in RANGES)
        raise _refused("ROS_AUTOMATIC_DISCOVERY_RANGE", text, f"one of {known}")
    return text.lower()


def _peers(environment: Mapping[str, str]) -> tuple[str, ...]:
    peers = [p for p in environment.get("ROS_STATIC_PEERS", "").split(";") if p]
    wrong = next((p for p in peers if not _PEER.fullmatch(p)), None)
    if wrong is not None:
        raise _refused("ROS_STATIC_PEERS", wrong, "host names or addresses, with ; between them")
    return tuple(peers)


def _refused(name: str, text: str, expected: str) -> InputError:
    return InputError(Problem("ros-environment", f"{name} is '{text}'", expected=expected))
