// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/flight.hpp"

#include <cstring>

namespace ligament::gpu::cuda {

bool CudaFlight::ask_to_be_told(Told* told) {
  const Driver& driver = *device_.driver;
  return driver.stream_wait(device_.told.get(), last.get(), 0) == status::success &&
         driver.host_function(device_.told.get(), &Told::tell, told) == status::success;
}

bool CudaFlight::has_landed() {
  device_.context->make_current();
  return device_.driver->event_query(last.get()) != status::not_ready;
}

void CudaFlight::land() {
  device_.context->make_current();
  const Status ended = last ? device_.driver->event_query(last.get()) : status::success;
  if (result && ended != status::success) {
    result = failed(*device_.driver, names.c_str(), ended);
  }
  if (result) {
    for (const HostCopy& copy : host_copies) {
      std::memcpy(copy.to.data(), copy.from, copy.to.size());
    }
  }
  landed_(*this);
}

}  // namespace ligament::gpu::cuda
