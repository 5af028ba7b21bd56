# SPDX-License-Identifier: Apache-2.0
# Vivado, for every crossing of a design: it is read once, unscoped. A Gray count, and a word behind it, cross
# within one period of the clock that sends them: so no two bits of a count arrive a step apart.
foreach cross [get_cells -hierarchical -filter {ORIG_REF_NAME == lig_cross || REF_NAME == lig_cross}] {
  foreach {from to} {writer/write_gray_q_reg reader/writes/seen_q_reg reader/read_gray_q_reg writer/reads/seen_q_reg} {
    set source [get_cells -quiet "$cross/$from*"]
    if {[llength $source] == 0} continue
    set period [get_property -min PERIOD [get_clocks -of_objects $source]]
    set_max_delay -datapath_only -from $source -to [get_cells "$cross/$to*"] $period
  }
  # Distributed memory is written in one clock and read in the other; the count is what orders them.
  set memory [get_cells -quiet -hierarchical -filter "NAME =~ $cross/writer/memory*"]
  if {[llength $memory] != 0} {
    set period [get_property -min PERIOD [get_clocks -of_objects $memory]]
    set_max_delay -datapath_only -from $memory -to [get_cells "$cross/reader/out_q_reg*"] $period
  }
}
# Levels (interrupt, the end of a reset) may arrive in any cycle; resets begin at any moment.
foreach level [get_cells -quiet -hierarchical -filter {NAME =~ *_level/seen_q_reg[0]*}] {
  set_false_path -to [get_pins "$level/D"]
}
foreach reset [get_cells -quiet -hierarchical -filter {NAME =~ *release_q_reg*}] {
  set_false_path -to [get_pins -quiet "$reset/PRE"]
}
