# SPDX-License-Identifier: Apache-2.0
"""From a running ROS 2 system to a graph.yaml that starts it: processes become executables.

seen = look(domain_id, network)            # endpoints of a domain, on whatever middleware
draft = draft_graph("robot", seen, here)   # which processes they are of, and how they started
write_draft(draft, Path("robot/graph.yaml"))
"""

from ligament.live.draft import Draft, draft_graph
from ligament.live.processes import ThisHost
from ligament.live.seen import Seen, look
from ligament.live.write import write_draft

__all__ = ["Draft", "Seen", "ThisHost", "draft_graph", "look", "write_draft"]
