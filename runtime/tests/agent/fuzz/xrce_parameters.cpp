// SPDX-License-Identifier: Apache-2.0
/// Requests about parameters that say anything: the first byte is the service.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "messages.h"
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  std::int64_t number = 3;
  double real = 0.5;
  bool truth = false;
  char text[8] = "abc";
  const char* names[] = {"a", "a.b", "a.c", "t"};
  void* values[] = {&number, &real, &truth, text};
  constexpr std::uint8_t types[] = {LIGAMENT_PARAMETER_INTEGER, LIGAMENT_PARAMETER_DOUBLE,
                                    LIGAMENT_PARAMETER_BOOL, LIGAMENT_PARAMETER_TEXT};
  std::array<ligament_parameter_t, 4> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i].name = names[i];
    table[i].type = types[i];
    table[i].value = values[i];
  }
  table[0].least.integer = -5;
  table[0].most.integer = 5;
  table[3].capacity = sizeof text;
  ligament_parameters_t parameters{};
  parameters.table = table.data();
  parameters.count = table.size();
  // From the heap: what is read or written behind it is seen.
  std::vector<std::uint8_t> request(data + 1, data + size);
  std::vector<std::uint8_t> memory(400);
  ligament_cdr_t reply = ligament_cdr_over(memory.data(), memory.size());
  lig_parameter_answer(&parameters, data[0] % 6U, ligament_cdr_over(request.data(), request.size()),
                       &reply);
  const bool is_kept = number >= -5 && number <= 5 && std::memchr(text, 0, sizeof text) != nullptr;
  if (!is_kept || reply.at > reply.size) {
    std::abort();
  }
  return 0;
}
