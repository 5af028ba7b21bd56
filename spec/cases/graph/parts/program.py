# SPDX-License-Identifier: Apache-2.0
"""A program that cases name: nothing runs it."""
