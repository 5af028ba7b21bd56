// SPDX-License-Identifier: Apache-2.0
/// \file Native execution of a node in HLS C++ (`sw_emu`): what lig_unpack and lig_pack do around a
/// core, in plain C++, so that a node takes and gives stored messages (spec/wire/message.md).
///
///     std::vector<unsigned char> answer;
///     lig_hls::native::run<Image, Image>(my_node, bytes, size, answer);
///
/// exchange() does the same for a node with several ports, and says in words why there is no
/// answer. It yields results. There is no clock in it, and no figure of cycles can come out of it.
#ifndef LIG_HLS_NATIVE_LIG_HLS_FRAMES_HPP
#define LIG_HLS_NATIVE_LIG_HLS_FRAMES_HPP

#include <cstddef>
#include <cstring>
#include <lig_hls.hpp>
#include <string>
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

/// Walks a layout program: `WalkerT` has one(instruction) for a field, and count(instruction, n)
/// for how often what follows comes.
template <typename WalkerT>
class Walk {
 protected:
  explicit Walk(const unsigned long long* program) : program_(program) {}

  /// The instructions up to END, or to the NEXT before `behind`.
  Problem walk(unsigned at, unsigned behind) {
    while (at < behind) {
      const Instruction word(program_[at]);
      if (word.op == END || word.op == NEXT) {
        return NO_PROBLEM;
      }
      const bool repeats = word.op == REPEAT || word.op == REPEAT_SEQUENCE;
      const Problem problem = repeats ? repeat(word, at) : walker().one(word);
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
      const Problem problem = walker().count(word, times);
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

 private:
  WalkerT& walker() { return static_cast<WalkerT&>(*this); }

  const unsigned long long* program_;
};

/// A stored message becomes its field stream, which ends with Done, or with Broken and the reason.
class Unpack : Walk<Unpack> {
 public:
  Unpack(const unsigned long long* program, Fields& out) : Walk(program), out_(out) {}

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
  friend class Walk<Unpack>;

  Problem broken(Problem problem) {
    put(out_, BROKEN, 0, problem, 1);
    return problem;
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

  Fields& out_;
  const unsigned char* body_ = nullptr;
  std::size_t size_ = 0;
  std::size_t position_ = 0;  // behind the encapsulation
};

/// A field stream becomes a stored message; what breaks the order or a bound gives none.
class Pack : Walk<Pack> {
 public:
  Pack(const unsigned long long* program, Fields& in) : Walk(program), in_(in) {}

  /// All of one message is taken from the stream, also where it is wrong.
  Problem run(std::vector<unsigned char>& stored) {
    body_.clear();
    Problem problem = walk(0, ~0U);
    bool done = over_;
    while (!over_) {
      const Beat beat = next_beat();
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
  /// The message ended with a Broken beat, and that says why.
  bool is_refusal() const { return refusal_; }
  unsigned reason() const { return reason_; }

 private:
  friend class Walk<Pack>;

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
    beat = next_beat();
    return !over_ && kind_of(beat) == kind && field_of(beat) == word.field ? NO_PROBLEM
                                                                           : WRONG_FIELD;
  }

  Problem count(const Instruction& word, unsigned& elements, unsigned more = 0) {
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

  Beat next_beat() {
    const Beat beat = in_.read();
    over_ = kind_of(beat) >= DONE;
    if (kind_of(beat) == BROKEN) {
      refusal_ = true;
      reason_ = unsigned(beat.data);
    }
    return beat;
  }

  Fields& in_;
  std::vector<unsigned char> body_;
  bool over_ = false;
  bool refusal_ = false;
  unsigned reason_ = 0;
};

/// An input of a node: its stream, and the stored message that goes in.
struct Inlet {
  const char* name;
  const unsigned long long* program;
  Fields* stream;
  const unsigned char* stored;
  std::size_t size;
};

/// An output of a node: its stream, and where the stored message goes.
struct Outlet {
  const char* name;
  const unsigned long long* program;
  Fields* stream;
  std::vector<unsigned char>* stored;
};

/// What became of a set of messages.
enum Ending { ANSWERED, BROKEN_INPUT, STUCK, LEFT_OVER, SILENT, REFUSED, BROKEN_OUTPUT, TALKATIVE };

struct Verdict {
  Ending ending;
  Problem problem;    // of a broken message
  unsigned reason;    // of a refusal
  const char* where;  // the port
  std::string text;   // of a node that is stuck
};

/// Why a message gives no output, as a sentence goes on that begins so; empty where it gives one.
inline std::string sentence(const Verdict& verdict) {
  const std::string port = "'" + std::string(verdict.where) + "'";
  const std::string problem =
      " (problem " + std::to_string(verdict.problem) + " of lig_fields_pkg::problem_e)";
  switch (verdict.ending) {
    case BROKEN_INPUT:
      return "what came on " + port + " breaks the layout of its message" + problem;
    case STUCK:
      return "it never answers: it " + verdict.text;
    case LEFT_OVER:
      return "it did not take all of the message on " + port;
    case SILENT:
      return "it never answers: it ended without a message on " + port;
    case REFUSED:
      return "it refused it on " + port + " (reason " + std::to_string(verdict.reason) + ")";
    case BROKEN_OUTPUT:
      return "its output on " + port + " breaks the layout of the message" + problem;
    case TALKATIVE:
      return "it gave more than one message on " + port;
    case ANSWERED:
      break;
  }
  return "";
}

/// What a node put on an output: one message, and nothing behind it.
inline Verdict collect(const Outlet& out) {
  if (out.stream->size() == 0) {
    return {SILENT, NO_PROBLEM, 0, out.name, ""};
  }
  Pack pack(out.program, *out.stream);
  try {
    const Problem problem = pack.run(*out.stored);
    if (pack.is_refusal()) {
      return {REFUSED, NO_PROBLEM, pack.reason(), out.name, ""};
    }
    if (problem != NO_PROBLEM) {
      return {BROKEN_OUTPUT, problem, 0, out.name, ""};
    }
  } catch (const hls::stuck&) {  // the message does not end
    return {BROKEN_OUTPUT, WRONG_LENGTH, 0, out.name, ""};
  }
  const Ending ending = out.stream->size() == 0 ? ANSWERED : TALKATIVE;
  return {ending, NO_PROBLEM, 0, out.name, ""};
}

/// Sends a set of stored messages through a node, which is called once and takes one message of
/// each input. It answers with one message, or one Broken beat, on each output.
template <typename Node>
Verdict exchange(const std::vector<Inlet>& inlets, const std::vector<Outlet>& outlets,
                 const Node& node) {
  for (const Inlet& in : inlets) {
    const Problem problem = Unpack(in.program, *in.stream).run(in.stored, in.size);
    if (problem != NO_PROBLEM) {
      return {BROKEN_INPUT, problem, 0, in.name, ""};
    }
  }
  try {
    node();
  } catch (const hls::stuck& stuck) {
    return {STUCK, NO_PROBLEM, 0, "", stuck.what()};
  }
  for (const Inlet& in : inlets) {
    if (in.stream->size() != 0) {
      return {LEFT_OVER, NO_PROBLEM, 0, in.name, ""};
    }
  }
  for (const Outlet& out : outlets) {
    const Verdict verdict = collect(out);
    if (verdict.ending != ANSWERED) {
      return verdict;
    }
  }
  return {ANSWERED, NO_PROBLEM, 0, "", ""};
}

/// The most beats that a message can have: each holds a byte of it, a count, or its end.
template <typename Message>
std::size_t most_beats() {
  return sizeof(Message) + 1;
}

/// Sends a stored message through a node; NO_PROBLEM and the stored answer, or why there is none.
/// A node that leaves beats behind, or asks for more than the message has, is wrong.
template <typename In, typename Out>
Problem run(void (*node)(Fields&, Fields&), const unsigned char* stored, std::size_t size,
            std::vector<unsigned char>& answer) {
  Fields in;
  Fields out;
  out.set_limit(most_beats<Out>());
  const Verdict verdict =
      exchange({{"in", In::program(), &in, stored, size}}, {{"out", Out::program(), &out, &answer}},
               [&] { node(in, out); });
  if (verdict.ending == ANSWERED || verdict.problem != NO_PROBLEM) {
    return verdict.problem;
  }
  return verdict.ending == REFUSED ? WRONG_FIELD : WRONG_LENGTH;
}

}  // namespace native
}  // namespace lig_hls

#endif
