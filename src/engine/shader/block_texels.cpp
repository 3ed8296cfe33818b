#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

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

// Interpolates between two endpoints. OpenGL does not define the rounding. This is llvmpipe's rounding, whose steps
// count 255ths as 256ths. `shift`: the bits of a step's fraction.
int stepped(int first, int last, int step, int shift) { return first + (((last - first) * step) >> shift); }

// Decodes the colours of bc1, bc2 and bc3. Only bc1 has a mode with three colours and a transparent black.
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
std::array<T, 16> decode_channel(const std::byte* block, int min, int max) {
  const uint64_t bits = bits_of(block, 8);
  // T has the sign of the format. NOLINTNEXTLINE(bugprone-signed-char-misuse)
  const int a = T(uint8_t(bits)), b = T(uint8_t(bits >> 8));
  int steps[8] = {a, b, 0, 0, 0, 0, min, max};
  const int parts = a > b ? 7 : 5, part = 255 * 64 / parts;
  for (int i = 1; i < parts; ++i) steps[i + 1] = stepped(a, b, (part * i) >> 6, 8);
  std::array<T, 16> values{};
  for (size_t i = 0; i < 16; ++i) values[i] = T(std::max(steps[bits >> (16 + 3 * i) & 7], min));
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

// bc7 and bc6h (BPTC). Blocks have several modes. Their texels form one, two or three subsets, and each subset has its
// own endpoints.

namespace {

// Reads bits of a block, the lowest first. Bits beyond its end are 0.
class Bits {
 public:
  explicit Bits(const std::byte* block) { std::memcpy(words_, block, sizeof words_); }
  uint32_t take(uint32_t count) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count && at_ < 128; ++i, ++at_) bits |= uint32_t(words_[at_ / 64] >> (at_ % 64) & 1) << i;
    return bits;
  }

 private:
  uint64_t words_[2];
  uint32_t at_ = 0;
};

// The subset of each texel, as two bits; the first texel has the lowest bits.
constexpr uint32_t kTwoParts[64] = {
    0x50505050, 0x40404040, 0x54545454, 0x54505040, 0x50404000, 0x55545450, 0x55545040, 0x54504000,
    0x50400000, 0x55555450, 0x55544000, 0x54400000, 0x55555440, 0x55550000, 0x55555500, 0x55000000,
    0x55150100, 0x00004054, 0x15010000, 0x00405054, 0x00004050, 0x15050100, 0x05010000, 0x40505054,
    0x00404050, 0x05010100, 0x14141414, 0x05141450, 0x01155440, 0x00555500, 0x15014054, 0x05414150,
    0x44444444, 0x55005500, 0x11441144, 0x05055050, 0x05500550, 0x11114444, 0x41144114, 0x44111144,
    0x15055054, 0x01055040, 0x05041050, 0x05455150, 0x14414114, 0x50050550, 0x41411414, 0x00141400,
    0x00041504, 0x00105410, 0x10541000, 0x04150400, 0x50410514, 0x41051450, 0x05415014, 0x14054150,
    0x41050514, 0x41505014, 0x40011554, 0x54150140, 0x50505500, 0x00555050, 0x15151010, 0x54540404};
constexpr uint32_t kThreeParts[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};
// The anchor texels after the first one, whose indices have one bit less. They lie in the second of two subsets, and in
// the second and third of three.
constexpr uint8_t kAnchorOfTwo[64] = {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
                                      15, 2,  8,  2,  2,  8,  8,  15, 2,  8,  2,  2,  8,  8,  2,  2,
                                      15, 15, 6,  8,  2,  8,  15, 15, 2,  8,  2,  2,  2,  15, 15, 6,
                                      6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2,  15};
constexpr uint8_t kSecondOfThree[64] = {
    3, 3,  15, 15, 8, 3,  15, 15, 8,  8, 6,  6, 6,  5,  3,  3,  3, 3,  8, 15, 3, 3, 6, 10, 5, 8,  8, 6,  8,  5,  15, 15,
    8, 15, 3,  5,  6, 10, 8,  15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5,  5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3,  3};
constexpr uint8_t kThirdOfThree[64] = {15, 8, 8,  3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,
                                       15, 8, 15, 3,  15, 8,  15, 8,  3,  15, 6,  10, 15, 15, 10, 8,
                                       15, 3, 15, 10, 10, 8,  9,  10, 6,  15, 8,  15, 3,  6,  6,  8,
                                       15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8};

uint32_t part_of(uint32_t parts, uint32_t number, uint32_t texel) {
  const uint32_t table = parts == 2 ? kTwoParts[number] : parts == 3 ? kThreeParts[number] : 0;
  return table >> (2 * texel) & 3;
}
bool is_anchor(uint32_t parts, uint32_t number, uint32_t texel) {
  if (texel == 0) return true;
  if (parts == 2) return texel == kAnchorOfTwo[number];
  return parts == 3 && (texel == kSecondOfThree[number] || texel == kThirdOfThree[number]);
}

// The weight of the second endpoint in 64ths, for a given number of index bits.
uint32_t weight_of(uint32_t bits, uint32_t index) {
  constexpr uint8_t kOf2[] = {0, 21, 43, 64}, kOf3[] = {0, 9, 18, 27, 37, 46, 55, 64},
                    kOf4[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
  return bits == 2 ? kOf2[index] : bits == 3 ? kOf3[index] : kOf4[index];
}

struct Mode7 {
  uint8_t parts, part_bits, rotation_bits, selection_bits, color_bits, alpha_bits, endpoint_bits, shared_bits,
      index_bits, second_index_bits;
};
constexpr Mode7 kModes7[8] = {{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0},
                              {3, 6, 0, 0, 5, 0, 0, 0, 2, 0}, {2, 6, 0, 0, 7, 0, 1, 0, 2, 0},
                              {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
                              {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0}};

using Ends7 = std::array<std::array<uint32_t, 4>, 6>;  // by 2 * subset + end: red, green, blue, alpha
Ends7 take_ends(Bits& bits, const Mode7& mode) {
  const uint32_t count = 2u * mode.parts;
  Ends7 ends{};
  for (size_t c = 0; c < 4; ++c) {
    for (size_t e = 0; e < count; ++e) ends[e][c] = bits.take(c < 3 ? mode.color_bits : mode.alpha_bits);
  }
  std::array<uint32_t, 6> last{};  // the bit appended below the bits of all channels
  for (size_t e = 0; e < count; ++e) {
    if (mode.endpoint_bits != 0 || (mode.shared_bits != 0 && e % 2 == 0)) last[e] = bits.take(1);
    if (mode.shared_bits != 0 && e % 2 == 1) last[e] = last[e - 1];
  }
  const uint32_t more = mode.endpoint_bits + mode.shared_bits;
  for (size_t e = 0; e < count; ++e) {
    for (size_t c = 0; c < 4; ++c) {
      const uint32_t width = (c < 3 ? mode.color_bits : mode.alpha_bits) + more;
      const uint32_t code = (ends[e][c] << more | (more != 0 ? last[e] : 0)) << (8 - width);
      ends[e][c] = c == 3 && mode.alpha_bits == 0 ? 255 : code | code >> width;
    }
  }
  return ends;
}

std::array<uint32_t, 16> take_indices(Bits& bits, uint32_t width, uint32_t parts, uint32_t number) {
  std::array<uint32_t, 16> indices{};
  for (uint32_t i = 0; i < 16 && width != 0; ++i)
    indices[i] = bits.take(is_anchor(parts, number, i) ? width - 1 : width);
  return indices;
}

// The layout of a bc6h block. Each field has a letter for red, green or blue, a letter for its endpoint, and its bits
// in block order. The endpoints are w, x, y and z: the two ends of the first subset, then those of the second.
struct Mode6 {
  uint8_t code, code_bits, parts, bits;
  uint8_t delta[3];  // bits of the other endpoints if they are stored as differences; otherwise 0
  std::string_view fields;
};
constexpr Mode6 kModes6[] = {
    {0,
     2,
     2,
     10,
     {5, 5, 5},
     "gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
    {1,
     2,
     2,
     7,
     {6, 6, 6},
     "gy5 gz4 gz5 rw0-6 bz0 bz1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 "
     "rz0-5"},
    {2,
     5,
     2,
     11,
     {5, 4, 4},
     "rw0-9 gw0-9 bw0-9 rx0-4 rw10 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
    {6,
     5,
     2,
     11,
     {4, 5, 4},
     "rw0-9 gw0-9 bw0-9 rx0-3 rw10 gz4 gy0-3 gx0-4 gw10 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-3 bz0 bz2 rz0-3 gy4 bz3"},
    {10,
     5,
     2,
     11,
     {4, 4, 5},
     "rw0-9 gw0-9 bw0-9 rx0-3 rw10 by4 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-4 bw10 by0-3 ry0-3 bz1 bz2 rz0-3 bz4 bz3"},
    {14,
     5,
     2,
     9,
     {5, 5, 5},
     "rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
    {18,
     5,
     2,
     8,
     {6, 5, 5},
     "rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3 bz4 rx0-5 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-5 rz0-5"},
    {22,
     5,
     2,
     8,
     {5, 6, 5},
     "rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 ry0-4 bz2 rz0-4 bz3"},
    {26,
     5,
     2,
     8,
     {5, 5, 6},
     "rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 ry0-4 bz2 rz0-4 bz3"},
    {30,
     5,
     2,
     6,
     {0, 0, 0},
     "rw0-5 gz4 bz0 bz1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 bx0-5 by0-3 ry0-5 "
     "rz0-5"},
    {3, 5, 1, 10, {0, 0, 0}, "rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9"},
    {7, 5, 1, 11, {9, 9, 9}, "rw0-9 gw0-9 bw0-9 rx0-8 rw10 gx0-8 gw10 bx0-8 bw10"},
    {11, 5, 1, 12, {8, 8, 8}, "rw0-9 gw0-9 bw0-9 rx0-7 rw11-10 gx0-7 gw11-10 bx0-7 bw11-10"},
    {15, 5, 1, 16, {4, 4, 4}, "rw0-9 gw0-9 bw0-9 rx0-3 rw15-10 gx0-3 gw15-10 bx0-3 bw15-10"}};

using Ends6 = std::array<std::array<int32_t, 3>, 4>;  // w, x, y, z: red, green, blue

int take_number(std::string_view& text) {
  int number = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1))
    number = 10 * number + (text.front() - '0');
  return number;
}

Ends6 take_fields(Bits& bits, std::string_view fields) {
  Ends6 ends{};
  while (!fields.empty()) {
    const size_t channel = fields[0] == 'r' ? 0 : fields[0] == 'g' ? 1 : 2, end = size_t(fields[1] - 'w');
    fields.remove_prefix(2);
    const int first = take_number(fields);
    int last = first;
    if (!fields.empty() && fields.front() == '-') {
      fields.remove_prefix(1);
      last = take_number(fields);
    }
    const int step = last < first ? -1 : 1;
    for (int bit = first; bit != last + step; bit += step) ends[end][channel] |= int32_t(bits.take(1) << bit);
    if (!fields.empty()) fields.remove_prefix(1);
  }
  return ends;
}

int32_t extended(int32_t v, uint32_t bits) {
  const uint32_t unused = 32 - bits;
  return int32_t(uint32_t(v) << unused) >> unused;
}

// Turns differences into endpoints with `mode.bits` bits.
void add_first(Ends6& ends, const Mode6& mode, bool is_signed) {
  for (size_t c = 0; c < 3; ++c) {
    if (is_signed) ends[0][c] = extended(ends[0][c], mode.bits);
    for (size_t e = 1; e < 4; ++e) {
      if (mode.delta[c] != 0) {
        ends[e][c] = (ends[0][c] + extended(ends[e][c], mode.delta[c])) & ((1 << mode.bits) - 1);
      }
      if (is_signed) ends[e][c] = extended(ends[e][c], mode.bits);
    }
  }
}

// Expands to 16 bits, or to 15 bits and a sign.
int32_t unquantized(int32_t v, uint32_t bits, bool is_signed) {
  if (!is_signed) {
    if (bits >= 15 || v == 0) return v;
    return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
  }
  if (bits >= 16 || v == 0) return v;
  const int32_t size = v < 0 ? -v : v;
  const int32_t wide = size >= (1 << (bits - 1)) - 1 ? 0x7fff : ((size << 15) + 0x4000) >> (bits - 1);
  return v < 0 ? -wide : wide;
}

uint16_t half_of(int32_t v, bool is_signed) {
  if (!is_signed) return uint16_t((v * 31) >> 6);
  return uint16_t(v < 0 ? (((-v) * 31) >> 5) | 0x8000 : (v * 31) >> 5);
}

}  // namespace

BytesOfBlock decode_bc7(const std::byte* block) {
  BytesOfBlock texels{};
  Bits bits(block);
  uint32_t number = 0;
  while (number < 8 && bits.take(1) == 0) ++number;
  if (number == 8) return texels;  // reserved
  const Mode7& mode = kModes7[number];
  const uint32_t partition = bits.take(mode.part_bits), rotation = bits.take(mode.rotation_bits);
  const bool swaps = bits.take(mode.selection_bits) != 0;
  const Ends7 ends = take_ends(bits, mode);
  const std::array<uint32_t, 16> first = take_indices(bits, mode.index_bits, mode.parts, partition);
  const std::array<uint32_t, 16> second = take_indices(bits, mode.second_index_bits, 1, 0);
  const bool has_two = mode.second_index_bits != 0;
  for (uint32_t i = 0; i < 16; ++i) {
    const size_t part = 2 * part_of(mode.parts, partition, i);
    const uint32_t first_weight = weight_of(mode.index_bits, first[i]);
    const uint32_t second_weight = has_two ? weight_of(mode.second_index_bits, second[i]) : first_weight;
    for (size_t c = 0; c < 4; ++c) {
      const uint32_t t = (c == 3) != swaps ? second_weight : first_weight;
      texels[i][c] = uint8_t((ends[part][c] * (64 - t) + ends[part + 1][c] * t + 32) >> 6);
    }
    if (rotation != 0) std::swap(texels[i][3], texels[i][rotation - 1]);
  }
  return texels;
}

HalvesOfBlock decode_bc6h(const std::byte* block, bool is_signed) {
  HalvesOfBlock texels{};
  Bits bits(block);
  uint32_t code = bits.take(2);
  if (code > 1) code |= bits.take(3) << 2;
  const auto* const mode =
      std::find_if(std::begin(kModes6), std::end(kModes6), [&](const Mode6& one) { return one.code == code; });
  if (mode == std::end(kModes6)) return texels;  // reserved
  Ends6 ends = take_fields(bits, mode->fields);
  const uint32_t partition = mode->parts == 2 ? bits.take(5) : 0, width = mode->parts == 2 ? 3 : 4;
  const std::array<uint32_t, 16> indices = take_indices(bits, width, mode->parts, partition);
  add_first(ends, *mode, is_signed);
  for (uint32_t i = 0; i < 16; ++i) {
    const size_t part = 2 * part_of(mode->parts, partition, i);
    const auto t = int32_t(weight_of(width, indices[i]));
    for (size_t c = 0; c < 3; ++c) {
      const int32_t a = unquantized(ends[part][c], mode->bits, is_signed);
      const int32_t b = unquantized(ends[part + 1][c], mode->bits, is_signed);
      texels[i][c] = half_of((a * (64 - t) + b * t + 32) >> 6, is_signed);
    }
  }
  return texels;
}

}  // namespace brokkr::shader
