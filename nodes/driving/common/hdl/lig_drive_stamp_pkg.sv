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
    logic [31:0] whole;  // their nanoseconds: chosen, for a product takes far longer
    seconds = '0;
    whole = '0;
    for (int unsigned i = 1; i <= 4; i++) begin
      if ({1'b0, nanosec} >= 33'(i) * 33'd1_000_000_000) begin
        seconds = 3'(i);
        whole = 32'(i) * 32'd1_000_000_000;
      end
    end
    return '{sec: sec + 32'(seconds), nanosec: nanosec - whole};
  endfunction

  function automatic logic is_later(input stamp_t a, input stamp_t b);
    return $signed(a) > $signed(b);
  endfunction

  // A source that goes back by more than a second has begun anew.
  function automatic logic begins_anew(input stamp_t earlier, input stamp_t stamp);
    return is_later(earlier, '{sec: stamp.sec + 32'sd1, nanosec: stamp.nanosec});
  endfunction

  // What a frame is behind the last one that counted.
  function automatic frame_e frame_behind(input logic any, input stamp_t last, input stamp_t frame);
    if (!any || is_later(frame, last)) return Fresh;
    return begins_anew(last, frame) ? Restarted : Stale;
  endfunction

  // Whether a detector's message is a light, by its z, a double: not if that is below 0 (parts/light_message.hpp).
  function automatic logic says_light(input logic [63:0] z);
    return !z[63] || z[62:0] == '0 || z[62:0] > {11'h7FF, 52'd0};
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
