// SPDX-License-Identifier: Apache-2.0
/// The other process of the pool's tests. Reads one command per line, answers each with one line
/// that starts with "ok" or "error". Uses the public interface only, apart from `scribble` and
/// `lie`, which play the hostile peer (lies.hpp).
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "lies.hpp"
#include "ligament/detail/pool.hpp"
#include "peer_qos.hpp"
#include "pretender.hpp"
#include "stamped_payload.hpp"
#ifdef LIGAMENT_CRASH_POINTS
#include "steps.hpp"
#endif

namespace pool = ligament::pool;
using pool::test::events_text;
using pool::test::number_of;
using pool::test::stamp;
using pool::test::stats_text;

namespace {

struct Peer {
  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  std::map<std::string, std::unique_ptr<pool::Writer>> writers;
  std::map<std::string, std::unique_ptr<pool::Reader>> readers;
  std::vector<pool::HeldSample> held;
  std::vector<pool::Loan> loans;
  std::map<std::string, std::shared_ptr<void>> shown;
  std::map<std::string, std::uint64_t> numbers;
  std::string joined;  ///< the answer to a `join` that went on in the background
  std::thread joining;
};

std::string error(const std::string& text) { return "error " + text; }

/// The next word of a command.
template <typename T = std::string>
T next(std::istringstream& line) {
  T word{};
  line >> word;
  return word;
}

/// All words that are left of it.
std::string rest(std::istringstream& line) {
  std::string words;
  std::getline(line >> std::ws, words);
  return words;
}

std::string join(Peer& peer, std::istringstream& line) {
  pool::DomainOptions options;
  line >> options.name >> options.run_id;
  auto domain = pool::Domain::join(options);
  if (!domain) return error(domain.error().text);
  peer.domain = *domain;
  peer.waiter = std::move(*peer.domain->create_waiter());
  return "ok";
}

std::string create(Peer& peer, const std::string& verb, std::istringstream& line) {
  const auto topic = next(line);
  auto options = pool::test::read_options(line);
  const auto description = pool::test::describe(topic, options);
  if (verb == "writer") {
    auto writer = peer.domain->create_writer(description, pool::test::writer_options(options));
    if (!writer) return error(writer.error().text);
    peer.writers[topic] = std::move(*writer);
  } else {
    const pool::ReaderOptions reader_options{.device = options["device"] == "1"};
    auto reader = peer.domain->create_reader(description, *peer.waiter, reader_options);
    if (!reader) return error(reader.error().text);
    peer.readers[topic] = std::move(*reader);
  }
  return "ok";
}

/// show, hide: an endpoint that is elsewhere.
std::string show(Peer& peer, const std::string& verb, std::istringstream& line) {
  const auto topic = next(line);
  if (verb == "hide") {
    return peer.shown.erase(topic) != 0 ? "ok" : error("not shown");
  }
  auto options = pool::test::read_options(line);
  const auto description = pool::test::describe(topic, options);
  auto shown = peer.domain->show(description, pool::EndpointKind::writer);
  if (!shown) return error(shown.error().text);
  peer.shown[topic] = std::move(*shown);
  return "ok";
}

std::string publish(Peer& peer, const std::string& topic, std::uint64_t count, std::size_t size) {
  auto& writer = *peer.writers.at(topic);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto loan = writer.loan(size);
    if (!loan) return error(std::string(to_string(loan.error())));
    stamp(loan->payload(), ++peer.numbers[topic]);
    (void)writer.publish(std::move(*loan));
  }
  return fmt::format("ok {}", peer.numbers[topic]);
}

/// Takes `count` samples, waiting for each; checks that they are whole and in order.
std::string take(Peer& peer, const std::string& topic, std::uint64_t count, bool keep,
                 std::chrono::microseconds pause = {}) {
  auto& reader = *peer.readers.at(topic);
  std::map<std::uint64_t, std::uint64_t> last;
  for (std::uint64_t taken = 0; taken < count;) {
    auto sample = reader.take();
    if (!sample) return error(std::string(to_string(sample.error())));
    if (!*sample) {
      if (peer.waiter->wait(pool::WaitStrategy::sleep(),
                            pool::monotonic_now_ns() + 20'000'000'000) ==
          pool::WaitResult::timeout) {
        return error(fmt::format("timeout after {} samples", taken));
      }
      continue;
    }
    ++taken;
    if (pause.count() != 0) std::this_thread::sleep_for(pause);
    if (number_of((*sample)->payload()) == 0) return error("torn sample");
    auto& previous = last[(*sample)->info().publisher];
    if ((*sample)->info().sequence <= previous) return error("sample taken twice or out of order");
    previous = (*sample)->info().sequence;
    if (keep) peer.held.push_back(std::move(**sample));
  }
  return fmt::format("ok {} lost {}", count, reader.stats().lost);
}

/// Publishes (or takes) as fast as possible until killed; the parent sees that it started.
[[noreturn]] void run_forever(Peer& peer, const std::string& verb, const std::string& topic,
                              std::size_t size) {
  std::cout << "ok" << std::endl;
  for (;;) {
    if (verb == "flood") {
      (void)publish(peer, topic, 1, size);
    } else if (take(peer, topic, 1, false).rfind("error t", 0) == 0) {
      std::_Exit(3);  // torn or twice
    }
  }
}

std::string publish_or_flood(Peer& peer, const std::string& verb, std::istringstream& line) {
  const auto topic = next(line);
  const auto count = next<std::uint64_t>(line);
  const auto size = next<std::size_t>(line);
  if (verb == "flood") run_forever(peer, verb, topic, size);
  return publish(peer, topic, count, size);
}

std::string take_or_drain(Peer& peer, const std::string& verb, std::istringstream& line) {
  const auto topic = next(line);
  const auto count = next<std::uint64_t>(line);
  if (verb == "drain") run_forever(peer, verb, topic, 0);
  // slow: a pause, in microseconds, with each sample
  const std::chrono::microseconds pause(verb == "slow" ? next<std::int64_t>(line) : 0);
  return take(peer, topic, count, verb == "hold", pause);
}

std::string loan(Peer& peer, std::istringstream& line) {
  const auto topic = next(line);
  auto loan = peer.writers.at(topic)->loan(next<std::size_t>(line));
  if (!loan) return error(std::string(to_string(loan.error())));
  peer.loans.push_back(std::move(*loan));
  return "ok";
}

/// The number of each sample that is held, 0 if it is not whole.
std::string numbers_held(const Peer& peer) {
  std::string all = "ok";
  for (const auto& sample : peer.held) all += fmt::format(" {}", number_of(sample.payload()));
  return all;
}

/// Becomes user 65534 and listens on an abstract socket name that belongs to others.
std::string impersonate(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const bool listening = ::setresuid(65534, 65534, 65534) == 0 &&
                         ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                         ::listen(fd, 8) == 0;
  return listening ? "ok" : error("cannot listen as another user");
}

/// Takes the first slots of a domain: bound, and `listening` or not; who connects is accepted and
/// never hears anything.
std::string squat(std::istringstream& line) {
  static auto& sockets = *new std::vector<int>;  // the thread looks at it to the very end
  const auto prefix = next(line);
  const auto uid = next<unsigned>(line);
  const bool listening = next(line) == "listen";
  const auto count = next<unsigned>(line);
  if (::setresuid(uid, uid, uid) != 0) return error("cannot be that user");
  for (unsigned slot = 0; slot < count; ++slot) {
    const std::string name = fmt::format("{}/{}", prefix, slot);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    sockets.push_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    if (::bind(sockets.back(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        (listening && ::listen(sockets.back(), 8) != 0)) {
      return error("cannot take a name");
    }
  }
  std::thread([] {
    for (;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      for (const int one : sockets) (void)::accept(one, nullptr, nullptr);
    }
  }).detach();
  return "ok";
}

/// Takes once, without waiting: which number, or none, and how many were lost so far.
std::string take_once(Peer& peer, const std::string& topic) {
  auto& reader = *peer.readers.at(topic);
  const auto sample = reader.take();
  if (!sample) return error(std::string(to_string(sample.error())));
  const std::uint64_t number = *sample ? number_of((*sample)->payload()) : 0;
  return fmt::format("ok {} lost {} corrupt {}", number, reader.stats().lost,
                     reader.stats().corrupt);
}

/// events, stats, assert: of or to the writer of that topic, else its reader.
std::string about(Peer& peer, const std::string& verb, std::istringstream& line) {
  const auto topic = next(line);
  if (peer.writers.count(topic) == 0) return events_text(*peer.readers.at(topic));
  auto& writer = *peer.writers.at(topic);
  if (verb == "stats") return stats_text(writer);
  if (verb == "events") return events_text(writer);
  writer.assert_liveliness();
  return "ok";
}

std::string count_matches(Peer& peer, const std::string& topic) {
  return fmt::format("ok {}", peer.writers.count(topic) != 0
                                  ? peer.writers[topic]->matched_readers()
                                  : peer.readers.at(topic)->matched_writers());
}

std::string list_problems(const Peer& peer) {
  std::string all = "ok";
  for (const auto& problem : peer.domain->problems()) all += " | " + problem.text;
  return all;
}

std::string scribble_for(std::istringstream& line) {
  const auto seed = next<unsigned>(line);
  return pool::test::scribble(seed, next<int>(line));
}

/// A segment of ours, offset, bytes, value.
std::string lie(std::istringstream& line) {
  pool::test::Lie lie;
  line >> lie.segment >> lie.offset >> lie.bytes >> lie.value;
  return pool::test::tell(lie);
}

/// In a process of its own: calls that name, says it, and answers with what comes back.
std::string pretend(std::istringstream& line) {
  const auto name = next(line);
  return pool::test::pretend(name, next(line));
}

std::string become_user(unsigned uid) {
  return ::setresuid(uid, uid, uid) == 0 ? "ok" : error("cannot be that user");
}

std::string release(Peer& peer) {
  peer.held.clear();
  return "ok";
}

std::string close(Peer& peer, const std::string& topic) {
  peer.writers.erase(topic);
  peer.readers.erase(topic);
  return "ok";
}

/// Leaves the domain, but keeps the samples and loans it has.
std::string quit(Peer& peer) {
  peer.writers.clear();
  peer.readers.clear();
  peer.waiter.reset();
  peer.domain.reset();
  return "ok";
}

/// From now on so many descriptors can be open, in all: none, many, or a number.
std::string limit_descriptors(const std::string& count) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return error("getrlimit");
  limit.rlim_cur = count == "none" ? 0 : count == "many" ? limit.rlim_max : std::stoul(count);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? "ok" : error("setrlimit");
}

/// A child that keeps all our descriptors, also after our death, until our input ends.
std::string leave_a_child() {
  if (::fork() == 0) {
    for (char c = 0; ::read(0, &c, 1) > 0;) {
    }
    ::_exit(0);
  }
  return "ok";
}

#ifdef LIGAMENT_CRASH_POINTS
/// at LABEL die|stop|hold, go, reached, backlog N: see steps.hpp.
std::string obey_step(const std::string& verb, std::istringstream& line) {
  using pool::test::AtStep;
  using pool::test::Step;
  std::string word;
  line >> word;
  if (verb == "at") {
    std::string action;
    line >> action;
    Step::arm(word, action == "die" ? AtStep::die : action == "stop" ? AtStep::stop : AtStep::hold);
  } else if (verb == "go") {
    Step::let_go();
  } else if (verb == "reached") {
    return Step::is_reached() ? "ok yes" : "ok no";
  } else if (verb == "backlog") {
    pool::listen_backlog = std::stoi(word);
  } else {
    return error("unknown command " + verb);
  }
  return "ok";
}
#else
std::string obey_step(const std::string& verb, std::istringstream&) {
  return error("unknown command " + verb);
}
#endif

std::string obey(Peer& peer, const std::string& text);

/// Joins while it goes on obeying; `joined` waits for the answer.
std::string join_aside(Peer& peer, const std::string& arguments) {
  peer.joining = std::thread([&peer, arguments] { peer.joined = obey(peer, "join " + arguments); });
  return "ok";
}

std::string await_joined(Peer& peer) {
  peer.joining.join();
  return peer.joined;
}

using Verb = const std::string&;
using Line = std::istringstream&;
using Command = std::string (*)(Peer& peer, Verb verb, Line line);

const std::map<std::string, Command> commands{
    {"join", [](Peer& peer, Verb, Line line) { return join(peer, line); }},
    {"join_aside", [](Peer& peer, Verb, Line line) { return join_aside(peer, rest(line)); }},
    {"joined", [](Peer& peer, Verb, Line) { return await_joined(peer); }},
    {"foreign",
     [](Peer& peer, Verb, Line) { return fmt::format("ok {}", peer.domain->foreign_peers()); }},
    {"writer", create},
    {"reader", create},
    {"show", show},
    {"hide", show},
    {"close", [](Peer& peer, Verb, Line line) { return close(peer, next(line)); }},
    {"quit", [](Peer& peer, Verb, Line) { return quit(peer); }},
    {"publish", publish_or_flood},
    {"flood", publish_or_flood},
    {"loan", [](Peer& peer, Verb, Line line) { return loan(peer, line); }},
    {"take", take_or_drain},
    {"hold", take_or_drain},
    {"drain", take_or_drain},
    {"slow", take_or_drain},
    {"once", [](Peer& peer, Verb, Line line) { return take_once(peer, next(line)); }},
    {"held", [](Peer& peer, Verb, Line) { return numbers_held(peer); }},
    {"release", [](Peer& peer, Verb, Line) { return release(peer); }},
    {"events", about},
    {"stats", about},
    {"assert", about},
    {"matched", [](Peer& peer, Verb, Line line) { return count_matches(peer, next(line)); }},
    {"problems", [](Peer& peer, Verb, Line) { return list_problems(peer); }},
    {"descriptors", [](Peer&, Verb, Line line) { return limit_descriptors(next(line)); }},
    {"child", [](Peer&, Verb, Line) { return leave_a_child(); }},
    {"scribble", [](Peer&, Verb, Line line) { return scribble_for(line); }},
    {"lie", [](Peer&, Verb, Line line) { return lie(line); }},
    {"pretend", [](Peer&, Verb, Line line) { return pretend(line); }},
    {"impostor", [](Peer&, Verb, Line line) { return impersonate(next(line)); }},
    {"user", [](Peer&, Verb, Line line) { return become_user(next<unsigned>(line)); }},
    {"squat", [](Peer&, Verb, Line line) { return squat(line); }},
};

std::string obey(Peer& peer, const std::string& text) {
  std::istringstream line(text);
  const auto verb = next(line);
  const auto found = commands.find(verb);
  return found == commands.end() ? obey_step(verb, line) : found->second(peer, verb, line);
}

}  // namespace

int main() {
#ifdef LIGAMENT_CRASH_POINTS
  pool::test::take_the_safety_nets_away();
#endif
  Peer peer;
  for (std::string line; std::getline(std::cin, line) && line != "exit";) {
    std::cout << obey(peer, line) << std::endl;
  }
  return 0;
}
