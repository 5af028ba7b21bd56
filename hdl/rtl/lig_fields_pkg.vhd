-- SPDX-License-Identifier: Apache-2.0
--
-- lig_fields_pkg: what a beat of a field stream is, for cores in VHDL-2008 (spec/wire/fields.md, section 2). The
-- same names as in lig_fields_pkg.sv, after KIND_ and PROBLEM_.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

package lig_fields_pkg is
  subtype token_t is std_logic_vector(13 downto 0);  -- tuser of a beat: its kind, and the number of its field
  subtype kind_t is std_logic_vector(1 downto 0);

  constant KIND_VALUES : kind_t := "00";  -- up to 8 bytes of elements of a field
  constant KIND_COUNT  : kind_t := "01";  -- how many elements, bytes of text or units of wide text follow
  constant KIND_DONE   : kind_t := "10";  -- the message is complete
  constant KIND_BROKEN : kind_t := "11";  -- it is not: tdata has the problem

  constant PROBLEM_NOTHING : natural := 9;  -- this message of the core's is none
  constant PROBLEM_REFUSED : natural := 10;  -- there is none: the node in front has refused it, or there is no response
  constant PROBLEM_UNSAID  : natural := 15;  -- a core gave no reason; codes of its own are 16 and above

  function kind_of(token : token_t) return kind_t;
  function field_of(token : token_t) return natural;
  function token_of(kind : kind_t; field : natural) return token_t;
end package;

package body lig_fields_pkg is
  function kind_of(token : token_t) return kind_t is
  begin
    return token(13 downto 12);
  end function;

  function field_of(token : token_t) return natural is
  begin
    return to_integer(unsigned(token(11 downto 0)));
  end function;

  function token_of(kind : kind_t; field : natural) return token_t is
  begin
    return kind & std_logic_vector(to_unsigned(field, 12));
  end function;
end package body;
