# SPDX-License-Identifier: Apache-2.0
"""The report as one page: report.json, the graph's picture and a timeline in a single file.

from ligament.report.page import write_page
write_page(report, Path("report.html"))
"""

from ligament.report.page.render import render_page, write_page

__all__ = ["render_page", "write_page"]
