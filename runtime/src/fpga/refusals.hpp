// SPDX-License-Identifier: Apache-2.0
/// \file Why an output has no message, in words: codes of lig_fields_pkg::problem_e, and cores'
/// own.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace ligament::fpga::detail {

/// Codes below are those of lig_fields_pkg::problem_e.
inline constexpr std::uint8_t first_own_code = 16;
/// Its Nothing: the answer is that there is none.
inline constexpr std::uint8_t nothing_code = 9;

inline const char* problem_text(std::uint8_t problem) {
  static constexpr std::array texts{
      "the core gives no reason",
      "its frame ends within the header",
      "it is not little-endian CDR",
      "its frame ends before it does",
      "a field has more elements than its bound",
      "a text has no length or no end, or a character above 0xFFFF",
      "bytes follow behind it",
      "a field comes where the layout has another one",
      "it is not as long as its header says",
      "there is nothing to say",
      "the node in front of it has refused it",
  };
  return problem < texts.size() ? texts[problem] : "the core gives no reason";
}

inline std::string broken_text(const std::string& output, std::uint8_t problem) {
  return fmt::format("its output {} breaks the layout of the message: {}", output,
                     problem_text(problem));
}

/// Why a node answered with a Broken beat; `known`: what its manifest says of its own codes.
inline std::string refusal_text(const std::map<std::uint8_t, std::string>& known,
                                std::uint8_t code) {
  if (code < first_own_code) {
    return fmt::format("it passes on that the message is broken: {}", problem_text(code));
  }
  const auto found = known.find(code);
  return found != known.end()
             ? fmt::format("it refuses the message: {}", found->second)
             : fmt::format(
                   "it refuses the message with code {}, which its manifest does not explain",
                   static_cast<unsigned>(code));
}

}  // namespace ligament::fpga::detail
