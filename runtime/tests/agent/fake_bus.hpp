// SPDX-License-Identifier: Apache-2.0
/// \file A pool without shared memory: one domain for all, every reader of a topic has every
/// sample.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/bus.hpp"

namespace ligament::xrce::test {

struct FakeSample {
  std::vector<std::byte> stored;
  pool::RequestIdentity request;
};

class FakeBus : public Bus {
 public:
  std::set<std::string> nodes;
  std::map<std::string, std::vector<FakeSample>> published;  ///< by topic, ever
  std::vector<std::string> order;                            ///< their topics, as they came
  std::vector<pool::EndpointDescription> writers;            ///< made, ever
  std::vector<pool::EndpointDescription> readers;
  std::set<std::string> unknown_types;
  bool is_full = false;
  bool is_met = true;  ///< everybody has somebody at the other end
  bool can_shorten = true;
  int long_loans = 0;
  std::function<void()> on_reader = nullptr;  ///< after one was made

  class Node : public BusNode {
   public:
    Node(FakeBus& bus, std::string name) : bus_(bus), name_(std::move(name)) {
      bus_.nodes.insert(name_);
    }
    ~Node() override { bus_.nodes.erase(name_); }

   private:
    FakeBus& bus_;
    std::string name_;
  };

  class Writer : public BusWriter {
   public:
    Writer(FakeBus& bus, std::string topic, std::uint8_t number)
        : bus_(bus), topic_(std::move(topic)), gid_{number} {
      bus_.open_writers.insert(this);
    }
    ~Writer() override { bus_.open_writers.erase(this); }
    std::span<std::byte> loan(std::size_t size) override {
      loan_.assign(size, std::byte{0xEE});
      return bus_.is_full ? std::span<std::byte>() : std::span<std::byte>(loan_);
    }
    void publish(const pool::RequestIdentity& request) override {
      bus_.publish(topic_, {loan_, request});
    }
    std::span<std::byte> loan_long(std::size_t size) override {
      if (bus_.is_full || !long_.empty()) {
        return {};
      }
      ++bus_.long_loans;
      long_.assign(size, std::byte{0xEE});
      return long_;
    }
    void publish_long() override {
      bus_.publish(topic_, {std::move(long_), {}});
      long_.clear();
    }
    bool can_shorten() const override { return bus_.can_shorten; }
    void shorten_long(std::size_t size) override { long_.resize(size); }
    void drop_long() override { long_.clear(); }
    pool::Gid gid() const override { return gid_; }
    bool is_matched() const override { return bus_.is_met; }

   private:
    FakeBus& bus_;
    std::string topic_;
    pool::Gid gid_;
    std::vector<std::byte> loan_;
    std::vector<std::byte> long_;
  };

  class Reader : public BusReader {
   public:
    Reader(FakeBus& bus, std::string of) : topic(std::move(of)), bus_(bus) {
      bus_.open_readers.insert(this);
    }
    ~Reader() override {
      scrub();
      bus_.open_readers.erase(this);
    }
    std::optional<BusSample> take() override {
      scrub();
      if (waiting.empty()) {
        return std::nullopt;
      }
      held = std::move(waiting.front());
      waiting.pop_front();
      return BusSample{held.stored, held.request};
    }
    bool is_matched() const override { return bus_.is_met; }
    std::string topic;
    std::deque<FakeSample> waiting;
    FakeSample held;  ///< what was taken last

   private:
    /// Who still looks at it sees that it is not valid any more.
    void scrub() { std::fill(held.stored.begin(), held.stored.end(), std::byte{0xDD}); }
    FakeBus& bus_;
  };

  std::set<Writer*> open_writers;
  std::set<Reader*> open_readers;

  void publish(const std::string& topic, const FakeSample& sample) {
    published[topic].push_back(sample);
    order.push_back(topic);
    for (Reader* reader : open_readers) {
      if (reader->topic == topic) {
        reader->waiting.push_back(sample);
      }
    }
  }

  Made<BusNode> make_node(int, const std::string& name) override {
    return std::make_unique<Node>(*this, name);
  }
  Made<BusWriter> make_writer(int, const pool::EndpointDescription& what) override {
    writers.push_back(what);
    return std::make_unique<Writer>(*this, what.topic, static_cast<std::uint8_t>(writers.size()));
  }
  Made<BusReader> make_reader(int, const pool::EndpointDescription& what) override {
    readers.push_back(what);
    auto reader = std::make_unique<Reader>(*this, what.topic);
    if (on_reader) {
      on_reader();
    }
    return reader;
  }
  std::optional<std::array<std::uint8_t, 32>> hash_of(int, const std::string& type) override {
    std::array<std::uint8_t, 32> hash{};
    hash[0] = 7;
    return unknown_types.contains(type) ? std::nullopt : std::optional(hash);
  }
};

}  // namespace ligament::xrce::test
