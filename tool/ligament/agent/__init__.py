# SPDX-License-Identifier: Apache-2.0
"""Starts the agent of microcontrollers."""

from ligament.agent.program import AgentOptions, agent_program, exec_agent, types_text

__all__ = ["AgentOptions", "agent_program", "exec_agent", "types_text"]
