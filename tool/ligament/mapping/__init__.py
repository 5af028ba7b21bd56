# SPDX-License-Identifier: Apache-2.0
"""Map: node -> device, topic -> transport, node -> container, each with its reason.

from ligament.mapping import load_platform, map_graph
mapping = map_graph(graph, load_platform("host"), "processes")
mapping.topics["/camera/image_raw"].reason.text
"""

from ligament.mapping.backends import Backends, installed, planned
from ligament.mapping.files import load_mapping, load_platform
from ligament.mapping.map import find_variant, map_graph
from ligament.mapping.model import GraphMapping
from ligament.mapping.platform import Platform

__all__ = [
    "Backends",
    "GraphMapping",
    "Platform",
    "find_variant",
    "installed",
    "load_mapping",
    "load_platform",
    "map_graph",
    "planned",
]
