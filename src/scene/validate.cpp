#include "brokkr/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>

namespace brokkr {
namespace {

// Bounds for fields without a natural one: sums of such fields then fit an int, products of two fit 32 bits.
constexpr int kMaxScissor = 1 << 30;
constexpr int kMaxBlit = 2 * kMaxTargetSize;
constexpr float kMaxViewportOrigin = 2.0f * float(kMaxTargetSize);
constexpr uint32_t kKnownFlags = (kProvokingFirst << 1) - 1;
constexpr uint32_t kRestart = 0xffffffffu;
// Primitive identifiers are 32 bits and ~0u means "none".
constexpr uint64_t kMaxPrimitives = 0xfffffffeu;

// Where in the frame a value is, for messages: "command 12, field 'first_index': ...".
struct Place {
  const char* kind;
  size_t number;
};

template <typename Problem>
[[noreturn]] void fail(const Place& place, const char* field, const Problem& problem, const char* remedy) {
  std::ostringstream out;
  out << place.kind << ' ' << place.number << ", field '" << field << "': " << problem << "; " << remedy;
  throw std::runtime_error(out.str());
}

template <typename T>
void require_range(const Place& place, const char* field, T value, T low, T high, const char* remedy) {
  if (value >= low && value <= high) return;  // false for NaN
  std::ostringstream problem;
  problem << +value << " is outside " << +low << ".." << +high;
  fail(place, field, problem.str(), remedy);
}

void require_index(const Place& place, const char* field, uint64_t value, size_t count, const char* what) {
  if (value < count) return;
  std::ostringstream problem;
  problem << value << " names none of the frame's " << count << ' ' << what;
  fail(place, field, problem.str(), "use an index below that number");
}

// `first` + `count` <= `size` without overflow.
void require_extent(const Place& place, const char* field, uint64_t first, uint64_t count, uint64_t size,
                    const char* what) {
  if (first <= size && count <= size - first) return;
  std::ostringstream problem;
  problem << count << " from " << first << " do not fit the frame's " << size << ' ' << what;
  fail(place, field, problem.str(), "shorten the range or add the missing data");
}

template <typename Enum>
void require_enum(const Place& place, const char* field, Enum value, Enum last) {
  if (value > last) fail(place, field, "no such enumerator", "use one that frame.h declares");
}

void require_finite(const Place& place, const char* field, std::span<const float> values) {
  for (float value : values) {
    if (!std::isfinite(value)) fail(place, field, "a value is not finite", "replace NaN and infinity");
  }
}

template <int N>
void require_finite(const Place& place, const char* field, const glm::vec<N, float>& value) {
  require_finite(place, field, std::span<const float>(&value[0], size_t(N)));
}

void require_finite(const Place& place, const char* field, const glm::mat4& value) {
  require_finite(place, field, std::span<const float>(&value[0][0], 16));
}

void require_finite(const Place& place, const char* field, float value) {
  require_finite(place, field, std::span<const float>(&value, 1));
}

// Largest value of any range of an index array in O(log n), so that many draws over one large array cannot make
// validation quadratic. Each level holds the maxima of 64 neighbours of the level below.
class RangeMaximum {
 public:
  // With `restart`, the restart index counts as 0.
  RangeMaximum(std::span<const uint32_t> values, bool restart) : values_(values), restart_(restart) {
    size_t count = values.size();
    for (size_t level = 0; count > kFanOut; level++) {
      std::vector<uint32_t> maxima((count + kFanOut - 1) / kFanOut, 0);
      for (size_t i = 0; i < count; i++) maxima[i / kFanOut] = std::max(maxima[i / kFanOut], at(level, i));
      count = maxima.size();
      levels_.push_back(std::move(maxima));
    }
  }

  uint32_t query(size_t begin, size_t end) const {
    uint32_t result = 0;
    for (size_t level = 0; begin < end; level++) {
      const bool top = level == levels_.size();
      for (; begin < end && (top || begin % kFanOut); begin++) result = std::max(result, at(level, begin));
      for (; begin < end && end % kFanOut; end--) result = std::max(result, at(level, end - 1));
      begin /= kFanOut;
      end /= kFanOut;
    }
    return result;
  }

 private:
  static constexpr size_t kFanOut = 64;

  uint32_t at(size_t level, size_t i) const {
    if (level > 0) return levels_[level - 1][i];
    return restart_ && values_[i] == kRestart ? 0 : values_[i];
  }

  std::span<const uint32_t> values_;
  bool restart_;
  std::vector<std::vector<uint32_t>> levels_;
};

void validate_targets(const Frame& frame) {
  const char* remedy = "change the size of the target";
  require_range({"frame", 0}, "window_width", frame.window_width, 0, kMaxTargetSize, remedy);
  require_range({"frame", 0}, "window_height", frame.window_height, 0, kMaxTargetSize, remedy);
  if (frame.targets.empty()) fail({"frame", 0}, "targets", "there are none", "add a render target");
  for (size_t i = 0; i < frame.targets.size(); i++) {
    const Target& target = frame.targets[i];
    const Place place{"target", i};
    require_range(place, "width", target.width, 1, kMaxTargetSize, remedy);
    require_range(place, "height", target.height, 1, kMaxTargetSize, remedy);
    require_range(place, "layers", target.layers, 1, kMaxTargetLayers, remedy);
    require_range(place, "layers", uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers),
                  uint64_t(1), kMaxTargetPixels, "use fewer layers or fewer pixels per layer");
    require_enum(place, "format", target.format, ColorFormat::rgba16f);
  }
  for (size_t i = 0; i < frame.views.size(); i++) {
    const View& view = frame.views[i];
    const Place place{"view", i};
    require_index(place, "target", view.target, frame.targets.size(), "targets");
    require_index(place, "layer", view.layer, size_t(frame.targets[view.target].layers), "layers of its target");
    require_finite(place, "view_projection", view.view_projection);
    require_finite(place, "eye", view.eye);
  }
}

void validate_scissor(const Place& place, const Rect& rect) {
  const char* remedy = "keep the scissor rectangle near its target";
  require_range(place, "scissor", rect.x, -kMaxScissor, kMaxScissor, remedy);
  require_range(place, "scissor", rect.y, -kMaxScissor, kMaxScissor, remedy);
  require_range(place, "scissor", rect.width, 0, kMaxScissor, remedy);
  require_range(place, "scissor", rect.height, 0, kMaxScissor, remedy);
}

void validate_blend_term(const Place& place, const BlendTerm& term) {
  require_enum(place, "blend", term.src, BlendFactor::src_alpha_saturate);
  require_enum(place, "blend", term.dst, BlendFactor::src_alpha_saturate);
  require_enum(place, "blend", term.equation, BlendEquation::max);
}

void validate_states(const Frame& frame) {
  for (size_t i = 0; i < frame.states.size(); i++) {
    const State& state = frame.states[i];
    const Place place{"state", i};
    const char* remedy = "use a viewport that a target of at most 16384 pixels can need";
    require_range(place, "viewport", state.viewport.x, -kMaxViewportOrigin, kMaxViewportOrigin, remedy);
    require_range(place, "viewport", state.viewport.y, -kMaxViewportOrigin, kMaxViewportOrigin, remedy);
    require_range(place, "viewport", state.viewport.z, 0.0f, float(kMaxTargetSize), remedy);
    require_range(place, "viewport", state.viewport.w, 0.0f, float(kMaxTargetSize), remedy);
    require_range(place, "depth_near", state.depth_near, 0.0f, 1.0f, "clamp the depth range");
    require_range(place, "depth_far", state.depth_far, 0.0f, 1.0f, "clamp the depth range");
    if (state.scissor) validate_scissor(place, *state.scissor);
    require_enum(place, "depth", state.depth.func, CompareFunc::always);
    require_enum(place, "cull", state.cull, CullMode::front_and_back);
    require_enum(place, "front_face", state.front_face, FrontFace::cw);
    require_enum(place, "polygon_mode", state.polygon_mode, PolygonMode::point);
    if (state.polygon_offset) {
      require_finite(place, "polygon_offset", state.polygon_offset->factor);
      require_finite(place, "polygon_offset", state.polygon_offset->units);
    }
    if (state.blend) {
      validate_blend_term(place, state.blend->color);
      validate_blend_term(place, state.blend->alpha);
      require_finite(place, "blend", state.blend->constant);
    }
    if (state.alpha_test) {
      require_enum(place, "alpha_test", state.alpha_test->func, CompareFunc::always);
      require_finite(place, "alpha_test", state.alpha_test->ref);
    }
    if (state.stencil) {
      require_enum(place, "stencil", state.stencil->func, CompareFunc::always);
      require_enum(place, "stencil", state.stencil->stencil_fail, StencilOp::decrement_wrap);
      require_enum(place, "stencil", state.stencil->depth_fail, StencilOp::decrement_wrap);
      require_enum(place, "stencil", state.stencil->pass, StencilOp::decrement_wrap);
    }
  }
}

void validate_materials(const Frame& frame) {
  for (size_t i = 0; i < frame.textures.size(); i++) {
    const Texture& texture = frame.textures[i];
    const Place place{"texture", i};
    require_range(place, "width", texture.width, 1, kMaxTargetSize, "scale the picture");
    require_range(place, "height", texture.height, 1, kMaxTargetSize, "scale the picture");
    if (texture.texels.size() != size_t(texture.width) * size_t(texture.height)) {
      fail(place, "texels", "their number is not width * height", "give one texel per pixel");
    }
  }
  const int last_texture = int(std::min<size_t>(frame.textures.size(), 1u << 30)) - 1;
  for (size_t i = 0; i < frame.materials.size(); i++) {
    const Material& material = frame.materials[i];
    const Place place{"material", i};
    require_enum(place, "kind", material.kind, MaterialKind::blinn_phong);
    require_finite(place, "diffuse", material.diffuse);
    require_finite(place, "specular", material.specular);
    require_finite(place, "emission", material.emission);
    require_finite(place, "ambient", material.ambient);
    require_finite(place, "shininess", material.shininess);
    require_finite(place, "opacity", material.opacity);
    require_finite(place, "alpha_cutoff", material.alpha_cutoff);
    const char* remedy = "use -1 for no texture";
    require_range(place, "diffuse_texture", material.diffuse_texture, -1, last_texture, remedy);
    require_range(place, "alpha_texture", material.alpha_texture, -1, last_texture, remedy);
  }
}

void validate_attributes(const Frame& frame) {
  if (!frame.normals.empty() && frame.normals.size() != frame.positions.size()) {
    fail({"frame", 0}, "normals", "there are more or fewer than positions", "give none, or one per position");
  }
  if (!frame.texcoords.empty() && frame.texcoords.size() != frame.positions.size()) {
    fail({"frame", 0}, "texcoords", "there are more or fewer than positions", "give none, or one per position");
  }
  for (size_t i = 0; i < frame.models.size(); i++) {
    require_finite({"model", i}, "matrix", frame.models[i]);
  }
}

// The draw's ranges; index values are checked by the caller.
void validate_draw(const Frame& frame, const Place& place, const DrawCommand& draw) {
  if (draw.view_count == 0) fail(place, "view_count", "0", "leave the draw out or give it a view");
  if (draw.instances == 0) fail(place, "instances", "0", "leave the draw out or give it an instance");
  require_extent(place, "first_view", draw.first_view, draw.view_count, frame.views.size(), "views");
  require_index(place, "state", draw.state, frame.states.size(), "states");
  require_index(place, "material", draw.material, frame.materials.size(), "materials");
  require_enum(place, "topology", draw.topology, Topology::line_loop);
  require_enum(place, "vertex_kind", draw.vertex_kind, VertexKind::transform);
  if (draw.flags & ~kKnownFlags) fail(place, "flags", "unknown bits are set", "use the bits of DrawFlag");

  const bool clip_space = draw.vertex_kind == VertexKind::clip_space;
  const uint64_t vertices = uint64_t(draw.vertex_count) * (clip_space ? draw.instances : 1);
  require_extent(place, "first_vertex", draw.first_vertex, vertices, frame.positions.size(), "positions");
  if (!clip_space) {
    require_extent(place, "first_instance", draw.first_instance, draw.instances, frame.models.size(), "models");
  }
  if (draw.indexed) {
    require_extent(place, "first_index", draw.first_index, draw.element_count, frame.indices.size(), "indices");
  } else if (draw.element_count > draw.vertex_count) {
    fail(place, "element_count", "it is larger than vertex_count", "give the draw more vertices");
  }
  const Material& material = frame.materials[draw.material];
  if (material.kind == MaterialKind::blinn_phong && draw.element_count > 0) {
    if (frame.normals.empty()) fail(place, "material", "Blinn-Phong needs normals", "give one per position");
    if ((material.diffuse_texture >= 0 || material.alpha_texture >= 0) && frame.texcoords.empty()) {
      fail(place, "material", "a texture needs texcoords", "give one per position");
    }
  }
}

void validate_clear(const Frame& frame, const Place& place, const ClearCommand& clear) {
  require_index(place, "target", clear.target, frame.targets.size(), "targets");
  if (clear.color) require_finite(place, "color", *clear.color);
  if (clear.depth) require_range(place, "depth", *clear.depth, 0.0f, 1.0f, "clamp the depth");
  if (clear.scissor) validate_scissor(place, *clear.scissor);
}

void validate_blit(const Frame& frame, const Place& place, const BlitCommand& blit) {
  require_index(place, "from", blit.from, frame.targets.size(), "targets");
  require_index(place, "to", blit.to, frame.targets.size(), "targets");
  const char* remedy = "keep the rectangle near its target";
  for (const Rect* rect : {&blit.source, &blit.destination}) {
    const char* field = rect == &blit.source ? "source" : "destination";
    for (int value : {rect->x, rect->y, rect->width, rect->height}) {
      require_range(place, field, value, -kMaxBlit, kMaxBlit, remedy);
    }
  }
}

void validate_commands(const Frame& frame) {
  std::optional<RangeMaximum> maximum, maximum_with_restart;
  uint64_t primitives = 0;
  for (size_t i = 0; i < frame.commands.size(); i++) {
    const Place place{"command", i};
    if (const auto* clear = std::get_if<ClearCommand>(&frame.commands[i])) {
      validate_clear(frame, place, *clear);
    } else if (const auto* blit = std::get_if<BlitCommand>(&frame.commands[i])) {
      validate_blit(frame, place, *blit);
    } else {
      const auto& draw = std::get<DrawCommand>(frame.commands[i]);
      validate_draw(frame, place, draw);
      if (draw.indexed && draw.element_count > 0) {
        std::optional<RangeMaximum>& ranges = draw.restart ? maximum_with_restart : maximum;
        if (!ranges) ranges.emplace(frame.indices, draw.restart);
        const uint32_t largest = ranges->query(draw.first_index, draw.first_index + draw.element_count);
        if (largest >= draw.vertex_count) {
          std::ostringstream problem;
          problem << "index " << largest << " is outside the draw's " << draw.vertex_count << " vertices";
          fail(place, "indices", problem.str(), "give the draw more vertices or correct its indices");
        }
      }
      // Each factor is below 2^32, so the first product fits; the second is compared by division.
      const uint64_t of_view = primitive_count(draw.topology, draw.element_count) * draw.instances;
      if (of_view > (kMaxPrimitives - primitives) / draw.view_count) {
        fail(place, "element_count", "the frame submits more than 4294967294 primitives", "split the frame");
      }
      primitives += of_view * draw.view_count;
    }
  }
}

void validate_references(const Frame& frame) {
  for (size_t i = 0; i < frame.references.size(); i++) {
    const Reference& reference = frame.references[i];
    const Place place{"reference", i};
    require_index(place, "target", reference.target, frame.targets.size(), "targets");
    require_range(place, "before", uint64_t(reference.before), uint64_t(0), uint64_t(frame.commands.size()),
                  "name a command, or the number of commands for the end of the frame");
    if (reference.depth.empty()) continue;
    const Target& target = frame.targets[reference.target];
    if (reference.depth_width != target.width || reference.depth_height != target.height ||
        reference.depth.size() != size_t(target.width) * size_t(target.height)) {
      fail(place, "depth", "its size is not that of its target", "store one value per pixel of the target");
    }
  }
}

}  // namespace

void validate(const Frame& frame) {
  validate_targets(frame);
  validate_states(frame);
  validate_materials(frame);
  validate_attributes(frame);
  validate_commands(frame);
  validate_references(frame);
}

}  // namespace brokkr
