// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/sockets.hpp"

#include <dds/ddsi/ddsi_tran.h>
#include <dds/ddsi/q_protocol.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>

#include "transport/dds/domain_sockets.h"
#include "transport/dds/engine_match.h"
#include "transport/dds/first_acks.hpp"
#include "transport/dds/first_heartbeats.hpp"
#include "transport/dds/inline_qos_sender.hpp"
#include "transport/dds/send_pace.hpp"
#include "transport/dds/type_lookups.hpp"

namespace ligament::dds {

namespace {

/// The engine's own. All datagram sockets of a process send with the same one.
std::atomic<ddsi_tran_write_fn_t>& engine() {
  static std::atomic<ddsi_tran_write_fn_t> instance{nullptr};
  return instance;
}

SendPace& pace() {
  static SendPace instance;
  return instance;
}

UdpPlace place_of(const ddsi_locator_t& locator) {
  constexpr std::size_t v4_at = 12;  // of an address of 16 bytes
  UdpPlace place{0, htons(static_cast<std::uint16_t>(locator.port))};
  std::memcpy(&place.address, &locator.address[v4_at], sizeof place.address);
  return place;
}

/// First acknowledgements, in place. Returns the datagram's size.
std::size_t adapt(std::span<const ddsrt_iovec_t> datagram, const ddsi_domaingv* domain) {
  FirstAcks acks([domain](const pool::Gid& reader, const pool::Gid& writer) {
    return ligament_next_ack_count(domain, reader.data(), writer.data());
  });
  std::size_t size = 0;
  for (const ddsrt_iovec_t& part : datagram) {
    (void)acks.adapt({static_cast<std::byte*>(part.iov_base), part.iov_len});
    size += part.iov_len;
  }
  return size;
}

ssize_t write_wrapped(ddsi_tran_conn_t socket, const ddsi_locator_t* destination, std::size_t count,
                      const ddsrt_iovec_t* parts, std::uint32_t flags) {
  const std::span<const ddsrt_iovec_t> datagram(parts, count);
  const std::size_t size = adapt(datagram, socket->m_base.gv);
  if (size >= SendPace::smallest && destination != nullptr &&
      destination->kind == NN_LOCATOR_KIND_UDPv4) {
    pace().wait_for_room(place_of(*destination), size);
  }
  return send_with_parameters(engine().load(std::memory_order_acquire), socket, destination,
                              datagram, flags);
}

/// The engine's own, with which all its datagram sockets receive.
std::atomic<ddsi_tran_read_fn_t>& engine_read() {
  static std::atomic<ddsi_tran_read_fn_t> instance{nullptr};
  return instance;
}

ssize_t read_wrapped(ddsi_tran_conn_t socket, unsigned char* to, std::size_t size,
                     bool allow_spurious, ddsi_locator_t* source) {
  const ssize_t came =
      engine_read().load(std::memory_order_acquire)(socket, to, size, allow_spurious, source);
  if (came > 0) {
    const std::span datagram(reinterpret_cast<std::byte*>(to), static_cast<std::size_t>(came));
    (void)empty_type_lookups(datagram);
    (void)drop_early_heartbeats(datagram, [domain = socket->m_base.gv](const pool::Gid& writer) {
      return ligament_is_matched(domain, writer.data());
    });
  }
  return came;
}

/// Those of another kind are left as they are: there, no participants of Fast DDS are.
/// Whether it was not wrapped before.
bool wrap_reading(ddsi_tran_conn* socket) {
  if (socket == nullptr || !socket->m_connless || socket->m_stream) {
    return false;
  }
  const ddsi_tran_read_fn_t now = __atomic_load_n(&socket->m_read_fn, __ATOMIC_ACQUIRE);
  ddsi_tran_read_fn_t none = nullptr;
  if (now == &read_wrapped || (!engine_read().compare_exchange_strong(none, now) && none != now)) {
    return false;
  }
  __atomic_store_n(&socket->m_read_fn, &read_wrapped, __ATOMIC_RELEASE);
  return true;
}

/// Threads of the engine may wait within its own reading already: what comes to them next would
/// pass by ours. So one byte comes, as when the engine ends them, which it drops.
void wake_readers(const ddsi_domaingv& domain, ddsi_tran_conn* from) {
  std::array<const ddsi_locator_t*, 4> places{};
  const std::size_t count = ligament_waiting_readers(&domain, places.data(), places.size());
  const ddsi_tran_write_fn_t write = engine().load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count && write != nullptr && from != nullptr; ++i) {
    std::byte nothing{};
    const ddsrt_iovec_t part{&nothing, sizeof nothing};
    (void)write(from, places[i], 1, &part, 0);
  }
}

bool wrap(ddsi_tran_conn* socket) {
  if (socket == nullptr || !socket->m_connless || socket->m_stream) {
    return false;
  }
  const ddsi_tran_write_fn_t now = __atomic_load_n(&socket->m_write_fn, __ATOMIC_ACQUIRE);
  if (now == &write_wrapped) {
    return true;
  }
  ddsi_tran_write_fn_t none = nullptr;
  if (!engine().compare_exchange_strong(none, now) && none != now) {
    return false;
  }
  __atomic_store_n(&socket->m_write_fn, &write_wrapped, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

bool wrap_sockets(ddsi_domaingv& domain) {
  std::array<ddsi_tran_conn*, 8> sockets{};
  const std::size_t count = ligament_domain_sockets(&domain, sockets.data(), sockets.size());
  bool all = count > 0 && count <= sockets.size();
  for (std::size_t i = 0; i < count && i < sockets.size(); ++i) {
    all = wrap(sockets[i]) && all;
  }
  std::array<ddsi_tran_conn*, 4> receiving{};
  ligament_receiving_sockets(&domain, receiving.data());
  if (std::count_if(receiving.begin(), receiving.end(), wrap_reading) != 0) {
    wake_readers(domain, sockets[0]);
  }
  return all;
}

}  // namespace ligament::dds
