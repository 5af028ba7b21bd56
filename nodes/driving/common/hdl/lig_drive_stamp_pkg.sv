// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_stamp_pkg: stamps of messages, and in which order frames come (kernels/frame_order.hpp).
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_drive_stamp_pkg;
  // Of two normalised stamps the later one is the larger one, as signed numbers of 64 bits.
  typedef struct packed {
    logic signed [31:0] sec;
    logic [31:0]        nanosec;  // below 10^9
  } stamp_t;

  typedef enum logic [1:0] {Fresh, Stale, Restarted} frame_e;  // stale: repeated, or late

  // Some senders have more than a second of nanoseconds.
  function automatic stamp_t normalised(input logic [31:0] sec, input logic [31:0] nanosec);
    logic [2:0] seconds;
    seconds = '0;
    for (int unsigned i = 1; i <= 4; i++) begin
      if ({1'b0, nanosec} >= 33'(i) * 33'd1_000_000_000) seconds = 3'(i);
    end
    return '{sec: sec + 32'(seconds), nanosec: nanosec - 32'(seconds) * 32'd1_000_000_000};
  endfunction

  function automatic logic is_later(input stamp_t a, input stamp_t b);
    return $signed(a) > $signed(b);
  endfunction

  // What a frame is behind the last one that counted: more than a second earlier is another run's.
  function automatic frame_e frame_behind(input logic any, input stamp_t last, input stamp_t frame);
    stamp_t second_later;
    if (!any || is_later(frame, last)) return Fresh;
    second_later = '{sec: frame.sec + 32'sd1, nanosec: frame.nanosec};
    return is_later(last, second_later) ? Restarted : Stale;
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
