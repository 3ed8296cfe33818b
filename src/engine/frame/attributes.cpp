#include "frame/attributes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace brokkr::bkf {
namespace {

bool is_whole(ShaderType type) { return type >= ShaderType::i32 && type <= ShaderType::bvec4; }

// IEEE 754 binary16.
float from_half(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float value = std::ldexp(float(fraction), -24);
  return sign != 0 ? -value : value;
}

// The half with the float's sign, exponent and leading bits; the same number only if the float is a half.
uint16_t to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = uint16_t(bits >> 16 & 0x8000u);
  const int exponent = int(bits >> 23 & 0xffu) - 112;
  if (exponent >= 0x1f) return uint16_t(sign | 0x7c00u | (exponent == 143 ? bits >> 13 & 0x3ffu : 0u));
  if (exponent > 0) return uint16_t(sign | uint32_t(exponent) << 10 | (bits >> 13 & 0x3ffu));
  return uint16_t(sign | uint32_t(std::min(std::ldexp(std::abs(value), 24), 1023.0f)));
}

// The word that a stored number becomes.
template <class Number>
uint32_t word_of(Number number, bool whole, bool normalized) {
  if (whole) return uint32_t(number);
  float value = float(number);
  if (normalized) value = std::max(value / float(std::numeric_limits<Number>::max()), -1.0f);
  return std::bit_cast<uint32_t>(value);
}

// The stored number that may become this word. `encoded` tests whether it does.
template <class Number>
Number number_of(uint32_t word, bool whole, bool normalized) {
  if (whole) return Number(word);
  double value = double(std::bit_cast<float>(word));
  if (normalized) value *= double(std::numeric_limits<Number>::max());
  value = std::isnan(value) ? 0 : std::round(value);
  return Number(
      std::clamp(value, double(std::numeric_limits<Number>::min()), double(std::numeric_limits<Number>::max())));
}

// Calls `use` with a number of the type in C++; the type is neither f16 nor f32.
template <class Use>
void with_integer(AttributeType type, Use use) {
  switch (type) {
    // NOLINTNEXTLINE(bugprone-branch-clone): the types differ
    case AttributeType::u32: return use(uint32_t());
    case AttributeType::i32: return use(int32_t());
    case AttributeType::u16: return use(uint16_t());
    case AttributeType::i16: return use(int16_t());
    case AttributeType::u8: return use(uint8_t());
    default: return use(int8_t());
  }
}

// Calls encode(word) and decode(number) for each word. Returns nothing if a word would change.
template <class Number, class Encode, class Decode>
std::vector<std::byte> encoded(std::span<const uint32_t> words, Encode encode, Decode decode) {
  std::vector<std::byte> bytes(words.size() * sizeof(Number));
  for (size_t i = 0; i < words.size(); ++i) {
    const Number number = encode(words[i]);
    if (decode(number) != words[i]) return {};
    std::memcpy(&bytes[i * sizeof(Number)], &number, sizeof(Number));
  }
  return bytes;
}

std::vector<std::byte> stored_as(ShaderType type, const AttributeForm& form, std::span<const uint32_t> words) {
  if (form.type == AttributeType::f16) {
    return encoded<uint16_t>(
        words, [](uint32_t word) { return to_half(std::bit_cast<float>(word)); },
        [](uint16_t half) { return std::bit_cast<uint32_t>(from_half(half)); });
  }
  std::vector<std::byte> bytes;
  with_integer(form.type, [&]<class Number>(Number) {
    const bool whole = is_whole(type);
    bytes = encoded<Number>(
        words, [&](uint32_t word) { return number_of<Number>(word, whole, form.normalized); },
        [&](Number number) { return word_of(number, whole, form.normalized); });
  });
  return bytes;
}

}  // namespace

uint32_t bytes_of(AttributeType type) {
  if (type == AttributeType::u8 || type == AttributeType::i8) return 1;
  return type == AttributeType::f16 || type == AttributeType::u16 || type == AttributeType::i16 ? 2 : 4;
}

bool may_store(ShaderType type, const AttributeForm& form) {
  const bool integers = form.type != AttributeType::f32 && form.type != AttributeType::f16;
  return is_whole(type) ? integers && !form.normalized : integers || !form.normalized;
}

std::vector<uint32_t> decode_attribute(ShaderType type, const AttributeForm& form, std::span<const std::byte> bytes) {
  std::vector<uint32_t> words(bytes.size() / bytes_of(form.type));
  if (words.empty()) return words;
  if (form.type == AttributeType::f32) {
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  } else if (form.type == AttributeType::f16) {
    for (size_t i = 0; i < words.size(); ++i) {
      uint16_t half = 0;
      std::memcpy(&half, &bytes[i * sizeof(half)], sizeof(half));
      words[i] = std::bit_cast<uint32_t>(from_half(half));
    }
  } else {
    with_integer(form.type, [&]<class Number>(Number number) {
      for (size_t i = 0; i < words.size(); ++i) {
        std::memcpy(&number, &bytes[i * sizeof(Number)], sizeof(Number));
        words[i] = word_of(number, is_whole(type), form.normalized);
      }
    });
  }
  return words;
}

StoredAttribute store_attribute(ShaderType type, std::span<const uint32_t> words) {
  constexpr AttributeForm kNarrow[] = {
      {AttributeType::u8, false},  {AttributeType::i8, false},  {AttributeType::u8, true},
      {AttributeType::i8, true},   {AttributeType::u16, false}, {AttributeType::i16, false},
      {AttributeType::f16, false}, {AttributeType::u16, true},  {AttributeType::i16, true}};
  for (const AttributeForm& form : kNarrow) {
    if (words.empty() || !may_store(type, form)) continue;
    std::vector<std::byte> bytes = stored_as(type, form, words);
    if (!bytes.empty()) return {form, std::move(bytes)};
  }
  // All words of 32 bits are stored as they are.
  const bool natural = type >= ShaderType::u32 && type <= ShaderType::bvec4;
  StoredAttribute result{{is_whole(type) ? natural ? AttributeType::u32 : AttributeType::i32 : AttributeType::f32}, {}};
  const auto bytes = std::as_bytes(words);
  result.bytes.assign(bytes.begin(), bytes.end());
  return result;
}

}  // namespace brokkr::bkf
