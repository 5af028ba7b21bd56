// SPDX-License-Identifier: Apache-2.0
//
// lig_image_taps: a place between pixels into the pixel left of it and the two weights, as cv::resize has them.
//
// OpenCV computes the place as a float (24 bits) and rounds weights to 1/2048, ties to even; both roundings are
// repeated here from a place in fixed point, because one in sixteen weights of a wide image depends on the first.
//
//   latency  1 cycle, from take_i
module lig_image_taps (
    input logic clk_i,

    input  logic               take_i,
    input  logic signed [63:0] place_i,   // 16.48 bits, above -1
    output logic signed [15:0] index_o,
    output logic [11:0]        first_o,   // weight of pixel index_o, 0..2048
    output logic [11:0]        second_o   // of the next one
);
  // Adds what rounding to nearest (ties to even) needs when the lowest `bits` are dropped afterwards.
  function automatic logic [63:0] nudged(input logic [63:0] value, input logic [5:0] bits);
    return value + ((64'd1 << bits) >> 1) - 64'd1 + ((value >> bits) & 64'd1);
  endfunction

  // To the 24 bits of a float.
  function automatic logic [63:0] single_of(input logic [63:0] magnitude);
    logic [5:0] lowest;  // bit that is a float's last one
    lowest = 6'd22;
    for (int unsigned i = 46; i < 64; i++) if (magnitude[i]) lowest = 6'(i - 23);
    return (nudged(magnitude, lowest) >> lowest) << lowest;
  endfunction

  // What is missing to 1: in a float's 24 bits where it is at least 1/2.
  localparam logic [48:0] One = 49'h1_0000_0000_0000;
  function automatic logic [48:0] short_of_one(input logic [48:0] value);
    logic [48:0] missing;
    missing = One - value;
    return missing[48:47] == 2'd0 ? missing : 49'((nudged(64'(missing), 6'd24) >> 24) << 24);
  endfunction

  typedef struct packed {
    logic signed [15:0] index;
    logic [11:0]        first;
    logic [11:0]        second;
  } taps_t;

  function automatic taps_t taps_of(input logic signed [63:0] place);
    logic [63:0] single;
    logic [48:0] rest;
    logic below;  // between -1 and 0
    single = single_of(place[63] ? -place : place);
    below = place[63] && single != '0;
    rest = below ? short_of_one(single[48:0]) : {1'b0, single[47:0]};
    return '{
        index: below ? -16'sd1 : $signed(single[63:48]),
        first: 12'(nudged(64'(short_of_one(rest)), 6'd37) >> 37),
        second: 12'(nudged(64'(rest), 6'd37) >> 37)
    };
  endfunction

  // Set as a whole: simulators would call the function for each part.
  taps_t taps_q;
  always_ff @(posedge clk_i) begin
    if (take_i) taps_q <= taps_of(place_i);
  end
  assign index_o = taps_q.index;
  assign first_o = taps_q.first;
  assign second_o = taps_q.second;
endmodule
