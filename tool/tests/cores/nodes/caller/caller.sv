// SPDX-License-Identifier: Apache-2.0
//
// caller: asks about each number it gets, `add` for a + 1000 a of an even one, `judge` about bit 1 of an odd one. The
// call has the number's low 16 bits. When the response comes it tells the sum; or 1000 times the call's number and 10
// for each letter of the verdict and 1 for a yes; -1 less the call's number where there is no response; and -1000000
// less it where the response is broken.
module caller
  import lig_fields_pkg::*;
  import lig_stream_pkg::*;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_A;
  import lig_example_interfaces_srv_add_two_ints__request_pkg::FIELD_B;
  import lig_std_srvs_srv_set_bool__response_pkg::FIELD_SUCCESS;
(
    input logic clk_i,
    input logic rst_i,

    input logic [63:0] parameter_fault_i,

    lig_fields_if.receiver s_axis_number,
    lig_fields_if.receiver s_axis_add_response,
    lig_fields_if.receiver s_axis_judge_response,
    lig_fields_if.transmitter m_axis_answer,
    lig_fields_if.transmitter m_axis_add_request,
    lig_fields_if.transmitter m_axis_judge_request
);
  localparam logic [63:0] Twin = 64'd1, Greedy = 64'd2;

  // What it takes, then what it says on each output; each ends with a Broken beat alone.
  typedef enum logic [2:0] {Take, Answer, AnswerEnd, Add, AddEnd, Judge, JudgeEnd} state_e;
  typedef enum logic [1:0] {Number, Sum, Verdict} from_e;
  state_e state_q;
  from_e from, from_q;
  logic inside_q;         // a message: the others wait
  logic [1:0] beat_q;     // of what is said
  logic [1:0] times_q;    // further requests of this answer
  logic failed_q;
  logic [63:0] value_q;
  header_t header_q;

  always_comb begin
    from = from_q;
    if (!inside_q) begin
      from = s_axis_number.tvalid ? Number : s_axis_add_response.tvalid ? Sum : Verdict;
    end
  end
  assign s_axis_number.tready = state_q == Take && from == Number;
  assign s_axis_add_response.tready = state_q == Take && from == Sum;
  assign s_axis_judge_response.tready = state_q == Take && from == Verdict;

  logic valid, last;
  logic [63:0] data;
  token_t token;
  header_t header;
  always_comb begin
    unique case (from)
      Number: begin
        valid = s_axis_number.tvalid;
        last = s_axis_number.tlast;
        data = s_axis_number.tdata;
        token = s_axis_number.tuser;
        header = s_axis_number.header;
      end
      Sum: begin
        valid = s_axis_add_response.tvalid;
        last = s_axis_add_response.tlast;
        data = s_axis_add_response.tdata;
        token = s_axis_add_response.tuser;
        header = s_axis_add_response.header;
      end
      default: begin
        valid = s_axis_judge_response.tvalid;
        last = s_axis_judge_response.tlast;
        data = s_axis_judge_response.tdata;
        token = s_axis_judge_response.tuser;
        header = s_axis_judge_response.header;
      end
    endcase
  end

  logic [63:0] call;  // its number
  assign call = 64'(header.sequence_number);

  logic asks;
  assign asks = from_q == Number && !failed_q;

  assign m_axis_answer.tvalid = state_q == Answer || state_q == AnswerEnd;
  assign m_axis_answer.tkeep = '1;
  assign m_axis_answer.tlast = state_q == AnswerEnd || beat_q[0];
  always_comb begin
    m_axis_answer.tdata = state_q == AnswerEnd ? 64'(Nothing) : value_q;
    m_axis_answer.tuser = '{kind: Values, field: lig_example_interfaces_msg_int64_pkg::FIELD_DATA};
    if (beat_q[0]) m_axis_answer.tuser.kind = Done;
    if (state_q == AnswerEnd) m_axis_answer.tuser.kind = Broken;
    m_axis_answer.header = header_q;
    m_axis_answer.header.length = lig_example_interfaces_msg_int64_pkg::Length;
  end

  logic [15:0] number;
  assign number = value_q[15:0];

  assign m_axis_add_request.tvalid = state_q == Add || state_q == AddEnd;
  assign m_axis_add_request.tkeep = '1;
  assign m_axis_add_request.tlast = state_q == AddEnd || beat_q[1];
  always_comb begin
    m_axis_add_request.tdata = beat_q[0] ? 64'd1000 * value_q : value_q;
    m_axis_add_request.tuser = '{kind: Values, field: beat_q[0] ? FIELD_B : FIELD_A};
    if (beat_q[1]) m_axis_add_request.tuser.kind = Done;
    if (state_q == AddEnd) begin
      m_axis_add_request.tuser.kind = Broken;
      m_axis_add_request.tdata = 64'(Nothing);
    end
    m_axis_add_request.header = header_q;
    m_axis_add_request.header.length = lig_example_interfaces_srv_add_two_ints__request_pkg::Length;
    m_axis_add_request.header.sequence_number = number;
  end

  assign m_axis_judge_request.tvalid = state_q == Judge || state_q == JudgeEnd;
  assign m_axis_judge_request.tkeep = state_q == JudgeEnd ? '1 : 8'd1;
  assign m_axis_judge_request.tlast = state_q == JudgeEnd || beat_q[0];
  always_comb begin
    m_axis_judge_request.tdata = 64'(value_q[1]);
    m_axis_judge_request.tuser = '{kind: Values, field: lig_std_srvs_srv_set_bool__request_pkg::FIELD_DATA};
    if (beat_q[0]) m_axis_judge_request.tuser.kind = Done;
    if (state_q == JudgeEnd) begin
      m_axis_judge_request.tuser.kind = Broken;
      m_axis_judge_request.tdata = 64'(Nothing);
    end
    m_axis_judge_request.header = header_q;
    m_axis_judge_request.header.length = lig_std_srvs_srv_set_bool__request_pkg::Length;
    m_axis_judge_request.header.sequence_number = number;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Take && valid) begin
      inside_q <= !last;
      from_q <= from;
      header_q <= header;
      if (!inside_q) value_q <= from == Verdict ? 64'd1000 * call : '0;
      if (token.kind == Values) begin
        if (from != Verdict) value_q <= data;
        else if (token.field == FIELD_SUCCESS) value_q <= 64'd1000 * call + 64'(data[0]);
      end
      if (token.kind == Count) value_q <= value_q + 64'd10 * 64'(data[31:0]);
      failed_q <= token.kind == Broken;
      if (token.kind == Broken) value_q <= (header.kind == KindNoResponse ? -64'd1 : -64'd1000000) - call;
      if (last) begin
        times_q <= parameter_fault_i == Greedy ? 2'd2 : parameter_fault_i == Twin ? 2'd1 : 2'd0;
        state_q <= from == Number ? AnswerEnd : Answer;
      end
    end
    if (m_axis_answer.tvalid && m_axis_answer.tready) begin
      beat_q <= beat_q + 1'b1;
      if (m_axis_answer.tlast) begin
        beat_q <= '0;
        state_q <= state_q == Answer ? AnswerEnd : asks && !value_q[0] ? Add : AddEnd;
      end
    end
    if (m_axis_add_request.tvalid && m_axis_add_request.tready) begin
      beat_q <= beat_q + 1'b1;
      if (m_axis_add_request.tlast) begin
        beat_q <= '0;
        if (state_q == Add && times_q != '0) begin
          times_q <= times_q - 1'b1;
          if (parameter_fault_i == Greedy) value_q <= value_q + 64'd2;
        end else begin
          state_q <= state_q == Add ? AddEnd : asks && value_q[0] ? Judge : JudgeEnd;
        end
      end
    end
    if (m_axis_judge_request.tvalid && m_axis_judge_request.tready) begin
      beat_q <= beat_q + 1'b1;
      if (m_axis_judge_request.tlast) begin
        beat_q <= '0;
        state_q <= state_q == Judge ? JudgeEnd : Take;
      end
    end
    if (rst_i) begin
      state_q <= Take;
      inside_q <= 1'b0;
      beat_q <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, s_axis_number.tkeep, s_axis_add_response.tkeep, s_axis_judge_response.tkeep, token.field};
endmodule
