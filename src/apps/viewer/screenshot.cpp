#include "viewer/screenshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <system_error>

#include "app/input.h"
#include "base/json_parse.h"
#include "brokkr/version.h"
#include "log/manifest.h"
#include "plan/options.h"
#include "viewer/camera_control.h"

namespace brokkr::viewer {
namespace {

void append_bytes(png_structp png, png_bytep data, size_t size) {
  auto& file = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  file.insert(file.end(), bytes, bytes + size);
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

// Options that differ from the command line's defaults, which refuses those of another policy or machine.
std::string changed_options(const RenderOptions& options) {
  std::string text;
  const auto standard = option_texts({});
  std::set<std::string> ignored;
  for_each_option(options, [&](const OptionInfo& info, const auto&) {
    if (!is_read(info, options)) ignored.insert(info.name);
  });
  for (const auto& [name, value] : option_texts(options)) {
    if (ignored.contains(name)) continue;
    const auto found = standard.find(name);
    if (found == standard.end() || found->second != value) text += " --" + name + " " + quoted(value);
  }
  return text;
}

// The options for the user's own shader, with all values of its uniforms. Its textures are not among them.
std::string shader_words(const FragmentShader& shader) {
  std::string text;
  const auto add = [&](const char* option, const std::string& value) {
    text += fmt::format(" {} {}", option, quoted(value));
  };
  std::error_code error;
  const bool is_plain = !shader.vertex.text.empty() && !std::filesystem::exists(shader.name, error);
  if (!shader.text.empty() && !is_plain) add("--fragment", shader.name);
  if (!shader.vertex.text.empty()) add("--vertex", shader.vertex.name);
  if (shader.vertex.instances != 1) add("--shader-instances", std::to_string(shader.vertex.instances));
  for (size_t i = 0; i < shader.buffers.size(); i++) {
    if (!shader.buffers[i].text.empty()) add(fmt::format("--buffer-{}", char('a' + i)).c_str(), shader.buffers[i].name);
  }
  for (const auto& [name, values] : shader.uniforms)
    add("--uniform", fmt::format("{}={}", name, fmt::join(values, ",")));
  if (shader.time != 0) add("--time", fmt::format("{}", shader.time));
  return text;
}

Metadata metadata_of_painting(const Rendered& frame) {
  const Painting& painting = *frame.painting;
  const RenderOptions& options = frame.settings.options;
  Metadata metadata = {{"Software", "Brokkr " BROKKR_VERSION}, {"Source", frame.scene->path}};
  nlohmann::ordered_json json = {{"size", {frame.width, frame.height}},
                                 {"machine", frame.result.statistics.machine},
                                 {"workers", frame.result.statistics.workers},
                                 {"used", {{"frame", frame.number}, {"frame_ms", frame.result.statistics.frame_ms}}}};
  const PaintingRecord record = painting.record(*frame.scene, frame.settings);
  std::string command = "brokkr " + record.command + " " + quoted(record.scene) + " --size " +
                        std::to_string(frame.width) + "x" + std::to_string(frame.height);
  if (frame.camera) {
    metadata["Camera"] = camera_text(*frame.camera);
    command += " --camera " + quoted(camera_text(*frame.camera));
  }
  json[record.name] = parse_json(record.facts);
  command += record.options;
  if (options.machine == MachineKind::cpu && !options.isa.empty()) command += " --machine cpu --isa " + options.isa;
  if (options.workers > 0) command += " --workers " + std::to_string(options.workers);
  metadata["Settings"] = json.dump();
  metadata["Command"] = command;
  return metadata;
}

}  // namespace

std::vector<std::byte> encode_screenshot(const Picture& picture, const Metadata& metadata) {
  std::vector<png_text> texts;
  for (const auto& [key, value] : metadata) {
    png_text text{};
    text.compression = PNG_ITXT_COMPRESSION_NONE;
    text.key = const_cast<char*>(key.c_str());
    text.text = const_cast<char*>(value.c_str());
    texts.push_back(text);
  }
  std::vector<std::byte> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    throw std::runtime_error("the picture cannot be encoded as PNG");
  }
  png_set_write_fn(png, &file, append_bytes, nullptr);
  png_set_IHDR(png, info, png_uint_32(picture.width), png_uint_32(picture.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(png, info, texts.data(), int(texts.size()));
  png_write_info(png, info);
  png_set_filler(png, 0, PNG_FILLER_AFTER);  // drops alpha
  for (size_t y = size_t(picture.height); y-- > 0;)
    png_write_row(png, reinterpret_cast<png_const_bytep>(&picture.pixels[y * size_t(picture.width)]));
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

Metadata metadata_of(const Rendered& frame) {
  if (frame.painting) return metadata_of_painting(frame);
  const FrameSettings& s = frame.settings;
  const Statistics& statistics = frame.result.statistics;
  Metadata metadata = {{"Software", "Brokkr " BROKKR_VERSION}, {"Source", frame.scene->path}};
  nlohmann::ordered_json json = settings_json(s.options, statistics);
  json["size"] = {frame.width, frame.height};
  json["target"] = frame.scene->frame.targets[frame.target].id;
  json["layer"] = frame.layer;
  if (s.options.command_limit) json["command-limit"] = *s.options.command_limit;
  if (!s.hidden_commands.empty()) json["hidden_commands"] = s.hidden_commands;
  if (!s.uniforms.empty()) json["uniforms"] = s.uniforms;
  json["used"]["frame_ms"] = statistics.frame_ms;
  json["used"]["aborted"] = frame.result.aborted;
  json["used"]["frame"] = frame.number;
  metadata["Settings"] = json.dump();

  std::string command = "brokkr render " + quoted(frame.scene->path);
  const Target& loaded = frame.scene->frame.targets[frame.target];
  // A captured frame has its own size. A scene was loaded for the room in the window, which `brokkr render` lacks.
  const bool is_of_the_window = !frame.scene->clip_space && loaded.layers == 1;
  if (is_of_the_window || loaded.width != frame.width || loaded.height != frame.height)
    command += " --size " + std::to_string(frame.width) + "x" + std::to_string(frame.height);
  if (frame.target != frame.scene->shown_target(s.options.shading)) command += " --target " + std::to_string(loaded.id);
  if (frame.layer != 0) command += " --layer " + std::to_string(frame.layer);
  if (s.options.command_limit) command += " --command-limit " + std::to_string(*s.options.command_limit);
  if (frame.camera) {
    metadata["Camera"] = camera_text(*frame.camera);
    if (!frame.scene->clip_space || frame.scene->game.is_found())
      command += " --camera " + quoted(camera_text(*frame.camera));
  }
  // `brokkr render` chooses more for a scene.
  const bool says_one = s.options.samples == 1 && app::picture_samples(frame.scene->frame, s.options.shading) > 1;
  if (s.shader) command += shader_words(*s.shader);
  metadata["Command"] = command + changed_options(s.options) + (says_one ? " --samples 1" : "");
  return metadata;
}

}  // namespace brokkr::viewer
