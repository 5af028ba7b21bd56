# SPDX-License-Identifier: Apache-2.0
"""Finds the class of a node: in a file of the build, or in a package that is installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from rclpy.node import Node

from ligament.python_container.config import NodeConfig
from ligament.python_container.faults import Refused, described


def node_class(config: NodeConfig) -> Any:
    """The class; raises with what was looked for, and where."""
    if config.library:
        module, name = _module_of_file(config), config.class_name
        where = config.library
    else:
        where, _, name = config.class_name.partition(":")
        module = _installed_module(config, where)
    found = getattr(module, name, None)
    if found is None:
        raise Refused(f"{where} has no class '{name}'", node=config.id)
    if not (isinstance(found, type) and issubclass(found, Node)):
        raise Refused(f"'{name}' of {where} is no class derived from rclpy's Node", node=config.id)
    return found


def _module_of_file(config: NodeConfig) -> ModuleType:
    """Run a file as a module of its own; what lies beside it can be imported by its name."""
    path = Path(config.library)
    name = f"{path.parent.name.replace('-', '_')}__{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise Refused(f"there is no Python file {path}: build again", node=config.id)
    _check_siblings(config, path)
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))  # as for a program of its own
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _not_imported(config, str(path), error) from error
    return module


def _check_siblings(config: NodeConfig, path: Path) -> None:
    """Nodes of one process share Python's modules: two of one name would be one."""
    for file in path.parent.glob("*.py"):
        loaded = getattr(sys.modules.get(file.stem), "__file__", None)
        if loaded and file != path and Path(loaded).parent.parent == path.parent.parent:
            raise Refused(
                f"{file} and {loaded} are modules of one name in one process: rename one, or give "
                "the nodes containers of their own",
                node=config.id,
            )


def _installed_module(config: NodeConfig, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise _not_imported(config, f"module {name}", error) from error


def _not_imported(config: NodeConfig, what: str, error: Exception) -> Refused:
    traceback.print_exception(error)
    hint = ""
    if isinstance(error, ModuleNotFoundError):
        hint = f"; '{error.name}' is to be installed for {sys.executable}, the Python of ROS 2"
    return Refused(f"{what} cannot be imported: {described(error)}{hint}", node=config.id)
