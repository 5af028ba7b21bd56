// SPDX-License-Identifier: Apache-2.0
/// \file The table of back-ends. A new one is a folder beside this file and a line in here.
#include <array>
#include <ligament/device.hpp>

#include "device/cpu/cpu_device.hpp"
#include "device/fpga_uio/fpga_uio_device.hpp"
#include "node/nearest.hpp"

namespace ligament::device {
namespace {

struct Backend {
  const char* name;
  Result<std::unique_ptr<Device>> (*open)(const OpenOptions&);
};

constexpr std::array table{
    Backend{"cpu", &open_cpu},
    Backend{"fpga_uio", &open_fpga_uio},
};

}  // namespace

std::vector<std::string> backends() {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& backend : table) {
    names.emplace_back(backend.name);
  }
  return names;
}

Result<std::unique_ptr<Device>> open(const std::string& backend, const OpenOptions& options) {
  for (const auto& entry : table) {
    if (backend == entry.name) {
      return entry.open(options);
    }
  }
  return unexpected<Error>(Error{ErrorCode::backend_unknown,
                                 "there is no device back-end '" + backend + "' in this build" +
                                     detail::did_you_mean(backend, backends()) +
                                     "; there are: " + detail::listing(backends())});
}

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::backend_unknown:
      return "backend unknown";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::memory_refused:
      return "memory refused";
    case ErrorCode::artefact_missing:
      return "artefact missing";
    case ErrorCode::artefact_invalid:
      return "artefact invalid";
    case ErrorCode::program_unknown:
      return "program unknown";
    case ErrorCode::too_many_programs:
      return "too many programs";
    case ErrorCode::port_unknown:
      return "port unknown";
    case ErrorCode::port_bound_twice:
      return "port bound twice";
    case ErrorCode::type_mismatch:
      return "type mismatch";
    case ErrorCode::not_bound:
      return "not bound";
    case ErrorCode::already_started:
      return "already started";
    case ErrorCode::not_started:
      return "not started";
    case ErrorCode::exceeds_bound:
      return "exceeds bound";
    case ErrorCode::program_failed:
      return "program failed";
    case ErrorCode::deadline:
      return "deadline";
    case ErrorCode::device_lost:
      return "device lost";
    case ErrorCode::system:
      return "system";
  }
  return "unknown";
}

}  // namespace ligament::device
