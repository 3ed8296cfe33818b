#include "inspect/image_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

namespace brokkr {
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
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
      const int d = difference(a[i], b[i], shift);
      squares += uint64_t(d * d);
      most = std::max(most, d);
    }
    ++c.differing;
    c.far += most > 1;
    c.most = std::max(c.most, most);
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

}  // namespace brokkr
