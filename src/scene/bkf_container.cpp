#include "scene/bkf_container.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "scene/bkf_format.h"

namespace brokkr::bkf {
namespace {

using Bytes = std::vector<std::byte>;

[[noreturn]] void fail(const std::string& field, const std::string& problem, const std::string& remedy) {
  throw std::runtime_error("field '" + field + "': " + problem + "; " + remedy);
}

const char* const kDamaged = "the file is damaged or cut short, copy or capture it again";

template <typename T>
T load_little_endian(std::span<const std::byte> file, size_t offset) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); i++) value |= T(T(file[offset + i]) << (8 * i));
  return value;
}

template <typename T>
void append_little_endian(Bytes& out, T value) {
  for (size_t i = 0; i < sizeof(T); i++) out.push_back(std::byte(value >> (8 * i) & 0xff));
}

// Decodes `stored` to exactly `size` bytes. The output grows with what the input really yields, so that a small file
// cannot claim a large buffer.
Bytes decompress(std::span<const std::byte> stored, uint64_t size, const std::string& field) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  Bytes out;
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  size_t produced = 0, pending = 1;
  while (input.pos < input.size || pending > 0) {
    // One byte of room beyond the end shows whether the stream holds more than the header says.
    if (produced == out.size()) {
      const uint64_t next = std::max<uint64_t>(uint64_t(1) << 20, uint64_t(out.size()) * 2);
      out.resize(size_t(std::min<uint64_t>(next, size + 1)));
    }
    ZSTD_outBuffer output{out.data(), out.size(), produced};
    const size_t consumed_before = input.pos;
    pending = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(pending)) fail(field, std::string("zstd: ") + ZSTD_getErrorName(pending), kDamaged);
    const bool progress = output.pos != produced || input.pos != consumed_before;
    produced = output.pos;
    if (produced > size) fail(field, "it holds more than the stated " + std::to_string(size) + " bytes", kDamaged);
    if (!progress && produced < out.size()) break;  // the input ends inside a zstd frame
  }
  if (pending != 0 || produced != size) {
    fail(field, "it holds " + std::to_string(produced) + " of the stated " + std::to_string(size) + " bytes", kDamaged);
  }
  out.resize(produced);
  return out;
}

Bytes compress(std::span<const std::byte> bytes, int level) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

// A value costs many times its text in memory, so their number is bounded before any is built.
nlohmann::json parse(const Bytes& text, const BkfLimits& limits) {
  uint64_t values = 0;
  for (std::byte character : text) {
    values += character == std::byte(',') || character == std::byte('[') || character == std::byte('{');
  }
  if (values > limits.json_values) {
    fail("json", "it has more than " + std::to_string(limits.json_values) + " values", "split the frame");
  }
  const auto* begin = reinterpret_cast<const char*>(text.data());
  try {
    nlohmann::json json = nlohmann::json::parse(begin, begin + text.size());
    if (!json.is_object()) fail("json", "it is not an object", kDamaged);
    return json;
  } catch (const nlohmann::json::exception& error) {
    fail("json", error.what(), kDamaged);
  }
}

}  // namespace

Container unpack(std::span<const std::byte> file, const BkfLimits& limits) {
  if (file.size() < kHeaderSize) fail("header", "the file is shorter than its header", kDamaged);
  if (std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    fail("magic", "this is no frame file", "name a .bkf file, which begins with BRKF");
  }
  const auto version = load_little_endian<uint32_t>(file, 4);
  if (version != kVersion) {
    fail("version", "it is " + std::to_string(version) + ", this program reads 1", "use a newer brokkr");
  }
  const auto json_stored = load_little_endian<uint64_t>(file, 8);
  const auto json_size = load_little_endian<uint64_t>(file, 16);
  const auto blob_stored = load_little_endian<uint64_t>(file, 24);
  const size_t rest = file.size() - kHeaderSize;
  if (json_stored > rest) fail("json length", "it is beyond the end of the file", kDamaged);
  if (blob_stored != rest - json_stored) fail("blob length", "it does not end with the file", kDamaged);
  if (json_size > limits.json_bytes) {
    fail("json length", "it is above the limit of " + std::to_string(limits.json_bytes) + " bytes", "split the frame");
  }

  Container result;
  result.json = parse(decompress(file.subspan(kHeaderSize, json_stored), json_size, "json"), limits);

  const std::span<const std::byte> stored = file.subspan(kHeaderSize + json_stored);
  const auto blob = result.json.find("blob");
  if (blob == result.json.end() || !blob->is_object()) fail("blob", "it is missing", kDamaged);
  const auto codec = blob->find("codec"), size = blob->find("size");
  if (size == blob->end() || !size->is_number_unsigned()) fail("blob.size", "it is no length", kDamaged);
  const auto blob_size = size->get<uint64_t>();
  if (blob_size > limits.blob_bytes) {
    fail("blob.size", "it is above the limit of " + std::to_string(limits.blob_bytes) + " bytes", "split the frame");
  }
  if (codec == blob->end() || *codec == "none") {
    if (blob_size != stored.size()) fail("blob.size", "it is not the length in the header", kDamaged);
    result.blob.assign(stored.begin(), stored.end());
  } else if (*codec == "zstd") {
    result.blob = decompress(stored, blob_size, "blob");
  } else {
    fail("blob.codec", "it is neither none nor zstd", "use a newer brokkr");
  }
  return result;
}

Bytes pack(const nlohmann::json& json, std::span<const std::byte> blob, int level) {
  // Names come from files of any encoding: what is not UTF-8 is replaced.
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Bytes stored_json = compress(std::as_bytes(std::span(text)), level);
  const Bytes stored_blob = compress(blob, level);
  Bytes out;
  out.reserve(kHeaderSize + stored_json.size() + stored_blob.size());
  for (char character : kMagic) out.push_back(std::byte(character));
  append_little_endian<uint32_t>(out, kVersion);
  append_little_endian<uint64_t>(out, stored_json.size());
  append_little_endian<uint64_t>(out, text.size());
  append_little_endian<uint64_t>(out, stored_blob.size());
  out.insert(out.end(), stored_json.begin(), stored_json.end());
  out.insert(out.end(), stored_blob.begin(), stored_blob.end());
  return out;
}

}  // namespace brokkr::bkf
