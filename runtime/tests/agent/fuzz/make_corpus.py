# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds: what real clients and agents say, so that the fuzzers begin behind the login.

python make_corpus.py
"""

from __future__ import annotations

import struct
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus")
KINDS = {
    "participant": 1,
    "topic": 2,
    "publisher": 3,
    "subscriber": 4,
    "writer": 5,
    "reader": 6,
}


def pieces(*messages: bytes) -> bytes:
    """Several messages as one input."""
    return b"".join(struct.pack("<H", len(m)) + m for m in messages)


def part(number: int, payload: bytes, flags: int = 1) -> bytes:
    """A submessage, padded to 4 bytes."""
    padding = bytes(-len(payload) % 4)
    return struct.pack("<BBH", number, flags, len(payload)) + payload + padding


def text(value: str) -> bytes:
    """A string of CDR."""
    return struct.pack("<I", len(value) + 1) + value.encode() + b"\0"


def oid(number: int, kind: int) -> bytes:
    """An object id."""
    return struct.pack(">H", number << 4 | kind)


def create(request: int, kind: int, form: int, value: bytes, parent: bytes) -> bytes:
    """A CREATE of object 1 of a kind."""
    head = struct.pack(">H", request) + oid(1, kind) + bytes((kind, form)) + b"\0\0"
    return part(1, head + struct.pack("<I", len(value)) + value + parent, 1 | 2 | 4)


LOGIN = b"\x80\0\0\0" + part(0, b"XRCE\x01\0\x01\x0f\x01\x02\x03\x04\x81\0\xfc\x01")
TOPIC = text("rt/t") + b"\0\x01\0\0" + text("T")
END = oid(1, 2) + b"\x01\0" + b"\x03\0\x01\0\x05\0\0\0\0\0\0"


def reliable(sequence: int, *parts_: bytes) -> bytes:
    """A message of the reliable stream."""
    return struct.pack("<BBH", 0x81, 0x80, sequence) + b"".join(parts_)


def unordered(*parts_: bytes) -> bytes:
    """A message of no stream."""
    return b"\x81\0\0\0" + b"".join(parts_)


ENTITIES = [
    reliable(0, create(10, 1, 3, b"\0\x01\0\0" + text("n"), b"\0\0")),
    reliable(1, create(11, 2, 3, TOPIC, oid(1, 1)), create(12, 3, 3, b"\0\0", oid(1, 1))),
    reliable(2, create(13, 4, 2, text("")[4:], oid(1, 1)), create(14, 5, 3, END, oid(1, 3))),
    reliable(3, create(15, 6, 3, END, oid(1, 4))),
    reliable(4, part(8, b"\0\x10" + oid(1, 6) + b"\x80\0\0\x01\xff\xff\0\0\0\0\0\0")),
]


def agent_seeds() -> dict[str, bytes]:
    """Sessions from their login on."""
    write = part(7, b"\0\x20" + oid(1, 5) + b"hello")
    halves = reliable(5, part(13, write[:8])), reliable(6, part(13, write[8:], 3))
    heartbeat, acknack = part(11, b"\0\0\x05\0\x80"), part(10, b"\x02\0\0\x05\x80")
    return {
        "ping": pieces(b"\x80\0\0\0" + part(2, b"\0\x09\xff\xfd\x02\0\0\0")),
        "entities": pieces(LOGIN, *ENTITIES, reliable(5, write)),
        "fragments": pieces(LOGIN, *ENTITIES, *halves),
        "early": pieces(LOGIN, reliable(2, write), reliable(1, write), unordered(heartbeat)),
        "acknack": pieces(LOGIN, *ENTITIES, unordered(acknack)),
    }


def service_seeds() -> dict[str, bytes]:
    """Services, references, and what ends a session."""
    service = text("s") + text("Q") + b"\0\0" + text("R") + b"\0\0"
    read = b"\x01\0\0\x01\xff\xff\0\0\0\0\0\0"
    return {
        "service": pieces(
            LOGIN,
            ENTITIES[0],
            reliable(1, create(11, 7, 3, service, oid(1, 1))),
            reliable(2, create(12, 8, 3, service, oid(1, 1))),
            reliable(3, part(7, b"\0\x21" + oid(1, 7) + b"q")),
            reliable(4, part(7, b"\0\x22" + oid(1, 8) + bytes(24) + b"r")),
            reliable(5, part(8, b"\0\x23" + oid(1, 8) + read)),
        ),
        "references": pieces(
            LOGIN,
            reliable(0, create(10, 1, 1, b"p\0", b"\0\0")),
            reliable(1, create(11, 2, 1, b"t\0", oid(1, 1))),
            reliable(2, part(3, b"\0\x0c" + oid(1, 1))),
            unordered(part(14, bytes(8))),
            unordered(part(12, b"")),
            unordered(part(3, b"\0\x0d\xff\xfe")),
        ),
    }


def client_seeds() -> dict[str, bytes]:
    """What an agent may say after the client's entities are there: its session is 0x82."""

    def message(stream: int, sequence: int, *parts_: bytes) -> bytes:
        return struct.pack("<BBH", 0x82, stream, sequence) + b"".join(parts_)

    def data(number: int, kind: int, body: bytes) -> bytes:
        return part(9, b"\0\x10" + oid(number, kind) + body)

    hello = text("hello") + b"\0\0" + struct.pack("<III", 2, 7, 8)
    sample = data(3, 6, hello)
    # The client has had a status for each of its entities: 1 + 3 + 3 + 1 + 1.
    first = 9
    return {
        "data": pieces(message(0x80, first, sample), message(1, 0, sample)),
        "early": pieces(message(0x80, first + 1, sample), message(0x80, first, sample)),
        "fragments": pieces(
            message(0x80, first, part(13, sample[:12])),
            message(0x80, first + 1, part(13, sample[12:], 3)),
        ),
        "request": pieces(message(0x80, first, data(4, 8, bytes(range(24)) + b"q"))),
        "reply": pieces(message(0x80, first, data(5, 7, b"\0\x20" + oid(5, 7) + hello))),
        "control": pieces(
            message(0, 0, part(10, b"\x03\0\0\x05\x80")),
            message(0, 0, part(11, b"\x09\0\x0b\0\x80")),
            message(0, 0, part(15, bytes(24))),
            message(0, 0, part(6, bytes(16))),
        ),
    }


def parameter_seeds() -> dict[str, bytes]:
    """Requests about parameters, behind the number of their service."""
    names = struct.pack("<I", 2) + text("a") + b"\0\0" + text("a.b")
    value = struct.pack("<BBxxxxxxqd", 2, 0, 4, 0.0) + text("") + bytes(3) + bytes(20)
    # An integer lies at a multiple of 8: behind a count and a text of 4 + 2 bytes there are 2 left.
    one = struct.pack("<I", 1) + text("a") + value[:2] + bytes(4) + value[8:]
    return {
        "describe": b"\0" + names,
        "get": b"\1" + names,
        "types": b"\2" + names,
        "list": b"\3" + struct.pack("<I", 1) + text("a") + bytes(2) + struct.pack("<Q", 1),
        "set": b"\4" + one,
        "set_all": b"\5" + one,
    }


def xml_seeds() -> dict[str, bytes]:
    """Representations in XML and binary, behind their kind and form."""
    writer = (
        "<dds><data_writer><topic><name>a</name><dataType>b</dataType><historyQos><kind>KEEP_LAST"
        "</kind><depth>3</depth></historyQos></topic><qos><durability><kind>VOLATILE</kind>"
        "</durability><deadline><period><sec>1</sec></period></deadline></qos></data_writer></dds>"
    )
    requester = '<dds><requester service_name="a"request_type="&lt;"reply_type="c"/></dds>'
    return {
        "writer": b"\x05\x02" + writer.encode() + b"\0",
        "requester": b"\x07\x02" + requester.encode() + b"\0",
        "remarks": b"\x02\x02<?xml?><!-- a --><dds><topic><name>x</name></topic></dds>",
        "topic": b"\x02\x03" + TOPIC,
        "end": b"\x06\x03" + END,
    }


def main() -> None:
    """Write all of them."""
    frame = bytes((0x7E, 1, 0, 2, 0, 0x61, 0x62, 0x49, 0x49))
    folders = {
        "xrce_agent": {**agent_seeds(), **service_seeds()},
        "xrce_client": client_seeds(),
        "xrce_parameters": parameter_seeds(),
        "xrce_representation": xml_seeds(),
        "xrce_frames": {
            "frame": frame,
            "cut": frame[:5] + frame,
            "escape": b"\x7e\x7d\x5e" + frame,
        },
    }
    for folder, seeds in folders.items():
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
        for name, seed in seeds.items():
            (CORPUS / folder / name).write_bytes(seed)


if __name__ == "__main__":
    main()
