# SPDX-License-Identifier: Apache-2.0
# Vivado, scoped to lig_afifo (SCOPED_TO_REF lig_afifo). The Gray counts cross within one period of the
# clock that sends them: so their bits cannot arrive a step apart.
set s_period [get_property PERIOD [get_clocks -of_objects [get_ports s_clk_i]]]
set m_period [get_property PERIOD [get_clocks -of_objects [get_ports m_clk_i]]]
set_max_delay -datapath_only -from [get_cells write_gray_q_reg*] -to [get_cells write_seen_q_reg*] $s_period
set_max_delay -datapath_only -from [get_cells read_gray_q_reg*] -to [get_cells read_seen_q_reg*] $m_period
set_property ASYNC_REG TRUE [get_cells {write_seen_q_reg* read_seen_q_reg*}]
# Distributed memory is written in one clock and read in the other; the count is what orders them.
set_false_path -from [get_clocks -of_objects [get_ports s_clk_i]] -to [get_cells out_q_reg*]
