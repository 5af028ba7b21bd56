// SPDX-License-Identifier: Apache-2.0
/// What a packet capture holds of RTPS: who is announced, and samples with what goes beside them.
/// Of pcap files with IPv4, of UDP, in little-endian, and of samples that are one datagram each.
/// Bytes are in strings, which can be cut, joined and compared.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::edge {

/// A little-endian number; fails beyond the end.
template <typename Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number number{};
  const std::string part = bytes.substr(at, sizeof number);
  EXPECT_EQ(part.size(), sizeof number);
  std::memcpy(&number, part.data(), part.size());
  return number;
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <typename Bytes>
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(std::data(bytes)), std::size(bytes)};
}

class Capture {
 public:
  /// Of policies, names and more, by their numbers.
  using Parameters = std::map<std::uint16_t, std::string>;
  struct Sample {
    std::string writer;  ///< its GUID
    std::int64_t number = 0;
    std::string header;      ///< of the data submessage
    std::string inline_qos;  ///< its end included; empty if there is none
    std::string payload;
  };
  /// An endpoint, or a participant, which has no topic.
  struct End {
    std::string guid;
    bool is_writer = false;
    std::string topic;
    std::string type;
    std::string user_data;
    Parameters parameters;
  };

  /// An AckNack or a heartbeat, both of which have the reader at 4 and the writer at 8.
  struct Control {
    std::string from;  ///< guid prefixes; `to` is empty where none was said
    std::string to;
    std::string submessage;
  };

  explicit Capture(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    read_file({std::istreambuf_iterator<char>(file), {}});
    EXPECT_FALSE(samples_.empty()) << path;
  }
  [[nodiscard]] const std::vector<End>& participants() const { return participants_; }
  [[nodiscard]] const std::vector<End>& ends() const { return ends_; }
  /// In the order in which they were recorded.
  [[nodiscard]] const std::vector<Control>& controls() const { return controls_; }
  [[nodiscard]] const End* find(const std::string& topic, bool is_writer) const {
    for (const End& end : ends_) {
      if (end.topic == topic && end.is_writer == is_writer) {
        return &end;
      }
    }
    return nullptr;
  }
  /// Of all writers of the topic, in the order in which they were sent first.
  [[nodiscard]] std::vector<Sample> samples(const std::string& topic) const {
    std::set<std::string> writers;
    for (const End& end : ends_) {
      if (end.is_writer && end.topic == topic) {
        writers.insert(end.guid);
      }
    }
    std::vector<Sample> found;
    for (const Sample& sample : samples_) {
      if (writers.contains(sample.writer)) {
        found.push_back(sample);
      }
    }
    return found;
  }
  /// Of one that must be there.
  [[nodiscard]] Sample first(const std::string& topic) const {
    const auto found = samples(topic);
    EXPECT_FALSE(found.empty()) << topic;
    return found.empty() ? Sample{} : found.front();
  }

 private:
  void read_file(const std::string& file) {
    constexpr std::size_t file_header = 24;
    constexpr std::size_t packet_header = 16;
    if (file.size() < file_header) {
      return;
    }
    const std::size_t before_ip = number_at<std::uint32_t>(file, 20) == 1 ? 14 : 0;  // Ethernet
    for (std::size_t at = file_header; at + packet_header < file.size();) {
      const std::size_t size = number_at<std::uint32_t>(file, at + 8);
      read_packet(file.substr(at + packet_header, size).substr(before_ip));
      at += packet_header + size;
    }
  }
  void read_packet(const std::string& ip) {
    constexpr char udp = 17;
    if (ip.at(9) == udp) {
      const auto words = static_cast<unsigned char>(ip.front()) & 0x0fU;
      read_datagram(ip.substr(std::size_t{4} * words + 8));
    }
  }
  void read_datagram(const std::string& datagram) {
    constexpr std::size_t header = 20;
    if (!datagram.starts_with("RTPS")) {
      return;
    }
    std::string to;
    for (std::size_t at = header; at + 4 <= datagram.size();) {
      const auto length = number_at<std::uint16_t>(datagram, at + 2);
      const char id = datagram[at];
      const bool is_empty = length == 0 && (id == '\x01' || id == '\x09');  // padding, no timestamp
      const bool is_last = length == 0 && !is_empty;
      const std::size_t size = is_last ? std::string::npos : std::size_t{4} + length;
      const std::string submessage = datagram.substr(at, size);
      at += submessage.size();
      if (id == '\x15') {
        read_sample(datagram.substr(8, 12), submessage);
      } else if (id == '\x0e') {
        to = submessage.substr(4, 12);
      } else if (id == '\x06' || id == '\x07') {
        controls_.push_back({datagram.substr(8, 12), to, submessage});
      }
    }
  }
  void read_sample(const std::string& prefix, const std::string& data) {
    constexpr unsigned little = 1;
    constexpr unsigned has_inline_qos = 2;
    constexpr unsigned has_payload = 4;
    const auto flags = static_cast<unsigned char>(data[1]);
    ASSERT_NE(flags & little, 0U);
    Sample sample;
    sample.writer = prefix + data.substr(12, 4);
    sample.header = data.substr(0, 24);
    sample.number = (std::int64_t{number_at<std::int32_t>(data, 16)} << 32) +
                    number_at<std::uint32_t>(data, 20);
    std::size_t at = std::size_t{8} + number_at<std::uint16_t>(data, 6);
    if ((flags & has_inline_qos) != 0) {
      const std::size_t end = parameters_in(data, at).second;
      sample.inline_qos = data.substr(at, end - at);
      at = end;
    }
    if ((flags & has_payload) == 0 || !known_.insert({sample.writer, sample.number}).second) {
      return;  // an end that has gone; or sent again
    }
    sample.payload = data.substr(at);
    keep_announced(sample);
    samples_.push_back(std::move(sample));
  }
  void keep_announced(const Sample& sample) {
    const std::string entity = sample.writer.substr(12);
    const bool is_participant = entity == std::string("\0\1\0\xc2", 4);
    const bool is_writer = entity == std::string("\0\0\3\xc2", 4);
    if (!is_participant && !is_writer && entity != std::string("\0\0\4\xc2", 4)) {
      return;
    }
    End end;
    end.is_writer = is_writer;
    end.parameters = parameters_in(sample.payload, 4).first;
    const auto inner = [&end](std::uint16_t id, std::size_t less) {
      const std::string& value = end.parameters[id];
      return value.empty() ? value : value.substr(4, number_at<std::uint32_t>(value, 0) - less);
    };
    end.topic = inner(0x0005, 1);  // strings end with a zero byte
    end.type = inner(0x0007, 1);
    end.user_data = inner(0x002c, 0);
    end.guid = end.parameters[is_participant ? 0x0050 : 0x005a];
    (is_participant ? participants_ : ends_).push_back(std::move(end));
  }
  /// And where the list ends.
  static std::pair<Parameters, std::size_t> parameters_in(const std::string& list, std::size_t at) {
    constexpr std::uint16_t sentinel = 1;
    Parameters parameters;
    while (at + 4 <= list.size()) {
      const auto id = number_at<std::uint16_t>(list, at);
      const auto size = number_at<std::uint16_t>(list, at + 2);
      at += 4;
      if (id == sentinel) {
        break;
      }
      parameters.emplace(id, list.substr(at, size));
      at += size;
    }
    return {parameters, at};
  }

  std::vector<Sample> samples_;
  std::vector<End> participants_;
  std::vector<End> ends_;
  std::vector<Control> controls_;
  std::set<std::pair<std::string, std::int64_t>> known_;
};

/// Of the packets of real ROS 2 nodes beside these tests.
inline const Capture& captured(const std::string& name) {
  static std::map<std::string, Capture> read;
  const auto known = read.find(name);
  return known != read.end()
             ? known->second
             : read.emplace(name, Capture(LIGAMENT_CAPTURES "/" + name + ".pcap")).first->second;
}

}  // namespace ligament::edge
