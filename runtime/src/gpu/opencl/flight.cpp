// SPDX-License-Identifier: Apache-2.0
#include "gpu/opencl/flight.hpp"

namespace ligament::gpu::opencl {
namespace {

void CL_CALLBACK tell(cl_event /*event*/, cl_int /*status*/, void* told) { Told::tell(told); }

cl_int state_of(const EventHandle& event) {
  cl_int state = CL_COMPLETE;
  (void)clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                       nullptr);
  return state;
}

Result<void> result_of(const std::vector<EventHandle>& events, const char* what) {
  for (const EventHandle& event : events) {
    if (const cl_int state = state_of(event); state < 0) {
      return failed(what, state);
    }
  }
  return {};
}

}  // namespace

bool OpenClFlight::ask_to_be_told(Told* told) {
  return clSetEventCallback(last.get(), CL_COMPLETE, &tell, told) == CL_SUCCESS;
}

bool OpenClFlight::has_landed() { return state_of(last) <= CL_COMPLETE; }

void OpenClFlight::land() {
  for (const auto* events : {&kernels, &copies}) {
    const std::string what = events == &kernels ? names : "a copy";
    if (auto done = result_of(*events, what.c_str()); result && !done) {
      result = done;
    }
  }
  landed_(*this);
}

}  // namespace ligament::gpu::opencl
