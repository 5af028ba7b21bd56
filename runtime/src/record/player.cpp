// SPDX-License-Identifier: Apache-2.0
#include "record/player.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "memory/match.hpp"

namespace ligament::record {

namespace {

/// The body, behind the encapsulation, lies aligned: then all its arrays do.
constexpr std::size_t encapsulation_bytes = 4;
/// For those who listen: matching takes milliseconds.
constexpr std::int64_t longest_match_ns = 1'000'000'000;
/// Times in a file may be anything.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 62;

std::string value_of(const TextMap& map, std::string_view key) {
  const auto entry =
      std::find_if(map.begin(), map.end(), [key](const auto& one) { return one.first == key; });
  return entry == map.end() ? std::string() : entry->second;
}

std::int64_t time_of(const StoredMessage& message) {
  return static_cast<std::int64_t>(std::min(message.fields.log_time, latest_time));
}

}  // namespace

expected<std::vector<std::filesystem::path>, std::string> files_of(
    const std::filesystem::path& named) {
  std::error_code error;
  if (!std::filesystem::is_directory(named, error)) {
    return std::vector<std::filesystem::path>{named};
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(named, error)) {
    if (entry.path().extension() == ".mcap") {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    return unexpected<std::string>(fmt::format("{}: no .mcap file is in it", named.string()));
  }
  // run_2.mcap before run_10.mcap: parts are numbered.
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    const std::string one = a.filename().string();
    const std::string other = b.filename().string();
    return std::pair(one.size(), one) < std::pair(other.size(), other);
  });
  return files;
}

expected<std::unique_ptr<Player>, std::string> Player::open(PlayOptions options) {
  std::unique_ptr<Player> self(new Player(std::move(options)));
  const auto paths = files_of(self->options_.file);
  if (!paths) {
    return unexpected<std::string>(paths.error());
  }
  for (const std::filesystem::path& path : *paths) {
    auto reader = McapReader::open(path);
    if (!reader) {
      return unexpected<std::string>(reader.error());
    }
    File& file = self->files_.emplace_back(File{std::move(*reader), {}});
    if (auto surveyed = self->survey(file); !surveyed) {
      return unexpected<std::string>(surveyed.error());
    }
  }
  if (self->figures_.in_file == 0) {
    return unexpected<std::string>(
        fmt::format("{}: there is nothing to play in it{}{}", self->options_.file.string(),
                    self->notes_.empty() ? "" : ": ", fmt::join(self->notes_, "; ")));
  }
  self->figures_.duration_ns = self->last_ns_ - self->first_ns_;
  return self;
}

Player::~Player() = default;

/// Reads it to its end: what is wrong with it is told before anything is published.
expected<void, std::string> Player::survey(File& file) {
  for (;;) {
    const auto message = file.reader->next();
    if (!message) {
      return unexpected<std::string>(message.error());
    }
    if (!*message) {
      break;
    }
    const std::uint16_t id = (*message)->fields.channel;
    auto known = file.outputs.find(id);
    if (known == file.outputs.end()) {
      known = file.outputs.emplace(id, output_of(file, file.reader->channels().at(id))).first;
    }
    if (known->second != nullptr) {
      ++figures_.in_file;
      first_ns_ = std::min(first_ns_, time_of(**message));
      last_ns_ = std::max(last_ns_, time_of(**message));
    }
  }
  if (file.reader->is_cut()) {
    notes_.push_back(
        fmt::format("{} has no end, as if its recorder was killed: what is there is played",
                    file.reader->path().string()));
  }
  file.reader->rewind();
  return {};
}

/// Null, and a note if that is no wish: it is not played.
Player::Output* Player::output_of(const File& file, const Channel& channel) {
  if (!options_.selection.has(channel.topic)) {
    return nullptr;
  }
  pool::EndpointDescription description;
  if (!describe(file, channel, description)) {
    return nullptr;
  }
  const auto [output, is_new] = outputs_.try_emplace(channel.topic);
  if (is_new) {
    output->second.description = description;
  } else if (output->second.description.type_name != description.type_name ||
             output->second.description.type_hash != description.type_hash) {
    notes_.push_back(fmt::format("topic {} has two types: {} is not played", channel.topic,
                                 description.type_name));
    return nullptr;
  }
  return &output->second;
}

bool Player::describe(const File& file, const Channel& channel,
                      pool::EndpointDescription& description) {
  const auto schema = file.reader->schemas().find(channel.schema);
  if (channel.encoding != "cdr" || schema == file.reader->schemas().end()) {
    notes_.push_back(fmt::format("topic {} is not played: no ROS 2 messages (encoding '{}')",
                                 channel.topic, channel.encoding));
    return false;
  }
  const std::string& type = schema->second.name;
  auto hash = parse_hash(value_of(channel.metadata, hash_key));
  if (const auto known = options_.types.find(type); !hash && known != options_.types.end()) {
    hash = known->second.hash;
  }
  if (!hash) {
    notes_.push_back(
        fmt::format("topic {} is not played: the definition of type {} is not known (--types)",
                    channel.topic, type));
    return false;
  }
  description = {channel.topic, type, player_node, *hash,
                 common_offer(parse_qos(value_of(channel.metadata, qos_key)))};
  return true;
}

expected<void, std::string> Player::start() {
  auto domain = pool::Domain::join({options_.target.domain, options_.target.run_id});
  if (!domain) {
    return unexpected<std::string>(domain.error().text);
  }
  domain_ = std::move(*domain);
  pool::WriterOptions options;
  options.prefault = false;  // nobody knows yet how large its messages are
  for (auto& [topic, output] : outputs_) {
    auto writer = domain_->create_writer(output.description, options);
    if (!writer) {
      return unexpected<std::string>(fmt::format("topic {}: {}", topic, writer.error().text));
    }
    output.writer = std::move(*writer);
  }
  wait_for_matches();
  rewind();
  return {};
}

void Player::wait_for_matches() {
  const std::int64_t deadline = pool::monotonic_now_ns() + longest_match_ns;
  const auto is_waiting = [this] {
    const auto endpoints = domain_->endpoints();
    return std::any_of(outputs_.begin(), outputs_.end(), [&endpoints](const auto& entry) {
      const Output& output = entry.second;
      const auto wanted = std::count_if(endpoints.begin(), endpoints.end(), [&](const auto& end) {
        return end.kind == pool::EndpointKind::reader && end.description.topic == entry.first &&
               !pool::mismatch(output.description, end.description);
      });
      return output.writer->matched_readers() < static_cast<std::size_t>(wanted);
    });
  };
  while (is_waiting() && pool::monotonic_now_ns() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Player::rewind() {
  for (File& file : files_) {
    file.reader->rewind();
  }
  file_ = 0;
  started_ns_ = pool::monotonic_now_ns();
}

expected<bool, std::string> Player::step(const WaitUntil& wait_until) {
  while (file_ < files_.size()) {
    File& file = files_[file_];
    const auto message = file.reader->next();
    if (!message) {
      return unexpected<std::string>(message.error());
    }
    if (!*message) {
      ++file_;
      continue;
    }
    const auto output = file.outputs.find((*message)->fields.channel);
    if (output == file.outputs.end() || output->second == nullptr) {
      continue;
    }
    const double passed = static_cast<double>(time_of(**message) - first_ns_) / options_.rate;
    const std::int64_t due = started_ns_ + static_cast<std::int64_t>(std::min(passed, 4e18));
    if (!wait_until(due)) {
      return false;
    }
    figures_.latest_ns = std::max(figures_.latest_ns, pool::monotonic_now_ns() - due);
    return publish(file, **message);
  }
  return false;
}

/// Read from the file to where the subscriptions read it.
expected<bool, std::string> Player::publish(const File& file, const StoredMessage& message) {
  pool::Writer& writer = *file.outputs.at(message.fields.channel)->writer;
  auto loan = writer.loan(message.size, encapsulation_bytes);
  if (!loan) {
    ++figures_.refused;
    return true;
  }
  if (auto read = file.reader->read(message, loan->payload()); !read) {
    return unexpected<std::string>(read.error());
  }
  if (writer.publish(std::move(*loan))) {
    ++figures_.published;
    figures_.bytes += message.size;
  }
  return true;
}

}  // namespace ligament::record
