# SPDX-License-Identifier: Apache-2.0
"""`colcon acceleration`: platforms of a workspace, and what is made for them.

`frame` runs a verb, `verbs/` has one file per verb, `workspace` knows the platforms of a workspace
and which one is selected, `manifest` one platform and its files. spec/platform/packages.md has the
layout. Nothing here names a board: what differs between boards is data of their platform.yaml.
"""
