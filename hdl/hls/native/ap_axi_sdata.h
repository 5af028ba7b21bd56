// SPDX-License-Identifier: Apache-2.0
/// \file Stands in for the vendor's ap_axi_sdata.h: a beat of an AXI4-Stream without id and dest.
#ifndef LIG_HLS_NATIVE_AP_AXI_SDATA_H
#define LIG_HLS_NATIVE_AP_AXI_SDATA_H

#include "ap_int.h"

template <int Data, int User, int Id, int Dest>
struct ap_axiu {
  static_assert(Id == 0 && Dest == 0, "natively a beat has no id and no dest");
  ap_uint<Data> data;
  ap_uint<Data / 8> keep;
  ap_uint<Data / 8> strb;
  ap_uint<User> user;
  ap_uint<1> last;
};

#endif
