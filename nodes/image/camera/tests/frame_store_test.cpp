// SPDX-License-Identifier: Apache-2.0
#include "camera/frame_store.hpp"

#include <gtest/gtest.h>

#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

/// `count` frames; frame i has the stamp 1000 + 10 i and is filled with i.
class Counting final : public FrameSource {
 public:
  explicit Counting(int count, int odd = -1) : count_(count), odd_(odd) {}
  expected<std::optional<Frame>, SourceError> next() override {
    if (next_ == count_) return std::optional<Frame>();
    const int width = next_ == odd_ ? 5 : 4;
    Frame frame{cv::Mat(2, width, CV_8UC1, cv::Scalar(next_)), "mono8", 1000 + 10 * next_, ""};
    ++next_;
    return std::optional<Frame>(std::move(frame));
  }
  expected<void, SourceError> rewind() override {
    next_ = 0;
    return {};
  }

 private:
  int count_;
  int odd_;
  int next_ = 0;
};

void expect_loops(FrameStore& store) {
  for (int i = 0; i < 8; ++i) {
    const auto frame = store.at(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(frame) << frame.error().text;
    EXPECT_EQ((*frame)->image.at<std::uint8_t>(0, 0), i % 3);
    EXPECT_EQ((*frame)->stamp_ns, 1000 + 10 * i) << "stamps grow from loop to loop";
  }
}

TEST(FrameStore, LoopsPreloadedAndStreaming) {
  for (const bool preload : {true, false}) {
    FrameStoreOptions options;
    options.preload = preload;
    auto store = FrameStore::create(std::make_unique<Counting>(3), options);
    ASSERT_TRUE(store) << store.error().text;
    EXPECT_EQ(store->preloaded(), preload);
    expect_loops(*store);
  }
}

TEST(FrameStore, StreamsWhatIsTooLargeForMemory) {
  FrameStoreOptions options;
  options.preload_limit_bytes = 20;
  auto store = FrameStore::create(std::make_unique<Counting>(3), options);
  ASSERT_TRUE(store);
  EXPECT_FALSE(store->preloaded());
  expect_loops(*store);
}

TEST(FrameStore, StreamingKeepsTheLastFramesForSendingAgain) {
  FrameStoreOptions options;
  options.preload = false;
  options.window = 2;
  auto store = FrameStore::create(std::make_unique<Counting>(5), options);
  ASSERT_TRUE(store);
  ASSERT_TRUE(store->at(3));
  EXPECT_EQ((*store->at(2))->image.at<std::uint8_t>(0, 0), 2);
  EXPECT_EQ((*store->at(3))->image.at<std::uint8_t>(0, 0), 3);
}

TEST(FrameStore, LoadsNoMoreThanIsNeeded) {
  FrameStoreOptions options;
  options.frames = 2;
  auto store = FrameStore::create(std::make_unique<Counting>(5), options);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->in_memory(), 2U);
}

TEST(FrameStore, RefusesUnlikeFramesAndNoFrames) {
  EXPECT_EQ(FrameStore::create(std::make_unique<Counting>(3, 1), {}).error().code,
            SourceErrorCode::size_mismatch);
  EXPECT_EQ(FrameStore::create(std::make_unique<Counting>(0), {}).error().code,
            SourceErrorCode::no_frames);
}

}  // namespace
}  // namespace ligament::nodes::image
