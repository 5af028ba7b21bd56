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

/// A datagram in parts, with what was put in. It refers to the engine's parts.
struct Datagram {
  struct Inserted {
    DataHeader header;
    RelatedParameters parameters;
  };
  explicit Datagram(std::span<const ddsrt_iovec_t> given) {
    parts.reserve(3 * given.size());
    inserted.reserve(given.size());  // parts point into it: it must not move
    for (const ddsrt_iovec_t& part : given) {
      size += part.iov_len;  // of all, before the first decides whether there is room for more
    }
    for (const ddsrt_iovec_t& part : given) {
      insert_before(part);
      parts.push_back(part);
    }
  }
  void insert_before(const ddsrt_iovec_t& payload) {
    const auto parameters = parts.empty() ? std::nullopt : parameters_of(payload);
    if (!parameters) {
      return;
    }
    ddsrt_iovec_t& before = parts.back();
    const auto header =
        header_with_related({static_cast<const std::byte*>(before.iov_base), before.iov_len});
    if (!header || size + related_size > largest_datagram) {
      return;  // it goes without: its client waits in vain, as for any reply that is lost
    }
    before.iov_len -= header->size;
    Inserted& added = inserted.emplace_back(Inserted{*header, *parameters});
    parts.push_back({added.header.bytes.data(), added.header.size});
    parts.push_back({added.parameters.data(), added.parameters.size()});
    size += related_size;
  }

  std::vector<ddsrt_iovec_t> parts;
  std::vector<Inserted> inserted;
  std::size_t size = 0;
};

}  // namespace

ssize_t send_with_related(ddsi_tran_write_fn_t engine, ddsi_tran_conn_t socket,
                          const ddsi_locator_t* destination, std::span<const ddsrt_iovec_t> parts,
                          std::uint32_t flags) {
  if (table().count.load(std::memory_order_acquire) == 0) {
    return engine(socket, destination, parts.size(), parts.data(), flags);
  }
  const Datagram datagram(parts);
  const ssize_t sent =
      engine(socket, destination, datagram.parts.size(), datagram.parts.data(), flags);
  const auto added = static_cast<ssize_t>(datagram.inserted.size() * related_size);
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
