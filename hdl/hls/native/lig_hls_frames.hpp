// SPDX-License-Identifier: Apache-2.0
/// \file Native execution of a node in HLS C++ (`sw_emu`): what lig_unpack and lig_pack do around a
/// core, in plain C++, so that a node takes and gives stored messages (spec/wire/message.md).
///
///     std::vector<unsigned char> answer;
///     lig_hls::native::run<Image, Image>(my_node, bytes, size, answer);
///
/// It yields results. There is no clock in it, and no figure of cycles can come out of it.
#ifndef LIG_HLS_NATIVE_LIG_HLS_FRAMES_HPP
#define LIG_HLS_NATIVE_LIG_HLS_FRAMES_HPP

#include <cstddef>
#include <cstring>
#include <lig_hls.hpp>
#include <vector>

namespace lig_hls {
namespace native {

/// op_e and problem_e of lig_fields_pkg.
enum Op { END, FIXED, SEQUENCE, STRING, WIDE_STRING, REPEAT, REPEAT_SEQUENCE, NEXT };
enum Problem {
  NO_PROBLEM,
  HEADER_CUT,
  ENCAPSULATION,
  TOO_SHORT,
  OVER_BOUND,
  BAD_TEXT,
  TOO_LONG,
  WRONG_FIELD,
  WRONG_LENGTH
};

/// A word of a layout program (spec/wire/fields.md, section 3).
struct Instruction {
  explicit Instruction(unsigned long long word)
      : argument(unsigned(word & 0xFFFFFFFF)),
        op(Op(word >> 32 & 7)),
        size(1U << (word >> 35 & 3)),
        is_bool((word >> 37 & 1) != 0),
        field(unsigned(word >> 38 & 0xFFF)),
        target(unsigned(word >> 50 & 0xFFF)) {}

  unsigned argument;
  Op op;
  unsigned size;
  bool is_bool;
  unsigned field;
  unsigned target;
};

inline std::size_t aligned(std::size_t position, std::size_t size) {
  return (position + size - 1) / size * size;
}

/// A stored message becomes its field stream, which ends with Done, or with Broken and the reason.
class Unpack {
 public:
  Unpack(const unsigned long long* program, Fields& out) : program_(program), out_(out) {}

  Problem run(const unsigned char* stored, std::size_t size) {
    static const unsigned char encapsulation[4] = {0, 1, 0, 0};
    if (size < 4 || std::memcmp(stored, encapsulation, 2) != 0) {
      return broken(size < 4 ? TOO_SHORT : ENCAPSULATION);
    }
    body_ = stored + 4;
    size_ = size - 4;
    Problem problem = walk(0, ~0U);
    if (problem == NO_PROBLEM && size_ - position_ > 3) {
      problem = TOO_LONG;
    }
    if (problem != NO_PROBLEM) {
      return broken(problem);
    }
    put_end(out_);
    return NO_PROBLEM;
  }

 private:
  Problem broken(Problem problem) {
    put(out_, BROKEN, 0, problem, 1);
    return problem;
  }

  /// The instructions up to END, or to the NEXT before `behind`.
  Problem walk(unsigned at, unsigned behind) {
    while (at < behind) {
      const Instruction word(program_[at]);
      if (word.op == END || word.op == NEXT) {
        return NO_PROBLEM;
      }
      const bool repeats = word.op == REPEAT || word.op == REPEAT_SEQUENCE;
      const Problem problem = repeats ? repeat(word, at) : one(word);
      if (problem != NO_PROBLEM) {
        return problem;
      }
      at = repeats ? word.target : at + 1;
    }
    return NO_PROBLEM;
  }

  Problem repeat(const Instruction& word, unsigned at) {
    unsigned times = word.argument;
    if (word.op == REPEAT_SEQUENCE) {
      const Problem problem = count(word, times);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    for (unsigned i = 0; i < times; ++i) {
      const Problem problem = walk(at + 1, word.target);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    return NO_PROBLEM;
  }

  Problem one(const Instruction& word) {
    unsigned elements = word.argument;
    if (word.op == STRING) {
      return text(word);
    }
    if (word.op != FIXED) {
      const Problem problem = count(word, elements);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    return values(word, elements);
  }

  Problem number(unsigned& value) {
    position_ = aligned(position_, 4);
    if (position_ + 4 > size_) {
      return TOO_SHORT;
    }
    std::memcpy(&value, body_ + position_, 4);
    position_ += 4;
    return NO_PROBLEM;
  }

  Problem count(const Instruction& word, unsigned& elements) {
    const Problem problem = number(elements);
    if (problem != NO_PROBLEM || elements > word.argument) {
      return problem != NO_PROBLEM ? problem : OVER_BOUND;
    }
    put_count(out_, word.field, elements);
    return NO_PROBLEM;
  }

  Problem text(const Instruction& word) {
    unsigned length = 0;
    const Problem problem = number(length);
    if (problem != NO_PROBLEM) {
      return problem;
    }
    if (length == 0 || length - 1 > word.argument) {
      return length == 0 ? BAD_TEXT : OVER_BOUND;
    }
    if (position_ + length > size_) {
      return TOO_SHORT;
    }
    if (body_[position_ + length - 1] != 0) {
      return BAD_TEXT;
    }
    put_count(out_, word.field, length - 1);
    send(word, length - 1);
    ++position_;
    return NO_PROBLEM;
  }

  Problem values(const Instruction& word, unsigned elements) {
    if (elements == 0) {
      return NO_PROBLEM;
    }
    position_ = aligned(position_, word.size);
    const std::size_t bytes = std::size_t(elements) * word.size;
    if (position_ + bytes > size_) {
      return TOO_SHORT;
    }
    for (std::size_t unit = 0; word.op == WIDE_STRING && unit < bytes; unit += 4) {
      if (body_[position_ + unit + 2] != 0 || body_[position_ + unit + 3] != 0) {
        return BAD_TEXT;
      }
    }
    send(word, bytes);
    return NO_PROBLEM;
  }

  void send(const Instruction& word, std::size_t bytes) {
    for (std::size_t begin = 0; begin < bytes; begin += 8) {
      const std::size_t size = bytes - begin < 8 ? bytes - begin : 8;
      unsigned char lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      for (std::size_t lane = 0; lane < size; ++lane) {
        const unsigned char byte = body_[position_ + begin + lane];
        lanes[lane] = word.is_bool ? byte != 0 : byte;
      }
      unsigned long long data = 0;
      std::memcpy(&data, lanes, 8);
      put(out_, VALUES, word.field, data, unsigned(size));
    }
    position_ += bytes;
  }

  const unsigned long long* program_;
  Fields& out_;
  const unsigned char* body_ = nullptr;
  std::size_t size_ = 0;
  std::size_t position_ = 0;  // behind the encapsulation
};

/// A field stream becomes a stored message; what breaks the order or a bound gives none.
class Pack {
 public:
  Pack(const unsigned long long* program, Fields& in) : program_(program), in_(in) {}

  /// All of one message is taken from the stream, also where it is wrong.
  Problem run(std::vector<unsigned char>& stored) {
    body_.clear();
    Problem problem = walk(0, ~0U);
    bool done = over_;
    while (!over_) {
      const Beat beat = in_.read();
      over_ = kind_of(beat) >= DONE;
      done = kind_of(beat) == DONE;
      if (!over_ || !done) {
        problem = WRONG_FIELD;
      }
    }
    if (problem != NO_PROBLEM || !done) {
      return problem != NO_PROBLEM ? problem : WRONG_FIELD;
    }
    static const unsigned char encapsulation[4] = {0, 1, 0, 0};
    stored.assign(encapsulation, encapsulation + 4);
    stored.insert(stored.end(), body_.begin(), body_.end());
    return NO_PROBLEM;
  }

 private:
  Problem walk(unsigned at, unsigned behind) {
    while (at < behind) {
      const Instruction word(program_[at]);
      if (word.op == END || word.op == NEXT) {
        return NO_PROBLEM;
      }
      const bool repeats = word.op == REPEAT || word.op == REPEAT_SEQUENCE;
      const Problem problem = repeats ? repeat(word, at) : one(word);
      if (problem != NO_PROBLEM) {
        return problem;
      }
      at = repeats ? word.target : at + 1;
    }
    return NO_PROBLEM;
  }

  Problem repeat(const Instruction& word, unsigned at) {
    unsigned times = word.argument;
    if (word.op == REPEAT_SEQUENCE) {
      const Problem problem = count(word, times, 0);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    for (unsigned i = 0; i < times; ++i) {
      const Problem problem = walk(at + 1, word.target);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    return NO_PROBLEM;
  }

  Problem one(const Instruction& word) {
    unsigned elements = word.argument;
    if (word.op != FIXED) {
      const Problem problem = count(word, elements, word.op == STRING ? 1 : 0);
      if (problem != NO_PROBLEM) {
        return problem;
      }
    }
    const Problem problem = values(word, std::size_t(elements) * word.size);
    if (problem == NO_PROBLEM && word.op == STRING) {
      body_.push_back(0);
    }
    return problem;
  }

  Problem next(const Instruction& word, unsigned kind, Beat& beat) {
    beat = in_.read();
    over_ = kind_of(beat) >= DONE;
    return !over_ && kind_of(beat) == kind && field_of(beat) == word.field ? NO_PROBLEM
                                                                           : WRONG_FIELD;
  }

  Problem count(const Instruction& word, unsigned& elements, unsigned more) {
    Beat beat;
    const Problem problem = next(word, COUNT, beat);
    if (problem != NO_PROBLEM) {
      return problem;
    }
    elements = unsigned(beat.data);
    if (elements > word.argument) {
      return OVER_BOUND;
    }
    const unsigned stored = elements + more;
    body_.resize(aligned(body_.size(), 4));
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&stored);
    body_.insert(body_.end(), bytes, bytes + 4);
    return NO_PROBLEM;
  }

  /// Values may come in pieces of any size.
  Problem values(const Instruction& word, std::size_t bytes) {
    if (bytes != 0) {
      body_.resize(aligned(body_.size(), word.size));
    }
    while (bytes != 0) {
      Beat beat;
      const Problem problem = next(word, VALUES, beat);
      if (problem != NO_PROBLEM) {
        return problem;
      }
      const unsigned long long data = beat.data;
      const unsigned size = unsigned(__builtin_popcountll(beat.keep));
      if (size == 0 || size > bytes) {
        return WRONG_FIELD;
      }
      for (unsigned lane = 0; lane < size; ++lane) {
        const unsigned char byte = (unsigned char)(data >> (8 * lane));
        body_.push_back(word.is_bool ? byte != 0 : byte);
      }
      bytes -= size;
    }
    return NO_PROBLEM;
  }

  const unsigned long long* program_;
  Fields& in_;
  std::vector<unsigned char> body_;
  bool over_ = false;
};

/// Sends a stored message through a node; NO_PROBLEM and the stored answer, or why there is none.
/// A node that leaves beats behind, or asks for more than the message has, is wrong.
template <typename In, typename Out>
Problem run(void (*node)(Fields&, Fields&), const unsigned char* stored, std::size_t size,
            std::vector<unsigned char>& answer) {
  Fields in;
  Fields out;
  const Problem problem = Unpack(In::program(), in).run(stored, size);
  if (problem != NO_PROBLEM) {
    return problem;
  }
  node(in, out);
  if (!in.empty() || out.empty()) {
    return WRONG_LENGTH;
  }
  const Problem packed = Pack(Out::program(), out).run(answer);
  return packed == NO_PROBLEM && !out.empty() ? WRONG_LENGTH : packed;
}

}  // namespace native
}  // namespace lig_hls

#endif
