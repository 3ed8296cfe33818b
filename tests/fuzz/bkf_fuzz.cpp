// libFuzzer target of the frame file reader. Whatever the bytes are, it must return a valid frame or throw
// std::runtime_error, within the limits that it was given.
//
// An input that begins with 'J' is JSON text, a zero byte and the blob: they are packed first, so that the fuzzer
// reaches the JSON without having to invent a zstd stream. Every other input is a file as it is.
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "scene/bkf.h"

namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) out.push_back(std::byte(value >> (8 * i) & 0xff));
}

Bytes pack(std::span<const std::byte> json, std::span<const std::byte> blob) {
  Bytes stored(ZSTD_compressBound(json.size()));
  stored.resize(ZSTD_compress(stored.data(), stored.size(), json.data(), json.size(), 1));
  Bytes file;
  for (char c : {'B', 'R', 'K', 'F'}) file.push_back(std::byte(c));
  append(file, 1, 4);
  append(file, stored.size(), 8);
  append(file, json.size(), 8);
  append(file, blob.size(), 8);
  file.insert(file.end(), stored.begin(), stored.end());
  file.insert(file.end(), blob.begin(), blob.end());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const brokkr::BkfLimits limits{.file_bytes = 1 << 24,
                                 .json_bytes = 1 << 20,
                                 .json_values = 1 << 17,
                                 .blob_bytes = 1 << 24,
                                 .reference_bytes = 1 << 24,
                                 .target_pixels = brokkr::kMaxTargetPixels};
  std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data), size);
  Bytes packed;
  if (size > 0 && data[0] == 'J') {
    const auto end = std::find(input.begin() + 1, input.end(), std::byte(0));
    const auto blob = end == input.end() ? end : end + 1;
    packed = pack({input.begin() + 1, end}, {blob, input.end()});
    input = packed;
  }
  try {
    const brokkr::Frame frame = brokkr::read_bkf(input, "fuzz", limits);
    // What was accepted can be summed up, written, and read again with the same result.
    const uint64_t triangles = brokkr::triangle_count(frame);
    const brokkr::Frame again = brokkr::read_bkf(brokkr::bkf_bytes(frame, {.level = 1}), "again");
    if (brokkr::triangle_count(again) != triangles || again.states != frame.states) std::abort();
    if (brokkr::main_target(again) != brokkr::main_target(frame)) std::abort();
  } catch (const std::runtime_error&) {
  }
  return 0;
}
