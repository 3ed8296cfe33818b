// libFuzzer target of the frame file reader. For any bytes, it must return a valid frame or throw std::runtime_error,
// within the given limits.
//
// An input that begins with 'J' is JSON text, a zero byte and the blob. They are packed first, so that the fuzzer
// reaches the JSON without having to invent a zstd stream. Every other input is used as a file.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "frame/bkf.h"
#include "pack.h"
#include "tally.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const brokkr::BkfLimits limits{.file_bytes = 1 << 24,
                                 .json_bytes = 1 << 20,
                                 .json_values = 1 << 17,
                                 .blob_bytes = 1 << 24,
                                 .reference_bytes = 1 << 24,
                                 .target_pixels = brokkr::kMaxTargetPixels,
                                 .vertex_bytes = 1 << 24};
  std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data), size);
  brokkr::fuzz::Bytes packed;
  if (size > 0 && data[0] == 'J') {
    const auto end = std::find(input.begin() + 1, input.end(), std::byte(0));
    const auto blob = end == input.end() ? end : end + 1;
    packed = brokkr::fuzz::packed_frame({input.begin() + 1, end}, {blob, input.end()});
    input = packed;
  }
  return brokkr::fuzz::counted('b', [&] {
    const brokkr::Frame frame = brokkr::read_bkf(input, "fuzz", limits);
    // An accepted frame can be summarized and written, and reading it again gives the same result.
    const uint64_t triangles = brokkr::triangle_count(frame);
    const brokkr::Frame again = brokkr::read_bkf(brokkr::bkf_bytes(frame, {.level = 1}), "again");
    if (brokkr::triangle_count(again) != triangles || again.states != frame.states) std::abort();
    if (brokkr::main_target(again) != brokkr::main_target(frame)) std::abort();
  });
}
