// SPDX-License-Identifier: Apache-2.0
#include "rectify/pairing.hpp"

#include <gmock/gmock.h>

namespace ligament::nodes::image {
namespace {

using testing::ElementsAre;
using testing::Pair;

class PairingTest : public testing::Test {
 protected:
  using Subject = Pairing<int, int>;

  void info(Subject& pairing, std::int64_t stamp, int value = 0) {
    pairing.on_camera_info(stamp, std::make_shared<const int>(value), emit_);
  }
  void image(Subject& pairing, std::int64_t stamp) {
    pairing.on_image(stamp, static_cast<int>(stamp), emit_);
  }

  std::vector<std::pair<int, int>> out_;
  std::function<void(int&&, const int&)> emit_ = [this](int&& sample, const int& info) {
    out_.emplace_back(sample, info);
  };
};

TEST_F(PairingTest, PairsInEitherOrderOfArrival) {
  Subject pairing(PairingMode::exact, 5);
  info(pairing, 1, 10);
  image(pairing, 1);
  image(pairing, 2);
  EXPECT_THAT(out_, ElementsAre(Pair(1, 10)));
  info(pairing, 2, 20);
  EXPECT_THAT(out_, ElementsAre(Pair(1, 10), Pair(2, 20)));
  EXPECT_EQ(pairing.dropped(), 0U);
}

TEST_F(PairingTest, AChangedCalibrationIsNotAppliedToEarlierImages) {
  Subject pairing(PairingMode::exact, 5);
  info(pairing, 1, 10);
  info(pairing, 2, 10);
  info(pairing, 3, 30);
  image(pairing, 1);
  image(pairing, 2);
  image(pairing, 3);
  EXPECT_THAT(out_, ElementsAre(Pair(1, 10), Pair(2, 10), Pair(3, 30)));
}

TEST_F(PairingTest, ImagesWithoutTheirCameraInfoAreDroppedByALaterPair) {
  Subject pairing(PairingMode::exact, 5);
  image(pairing, 1);
  image(pairing, 2);
  info(pairing, 2, 20);
  EXPECT_THAT(out_, ElementsAre(Pair(2, 20)));
  EXPECT_EQ(pairing.dropped(), 1U);
  image(pairing, 3);
  image(pairing, 4);
  info(pairing, 4, 40);
  EXPECT_EQ(pairing.dropped(), 2U);
  EXPECT_EQ(pairing.waiting(), 0U);
}

TEST_F(PairingTest, AtMostQueueSizeImagesWait) {
  Subject pairing(PairingMode::exact, 2);
  for (int stamp = 1; stamp <= 4; ++stamp) image(pairing, stamp);
  EXPECT_EQ(pairing.waiting(), 2U);
  EXPECT_EQ(pairing.dropped(), 2U);
  info(pairing, 3, 30);
  EXPECT_THAT(out_, ElementsAre(Pair(3, 30)));
}

TEST_F(PairingTest, CameraInfosBeyondTheQueueAreForgotten) {
  Subject pairing(PairingMode::exact, 2);
  for (int stamp = 1; stamp <= 3; ++stamp) info(pairing, stamp);
  image(pairing, 1);
  EXPECT_TRUE(out_.empty());
  image(pairing, 2);
  EXPECT_THAT(out_, ElementsAre(Pair(2, 0)));
}

TEST_F(PairingTest, LatestTakesTheNewestWhateverItsStamp) {
  Subject pairing(PairingMode::latest, 3);
  image(pairing, 5);
  image(pairing, 6);
  EXPECT_TRUE(out_.empty());
  info(pairing, 1, 10);
  image(pairing, 7);
  info(pairing, 2, 20);
  image(pairing, 8);
  EXPECT_THAT(out_, ElementsAre(Pair(5, 10), Pair(6, 10), Pair(7, 10), Pair(8, 20)));
}

}  // namespace
}  // namespace ligament::nodes::image
