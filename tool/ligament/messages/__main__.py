# SPDX-License-Identifier: Apache-2.0
"""`python -m ligament.messages`: C++, SystemVerilog, HLS C++, C99 and tables of definitions."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ligament.artefacts import write_text
from ligament.errors import LigamentError
from ligament.messages.c99 import render_c99
from ligament.messages.cpp import render_all
from ligament.messages.files import write_tree
from ligament.messages.hdl import MADE, read_bounds
from ligament.messages.hdl import render_all as render_hdl
from ligament.messages.hls import hls_support, render_hls
from ligament.messages.packages import package_name
from ligament.messages.store import TypeStore, load_store
from ligament.messages.tables import type_tables


def _add_paths(verb: argparse.ArgumentParser, name: str, kind: str, text: str) -> None:
    """Add an option that takes several paths, and may be given several times."""
    verb.add_argument(
        name, type=Path, nargs="+", action="extend", default=[], metavar=kind, help=text
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ligament.messages", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    generate = verbs.add_parser("generate", help="write C++ headers below DIR")
    tables = verbs.add_parser("tables", help="write types.json")
    hardware = verbs.add_parser("hdl", help="write SystemVerilog packages and modules below DIR")
    synthesis = verbs.add_parser("hls", help="write HLS C++ headers below DIR")
    micro = verbs.add_parser("c99", help="write C99 headers for microcontrollers below DIR")
    generate.add_argument("--out", type=Path, required=True, metavar="DIR")
    for verb in (hardware, synthesis, micro):
        verb.add_argument("--out", type=Path, required=True, metavar="DIR")
        _add_paths(
            verb,
            "--bounds",
            "FILE",
            "bounds of unbounded fields, beside those of spec/interfaces/bounds.yaml",
        )
    generate.add_argument(
        "--list", action="store_true", help="print the headers' paths and write nothing"
    )
    tables.add_argument("--out", type=Path, required=True, metavar="FILE")
    for verb in (generate, hardware, synthesis, micro, tables):
        verb.add_argument("--distro", default="jazzy", help="ROS 2 distribution (default: jazzy)")
        _add_paths(verb, "--package-dir", "PATH", "folders with msg/, srv/ or action/ in them")
        verb.add_argument(
            "--types", nargs="+", metavar="PKG/KIND/NAME", help="these types and what they need"
        )
        verb.add_argument(
            "--packages-only",
            action="store_true",
            help="only the types of the package folders (the others come with the library)",
        )
    return parser


def _generate(options: argparse.Namespace, store: TypeStore) -> None:
    messages = store.closure(list(store))
    if options.types:
        messages = store.closure([store.message(name) for name in options.types])
    if options.packages_only:
        own = {package_name(folder) for folder in options.package_dir}
        messages = [m for m in messages if m.package in own]
    if options.verb == "generate" and options.list:
        print("\n".join(str(options.out / name) for name in render_all(store, messages)))
    elif options.verb == "tables":
        tables = type_tables(store, messages, options.distro)
        write_text(options.out, json.dumps(tables, indent=1, ensure_ascii=False) + "\n")
    elif options.verb == "hdl":
        write_tree(options.out, render_hdl(store, messages, read_bounds(options.bounds)), MADE)
    elif options.verb == "hls":
        files = render_hls(store, messages, read_bounds(options.bounds))
        write_tree(options.out, {**files, **hls_support()})
    elif options.verb == "c99":
        write_tree(options.out, render_c99(store, messages, read_bounds(options.bounds)))
    else:
        write_tree(options.out, render_all(store, messages))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        _generate(options, load_store(options.distro, options.package_dir))
    except LigamentError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
