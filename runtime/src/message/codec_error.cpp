// SPDX-License-Identifier: Apache-2.0
#include <ligament/message_traits.hpp>

namespace ligament {

std::string_view to_string(CodecError error) {
  switch (error) {
    case CodecError::truncated:
      return "the bytes end before the message does";
    case CodecError::trailing_bytes:
      return "bytes follow the end of the message";
    case CodecError::big_endian:
      return "the message is big-endian";
    case CodecError::unknown_encoding:
      return "the encapsulation is neither CDR_LE nor CDR_BE";
    case CodecError::bad_string:
      return "a string lacks its terminating NUL";
    case CodecError::bad_wide_character:
      return "a wide character does not fit 16 bits";
    case CodecError::bound_exceeded:
      return "a bounded string or sequence is longer than its type allows";
    case CodecError::length_overflow:
      return "a length does not fit 32 bits";
    case CodecError::buffer_too_small:
      return "the message does not fit the bytes given";
    case CodecError::length_mismatch:
      return "a field was given another length than the shape says";
    case CodecError::misaligned:
      return "an array is not aligned for its element type";
  }
  return "unknown codec error";
}

}  // namespace ligament
