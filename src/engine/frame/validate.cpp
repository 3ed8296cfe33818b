#include "frame/validate.h"

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/loading.h"
#include "brokkr/drawing_order.h"
#include "frame/primitive_counts.h"

namespace brokkr {
namespace {

constexpr uint32_t kKnownFlags = ((kProvokingFirst << 1) - 1) | kBackToFront;
// Primitive identifiers are 32 bits and ~0u means "none".
constexpr uint64_t kMaxPrimitives = 0xfffffffeu;

// Finds the largest value in any range of an index array in O(log n), so that validation takes no quadratic time for
// many draws over one large array. Each level holds the maxima of 64 neighbours of the level below.
class RangeMaximum {
 public:
  // With `restart`, restart indices count as 0.
  RangeMaximum(std::span<const uint32_t> values, bool restart, Loading* loading) : values_(values), restart_(restart) {
    size_t count = values.size();
    for (size_t level = 0; count > kFanOut; level++) {
      std::vector<uint32_t> maxima((count + kFanOut - 1) / kFanOut, 0);
      for (size_t i = 0; i < maxima.size(); i++) {
        const size_t end = std::min((i + 1) * kFanOut, count);
        for (size_t k = i * kFanOut; k < end; k++) maxima[i] = std::max(maxima[i], at(level, k));
        if (loading != nullptr) loading->step(i, maxima.size());
      }
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
    return restart_ && values_[i] == kRestartIndex ? 0 : values_[i];
  }

  std::span<const uint32_t> values_;
  bool restart_;
  std::vector<std::vector<uint32_t>> levels_;
};

void validate_targets(const Frame& frame) {
  constexpr const char* kSamplesRemedy = "a pixel has 1, 2, 4 or 8 samples";
  const char* remedy = "change the size of the target";
  require_range({"frame", 0}, "window_width", frame.window_width, 0, kMaxTargetSize, remedy);
  require_range({"frame", 0}, "window_height", frame.window_height, 0, kMaxTargetSize, remedy);
  if (frame.targets.empty()) fail_at({"frame", 0}, "targets", "there are none", "add a render target");
  for (size_t i = 0; i < frame.targets.size(); i++) {
    const Target& target = frame.targets[i];
    const Place place{"target", i};
    require_range(place, "width", target.width, 1, kMaxTargetSize, remedy);
    require_range(place, "height", target.height, 1, kMaxTargetSize, remedy);
    require_range(place, "layers", target.layers, 1, kMaxTargetLayers, remedy);
    require_range(place, "layers", uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers), 1,
                  kMaxTargetPixels, "use fewer layers or fewer pixels per layer");
    require_range(place, "colors", target.colors.size(), 0, kMaxColorPlanes, "a target has up to 8 colours");
    require_range(place, "samples", target.samples, 1, 8, kSamplesRemedy);
    if ((target.samples & (target.samples - 1)) != 0)
      fail_at(place, "samples", std::to_string(target.samples) + "is not a power of two", kSamplesRemedy);
    require_range(place, "samples",
                  uint64_t(target.width) * uint64_t(target.height) * uint64_t(target.layers) * uint64_t(target.samples),
                  1, kMaxTargetPixels, "use fewer samples, layers or pixels");
    check_fields(frame, place, target);
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

void validate_states(const Frame& frame) {
  for (size_t i = 0; i < frame.states.size(); i++) {
    const State& state = frame.states[i];
    const Place place{"state", i};
    const char* remedy = "use a viewport that a target of at most 16384 pixels can need";
    for (int axis = 0; axis < 2; axis++) {
      constexpr float kMaxSize = float(kMaxTargetSize);
      require_range(place, "viewport", state.viewport[axis], -2 * kMaxSize, 2 * kMaxSize, remedy);
      require_range(place, "viewport", state.viewport[axis + 2], 0, kMaxSize, remedy);
    }
    require_range(place, "depth_near", state.depth_near, 0, 1, "clamp the depth range");
    require_range(place, "depth_far", state.depth_far, 0, 1, "clamp the depth range");
    check_fields(frame, place, state);
  }
}

void validate_mapping(const Place& place, const char* field, const TextureMapping& mapping) {
  require_range(place, field, mapping.set, 0, 1, "there are two sets of texture coordinates");
  require_finite(place, field, mapping.linear);
  require_finite(place, field, mapping.offset);
}

void validate_materials(const Frame& frame) {
  for (size_t i = 0; i < frame.textures.size(); i++) {
    const Texture& texture = frame.textures[i];
    const Place place{"texture", i};
    require_range(place, "width", texture.width, 1, kMaxTargetSize, "scale the picture");
    require_range(place, "height", texture.height, 1, kMaxTargetSize, "scale the picture");
    if (texture.texels.size() != size_t(texture.width) * size_t(texture.height)) {
      fail_at(place, "texels", "their number is not width * height", "give one texel per pixel");
    }
    require_enum(place, "sampler.wrap_x", texture.sampler.wrap_x <= Wrap::clamp_to_edge);
    require_enum(place, "sampler.wrap_y", texture.sampler.wrap_y <= Wrap::clamp_to_edge);
    require_enum(place, "sampler.mip", texture.sampler.mip <= MipFilter::linear);
  }
  const int last_texture = int(std::min<size_t>(frame.textures.size(), 1u << 30)) - 1;
  for (size_t i = 0; i < frame.materials.size(); i++) {
    const Material& material = frame.materials[i];
    const Place place{"material", i};
    require_enum(place, "kind", material.kind <= MaterialKind::metallic_roughness);
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
    require_range(place, "metallic_roughness_texture", material.metallic_roughness_texture, -1, last_texture, remedy);
    require_range(place, "normal_texture", material.normal_texture, -1, last_texture, remedy);
    require_range(place, "emission_texture", material.emission_texture, -1, last_texture, remedy);
    require_range(place, "occlusion_texture", material.occlusion_texture, -1, last_texture, remedy);
    require_range(place, "metallic", material.metallic, 0, 1, "clamp it");
    require_range(place, "roughness", material.roughness, 0, 1, "clamp it");
    require_range(place, "occlusion_strength", material.occlusion_strength, 0, 1, "clamp it");
    require_finite(place, "normal_scale", material.normal_scale);
    validate_mapping(place, "diffuse_mapping", material.diffuse_mapping);
    validate_mapping(place, "metallic_roughness_mapping", material.metallic_roughness_mapping);
    validate_mapping(place, "normal_mapping", material.normal_mapping);
    validate_mapping(place, "emission_mapping", material.emission_mapping);
    validate_mapping(place, "occlusion_mapping", material.occlusion_mapping);
  }
}

void validate_attributes(const Frame& frame) {
  const auto check = [&](const char* field, size_t count) {
    if (count == 0 || count == frame.positions.size()) return;
    fail_at({"frame", 0}, field, "there are more or fewer than positions", "give none, or one per position");
  };
  check("normals", frame.normals.size());
  check("texcoords", frame.texcoords.size());
  check("second_texcoords", frame.second_texcoords.size());
  check("colors", frame.colors.size());
  for (size_t i = 0; i < frame.models.size(); i++) {
    require_finite({"model", i}, "matrix", frame.models[i]);
  }
}

void validate_planes(const Frame&, const Place&, const BlitCommand&) {}

// Checks the draw's ranges. The caller checks the values of its indices.
void validate_draw(const Frame& frame, std::span<const ProgramNeeds> sizes, std::span<const ProgramNeeds> vertex_sizes,
                   const Place& place, const DrawCommand& draw) {
  if (draw.view_count == 0) fail_at(place, "view_count", "0", "leave the draw out or give it a view");
  if (draw.instances == 0) fail_at(place, "instances", "0", "leave the draw out or give it an instance");
  require_extent(place, "first_view", draw.first_view, draw.view_count, frame.views.size(), "views");
  require_index(place, "state", draw.state, frame.states.size(), "states");
  require_index(place, "material", draw.material, frame.materials.size(), "materials");
  require_enum(place, "topology", draw.topology <= Topology::line_loop);
  require_enum(place, "vertex_kind", draw.vertex_kind <= VertexKind::transform);
  if (draw.flags & ~kKnownFlags) fail_at(place, "flags", "unknown bits are set", "use the bits of DrawFlag");

  const bool clip_space = draw.vertex_kind == VertexKind::clip_space;
  const uint64_t vertices = uint64_t(draw.vertex_count) * (clip_space ? draw.instances : 1);
  require_extent(place, "first_vertex", draw.first_vertex, vertices, frame.positions.size(), "positions");
  if (!clip_space) {
    require_extent(place, "first_instance", draw.first_instance, draw.instances, frame.models.size(), "models");
  }
  if (draw.indexed) {
    require_extent(place, "first_index", draw.first_index, draw.element_count, frame.indices.size(), "indices");
  } else if (draw.element_count > draw.vertex_count) {
    fail_at(place, "element_count", "it is larger than vertex_count", "give the draw more vertices");
  }
  if (draw.inputs >= 0) validate_inputs(frame, sizes, place, draw);
  if (draw.vertices >= 0) validate_vertices(frame, vertex_sizes, place, draw);
  const Material& material = frame.materials[draw.material];
  if (material.kind != MaterialKind::none && draw.element_count > 0) {
    if (frame.normals.empty()) fail_at(place, "material", "its shader needs normals", "give one per position");
    if (material.is_textured() && frame.texcoords.empty()) {
      fail_at(place, "material", "a texture needs texcoords", "give one per position");
    }
    if (material.reads_second_texcoords() && frame.second_texcoords.empty()) {
      fail_at(place, "material", "a texture needs second_texcoords", "give one per position");
    }
  }
}

// Checks the draws' references to the frame's long lists. Each list is read once, however many draws share it.
class DrawCounts {
 public:
  DrawCounts(const Frame& frame, Loading* loading) : frame_(frame), loading_(loading) {}

  void add(const Place& place, const DrawCommand& draw) {
    if (draw.indexed && draw.element_count > 0) {
      std::optional<RangeMaximum>& ranges = draw.restart ? maximum_with_restart_ : maximum_;
      if (!ranges) ranges.emplace(frame_.indices, draw.restart, loading_);
      const uint32_t largest = ranges->query(draw.first_index, draw.first_index + draw.element_count);
      if (largest >= draw.vertex_count) {
        fail_at(place, "indices", fmt::format("index {} is outside the draw's {} vertices", largest, draw.vertex_count),
                "give the draw more vertices or correct its indices");
      }
    }
    // Each factor is below 2^32, so the first product fits in 64 bits. A division tests the second.
    const uint64_t of_view = primitive_count(draw.topology, draw.element_count) * draw.instances;
    if (of_view > (kMaxPrimitives - primitives_) / draw.view_count) {
      fail_at(place, "element_count", "the frame submits more than 4294967294 primitives", "split the frame");
    }
    primitives_ += of_view * draw.view_count;
  }

 private:
  const Frame& frame_;
  Loading* loading_;
  std::optional<RangeMaximum> maximum_, maximum_with_restart_;
  uint64_t primitives_ = 0;
};

void validate_commands(const Frame& frame, Loading* loading) {
  DrawCounts counts(frame, loading);
  const std::vector<ProgramNeeds> sizes = program_sizes(frame), vertex_sizes = vertex_program_sizes(frame);
  for (size_t i = 0; i < frame.commands.size(); i++) {
    if (loading != nullptr) loading->step(i, frame.commands.size());
    const Place place{"command", i};
    std::visit(
        [&]<typename T>(const T& command) {
          if constexpr (std::is_same_v<T, DrawCommand>) {
            validate_draw(frame, sizes, vertex_sizes, place, command);
          } else {
            check_fields(frame, place, command);
            validate_planes(frame, place, command);
          }
        },
        frame.commands[i]);
    if (const auto* draw = std::get_if<DrawCommand>(&frame.commands[i])) counts.add(place, *draw);
  }
}

void validate_references(const Frame& frame) {
  for (size_t i = 0; i < frame.references.size(); i++) {
    const Reference& reference = frame.references[i];
    const Place place{"reference", i};
    require_index(place, "target", reference.target, frame.targets.size(), "targets");
    require_range(place, "before", uint64_t(reference.before), 0, frame.commands.size(),
                  "name a command, or the number of commands for the end of the frame");
    if (reference.depth.empty()) continue;
    const Target& target = frame.targets[reference.target];
    if (reference.depth_width != target.width || reference.depth_height != target.height ||
        reference.depth.size() != size_t(target.width) * size_t(target.height)) {
      fail_at(place, "depth", "its size is not that of its target", "store one value per pixel of the target");
    }
  }
}

void validate_all(const Frame& frame, Loading* loading) {
  validate_targets(frame);
  validate_states(frame);
  validate_materials(frame);
  validate_attributes(frame);
  validate_programs(frame);
  validate_commands(frame, loading);
  validate_results(frame);
  validate_references(frame);
}

}  // namespace

void validate(const Frame& frame) { validate_all(frame, nullptr); }

void validate(const Frame& frame, Loading& loading) { validate_all(frame, &loading); }

}  // namespace brokkr
