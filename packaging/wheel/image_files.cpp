// SPDX-License-Identifier: Apache-2.0
// What the image nodes of a wheel use in place of OpenCV's imgcodecs and videoio: JPEG and PNG, by
// libjpeg and libpng. Debian's builds of those two bring 240 libraries along, some under the GPL,
// and a wheel would have to carry them. The functions are OpenCV's own (opencv2/imgcodecs.hpp,
// opencv2/videoio.hpp), so that the nodes are the same library either way. Videos are refused:
// nodes that `ligament build` compiles, with OpenCV installed, play them.
#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <vector>

// These need what the others declare.
#include <jpeglib.h>
#include <png.h>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t kMostPixels = std::size_t{1} << 30;  // as OpenCV has it
constexpr int kPngSignature = 8;

// --- JPEG: libjpeg jumps out of an error, so nothing below setjmp has a destructor
// ----------------

struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
};

void leave_jpeg(j_common_ptr info) {
  std::longjmp(reinterpret_cast<JpegErrors*>(info->err)->jump, 1);
}
void say_nothing(j_common_ptr) {}

/// Decodes into `image`, which keeps its memory when this fails; false: it is no JPEG.
bool decode_jpeg(const Bytes& bytes, cv::Mat& image) {
  jpeg_decompress_struct info;
  JpegErrors errors;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = leave_jpeg;
  errors.manager.output_message = say_nothing;
  if (setjmp(errors.jump) != 0) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes.data(), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  const bool grey = info.jpeg_color_space == JCS_GRAYSCALE;
  info.out_color_space = grey ? JCS_GRAYSCALE : JCS_EXT_BGR;
  jpeg_start_decompress(&info);
  if (std::size_t{info.output_width} * info.output_height > kMostPixels)
    leave_jpeg(reinterpret_cast<j_common_ptr>(&info));
  image.create(static_cast<int>(info.output_height), static_cast<int>(info.output_width),
               grey ? CV_8UC1 : CV_8UC3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = image.ptr(static_cast<int>(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);  // one that ends early is filled with grey, as OpenCV has it
  jpeg_destroy_decompress(&info);
  return true;
}

// --- PNG
// ------------------------------------------------------------------------------------------

struct PngInput {
  const Bytes* bytes;
  std::size_t at;
};

void read_png(png_structp png, png_bytep target, std::size_t count) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input->bytes->size() - input->at) png_error(png, "it ends early");
  std::copy_n(input->bytes->data() + input->at, count, target);
  input->at += count;
}
void warn_nothing(png_structp, png_const_charp) {}
void leave_png(png_structp png, png_const_charp) { png_longjmp(png, 1); }

/// Samples as OpenCV has them: BGR, 8 or 16 bits of this machine's order, palettes resolved.
int prepare_png(png_structp png, png_infop info) {
  const auto colour = png_get_color_type(png, info);
  const int depth = png_get_bit_depth(png, info);
  if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (colour == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
  // OpenCV reads grey as one channel, whatever is transparent.
  if (colour != PNG_COLOR_TYPE_GRAY && png_get_valid(png, info, PNG_INFO_tRNS))
    png_set_tRNS_to_alpha(png);
  if (depth == 16) png_set_swap(png);
  if (colour == PNG_COLOR_TYPE_GRAY_ALPHA) png_set_gray_to_rgb(png);
  png_set_bgr(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return CV_MAKETYPE(depth == 16 ? CV_16U : CV_8U, png_get_channels(png, info));
}

bool decode_png(const Bytes& bytes, cv::Mat& image, std::vector<png_bytep>& rows) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, leave_png, warn_nothing);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  PngInput input{&bytes, 0};
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_set_read_fn(png, &input, read_png);
  png_read_info(png, info);
  const std::size_t width = png_get_image_width(png, info),
                    height = png_get_image_height(png, info);
  if (width * height > kMostPixels) png_error(png, "too large");
  image.create(static_cast<int>(height), static_cast<int>(width), prepare_png(png, info));
  rows.resize(height);
  for (std::size_t row = 0; row < height; ++row) rows[row] = image.ptr(static_cast<int>(row));
  png_read_image(png, rows.data());
  png_read_end(png, nullptr);
  png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

bool encode_png(std::FILE* file, const cv::Mat& image, int colour) {
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, leave_png, warn_nothing);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, file);
  const int depth = image.depth() == CV_16U ? 16 : 8;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.cols),
               static_cast<png_uint_32>(image.rows), depth, colour, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_set_bgr(png);
  if (depth == 16) png_set_swap(png);
  for (int row = 0; row < image.rows; ++row) png_write_row(png, image.ptr(row));
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

// --- Both
// -----------------------------------------------------------------------------------------

/// The image, or an empty one, as OpenCV answers what it cannot read.
cv::Mat decoded(const Bytes& bytes, int flags) {
  constexpr int kAsStored = cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION;
  if (flags != kAsStored && flags != cv::IMREAD_UNCHANGED) {
    CV_Error(cv::Error::StsNotImplemented, "images are read as they are stored, no other way");
  }
  cv::Mat image;
  std::vector<png_bytep> rows;
  const bool is_png =
      bytes.size() > kPngSignature && png_sig_cmp(bytes.data(), 0, kPngSignature) == 0;
  const bool is_jpeg = bytes.size() > 2 && bytes[0] == 0xFF && bytes[1] == 0xD8;
  const bool done = is_png ? decode_png(bytes, image, rows) : is_jpeg && decode_jpeg(bytes, image);
  return done ? image : cv::Mat();
}

void refuse_video() {
  std::fputs(
      "ligament: the nodes of this installation play no videos. Install a compiler and "
      "libopencv-dev, and set LIGAMENT_COMPILE=1: then the camera is compiled here.\n",
      stderr);
}

}  // namespace

namespace cv {

Mat imread(const String& path, int flags) {
  std::ifstream file(path, std::ios::binary);
  const Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return decoded(bytes, flags);
}

Mat imdecode(InputArray buffer, int flags) {
  const Mat bytes = buffer.getMat();
  if (!bytes.isContinuous() || bytes.depth() != CV_8U) return Mat();
  const auto* begin = bytes.ptr();
  return decoded(Bytes(begin, begin + bytes.total() * bytes.elemSize()), flags);
}

bool imwrite(const String& path, InputArray given, const std::vector<int>&) {
  const Mat image = given.getMat();
  constexpr int kColours[] = {0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  const bool can = path.ends_with(".png") && !image.empty() && image.channels() <= 4 &&
                   image.channels() != 2 && (image.depth() == CV_8U || image.depth() == CV_16U);
  if (!can)
    CV_Error(Error::StsNotImplemented, "only PNG is written, of 8 or 16 bits, grey or colour");
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = encode_png(file, image, kColours[image.channels()]);
  const bool whole = std::fclose(file) == 0 && written;
  if (!whole) std::remove(path.c_str());  // half a picture is none
  return whole;
}

VideoCapture::VideoCapture() : throwOnFail(false) {}
VideoCapture::~VideoCapture() = default;
bool VideoCapture::open(const String&, int) {
  refuse_video();
  return false;
}
bool VideoCapture::open(const String& path, int api, const std::vector<int>&) {
  return open(path, api);
}
bool VideoCapture::open(int, int) {
  refuse_video();
  return false;
}
bool VideoCapture::open(int index, int api, const std::vector<int>&) { return open(index, api); }
bool VideoCapture::isOpened() const { return false; }
void VideoCapture::release() {}
bool VideoCapture::grab() { return false; }
bool VideoCapture::retrieve(OutputArray, int) { return false; }
VideoCapture& VideoCapture::operator>>(Mat&) { return *this; }
VideoCapture& VideoCapture::operator>>(UMat&) { return *this; }
bool VideoCapture::read(OutputArray) { return false; }
bool VideoCapture::set(int, double) { return false; }
double VideoCapture::get(int) const { return 0.0; }

}  // namespace cv
