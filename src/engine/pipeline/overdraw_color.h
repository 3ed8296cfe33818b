// The colours of Shading::overdraw, shared by the shader and by legends.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace brokkr {

// The colours for 0, 1, 2, 4, 8, 16 and 32 fragments or more (0xAABBGGRR): black, blue, cyan, green, yellow, red,
// white.
inline constexpr std::array<uint32_t, 7> kOverdrawColors = {0xff000000, 0xffb03020, 0xffc0a000, 0xff40a020,
                                                            0xff10c8e8, 0xff2030d8, 0xffffffff};

// The colour of a sample that `fragments` fragments covered.
inline uint32_t overdraw_color(uint32_t fragments) {
  return kOverdrawColors[std::min(size_t(std::bit_width(fragments)), kOverdrawColors.size() - 1)];
}

}  // namespace brokkr
