// SPDX-License-Identifier: Apache-2.0
#include "container/status_channel.hpp"

#include <unistd.h>

#include <cerrno>

namespace ligament::container {

void StatusChannel::send(const nlohmann::json& line) {
  if (!is_open()) {
    return;
  }
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  std::size_t done = 0;
  while (done < text.size()) {
    const auto written = ::write(descriptor_, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) {
      return;  // the reader is gone; the control thread notices and stops the container
    }
    done += written < 0 ? 0 : static_cast<std::size_t>(written);
  }
}

void StatusChannel::send_error(const std::string& node, const std::string& text) {
  send({{"event", "error"}, {"node", node}, {"text", text}});
}

}  // namespace ligament::container
