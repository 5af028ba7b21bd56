// SPDX-License-Identifier: Apache-2.0
// rosbag2's sqlite3 storage: table `topics` (id, name, type, serialization_format) and table
// `messages` (topic_id, timestamp, data). SQLite itself checks the file's structure.
#include <sqlite3.h>

#include <map>

#include "camera/bag_reader.hpp"
#include "camera/decompress.hpp"

namespace ligament::nodes::image {
namespace {

constexpr std::size_t kLargestMessage = std::size_t{1} << 30;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

class SqliteReader final : public BagReader {
 public:
  SqliteReader(std::string name, bool message_zstd)
      : name_(std::move(name)), message_zstd_(message_zstd) {}

  expected<void, SourceError> open() {
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(name_.c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
    database_.reset(raw);
    if (opened != SQLITE_OK) return corrupt();
    if (auto read = read_topics(); !read) return read;
    return rewind();
  }

  expected<void, SourceError> rewind() override {
    messages_ = prepare("SELECT topic_id, timestamp, data FROM messages ORDER BY timestamp, id");
    if (!messages_) return corrupt();
    return {};
  }

  expected<std::optional<BagMessage>, SourceError> next() override {
    const int step = sqlite3_step(messages_.get());
    if (step == SQLITE_DONE) return std::optional<BagMessage>();
    if (step != SQLITE_ROW) return corrupt();
    const auto topic = topics_.find(sqlite3_column_int64(messages_.get(), 0));
    if (topic == topics_.end()) return corrupt("a message belongs to no topic");
    BagMessage message;
    message.topic = &topic->second;
    message.log_time_ns = sqlite3_column_int64(messages_.get(), 1);
    const void* data = sqlite3_column_blob(messages_.get(), 2);
    const int size = sqlite3_column_bytes(messages_.get(), 2);
    if (data != nullptr && size > 0) {
      message.data = {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
    }
    if (message_zstd_) {
      if (!decompress_zstd_message(message.data, kLargestMessage, message_)) {
        return corrupt("a zstd message cannot be decompressed");
      }
      message.data = message_;
    }
    return std::optional<BagMessage>(message);
  }

  std::vector<BagTopic> topics() const override {
    std::vector<BagTopic> all;
    for (const auto& [id, topic] : topics_) all.push_back(topic);
    return all;
  }

 private:
  [[nodiscard]] Statement prepare(const char* query) const {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(database_.get(), query, -1, &raw, nullptr);
    return Statement(raw);
  }

  expected<void, SourceError> read_topics() {
    const Statement rows =
        prepare("SELECT id, name, type, serialization_format FROM topics ORDER BY id");
    if (!rows) return corrupt();
    int step = sqlite3_step(rows.get());
    for (; step == SQLITE_ROW; step = sqlite3_step(rows.get())) {
      topics_[sqlite3_column_int64(rows.get(), 0)] = {text(rows, 1), text(rows, 2), text(rows, 3)};
    }
    if (step != SQLITE_DONE) return corrupt();
    return {};
  }

  static std::string text(const Statement& row, int column) {
    const auto* found = sqlite3_column_text(row.get(), column);
    return found == nullptr ? std::string() : reinterpret_cast<const char*>(found);
  }

  [[nodiscard]] unexpected<SourceError> corrupt(const std::string& what = {}) const {
    return source_error(SourceErrorCode::corrupt,
                        "recording '" + name_ + "' is damaged: " +
                            (what.empty() ? std::string(sqlite3_errmsg(database_.get())) : what) +
                            "; copy it again, or rebuild it with `ros2 bag convert`");
  }

  std::string name_;
  bool message_zstd_;
  Database database_;
  Statement messages_;  // after database_: finished before it is closed
  std::map<std::int64_t, BagTopic> topics_;
  std::vector<std::byte> message_;
};

}  // namespace

BagResult open_sqlite_bag(const std::filesystem::path& path, bool message_zstd) {
  auto reader = std::make_unique<SqliteReader>(path.string(), message_zstd);
  if (auto opened = reader->open(); !opened) return unexpected<SourceError>(opened.error());
  return reader;
}

}  // namespace ligament::nodes::image
