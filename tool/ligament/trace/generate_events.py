# SPDX-License-Identifier: Apache-2.0
"""Write what derives from events.yaml and ros2.yaml: hooks, LTTng provider, converter tables.

CMake calls `python -m ligament.trace.generate_events --events FILE --template NAME --out FILE`;
with `--ros2`, hooks and provider are those of ros2_tracing's events that our nodes emit.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import jinja2

from ligament import __version__
from ligament.artefacts import write_text
from ligament.trace.events import EventSet, load_events, load_import

TEMPLATES = Path(__file__).parent / "templates"
CPP_TYPES = {
    "u8": "std::uint8_t",
    "u32": "std::uint32_t",
    "u64": "std::uint64_t",
    "i32": "std::int32_t",
    "i64": "std::int64_t",
    "f64": "double",
    "string": "const char*",
    "bytes": "const std::uint8_t*",
}


def digest(events: EventSet) -> str:
    """What library and provider must agree on: names, fields and types, not descriptions."""
    layout = [
        (event.name, [(field.name, field.type) for field in (*events.common, *event.fields)])
        for event in events.events
    ]
    return hashlib.sha256(repr(layout).encode()).hexdigest()[:16]


def render(events: EventSet, template: str, folder: Path, *, ros2: bool = False) -> str:
    """The text of one generated file; the same input gives the same bytes.

    `folder` holds ros2.yaml; it is read for what imports need, and for the provider `ros2`.
    """
    foreign = load_import(folder / "ros2.yaml", events)
    table = events.extended(foreign)
    source = "ros2.yaml" if ros2 else "events.yaml"
    emitted = foreign.emitted() if ros2 else events
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    origin = f"Generated from spec/events/{source} by {template}, ligament {__version__}."
    return environment.get_template(template).render(
        set=emitted,
        scope="ligament::trace::ros2" if ros2 else "ligament::trace",
        cpp=CPP_TYPES,
        origin=origin,
        foreign=foreign,
        rows=table.names(),
        columns=table.columns(),
        digest=digest(emitted),
    )


def main(arguments: list[str] | None = None) -> int:
    """Command line of the generator."""
    parser = argparse.ArgumentParser(prog="generate_events", description=__doc__)
    parser.add_argument("--events", type=Path, required=True, help="path of events.yaml")
    parser.add_argument(
        "--template",
        required=True,
        choices=sorted(path.name for path in TEMPLATES.glob("*.j2")),
        help="which file to make",
    )
    parser.add_argument("--ros2", action="store_true", help="the provider `ros2`")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    options = parser.parse_args(arguments)
    text = render(
        load_events(options.events), options.template, options.events.parent, ros2=options.ros2
    )
    write_text(options.out, text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
