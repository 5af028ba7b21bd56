# SPDX-License-Identifier: Apache-2.0
"""YAML text with the place of every key and value (the twin of `json_source.parse_json`).

Import it where it is needed: ruamel.yaml is slow to import, and a text that was read before is in
`ligament.cache`.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from ligament.errors import InputError, Location, Problem
from ligament.graph.source import MAX_DEPTH, MAX_VALUES, Document, Path

# What ROS 2's parameter files read as booleans (YAML 1.1, as rcl_yaml_param_parser lists them).
ROS_TRUE = frozenset({"Y", "y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
ROS_FALSE = frozenset({"N", "n", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})


def parse_yaml(text: str, file: str, *, ros_booleans: bool = False) -> Document:
    """Parse one YAML document; raise InputError with the place of what is wrong."""
    yaml = YAML(typ="safe", pure=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor given twice: YAML allows it
            nodes = list(_compose(yaml, text))
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - text.rfind("\n", 0, error.position)
        shown = f"the character {_shown(error.character)} is not allowed in YAML"
        raise InputError(Problem("yaml-syntax", shown, Location(file, line, column))) from error
    except MarkedYAMLError as error:
        raise InputError(_syntax_problem(error, file, text)) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise InputError(
            Problem("yaml-syntax", str(error) or "nested too deeply", Location(file))
        ) from error
    if len(nodes) > 1:
        raise InputError(
            Problem(
                "yaml-syntax",
                "the file holds more than one document",
                _mark(file, nodes[1]),
                expected="one document, without a second ---",
            )
        )
    reader = _Reader(yaml, file, ros_booleans)
    document = reader.document
    if nodes:
        document.data = reader.read(nodes[0], (), ())
    if reader.problems:
        raise InputError(reader.problems)
    return document


def _shown(character: int | str) -> str:
    return repr(chr(character) if isinstance(character, int) else character)


def _compose(yaml: YAML, text: str) -> Iterator[Node]:
    yaml.get_constructor_parser(io.StringIO(text))
    composer = yaml.composer
    while composer.check_node():
        node = composer.get_node()
        if node is not None:
            yield node


def _syntax_problem(error: MarkedYAMLError, file: str, text: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    location = Location(file, mark.line + 1, mark.column + 1) if mark else Location(file)
    said = str(error.problem or error.context or "not valid YAML")
    if "'\\t'" in said or "tab" in said:
        return Problem(
            "yaml-syntax",
            "a tab is used for indentation",
            location,
            expected="spaces; YAML does not allow tabs there",
        )
    if error.context and error.problem:
        said = f"{error.context}: {error.problem}"
    lines = text.split("\n")
    if mark and mark.line >= len(lines) - 1 and not "".join(lines[mark.line :]).strip():
        said += " (the file ends here)"
    return Problem("yaml-syntax", said, location)


def _mark(file: str, node: Node) -> Location:
    start, end = node.start_mark, node.end_mark
    length = end.column - start.column if end.line == start.line else 1
    return Location(file, start.line + 1, start.column + 1, max(1, length))


class _Reader:
    """Turns YAML nodes into plain data and notes where each came from."""

    def __init__(self, yaml: YAML, file: str, ros_booleans: bool) -> None:
        self.document = Document(file)
        self.problems: list[Problem] = []
        self._yaml = yaml
        self._file = file
        self._ros_booleans = ros_booleans
        self._count = 0

    def read(self, node: Node, path: Path, above: tuple[int, ...]) -> Any:
        self._count += 1
        self.document.values[path] = _mark(self._file, node)
        if id(node) in above:
            return self._complain("yaml-alias", "an alias contains itself", node)
        if self._count > MAX_VALUES or len(above) > MAX_DEPTH:
            raise InputError(
                Problem(
                    "yaml-alias",
                    "the document unfolds without end",
                    _mark(self._file, node),
                    expected=f"at most {MAX_VALUES} values, {MAX_DEPTH} deep",
                )
            )
        if isinstance(node, MappingNode):
            return self._mapping(node, path, (*above, id(node)))
        if isinstance(node, SequenceNode):
            inside = (*above, id(node))
            return [self.read(item, (*path, i), inside) for i, item in enumerate(node.value)]
        assert isinstance(node, ScalarNode), "YAML has no fourth kind of node"
        return self._scalar(node)

    def _mapping(self, node: MappingNode, path: Path, above: tuple[int, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            location = _mark(self._file, key_node)
            if not isinstance(key_node, ScalarNode):
                self._complain("yaml-key", "a key must be a plain string", key_node)
                continue
            key = str(key_node.value)
            if key in data:
                first = self.document.keys[(*path, key)]
                self.problems.append(
                    Problem(
                        "yaml-duplicate-key",
                        f"the key '{key}' appears twice",
                        location,
                        notes=(("it was first given here", first),),
                    )
                )
                continue
            self.document.keys[(*path, key)] = location
            data[key] = self.read(value_node, (*path, key), above)
            if data[key] is None:  # nothing was written: the key is the place to look at
                self.document.values[(*path, key)] = location
        return data

    def _scalar(self, node: ScalarNode) -> Any:
        text = str(node.value)
        tag = str(node.tag).removeprefix("tag:yaml.org,2002:")
        if self._ros_booleans and node.style is None and text in ROS_TRUE | ROS_FALSE:
            return text in ROS_TRUE
        if tag in {"int", "float", "bool", "null"}:
            return self._plain_value(node)
        if tag not in {"str", "timestamp"}:
            return self._complain("yaml-tag", f"the tag {node.tag} is not used here", node)
        return text

    def _plain_value(self, node: ScalarNode) -> Any:
        try:
            value = self._yaml.constructor.construct_object(node)
        except (ValueError, YAMLError) as error:
            return self._complain("yaml-syntax", str(error), node)
        if isinstance(value, float) and not math.isfinite(value):
            # Artefacts are JSON, which has no such numbers.
            return self._complain("number-not-finite", f"{node.value} is not a finite number", node)
        return value

    def _complain(self, code: str, text: str, node: Node) -> None:
        self.problems.append(Problem(code, text, _mark(self._file, node)))
