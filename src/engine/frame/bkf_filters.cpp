#include "frame/bkf_filters.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/failure.h"
#include "frame/bkf_fields.h"

namespace brokkr::bkf {
namespace {

constexpr uint64_t kMaxChannels = 4;
constexpr size_t kRed = 0, kGreen = 1, kBlue = 2;

uint8_t median_prediction(uint8_t a, uint8_t b, uint8_t c) {
  const int low = std::min(a, b), high = std::max(a, b);
  return uint8_t(std::clamp(int(a) + int(b) - int(c), low, high));
}

template <size_t kChannels>
using Texel = std::array<uint8_t, kChannels>;

template <size_t kChannels>
Texel<kChannels> prediction(const Texel<kChannels>& a, const Texel<kChannels>& b, const Texel<kChannels>& c) {
  Texel<kChannels> result;
  for (size_t i = 0; i < kChannels; i++) result[i] = median_prediction(a[i], b[i], c[i]);
  return result;
}

template <size_t kChannels>
void subtract_green(Texel<kChannels>& texel) {
  if constexpr (kChannels > kBlue) {
    texel[kRed] = uint8_t(texel[kRed] - texel[kGreen]);
    texel[kBlue] = uint8_t(texel[kBlue] - texel[kGreen]);
  }
}

template <size_t kChannels>
void add_green(Texel<kChannels>& texel) {
  if constexpr (kChannels > kBlue) {
    texel[kRed] = uint8_t(texel[kRed] + texel[kGreen]);
    texel[kBlue] = uint8_t(texel[kBlue] + texel[kGreen]);
  }
}

// Calls `visit(index, predicted)` for each texel; it returns the texel without its green, from which neighbours are
// predicted.
template <size_t kChannels>
void each_texel(const Filter& filter, auto&& visit) {
  std::vector<Texel<kChannels>> below(size_t(filter.width), Texel<kChannels>{});
  size_t index = 0;
  for (uint64_t y = 0; y < filter.height; y++) {
    Texel<kChannels> left{}, corner{};
    for (Texel<kChannels>& under : below) {
      const Texel<kChannels> texel = visit(index++, prediction(left, under, corner));
      corner = under;
      left = under = texel;
    }
  }
}

template <size_t kChannels>
void apply_to_texels(const Filter& filter, const std::byte* input, std::byte* output) {
  const auto count = size_t(filter.width * filter.height);
  each_texel<kChannels>(filter, [&](size_t index, const Texel<kChannels>& predicted) {
    Texel<kChannels> texel;
    std::memcpy(texel.data(), input + index * kChannels, kChannels);
    subtract_green(texel);
    for (size_t i = 0; i < kChannels; i++) output[i * count + index] = std::byte(texel[i] - predicted[i]);
    return texel;
  });
}

template <size_t kChannels>
void undo_texels(const Filter& filter, const std::byte* input, std::byte* output) {
  const auto count = size_t(filter.width * filter.height);
  each_texel<kChannels>(filter, [&](size_t index, const Texel<kChannels>& predicted) {
    Texel<kChannels> texel;
    for (size_t i = 0; i < kChannels; i++) texel[i] = uint8_t(uint8_t(input[i * count + index]) + predicted[i]);
    Texel<kChannels> whole = texel;
    add_green(whole);
    std::memcpy(output + index * kChannels, whole.data(), kChannels);
    return texel;
  });
}

// Calls `visit(index, predicted)` for each word; it returns the word.
void each_word(const Filter& filter, auto&& visit) {
  std::vector<uint32_t> below(size_t(filter.width), 0);
  size_t index = 0;
  for (uint64_t y = 0; y < filter.height; y++) {
    uint32_t left = 0, corner = 0;
    for (uint32_t& under : below) {
      const uint32_t word = visit(index++, left + under - corner);
      corner = under;
      left = under = word;
    }
  }
}

void apply_to_words(const Filter& filter, const std::byte* input, std::byte* output) {
  const auto count = size_t(filter.width * filter.height);
  each_word(filter, [&](size_t index, uint32_t predicted) {
    uint32_t word = 0;
    std::memcpy(&word, input + index * sizeof(word), sizeof(word));
    const uint32_t difference = word - predicted;
    const uint32_t stored = difference << 1 ^ (0 - (difference >> 31));
    for (size_t i = 0; i < sizeof(word); i++) output[i * count + index] = std::byte(stored >> (8 * i) & 0xff);
    return word;
  });
}

void undo_words(const Filter& filter, const std::byte* input, std::byte* output) {
  const auto count = size_t(filter.width * filter.height);
  each_word(filter, [&](size_t index, uint32_t predicted) {
    uint32_t stored = 0;
    for (size_t i = 0; i < sizeof(stored); i++) stored |= uint32_t(input[i * count + index]) << (8 * i);
    const uint32_t word = predicted + (stored >> 1 ^ (0 - (stored & 1)));
    std::memcpy(output + index * sizeof(word), &word, sizeof(word));
    return word;
  });
}

[[noreturn]] void fail_at_filter(size_t number, std::string_view problem) {
  fail("field 'blob.filters' {}: {}; the file is damaged, copy or capture it again", number, problem);
}

uint64_t whole_number(const nlohmann::json& filter, const char* key, size_t number) {
  const auto found = filter.find(key);
  if (found == filter.end() || !found->is_number_unsigned())
    fail_at_filter(number, fmt::format("'{}' is no whole number", key));
  return found->get<uint64_t>();
}

Filter read_filter(const nlohmann::json& object, size_t number) {
  if (!object.is_object()) fail_at_filter(number, "it is not an object");
  Filter filter;
  const auto kind = object.find("kind");
  if (kind == object.end() || !kind->is_string()) fail_at_filter(number, "'kind' is no name");
  if (*kind == name_of(FilterKind::words)) {
    filter.kind = FilterKind::words;
  } else if (*kind != name_of(FilterKind::texels)) {
    fail_at_filter(number, fmt::format("'kind' is none of {}", names_of(FilterKind{})));
  }
  filter.offset = whole_number(object, "offset", number);
  filter.width = whole_number(object, "width", number);
  filter.height = whole_number(object, "height", number);
  if (object.contains("channels")) filter.channels = whole_number(object, "channels", number);
  if (filter.channels < 1 || filter.channels > (filter.kind == FilterKind::words ? 1 : kMaxChannels))
    fail_at_filter(number, "'channels' is out of range");
  return filter;
}

}  // namespace

void apply_filter(const Filter& filter, std::span<const std::byte> input, std::span<std::byte> output) {
  if (filter.kind == FilterKind::words) return apply_to_words(filter, input.data(), output.data());
  switch (filter.channels) {
    case 1: return apply_to_texels<1>(filter, input.data(), output.data());
    case 2: return apply_to_texels<2>(filter, input.data(), output.data());
    case 3: return apply_to_texels<3>(filter, input.data(), output.data());
    default: return apply_to_texels<4>(filter, input.data(), output.data());
  }
}

void undo_filter(const Filter& filter, std::span<const std::byte> input, std::span<std::byte> output) {
  if (filter.kind == FilterKind::words) return undo_words(filter, input.data(), output.data());
  switch (filter.channels) {
    case 1: return undo_texels<1>(filter, input.data(), output.data());
    case 2: return undo_texels<2>(filter, input.data(), output.data());
    case 3: return undo_texels<3>(filter, input.data(), output.data());
    default: return undo_texels<4>(filter, input.data(), output.data());
  }
}

nlohmann::json filters_as_json(std::span<const Filter> filters) {
  nlohmann::json list = nlohmann::json::array();
  for (const Filter& filter : filters) {
    nlohmann::json& one = list.emplace_back(nlohmann::json{
        {"kind", name_of(filter.kind)}, {"offset", filter.offset}, {"width", filter.width}, {"height", filter.height}});
    if (filter.channels != 1) one["channels"] = filter.channels;
  }
  return list;
}

std::vector<Filter> read_filters(const nlohmann::json& blob, uint64_t blob_size) {
  const auto list = blob.find("filters");
  std::vector<Filter> filters;
  if (list == blob.end()) return filters;
  if (!list->is_array())
    fail("field 'blob.filters': it is not an array; the file is damaged, copy or capture it again");
  uint64_t end = 0;  // of the filter before
  for (size_t number = 0; number < list->size(); number++) {
    const Filter filter = read_filter((*list)[number], number);
    if (filter.offset < end || filter.offset > blob_size)
      fail_at_filter(number, "'offset' is before the end of the filter before it, or beyond the blob");
    // Neither product overflows, because each factor is at most the blob's size, which the reader limits.
    const uint64_t left = blob_size - filter.offset;
    if (filter.width == 0 || filter.height == 0 || filter.width > left || filter.height > left / filter.width ||
        filter.bytes() > left)
      fail_at_filter(number, "its range is empty or ends beyond the blob");
    end = filter.offset + filter.bytes();
    filters.push_back(filter);
  }
  return filters;
}

}  // namespace brokkr::bkf
