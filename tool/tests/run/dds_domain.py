# SPDX-License-Identifier: Apache-2.0
"""DDS domains for tests: what runs beside one on this machine must not be heard."""

from __future__ import annotations

import os
import socket

#: CYCLONEDDS_URI: no network is needed, and none hears us.
LOOPBACK = (
    "<General><Interfaces><NetworkInterface name='lo' multicast='false'/></Interfaces></General>"
    "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>"
    "<Peers><Peer address='127.0.0.1'/></Peers></Discovery>"
)
_taken: list[socket.socket] = []


def take_dds_domain() -> int:
    """From 1 to 99; no other test gets it before this process ends."""
    for number in range(99):
        domain_id = 1 + (os.getpid() + number) % 99
        place = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            place.bind(f"\0ligament-test-dds-domain-{domain_id}")
        except OSError:
            place.close()
            continue
        _taken.append(place)
        return domain_id
    raise AssertionError("every DDS domain is taken")
