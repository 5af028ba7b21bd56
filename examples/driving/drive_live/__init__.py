# SPDX-License-Identifier: Apache-2.0
"""What the live view of a drive keeps, and how a browser gets it."""
