# SPDX-License-Identifier: Apache-2.0
"""What a shell completes `ligament ...` with: verbs, options, and values that are cheap to know.

    ligament --completion bash            # the script that a shell reads; also zsh and fish
    ligament --complete AT WORD...        # what it asks: the line, and which word is typed

An answer is a line per candidate: the word, a tab, what it means. Where none is printed the shell
completes files. Verbs come from the table alone; a verb is imported the first time that one of its
options is asked for, and what it has is kept (`cache.py`), so that a Tab takes as long as Python's
start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ligament import __version__, cache, resources
from ligament.cli.main import VERBS, Verb, command_of
from ligament.errors import InputError, LigamentError, Problem, listing

if TYPE_CHECKING:
    from ligament.graph import Graph

GLOBAL = {
    "--help": "Say which verbs there are.",
    "--version": "Print the version.",
    "--completion": "Print what a shell completes with: bash, zsh, fish.",
}
BASH = """# Completion of ligament in bash; made by: ligament --completion bash
_ligament() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete "$COMP_CWORD" "${COMP_WORDS[@]}" \\
    2>/dev/null | cut -f1)
  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _ligament ligament
"""
ZSH = """#compdef ligament
# Completion of ligament in zsh; made by: ligament --completion zsh
_ligament() {
  local -a found
  local line
  for line in "${(@f)$("${words[1]}" --complete $((CURRENT - 1)) "${(@)words}" 2>/dev/null)}"; do
    if [[ -n $line ]]; then found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}"); fi
  done
  if ((${#found})); then _describe ligament found; else _files; fi
}
if [[ ${funcstack[1]} == _ligament ]]; then _ligament "$@"; else compdef _ligament ligament; fi
"""
FISH = """# Completion of ligament in fish; made by: ligament --completion fish
function __ligament_complete
    set -l before (commandline -opc)
    $before[1] --complete (count $before) $before (commandline -ct) 2>/dev/null
end
complete -c ligament -a '(__ligament_complete)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}
PLACES = {
    "bash": "bash-completion/completions/ligament",
    "zsh": "zsh/site-functions/_ligament",
    "fish": "fish/vendor_completions.d/ligament.fish",
}
"""Where each shell looks below a `share` folder."""


@dataclass(frozen=True)
class Described:
    """The options of a verb or sub-verb: by each of its names; and its sub-verbs."""

    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    """`text`, `takes` (whether a value follows), `choices`."""
    verbs: dict[str, Described] = field(default_factory=dict)
    text: str = ""


def script(shell: str) -> str:
    """Return what a shell reads; raise InputError for one that is not known."""
    if shell not in SCRIPTS:
        problem = Problem(
            "shell-unknown", f"there is no completion for '{shell}'", expected=listing(SCRIPTS)
        )
        raise InputError(problem)
    return SCRIPTS[shell]


def answer(words: list[str]) -> str:
    """Return the lines for `AT WORD...`; nothing for what is not understood."""
    try:
        at, line = int(words[0]), words[1:]
    except (IndexError, ValueError):
        return ""
    found = candidates(line[1:at], line[at] if at < len(line) else "")
    return "".join(f"{word}\t{' '.join(text.split())}\n" for word, text in found.items())


def candidates(before: list[str], current: str) -> dict[str, str]:
    """Return what the word that is being typed may become, each with what it means."""
    verb = next((v for v in VERBS if before and v.name == before[0]), None)
    if verb is None:
        named = {v.name: v.text for v in VERBS} | GLOBAL
        if before == ["--completion"]:
            named = dict.fromkeys(SCRIPTS, "")
        elif before:
            return {}
        return _beginning(named, current)
    described, rest = described_of(verb), before[1:]
    if not rest and not current.startswith("-") and verb.name in FIRST_WORDS:
        return _beginning(FIRST_WORDS[verb.name](), current)
    while rest and rest[0] in described.verbs:
        described, rest = described.verbs[rest[0]], rest[1:]
    prefix, name, value = _value_of(rest, current, described)
    if name:
        found = _beginning(_values(name, described.options[name], rest), value)
        return {f"{prefix}{word}": text for word, text in found.items()}
    if current.startswith("-"):
        texts = {n: str(option["text"]) for n, option in described.options.items()}
        return _beginning(texts | {"--help": "Explain this, with examples."}, current)
    return _beginning({n: below.text for n, below in described.verbs.items()}, current)


def _acceleration_verbs() -> dict[str, str]:
    from ligament.acceleration.verbs import verb_names  # noqa: PLC0415 - for this verb alone

    return dict.fromkeys(verb_names(), "")


def _kinds() -> dict[str, str]:
    from ligament.new import TEMPLATES  # noqa: PLC0415 - for this verb alone

    return {template.kind: template.text for template in TEMPLATES}


FIRST_WORDS = {"acceleration": _acceleration_verbs, "new": _kinds}
"""Of verbs that have no sub-verbs: what their first word may be."""


def described_of(verb: Verb) -> Described:
    """Return a verb's options, from the cache where the verb is as it was."""
    key = cache.key(verb.name, __version__, cache.fingerprint(cache.files_of(__package__, "*.py")))
    data = cache.get("completion", key)
    if data is None:
        data = _described(command_of(verb))
        cache.put("completion", key, data)
    return _read(data)


def _described(command: Any) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for parameter in command.params:
        if parameter.param_type_name != "option" or parameter.hidden:
            continue
        optional = str(parameter.metavar or "").startswith("[=")  # --trace, --trace=ros2
        option = {
            "text": parameter.help or "",
            "takes": not (parameter.is_flag or parameter.count or optional),
            "choices": [str(c) for c in getattr(parameter.type, "choices", ())],
        }
        options |= dict.fromkeys((*parameter.opts, *parameter.secondary_opts), option)
    below = getattr(command, "commands", {})
    verbs = {name: _described(c) for name, c in below.items() if not c.hidden}
    text = (command.help or "").strip().partition("\n")[0]
    return {"options": options, "verbs": verbs, "text": text}


def _read(data: Mapping[str, Any]) -> Described:
    verbs = {name: _read(below) for name, below in data["verbs"].items()}
    return Described(data["options"], verbs, data["text"])


def _value_of(rest: list[str], current: str, described: Described) -> tuple[str, str, str]:
    """What comes before a value in its word, the option whose value is typed, and the value.

    Bash takes `--variant=x` for three words, the other shells for one.
    """
    if current.startswith("--") and "=" in current:
        name, _, value = current.partition("=")
        return f"{name}=", name if name in described.options else "", value
    before = [*rest, current] if current == "=" else rest
    value = "" if current == "=" else current
    if before and before[-1] == "=":
        name = before[-2] if len(before) > 1 else ""
        return "", name if name in described.options else "", value
    name = before[-1] if before else ""
    return "", name if described.options.get(name, {}).get("takes") else "", value


def _values(name: str, option: Mapping[str, Any], rest: list[str]) -> dict[str, str]:
    if option["choices"]:
        return dict.fromkeys(option["choices"], "")
    if name == "--platform":
        folders = sorted(resources.platforms_dir().iterdir())
        return {f.name: "" for f in folders if (f / "platform.yaml").is_file()}
    graph = _graph(rest) if name in ("--variant", "--until", "--wave-node", "--set") else None
    if graph is None:
        return {}
    if name == "--variant":
        return {n: variant.description or "" for n, variant in graph.variants.items()}
    if name == "--set":
        return {
            f"{n.lstrip('/')}.{parameter}=": ""
            for n, node in graph.nodes.items()
            for parameter in graph.types[node.type].parameters
        }
    return {n.lstrip("/"): node.type for n, node in graph.nodes.items()}


def _graph(rest: list[str]) -> Graph | None:
    """The graph that the line names, or the one of this folder."""
    from ligament.cli.common import graph_path  # noqa: PLC0415 - verbs and options need no graph
    from ligament.graph import load_graph  # noqa: PLC0415

    for word in [*(word for word in rest if not word.startswith("-")), "."]:
        path = os.path.expanduser(word)
        if word != "." and not Path(path).exists() and "/" not in word:
            continue  # a value, and not a graph
        try:
            return load_graph(graph_path(path))
        except (LigamentError, OSError):
            continue
    return None


def _beginning(named: Mapping[str, str], current: str) -> dict[str, str]:
    return {word: named[word] for word in _sorted(named) if word.startswith(current)}


def _sorted(words: Iterable[str]) -> list[str]:
    """Long options before short ones."""
    return sorted(words, key=lambda word: (word[:1] == "-" and word[:2] != "--", word))
