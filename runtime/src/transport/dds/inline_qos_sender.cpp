// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/inline_qos_sender.hpp"

#include <dds/ddsi/ddsi_tran.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/dds/domain_sockets.h"

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
  std::atomic<ddsi_tran_write_fn_t> engine{nullptr};
  std::mutex mutex;  ///< guards what follows
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

ssize_t write_with_related(ddsi_tran_conn_t socket, const ddsi_locator_t* destination,
                           std::size_t count, const ddsrt_iovec_t* parts, std::uint32_t flags) {
  const auto engine = table().engine.load(std::memory_order_acquire);
  if (table().count.load(std::memory_order_acquire) == 0) {
    return engine(socket, destination, count, parts, flags);
  }
  const Datagram datagram({parts, count});
  const ssize_t sent =
      engine(socket, destination, datagram.parts.size(), datagram.parts.data(), flags);
  const auto added = static_cast<ssize_t>(datagram.inserted.size() * related_size);
  return sent > added ? sent - added : sent;  // the engine counts its own bytes
}

bool stand_before(ddsi_tran_conn* socket) {
  if (socket == nullptr || !socket->m_connless || socket->m_stream) {
    return false;
  }
  const ddsi_tran_write_fn_t now = __atomic_load_n(&socket->m_write_fn, __ATOMIC_ACQUIRE);
  if (now == &write_with_related) {
    return true;
  }
  // All datagram sockets of a process send with the same function of the engine.
  ddsi_tran_write_fn_t none = nullptr;
  if (!table().engine.compare_exchange_strong(none, now) && none != now) {
    return false;
  }
  __atomic_store_n(&socket->m_write_fn, &write_with_related, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

bool stand_before_sockets(ddsi_domaingv& domain) {
  std::array<ddsi_tran_conn*, 8> sockets{};
  const std::size_t count = ligament_domain_sockets(&domain, sockets.data(), sockets.size());
  bool all = count > 0 && count <= sockets.size();
  for (std::size_t i = 0; i < count && i < sockets.size(); ++i) {
    all = stand_before(sockets[i]) && all;
  }
  return all;
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
