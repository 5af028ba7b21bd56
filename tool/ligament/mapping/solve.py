# SPDX-License-Identifier: Apache-2.0
"""The best answer to a question of placing, by CP-SAT (OR-Tools, the extra `optimise`).

Three goals, one after the other, each kept while the next is sought: the longest way through the
graph, the sum of all times, and how few nodes leave the place that the rules gave them. So among
equal answers the one that changes least is found, and the same question has the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ligament.cores.manifest import CORE_BITS
from ligament.errors import FailureError, InputError, Problem
from ligament.mapping.at_memory import AtMemory, areas_at_memory
from ligament.mapping.network_area import MOST_MASTERS
from ligament.mapping.placing import Answer, Question

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

#: Fields of what a part of an answer adds to the memory port's masters.
MASTERS = ("gateways", "entries", "exits")
#: A search that has not proven its answer by then is given up, never cut short silently.
PATIENCE_S = 60.0


def best_answer(question: Question, before: Answer) -> dict[str, int]:
    """Return the best answer; raise InputError where none fits the budgets."""
    try:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - an extra, for this alone
    except ModuleNotFoundError as error:
        raise FailureError(
            "--optimise needs OR-Tools (Python package ortools)",
            hint="pip install 'ligament[optimise]', in a checkout pip install -e 'tool[optimise]'",
        ) from error
    search = _Search(cp_model, question, before)
    for goal in search.goals:
        best = search.least(goal)
        search.model.add(goal == best)
    return search.answer()


class _Search:
    """The question as a model: a literal per node and option, a row of a table per topic."""

    def __init__(self, library: Any, question: Question, before: Answer) -> None:
        self.library = library
        self.question = question
        self.model: cp_model.CpModel = library.CpModel()
        self.chosen = {
            node: [self.model.new_bool_var(f"{node}@{o.device}") for o in options]
            for node, options in question.options.items()
        }
        for literals in self.chosen.values():
            self.model.add_exactly_one(literals)
        self.found: dict[str, int] = {}
        self.topics = {name: self._topic(name) for name in question.topics}
        self.widths = self._widths()
        self._budgets()
        moved = sum(1 - self.chosen[n][i] for n, i in before.items())
        self.goals = (self._longest(), self._total(), moved)

    def _in_hardware(self, nodes: tuple[str, ...]) -> Any:
        return sum(
            literal
            for n in nodes
            for literal, option in zip(self.chosen[n], self.question.options[n], strict=True)
            if option.in_hardware
        )

    def _topic(self, name: str) -> dict[str, Any]:
        """Return the variables of a topic: its time, its traffic, and each resource."""
        table = self.question.topics[name]
        resources = sorted({r for cost in table.costs.values() for r in cost.area})
        keys = ["ns", "bytes", "width", *MASTERS, *resources]
        rows = [
            [p, s, c.time_ns, c.bytes_per_s, c.width_bits]
            + [getattr(c.masters, kind) for kind in MASTERS]
            + [c.area.get(r, 0) for r in resources]
            for (p, s), c in table.costs.items()
        ]
        columns = [
            self.model.new_int_var(0, max(column), f"{name} {i}")
            for i, column in enumerate(zip(*rows, strict=True))
        ]
        self.model.add(columns[0] == self._in_hardware(table.publishers))
        self.model.add(columns[1] == self._in_hardware(table.subscriptions))
        self.model.add_allowed_assignments(columns, rows)
        return dict(zip(keys, columns[2:], strict=True))

    def _time(self, node: str) -> Any:
        options = self.question.options[node]
        return sum(c * o.time_ns for c, o in zip(self.chosen[node], options, strict=True))

    def _masters(self, kind: str) -> Any:
        of_nodes = sum(
            literal * getattr(option.masters, kind)
            for node, options in self.question.options.items()
            for literal, option in zip(self.chosen[node], options, strict=True)
        )
        return of_nodes + sum(topic[kind] for topic in self.topics.values())

    def _widths(self) -> dict[int, Any]:
        """Return a literal for each width that the memory port may have: exactly one holds."""
        costs = (c for table in self.question.topics.values() for c in table.costs.values())
        widths = sorted({CORE_BITS, *(c.width_bits for c in costs)} - {0})
        width = self.model.new_int_var(widths[0], widths[-1], "width of the port")
        own = [topic["width"] for topic in self.topics.values()]
        self.model.add_max_equality(width, [CORE_BITS, *own])
        literals = {bits: self.model.new_bool_var(f"port of {bits} bits") for bits in widths}
        self.model.add_exactly_one(literals.values())
        self.model.add(width == sum(bits * literal for bits, literal in literals.items()))
        return literals

    def _port(self) -> dict[int, dict[str, Any]]:
        """Return the cells at the memory port by its width and resource.

        They are those of `areas_at_memory`: of ends and their converters, which are linear in their
        numbers, of the port, and of crossings, which are there with the first end.
        """
        ends = self.model.new_int_var(0, MOST_MASTERS, "the larger of entries and exits")
        entries, exits = self._masters("entries"), self._masters("exits")
        self.model.add_max_equality(ends, [entries, exits])
        count = self.model.new_int_var(0, MOST_MASTERS, "masters of the port")
        self.model.add(count == self._masters("gateways") + ends)

        def cells(streams: AtMemory) -> dict[str, int]:
            areas = areas_at_memory(self.question.family, streams, self.question.own_clocks)
            return {r: sum(math.ceil(a.get(r, 0)) for a in areas) for r in self.question.budgets}

        found: dict[int, dict[str, Any]] = {}
        for bits in self.widths:
            # A port of so many bits with n masters, as gateways: no end, so nothing is linear yet.
            ports = [cells(AtMemory(gateways=[bits] * n)) for n in range(MOST_MASTERS + 1)]
            read = cells(AtMemory(reads=[CORE_BITS], gateways=[bits]))
            write = cells(AtMemory(writes=[CORE_BITS], gateways=[bits]))
            found[bits] = {}
            for resource in self.question.budgets:
                amounts = [port[resource] for port in ports]
                port = self.model.new_int_var(0, max(amounts), f"port {bits} {resource}")
                self.model.add_element(count, amounts, port)
                of_read, of_write = (one[resource] - amounts[2] for one in (read, write))
                found[bits][resource] = port + entries * of_read + exits * of_write
        return found

    def _budgets(self) -> None:
        port = self._port()
        for resource, budget in self.question.budgets.items():
            cores = sum(
                literal * option.area.get(resource, 0)
                for node, options in self.question.options.items()
                for literal, option in zip(self.chosen[node], options, strict=True)
            )
            networks = sum(topic.get(resource, 0) for topic in self.topics.values())
            for bits, is_so in self.widths.items():
                needed = cores + networks + port[bits][resource]
                self.model.add(needed <= budget).only_enforce_if(is_so)
        if self.question.bytes_per_s is not None:
            moved = sum(topic["bytes"] for topic in self.topics.values())
            self.model.add(moved <= self.question.bytes_per_s)

    def _total(self) -> Any:
        times = sum(self._time(node) for node in self.chosen)
        return times + sum(topic["ns"] for topic in self.topics.values())

    def _longest(self) -> Any:
        most = sum(max(o.time_ns for o in options) for options in self.question.options.values())
        most += sum(max(c.time_ns for c in t.costs.values()) for t in self.question.topics.values())
        begins = {n: self.model.new_int_var(0, most, f"{n} begins") for n in self.chosen}
        longest = self.model.new_int_var(0, most, "longest")
        for publisher, topic, subscription in self.question.hops:
            ready = begins[publisher] + self._time(publisher) + self.topics[topic]["ns"]
            self.model.add(begins[subscription] >= ready)
        for node, begin in begins.items():
            self.model.add(longest >= begin + self._time(node))
        return longest

    def least(self, goal: Any) -> int:
        """Return the least value of a goal, and keep the answer that has it."""
        solver = self.library.CpSolver()
        # One worker with a fixed seed: the same question has the same answer.
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_time_in_seconds = PATIENCE_S
        self.model.minimize(goal)
        status = solver.solve(self.model)
        if status == self.library.INFEASIBLE:
            raise InputError(_nothing_fits(self.question.budgets))
        if status != self.library.OPTIMAL:
            raise FailureError(f"no answer was proven the best within {PATIENCE_S:g} s")
        self.found = {
            node: next(i for i, c in enumerate(literals) if solver.boolean_value(c))
            for node, literals in self.chosen.items()
        }
        return round(float(solver.objective_value))

    def answer(self) -> dict[str, int]:
        """Return the last answer found."""
        return self.found


def _nothing_fits(budgets: Mapping[str, int]) -> Problem:
    told = ", ".join(f"{amount} {resource}" for resource, amount in sorted(budgets.items()))
    return Problem(
        "optimise-nothing-fits",
        "no mapping of the nodes fits the budgets of the device and its memory port",
        expected=f"at most {told or 'what the memory port moves'}",
        hint="a node that only has a core, or a wish of the graph, may not leave a choice",
    )
