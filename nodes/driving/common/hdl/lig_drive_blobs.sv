// SPDX-License-Identifier: Apache-2.0
//
// lig_drive_blobs: the largest disc among the blobs of a mask, from the runs of its rows (find_disc() of kernels/light.hpp).
//
// Runs that touch, also by a corner, belong to one blob (union-find of runs, as in F. Veillon, "One pass computation of
// morphological and geometrical properties of objects in digital pictures", 1979). Each run of the row above has the number
// of its blob, under which its box and its pixels are counted. Where a run touches several blobs, the others are added to
// the first, and refer to it until the row ends. A blob that no run of a row continues is complete: it is judged, and its
// number is free. So there are never more blobs at once than a row has room for runs.
//
// Of equally large discs the uppermost is taken, then the leftmost, then the smallest (is_better() there).
//
//   initiation interval  about 25 cycles per run, and 5 per row
//   storage              MAX_WIDTH / 2 blobs, the runs of two rows
module lig_drive_blobs #(
    parameter int unsigned MAX_WIDTH = 2048  // pixels of a row, a power of two from 8 to 32768
) (
    input logic clk_i, rst_i,  // reset: synchronous, high

    input logic        start_i,  // of an image; while it is idle
    input logic [15:0] rows_i,   // 1 or more, constant from then on
    input logic [12:0] diameter_from_i,
    input logic [12:0] diameter_to_i,

    input  logic        valid_i,
    output logic        ready_o,
    input  logic        marked_i,  // there is a run
    input  logic        last_i,    // behind it the row ends
    input  logic [15:0] begin_i,   // column of its first pixel
    input  logic [15:0] end_i,     // column behind its last one

    output logic        busy_o,  // it does not wait for a run
    output logic        idle_o,  // all rows have been seen; what is found stays until the next start
    output logic        found_o,
    output logic [16:0] twice_x_o,     // twice the centre
    output logic [16:0] twice_y_o,
    output logic [16:0] four_radii_o   // width and height
);
  localparam int unsigned Blobs = MAX_WIDTH / 2;  // runs, too: each but the last has a pixel behind it
  localparam int unsigned B = $clog2(Blobs);
  typedef logic [B-1:0] number_t;

  typedef struct packed {
    logic [15:0] from, to;  // columns; to: behind the last
    number_t     blob;
  } run_t;
  typedef struct packed {
    logic [15:0] left, right;  // right: behind the last
    logic [15:0] top, bottom;
    logic [31:0] pixels;
  } blob_t;

  typedef enum logic [4:0] {
    Idle, Next, Above, Look, Touch, Seek, Sought, Other, Merge, Own, Join,  // a run
    Leave, Left, Check, Checked, Judge, Keep, Rename, Renamed, Root, Rooted, Turn  // the end of a row
  } state_e;
  state_e state_q;

  // --- memories: an address in one cycle, what is there in the next but one, what it means in the third --

  run_t runs[2*Blobs];
  blob_t blobs[Blobs];
  number_t refers[Blobs];  // to the blob that it was added to, or itself
  number_t free[Blobs];    // numbers, in the order in which they became free

  logic bank_q;            // of the row that comes; the other has the row above
  logic [B:0] above_q, above_count_q, count_q;  // above: run that is looked at, of either row
  run_t run_q, written;
  blob_t blob_q, set;
  number_t seek_q, refers_q, free_q, own_q;
  logic own_known_q, waits_q, write_run, write_blob, write_refers, write_free;
  number_t blob_at, refers_to;

  logic looks_below;  // at the runs of the row that comes, when they are named anew
  assign looks_below = state_q inside {Rename, Renamed, Root, Rooted};
  always_ff @(posedge clk_i) begin
    run_q <= runs[{looks_below ? bank_q : !bank_q, above_q[B-1:0]}];
    if (write_run) runs[{bank_q, looks_below ? above_q[B-1:0] : count_q[B-1:0]}] <= written;
  end
  always_ff @(posedge clk_i) begin
    blob_q <= blobs[seek_q];
    if (write_blob) blobs[blob_at] <= set;
  end
  always_ff @(posedge clk_i) begin
    refers_q <= refers[seek_q];
    if (write_refers) refers[seek_q] <= refers_to;
  end

  logic [15:0] row_q;

  // A memory takes nearly half of a short cycle, so what is decided by it comes from registers.
  logic left_q, behind_q, reaches_q;  // the run of the row above: left of the one here, behind it, goes on behind it
  logic root_q, own_root_q;           // seek refers to itself; it is own
  logic over_q;                       // the blob has no run in this row
  always_ff @(posedge clk_i) begin
    left_q <= run_q.to < begin_i;
    behind_q <= run_q.from > end_i;
    reaches_q <= run_q.to > end_i;
    root_q <= refers_q == seek_q;
    own_root_q <= seek_q == own_q;
    over_q <= blob_q.bottom != row_q;
  end

  // --- numbers that are free ------------------------------------------------------------------------------

  number_t take_at_q, give_at_q;
  logic [B:0] fresh_q;  // numbers that were never used: those from here on
  logic has_fresh, takes;
  number_t fresh;
  assign has_fresh = fresh_q != (B + 1)'(Blobs);
  assign fresh = has_fresh ? fresh_q[B-1:0] : free_q;
  always_ff @(posedge clk_i) begin
    free_q <= free[take_at_q];
    if (write_free) free[give_at_q] <= seek_q;
  end

  // --- what is written ------------------------------------------------------------------------------------

  blob_t kept_q;  // of the two that become one: the one that goes
  logic new_blob, gone, done_with;
  assign new_blob = state_q == Join && !own_known_q;
  assign gone = state_q == Merge;                                     // seek is added to own
  assign done_with = state_q == Checked && root_q && over_q;  // seek is complete
  assign takes = new_blob && !has_fresh;

  always_comb begin
    write_blob = 1'b0;
    blob_at = own_q;
    set = blob_q;
    unique case (state_q)
      Merge: begin
        write_blob = 1'b1;
        if (kept_q.left < set.left) set.left = kept_q.left;
        if (kept_q.right > set.right) set.right = kept_q.right;
        if (kept_q.top < set.top) set.top = kept_q.top;
        if (kept_q.bottom > set.bottom) set.bottom = kept_q.bottom;
        set.pixels = set.pixels + kept_q.pixels;
      end
      Join: begin
        write_blob = 1'b1;
        if (own_known_q) begin
          if (begin_i < set.left) set.left = begin_i;
          if (end_i > set.right) set.right = end_i;
          set.bottom = row_q;
          set.pixels = set.pixels + 32'(end_i - begin_i);
        end else begin
          blob_at = fresh;
          set = '{left: begin_i, right: end_i, top: row_q, bottom: row_q, pixels: 32'(end_i - begin_i)};
        end
      end
      Checked: begin
        // It is judged once, however many runs it had in the row above.
        write_blob = done_with;
        blob_at = seek_q;
        set.bottom = row_q;
      end
      default: ;
    endcase
  end

  blob_t judged_q;
  number_t other_q;  // the one that goes
  always_comb begin
    write_refers = gone || new_blob;
    refers_to = gone ? own_q : fresh;
    write_free = gone || done_with;
    write_run = state_q == Join || state_q == Rooted && root_q;
    written = '{from: begin_i, to: end_i, blob: own_known_q ? own_q : fresh};
    if (looks_below) written = '{from: run_q.from, to: run_q.to, blob: seek_q};
  end

  lig_drive_judge judge (
      .clk_i, .rst_i, .clear_i(start_i), .judge_i(state_q == Judge), .left_i(judged_q.left), .right_i(judged_q.right),
      .top_i(judged_q.top), .bottom_i(judged_q.bottom), .pixels_i(judged_q.pixels), .diameter_from_i, .diameter_to_i,
      .found_o, .twice_x_o, .twice_y_o, .four_radii_o);

  // --- steps ----------------------------------------------------------------------------------------------

  assign idle_o = state_q == Idle;
  assign busy_o = !(idle_o || (state_q == Next && row_q != rows_i));
  // A run is taken when it has been joined, the end of a row without one at once.
  assign ready_o = state_q == Join || (state_q == Next && row_q != rows_i && !marked_i);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        row_q <= '0;
        count_q <= '0;
        above_count_q <= '0;
        above_q <= '0;
        fresh_q <= '0;
        take_at_q <= '0;
        give_at_q <= '0;
        if (start_i) state_q <= Next;
      end
      Next: begin
        own_known_q <= 1'b0;
        if (row_q == rows_i) state_q <= Leave;  // below the last row nothing goes on
        else if (valid_i) state_q <= marked_i ? Above : Leave;
        if (row_q == rows_i || (valid_i && !marked_i)) above_q <= '0;
      end

      // Those of the row above that lie to the left of it are over.
      Above: state_q <= above_q == above_count_q ? Own : Look;
      Look: state_q <= Touch;
      Touch: begin
        seek_q <= run_q.blob;
        if (left_q) begin
          above_q <= above_q + 1'b1;
          state_q <= Above;
        end else state_q <= behind_q ? Own : Seek;
      end
      Seek: if (waits_q) state_q <= Sought;
      Sought: begin
        kept_q <= blob_q;
        other_q <= seek_q;
        if (!root_q) begin
          seek_q <= refers_q;
          state_q <= Seek;
        end else if (own_known_q && !own_root_q) begin
          seek_q <= own_q;
          state_q <= Other;
        end else begin
          own_q <= seek_q;
          own_known_q <= 1'b1;
          // A run that reaches behind this one may touch the next one, too.
          if (reaches_q) state_q <= Own;
          else begin
            above_q <= above_q + 1'b1;
            state_q <= Above;
          end
        end
      end
      // What is added to own: own's box is read, then seek is the other one again, which refers to own from then on.
      Other: begin
        seek_q <= other_q;
        state_q <= Merge;
      end
      Merge: begin
        if (reaches_q) state_q <= Own;
        else begin
          above_q <= above_q + 1'b1;
          state_q <= Above;
        end
      end
      Own: begin
        seek_q <= own_known_q ? own_q : fresh;
        if (waits_q) state_q <= Join;
      end
      Join: begin
        count_q <= count_q + 1'b1;
        if (new_blob && has_fresh) fresh_q <= fresh_q + 1'b1;
        state_q <= last_i ? Leave : Next;
        if (last_i) above_q <= '0;
      end

      // Blobs of the row above that no run went on with.
      Leave: begin
        state_q <= above_q == above_count_q ? Rename : Left;
        if (above_q == above_count_q) above_q <= '0;
      end
      Left: begin
        seek_q <= run_q.blob;
        state_q <= Check;
      end
      Check: if (waits_q) state_q <= Checked;
      Checked: begin
        above_q <= above_q + 1'b1;
        judged_q <= blob_q;
        state_q <= done_with ? Judge : Leave;
      end
      Judge: state_q <= Keep;
      Keep: state_q <= Leave;

      // Blobs of the row that were added to others.
      Rename: state_q <= above_q == count_q ? Turn : Renamed;
      Renamed: begin
        seek_q <= run_q.blob;
        state_q <= Root;
      end
      Root: if (waits_q) state_q <= Rooted;
      Rooted: begin
        if (!root_q) begin
          seek_q <= refers_q;
          state_q <= Root;
        end else begin
          above_q <= above_q + 1'b1;
          state_q <= Rename;
        end
      end
      default: begin  // Turn
        bank_q <= !bank_q;
        above_count_q <= count_q;
        count_q <= '0;
        above_q <= '0;
        row_q <= row_q + 1'b1;
        state_q <= row_q == rows_i ? Idle : Next;
      end
    endcase
    waits_q <= state_q inside {Seek, Own, Check, Root} && !waits_q;
    if (takes) take_at_q <= take_at_q == number_t'(Blobs - 1) ? '0 : take_at_q + 1'b1;
    if (write_free) give_at_q <= give_at_q == number_t'(Blobs - 1) ? '0 : give_at_q + 1'b1;
    if (rst_i) begin
      state_q <= Idle;
      bank_q <= 1'b0;
      waits_q <= 1'b0;
    end
  end
endmodule
