# SPDX-License-Identifier: Apache-2.0
"""All pages of the generated reference: the files, the verbs and the trace events.

A verb's text lives in its docstring and options, an event's in spec/events/events.yaml, a field's
in its schema. `all_pages()` returns page name -> Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ligament import resources
from ligament.cli.main import VERBS, command_of
from ligament.graph.reference import reference_pages
from ligament.trace.events import Event, load_events

_HEAD = ["", "| argument | default | meaning |", "|---|---|---|"]


def all_pages() -> dict[str, str]:
    """Return all pages; `index.md` lists them."""
    pages = reference_pages() | {"verbs.md": verb_page(), "events.md": event_page()}
    pages["index.md"] += (
        "\nBeside the files:\n\n"
        "- [Verbs](verbs.md): what each command does, with its arguments.\n"
        "- [Events](events.md): every trace event with its fields.\n"
    )
    return pages


def verb_page() -> str:
    """Return the page of all verbs: what `--help` says of each."""
    lines = [
        "# Verbs", "", "Generated from the commands; `ligament VERB --help` says the same.", "",
        "Exit codes: 0 done, 1 a failure (what was run and where its log is), 2 a mistake in the "
        "input.",
    ]  # fmt: skip
    for verb in VERBS:
        lines += _command(f"ligament {verb.name}", command_of(verb), "##")
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any, mark: str) -> Iterator[str]:
    yield from ("", f"{mark} {name}", "")
    below: dict[str, Any] = getattr(command, "commands", {})
    shown = [item for item in command.params if not item.hidden and "--help" not in item.opts]
    words = [item.make_metavar(command.make_context("", [], resilient_parsing=True))
             for item in shown if item.param_type_name == "argument"]  # fmt: skip
    options = ["[OPTIONS]"] if len(words) < len(shown) else []
    verbs = ["COMMAND"] if below else []
    yield f"`{' '.join([name, *options, *words, *verbs])}`"
    for paragraph in (command.help or "").strip().split("\n\n"):
        yield from ("", _paragraph(" ".join(paragraph.split())))
    if shown:
        yield from _HEAD
        yield from (_row(item, command) for item in shown)
    for key, inner in below.items():
        yield from _command(f"{name} {key}", inner, f"{mark}#")


def _paragraph(text: str) -> str:
    """A paragraph of a help text; one that is a command becomes code."""
    return f"`{text}`" if text.startswith("ligament ") and "`" not in text else _plain(text)


def _row(item: Any, command: Any) -> str:
    context = command.make_context("", [], resilient_parsing=True)
    if item.param_type_name == "argument":
        name = item.make_metavar(context)
    else:
        metavar = "" if item.is_flag else f" {item.make_metavar(context)}"
        name = ", ".join([*item.opts, *item.secondary_opts]) + metavar
    default = "**required**" if item.required else _default(item)
    return f"| `{_cell(name)}` | {default} | {_cell(_plain(item.help or ''))} |"


def _default(item: Any) -> str:
    value = item.default
    if callable(value) or value in (None, (), []) or isinstance(value, bool):
        return ""
    return f"`{_cell(str(value))}`"


def event_page() -> str:
    """Return the page of all trace events, by phase."""
    events = load_events(resources.spec_dir() / "events" / "events.yaml")
    common = ", ".join(f"`{f.name}` ({f.type}: {f.description})" for f in events.common)
    lines = ["# Trace events", "", "Generated from `spec/events/events.yaml`; change the text "
             f"there. Every event also has {common}"]  # fmt: skip
    for phase in dict.fromkeys(event.phase for event in events.events):
        lines += ["", f"## Events of phase {phase}"]
        for event in events.events:
            if event.phase == phase:
                lines += _event(event)
    return "\n".join(lines) + "\n"


def _event(event: Event) -> list[str]:
    lines = ["", f"### {event.name}", "", _plain(event.description)]
    if not event.fields:
        return lines
    lines += ["", "| field | type | unit | meaning |", "|---|---|---|---|"]
    for field in event.fields:
        kind = f"{field.type} (handle)" if field.handle else field.type
        lines.append(
            f"| `{field.name}` | {kind} | {field.unit} | {_cell(_plain(field.description))} |"
        )
    return lines


def _plain(text: str) -> str:
    """A text in which `<` is no tag, but inside of code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else p.replace("<", "&lt;") for p in parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
