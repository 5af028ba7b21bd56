# SPDX-License-Identifier: Apache-2.0
"""Manual pages, made from what `--help` says: ligament(1), and ligament-VERB(1) of each verb.

A page is a text in the macros of man(7). It has no date, so the same tool gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ligament import __version__
from ligament.cli.main import STAGES, VERBS, Verb, command_of

EXIT_CODES = (
    ("0", "Done."),
    ("1", "Something that was run failed; the error says what, and where its log is."),
    ("2", "A mistake in the input; the error says where, and what was expected."),
)
VARIABLES = (
    ("LIGAMENT_CACHE", "Folder of what is worked out once; off: none. Default: ~/.cache/ligament."),
    ("LIGAMENT_COMPILE", "1: nodes that come built are compiled all the same."),
    (
        "AMENT_PREFIX_PATH",
        "Prefixes with installed packages of nodes, as a workspace's setup sets.",
    ),
    ("CXXFLAGS", "Further options of the compiler of nodes."),
    ("LIGAMENT_MODEL_FLAGS", "The same of simulated designs that are compiled next."),
)


def pages() -> dict[str, str]:
    """Return all pages by the names of their files."""
    found = {"ligament.1": _main_page()}
    return found | {f"ligament-{verb.name}.1": _verb_page(verb) for verb in VERBS}


def _text(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _main_page() -> str:
    return _text(_main_lines())


def _main_lines() -> Iterator[str]:
    yield from _head("ligament", "one ROS 2 graph across CPUs, GPUs, FPGAs and microcontrollers")
    yield from (".SH SYNOPSIS", ".B ligament", _italic("VERB ARGUMENTS"))
    yield from (".br", ".B ligament \\-\\-version", ".br")
    yield f".B ligament \\-\\-completion {escaped('bash|zsh|fish')}"
    yield from (".SH DESCRIPTION", "A graph of nodes is described once. Each verb is a stage, and")
    yield "reads the file that the stage before has written."
    for stage, title in STAGES.items():
        yield f'.SS "{escaped(title)}"'
        for verb in VERBS:
            if verb.stage == stage:
                yield from (".TP", f"{_bold(f'ligament-{verb.name}')}(1)", escaped(verb.text))
    yield from _table("ENVIRONMENT", VARIABLES)
    yield from _table('"EXIT STATUS"', EXIT_CODES)


def _verb_page(verb: Verb) -> str:
    return _text(_verb_lines(verb))


def _verb_lines(verb: Verb) -> Iterator[str]:
    command = command_of(verb)
    below = getattr(command, "commands", {})
    text = verb.text[:1].lower() + verb.text[1:].rstrip(".")
    yield from _head(f"ligament-{verb.name}", text)
    yield ".SH SYNOPSIS"
    yield from _synopsis(f"ligament {verb.name}", command)
    for name in sorted(below):
        yield ".br"
        yield from _synopsis(f"ligament {verb.name} {name}", below[name])
    yield ".SH DESCRIPTION"
    yield from _description(command.help or verb.text)
    yield from _parameters(command, ".SH OPTIONS")
    for name in sorted(below):
        yield f'.SH "LIGAMENT {escaped(verb.name.upper())} {escaped(name.upper())}"'
        yield from _description(below[name].help or "")
        yield from _parameters(below[name], "")
    yield from _table('"EXIT STATUS"', EXIT_CODES)
    yield from ('.SH "SEE ALSO"', f"{_bold('ligament')}(1)")


def _head(name: str, text: str) -> Iterator[str]:
    yield '.\\" Made from the help of the tool. Do not edit.'
    yield f'.TH {escaped(name.upper())} 1 "" "ligament {__version__}" "Ligament"'
    yield from (".SH NAME", f"{escaped(name)} \\- {escaped(text)}")


def _synopsis(name: str, command: Any) -> Iterator[str]:
    words = [_bold(name)]
    if any(p.param_type_name == "option" for p in command.params):
        words.append(f"[{_italic('OPTIONS')}]")
    if getattr(command, "commands", None):
        words.append(f"[{_italic('VERB')}]")
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            word = _italic(_metavar(parameter)) + ("..." if parameter.nargs == -1 else "")
            words.append(word if parameter.required else f"[{word}]")
    yield " ".join(words)


def _description(text: str) -> Iterator[str]:
    """Paragraphs; those that are one command each, behind `Examples:`, are set apart."""
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "").replace("\f", "").strip()):
        words = " ".join(paragraph.split())
        if re.fullmatch(r"`[^`]+`|ligament .*", words):
            yield from (".PP", ".RS 4", _bold(words.strip("`")), ".RE")
        else:
            yield from (".PP", inline(words))


def _parameters(command: Any, title: str) -> Iterator[str]:
    if title and command.params:
        yield title
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        text = getattr(parameter, "help", None) or ""
        if parameter.param_type_name == "argument":
            yield from (".TP", _italic(_metavar(parameter)))
        else:
            yield from (".TP", _option(parameter))
            if told := _default(parameter):
                text = f"{text} {told}"
        yield inline(" ".join(text.split())) or "\\&"


def _option(parameter: Any) -> str:
    names = sorted((*parameter.opts, *parameter.secondary_opts), key=lambda name: name[:2] == "--")
    words = ", ".join(_bold(name) for name in names)
    if parameter.is_flag or parameter.count:
        return words
    value = _metavar(parameter)
    return f"{words}{'' if value.startswith('[=') else ' '}{_italic(value)}"


def _metavar(parameter: Any) -> str:
    choices = getattr(parameter.type, "choices", None)
    if parameter.metavar:
        return str(parameter.metavar)
    return "|".join(map(str, choices)) if choices else str(parameter.name).upper()


def _default(parameter: Any) -> str:
    value = parameter.default
    if value is None or value is False or value == "" or callable(value) or parameter.is_flag:
        return ""
    return f"Default: {getattr(value, 'value', value)}." if not isinstance(value, list) else ""


def _table(title: str, rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield f".SH {title}"
    for name, text in rows:
        yield from (".TP", _bold(name), inline(text))


def escaped(text: str) -> str:
    """Return text as roff has it: no character begins a request, a minus is one."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def inline(text: str) -> str:
    """Return escaped text, with what stands between backticks in bold."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone backtick is one
        return escaped(text)
    words = [_bold(part) if at % 2 else escaped(part) for at, part in enumerate(parts)]
    line = "".join(word for word in words if word not in ("", "\\fB\\fP"))
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fP"


def _italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fP"
