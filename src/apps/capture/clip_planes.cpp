#include "capture/clip_planes.h"

#include <algorithm>
#include <array>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat4x4.hpp>
#include <glm/matrix.hpp>

#include "capture/clip.h"
#include "capture/fragment.h"

namespace brokkr::capture {
namespace {

const RecordedVarying* find_recorded(const VertexStage& stage, const char* name) {
  const auto found = std::find_if(stage.recorded.begin(), stage.recorded.end(),
                                  [&](const RecordedVarying& varying) { return varying.name == name; });
  return found == stage.recorded.end() ? nullptr : &*found;
}

glm::vec4 plane_of(GLint number) {
  std::array<GLdouble, 4> values{};
  GL(GetClipPlane)(GL_CLIP_PLANE0 + static_cast<GLenum>(number), values.data());
  return {values[0], values[1], values[2], values[3]};
}

glm::mat4 projection() { return glm::make_mat4(get_floats<16>(GL_PROJECTION_MATRIX).data()); }

std::vector<Interpolation> interpolation_of(const VertexStage& stage, const State& state) {
  std::vector<Interpolation> all(stage.components() - 4, Interpolation::smooth);
  const FragmentProgram* const program = stage.fragment ? &stage.fragment->program
                                         : stage.fixed  ? &stage.fixed->program
                                                        : nullptr;
  for (const RecordedVarying& recorded : stage.recorded) {
    for (size_t i = 0; program != nullptr && i < program->varyings.size(); i++) {
      const ProgramVarying& varying = program->varyings[i];
      if (varying.name == recorded.name) {
        std::fill_n(all.begin() + recorded.offset, recorded.components, varying.interpolation);
      }
    }
    if (state.flat_shading && is_color(recorded.name)) {
      std::fill_n(all.begin() + recorded.offset, recorded.components, Interpolation::flat);
    }
  }
  return all;
}

}  // namespace

ClipPlanes::ClipPlanes(const Context& context, const std::vector<GLint>& enabled, const VertexStage& stage)
    : numbers_(enabled) {
  if (enabled.empty()) return;
  source_ = find_recorded(stage, "gl_ClipDistance");
  are_distances_ = source_ != nullptr;
  if (are_distances_) {
    known_ = std::all_of(enabled.begin(), enabled.end(),
                         [&](GLint number) { return static_cast<uint32_t>(number) < source_->components; });
    return;
  }
  known_ = context.info.compatibility && !stage.clip_distances;
  if (!known_) return;
  source_ = find_recorded(stage, "gl_ClipVertex");
  // Planes are in eye space. Drivers transform them to clip space if the vertex shader provides nothing else.
  const glm::mat4 to_clip = glm::transpose(glm::inverse(projection()));
  for (const GLint number : enabled) planes_.push_back(source_ ? plane_of(number) : to_clip * plane_of(number));
}

std::vector<float> ClipPlanes::distances(const Replayed& part, uint32_t components) const {
  std::vector<float> result;
  for (size_t vertex = 0; vertex < part.positions.size(); vertex++) {
    const float* const values =
        source_ != nullptr ? &part.varyings[vertex * components + source_->offset] : &part.positions[vertex].x;
    for (size_t i = 0; i < numbers_.size(); i++) {
      result.push_back(are_distances_ ? values[numbers_[i]]
                                      : planes_[i].x * values[0] + planes_[i].y * values[1] + planes_[i].z * values[2] +
                                            planes_[i].w * values[3]);
    }
  }
  return result;
}

void ClipPlanes::clip(Replayed& part, const VertexStage& stage, const State& state, bool provoking_first) const {
  if (!part.assembly) return;
  const ClipRules rules{interpolation_of(stage, state), provoking_first};
  const std::vector<float> all = distances(part, stage.components() - 4);
  ClippedDraw draw{std::move(*part.assembly), part.vertices, part.instances, std::move(part.positions),
                   std::move(part.varyings)};
  capture::clip(draw, all, static_cast<uint32_t>(numbers_.size()), rules);
  part.assembly = std::move(draw.assembly);
  part.vertices = draw.vertices;
  part.instances = draw.instances;
  part.positions = std::move(draw.positions);
  part.varyings = std::move(draw.varyings);
}

}  // namespace brokkr::capture
