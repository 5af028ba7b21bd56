// SPDX-License-Identifier: Apache-2.0
// Turns the clock until the model finishes, or for 100 cycles.
#include <verilated.h>

#include "Vtop.h"

int main() {
  VerilatedContext context;
  Vtop top{&context};
  for (int half = 0; half < 200 && !context.gotFinish(); ++half) {
    top.clk_i = static_cast<CData>(half & 1);
    top.eval();
    context.timeInc(1);
  }
  top.final();
  return context.gotFinish() ? 0 : 3;
}
