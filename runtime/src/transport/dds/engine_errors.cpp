// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/engine_errors.hpp"

#include <dds/ddsrt/log.h>

#include <cstdio>
#include <mutex>

namespace ligament::dds {

namespace {

struct Told {
  std::mutex mutex;
  std::string errors;
};

/// On any thread of the engine.
void keep(void* target, const dds_log_data_t* line) {
  // The line with its head, and its end: as the engine itself writes it.
  (void)std::fwrite(line->message - line->hdrsize, 1, line->hdrsize + line->size + 1, stderr);
  if ((line->priority & (DDS_LC_FATAL | DDS_LC_ERROR)) != 0) {
    auto& told = *static_cast<Told*>(target);
    const std::lock_guard guard(told.mutex);
    told.errors += told.errors.empty() ? "" : "; ";
    told.errors.append(line->message, line->size);
  }
}

}  // namespace

std::string errors_during(const std::function<void()>& step) {
  static std::mutex one_at_a_time;  // the process has one such listener
  const std::lock_guard guard(one_at_a_time);
  Told told;
  dds_set_log_sink(keep, &told);
  step();
  dds_set_log_sink(nullptr, nullptr);  // waits for who is in there
  return told.errors;
}

}  // namespace ligament::dds
