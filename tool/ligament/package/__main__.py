# SPDX-License-Identifier: Apache-2.0
"""`python -m ligament.package`: what the CMake functions call (spec/build/cmake.md).

`node` and `graph --check` run when CMake configures; all run again at build time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ligament.artefacts import read_json
from ligament.errors import InputError, LigamentError, render_problem


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m ligament.package", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    node = verbs.add_parser("node", help="generate for a node type, and say what it takes to build")
    graph = verbs.add_parser("graph", help="build variants of a graph")
    firmware = verbs.add_parser("firmware", help="build the images of a manifest.json")
    for verb in (node, graph):
        verb.add_argument("--name", required=True, help="the name in CMake")
        verb.add_argument("--package", required=True, help="the package that it is of")
        verb.add_argument("--out", type=Path, required=True, metavar="DIR")
        verb.add_argument("--prefix", type=Path, required=True, metavar="DIR")
    node.add_argument("--manifest", type=Path, required=True, metavar="node.yaml")
    node.add_argument("--messages", type=Path, nargs="*", default=[], metavar="DIR")
    node.add_argument("--implementations", nargs="*", default=[], metavar="KIND")
    graph.add_argument("--file", type=Path, required=True, metavar="graph.yaml")
    graph.add_argument("--platform", default="host")
    graph.add_argument("--variants", nargs="*", default=[], metavar="NAME")
    graph.add_argument("--check", action="store_true", help="only check and map; print its files")
    firmware.add_argument("manifest", type=Path)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        _VERBS[options.verb](options)
    except InputError as error:
        print("\n".join(render_problem(problem) for problem in error.problems), file=sys.stderr)
        return error.exit_code
    except LigamentError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _node(options: argparse.Namespace) -> None:
    from ligament.package.declare import NodeRequest, declare_node  # noqa: PLC0415

    declare_node(
        NodeRequest(
            manifest=options.manifest,
            name=options.name,
            package=options.package,
            out=options.out,
            prefix=options.prefix,
            kinds=tuple(options.implementations),
            messages=tuple(options.messages),
        )
    )


def _graph(options: argparse.Namespace) -> None:
    from ligament.package.graphs import GraphRequest, build_graph, check_graph  # noqa: PLC0415

    request = GraphRequest(
        file=options.file,
        name=options.name,
        package=options.package,
        out=options.out,
        prefix=options.prefix,
        platform=options.platform,
        variants=tuple(options.variants),
    )
    if options.check:
        print("\n".join(str(path) for path in check_graph(request)))
    else:
        build_graph(request)


def _firmware(options: argparse.Namespace) -> None:
    from ligament.build.components import default_jobs  # noqa: PLC0415
    from ligament.build.images import build_images  # noqa: PLC0415

    data = read_json(options.manifest, "configure again")
    build_images(options.manifest.parent, data["backends"]["mcu"], default_jobs(), None)


_VERBS = {"node": _node, "graph": _graph, "firmware": _firmware}

if __name__ == "__main__":
    sys.exit(main())
