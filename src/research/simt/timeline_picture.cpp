#include "simt/timeline_picture.h"

#include <algorithm>
#include <vector>

#include "brokkr/image.h"

namespace brokkr::simt {
namespace {

constexpr int kWidth = 768, kHeight = 256, kMargin = 8;
constexpr uint32_t kPaper = 0xffffffff, kFrame = 0xff404040;

// 0xAABBGGRR: red over yellow to green.
constexpr uint32_t kColors[kOccupancyClasses] = {0xff2f2fd6, 0xff2f62e8, 0xff3396f4, 0xff45c2fa, 0xff63e0ee,
                                                 0xff66d9b4, 0xff52c878, 0xff3fa03a, 0xffc0c0c0, 0xffffffff};
constexpr uint32_t kOrder[kOccupancyClasses] = {kIdle, kStalled, 0, 1, 2, 3, 4, 5, 6, 7};

}  // namespace

void write_timeline(const std::filesystem::path& path, const Statistics& s) {
  const int width = kWidth + 2 * kMargin, height = kHeight + 2 * kMargin;
  std::vector<uint32_t> pixels(size_t(width) * size_t(height), kPaper);
  const auto set = [&](int x, int y, uint32_t c) { pixels[size_t(y) * size_t(width) + size_t(x)] = c; };
  for (int x = 0; x < kWidth && !s.windows.empty(); ++x) {
    const Occupancy& w = s.windows[size_t(x) * s.windows.size() / kWidth];
    uint64_t all = 0, below = 0;
    for (const uint64_t n : w) all += n;
    int y = 0;
    for (const uint32_t c : kOrder) {
      below += w[c];
      const int top = all == 0 ? 0 : int(below * kHeight / all);
      for (; y < top; ++y) set(kMargin + x, kMargin + y, kColors[c]);
    }
  }
  for (int x = -1; x <= kWidth; ++x) {
    set(kMargin + x, kMargin - 1, kFrame);
    set(kMargin + x, kMargin + kHeight, kFrame);
  }
  for (int y = -1; y <= kHeight; ++y) {
    set(kMargin - 1, kMargin + y, kFrame);
    set(kMargin + kWidth, kMargin + y, kFrame);
  }
  write_png(path, width, height, pixels, true);
}

}  // namespace brokkr::simt
