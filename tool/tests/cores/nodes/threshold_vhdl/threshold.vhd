-- SPDX-License-Identifier: Apache-2.0
-- The example threshold, in VHDL.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use work.lig_fields_pkg.all;
use work.lig_sensor_msgs_msg_image_pkg.all;

entity threshold is
  port (
    clk_i, rst_i          : in  std_logic;
    parameter_threshold_i : in  std_logic_vector(63 downto 0);
    s_axis_tvalid         : in  std_logic;
    s_axis_tready         : out std_logic;
    s_axis_tdata          : in  std_logic_vector(63 downto 0);
    s_axis_tkeep          : in  std_logic_vector(7 downto 0);
    s_axis_tuser          : in  token_t;
    s_axis_tlast          : in  std_logic;
    header_i              : in  std_logic_vector(127 downto 0);
    m_axis_tvalid         : out std_logic;
    m_axis_tready         : in  std_logic;
    m_axis_tdata          : out std_logic_vector(63 downto 0);
    m_axis_tkeep          : out std_logic_vector(7 downto 0);
    m_axis_tuser          : out token_t;
    m_axis_tlast          : out std_logic;
    header_o              : out std_logic_vector(127 downto 0)
  );
end entity;

architecture rtl of threshold is
  type place_t is (before, inside, behind);  -- where in a message the next beat is
  signal place : place_t;
begin
  s_axis_tready <= m_axis_tready;
  m_axis_tvalid <= s_axis_tvalid;
  m_axis_tkeep  <= s_axis_tkeep;
  m_axis_tuser  <= s_axis_tuser;
  m_axis_tlast  <= s_axis_tlast;
  header_o      <= header_i;

  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if s_axis_tvalid = '1' and m_axis_tready = '1' then
        case place is
          when before => if field_of(s_axis_tuser) = FIELD_DATA then place <= inside; end if;
          when inside => if kind_of(s_axis_tuser) = KIND_DONE then place <= behind; end if;
          when behind => place <= before;
        end case;
      end if;
      if rst_i = '1' then place <= before; end if;
    end if;
  end process;

  process (all)
    variable byte : unsigned(7 downto 0);
  begin
    m_axis_tdata <= s_axis_tdata;
    if kind_of(s_axis_tuser) = KIND_VALUES and place /= behind and field_of(s_axis_tuser) = FIELD_DATA then
      for i in 0 to 7 loop
        byte := unsigned(s_axis_tdata(8 * i + 7 downto 8 * i));
        if byte >= unsigned(parameter_threshold_i(7 downto 0)) then
          m_axis_tdata(8 * i + 7 downto 8 * i) <= x"ff";
        else
          m_axis_tdata(8 * i + 7 downto 8 * i) <= x"00";
        end if;
      end loop;
    end if;
  end process;
end architecture;
