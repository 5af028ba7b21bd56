# SPDX-License-Identifier: Apache-2.0
"""Runs one verb: finds it, parses its words, tells its errors.

run(["select", "kv260"], "colcon acceleration")        # the exit code
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any

from ligament.acceleration import verbs
from ligament.acceleration.verbs import verb_names
from ligament.acceleration.workspace import Workspace
from ligament.cli.main import report_error, told
from ligament.errors import InputError, Problem, listing, nearest

SUMMARY = "Platforms of this workspace, and what is built for them."
_EXIT_CODES = "Exit codes: 0 done, 1 something that was run failed, 2 a mistake in the input."


def load_verb(name: str) -> Any:
    """Return a verb's module; raise InputError for a name that is none."""
    known = verb_names()
    if name not in known:
        text = f"there is no verb '{name}'"
        raise InputError(
            Problem("verb-unknown", text, expected=listing(known, 30), hint=nearest(name, known))
        )
    return importlib.import_module(f"{verbs.__name__}.{name.replace('-', '_')}")


def help_text(program: str) -> str:
    """Return the help of all verbs."""
    names = verb_names()
    width = max(map(len, names))
    lines = [f"usage: {program} VERB [ARGUMENTS]", "", SUMMARY, ""]
    lines += [f"  {name:{width}}  {load_verb(name).HELP}" for name in names]
    options = "--json and --dry-run are every verb's; --workspace names another folder than this."
    return "\n".join([*lines, "", f"{program} VERB --help explains a verb. {options}", _EXIT_CODES])


def parser_of(name: str, program: str) -> argparse.ArgumentParser:
    """Return what parses a verb's words."""
    verb = load_verb(name)
    about = cleandoc(verb.__doc__ or "").replace("colcon acceleration", program)
    parser = argparse.ArgumentParser(
        prog=f"{program} {name}",
        description=f"{verb.HELP}\n\n{about}",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verb.add_arguments(parser)
    common = parser.add_argument_group("options of every verb")
    common.add_argument(
        "--workspace", type=Path, metavar="FOLDER", help="the workspace; default: this folder"
    )
    common.add_argument("--json", action="store_true", help="print the result as JSON on stdout")
    common.add_argument(
        "--dry-run", action="store_true",
        help="say what would be done, and change nothing; "
        "packages may be fetched into acceleration/cache",
    )  # fmt: skip
    return parser


def run(words: Sequence[str], program: str) -> int:
    """Run a verb with its words; return the exit code."""
    if not words or words[0] in ("--help", "-h", "help"):
        print(help_text(program))
        return 0
    try:
        arguments = parser_of(words[0], program).parse_args(words[1:])
        code: int = load_verb(words[0]).main(arguments, Workspace(arguments.workspace))
        return code
    except SystemExit as ended:  # argparse: 0 after --help, 2 after a mistake
        return ended.code if isinstance(ended.code, int) else 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        known = told(error)
        if known is None:
            raise
        report_error(known, as_json="--json" in words)
        return known.exit_code
