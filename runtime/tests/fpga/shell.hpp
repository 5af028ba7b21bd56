// SPDX-License-Identifier: Apache-2.0
/// \file Ends in memory in C++, in the place of generated ones: registers, a port, frames.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <ligament/fpga_design.hpp>
#include <optional>
#include <vector>

#include "fpga/registers.hpp"
#include "memory_wires.hpp"

namespace ligament::fpga::testing {

struct Beat {
  std::uint64_t data = 0;
  std::uint8_t keep = 0;
  std::uint8_t last = 0;
};

/// A stream: who offers a beat, and who takes it.
struct Stream {
  Beat beat;
  std::uint8_t valid = 0;
  std::uint8_t ready = 0;
  [[nodiscard]] bool moves() const { return valid != 0 && ready != 0; }
};

using Header = std::array<std::uint64_t, 2>;

/// Beats of the body that a header announces.
inline std::size_t body_beats(const Header& header) {
  return (static_cast<std::uint32_t>(header[0]) + (header[0] >> 56U & 63U) + 7) / 8;
}

/// Beats up to the end of a burst, which ends at a multiple of its size.
inline std::size_t burst_beats(std::uint64_t address) { return 16 - address / 8 % 16; }

/// What becomes of one end's messages. It reads and writes one after the other.
struct ShellEnd {
  static constexpr std::uint64_t malformed = 4;
  static constexpr std::size_t most_ahead = 256;

  struct Send {
    Header header{};
    std::uint64_t address = 0;
    std::uint16_t tag = 0;
  };
  struct Lent {
    std::uint64_t address = 0;
    std::uint16_t tag = 0;
  };
  struct Event {
    Header header{};
    std::uint64_t word = 0;
  };
  /// Beats that are written together; `event` when the last of a message are in memory.
  struct Burst {
    std::size_t end = 0;
    std::uint64_t address = 0;
    std::vector<Beat> beats;
    bool ends = false;
    Event event;
  };

  Stream* entry = nullptr;
  Stream* exit = nullptr;
  std::size_t reads_for = 0, writes_for = 0;  ///< parts
  bool trusts = false;                        ///< what a header announces, whatever comes
  bool loses_sends = false;                   ///< doorbells of sends change nothing
  std::uint64_t send_status = 0;              ///< of its sends' events
  std::uint64_t store_status = 0;             ///< of its rooms' events, if nothing else is wrong
  std::uint32_t looped = 0, dropped = 0;
  std::deque<Send> sends;
  std::deque<Lent> rooms;
  std::deque<Event> sent, stored;
  std::deque<std::uint64_t> data;
  std::size_t asked = 0;  ///< beats of the first send
  std::size_t said = 0;   ///< beats of its frame
  std::size_t heard = 0;  ///< beats of the frame that comes
  Header header{};        ///< of it
  Burst burst;

  void settle() {
    if (entry != nullptr) {
      entry->valid = static_cast<std::uint8_t>(!sends.empty() && !data.empty());
      entry->beat = entry->valid != 0 ? offered() : Beat{};
    }
    if (exit != nullptr) {
      exit->ready = static_cast<std::uint8_t>(!rooms.empty());
    }
  }

  [[nodiscard]] Beat offered() const {
    const Send& send = sends.front();
    if (said < 2) {
      return {send.header[said], 0xFF, 0};
    }
    const std::size_t bytes =
        static_cast<std::uint32_t>(send.header[0]) + (send.header[0] >> 56U & 63U);
    const bool last = said - 1 == body_beats(send.header);
    const auto tail = static_cast<std::uint8_t>((1U << ((bytes - 1) % 8 + 1)) - 1);
    return {data.front(), last ? tail : std::uint8_t{0xFF}, static_cast<std::uint8_t>(last)};
  }

  void send_beat() {
    if (said++ >= 2) {
      data.pop_front();
    }
    if (entry->beat.last != 0) {
      sent.push_back({sends.front().header, 1ULL << 63U | send_status << 16U | sends.front().tag});
      sends.pop_front();
      asked = said = 0;
    }
  }

  /// Beats of the next burst to be asked for.
  [[nodiscard]] std::size_t wanted() const {
    if (sends.empty()) {
      return 0;
    }
    const std::size_t left = body_beats(sends.front().header) - asked;
    const std::size_t ahead = asked - (said < 2 ? 0 : said - 2);
    return ahead > most_ahead ? 0 : std::min(left, burst_beats(next_read()));
  }
  [[nodiscard]] std::uint64_t next_read() const { return sends.front().address + 8 * asked; }

  /// A beat of a frame comes; whole bursts go to the port.
  void take_beat(std::size_t number, std::deque<Burst>& writes) {
    const Beat beat = exit->beat;
    if (heard == 0 && beat.last != 0) {
      return;  // no frame: hdl/rtl/lig_pack.sv keeps it
    }
    if (heard < 2) {
      dropped += heard == 0 ? 0U : beat.last;  // of a beat alone lig_pack makes no frame
      header[heard++] = beat.data;
      heard = beat.last != 0 ? 0 : heard;
      burst = {number, rooms.front().address, {}, false, {}};
      return;
    }
    const std::size_t announced = body_beats(header);
    const std::size_t place = heard++ - 2;
    if (place < announced) {
      burst.beats.push_back(beat);
    }
    const bool full = burst.beats.size() == burst_beats(burst.address);
    burst.ends = beat.last != 0;
    if (burst.ends) {
      const std::uint64_t status = place + 1 == announced || trusts ? store_status : malformed;
      burst.event = {header, 1ULL << 63U | status << 16U | rooms.front().tag};
      rooms.pop_front();
      heard = 0;
      burst.beats.resize(std::max<std::size_t>(burst.beats.size(), 1));  // nothing of it: no lane
    }
    if (full || burst.ends) {
      const std::uint64_t next = burst.address + 8 * burst.beats.size();
      writes.push_back(burst);
      burst = {number, next, {}, false, {}};
    }
  }

  void reset_entry() {
    sends.clear();
    sent.clear();
    data.clear();
    asked = said = 0;
  }

  void reset_exit() {
    rooms.clear();
    stored.clear();
    heard = 0;
    looped = dropped = 0;
  }
};

/// All ends behind one port and one set of registers, each access to which is answered in the same
/// cycle.
struct Shell {
  std::deque<ShellEnd> ends;
  Port port;
  std::uint8_t one = 1;
  std::uint8_t aw_valid = 0, w_valid = 0, ar_valid = 0;
  std::uint16_t aw_address = 0, ar_address = 0;
  std::uint64_t w_data = 0, r_data = 0;
  std::uint8_t interrupt = 0;
  std::array<std::uint64_t, 3> counts{};  ///< cycles with a beat, beats that were read, written
  static constexpr std::uint64_t page_bytes = 4096;
  bool paged = false;  ///< memory is behind a table
  std::vector<std::uint64_t> pages;
  std::uint64_t next_page = 0;
  std::uint32_t refused = 0;
  std::uint64_t refused_address = 0;
  Header header{};
  std::uint64_t send_address = 0, room_address = 0;
  std::size_t first = 0;  ///< end that is asked first for a burst
  std::deque<ShellEnd::Burst> writes, unanswered;
  std::size_t written = 0;  ///< beats of the first of these
  bool announced = false;

  void edge(bool reset) {
    if (reset) {
      clear();
      return;
    }
    for (std::size_t number = 0; number < ends.size(); ++number) {
      ShellEnd& end = ends[number];
      if (end.entry != nullptr && end.entry->moves()) {
        end.send_beat();
      }
      if (end.exit != nullptr && end.exit->moves()) {
        end.take_beat(number, writes);
      }
    }
    read_edge();
    write_edge();
    register_edge();
  }

  void settle() {
    std::uint8_t waits = 0;
    for (ShellEnd& end : ends) {
      end.settle();
      waits |= static_cast<std::uint8_t>(!end.sent.empty() || !end.stored.empty());
    }
    interrupt = waits;
    r_data = read();
  }

  void read_edge() {
    if (port.r_valid != 0) {
      std::uint64_t word = 0;
      std::memcpy(&word, port.r_data.data(), sizeof word);
      ends[port.r_id].data.push_back(word);
    }
    if (port.ar_valid != 0 && port.ar_ready != 0) {
      port.ar_valid = 0;
    }
    for (std::size_t i = 0; i < ends.size() && port.ar_valid == 0; ++i) {
      first = (first + 1) % ends.size();
      ShellEnd& end = ends[first];
      if (const std::size_t beats = end.wanted(); beats != 0) {
        port.ar_valid = 1;
        port.ar_id = static_cast<std::uint8_t>(first);
        port.ar_address = place_of(end.next_read(), 1).value_or(0);
        port.ar_length = static_cast<std::uint8_t>(beats - 1);
        end.asked += beats;
      }
    }
  }

  void write_edge() {
    if (port.b_valid != 0) {
      const ShellEnd::Burst& burst = unanswered.front();
      if (burst.ends) {
        ends[burst.end].stored.push_back(burst.event);
      }
      unanswered.pop_front();
    }
    announced = announced || (port.aw_valid != 0 && port.aw_ready != 0);
    if (port.w_valid != 0 && port.w_ready != 0 && ++written == writes.front().beats.size()) {
      unanswered.push_back(writes.front());
      writes.pop_front();
      written = 0;
      announced = false;
    }
    while (!writes.empty() && !announced && !place_of(writes.front().address, 2)) {
      refuse_write();
    }
    offer_write();
  }

  /// Where that is in memory, through the table of pages if there is one.
  [[nodiscard]] std::optional<std::uint64_t> place_of(std::uint64_t address,
                                                      std::uint64_t right) const {
    if (!paged) {
      return address;
    }
    const std::uint64_t page = address / page_bytes;
    const bool is_open = page < pages.size() && (pages[page] & right) != 0;
    return is_open ? std::optional{pages[page] / page_bytes * page_bytes + address % page_bytes}
                   : std::nullopt;
  }

  void refuse_write() {
    constexpr std::uint64_t bus_error = 5;
    ++refused;
    refused_address = writes.front().address;
    if (writes.front().ends) {
      ShellEnd::Event event = writes.front().event;
      event.word |= bus_error << 16U;
      ends[writes.front().end].stored.push_back(event);
    }
    writes.pop_front();
  }

  void offer_write() {
    port.aw_valid = static_cast<std::uint8_t>(!writes.empty() && !announced);
    port.w_valid = static_cast<std::uint8_t>(!writes.empty() && announced);
    if (writes.empty()) {
      return;
    }
    const ShellEnd::Burst& burst = writes.front();
    const Beat& beat = burst.beats[written];
    port.aw_address = place_of(burst.address, 2).value_or(0);
    std::memcpy(port.w_data.data(), &beat.data, sizeof beat.data);
    port.w_strobe = beat.keep;
    port.w_last = static_cast<std::uint8_t>(written + 1 == burst.beats.size());
  }

  void register_edge() {
    using detail::Place;
    if (aw_valid != 0 && aw_address >= detail::page_number) {
      if (aw_address == detail::page_number) {
        next_page = w_data;
      } else {
        pages.resize(std::max<std::size_t>(pages.size(), next_page + 1));
        pages[next_page++] = w_data;
      }
    } else if (aw_valid != 0) {
      ShellEnd& end = ends[aw_address >> 8U];
      const auto tag = static_cast<std::uint16_t>(w_data);
      switch (static_cast<Place>(aw_address & 0xFFU)) {
        case Place::send_low:
          header[0] = w_data;
          break;
        case Place::send_high:
          header[1] = w_data;
          break;
        case Place::send_address:
          send_address = w_data;
          break;
        case Place::send_doorbell:
          if (!end.loses_sends) {
            end.sends.push_back({header, send_address, tag});
          }
          break;
        case Place::room_address:
          room_address = w_data;
          break;
        case Place::room_doorbell:
          end.rooms.push_back({room_address, tag});
          break;
        default:
          break;
      }
    }
    if (ar_valid != 0 && ar_address < detail::sent_ends) {
      ShellEnd& end = ends[ar_address >> 8U];
      const auto place = static_cast<Place>(ar_address & 0xFFU);
      if (place == Place::sent_event) {
        end.sent.pop_front();
      } else if (place == Place::stored_event) {
        end.stored.pop_front();
      }
    }
  }

  [[nodiscard]] std::uint64_t read() const {
    using detail::Place;
    std::uint64_t sent = 0;
    std::uint64_t stored = 0;
    for (std::size_t number = 0; number < ends.size(); ++number) {
      sent |= std::uint64_t{!ends[number].sent.empty()} << number;
      stored |= std::uint64_t{!ends[number].stored.empty()} << number;
    }
    if (ar_address >= detail::sent_ends) {
      return ar_address == detail::sent_ends ? sent : stored;
    }
    const ShellEnd& end = ends[ar_address >> 8U];
    const auto place = static_cast<Place>(ar_address & 0xFFU);
    const bool of_send = place <= Place::sent_event;
    const auto& events = of_send ? end.sent : end.stored;
    const auto first_place = of_send ? Place::sent_low : Place::stored_low;
    if (events.empty() || place < first_place) {
      return 0;
    }
    const std::size_t word =
        (static_cast<std::size_t>(place) - static_cast<std::size_t>(first_place)) / 8;
    return word < 2 ? events.front().header[word] : events.front().word;
  }

  void clear() {
    for (ShellEnd& end : ends) {
      end.reset_entry();
      end.reset_exit();
    }
    port.ar_valid = port.aw_valid = port.w_valid = 0;
    writes.clear();
    unanswered.clear();
    written = 0;
    announced = false;
    pages.clear();
    refused = 0;
  }

  void connect(Wires& wires) {
    wires.memory = port.wires();
    wires.port = {counts.data(), &counts[1], &counts[2], &refused, &refused_address};
    for (ShellEnd& end : ends) {
      wires.ends.push_back({&end.looped, &end.dropped});
    }
    wires.registers = {.aw_valid = &aw_valid,
                       .aw_ready = &one,
                       .aw_address = &aw_address,
                       .w_valid = &w_valid,
                       .w_ready = &one,
                       .w_data = &w_data,
                       .b_valid = &one,
                       .ar_valid = &ar_valid,
                       .ar_ready = &one,
                       .ar_address = &ar_address,
                       .r_valid = &one,
                       .r_data = &r_data,
                       .interrupt = &interrupt};
  }
};

}  // namespace ligament::fpga::testing
