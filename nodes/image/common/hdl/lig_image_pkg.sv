// SPDX-License-Identifier: Apache-2.0
//
// lig_image_pkg: what the image cores know of a frame, and why they refuse one.
// verilator lint_off UNUSEDPARAM
// A package uses none of its constants itself.
package lig_image_pkg;
  // Encodings of sensor_msgs with 8 bits per channel; what differs between two names of one layout
  // (8UC1 and mono8) is kept, because an image leaves under the name that it came with.
  typedef enum logic [2:0] {
    Mono8 = 3'd0,
    Rgb8  = 3'd1,
    Bgr8  = 3'd2,
    Rgba8 = 3'd3,
    Bgra8 = 3'd4,
    C1    = 3'd5,  // 8UC1
    C3    = 3'd6,  // 8UC3
    C4    = 3'd7   // 8UC4
  } encoding_e;

  // An Image without its text and its pixels.
  typedef struct packed {
    logic [31:0] sec;
    logic [31:0] nanosec;
    logic [6:0]  frame_id;  // bytes of it
    logic [15:0] height;
    logic [15:0] width;
    encoding_e   encoding;
    logic        bigendian;
  } shape_t;

  // A pixel; channel 0 lowest, unused channels are not defined.
  typedef logic [31:0] pixel_t;

  // Of lig_image_ends.
  typedef struct packed {
    logic start;    // an image has come; one cycle
    logic answers;  // its pixels leave, and what was made of them is taken
    logic over;     // it was answered, and all of it has come; one cycle
  } turn_t;

  // A calibration in fixed point; 36 binary places, and 46 of d, 56 of step.
  typedef struct packed {
    logic [31:0]      height;
    logic [31:0]      width;
    logic             bent;      // some coefficient is not 0
    logic [4:0][51:0] d;         // k1 k2 p1 p2 k3
    logic [51:0]      focal_x;   // of K, the raw image
    logic [51:0]      focal_y;
    logic [51:0]      center_x;
    logic [51:0]      center_y;
    logic [51:0]      step_x;    // 1 / focal length of P, the rectified image
    logic [51:0]      step_y;
    logic [51:0]      zero_x;    // centre of P
    logic [51:0]      zero_y;
  } lens_t;

  // Why an image is refused; in `tdata` of a Broken beat, above the codes of lig_fields_pkg.
  typedef enum logic [7:0] {
    Fine           = 8'd0,
    NoEncoding     = 8'd16,  // not 8 bits per channel, or Bayer or YUV
    NoSize         = 8'd17,  // a side of 0, or longer than the core was built for
    ShortRows      = 8'd18,  // `step` is less than a row
    ShortData      = 8'd19,  // fewer bytes than step * height
    NoResize       = 8'd20,  // the resized image would have a side of 0 or one that is too long
    NoInterpolation = 8'd21, // only bilinear is built
    Uncalibrated   = 8'd22,  // K[0] is 0
    NoModel        = 8'd23,  // no plumb_bob of up to 5 coefficients, or a rotation, binning or region
    OtherSize      = 8'd24,  // the image is not of the calibration's size
    TooBent        = 8'd25,  // the lens needs more rows at once than the core holds, or is out of range
    NoConversion   = 8'd26,  // no way from this encoding to the wanted one
    PaddedRows     = 8'd27,  // bytes behind the rows, which a core that takes eight bytes at once cannot drop
    NoGrey         = 8'd28,  // more than one channel
    NoColour       = 8'd29,  // not rgb8, bgr8 or 8UC3
    NoView         = 8'd30   // the ground's edges are in the wrong order, or behind the camera
  } refusal_e;

  // Bits of the field streams of a core that handles so many pixels per cycle: enough for four channels of each.
  function automatic int unsigned bits_of(input int unsigned pixels);
    return pixels <= 2 ? 64 : 32 * pixels;
  endfunction

  function automatic logic [2:0] channels_of(input encoding_e encoding);
    unique case (encoding)
      Mono8, C1: return 3'd1;
      Rgb8, Bgr8, C3: return 3'd3;
      default: return 3'd4;
    endcase
  endfunction

  // The name, first letter in the lowest byte, and its length.
  function automatic logic [39:0] name_of(input encoding_e encoding);
    unique case (encoding)
      Mono8: return {"8", "o", "n", "o", "m"};
      Rgb8: return {8'd0, "8", "b", "g", "r"};
      Bgr8: return {8'd0, "8", "r", "g", "b"};
      Rgba8: return {"8", "a", "b", "g", "r"};
      Bgra8: return {"8", "a", "r", "g", "b"};
      C1: return {8'd0, "1", "C", "U", "8"};
      C3: return {8'd0, "3", "C", "U", "8"};
      default: return {8'd0, "4", "C", "U", "8"};
    endcase
  endfunction

  function automatic logic [2:0] letters_of(input encoding_e encoding);
    return encoding inside {Mono8, Rgba8, Bgra8} ? 3'd5 : 3'd4;
  endfunction
endpackage
// verilator lint_on UNUSEDPARAM
