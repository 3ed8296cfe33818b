#include "shader/texels.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace brokkr::shader {
namespace {

// The storage of numbers in formats without blocks.
enum class Number : uint8_t { unorm, snorm, half, real, whole, natural, packed, block };
struct Layout {
  Number number;
  uint8_t channels, bytes;  // bytes of a channel
};

Layout layout_of(TexelFormat format) {
  using enum TexelFormat;
  constexpr uint8_t kChannels[] = {1, 2, 4};
  const auto among = [&](TexelFormat first) { return kChannels[(int(format) - int(first)) % 3]; };
  const auto size = [&](TexelFormat first) { return uint8_t(1 << (int(format) - int(first)) / 3); };
  if (format == rgba8_srgb) return {Number::unorm, 4, 1};
  if (format <= rgba8) return {Number::unorm, among(r8), 1};
  if (format <= rgba8_snorm) return {Number::snorm, among(r8_snorm), 1};
  if (format <= rgba16) return {Number::unorm, among(r16), 2};
  if (format <= rgba16_snorm) return {Number::snorm, among(r16_snorm), 2};
  if (format <= rgba16f) return {Number::half, among(r16f), 2};
  if (format <= rgba32f) return {Number::real, among(r32f), 4};
  if (format <= rgba32i) return {Number::whole, among(r8i), size(r8i)};
  if (format <= rgba32ui) return {Number::natural, among(r8ui), size(r8ui)};
  if (format == depth32f) return {Number::real, 1, 4};
  if (format == stencil8) return {Number::natural, 1, 1};
  return {format < bc1 ? Number::packed : Number::block, 0, 0};
}

uint32_t bits_at(const std::byte* data, size_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, data, bytes);
  return bits;
}
int32_t whole_at(const std::byte* data, size_t bytes) {
  const uint32_t unused = 32 - 8 * uint32_t(bytes);
  return int32_t(bits_at(data, bytes) << unused) >> unused;
}

// Converts an unsigned float with 6 or 5 bits of mantissa to a half.
uint32_t half_of_small(uint32_t bits, uint32_t mantissa) { return bits << (10 - mantissa); }

// Returns c * 2^(exponent - 24) as a half, exactly; c has 9 bits.
uint32_t half_of_shared(uint32_t c, uint32_t exponent) {
  if (c == 0) return 0;
  const int width = std::bit_width(c), e = int(exponent) - 24 + width - 1;  // of the leading bit
  if (e < -14) return c << exponent;                                        // a subnormal half counts 2^-24
  return uint32_t(e + 15) << 10 | ((c << (11 - width)) & 0x3ff);
}

void decode_packed(TexelFormat format, const std::byte* data, uint32_t* words) {
  const uint32_t bits = bits_at(data, texel_block(format).bytes);
  // A field of `count` bits, widened to 8 bits and moved to channel `c`.
  const auto widened = [&](uint32_t shift, uint32_t count, uint32_t c) {
    uint32_t code = (bits >> shift & ((1u << count) - 1)) << (8 - count);
    for (uint32_t known = count; known < 8; known *= 2) code |= code >> known;
    return code << (8 * c);
  };
  switch (format) {
    case TexelFormat::rgb10_a2: words[0] = bits; break;
    case TexelFormat::rgb10_a2ui:
      for (uint32_t c = 0; c < 4; ++c) words[c] = bits >> (10 * c) & (c == 3 ? 3u : 1023u);
      break;
    case TexelFormat::r11g11b10f:
      words[0] = half_of_small(bits & 0x7ff, 6) | half_of_small(bits >> 11 & 0x7ff, 6) << 16;
      words[1] = half_of_small(bits >> 22, 5) | 0x3c000000u;
      break;
    case TexelFormat::rgb9_e5: {
      const auto half = [&](uint32_t shift) { return half_of_shared(bits >> shift & 511, bits >> 27); };
      words[0] = half(0) | half(9) << 16;
      words[1] = half(18) | 0x3c000000u;
      break;
    }
    case TexelFormat::rgb565: words[0] = widened(11, 5, 0) | widened(5, 6, 1) | widened(0, 5, 2) | 0xff000000u; break;
    case TexelFormat::rgb5_a1:
      words[0] = widened(11, 5, 0) | widened(6, 5, 1) | widened(1, 5, 2) | widened(0, 1, 3);
      break;
    case TexelFormat::rgba4:
      words[0] = widened(12, 4, 0) | widened(8, 4, 1) | widened(4, 4, 2) | widened(0, 4, 3);
      break;
    case TexelFormat::depth16: words[0] = std::bit_cast<uint32_t>(float(double(bits) / 65535.0)); break;
    default: words[0] = std::bit_cast<uint32_t>(float(double(bits & 0xffffffu) / 16777215.0)); break;  // depth24
  }
}

// Decodes one channel to its encoding: 8 or 16 bits, or a word.
uint32_t decode_channel(const Layout& layout, const std::byte* data) {
  if (layout.number == Number::whole) return uint32_t(whole_at(data, layout.bytes));
  if (layout.number != Number::snorm) return bits_at(data, layout.bytes);
  const float max_code = layout.bytes == 1 ? 127.0f : 32767.0f;
  return std::bit_cast<uint32_t>(std::max(float(whole_at(data, layout.bytes)) / max_code, -1.0f));
}

void decode_plain(const Layout& layout, const std::byte* data, uint32_t* words) {
  const bool is_half = layout.number == Number::half, shares = is_half || layout.number == Number::unorm;
  const uint32_t bits = shares ? 8 * layout.bytes : 32, of_word = 32 / bits;
  if (shares) {  // channels that are not stored are 0, 0, 1
    words[0] = 0;
    words[of_word == 4 ? 0 : 1] = is_half ? 0x3c000000u : bits == 8 ? 0xff000000u : 0xffff0000u;
    if (layout.channels == 4) words[of_word == 4 ? 0 : 1] = 0;
  }
  for (uint32_t c = 0; c < layout.channels; ++c) {
    const uint32_t value = decode_channel(layout, data + c * layout.bytes);
    uint32_t& word = words[c / of_word];
    word = shares ? word | value << (bits * (c % of_word)) : value;
  }
}

}  // namespace

TexelEncoding encoding_of(TexelFormat format, bool decodes_srgb) {
  using enum TexelFormat;
  constexpr TexelEncoding kWords[] = {TexelEncoding::r32, TexelEncoding::rg32, TexelEncoding::rgba32};
  switch (format) {
    case rgba8_srgb:
    case bc1_srgb:
    case bc2_srgb:
    case bc3_srgb:
    case bc7_srgb: return decodes_srgb ? TexelEncoding::srgb8 : TexelEncoding::rgba8;
    case rgb10_a2: return TexelEncoding::rgb10_a2;
    case rgb10_a2ui: return TexelEncoding::rgba32;
    case rgb565: return TexelEncoding::rgb565;
    case rgb5_a1: return TexelEncoding::rgb5_a1;
    case rgba4: return TexelEncoding::rgba4;
    case r11g11b10f:
    case rgb9_e5:
    case bc6h:
    case bc6h_signed: return TexelEncoding::rgba16f;
    case depth16:
    case depth24:
    case bc4_snorm: return TexelEncoding::r32;
    case bc5_snorm: return TexelEncoding::rg32;
    default: break;
  }
  const Layout layout = layout_of(format);
  if (layout.number == Number::block) return TexelEncoding::rgba8;
  if (layout.number == Number::unorm) return layout.bytes == 1 ? TexelEncoding::rgba8 : TexelEncoding::rgba16;
  return layout.number == Number::half ? TexelEncoding::rgba16f : kWords[layout.channels / 2];
}

SampledType type_of(TexelFormat format) {
  if (format == TexelFormat::rgb10_a2ui) return SampledType::natural;
  const Number number = layout_of(format).number;
  return number == Number::whole     ? SampledType::integer
         : number == Number::natural ? SampledType::natural
                                     : SampledType::real;
}

bool is_unorm(TexelFormat format) {
  using enum TexelFormat;
  const Number number = layout_of(format).number;
  if (number == Number::block) return !is_snorm(format) && format != bc6h && format != bc6h_signed;
  return number == Number::unorm || format == rgb10_a2 || (format >= rgb565 && format <= depth24);
}
bool is_snorm(TexelFormat format) {
  return layout_of(format).number == Number::snorm || format == TexelFormat::bc4_snorm ||
         format == TexelFormat::bc5_snorm;
}

void decode_texels(TexelFormat format, const std::byte* data, int width, int height, int depth, uint32_t* words) {
  const uint32_t of_texel = words_of(encoding_of(format, false));
  const Layout layout = layout_of(format);
  if (layout.number == Number::block) return decode_blocks(format, data, width, height, depth, words);
  const size_t texels = size_t(width) * size_t(height) * size_t(depth), bytes = texel_block(format).bytes;
  if (bytes == 4 * of_texel && layout.number != Number::packed && layout.number != Number::snorm) {
    std::memcpy(words, data, texels * bytes);
    return;
  }
  for (size_t i = 0; i < texels; ++i) {
    if (layout.number == Number::packed) {
      decode_packed(format, data + i * bytes, words + i * of_texel);
    } else {
      decode_plain(layout, data + i * bytes, words + i * of_texel);
    }
  }
}

}  // namespace brokkr::shader
