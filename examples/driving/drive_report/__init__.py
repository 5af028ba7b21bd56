# SPDX-License-Identifier: Apache-2.0
"""From the log of a drive to a page: how well it was driven, and what made it worse."""
