#include "viewer/screenshot.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "brokkr/image.h"
#include "pipeline/options.h"
#include "scene/file_io.h"
#include "viewer/camera_control.h"

namespace brokkr::viewer {
namespace {

namespace fs = std::filesystem;

// CRC-32 of PNG chunks (ISO 3309).
uint32_t checksum(const std::vector<std::byte>& bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t n = 0; n < 256; ++n) {
      uint32_t c = n;
      for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
      t[n] = c;
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (const std::byte b : bytes) crc = table[(crc ^ uint32_t(b)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

void append_number(std::vector<std::byte>& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(std::byte(value >> shift & 0xff));
}

void append_text(std::vector<std::byte>& out, const std::string& text) {
  for (const char c : text) out.push_back(std::byte(c));
}

std::vector<std::byte> text_chunk(const std::string& key, const std::string& value) {
  std::vector<std::byte> body;  // type and data: what the checksum covers
  append_text(body, "iTXt" + key);
  for (int i = 0; i < 5; ++i) body.push_back(std::byte(0));  // end of key; not compressed; no language, no translation
  append_text(body, value);
  std::vector<std::byte> chunk;
  append_number(chunk, uint32_t(body.size() - 4));
  chunk.insert(chunk.end(), body.begin(), body.end());
  append_number(chunk, checksum(body));
  return chunk;
}

std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,+=") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// Options that differ from what the command line starts with.
std::string changed_options(const RenderOptions& options) {
  std::string text;
  const auto standard = option_texts({});
  for (const auto& [name, value] : option_texts(options)) {
    const auto found = standard.find(name);
    if (found == standard.end() || found->second != value) text += " --" + name + " " + quoted(value);
  }
  return text;
}

}  // namespace

std::vector<std::byte> with_metadata(std::vector<std::byte> png, const Metadata& metadata) {
  constexpr size_t kAfterHeader = 8 + 8 + 13 + 4;  // signature; IHDR, which comes first
  if (png.size() < kAfterHeader || png[1] != std::byte('P') || png[12] != std::byte('I'))
    throw std::invalid_argument("with_metadata: this is no PNG file");
  std::vector<std::byte> chunks;
  for (const auto& [key, value] : metadata) {
    const std::vector<std::byte> chunk = text_chunk(key, value);
    chunks.insert(chunks.end(), chunk.begin(), chunk.end());
  }
  png.insert(png.begin() + ptrdiff_t(kAfterHeader), chunks.begin(), chunks.end());
  return png;
}

Metadata metadata_of(const Rendered& frame) {
  const FrameSettings& s = frame.settings;
  const Statistics& statistics = frame.result.statistics;
  Metadata metadata = {{"Software", "Brokkr " BROKKR_VERSION}, {"Source", frame.scene->path}};
  nlohmann::ordered_json json = {{"size", {frame.width, frame.height}},
                                 {"target", frame.scene->frame.targets[frame.target].id},
                                 {"layer", frame.layer}};
  for (const auto& [name, value] : option_texts(s.options)) json[name] = value;
  if (s.options.command_limit) json["command-limit"] = *s.options.command_limit;
  if (!s.hidden_commands.empty()) json["hidden_commands"] = s.hidden_commands;
  json["used"] = {{"machine", statistics.machine},
                  {"isa", statistics.isa},
                  {"workers", statistics.workers},
                  {"rasterizers", statistics.rasterizers},
                  {"frame_ms", statistics.frame_ms},
                  {"aborted", frame.result.aborted},
                  {"frame", frame.number}};
  metadata["Settings"] = json.dump();

  std::string command = "brokkr render " + quoted(frame.scene->path);
  const Target& loaded = frame.scene->frame.targets[frame.target];
  if (loaded.width != frame.width || loaded.height != frame.height)
    command += " --size " + std::to_string(frame.width) + "x" + std::to_string(frame.height);
  if (frame.target != main_target(frame.scene->frame)) command += " --target " + std::to_string(loaded.id);
  if (frame.layer != 0) command += " --layer " + std::to_string(frame.layer);
  if (s.options.command_limit) command += " --command-limit " + std::to_string(*s.options.command_limit);
  if (frame.camera) {
    metadata["Camera"] = camera_text(*frame.camera);
    if (!frame.scene->clip_space) command += " --camera " + quoted(camera_text(*frame.camera));
  }
  metadata["Command"] = command + changed_options(s.options);
  return metadata;
}

void write_screenshot(const fs::path& path, const Picture& picture, const Metadata& metadata) {
  write_file(path, with_metadata(encode_png(picture.width, picture.height, picture.pixels, true), metadata));
}

}  // namespace brokkr::viewer
