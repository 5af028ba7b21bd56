# SPDX-License-Identifier: Apache-2.0
"""Report stage: from event tables and recorded outputs to report.json and the terminal table."""
