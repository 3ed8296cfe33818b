// A pixel's history as words and as JSON.
#include <fmt/core.h>

#include <array>
#include <variant>

#include "inspect/pixel_history.h"
#include "pipeline/color_code.h"

namespace brokkr {
namespace {

using Json = nlohmann::ordered_json;

std::array<float, 4> half_values(uint32_t low, uint32_t high) {
  return {half_to_float(uint16_t(low)), half_to_float(uint16_t(low >> 16)), half_to_float(uint16_t(high)),
          half_to_float(uint16_t(high >> 16))};
}

Json color_json(ColorFormat format, uint32_t low, uint32_t high) {
  if (format == ColorFormat::rgba16f) return half_values(low, high);
  return {low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24};
}

Json state_json(ColorFormat format, const SampleState& s) {
  Json json = {{"color", color_json(format, s.low, s.high)}, {"depth", s.depth}, {"stencil", s.stencil}};
  if (s.visible_id != kNoPrimitive) json["visible_id"] = s.visible_id;
  if (s.depth_id != kNoPrimitive) json["depth_id"] = s.depth_id;
  return json;
}

Json event_json(const PixelHistory& history, const PixelEvent& e, const Frame& frame) {
  constexpr const char* kKinds[] = {"clear", "fragment", "blit"};
  Json json = {{"kind", kKinds[size_t(e.kind)]}, {"command", e.command}};
  if (e.kind == PixelEvent::Kind::fragment) {
    const std::string& label = std::get<DrawCommand>(frame.commands[e.command]).label;
    if (!label.empty()) json["label"] = label;
    json["view"] = e.origin.view;
    json["instance"] = e.origin.instance;
    json["triangle"] = e.origin.triangle;
    json["batch"] = e.origin.batch;
    json["primitive_id"] = e.fragment.primitive;
    json["depth"] = e.fragment.depth;
    json["result"] = fate_name(e.fragment.fate);
    json["shader_color"] = color_json(history.format, e.fragment.shader_low, e.fragment.shader_high);
  } else if (e.kind == PixelEvent::Kind::blit) {
    json["from"] = {{"target", frame.targets[e.source.target].id}, {"x", e.source.x}, {"y", e.source.y}};
  }
  json["before"] = state_json(history.format, e.before);
  json["after"] = state_json(history.format, e.after);
  return json;
}

}  // namespace

const char* fate_name(FragmentFate fate) {
  constexpr const char* kNames[] = {"passed", "discarded", "stencil failed", "depth failed"};
  return kNames[size_t(fate)];
}

std::string color_text(ColorFormat format, uint32_t low, uint32_t high) {
  if (format != ColorFormat::rgba16f)
    return fmt::format("{} {} {} {}", low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24);
  const std::array<float, 4> c = half_values(low, high);
  return fmt::format("{:.4g} {:.4g} {:.4g} {:.4g}", c[0], c[1], c[2], c[3]);
}

Json to_json(const PixelHistory& h, const Frame& frame) {
  const Target& target = frame.targets[h.pixel.target];
  Json json = {{"target", target.id},
               {"width", target.width},
               {"height", target.height},
               {"layer", h.pixel.layer},
               {"x", h.pixel.x},
               {"y", h.pixel.y},
               {"bin", {{"edge", h.bin}, {"x", h.bin_x}, {"y", h.bin_y}}},
               {"rasterizer", h.rasterizer},
               {"rasterizers", h.rasterizers},
               {"fragments", h.fragments},
               {"end", state_json(h.format, h.end)},
               {"events", Json::array()}};
  for (const PixelEvent& e : h.events) json["events"].push_back(event_json(h, e, frame));
  return json;
}

}  // namespace brokkr
