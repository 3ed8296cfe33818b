#include "inspect/image_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

namespace brokkr {

const Reference* original_of(const Frame& frame, uint32_t target) {
  const Reference* latest = nullptr;
  for (const Reference& reference : frame.references) {
    if (reference.target != target || reference.color_file.empty()) continue;
    if (latest == nullptr || reference.before >= latest->before) latest = &reference;
  }
  return latest;
}

Image original_picture(const Frame& frame, const Reference& reference) {
  return read_image(std::as_bytes(std::span(reference.color_file)), frame.source + ": picture of the game");
}

namespace {

int difference(uint32_t a, uint32_t b, int shift) { return std::abs(int(a >> shift & 255) - int(b >> shift & 255)); }

void require_same_size(size_t a, size_t b) {
  if (a != b)
    throw std::invalid_argument("pictures of " + std::to_string(a) + " and " + std::to_string(b) +
                                " pixels cannot be compared");
}

}  // namespace

ImageComparison compare_images(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  require_same_size(a.size(), b.size());
  ImageComparison c;
  c.pixels = a.size();
  uint64_t squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (((a[i] ^ b[i]) & 0xffffffu) == 0) continue;
    int largest = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      const int d = difference(a[i], b[i], shift);
      squares += uint64_t(d * d);
      largest = std::max(largest, d);
    }
    ++c.differing;
    c.far += largest > 1;
    c.max_difference = std::max(c.max_difference, largest);
  }
  c.psnr_db = squares == 0 ? std::numeric_limits<double>::infinity()
                           : 10 * std::log10(255.0 * 255.0 * 3 * double(c.pixels) / double(squares));
  return c;
}

std::vector<uint32_t> amplified_difference(std::span<const uint32_t> a, std::span<const uint32_t> b, int gain) {
  require_same_size(a.size(), b.size());
  std::vector<uint32_t> out(a.size(), 0xff000000u);
  for (size_t i = 0; i < a.size(); ++i) {
    for (int shift = 0; shift < 24; shift += 8)
      out[i] |= uint32_t(std::min(difference(a[i], b[i], shift) * gain, 255)) << shift;
  }
  return out;
}

namespace {

double decibels(uint64_t squares, uint64_t pixels) {
  if (pixels == 0) return 0;
  if (squares == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(255.0 * 255.0 * 3 * double(pixels) / double(squares));
}

}  // namespace

ColorComparison compare_colors(std::span<const uint32_t> ours, std::span<const uint32_t> reference) {
  if (ours.size() != reference.size()) throw std::invalid_argument("pictures of different sizes cannot be compared");
  ColorComparison result;
  result.pixels = ours.size();
  uint64_t squares = 0, kept_squares = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    int largest = 0;
    uint64_t own = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      const int d = std::abs(int(ours[i] >> shift & 255) - int(reference[i] >> shift & 255));
      own += uint64_t(d * d);
      largest = std::max(largest, d);
    }
    squares += own;
    if (largest <= kFlip) kept_squares += own;
    result.within_2 += largest <= 2;
    result.within_4 += largest <= 4;
    result.within_16 += largest <= kFlip;
    result.max_difference = std::max(result.max_difference, largest);
  }
  result.psnr_db = decibels(squares, result.pixels);
  result.kept_db = decibels(kept_squares, result.within_16);
  return result;
}

ColorLimits limits_of(const Frame& frame) {
  const std::string& by = frame.generator;
  const bool exact = by.find("no_brilinear") != std::string::npos && by.find("no_rho_approx") != std::string::npos &&
                     by.find("no_quad_lod") != std::string::npos && by.find("no_aos_sampling") != std::string::npos;
  return exact ? ColorLimits::exact : ColorLimits::driver;
}

bool is_close(const ColorComparison& comparison, ColorLimits limits) {
  if (limits == ColorLimits::exact) {
    return comparison.kept_db >= 45 && comparison.percent(comparison.within_2) >= 99.5;
  }
  return comparison.percent(comparison.within_4) >= 98 && comparison.percent(comparison.within_16) >= 99.5;
}

std::string describe(ColorLimits limits) {
  return limits == ColorLimits::exact ? "45 dB without flips, 99.5 % within 2 of 255"
                                      : "98 % within 4 of 255, 99.5 % within 16";
}

std::vector<uint32_t> side_by_side(int width, std::span<const uint32_t> ours, std::span<const uint32_t> reference,
                                   int gain) {
  const std::vector<uint32_t> difference = amplified_difference(ours, reference, gain);
  std::vector<uint32_t> all;
  all.reserve(ours.size() * 3);
  for (size_t row = 0; row < ours.size(); row += size_t(width)) {
    for (const std::span<const uint32_t> picture : {ours, reference, std::span<const uint32_t>(difference)}) {
      const auto part = picture.subspan(row, size_t(width));
      std::transform(part.begin(), part.end(), std::back_inserter(all),
                     [](uint32_t pixel) { return pixel | 0xff000000u; });
    }
  }
  return all;
}

}  // namespace brokkr
