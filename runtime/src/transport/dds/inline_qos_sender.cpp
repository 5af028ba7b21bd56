// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/inline_qos_sender.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace ligament::dds {

namespace {

struct Attached {
  std::size_t size = 0;
  RelatedParameters parameters{};
};

/// What a datagram carries beyond 65507 bytes does not fit into UDP.
constexpr std::size_t largest_datagram = 65507;

struct Table {
  std::atomic<std::size_t> count{0};  ///< of payloads; 0: nothing to look for
  std::mutex mutex;                   ///< guards what follows
  std::map<const std::byte*, Attached> payloads;
};

Table& table() {
  static Table instance;
  return instance;
}

std::optional<RelatedParameters> parameters_of(const ddsrt_iovec_t& part) {
  Table& known = table();
  const auto* address = static_cast<const std::byte*>(part.iov_base);
  const std::lock_guard guard(known.mutex);
  auto found = known.payloads.upper_bound(address);
  if (found == known.payloads.begin()) {
    return std::nullopt;
  }
  --found;
  const auto offset = static_cast<std::size_t>(address - found->first);
  return offset < found->second.size ? std::optional(found->second.parameters) : std::nullopt;
}

std::span<const std::byte> bytes_of(const ddsrt_iovec_t& part) {
  return {static_cast<const std::byte*>(part.iov_base), part.iov_len};
}

/// Whether it has a submessage with an endpoint's announcement.
bool announces_endpoints(std::span<const ddsrt_iovec_t> parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (header_with_participant(bytes_of(parts[i - 1]), bytes_of(parts[i]))) {
      return true;
    }
  }
  return false;
}

/// A datagram in parts, with what was put in. It refers to the engine's parts.
class Datagram {
 public:
  explicit Datagram(std::span<const ddsrt_iovec_t> given, bool has_related) {
    headers_.reserve(given.size());  // parts point into these: they must not move
    related_.reserve(given.size());
    participants_.reserve(given.size());
    parts.reserve(5 * given.size());
    for (const ddsrt_iovec_t& part : given) {
      size_ += part.iov_len;  // of all, before the first decides whether there is room for more
    }
    for (const ddsrt_iovec_t& part : given) {
      if (parts.empty() || !(add_participant(part) || (has_related && add_related(part)))) {
        parts.push_back(part);
      }
    }
  }

  std::vector<ddsrt_iovec_t> parts;
  std::size_t added = 0;  ///< bytes that are not the engine's

 private:
  bool add_related(const ddsrt_iovec_t& payload) {
    const auto parameters = parameters_of(payload);
    if (!parameters) {
      return false;
    }
    const auto header = header_with_related(bytes_of(parts.back()));
    if (!header || !takes(related_size)) {
      return false;  // it goes without: its client waits in vain, as for any reply that is lost
    }
    replace_header(*header);
    related_.push_back(*parameters);
    parts.push_back({related_.back().data(), related_size});
    parts.push_back(payload);
    return true;
  }

  bool add_participant(const ddsrt_iovec_t& payload) {
    const auto bytes = bytes_of(payload);
    const auto header = header_with_participant(bytes_of(parts.back()), bytes);
    const auto parameter = header ? participant_parameter(bytes) : std::nullopt;
    if (!parameter || !takes(participant_size)) {
      return false;
    }
    replace_header(*header);
    participants_.push_back(*parameter);
    parts.push_back({payload.iov_base, encapsulation_size});
    parts.push_back({participants_.back().data(), participant_size});
    const auto rest = bytes.subspan(encapsulation_size);
    parts.push_back({const_cast<std::byte*>(rest.data()), rest.size()});  // NOLINT: iovec's type
    return true;
  }

  /// Counts them, if the datagram has room for so many.
  [[nodiscard]] bool takes(std::size_t more) {
    if (size_ + added + more > largest_datagram) {
      return false;
    }
    added += more;
    return true;
  }

  void replace_header(const DataHeader& header) {
    headers_.push_back(header);
    parts.back().iov_len -= header.size;
    parts.push_back({headers_.back().bytes.data(), header.size});
  }

  std::vector<DataHeader> headers_;
  std::vector<RelatedParameters> related_;
  std::vector<ParticipantParameter> participants_;
  std::size_t size_ = 0;
};

}  // namespace

ssize_t send_with_parameters(ddsi_tran_write_fn_t engine, ddsi_tran_conn_t socket,
                             const ddsi_locator_t* destination,
                             std::span<const ddsrt_iovec_t> parts, std::uint32_t flags) {
  const bool has_related = table().count.load(std::memory_order_acquire) != 0;
  if (!has_related && !announces_endpoints(parts)) {
    return engine(socket, destination, parts.size(), parts.data(), flags);
  }
  const Datagram datagram(parts, has_related);
  const ssize_t sent =
      engine(socket, destination, datagram.parts.size(), datagram.parts.data(), flags);
  const auto added = static_cast<ssize_t>(datagram.added);
  return sent > added ? sent - added : sent;
}

void attach_related(std::span<const std::byte> payload, const SampleIdentity& related) {
  Table& known = table();
  const std::lock_guard guard(known.mutex);
  known.payloads.insert_or_assign(payload.data(),
                                  Attached{payload.size(), related_parameters(related)});
  known.count.store(known.payloads.size(), std::memory_order_release);
}

void detach_related(std::span<const std::byte> payload) {
  Table& known = table();
  const std::lock_guard guard(known.mutex);
  known.payloads.erase(payload.data());
  known.count.store(known.payloads.size(), std::memory_order_release);
}

}  // namespace ligament::dds
