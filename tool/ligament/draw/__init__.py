# SPDX-License-Identifier: Apache-2.0
"""Draw a mapped graph: `layout` decides where things go, `svg` and `terminal` show them.

from ligament.draw import svg_picture, terminal_picture
Path("graph.svg").write_text(svg_picture(mapping))
"""

from ligament.draw.svg import svg_picture
from ligament.draw.terminal import terminal_picture

__all__ = ["svg_picture", "terminal_picture"]
