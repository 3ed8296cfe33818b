// Builds files around the parts that a fuzzer changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace brokkr::fuzz {

using Bytes = std::vector<std::byte>;

inline void append(Bytes& out, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) out.push_back(std::byte(value >> (8 * i) & 0xff));
}

inline void append(Bytes& out, std::span<const std::byte> part) { out.insert(out.end(), part.begin(), part.end()); }

// A zstd stream of uncompressed blocks [RFC 8878]: compressing would take longer than all other work of a reader with a
// small input.
inline Bytes stored_zstd(std::span<const std::byte> content) {
  constexpr size_t kBlock = size_t(1) << 17;
  constexpr uint64_t kSingleSegmentWithSize = 0xe0;
  Bytes out;
  append(out, 0xfd2fb528, 4);
  append(out, kSingleSegmentWithSize, 1);
  append(out, content.size(), 8);
  do {
    const std::span<const std::byte> block = content.first(std::min(content.size(), kBlock));
    content = content.subspan(block.size());
    append(out, block.size() << 3 | (content.empty() ? 1 : 0), 3);
    append(out, block);
  } while (!content.empty());
  return out;
}

// A frame file of this JSON and this blob, so that the fuzzer need not invent a zstd stream.
inline Bytes packed_frame(std::span<const std::byte> json, std::span<const std::byte> blob) {
  const Bytes stored = stored_zstd(json);
  Bytes file;
  for (const char c : {'B', 'R', 'K', 'F'}) file.push_back(std::byte(c));
  append(file, 4, 4);  // version
  append(file, stored.size(), 8);
  append(file, json.size(), 8);
  append(file, blob.size(), 8);
  append(file, stored);
  append(file, blob);
  return file;
}

// A binary glTF of this JSON and this buffer.
inline Bytes packed_gltf(std::span<const std::byte> json, std::span<const std::byte> buffer) {
  Bytes chunks;
  const auto add = [&](uint32_t kind, std::span<const std::byte> part, char filler) {
    const size_t padded = (part.size() + 3) / 4 * 4;
    append(chunks, padded, 4);
    append(chunks, kind, 4);
    append(chunks, part);
    chunks.insert(chunks.end(), padded - part.size(), std::byte(filler));
  };
  add(0x4e4f534a, json, ' ');     // "JSON"
  add(0x004e4942, buffer, '\0');  // "BIN"
  Bytes file;
  append(file, 0x46546c67, 4);  // "glTF"
  append(file, 3, 4);           // version
  append(file, 12 + chunks.size(), 4);
  append(file, chunks);
  return file;
}

}  // namespace brokkr::fuzz
