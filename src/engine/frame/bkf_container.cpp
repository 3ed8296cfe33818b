#include "frame/bkf_container.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "frame/bkf_fields.h"
#include "frame/bkf_filters.h"

namespace brokkr::bkf {
namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* kDamaged = "the file is damaged or cut short, copy or capture it again";
constexpr const char* kSplit = "split the frame";

[[noreturn]] void fail_in(std::string_view field, std::string_view problem, const char* remedy = kDamaged) {
  fail("field '{}': {}; {}", field, problem, remedy);
}

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

// Decompresses `stored` to exactly `size` bytes. The output grows only with data that was really decompressed, so a
// small file cannot make us allocate the size that it claims.
Bytes decompress(std::span<const std::byte> stored, uint64_t size, const char* field, Loading& loading) {
  constexpr uint64_t kStep = uint64_t(4) << 20;
  loading.need(size + 1, field);
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  Bytes out;
  out.reserve(size_t(size) + 1);
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  size_t produced = 0, pending = 1;
  while (input.pos < input.size || pending > 0) {
    // One extra byte of room reveals a stream that is longer than the header says.
    if (produced == out.size()) out.resize(size_t(std::min<uint64_t>(out.size() + kStep, size + 1)));
    loading.look(produced, size);
    ZSTD_outBuffer output{out.data(), out.size(), produced};
    const size_t consumed_before = input.pos;
    pending = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(pending)) fail_in(field, fmt::format("zstd: {}", ZSTD_getErrorName(pending)));
    const bool progress = output.pos != produced || input.pos != consumed_before;
    produced = output.pos;
    if (produced > size) fail_in(field, fmt::format("it holds more than the stated {} bytes", size));
    if (!progress && produced < out.size()) break;  // the input ends inside a zstd frame
  }
  if (pending != 0 || produced != size) {
    fail_in(field, fmt::format("it holds {} of the stated {} bytes", produced, size));
  }
  out.resize(produced);
  return out;
}

Bytes compress(std::span<const std::byte> bytes, int level) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size)) fail("zstd: {}", ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

// A value takes many times the memory of its text, so we check the number of values before we create any.
nlohmann::json parse(const Bytes& bytes, const BkfLimits& limits, Loading& loading) {
  const std::string_view text = as_text(bytes);
  const auto values =
      uint64_t(std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; }));
  if (values > limits.json_values) {
    fail_in("json", fmt::format("it has more than {} values", limits.json_values), kSplit);
  }
  try {
    auto json = parse_json<nlohmann::json>(text, &loading);
    if (json.is_object()) return json;
  } catch (const std::runtime_error& error) {
    fail_in("json", error.what());
  }
  fail_in("json", "it is not an object");
}

// Restores the filtered ranges of the blob.
void undo_filters(Bytes& blob, const nlohmann::json& description, Loading& loading) {
  const std::vector<Filter> filters = read_filters(description, blob.size());
  uint64_t largest = 0, all = 0, done = 0;
  for (const Filter& filter : filters) largest = std::max(largest, filter.bytes()), all += filter.bytes();
  loading.check(2 * largest, "blob.filters");  // a copy, and a row of at most as many bytes
  Bytes copy(size_t(largest), std::byte(0));
  for (const Filter& filter : filters) {
    const std::span<std::byte> range = std::span(blob).subspan(size_t(filter.offset), size_t(filter.bytes()));
    const std::span<std::byte> filtered = std::span(copy).first(range.size());
    std::ranges::copy(range, filtered.begin());
    undo_filter(filter, filtered, range);
    loading.look(done += range.size(), all);
  }
}

}  // namespace

Container unpack(std::span<const std::byte> file, const BkfLimits& limits, Loading& loading) {
  if (!as_text(file).starts_with(kMagic.substr(0, file.size()))) {
    fail_in("magic", "this is no frame file", "name a .bkf file, which begins with BRKF");
  }
  if (file.size() < kHeaderSize) fail_in("header", "the file is shorter than its header");
  const auto version = load_little_endian<uint32_t>(file, 4);
  if (version < kPlainVersion || version > kVersion) {
    fail_in("version", fmt::format("it is {}, this program reads {} to {}", version, kPlainVersion, kVersion),
            "use a newer brokkr");
  }
  const auto json_stored = load_little_endian<uint64_t>(file, 8);
  const auto json_size = load_little_endian<uint64_t>(file, 16);
  const auto blob_stored = load_little_endian<uint64_t>(file, 24);
  const size_t rest = file.size() - kHeaderSize;
  if (json_stored > rest) fail_in("json length", "it is beyond the end of the file");
  if (blob_stored != rest - json_stored) fail_in("blob length", "it does not end with the file");
  const auto limit = [](const char* field, uint64_t size, uint64_t max_bytes) {
    if (size > max_bytes) fail_in(field, fmt::format("it is above the limit of {} bytes", max_bytes), kSplit);
  };
  limit("json length", json_size, limits.json_bytes);

  Container result;
  result.json = parse(decompress(file.subspan(kHeaderSize, json_stored), json_size, "json", loading), limits, loading);

  const std::span<const std::byte> stored = file.subspan(kHeaderSize + json_stored);
  const auto blob = result.json.find("blob");
  if (blob == result.json.end() || !blob->is_object()) fail_in("blob", "it is missing");
  const auto codec = blob->find("codec"), size = blob->find("size");
  if (size == blob->end() || !size->is_number_unsigned()) fail_in("blob.size", "it is no length");
  const auto blob_size = size->get<uint64_t>();
  limit("blob.size", blob_size, limits.blob_bytes);
  loading.check(2 * blob_size, "blob.size");  // the frame's own lists may need as much again
  if (codec == blob->end() || *codec == "none") {
    if (blob_size != stored.size()) fail_in("blob.size", "it is not the length in the header");
    loading.need(stored.size(), "blob.size");
    result.blob.assign(stored.begin(), stored.end());
  } else if (*codec == "zstd") {
    loading.until(0.4);
    result.blob = decompress(stored, blob_size, "blob.size", loading);
  } else {
    fail_in("blob.codec", "it is neither none nor zstd", "use a newer brokkr");
  }
  if (version >= kFilterVersion) undo_filters(result.blob, *blob, loading);
  return result;
}

size_t packed_size(std::span<const std::byte> bytes, int level) { return compress(bytes, level).size(); }

Bytes pack(const nlohmann::json& json, std::span<const std::byte> blob, int level, uint32_t version) {
  // Names come from files with any encoding. Bytes that are not UTF-8 are replaced.
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Bytes stored_json = compress(std::as_bytes(std::span(text)), level);
  const Bytes stored_blob = compress(blob, level);
  Bytes out;
  out.reserve(kHeaderSize + stored_json.size() + stored_blob.size());
  for (const char c : kMagic) out.push_back(std::byte(c));
  append_little_endian<uint32_t>(out, version);
  append_little_endian<uint64_t>(out, stored_json.size());
  append_little_endian<uint64_t>(out, text.size());
  append_little_endian<uint64_t>(out, stored_blob.size());
  out.insert(out.end(), stored_json.begin(), stored_json.end());
  out.insert(out.end(), stored_blob.begin(), stored_blob.end());
  return out;
}

}  // namespace brokkr::bkf
