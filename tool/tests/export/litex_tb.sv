// SPDX-License-Identifier: Apache-2.0
// A host at the pins of litex_system.py: the design's identity, a parameter, and a message in the system's memory.
// verilator lint_off PROCASSINIT
// verilator lint_off BLKSEQ
module litex_tb;
  localparam logic [31:0] Design = 32'h9000_0000;
  localparam logic [31:0] Memory = 32'h0100_0000;
  logic clk = 1'b0, rst = 1'b1, sim_trace = 1'b0;
  always #1 clk = !clk;
  logic [31:0] host_awaddr = '0, host_wdata = '0, host_araddr = '0, host_rdata;
  logic [2:0] host_awprot = '0, host_arprot = '0;
  logic [3:0] host_wstrb = '1;
  logic [1:0] host_bresp, host_rresp;
  logic host_awvalid = 1'b0, host_awready, host_wvalid = 1'b0, host_wready, host_bvalid, host_bready = 1'b0;
  logic host_arvalid = 1'b0, host_arready, host_rvalid, host_rready = 1'b0;
  top system (.*);

  task automatic put(input logic [31:0] address, input logic [31:0] word);
    @(negedge clk);
    host_awaddr = address;
    host_wdata = word;
    {host_awvalid, host_wvalid, host_bready} = '1;
    fork
      begin
        do @(posedge clk); while (!host_awready);
        @(negedge clk) host_awvalid = 1'b0;
      end
      begin
        do @(posedge clk); while (!host_wready);
        @(negedge clk) host_wvalid = 1'b0;
      end
      do @(posedge clk); while (!host_bvalid);
    join
    @(negedge clk) host_bready = 1'b0;
  endtask

  task automatic get(input logic [31:0] address, output logic [31:0] word);
    @(negedge clk);
    host_araddr = address;
    {host_arvalid, host_rready} = '1;
    fork
      begin
        do @(posedge clk); while (!host_arready);
        @(negedge clk) host_arvalid = 1'b0;
      end
      begin
        do @(posedge clk); while (!host_rvalid);
        word = host_rdata;
      end
    join
    @(negedge clk) host_rready = 1'b0;
  endtask

  task automatic write(input logic [31:0] place, input logic [63:0] value);
    put(Design + place, value[31:0]);
    put(Design + place + 32'd4, value[63:32]);
  endtask

  logic [63:0] value;
  task automatic read(input logic [31:0] place);
    get(Design + place, value[31:0]);
    get(Design + place + 32'd4, value[63:32]);
  endtask

  initial begin : watchdog
    repeat (200_000) @(posedge clk);
    $fatal(1, "the system did not answer for 200000 cycles");
  end

  initial begin : steps
    repeat (10) @(negedge clk);
    rst = 1'b0;
    repeat (10) @(negedge clk);
    read(32'h1_0008);
    $display("identity %016x", value);
    write(32'h1_1010, 64'hFEDC_BA98_7654_3210);
    read(32'h1_1010);
    if (value != 64'hFEDC_BA98_7654_3210) $fatal(1, "a parameter reads %016x", value);

    // Read by the design through the system's bus, to its end: status 0.
    for (int i = 0; i < 16; i++) put(Memory + 4 * i, 32'(i));
    write(32'h0_0000, 64'd64);
    write(32'h0_0008, 64'd0);
    write(32'h0_0010, 64'(Memory));
    write(32'h0_0018, 64'h1234);
    do read(32'h0_FF20); while (value == '0);
    read(32'h0_0040);
    if (value != 64'h8000_0000_0000_1234) $fatal(1, "the event of the message is %016x", value);
    $display("PASS");
    $finish;
  end
endmodule
