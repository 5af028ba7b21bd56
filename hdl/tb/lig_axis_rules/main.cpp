// SPDX-License-Identifier: Apache-2.0
// Turns the clock until the model finishes, or for 100 cycles. Usage: run RULE
#include <verilated.h>

#include <cstdlib>

#include "Vtop.h"

int main(int count, char** words) {
  if (count != 2) {
    return 2;
  }
  VerilatedContext context;
  Vtop top{&context};
  top.rule_i = static_cast<CData>(std::atoi(words[1]));
  for (int half = 0; half < 200 && !context.gotFinish(); ++half) {
    top.clk_i = static_cast<CData>(half & 1);
    top.eval();
    context.timeInc(1);
  }
  top.final();
  return context.gotFinish() ? 0 : 3;
}
