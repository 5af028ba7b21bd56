// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "record/save.hpp"

namespace ligament::record {

namespace {

constexpr unsigned most_at_once = 64;
/// So much goes into a chunk: what a reader of the file reads to get at one message.
constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
/// So old a message gets before it is written: what is lost with a process that is killed.
constexpr std::int64_t chunk_age_ns = 100'000'000;
/// Between two looks at the graph while nothing comes.
constexpr std::int64_t look_again_ns = 50'000'000;

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

expected<std::unique_ptr<Recorder>, std::string> Recorder::start(RecordOptions options) {
  std::unique_ptr<Recorder> self(new Recorder(std::move(options)));
  if (auto joined = self->join(); !joined) {
    return unexpected<std::string>(joined.error());
  }
  return self;
}

expected<void, std::string> Recorder::join() {
  if (auto made = make_folder(options_.out); !made) {
    return made;
  }
  auto file = McapWriter::create(options_.out / file_name());
  if (!file) {
    return unexpected<std::string>(file.error());
  }
  writer_ = std::make_unique<BackgroundWriter>(std::move(*file));
  auto domain = pool::Domain::join({options_.target.domain, options_.target.run_id});
  if (!domain) {
    return unexpected<std::string>(domain.error().text);
  }
  domain_ = std::move(*domain);
  auto waiter = domain_->create_waiter();
  if (!waiter) {
    return unexpected<std::string>(waiter.error().text);
  }
  waiter_ = std::move(*waiter);
  realtime_offset_ns_ = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
  started_ns_ = pool::monotonic_now_ns();
  listening_ = std::make_unique<Listening>(*domain_, *waiter_,
                                           ListeningOptions{.node = recorder_node,
                                                            .selection = &options_.selection,
                                                            .waits = options_.waits,
                                                            .max_held = options_.held});
  listening_->look();
  return {};
}

Recorder::~Recorder() {
  listening_.reset();  // the readers, before what they were made of
}

std::string Recorder::file_name() const {
  return options_.out.filename().string() + "_0.mcap";  // as rosbag2 names its files
}

bool Recorder::work(std::int64_t deadline_ns) {
  if (listening_->is_out_of_date()) {
    listening_->look();
  }
  if (!writer_->failure().empty()) {
    return false;
  }
  if (!writer_->has_room()) {
    writer_->wait_for_room(look_again_ns);
    return true;
  }
  const bool any = take_all();
  const std::int64_t now = pool::monotonic_now_ns();
  std::int64_t until = std::min(deadline_ns, now + look_again_ns);
  if (!chunk_.is_empty()) {
    if (now - chunk_since_ns_ >= chunk_age_ns) {
      flush();
    } else {
      until = std::min(until, chunk_since_ns_ + chunk_age_ns);
    }
  }
  if (!any && has_ended()) {
    return false;
  }
  if (!any) {
    waiter_->wait(pool::WaitStrategy::sleep(), until);
  }
  return true;
}

// --- samples -------------------------------------------------------------------------------------

bool Recorder::take_all() {
  bool any = false;
  for (auto& [name, topic] : listening_->topics()) {
    for (auto& [kind, reader] : topic.readers) {
      any = take_from(topic, kind, *reader) || any;
    }
  }
  return any;
}

bool Recorder::take_from(HeardTopic& topic, ListeningKind kind, pool::Reader& reader) {
  for (unsigned taken = 0; taken < most_at_once; ++taken) {
    auto sample = reader.take();
    if (!sample) {
      flush();  // all that may be held is: what is held here goes on its way
      return taken != 0;
    }
    if (!*sample) {
      return taken != 0;
    }
    if (listening_->is_heard_by(topic, kind, (*sample)->info().publisher)) {
      keep(topic, std::move(**sample));
    }
  }
  return true;
}

void Recorder::keep(const HeardTopic& topic, pool::HeldSample&& sample) {
  if (chunk_.is_empty()) {
    chunk_since_ns_ = pool::monotonic_now_ns();
  }
  Kept& kept = kept_[topic.name];
  if (kept.channel == 0) {
    kept.channel = add_channel(topic);
  }
  const pool::SampleInfo& info = sample.info();
  ++kept.figures.messages;
  kept.figures.bytes += sample.payload().size();
  const auto published =
      static_cast<std::uint64_t>(std::max<std::int64_t>(info.source_timestamp_ns, 0));
  chunk_.add(
      {kept.channel, static_cast<std::uint32_t>(info.sequence), log_time_of(info), published},
      std::move(sample));
  // Half of what may be held goes on its way while we take the other half. All of it here, and we
  // would sleep: there is data, but nothing that releases any.
  if (chunk_.bytes() >= chunk_bytes || 2 * chunk_.held() >= options_.held) {
    flush();
  }
}

/// When it came into the pool, by this computer's clock; of what was there before us, when we
/// began. The publisher's word for it is not believed if it is of another time.
std::uint64_t Recorder::log_time_of(const pool::SampleInfo& info) const {
  const std::int64_t now = pool::monotonic_now_ns();
  const std::int64_t at = std::clamp(info.monotonic_ns, std::min(started_ns_, now), now);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(at + realtime_offset_ns_, 0));
}

void Recorder::flush() {
  if (!chunk_.is_empty()) {
    chunk_ = writer_->push(std::move(chunk_));
  }
}

std::uint16_t Recorder::add_channel(const HeardTopic& topic) {
  Channel channel;
  channel.schema = schema_of(topic);
  channel.id = ++channels_;
  channel.topic = topic.name;
  std::vector<QoSProfile> offered;
  for (const auto& [id, publisher] : topic.publishers) {
    if (std::find(offered.begin(), offered.end(), publisher.offered) == offered.end()) {
      offered.push_back(publisher.offered);
    }
  }
  channel.metadata = {{qos_key, qos_text(offered)}, {hash_key, hash_text(topic.hash)}};
  chunk_.add(channel);
  return channel.id;
}

std::uint16_t Recorder::schema_of(const HeardTopic& topic) {
  const auto [known, is_new] = schemas_.try_emplace({topic.type, topic.hash});
  if (!is_new) {
    return known->second;
  }
  Schema schema;
  schema.id = known->second = static_cast<std::uint16_t>(schemas_.size());
  schema.name = topic.type;
  const auto type = options_.types.find(topic.type);
  if (type != options_.types.end() && type->second.hash == topic.hash) {
    schema.encoding = "ros2msg";
    schema.text = type->second.text;
  } else {
    listening_->note(fmt::format(
        "the definition of type {} is not known: it is not in the file (--types)", topic.type));
  }
  chunk_.add(schema);
  return schema.id;
}

// --- the end -------------------------------------------------------------------------------------

RecordFigures Recorder::figures() const {
  RecordFigures all;
  all.file_bytes = writer_->bytes_written();
  for (const auto& [name, topic] : listening_->topics()) {
    const auto kept = kept_.find(name);
    TopicFigures one = kept == kept_.end() ? TopicFigures{} : kept->second.figures;
    one.topic = name;
    one.type = topic.type;
    one.lost = topic.lost();
    all.messages += one.messages;
    all.bytes += one.bytes;
    all.lost += one.lost;
    all.topics.push_back(one);
  }
  return all;
}

expected<RecordFigures, std::string> Recorder::finish() {
  // What is there now, and no more: publishers may go on.
  for (unsigned round = 0; round < 16 && writer_->failure().empty() && take_all(); ++round) {
  }
  flush();
  RecordFigures last = figures();
  McapWriter& file = writer_->close();
  listening_->topics().clear();
  const std::string failure = writer_->failure();
  auto finished = file.finish(embedded_metadata(file.contents(), file_name()));
  last.file_bytes = file.size();
  if (finished) {
    finished = save(options_.out / "metadata.yaml", metadata_yaml(file.contents(), file_name()));
  }
  if (!failure.empty()) {
    return unexpected<std::string>(fmt::format("{} (the {} messages before are in the bag)",
                                               failure, file.contents().messages));
  }
  if (!finished) {
    return unexpected<std::string>(finished.error());
  }
  return last;
}

}  // namespace ligament::record
