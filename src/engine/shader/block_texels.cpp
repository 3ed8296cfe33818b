#include "shader/block_texels.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "shader/texels.h"

namespace brokkr::shader {
namespace {

uint64_t bits_of(const std::byte* data, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  return bits;
}

std::array<uint8_t, 4> color_of_565(uint32_t packed) {
  const auto wide = [](uint32_t c, uint32_t bits) { return uint8_t(c << (8 - bits) | c >> (2 * bits - 8)); };
  return {wide(packed >> 11, 5), wide(packed >> 5 & 63, 6), wide(packed & 31, 5), 255};
}

// Interpolates between two endpoints. OpenGL does not define the rounding; this is llvmpipe's, whose steps count 255ths
// as 256ths. `shift`: bits of a step's fraction.
int stepped(int from, int to, int step, int shift) { return from + (((to - from) * step) >> shift); }

// The colours of bc1, bc2 and bc3. Only bc1 has a mode of three colours and a transparent black.
void decode_colors(const std::byte* block, bool has_holes, BytesOfBlock& texels) {
  constexpr int kThird = 255 / 3;
  const uint64_t bits = bits_of(block, 8);
  const uint32_t first = uint32_t(bits & 0xffff), second = uint32_t(bits >> 16 & 0xffff);
  std::array<std::array<uint8_t, 4>, 4> colors{color_of_565(first), color_of_565(second)};
  const bool four = !has_holes || first > second;
  for (size_t c = 0; c < 3; ++c) {
    const int a = colors[0][c], b = colors[1][c];
    colors[2][c] = uint8_t(four ? stepped(a, b, kThird, 8) : (a + b + 1) / 2);
    colors[3][c] = uint8_t(four ? stepped(a, b, kThird, 7) : 0);
  }
  colors[2][3] = 255;
  colors[3][3] = four ? 255 : 0;
  for (size_t i = 0; i < 16; ++i) texels[i] = colors[bits >> (32 + 2 * i) & 3];
}

// Decodes one bc4-like channel: two endpoints and eight steps, or six steps and the format's minimum and maximum.
template <class T>
std::array<T, 16> decode_channel(const std::byte* block, int least, int most) {
  const uint64_t bits = bits_of(block, 8);
  const int a = T(uint8_t(bits)), b = T(uint8_t(bits >> 8));
  int steps[8] = {a, b, 0, 0, 0, 0, least, most};
  const int parts = a > b ? 7 : 5, part = 255 * 64 / parts;
  for (int i = 1; i < parts; ++i) steps[i + 1] = stepped(a, b, (part * i) >> 6, 8);
  std::array<T, 16> values{};
  for (size_t i = 0; i < 16; ++i) values[i] = T(std::max(steps[bits >> (16 + 3 * i) & 7], least));
  return values;
}
std::array<uint8_t, 16> unsigned_channel(const std::byte* block) { return decode_channel<uint8_t>(block, 0, 255); }
std::array<int8_t, 16> signed_channel(const std::byte* block) { return decode_channel<int8_t>(block, -127, 127); }

BytesOfBlock decode_bytes(TexelFormat format, const std::byte* block) {
  BytesOfBlock texels{};
  switch (format) {
    case TexelFormat::bc1:
    case TexelFormat::bc1_srgb: decode_colors(block, true, texels); break;
    case TexelFormat::bc2:
    case TexelFormat::bc2_srgb:
      decode_colors(block + 8, false, texels);
      for (size_t i = 0; i < 16; ++i) texels[i][3] = uint8_t((bits_of(block, 8) >> (4 * i) & 15) * 17);
      break;
    case TexelFormat::bc3:
    case TexelFormat::bc3_srgb: {
      decode_colors(block + 8, false, texels);
      const std::array<uint8_t, 16> alpha = unsigned_channel(block);
      for (size_t i = 0; i < 16; ++i) texels[i][3] = alpha[i];
      break;
    }
    case TexelFormat::bc4:
    case TexelFormat::bc5: {
      const std::array<uint8_t, 16> red = unsigned_channel(block);
      std::array<uint8_t, 16> green{};
      if (format == TexelFormat::bc5) green = unsigned_channel(block + 8);
      for (size_t i = 0; i < 16; ++i) texels[i] = {red[i], green[i], 0, 255};
      break;
    }
    default: texels = decode_bc7(block); break;
  }
  return texels;
}

// The words of the block's texels, one texel after another.
std::array<uint32_t, 32> decode_block(TexelFormat format, const std::byte* block) {
  std::array<uint32_t, 32> words{};
  if (format == TexelFormat::bc6h || format == TexelFormat::bc6h_signed) {
    const HalvesOfBlock texels = decode_bc6h(block, format == TexelFormat::bc6h_signed);
    for (size_t i = 0; i < 16; ++i) {
      words[2 * i] = texels[i][0] | uint32_t(texels[i][1]) << 16;
      words[2 * i + 1] = texels[i][2] | 0x3c000000u;
    }
  } else if (format == TexelFormat::bc4_snorm || format == TexelFormat::bc5_snorm) {
    const size_t channels = format == TexelFormat::bc5_snorm ? 2 : 1;
    for (size_t c = 0; c < channels; ++c) {
      const std::array<int8_t, 16> values = signed_channel(block + 8 * c);
      for (size_t i = 0; i < 16; ++i) words[channels * i + c] = std::bit_cast<uint32_t>(float(values[i]) / 127.0f);
    }
  } else {
    const BytesOfBlock texels = decode_bytes(format, block);
    for (size_t i = 0; i < 16; ++i) std::memcpy(&words[i], texels[i].data(), 4);
  }
  return words;
}

}  // namespace

void decode_blocks(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words) {
  const size_t of_texel = words_of(encoding_of(format, false)), bytes = texel_block(format).bytes;
  for (int layer = 0; layer < depth; ++layer, words += size_t(width) * size_t(height) * of_texel) {
    for (int top = 0; top < height; top += 4) {
      for (int left = 0; left < width; left += 4, data += bytes) {
        const std::array<uint32_t, 32> texels = decode_block(format, data);
        const size_t count = size_t(std::min(4, width - left)) * of_texel;
        for (int y = 0; y < std::min(4, height - top); ++y)
          std::copy_n(texels.begin() + ptrdiff_t(size_t(4 * y) * of_texel), count,
                      words + (size_t(top + y) * size_t(width) + size_t(left)) * of_texel);
      }
    }
  }
}

}  // namespace brokkr::shader
