# SPDX-License-Identifier: Apache-2.0
"""What is installed, what is missing, and what that costs."""
