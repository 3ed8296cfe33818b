#include "viewer/draw_rows.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string_view>
#include <variant>

#include "app/text.h"
#include "frame/bkf_fields.h"

namespace brokkr::viewer {
namespace {

constexpr const char* kNone = "-";

template <class E>
std::string word(E value) {
  std::string text(bkf::name_of(value));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string depth_text(const DepthState& depth) {
  if (!depth.test) return kNone;  // without a depth test nothing is written
  return word(depth.func) + (depth.write ? ", write" : "");
}

std::string term_text(const BlendTerm& term) {
  const std::string factors = word(term.src) + ", " + word(term.dst);
  return term.equation == BlendEquation::add ? factors : word(term.equation) + ": " + factors;
}

// Common blend modes get their usual names.
std::string blend_text(const std::optional<BlendState>& blend) {
  if (!blend) return kNone;
  using enum BlendFactor;
  struct Known {
    BlendFactor src, dst;
    const char* name;
  };
  constexpr Known kKnown[] = {{src_alpha, one_minus_src_alpha, "alpha"},
                              {one, one_minus_src_alpha, "premultiplied"},
                              {one, one, "add"},
                              {src_alpha, one, "add alpha"},
                              {dst_color, zero, "multiply"},
                              {zero, src_color, "multiply"},
                              {one, zero, "replace"}};
  for (const Known& known : kKnown) {
    const bool same = blend->color.src == known.src && blend->color.dst == known.dst;
    if (same && blend->color.equation == BlendEquation::add) return known.name;
  }
  return term_text(blend->color);
}

std::string texture_text(const Frame& frame, const Material& material) {
  if (material.diffuse_texture >= 0) return frame.textures[size_t(material.diffuse_texture)].name;
  return material.is_textured() ? "yes" : kNone;
}

DrawRow row_of(const Frame& frame, const DrawCommand& draw) {
  const View& view = frame.views[draw.first_view];
  const State& state = frame.states[draw.state];
  DrawRow row;
  row.is_draw = true;
  row.target = view.target;
  row.layer = view.layer;
  row.primitives = primitive_count(draw.topology, draw.element_count) * draw.instances * draw.view_count;
  row.name = app::printable(draw.label);
  row.topology = word(draw.topology);
  row.depth = depth_text(state.depth);
  row.blend = state.logic_op ? word(*state.logic_op) : blend_text(state.blend);
  row.cull = state.cull == CullMode::none ? kNone : word(state.cull);
  row.stencil = state.stencil ? word(state.stencil->func) : kNone;
  row.texture = app::printable(texture_text(frame, frame.materials[draw.material]));
  return row;
}

DrawRow row_of(const Frame&, const ClearCommand& clear) {
  DrawRow row;
  row.target = clear.target;
  row.name = "clear";
  if (clear.color) row.name += " colour";
  if (clear.depth) row.name += " depth";
  if (clear.stencil) row.name += " stencil";
  return row;
}

DrawRow row_of(const Frame& frame, const BlitCommand& blit) {
  DrawRow row;
  row.target = blit.to;
  row.name = "copy from target " + std::to_string(frame.targets[blit.from].id);
  return row;
}

DrawRow row_of(const Frame&, const LoadCommand& load) {
  DrawRow row;
  row.target = load.target;
  row.name = "load " + word(load.plane);
  return row;
}

// The row belongs to the group of the target whose levels are generated.
DrawRow row_of(const Frame& frame, const GenerateMipsCommand& generate) {
  const CapturedTexture& texture = frame.captured_textures[generate.texture];
  DrawRow row;
  if (!texture.images.empty()) row.target = texture.images.front().target;
  row.name = "mip levels of texture " + std::to_string(generate.texture);
  return row;
}

DrawRow row_of(const Frame& frame, const CopyCommand& copy) {
  DrawRow row;
  row.target = copy.to;
  row.name = "copy from target " + std::to_string(frame.targets[copy.from].id) + " " + word(copy.from_plane);
  return row;
}

std::string lower(std::string text) {
  for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

DrawRows draw_rows(const Frame& frame) {
  DrawRows result;
  for (uint32_t c = 0; c < frame.commands.size(); ++c) {
    DrawRow row = std::visit([&](const auto& command) { return row_of(frame, command); }, frame.commands[c]);
    row.command = c;
    const Target& target = frame.targets[row.target];
    row.target_name = std::to_string(target.id) + (target.layers > 1 ? ", layer " + std::to_string(row.layer) : "");
    for (std::string* text : {&row.topology, &row.depth, &row.blend, &row.cull, &row.stencil, &row.texture}) {
      if (text->empty()) *text = kNone;
    }
    if (result.rows.empty() || result.rows.back().target != row.target) {
      const std::string size = std::to_string(target.width) + " x " + std::to_string(target.height);
      result.groups.push_back({"target " + std::to_string(target.id) + ", " + size, c, c});
    }
    DrawGroup& group = result.groups.back();
    group.end = c + 1;
    group.draws += row.is_draw;
    group.primitives += row.primitives;
    result.rows.push_back(std::move(row));
  }
  return result;
}

bool matches(const DrawRow& row, const std::string& search) {
  std::istringstream words(lower(search));
  std::string text;
  for (std::string one; words >> one;) {
    if (text.empty()) {
      text = std::to_string(row.command);
      for (const std::string* part :
           {&row.name, &row.topology, &row.depth, &row.blend, &row.cull, &row.stencil, &row.texture})
        text += " " + *part;
      text = lower(text + " target " + row.target_name);
    }
    if (text.find(one) == std::string::npos) return false;
  }
  return true;
}

std::string state_text(const Frame& frame, const DrawCommand& draw) {
  const State& s = frame.states[draw.state];
  const auto number = [](float value) { return app::fixed(double(value), value == std::round(value) ? 0 : 3); };
  std::string text = "viewport " + number(s.viewport.x) + ", " + number(s.viewport.y) + ", " + number(s.viewport.z) +
                     " x " + number(s.viewport.w) + "\ndepth " + depth_text(s.depth) + ", range " +
                     number(s.depth_near) + " to " + number(s.depth_far) + "\ncull " + word(s.cull) +
                     ", front faces are " + (s.front_face == FrontFace::ccw ? "counter-clockwise" : "clockwise");
  if (s.polygon_mode != PolygonMode::fill) text += "\npolygons as " + word(s.polygon_mode);
  if (s.scissor) {
    const Rect& r = *s.scissor;
    text += "\nscissor " + std::to_string(r.x) + ", " + std::to_string(r.y) + ", " + std::to_string(r.width) + " x " +
            std::to_string(r.height);
  }
  if (s.logic_op) text += "\nlogical operation " + word(*s.logic_op);
  if (s.blend && !s.logic_op)
    text += "\nblend colour " + term_text(s.blend->color) + "; alpha " + term_text(s.blend->alpha);
  if (s.stencil)
    text += "\nstencil " + word(s.stencil->func) + " " + std::to_string(s.stencil->ref) + "; fail " +
            word(s.stencil->stencil_fail) + ", depth fail " + word(s.stencil->depth_fail) + ", pass " +
            word(s.stencil->pass);
  if (s.alpha_test) text += "\nalpha test " + word(s.alpha_test->func) + " " + number(s.alpha_test->ref);
  if (s.polygon_offset) text += "\noffset " + number(s.polygon_offset->factor) + ", " + number(s.polygon_offset->units);
  if (s.color_mask != std::array{true, true, true, true}) {
    text += "\ncolour writes: ";
    for (size_t c = 0; c < 4; ++c) text += s.color_mask[c] ? std::string(1, "rgba"[c]) : "-";
  }
  text += "\n" + std::to_string(draw.element_count) + (draw.indexed ? " indices" : " vertices") + ", " +
          counted(uint64_t(draw.instances), "instance");
  std::string flags;
  for (size_t i = 0; i < 9; ++i) {
    if (draw.flags >> i & 1) flags += (flags.empty() ? "" : ", ") + std::string(bkf::name_at(bkf::kDrawFlags, i));
  }
  return flags.empty() ? text : text + "\n" + flags;
}

}  // namespace brokkr::viewer
