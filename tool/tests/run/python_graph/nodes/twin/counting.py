# SPDX-License-Identifier: Apache-2.0
"""Called as another node's."""
