// brokkr pixel: lists everything that happened to one pixel of a frame.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <variant>

#include "app/input.h"
#include "app/pipeline_options.h"
#include "app/text.h"
#include "cli/commands.h"
#include "inspect/pixel_history.h"
#include "log/text.h"

namespace brokkr::app {
namespace {

std::vector<std::string> event_row(const PixelHistory& history, const PixelEvent& e, const Frame& frame,
                                   size_t number) {
  std::vector<std::string> row = {std::to_string(number), std::to_string(e.command)};
  const std::string color = e.known_after ? color_text(history.format, e.after.low, e.after.high) : "";
  if (e.kind != PixelEvent::Kind::blit && e.kind != PixelEvent::Kind::fragment) {
    row.insert(row.end(), {kind_name(e.kind), "", "", "", fixed(double(e.after.depth), 7), "", "", color});
  } else if (e.kind == PixelEvent::Kind::blit) {
    row.insert(row.end(),
               {fmt::format("blit from target {} at {},{}", frame.targets[e.source.target].id, e.source.x, e.source.y),
                "", "", "", fixed(double(e.after.depth), 7), "", "", color});
  } else {
    const std::string& label = std::get<DrawCommand>(frame.commands[e.command]).label;
    row.insert(
        row.end(),
        {label.empty() ? "draw" : "draw " + printable(label), std::to_string(e.origin.instance),
         std::to_string(e.origin.triangle), std::to_string(e.origin.batch), fixed(double(e.fragment.depth), 7),
         fate_name(e.fragment.fate),
         e.known_shader ? color_text(history.format, e.fragment.shader_low, e.fragment.shader_high) : "", color});
  }
  return row;
}

void print(const PixelHistory& h, const Frame& frame) {
  const Target& target = frame.targets[h.pixel.target];
  std::cout << fmt::format("pixel {},{} of target {} ({}x{}, origin at the bottom left)", h.pixel.x, h.pixel.y,
                           target.id, target.width, target.height);
  if (target.layers > 1) std::cout << ", layer " << h.pixel.layer;
  std::cout << fmt::format(": bin {},{} of {} pixels, rasterizer {} of {}\nholds colour {}, depth {:.7f}, stencil {}",
                           h.bin_x, h.bin_y, h.bin, h.rasterizer, h.rasterizers,
                           color_text(h.format, h.end.low, h.end.high), h.end.depth, h.end.stencil);
  if (const auto writer = h.color_writer()) {
    const PixelEvent& e = h.events[*writer];
    std::cout << fmt::format("; the visible triangle is {} of command {}, batch {}", e.origin.triangle, e.command,
                             e.origin.batch);
  }
  std::cout << "\n" << counted(h.fragments, "fragment") << " hit it\n\n";
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < h.events.size(); ++i) rows.push_back(event_row(h, h.events[i], frame, i));
  std::cout << format_table(
      {"#", "command", "what", "instance", "triangle", "batch", "depth", "result", "shader gives", "pixel holds"},
      rows);
}

int run_pixel(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  Frame frame;
  PixelHistory history;
  {
    Progress progress;
    frame = load_input(file, arguments, progress);
    PixelAddress pixel;
    pixel.target = chosen_target(frame, arguments);
    pixel.layer = chosen_layer(frame, pixel.target, arguments);
    const Target& target = frame.targets[pixel.target];
    pixel.x = static_cast<int>(arguments.integer("X", 0));
    pixel.y = static_cast<int>(arguments.integer("Y", 0));
    if (arguments.has("from-top")) pixel.y = target.height - 1 - pixel.y;
    if (pixel.x >= target.width || pixel.y >= target.height || pixel.y < 0) {
      throw UsageError("X, Y: the target is " + std::to_string(target.width) + "x" + std::to_string(target.height) +
                       " pixels; count from 0");
    }
    RenderOptions options = render_options(arguments);
    if (arguments.has("before")) options.command_limit = static_cast<uint32_t>(arguments.integer("before", 0));
    progress.show("following pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y));
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame, load_options(arguments));
    history = pixel_history(renderer, prepared, pixel, options);
  }
  if (!write_document(arguments.text("json"), to_json(history, frame))) print(history, frame);
  return kSuccess;
}

}  // namespace

Command pixel_command() {
  const std::vector<Option> own = {
      needed(file_option("FILE", "FILE", "Frame (.bkf) or scene (.obj, .gltf, .glb, .ply, .stl, generated:NAME)")),
      needed(integer_option("X", "Column, from 0 at the left", 0, kMaxTargetSize - 1, "X")),
      needed(integer_option("Y", "Row, from 0 at the bottom", 0, kMaxTargetSize - 1, "Y")),
      flag("--from-top", "Count Y from the top, as image editors do"),
      integer_option("--before", "Only show events before this command", 0, 4294967295.0, "COMMAND"),
      json_option("Write the history as JSON"),
  };
  return {"pixel", "Show the history of a pixel: every triangle that covered it, in order, and its fate",
          joined(joined(joined(own, target_options()), input_options()), pipeline_options()), run_pixel};
}

}  // namespace brokkr::app
