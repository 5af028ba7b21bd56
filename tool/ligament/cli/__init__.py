# SPDX-License-Identifier: Apache-2.0
"""The command line: one thin module per verb, and the table of all verbs in `main`."""
