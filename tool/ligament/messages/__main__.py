# SPDX-License-Identifier: Apache-2.0
"""`python -m ligament.messages`: generate C++ headers and JSON tables from definitions."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ligament.messages.cpp import render_all
from ligament.messages.errors import DefinitionError
from ligament.messages.files import write_tree
from ligament.messages.store import load_store


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ligament.messages", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    generate = verbs.add_parser("generate", help="write headers (and types.json) below DIR")
    generate.add_argument("--distro", default="jazzy", help="ROS 2 distribution (default: jazzy)")
    generate.add_argument("--out", type=Path, required=True, metavar="DIR")
    generate.add_argument("--package-dir", type=Path, action="append", default=[], metavar="PATH")
    generate.add_argument("--types", nargs="*", default=None, metavar="PKG/KIND/NAME")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        store = load_store(options.distro, options.package_dir)
        roots = [store.message(t) for t in options.types] if options.types else list(store)
        write_tree(options.out, render_all(store, store.closure(roots)))
    except DefinitionError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
