// The outer shell of a frame file: header, compressed JSON, compressed blob.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/loading.h"
#include "frame/bkf.h"
#include "frame/bkf_fields.h"

namespace brokkr::bkf {

// NOLINTNEXTLINE(bugprone-exception-escape): moving a json value does not throw, although it contains assertions.
struct Container {
  nlohmann::json json;
  std::vector<std::byte> blob;
};

// Checks the header and both lengths, decompresses and parses. Never allocates more memory than `loading` allows, and
// never touches more than was decompressed so far, whatever the header says.
Container unpack(std::span<const std::byte> file, const BkfLimits& limits, Loading& loading);

// `level`: zstd's compression level, 1..19.
std::vector<std::byte> pack(const nlohmann::json& json, std::span<const std::byte> blob, int level,
                            uint32_t version = kVersion);

// The bytes that zstd needs for a range at a level, to compare two forms of it.
size_t packed_size(std::span<const std::byte> bytes, int level = 5);

}  // namespace brokkr::bkf
