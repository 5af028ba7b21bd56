// SPDX-License-Identifier: Apache-2.0
/// \file Field streams (spec/wire/fields.md) for nodes in HLS C++: what the generated headers of
/// messages are made of. Plain C++14 with the vendor's types; natively, hls/native stands in for
/// those.
///
///     #include "sensor_msgs/msg/imu.hpp"  // python -m ligament.messages hls
///     void my_node(lig_hls::Fields& in, lig_hls::Fields& out) {
///       static lig_hls::sensor_msgs::msg::Imu message;
///       if (lig_hls::take(in, message)) {  // waits; try_take does not
///         message.linear_acceleration.z = 0;
///         lig_hls::publish(out, message);
///       }
///     }
#ifndef LIG_HLS_HPP
#define LIG_HLS_HPP

#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

namespace lig_hls {

/// One beat of a field stream: data, keep, user (kind and field), last.
typedef ap_axiu<64, 14, 0, 0> Beat;
typedef hls::stream<Beat> Fields;

/// kind_e of lig_fields_pkg.
enum Kind { VALUES = 0, COUNT = 1, DONE = 2, BROKEN = 3 };

inline unsigned kind_of(const Beat& beat) { return (unsigned(beat.user) >> 12) & 3; }
inline unsigned field_of(const Beat& beat) { return unsigned(beat.user) & 0xFFF; }

/// Elements of a field whose number varies; a text's are its bytes, a wide text's its units.
template <typename T, unsigned Bound>
struct Sequence {
  static const unsigned bound = Bound;
  unsigned count;
  T values[Bound == 0 ? 1 : Bound];
};

/// The bits of a value: HLS has no other way to see those of a float.
template <typename T>
struct Bits {
  static unsigned long long of(T value) {
    union {
      T value;
      unsigned long long bits;
    } both;
    both.bits = 0;
    both.value = value;
    return both.bits;
  }
  static T from(unsigned long long bits) {
    union {
      T value;
      unsigned long long bits;
    } both;
    both.bits = bits;
    return both.value;
  }
};

template <>
struct Bits<bool> {
  static unsigned long long of(bool value) { return value ? 1 : 0; }
  static bool from(unsigned long long bits) { return (bits & 0xFF) != 0; }
};

/// How far a message has been taken: `over` once its last beat was, `good` while all of it fits.
struct Taking {
  bool over;
  bool good;
};

/// The next beat, which has to be of that kind and field. Behind the message's end nothing is read,
/// so that a broken message never takes a beat of the next one.
inline Beat next(Fields& in, Taking& taking, unsigned kind, unsigned field) {
  Beat beat = Beat();
  if (taking.over) {
    taking.good = false;
    return beat;
  }
  beat = in.read();
  if (kind_of(beat) == DONE || kind_of(beat) == BROKEN) {
    taking.over = true;
    taking.good = false;
    return Beat();
  }
  if (kind_of(beat) != kind || field_of(beat) != field) {
    taking.good = false;
  }
  return beat;
}

inline unsigned take_count(Fields& in, Taking& taking, unsigned field, unsigned bound) {
  const unsigned count = unsigned(next(in, taking, COUNT, field).data);
  if (count > bound) {
    taking.good = false;
    return bound;
  }
  return count;
}

template <typename T>
void take_values(Fields& in, Taking& taking, unsigned field, T* values, unsigned count) {
  const unsigned per_beat = 8 / sizeof(T);
  unsigned long long bits = 0;
  for (unsigned i = 0; i < count; ++i) {
#ifdef __SYNTHESIS__
#pragma HLS PIPELINE II = 1
#endif
    if (i % per_beat == 0) {
      bits = (unsigned long long)(next(in, taking, VALUES, field).data);
    }
    values[i] = Bits<T>::from(bits);
    bits = sizeof(T) == 8 ? 0 : bits >> (8 * (sizeof(T) % 8));
  }
}

/// Everything up to the message's end; whether it was all of it and valid.
inline bool take_end(Fields& in, Taking& taking) {
  if (taking.over) {
    return false;
  }
  bool done = false;
  while (!taking.over) {
    const Beat beat = in.read();
    done = kind_of(beat) == DONE;
    taking.over = done || kind_of(beat) == BROKEN;
    if (!taking.over) {
      taking.good = false;  // more than the message has
    }
  }
  return done && taking.good;
}

inline void put(Fields& out, unsigned kind, unsigned field, unsigned long long data,
                unsigned size) {
  Beat beat = Beat();
  beat.data = data;
  beat.keep = (1U << size) - 1;
  beat.strb = beat.keep;
  beat.user = kind << 12 | field;
  beat.last = kind == DONE || kind == BROKEN;
  out.write(beat);
}

inline void put_count(Fields& out, unsigned field, unsigned count) {
  put(out, COUNT, field, count, 4);
}

template <typename T>
void put_values(Fields& out, unsigned field, const T* values, unsigned count) {
  const unsigned per_beat = 8 / sizeof(T);
  unsigned long long bits = 0;
  for (unsigned i = 0; i < count; ++i) {
#ifdef __SYNTHESIS__
#pragma HLS PIPELINE II = 1
#endif
    const unsigned lane = i % per_beat;
    // The bits of a narrow negative number end with it.
    const unsigned long long mask = sizeof(T) == 8 ? ~0ULL : (1ULL << (8 * (sizeof(T) % 8))) - 1;
    bits |= (Bits<T>::of(values[i]) & mask) << (8 * sizeof(T) * lane);
    if (lane == per_beat - 1 || i == count - 1) {
      put(out, VALUES, field, bits, (lane + 1) * sizeof(T));
      bits = 0;
    }
  }
}

inline void put_end(Fields& out) { put(out, DONE, 0, 0, 1); }

/// The position behind `count` elements of `size` bytes, of which none has any padding behind it.
inline unsigned behind(unsigned position, unsigned size, unsigned count) {
  return count == 0 ? position : (position + size - 1) / size * size + size * count;
}

}  // namespace lig_hls

#endif
