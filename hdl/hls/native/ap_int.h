// SPDX-License-Identifier: Apache-2.0
/// \file Stands in for the vendor's ap_int.h where a node is compiled natively: unsigned numbers of
/// up to 64 bits, as far as lig_hls.hpp needs them. With the vendor's tools, theirs is found first.
#ifndef LIG_HLS_NATIVE_AP_INT_H
#define LIG_HLS_NATIVE_AP_INT_H

#include <type_traits>

template <int Width>
class ap_uint {
  static_assert(Width >= 1 && Width <= 64, "natively an ap_uint has 1 to 64 bits");

 public:
  ap_uint() : bits_(0) {}
  ap_uint(unsigned long long bits)  // NOLINT: converts, as the vendor's
      : bits_(static_cast<Storage>(bits & mask())) {}
  operator unsigned long long() const { return bits_; }  // NOLINT: the same

 private:
  static unsigned long long mask() { return Width == 64 ? ~0ULL : (1ULL << (Width % 64)) - 1; }
  template <bool Fits, typename Small, typename Large>
  using Or = typename std::conditional<Fits, Small, Large>::type;
  /// The smallest that holds it: a queue of beats is long.
  using Storage =
      Or<Width <= 8, unsigned char,
         Or<Width <= 16, unsigned short, Or<Width <= 32, unsigned, unsigned long long>>>;

  Storage bits_;
};

#endif
