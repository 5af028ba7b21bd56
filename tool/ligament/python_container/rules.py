# SPDX-License-Identifier: Apache-2.0
"""The manifest's rules for parameters on a node of rclpy, which knows ranges and `read_only`.

rclpy itself refuses what is outside of a descriptor's range. What descriptors cannot say (choices,
ranges of lists) a callback refuses.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterType,
    SetParametersResult,
)

Rules = Mapping[str, Mapping[str, Any]]
_INTEGERS = (ParameterType.PARAMETER_INTEGER, ParameterType.PARAMETER_INTEGER_ARRAY)
_DOUBLES = (ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_DOUBLE_ARRAY)
_MOST = 2**63 - 1


def keep_rules(node: Any, rules: Rules) -> None:
    """Keep them from now on; raises where a value in force breaks its rule."""
    declared = {name: rule for name, rule in rules.items() if node.has_parameter(name)}
    if not declared:
        return

    def check(parameters: list[Any]) -> Any:
        reasons = (fault(p.name, p.value, declared.get(p.name, {})) for p in parameters)
        reason = next(filter(None, reasons), "")
        return SetParametersResult(successful=not reason, reason=reason)

    for name, rule in declared.items():
        if reason := fault(name, node.get_parameter(name).value, rule):
            raise ValueError(reason)
        described = node.describe_parameter(name)
        if not described.read_only:
            node.set_descriptor(name, completed(described, rule))
    node.add_on_set_parameters_callback(check)


def completed(descriptor: Any, rule: Mapping[str, Any]) -> Any:
    """A descriptor with the rule where the class itself says nothing."""
    descriptor = copy.deepcopy(descriptor)
    descriptor.read_only = rule.get("read_only", False)
    if limits := rule.get("range"):
        if descriptor.type in _INTEGERS and not descriptor.integer_range:
            low, high = max(math.ceil(limits[0]), -_MOST - 1), min(math.floor(limits[1]), _MOST)
            descriptor.integer_range = [IntegerRange(from_value=low, to_value=high)]
        if descriptor.type in _DOUBLES and not descriptor.floating_point_range:
            low, high = float(limits[0]), float(limits[1])
            descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    if rule.get("choices") and not descriptor.additional_constraints:
        descriptor.additional_constraints = f"one of {_listed(rule['choices'])}"
    return descriptor


def fault(name: str, value: Any, rule: Mapping[str, Any]) -> str:
    """Say what a rule has against a value, or nothing; in the words of nodes in C++."""
    items = value if isinstance(value, list | tuple) or hasattr(value, "typecode") else [value]
    items = [item for item in items if item is not None]
    limits, choices = rule.get("range"), rule.get("choices")
    if limits and any(not limits[0] <= number <= limits[1] for number in _numbers(items)):
        return f"parameter '{name}' is {_shown(value)}, expected {limits[0]} to {limits[1]}"
    if choices and any(item not in choices for item in items):
        return f"parameter '{name}' is {_shown(value)}, expected one of {_listed(choices)}"
    return ""


def _numbers(items: list[Any]) -> list[Any]:
    """The numbers among them; a byte is one, a value of another type rclpy refuses itself."""
    plain = [item[0] if isinstance(item, bytes) and item else item for item in items]
    return [item for item in plain if isinstance(item, int | float)]


def _shown(value: Any) -> str:
    return repr(list(value)) if hasattr(value, "typecode") else repr(value)


def _listed(choices: list[Any]) -> str:
    return ", ".join(f"'{choice}'" for choice in choices)
