// SPDX-License-Identifier: Apache-2.0
#include "slam/slam_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

namespace ligament::nodes::driving::slam {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::string_view kMagic = "LIGSLAM1";
constexpr std::uint32_t kMostPixels = 1 << 14;
constexpr double kMostMetres = 1e6;

class Out {
 public:
  template <typename... Ts>
  void add(const Ts&... values) {
    (bytes_.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  }
  void add_text(std::string_view text) { bytes_.append(text); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Once something is missing or out of its range, all that follows is 0, and `is_good` is false.
class In {
 public:
  explicit In(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  T number() {
    T value{};
    if (sizeof(T) > bytes_.size() - at_) {
      is_good_ = false;
    }
    if (!is_good_) return T{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  double metres() { return within(number<double>(), -kMostMetres, kMostMetres); }
  double within(double value, double from, double to) {
    is_good_ = is_good_ && value >= from && value <= to;  // no number is in no range
    return is_good_ ? value : 0;
  }
  int whole(std::int64_t from, std::int64_t to) {
    const std::int64_t value = number<std::int32_t>();
    is_good_ = is_good_ && value >= from && value <= to;
    return is_good_ ? static_cast<int>(value) : 0;
  }
  /// How many of something there are that has at least so many bytes each.
  std::uint32_t count(std::size_t bytes_each) {
    const auto value = number<std::uint32_t>();
    is_good_ = is_good_ && value <= (bytes_.size() - at_) / bytes_each;
    return is_good_ ? value : 0;
  }
  [[nodiscard]] bool is_good() const { return is_good_; }
  [[nodiscard]] bool is_at_end() const { return is_good_ && at_ == bytes_.size(); }
  bool takes_text(std::string_view text) {
    const bool is_there =
        bytes_.size() - at_ >= text.size() &&
        std::equal(text.begin(), text.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    if (is_there) at_ += text.size();
    is_good_ = is_good_ && is_there;
    return is_there;
  }

 private:
  std::vector<char> bytes_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

constexpr std::size_t kKeyframeBytes = 3 * sizeof(double) + sizeof(std::uint32_t);
constexpr std::size_t kFeatureBytes = 3 * sizeof(double) + sizeof(Descriptor) + sizeof(int);
constexpr std::size_t kPointBytes = 3 * sizeof(double) + sizeof(Descriptor) + 5 * sizeof(int);

Keyframe keyframe_of(In& in, cv::Size size) {
  Keyframe keyframe;
  keyframe.pose.x = in.metres();
  keyframe.pose.y = in.metres();
  keyframe.pose.heading = in.within(in.number<double>(), -4, 4);
  keyframe.features = Features(size);
  const std::uint32_t count = in.count(kFeatureBytes);
  for (std::uint32_t i = 0; i < count && in.is_good(); ++i) {
    Feature feature;
    feature.pixel.x = in.within(in.number<double>(), 0, size.width);
    feature.pixel.y = in.within(in.number<double>(), 0, size.height);
    feature.sigma = in.within(in.number<double>(), 0.1, 100);
    feature.descriptor = in.number<Descriptor>();
    keyframe.features.add(feature);
    keyframe.points.push_back(in.whole(kNone, std::numeric_limits<int>::max()));
  }
  return keyframe;
}

MapPoint point_of(In& in, int newest) {
  MapPoint point;
  point.place.x = in.metres();
  point.place.y = in.metres();
  point.place.z = in.metres();
  point.descriptor = in.number<Descriptor>();
  point.on_ground = in.whole(0, 1) != 0;
  point.gone = in.whole(0, 1) != 0;
  point.born = in.whole(0, newest);
  point.expected = in.whole(0, std::numeric_limits<int>::max());
  point.found = in.whole(0, std::numeric_limits<int>::max());
  return point;
}

/// Says of each point which keyframes see it; false: one sees a point that there is not.
bool link(Map& map) {
  for (int k = 0; k <= map.newest(); ++k) {
    const auto& points = map.keyframe(k).points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] == kNone) continue;
      if (points[i] >= static_cast<int>(map.points.size()) || map.point(points[i]).gone)
        return false;
      map.point(points[i]).seen.emplace_back(k, static_cast<int>(i));
    }
  }
  return true;
}

}  // namespace

expected<void, std::string> save_map(const std::filesystem::path& file, const Map& map,
                                     cv::Size size) {
  Out out;
  out.add_text(kMagic);
  out.add(static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height),
          static_cast<std::uint32_t>(map.keyframes.size()));
  for (const auto& keyframe : map.keyframes) {
    out.add(keyframe.pose.x, keyframe.pose.y, keyframe.pose.heading,
            static_cast<std::uint32_t>(keyframe.features.size()));
    for (std::size_t i = 0; i < keyframe.features.size(); ++i) {
      const auto& one = keyframe.features[i];
      out.add(one.pixel.x, one.pixel.y, one.sigma, one.descriptor, keyframe.points[i]);
    }
  }
  out.add(static_cast<std::uint32_t>(map.points.size()));
  for (const auto& one : map.points) {
    out.add(one.place.x, one.place.y, one.place.z, one.descriptor, int{one.on_ground},
            int{one.gone}, one.born, one.expected, one.found);
  }
  std::filesystem::path beside = file;
  beside += ".part";
  std::error_code failed;
  std::ofstream stream(beside, std::ios::binary);
  stream.write(out.bytes().data(), static_cast<std::streamsize>(out.bytes().size()));
  stream.close();
  if (stream) std::filesystem::rename(beside, file, failed);
  if (!stream || failed) {
    return unexpected<std::string>("the map cannot be written to '" + file.string() + "'");
  }
  return {};
}

expected<SavedMap, std::string> load_map(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) {
    return unexpected<std::string>("the map '" + file.string() + "' " + what);
  };
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return wrong("cannot be read");
  In in(std::vector<char>(std::istreambuf_iterator<char>(stream), {}));
  if (!in.takes_text(kMagic)) return wrong("is no map of driving/slam");
  SavedMap saved;
  saved.size.width = in.whole(16, kMostPixels);
  saved.size.height = in.whole(16, kMostPixels);
  const std::uint32_t keyframes = in.count(kKeyframeBytes);
  for (std::uint32_t i = 0; i < keyframes && in.is_good(); ++i) {
    saved.map.keyframes.push_back(keyframe_of(in, saved.size));
  }
  const std::uint32_t points = in.count(kPointBytes);
  for (std::uint32_t i = 0; i < points && in.is_good(); ++i) {
    saved.map.points.push_back(point_of(in, saved.map.newest()));
  }
  if (!in.is_at_end() || !link(saved.map)) return wrong("is broken");
  return saved;
}

}  // namespace ligament::nodes::driving::slam
