// Reversible filters of ranges of a frame file's blob (version 4). zstd finds repeated bytes, but not that a texel
// resembles its neighbours; a filter stores differences from a prediction, which are small and alike.
//
// Every sequence of bytes can be filtered and restored, so a damaged file gives wrong values, never an error here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace brokkr::bkf {

// `texels`: rows of texels of 1 to 4 bytes. The green channel of three or four is subtracted from red and blue. The
// prediction of a byte is the median of its left neighbour a, its lower neighbour b, and a + b - c, where c is the
// neighbour of both [Weinberger00]. The differences of each channel are stored one channel after another.
//
// `words`: rows of 32-bit words, such as depths and indices. The prediction is a + b - c, which is exact for a plane.
// The difference d is stored as 2d or -2d - 1, all lowest bytes first.
//
// Neighbours outside of the range are 0. All arithmetic wraps around.
enum class FilterKind : uint8_t { texels, words };
constexpr std::string_view names_of(FilterKind) { return "texels, words"; }

// Bytes; the entry of a smaller range would cost what its filter saves.
constexpr uint64_t kLeastFiltered = 1024;

struct Filter {
  FilterKind kind = FilterKind::texels;
  uint64_t offset = 0;             // in bytes of the blob
  uint64_t width = 0, height = 0;  // texels or words of a row, and rows
  uint64_t channels = 1;           // bytes of a texel, 1 to 4; 1 for words

  uint64_t bytes() const { return width * height * (kind == FilterKind::words ? sizeof(uint32_t) : channels); }
};

// The filtered and the restored bytes of a range of `filter.bytes()` bytes. `output` has as many, and is another range.
void apply_filter(const Filter& filter, std::span<const std::byte> input, std::span<std::byte> output);
void undo_filter(const Filter& filter, std::span<const std::byte> input, std::span<std::byte> output);

nlohmann::json filters_as_json(std::span<const Filter> filters);

// Reads "filters" of the object "blob": ranges of a blob of `blob_size` bytes, in ascending order, none inside another.
// Throws std::runtime_error that names field and remedy.
std::vector<Filter> read_filters(const nlohmann::json& blob, uint64_t blob_size);

}  // namespace brokkr::bkf
