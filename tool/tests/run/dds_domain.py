# SPDX-License-Identifier: Apache-2.0
"""DDS domains for tests: what runs beside one on this machine must not be heard."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from collections.abc import Iterator

#: CYCLONEDDS_URI: no network is needed, and none hears us.
LOOPBACK = (
    "<General><Interfaces><NetworkInterface name='lo' multicast='false'/></Interfaces></General>"
    "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>"
    "<Peers><Peer address='127.0.0.1'/></Peers></Discovery>"
)
_taken: list[socket.socket] = []
#: The next one to try: one that was given back rests while others are free.
_next = itertools.count(os.getpid())


def take_dds_domain() -> int:
    """From 1 to 99; no other test gets it before this process ends."""
    domain_id, place = _take()
    _taken.append(place)
    return domain_id


@contextlib.contextmanager
def dds_domain() -> Iterator[int]:
    """The same for a while."""
    domain_id, place = _take()
    with place:
        yield domain_id


def _take() -> tuple[int, socket.socket]:
    for number in itertools.islice(_next, 99):
        domain_id = 1 + number % 99
        place = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            place.bind(f"\0ligament-test-dds-domain-{domain_id}")
        except OSError:
            place.close()
            continue
        return domain_id, place
    raise AssertionError("every DDS domain is taken")
