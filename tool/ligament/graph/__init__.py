# SPDX-License-Identifier: Apache-2.0
"""Describe: from graph.yaml and node.yaml to the normalised graph.

    from ligament.graph import load_graph
    graph = load_graph("graph.yaml")        # raises InputError with every problem and its place
    graph.nodes["/camera"].ports["image_raw"].topic

`loader` is the only module here that reads files; everything else is data in, data out.
"""

from ligament.graph.loader import read_document, read_project
from ligament.graph.model import Graph, Node, NodeType, Topic, Variant
from ligament.graph.resolve import load_graph, resolve

__all__ = [
    "Graph",
    "Node",
    "NodeType",
    "Topic",
    "Variant",
    "load_graph",
    "read_document",
    "read_project",
    "resolve",
]
