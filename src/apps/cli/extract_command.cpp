// brokkr extract: writes parts of a captured frame to files: the driver's picture and depth, programs, textures.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/input.h"
#include "app/picture.h"
#include "app/text.h"
#include "base/file_io.h"
#include "brokkr/load.h"
#include "cli/commands.h"
#include "frame/bkf_fields.h"
#include "inspect/image_compare.h"

namespace brokkr::app {
namespace {

// The reference that the command line selects. It must hold the requested data. Throws std::runtime_error.
const Reference& chosen_reference(const Frame& frame, const Arguments& arguments, bool depth) {
  const uint32_t target = chosen_target(frame, arguments);
  const int64_t before = arguments.integer("before", -1);
  const Reference* chosen = nullptr;
  for (const Reference& reference : frame.references) {
    const bool has = depth ? !reference.depth.empty() : !reference.color_file.empty();
    if (!has || reference.target != target || (before >= 0 && reference.before != before)) continue;
    if (chosen == nullptr || reference.before >= chosen->before) chosen = &reference;
  }
  if (chosen != nullptr) return *chosen;
  throw std::runtime_error(fmt::format("{}: holds no {} of target {}{}; `brokkr info` lists its contents", frame.source,
                                       depth ? "depth" : "picture", frame.targets[target].id,
                                       before >= 0 ? fmt::format(" before command {}", before) : ""));
}

using Json = nlohmann::ordered_json;

// A file that was written: its line, and its object in the document of --json.
struct Written {
  std::string line;
  Json json;
};

Written describe(const std::string& path, const char* what, int width, int height, const Frame& frame,
                 const Reference& reference) {
  const int target = frame.targets[reference.target].id;
  return {fmt::format("{}: {}x{}, target {} before command {}", path, width, height, target, reference.before),
          {{"file", path},
           {"frame", frame.source},
           {"what", what},
           {"width", width},
           {"height", height},
           {"target", target},
           {"before", reference.before}}};
}

Written write_picture(const std::string& path, const Frame& frame, const Reference& reference) {
  const Image image = original_picture(frame, reference);
  const bool is_jpeg = reference.color_file[0] == 0xff;
  if (path.ends_with(".jpg") && !is_jpeg) {
    throw std::runtime_error(path + ": the frame holds the picture as PNG; name a .png file");
  }
  if (path.ends_with(".jpg") == is_jpeg) {
    write_file(path, std::as_bytes(std::span(reference.color_file)));
  } else {
    write_pixels(path, image.width, image.height, image.texels);
  }
  return describe(path, "picture", image.width, image.height, frame, reference);
}

Written write_depth(const std::string& path, const Frame& frame, const Reference& reference) {
  write_values(path, reference.depth_width, reference.depth_height, reference.depth);
  return describe(path, "depth", reference.depth_width, reference.depth_height, frame, reference);
}

Written describe(const std::string& path, const char* what, const Frame& frame, size_t number, int version,
                 size_t bytes) {
  return {fmt::format("{}: {} {}, GLSL {}, {} bytes", path, what, number, version, bytes),
          {{"file", path},
           {"frame", frame.source},
           {"what", what},
           {"number", number},
           {"glsl", version},
           {"bytes", bytes}}};
}

// Writes the program's texts one after another, as the application's compiler received them.
Written write_program(const std::string& path, const Frame& frame, size_t number) {
  if (frame.programs.empty()) {
    throw std::runtime_error(frame.source + ": --program: holds no programs; capture it without --no-programs");
  }
  if (number >= frame.programs.size()) {
    throw std::runtime_error(fmt::format("{}: --program: there is no program {}; the last one is {}", frame.source,
                                         number, frame.programs.size() - 1));
  }
  const FragmentProgram& program = frame.programs[number];
  if (program.fixed) {
    throw std::runtime_error(fmt::format(
        "{}: program {} is fixed function and has no text; `brokkr info --json` describes it", frame.source, number));
  }
  std::string text;
  for (const std::string& one : program.texts) text += one;
  write_file(path, std::as_bytes(std::span(text)));
  return describe(path, "program", frame, number, program.version, text.size());
}

// The same for a vertex program.
Written write_vertex_program(const std::string& path, const Frame& frame, size_t number) {
  if (frame.vertex_programs.empty()) {
    throw std::runtime_error(frame.source +
                             ": --vertex-program: holds no vertex programs; capture it with this version of brokkr");
  }
  if (number >= frame.vertex_programs.size()) {
    throw std::runtime_error(fmt::format("{}: --vertex-program: there is no vertex program {}; the last one is {}",
                                         frame.source, number, frame.vertex_programs.size() - 1));
  }
  const VertexProgram& program = frame.vertex_programs[number];
  std::string text;
  for (const std::string& one : program.texts) text += one;
  write_file(path, std::as_bytes(std::span(text)));
  return describe(path, "vertex program", frame, number, program.version, text.size());
}

// The texels of the first layer of the largest level, if they are 8-bit numbers.
std::vector<uint32_t> pixels_of(const Frame& frame, const CapturedTexture& texture, size_t number) {
  const bool four = texture.format == TexelFormat::rgba8 || texture.format == TexelFormat::rgba8_srgb;
  const size_t channels = four ? 4 : texture.format == TexelFormat::rg8 ? 2 : texture.format == TexelFormat::r8 ? 1 : 0;
  if (channels == 0) {
    throw std::runtime_error(fmt::format("{}: texture {} is stored as {}, which PNG does not support; name a .bin file",
                                         frame.source, number, bkf::name_of(texture.format)));
  }
  std::vector<uint32_t> pixels(size_t(texture.width) * size_t(texture.height));
  const std::byte* source = frame.texture_data.data() + texture.first_byte;
  const bool luminance = texture.base == TexelBase::luminance || texture.base == TexelBase::luminance_alpha ||
                         texture.base == TexelBase::intensity;
  for (uint32_t& pixel : pixels) {
    uint32_t channel[4] = {0, 0, 0, 255};
    for (size_t i = 0; i < channels; i++) channel[i] = uint32_t(*source++);
    if (luminance && channels == 2) channel[3] = channel[1];
    if (luminance) channel[1] = channel[2] = channel[0];
    if (texture.base == TexelBase::alpha) channel[3] = channel[0];
    if (texture.base == TexelBase::rgb) channel[3] = 255;
    pixel = channel[0] | channel[1] << 8 | channel[2] << 16 | channel[3] << 24;
  }
  return pixels;
}

Written write_texture(const std::string& path, const Frame& frame, size_t number) {
  if (frame.captured_textures.empty()) {
    throw std::runtime_error(frame.source + ": --texture: holds no textures; capture it without --no-programs");
  }
  if (number >= frame.captured_textures.size()) {
    throw std::runtime_error(fmt::format("{}: --texture: there is no texture {}; the last one is {}", frame.source,
                                         number, frame.captured_textures.size() - 1));
  }
  const CapturedTexture& texture = frame.captured_textures[number];
  if (!texture.stored) {
    throw std::runtime_error(fmt::format("{}: texture {} is not stored in the file: {}", frame.source, number,
                                         texture.images.empty() ? "it was left out" : "the frame draws it itself"));
  }
  if (path.ends_with(".png")) {
    write_pixels(path, texture.width, texture.height, pixels_of(frame, texture, number));
  } else {
    write_file(path, std::span(frame.texture_data).subspan(texture.first_byte, texture_bytes(texture)));
  }
  const std::string kind(bkf::name_of(texture.kind)), format(bkf::name_of(texture.format));
  return {fmt::format("{}: texture {}, {} {}, {}x{}x{}, {} levels, {} bytes", path, number, kind, format, texture.width,
                      texture.height, texture.depth, texture.levels, texture_bytes(texture)),
          {{"file", path},
           {"frame", frame.source},
           {"what", "texture"},
           {"number", number},
           {"kind", kind},
           {"format", format},
           {"width", texture.width},
           {"height", texture.height},
           {"depth", texture.depth},
           {"levels", texture.levels},
           {"bytes", texture_bytes(texture)}}};
}

// Extracts the part of a frame that an option selects by number, if one does.
std::optional<Written> extract_part(const Arguments& arguments) {
  const bool program = arguments.has("program"), texture = arguments.has("texture"),
             vertex = arguments.has("vertex-program");
  if (!program && !texture && !vertex) return std::nullopt;
  if (int(program) + int(texture) + int(vertex) > 1)
    throw UsageError("--program, --vertex-program and --texture: give only one of them");
  const std::vector<std::string>& files = arguments.all("FILE");
  if (files.size() > 1) throw UsageError("--program, --vertex-program and --texture: need one frame; name one FILE");
  const std::string path = arguments.text("output");
  if (path.empty()) throw UsageError("-o is missing; name the file to write");
  if (program) {
    require_ending(path, {".frag", ".glsl", ".txt"}, "--output");
    return write_program(path, load_frame(files[0], load_options(arguments)), size_t(arguments.integer("program", 0)));
  }
  if (vertex) {
    require_ending(path, {".vert", ".glsl", ".txt"}, "--output");
    return write_vertex_program(path, load_frame(files[0], load_options(arguments)),
                                size_t(arguments.integer("vertex-program", 0)));
  }
  require_ending(path, {".png", ".bin"}, "--output");
  return write_texture(path, load_frame(files[0], load_options(arguments)), size_t(arguments.integer("texture", 0)));
}

int run_extract(const Arguments& arguments) {
  const std::string json = arguments.text("json");
  Json all = Json::array();
  const auto tell = [&](const Written& written) {
    all.push_back(written.json);
    if (json != "-") std::cout << written.line << std::endl;
  };
  if (const std::optional<Written> part = extract_part(arguments)) {
    tell(*part);
    write_document(json, all);
    return kSuccess;
  }
  const std::vector<std::string>& files = arguments.all("FILE");
  const std::string depth = arguments.text("depth");
  const std::string picture = arguments.text("output", depth.empty() ? "{}-original.png" : "");
  if (!picture.empty()) require_ending(picture, {".png", ".jpg"}, "--output");
  if (!depth.empty()) require_ending(depth, {".pfm", ".exr"}, "--depth");
  for (const std::string& file : files) {
    const bool several = files.size() > 1;
    const std::string picture_name = picture.empty() ? "" : output_name(picture, file, several, "--output");
    const std::string depth_name = depth.empty() ? "" : output_name(depth, file, several, "--depth");
    const Frame frame = load_frame(file, load_options(arguments));
    if (!picture_name.empty()) tell(write_picture(picture_name, frame, chosen_reference(frame, arguments, false)));
    if (!depth_name.empty()) tell(write_depth(depth_name, frame, chosen_reference(frame, arguments, true)));
  }
  write_document(json, all);
  return kSuccess;
}

}  // namespace

Command extract_command() {
  return {"extract",
          "Write parts of a captured frame: the game's own picture, a program, a texture",
          {needed(several(file_option("FILE", "FILE", "Captured frames (.bkf)"))),
           output_option("-o,--output", "FILE",
                         "Picture to write: .png, or .jpg if the frame stores that ({}-original.png; {} stands for the "
                         "name of each FILE)"),
           output_option("--depth", "FILE", "Depth to write: .pfm or .exr, 0 to 1"), target_options().front(),
           integer_option("--before", "Use the reference before this command, as `brokkr info` lists them (the last)",
                          0, 4294967295.0),
           integer_option("--program", "Instead, write the fragment shader of this program to -o FILE.frag", 0,
                          4294967295.0),
           integer_option("--vertex-program", "Instead, write the vertex shader of this vertex program to -o FILE.vert",
                          0, 4294967295.0),
           integer_option("--texture",
                          "Instead, write this texture to -o: the largest level as FILE.png, or all bytes as FILE.bin",
                          0, 4294967295.0),
           json_option("Write what was written as JSON, an array"), memory_option()},
          run_extract};
}

}  // namespace brokkr::app
