# SPDX-License-Identifier: Apache-2.0
"""Reads a package folder: its `msg/*.msg`, `srv/*.srv` and `action/*.action` files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ligament.errors import Location
from ligament.messages.errors import DefinitionError
from ligament.messages.model import (
    DUMMY_MEMBER,
    Action,
    Field,
    FieldType,
    Message,
    Multiplicity,
    Service,
)
from ligament.messages.parser import Section, is_message_name, is_package_name, parse_sections

_UUID = FieldType("unique_identifier_msgs/msg/UUID")
_TIME = FieldType("builtin_interfaces/msg/Time")
_EVENT_INFO = FieldType("service_msgs/msg/ServiceEventInfo")
_KINDS = ("msg", "srv", "action")


@dataclass(frozen=True)
class Definitions:
    """What a package folder defines."""

    messages: tuple[Message, ...] = ()
    services: tuple[Service, ...] = ()
    actions: tuple[Action, ...] = ()

    def all_messages(self) -> Iterator[Message]:
        """Every message, those of services and actions included."""
        yield from self.messages
        for service in self.services:
            yield from service.messages
        for action in self.actions:
            yield from (*action.messages, *action.send_goal.messages, *action.get_result.messages)

    def items(self) -> Iterator[Definitions]:
        """Each message, service and action on its own."""
        yield from (Definitions(messages=(m,)) for m in self.messages)
        yield from (Definitions(services=(s,)) for s in self.services)
        yield from (Definitions(actions=(a,)) for a in self.actions)


def package_name(folder: Path) -> str:
    """The name in the folder's package.xml, else the folder's own."""
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return folder.resolve().name
    try:
        name = ElementTree.parse(manifest).findtext("name")
    except ElementTree.ParseError as error:
        line, column = error.position
        raise DefinitionError(
            "package-manifest",
            f"not well-formed XML ({error})",
            Location(str(manifest), line, column + 1),
            expected="a ROS package manifest",
        ) from None
    if not name or not name.strip():
        raise DefinitionError(
            "package-manifest",
            "the manifest has no <name>",
            Location(str(manifest)),
            expected="<name>package_name</name>",
        )
    return name.strip()


def read_package(folder: Path, *, events: bool = True) -> Definitions:
    """All definitions of a package folder; `events`: whether services have an event message."""
    if not any((folder / kind).is_dir() for kind in _KINDS):
        raise DefinitionError(
            "package-empty",
            f"'{folder}' holds no message definitions",
            expected="a package folder with msg/, srv/ or action/ in it",
        )
    package = package_name(folder)
    if not is_package_name(package):
        raise DefinitionError(
            "package-name",
            f"'{package}' is not a package name",
            Location(str(folder)),
            expected="small letters, digits and single underscores, a letter first",
        )
    reader = _PackageReader(package, events)
    return Definitions(
        tuple(reader.message(path) for path in sorted(folder.glob("msg/*.msg"))),
        tuple(reader.service(path) for path in sorted(folder.glob("srv/*.srv"))),
        tuple(reader.action(path) for path in sorted(folder.glob("action/*.action"))),
    )


def parse_message(text: str, name: str, file: str = "<text>") -> Message:
    """A message from the text of a .msg file; `name` is `package/msg/Name`."""
    section = parse_sections(text, file, name.split("/", maxsplit=1)[0], 1)[0]
    return _message(name, section, file, Location(file))


def _message(name: str, section: Section, origin: str, location: Location) -> Message:
    fields = tuple(section.fields) or (Field(DUMMY_MEMBER, FieldType("uint8")),)
    return Message(name, fields, tuple(section.constants), origin, location)


class _PackageReader:
    """Turns the files of one package into definitions."""

    def __init__(self, package: str, events: bool) -> None:
        self.package = package
        self.events = events

    def message(self, path: Path) -> Message:
        name, (section,) = self._read(path, "msg", 1)
        return _message(name, section, self._origin(path), Location(str(path)))

    def service(self, path: Path) -> Service:
        name, (request, response) = self._read(path, "srv", 2)
        return self._service(name, request, response, path)

    def action(self, path: Path) -> Action:
        name, (goal, result, feedback) = self._read(path, "action", 3)

        def part(suffix: str, section: Section) -> Message:
            return _message(name + suffix, section, self._origin(path), Location(str(path)))

        goal_id = Field("goal_id", _UUID)
        return Action(
            name,
            part("_Goal", goal),
            part("_Result", result),
            part("_Feedback", feedback),
            part(
                "_FeedbackMessage",
                Section([goal_id, Field("feedback", FieldType(f"{name}_Feedback"))]),
            ),
            self._service(
                f"{name}_SendGoal",
                Section([goal_id, Field("goal", FieldType(f"{name}_Goal"))]),
                Section([Field("accepted", FieldType("bool")), Field("stamp", _TIME)]),
                path,
            ),
            self._service(
                f"{name}_GetResult",
                Section([goal_id]),
                Section(
                    [
                        Field("status", FieldType("int8")),
                        Field("result", FieldType(f"{name}_Result")),
                    ]
                ),
                path,
            ),
        )

    def _service(self, name: str, request: Section, response: Section, path: Path) -> Service:
        def part(suffix: str, section: Section) -> Message:
            return _message(name + suffix, section, self._origin(path), Location(str(path)))

        at_most_one = {
            half: FieldType(f"{name}_{half.capitalize()}", Multiplicity.BOUNDED, 1)
            for half in ("request", "response")
        }
        event = Section(
            [Field("info", _EVENT_INFO), *(Field(half, kind) for half, kind in at_most_one.items())]
        )
        return Service(
            name,
            part("_Request", request),
            part("_Response", response),
            part("_Event", event) if self.events else None,
        )

    def _read(self, path: Path, kind: str, parts: int) -> tuple[str, list[Section]]:
        if not is_message_name(path.stem):
            raise DefinitionError(
                "type-name",
                f"'{path.stem}' is not a type name",
                Location(str(path)),
                expected="a file name of letters and digits, a capital letter first",
            )
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise DefinitionError(
                "encoding",
                f"byte {error.start} is not UTF-8",
                Location(str(path)),
                expected="a text file in UTF-8",
            ) from None
        sections = parse_sections(text, str(path), self.package, parts)
        return f"{self.package}/{kind}/{path.stem}", sections

    def _origin(self, path: Path) -> str:
        return f"{self.package}/{path.parent.name}/{path.name}"
