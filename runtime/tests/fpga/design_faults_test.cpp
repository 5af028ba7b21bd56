// SPDX-License-Identifier: Apache-2.0
/// \file What the driver says of cores and memory that break the rules, and who goes on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ligament/fpga_design.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "designs.hpp"

namespace ligament::fpga::testing {
namespace {

TEST_F(DesignTest, NamesWhatABrokenCoreDoesAndGoesOn) {
  struct Case {
    Fault fault;
    const char* text;
  };
  const auto model = single();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  for (const Case& broken :
       {Case{Fault::runt, "its message on out breaks its header's announcement"},
        Case{Fault::oversize, "its message on out breaks its header's announcement"},
        Case{Fault::problem, "its output out breaks the layout of the message: a field comes"}}) {
    model->nodes[0].fault = broken.fault;
    const Outcome failed = simulation.run({message(200)});
    ASSERT_EQ(failed.troubles.size(), 1U) << broken.text;
    EXPECT_NE(failed.troubles[0].text.find(broken.text), std::string::npos)
        << failed.troubles[0].text;
    model->nodes[0].fault = Fault::none;
    const Outcome outcome = simulation.run({message(200)});
    ASSERT_EQ(outcome.departures.size(), 1U);
    EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(200));
  }
}

TEST_F(DesignTest, NamesWhereNoPageIsOpen) {
  const auto model = single();
  model->shell.paged = true;
  Simulation simulation(model->wires(), model->plan, {.pages = {.count = 256}}, model->boundary());
  ASSERT_EQ(simulation.run({message(200)}).departures.size(), 1U);
  constexpr std::uint64_t writable = 2;
  for (std::uint64_t& entry : model->shell.pages) {
    entry &= ~writable;
  }
  const auto before = memory_;
  const Outcome outcome = simulation.run({message(200)});
  EXPECT_TRUE(outcome.departures.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_NE(outcome.troubles[0].text.find("its message on out was to go to 0x"), std::string::npos)
      << outcome.troubles[0].text;
  EXPECT_EQ(simulation.port().refused, 2U) << "200 bytes are two bursts";
  EXPECT_EQ(memory_, before);
}

TEST_F(DesignTest, BelievesNoMessageThatIsLargerThanItsRoom) {
  const auto model = single();
  model->nodes[0].fault = Fault::boasts;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].trusts = true;
  const Outcome outcome = simulation.run({message(200)});
  EXPECT_TRUE(outcome.departures.empty());
  ASSERT_EQ(outcome.troubles.size(), 1U);
  EXPECT_NE(outcome.troubles[0].text.find("its message on out is longer than its bound"),
            std::string::npos)
      << outcome.troubles[0].text;
}

TEST_F(DesignTest, SaysWhyACoreRefuses) {
  const auto model = single();
  model->plan[0].refusals = {{16, "the image is too small"}};
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::refuses;
  for (const auto& [code, text] : {std::pair{16, "it refuses the message: the image is too small"},
                                   std::pair{17, "code 17, which its manifest does not explain"},
                                   std::pair{3, "is broken: its frame ends before it does"},
                                   std::pair{15, "the core gives no reason"}}) {
    model->nodes[0].code = static_cast<std::uint8_t>(code);
    const Outcome outcome = simulation.run({message(200)});
    ASSERT_EQ(outcome.troubles.size(), 1U) << text;
    EXPECT_NE(outcome.troubles[0].text.find(text), std::string::npos) << outcome.troubles[0].text;
  }
}

TEST_F(DesignTest, NamesWhoHangsAndTheOthersGetTheirMessages) {
  for (const Fault fault : {Fault::silent, Fault::deaf, Fault::babbles}) {
    const auto model = fan();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    model->nodes[2].fault = fault;
    const Outcome hung = simulation.run({message(200)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, 2U);
    EXPECT_NE(hung.troubles[0].text.find("no whole message on result within"), std::string::npos)
        << hung.troubles[0].text;
    EXPECT_NE(hung.troubles[0].text.find("`ligament run --wave 1` shows what it does"),
              std::string::npos);
    EXPECT_FALSE(hung.troubles[0].isolated);
    ASSERT_EQ(hung.departures.size(), 1U);
    EXPECT_EQ(hung.departures[0].exit, 0U);
    EXPECT_EQ(bytes_of(hung.departures[0]), bytes(200));
    // It has another chance.
    model->nodes[2].fault = Fault::none;
    const Outcome outcome = simulation.run({message(100)});
    EXPECT_EQ(outcome.departures.size(), 2U);
    EXPECT_TRUE(outcome.troubles.empty());
  }
}

TEST_F(DesignTest, SaysWhichStreamWaitsForWhom) {
  struct Case {
    std::size_t node;
    Fault fault;
    std::vector<const char*> words;
  };
  const std::vector<Case> cases{
      {1,
       Fault::deaf,
       {"no whole message on out", "its input in has a beat that it does not take;",
        "/a waits for it"}},
      {0,
       Fault::deaf,
       {"no whole message on middle", "its input image has a beat that it does not take;"}},
      {1, Fault::silent, {"no whole message on out", "cycles: nothing waits on its streams"}},
      {1, Fault::babbles, {"its output out has said 130 beats of a message, and no last one"}},
      {0,
       Fault::babbles,
       {"its output middle has said 130 beats of a message, and no last one", "/b waits for it"}},
      {1, Fault::floods, {"its output out has said ", " beats of a message, and no last one"}},
  };
  for (const Case& one : cases) {
    const auto model = chain();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    model->nodes[one.node].fault = one.fault;
    const Outcome hung = simulation.run({message(1024)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, one.node);
    for (const char* const words : one.words) {
      EXPECT_NE(hung.troubles[0].text.find(words), std::string::npos)
          << words << " in: " << hung.troubles[0].text;
    }
  }
}

TEST_F(DesignTest, AMessageThatNobodyAskedForIsDroppedAndNamed) {
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[1].fault = Fault::twice;
  const Outcome twice = simulation.run({message(200), message(100, 8)});
  ASSERT_EQ(twice.departures.size(), 2U);
  ASSERT_EQ(twice.troubles.size(), 1U);
  EXPECT_EQ(twice.troubles[0].node, 1U);
  EXPECT_NE(twice.troubles[0].text.find("it gave a message on out that answers none"),
            std::string::npos)
      << twice.troubles[0].text;
  // Who follows is answered with its own.
  model->nodes[1].fault = Fault::none;
  const Outcome outcome = simulation.run({message(64, 16)});
  ASSERT_EQ(outcome.departures.size(), 1U);
  EXPECT_EQ(bytes_of(outcome.departures[0]), bytes(64, 16));
  ASSERT_EQ(outcome.works.size(), 2U);
  EXPECT_TRUE(outcome.troubles.empty());
}

TEST_F(DesignTest, WhoGivesMessagesWithoutEndIsGivenUp) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[2].fault = Fault::repeats;
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 2U);
  EXPECT_EQ(hung.troubles[1].node, 2U);
  EXPECT_NE(hung.troubles[1].text.find("message after message that answers none"),
            std::string::npos)
      << hung.troubles[1].text;
  ASSERT_EQ(hung.departures.size(), 1U);
  EXPECT_EQ(hung.departures[0].exit, 0U);
}

TEST_F(DesignTest, NamesALostDoorbell) {
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].loses_sends = true;
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 1U);
  EXPECT_NE(hung.troubles[0].text.find(
                "its input image has a message of which nothing was read from memory"),
            std::string::npos)
      << hung.troubles[0].text;
  model->shell.ends[0].loses_sends = false;
  EXPECT_EQ(simulation.run({message(100)}).departures.size(), 2U) << "the lost one goes in again";
}

TEST_F(DesignTest, NamesErrorsOfMemory) {
  constexpr std::uint64_t bus_error = 5;
  const auto model = chain();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->shell.ends[0].store_status = bus_error;
  const Outcome written = simulation.run({message(200)});
  EXPECT_TRUE(written.departures.empty());
  ASSERT_EQ(written.troubles.size(), 1U);
  EXPECT_EQ(written.troubles[0].node, 1U);
  EXPECT_NE(written.troubles[0].text.find("its message on out met an error of memory"),
            std::string::npos)
      << written.troubles[0].text;
  model->shell.ends[0].store_status = 0;
  // Of a message that was not read whole the core says that it is broken: the reason is told first.
  model->shell.ends[0].send_status = bus_error;
  model->nodes[0].fault = Fault::refuses;
  model->nodes[0].code = 3;
  const Outcome read = simulation.run({message(200)});
  ASSERT_EQ(read.troubles.size(), 1U);
  EXPECT_EQ(read.troubles[0].node, 0U);
  EXPECT_EQ(read.troubles[0].text.find("a message for its input image met an error of memory; it "
                                       "passes on that the message is broken"),
            0U)
      << read.troubles[0].text;
}

TEST_F(DesignTest, WhoHangsCostsStrangersNothing) {
  for (const Fault fault : {Fault::silent, Fault::deaf, Fault::babbles}) {
    const auto model = strangers();
    Simulation simulation(model->wires(), model->plan, {}, model->boundary());
    ASSERT_EQ(simulation.run({message(40), message(50, 0, 1)}).departures.size(), 2U);
    const std::size_t resets = model->nodes[1].resets;
    model->nodes[0].fault = fault;
    for (int time = 1; time <= 4; ++time) {
      const Outcome hung = simulation.run({message(200), message(100, 8, 1)});
      // After the third time it gets no further message.
      ASSERT_EQ(hung.troubles.size(), time < 4 ? 1U : 0U);
      if (time < 4) {
        EXPECT_EQ(hung.troubles[0].node, 0U);
        EXPECT_EQ(hung.troubles[0].isolated, time == 3);
      }
      ASSERT_EQ(hung.departures.size(), 1U);
      EXPECT_EQ(hung.departures[0].exit, 1U);
      EXPECT_EQ(bytes_of(hung.departures[0]), bytes(100, 8));
    }
    // It has worked through all of this without a reset: what it keeps is still there.
    EXPECT_EQ(model->nodes[1].resets, resets);
    EXPECT_GT(model->nodes[0].resets, resets);
  }
}

TEST_F(DesignTest, StrangersThatHangAreNamedEach) {
  const auto model = strangers();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  model->nodes[1].fault = Fault::deaf;
  const Outcome hung = simulation.run({message(200), message(100, 8, 1)});
  ASSERT_EQ(hung.troubles.size(), 2U);
  EXPECT_EQ(hung.troubles[0].node, 0U);
  EXPECT_EQ(hung.troubles[1].node, 1U);
  EXPECT_TRUE(hung.departures.empty());
  model->nodes[0].fault = model->nodes[1].fault = Fault::none;
  const Outcome outcome = simulation.run({message(200), message(100, 8, 1)});
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_EQ(outcome.departures.size(), 2U);
}

TEST_F(DesignTest, NamesTheInputOfACoreThatOnlyTakes) {
  const auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  model->add_node({in}, {});
  model->entries = {in};
  model->plan = {{{{model->probe(in), 0, 0, 0, "image"}}, {}, {}}};
  model->nodes[0].fault = Fault::deaf;
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  const Outcome hung = simulation.run({message(200)});
  ASSERT_EQ(hung.troubles.size(), 1U);
  EXPECT_NE(hung.troubles[0].text.find("it took no whole message on image within"),
            std::string::npos)
      << hung.troubles[0].text;
}

TEST_F(DesignTest, WhoHangsTooOftenIsIsolated) {
  const auto model = fan();
  Simulation simulation(model->wires(), model->plan, {}, model->boundary());
  model->nodes[0].fault = Fault::silent;
  for (int time = 1; time <= 3; ++time) {
    const Outcome hung = simulation.run({message(40)});
    ASSERT_EQ(hung.troubles.size(), 1U);
    EXPECT_EQ(hung.troubles[0].node, 0U);
    EXPECT_EQ(hung.troubles[0].isolated, time == 3);
    EXPECT_TRUE(hung.departures.empty());
  }
  const Outcome outcome = simulation.run({message(40)});
  EXPECT_TRUE(outcome.troubles.empty());
  EXPECT_TRUE(outcome.departures.empty());
}

}  // namespace
}  // namespace ligament::fpga::testing
