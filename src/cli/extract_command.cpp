// brokkr extract: what a captured frame holds of the game's own driver, as files.
#include <fmt/format.h>

#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/input.h"
#include "app/picture.h"
#include "app/text.h"
#include "brokkr/load.h"
#include "cli/commands.h"
#include "inspect/original.h"
#include "scene/file_io.h"

namespace brokkr::app {
namespace {

// The reference that the command line asks for, which must have what is written. Throws std::runtime_error.
const Reference& chosen_reference(const Frame& frame, const Arguments& arguments, bool depth) {
  const uint32_t target = chosen_target(frame, arguments);
  const int64_t before = arguments.integer("before", -1);
  const Reference* chosen = nullptr;
  for (const Reference& reference : frame.references) {
    const bool has = depth ? !reference.depth.empty() : !reference.color_jpeg.empty();
    if (!has || reference.target != target || (before >= 0 && reference.before != before)) continue;
    if (chosen == nullptr || reference.before >= chosen->before) chosen = &reference;
  }
  if (chosen != nullptr) return *chosen;
  throw std::runtime_error(fmt::format("{}: holds no {} of target {}{}; `brokkr info` lists what it holds",
                                       frame.source, depth ? "depth" : "picture", frame.targets[target].id,
                                       before >= 0 ? fmt::format(" before command {}", before) : ""));
}

void report(const std::string& path, int width, int height, const Frame& frame, const Reference& reference) {
  std::cout << fmt::format("{}: {}x{}, target {} before command {}\n", path, width, height,
                           frame.targets[reference.target].id, reference.before);
}

void write_picture(const std::string& path, const Frame& frame, const Reference& reference) {
  const Image image = original_picture(frame, reference);
  if (path.ends_with(".jpg")) {
    write_file(path, std::as_bytes(std::span(reference.color_jpeg)));
  } else {
    write_pixels(path, image.width, image.height, image.texels);
  }
  report(path, image.width, image.height, frame, reference);
}

int run_extract(const Arguments& arguments) {
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
    if (!picture_name.empty()) write_picture(picture_name, frame, chosen_reference(frame, arguments, false));
    if (depth_name.empty()) continue;
    const Reference& reference = chosen_reference(frame, arguments, true);
    write_values(depth_name, reference.depth_width, reference.depth_height, reference.depth);
    report(depth_name, reference.depth_width, reference.depth_height, frame, reference);
  }
  return kSuccess;
}

}  // namespace

Command extract_command() {
  return {"extract",
          "Write the game's own picture that a captured frame holds",
          {needed(several(file_option("FILE", "FILE", "Captured frames (.bkf)"))),
           file_option("-o,--output", "FILE",
                       "Picture to write: .png, or .jpg as it is stored ({}-original.png; {} stands for the name of "
                       "each FILE)"),
           file_option("--depth", "FILE", "Depth to write: .pfm or .exr, 0 to 1"), target_options().front(),
           integer_option("--before", "Of the reference before this command, as `brokkr info` lists them (the last)", 0,
                          4294967295.0),
           memory_option()},
          run_extract};
}

}  // namespace brokkr::app
