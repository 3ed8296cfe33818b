#include "inspect/game_camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/common.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <glm/trigonometric.hpp>
#include <set>
#include <stdexcept>

#include "base/counted.h"
#include "base/nearest_name.h"
#include "brokkr/vertex_stage.h"

namespace brokkr {
namespace {

// A fit or a comparison uses at most this many vertices of a draw.
constexpr uint64_t kSamples = 4096, kCompared = 256;
// Relative tolerances: of positions after an experiment, of equal matrices, and of equal projections.
constexpr float kSamePosition = 1e-3f, kSameMatrix = 1e-3f, kSameView = 2e-3f;
constexpr const char* kNotPerspective = "no perspective view";
constexpr const char* kStoredFlat = "only computed vertices in the file, which are no perspective view";
// The origin of a sky without depth may be this far from the camera, as a part of the sky's size.
constexpr float kSkyCenter = 2e-3f;
// The experiments cost a run of the vertex programs for each matrix of the program that has most.
constexpr size_t kMaxMatrices = 12;

bool usable(const glm::vec4& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z) && std::isfinite(p.w);
}

// An arbitrary matrix without zeros, near the identity.
glm::mat4 experiment() {
  const glm::mat4 parts(0.11f, -0.05f, 0.07f, 0.03f, -0.08f, 0.09f, 0.04f, -0.06f, 0.05f, 0.06f, -0.1f, 0.02f, 0.07f,
                        -0.03f, 0.08f, 0.12f);
  return glm::mat4(1.0f) + parts;
}

// An arbitrary rigid motion.
glm::mat4 motion() {
  return glm::translate(glm::rotate(glm::mat4(1.0f), 0.2f, glm::normalize(glm::vec3(1, -2, 0.5f))),
                        glm::vec3(0.3f, -0.2f, 0.4f));
}

float largest(const glm::mat4& m) {
  float largest_part = 0;
  for (int c = 0; c < 4; ++c) {
    for (int r = 0; r < 4; ++r) largest_part = std::max(largest_part, std::abs(m[c][r]));
  }
  return largest_part;
}

bool is_same(const glm::mat4& a, const glm::mat4& b) {
  return largest(a - b) <= kSameMatrix * std::max(largest(a), largest(b)) && largest(b) > 0;
}

glm::vec4 row(const glm::mat4& m, int r) { return {m[0][r], m[1][r], m[2][r], m[3][r]}; }

bool is_matrix(ShaderType type) { return type == ShaderType::mat4 || type == ShaderType::mat3; }

// Access to the words of a draw's uniforms in one of its programs.
template <class Inputs>
uint64_t word_of(const Inputs& inputs, const ProgramUniform& uniform, uint32_t element, uint32_t component) {
  const ShaderShape shape = shape_of(uniform.type);
  const uint32_t column = component / shape.rows, row = component % shape.rows;
  if (uniform.block < 0) return inputs.first_uniform + uniform.offset / 4 + element * shape.components() + component;
  const bool by_rows = uniform.row_major && shape.columns > 1;
  const uint32_t vector = by_rows ? row : column, number = by_rows ? column : row;
  return inputs.first_of_blocks[size_t(uniform.block)] +
         (uniform.offset + element * uniform.array_stride + vector * uniform.matrix_stride) / 4 + number;
}

// The first element of a matrix or vector, which is the upper left part of the result.
template <class Inputs>
glm::mat4 read_matrix(const Frame& frame, const Inputs& inputs, const ProgramUniform& uniform) {
  const ShaderShape shape = shape_of(uniform.type);
  glm::mat4 matrix(1.0f);
  for (uint32_t i = 0; i < shape.components(); ++i)
    matrix[int(i / shape.rows)][int(i % shape.rows)] =
        std::bit_cast<float>(frame.uniforms[size_t(word_of(inputs, uniform, 0, i))]);
  return matrix;
}

template <class Inputs>
void write_matrix(Frame& frame, const Inputs& inputs, const ProgramUniform& uniform, const glm::mat4& matrix) {
  const ShaderShape shape = shape_of(uniform.type);
  for (uint32_t i = 0; i < shape.components(); ++i)
    frame.uniforms[size_t(word_of(inputs, uniform, 0, i))] =
        std::bit_cast<uint32_t>(matrix[int(i / shape.rows)][int(i % shape.rows)]);
}

// Gives a draw's program its own copy of its uniforms, so that a change affects no other draw and no other program.
template <class Program, class Inputs>
void copy_uniforms(Frame& frame, const Program& program, Inputs& inputs) {
  const auto copy = [&](uint64_t& first, uint64_t words) {
    const uint64_t copied = frame.uniforms.size();
    frame.uniforms.resize(size_t(copied + words));
    std::copy_n(frame.uniforms.begin() + std::ptrdiff_t(first), words, frame.uniforms.begin() + std::ptrdiff_t(copied));
    first = copied;
  };
  copy(inputs.first_uniform, uniform_words(program));
  for (size_t i = 0; i < inputs.first_of_blocks.size(); ++i)
    copy(inputs.first_of_blocks[i], program.blocks[i].size / 4);
}

// The value of a uniform of this form for a matrix that ends in eye space.
glm::mat4 value_of(CameraForm form, const glm::mat4& eye) {
  switch (form) {
    case CameraForm::eye_inverse: return glm::inverse(eye);
    case CameraForm::eye_transpose: return glm::transpose(eye);
    case CameraForm::eye_inverse_transpose: return glm::transpose(glm::inverse(eye));
    default: return eye;
  }
}

glm::mat4 upper_part(const glm::mat4& m) { return glm::mat4(glm::mat3(m)); }

// The form of an element of gl_LightSource. Empty for other uniforms.
std::optional<CameraForm> light_form(const std::string& name) {
  if (!name.starts_with("gl_LightSource[")) return std::nullopt;
  if (name.ends_with("].position")) return CameraForm::light_position;
  if (name.ends_with("].spotDirection")) return CameraForm::light_direction;
  if (name.ends_with("].halfVector")) return CameraForm::light_half_vector;
  return std::nullopt;
}

// The value of a light after the motion of eye space.
glm::vec4 moved_light(CameraForm form, const glm::vec4& value, const glm::mat4& motion) {
  if (form == CameraForm::light_position) return motion * value;
  if (form == CameraForm::light_direction) return {glm::mat3(motion) * glm::vec3(value), value.w};
  // The half vector lies between the direction to the light and that to the viewer, +z.
  const glm::vec3 viewer(0, 0, 1), half = glm::normalize(glm::vec3(value));
  const glm::vec3 light = glm::mat3(motion) * (2 * glm::dot(half, viewer) * half - viewer);
  return {glm::normalize(light + viewer), value.w};
}

constexpr std::array kValueForms = {CameraForm::eye, CameraForm::eye_inverse, CameraForm::eye_transpose,
                                    CameraForm::eye_inverse_transpose};

// Draws with the same inputs of a vertex program, and the results of experiments with them.
struct Subject {
  std::vector<uint32_t> commands;
  const DrawCommand* draw = nullptr;  // the first one
  const VertexInputs* inputs = nullptr;
  const VertexProgram* program = nullptr;
  std::vector<uint32_t> matrices;     // its mat4 uniforms
  std::optional<uint32_t> clip, eye;  // uniforms
  bool is_transposed = false;
};

class Search {
 public:
  Search(const Frame& frame, const LoadOptions& load) : frame_(frame), copy_(frame), load_(load) {
    load_.warning = {};
    for (uint32_t i = 0; i < frame.commands.size(); ++i) {
      const auto* const draw = std::get_if<DrawCommand>(&frame.commands[i]);
      if (draw == nullptr || draw->vertex_count == 0 || draw->instances == 0) continue;
      if (draw->vertices >= 0) add_subject(i, *draw);
    }
  }

  GameCamera run() {
    size_t max_matrices = 0;
    for (const Subject& one : subjects_) max_matrices = std::max(max_matrices, one.matrices.size());
    for (const bool is_transposed : {false, true}) {
      for (size_t i = 0; i < max_matrices; ++i) try_clip(i, is_transposed);
    }
    take_all_apart();
    choose_projection();
    for (size_t i = 0; i < max_matrices; ++i) try_eye(i);
    GameCamera result;
    if (!projection_) return result;
    result.projection = *projection_;
    for (const Subject& one : subjects_) {
      for (const uint32_t command : one.commands) add_draw(one, command, result);
    }
    add_stored(result);
    std::ranges::sort(result.draws, {}, &CameraDraw::command);
    result.distance = median_distance(result);
    return result;
  }

 private:
  void add_subject(uint32_t command, const DrawCommand& draw) {
    const auto [known, is_new] = subject_of_.emplace(draw.vertices, subjects_.size());
    if (!is_new) {
      subjects_[known->second].commands.push_back(command);
      return;
    }
    Subject one{.commands = {command}, .draw = &draw, .inputs = &frame_.vertex_inputs[size_t(draw.vertices)]};
    one.program = &frame_.vertex_programs[one.inputs->program];
    for (uint32_t i = 0; i < one.program->uniforms.size() && one.matrices.size() < kMaxMatrices; ++i) {
      if (one.program->uniforms[i].type == ShaderType::mat4 && one.program->uniforms[i].count == 1)
        one.matrices.push_back(i);
    }
    // Each subject has its own inputs in the copy, so that its experiments affect no other.
    copy_.vertex_inputs.push_back(*one.inputs);
    copy_uniforms(copy_, *one.program, copy_.vertex_inputs.back());
    inputs_.push_back(uint32_t(copy_.vertex_inputs.size() - 1));
    subjects_.push_back(std::move(one));
  }

  void set_vertices(const Subject& one, int32_t vertices) {
    for (const uint32_t command : one.commands) std::get<DrawCommand>(copy_.commands[command]).vertices = vertices;
  }

  // Runs the programs of the subjects for which `change` returns a new value of a uniform; `judge` sees the results.
  template <class Change, class Judge>
  void experiment_with(size_t matrix, Change change, Judge judge) {
    std::vector<std::pair<size_t, glm::mat4>> changed;
    for (size_t i = 0; i < subjects_.size(); ++i) {
      const Subject& one = subjects_[i];
      set_vertices(one, -1);
      if (matrix >= one.matrices.size()) continue;
      const VertexInputs& inputs = copy_.vertex_inputs[inputs_[i]];
      const ProgramUniform& uniform = one.program->uniforms[one.matrices[matrix]];
      const glm::mat4 was = read_matrix(copy_, inputs, uniform);
      const std::optional<glm::mat4> now = change(i, was);
      if (!now) continue;
      set_vertices(one, int32_t(inputs_[i]));
      write_matrix(copy_, inputs, uniform, *now);
      changed.emplace_back(i, was);
    }
    if (changed.empty()) return;
    shade_vertices(copy_, load_);
    for (const auto& [i, was] : changed) {
      judge(subjects_[i], subjects_[i].matrices[matrix]);
      write_matrix(copy_, copy_.vertex_inputs[inputs_[i]],
                   subjects_[i].program->uniforms[subjects_[i].matrices[matrix]], was);
    }
  }

  // Returns true if the draw's positions in the copy are those of the frame, multiplied by `by`.
  bool are_moved(const Subject& one, const glm::mat4& by) const {
    const uint64_t count = uint64_t(one.draw->vertex_count) * one.draw->instances;
    const uint64_t step = std::max<uint64_t>(1, count / kCompared);
    uint64_t compared = 0;
    for (uint64_t i = 0; i < count; i += step) {
      const glm::vec4 &was = frame_.positions[one.draw->first_vertex + i],
                      &is = copy_.positions[one.draw->first_vertex + i];
      if (!usable(was) || !usable(is)) continue;
      const glm::vec4 wanted = by * was, apart = glm::abs(is - wanted), size = glm::abs(wanted);
      const float scale = std::max({size.x, size.y, size.z, size.w, 1e-12f});
      if (std::max({apart.x, apart.y, apart.z, apart.w}) > kSamePosition * scale) return false;
      compared += is != was;
    }
    return compared > 0;
  }

  void try_clip(size_t matrix, bool is_transposed) {
    const glm::mat4 by = experiment();
    experiment_with(
        matrix,
        [&](size_t i, const glm::mat4& was) -> std::optional<glm::mat4> {
          if (subjects_[i].clip) return std::nullopt;
          return is_transposed ? was * glm::transpose(by) : by * was;
        },
        [&](Subject& one, uint32_t uniform) {
          if (!are_moved(one, by)) return;
          one.clip = uniform;
          one.is_transposed = is_transposed;
        });
  }

  void take_all_apart() {
    for (const Subject& one : subjects_) {
      std::optional<TakenApart>& parts = parts_.emplace_back();
      if (one.clip) parts = take_apart(clip_matrix(one));
    }
  }

  // The projection that most triangles have.
  void choose_projection() {
    struct Group {
      GameProjection projection;
      uint64_t triangles = 0;
    };
    std::vector<Group> groups;
    for (size_t i = 0; i < subjects_.size(); ++i) {
      if (!parts_[i]) continue;
      const GameProjection& own = parts_[i]->projection;
      auto group = std::ranges::find_if(groups, [&](const Group& one) { return one.projection.is_same_view(own); });
      if (group == groups.end()) group = groups.insert(groups.end(), Group{own, 0});
      group->triangles +=
          primitive_count(frame_, *subjects_[i].draw) * subjects_[i].draw->instances * subjects_[i].commands.size();
    }
    const auto largest_group = std::ranges::max_element(groups, {}, &Group::triangles);
    if (largest_group == groups.end()) return;
    projection_ = largest_group->projection;
    std::vector<glm::vec2> depths;
    for (size_t i = 0; i < subjects_.size(); ++i) {
      if (is_of_the_camera(i)) depths.push_back(parts_[i]->projection.depth);
    }
    for (size_t i = 0; i < subjects_.size(); ++i) {
      if (subjects_[i].clip && !is_of_the_camera(i)) accept_distorted(i, depths);
    }
  }

  // Objects with different scales along their axes look like another projection. They belong to the camera if their
  // near and far planes are those of its other draws. A change of both scales by one factor is another field of view,
  // unless the object faces the camera, as sprites do.
  void accept_distorted(size_t subject, const std::vector<glm::vec2>& depths) {
    std::optional<TakenApart>& parts = parts_[subject];
    const std::optional<TakenApart> as_camera = take_apart(clip_matrix(subjects_[subject]), *projection_);
    if (!as_camera) return;
    const glm::mat4 upper = upper_part(as_camera->eye);
    const glm::mat4 diagonal(glm::vec4(upper[0][0], 0, 0, 0), glm::vec4(0, upper[1][1], 0, 0),
                             glm::vec4(0, 0, upper[2][2], 0), glm::vec4(0, 0, 0, 1));
    const bool is_wider = parts && std::abs(parts->projection.aspect() / projection_->aspect() - 1) <= kSameView;
    if (is_wider && !is_same(upper, diagonal)) return;
    const glm::vec2 own = as_camera->projection.depth;
    const bool is_known = std::ranges::any_of(depths, [&](const glm::vec2& one) {
      return std::abs(one.x - own.x) <= 1e-3f * std::abs(one.x) && std::abs(one.y - own.y) <= 1e-2f * std::abs(one.y);
    });
    if (is_known) parts = as_camera;
  }

  // The matrix that ends in clip space, for column vectors.
  glm::mat4 clip_matrix(const Subject& one) const {
    const glm::mat4 matrix = read_matrix(frame_, *one.inputs, one.program->uniforms[*one.clip]);
    return one.is_transposed ? glm::transpose(matrix) : matrix;
  }

  bool is_of_the_camera(size_t subject) const {
    return projection_ && parts_[subject] && parts_[subject]->projection.is_same_view(*projection_);
  }

  // Finds the matrix that ends in eye space, where `clip` is only the projection.
  void try_eye(size_t matrix) {
    const auto moved = [&](size_t i) {
      const glm::mat4 projection = parts_[i]->projection.matrix();
      return projection * motion() * glm::inverse(projection);
    };
    experiment_with(
        matrix,
        [&](size_t i, const glm::mat4& was) -> std::optional<glm::mat4> {
          const Subject& one = subjects_[i];
          if (!is_of_the_camera(i) || one.eye || one.matrices[matrix] == *one.clip) return std::nullopt;
          if (parts_[i]->projection.depth.y == 0) return std::nullopt;  // its matrix has no inverse
          return one.is_transposed ? was * glm::transpose(motion()) : motion() * was;
        },
        [&](Subject& one, uint32_t uniform) {
          if (are_moved(one, moved(size_t(&one - subjects_.data())))) one.eye = uniform;
        });
  }

  void add_draw(const Subject& one, uint32_t command, GameCamera& result) const {
    const auto& draw = std::get<DrawCommand>(frame_.commands[command]);
    const auto number = size_t(&one - subjects_.data());
    if (!one.clip) {
      result.still[command] =
          one.matrices.empty() ? "no matrix in the program" : "no matrix of the program ends in clip space";
      return;
    }
    if (!parts_[number]) {
      const glm::vec4 w = row(clip_matrix(one), 3);
      const bool is_flat = w.x == 0 && w.y == 0 && w.z == 0;
      result.still[command] = is_flat ? kNotPerspective : "a perspective view of a distorted space";
      return;
    }
    if (!is_of_the_camera(number)) {
      result.still[command] = "another field of view than the camera's";
      return;
    }
    CameraDraw moves{.command = command, .projection = parts_[number]->projection, .eye = parts_[number]->eye};
    moves.uniforms.push_back(
        {*one.clip, false, one.eye ? CameraForm::projection : CameraForm::clip, one.is_transposed});
    if (one.eye) {
      moves.uniforms.push_back({*one.eye, false, CameraForm::eye, one.is_transposed});
      const glm::mat4 matrix = read_matrix(frame_, *one.inputs, one.program->uniforms[*one.eye]);
      moves.eye = one.is_transposed ? glm::transpose(matrix) : matrix;
    }
    moves.is_sky = is_sky(draw, moves);
    add_others(*one.program, *one.inputs, false, one.is_transposed, moves);
    if (draw.inputs >= 0) {
      const DrawInputs& inputs = frame_.inputs[size_t(draw.inputs)];
      add_others(frame_.programs[inputs.program], inputs, true, one.is_transposed, moves);
    }
    result.draws.push_back(std::move(moves));
  }

  // The origin of a sky's matrix is the camera, up to rounding of the world's coordinates. A draw without depth is more
  // likely a sky than scenery that surrounds the camera.
  bool is_sky(const DrawCommand& draw, const CameraDraw& moves) const {
    if (is_same(moves.eye, glm::mat4(1.0f))) return false;
    const GameProjection& p = moves.projection;
    const uint64_t count = uint64_t(draw.vertex_count) * draw.instances;
    float extent = 0;
    for (uint64_t i = 0; i < count; i += std::max<uint64_t>(1, count / kCompared)) {
      const glm::vec4& clip = frame_.positions[draw.first_vertex + i];
      if (!usable(clip)) continue;
      const float z = -clip.w;
      extent = std::max(extent, glm::length(glm::vec3((clip.x - p.center.x * z) / p.scale.x,
                                                      (clip.y - p.center.y * z) / p.scale.y, z)));
    }
    const DepthState& depth = frame_.states[draw.state].depth;
    const float part = depth.test && depth.write ? 1e-6f : kSkyCenter;
    return glm::length(glm::vec3(moves.eye[3])) <= part * extent;
  }

  // Matrices that follow from the draw's matrices, which programs use for light and fog.
  template <class Program, class Inputs>
  void add_others(const Program& program, const Inputs& inputs, bool of_fragment, bool is_transposed,
                  CameraDraw& moves) const {
    const glm::mat4 clip = moves.projection.matrix() * moves.eye;
    for (uint32_t i = 0; i < program.uniforms.size(); ++i) {
      const ProgramUniform& uniform = program.uniforms[i];
      if (const std::optional<CameraForm> light = light_form(uniform.name)) {
        moves.uniforms.push_back({i, of_fragment, *light, false});
        continue;
      }
      const bool is_known = std::ranges::any_of(moves.uniforms, [&](const CameraUniform& known) {
        return known.uniform == i && known.of_fragment == of_fragment;
      });
      if (!is_matrix(uniform.type) || uniform.count != 1 || is_known) continue;
      const bool is_small = uniform.type == ShaderType::mat3;
      const glm::mat4 matrix = read_matrix(frame_, inputs, uniform);
      // An identity says nothing.
      if (is_same(matrix, glm::mat4(1.0f))) continue;
      if (!is_small && is_same(matrix, is_transposed ? glm::transpose(clip) : clip)) {
        moves.uniforms.push_back({i, of_fragment, CameraForm::clip, is_transposed});
        continue;
      }
      for (const CameraForm form : kValueForms) {
        const glm::mat4 value = value_of(form, is_small ? upper_part(moves.eye) : moves.eye);
        if (!is_same(matrix, value)) continue;
        moves.uniforms.push_back({i, of_fragment, form, false});
        break;
      }
    }
  }

  // Draws without a vertex program, in targets that the camera's draws use.
  void add_stored(GameCamera& result) const {
    std::set<uint32_t> targets;
    const auto target_of = [&](const DrawCommand& draw) { return frame_.views[draw.first_view].target; };
    for (const CameraDraw& one : result.draws)
      targets.insert(target_of(std::get<DrawCommand>(frame_.commands[one.command])));
    for (uint32_t i = 0; i < frame_.commands.size(); ++i) {
      const auto* const draw = std::get_if<DrawCommand>(&frame_.commands[i]);
      if (draw == nullptr || draw->vertices >= 0 || draw->vertex_count == 0 || draw->instances == 0) continue;
      const std::span<const glm::vec4> positions(frame_.positions.data() + draw->first_vertex,
                                                 size_t(draw->vertex_count) * draw->instances);
      const std::optional<ClipDepth> depth =
          targets.contains(target_of(*draw)) ? fit_clip_depth(positions) : std::nullopt;
      if (!depth) {
        result.still[i] = kStoredFlat;
        continue;
      }
      CameraDraw moves{.command = i, .projection = result.projection, .is_sky = depth->offset == 0, .depth = *depth};
      moves.projection.depth = {-depth->slope, depth->offset};
      result.draws.push_back(std::move(moves));
    }
  }

  float median_distance(const GameCamera& camera) const {
    std::vector<float> distances;
    for (const CameraDraw& one : camera.draws) {
      const auto& draw = std::get<DrawCommand>(frame_.commands[one.command]);
      if (one.is_sky) continue;
      const uint64_t count = uint64_t(draw.vertex_count) * draw.instances;
      for (uint64_t i = 0; i < count; i += std::max<uint64_t>(1, count / kCompared)) {
        const glm::vec4& p = frame_.positions[draw.first_vertex + i];
        if (usable(p) && p.w > 0 && std::abs(p.x) <= p.w && std::abs(p.y) <= p.w) distances.push_back(p.w);
      }
    }
    if (distances.empty()) return 1;
    const auto middle = distances.begin() + std::ptrdiff_t(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }

  const Frame& frame_;
  Frame copy_;
  LoadOptions load_;
  std::vector<Subject> subjects_;
  std::map<int32_t, size_t> subject_of_;  // by DrawCommand::vertices
  std::vector<uint32_t> inputs_;          // of the subjects in the copy
  std::vector<std::optional<TakenApart>> parts_;
  std::optional<GameProjection> projection_;
};

// The motion of eye space for a draw.
glm::mat4 motion_to(const Camera& new_camera, const CameraDraw& draw) {
  const glm::mat4 motion = glm::lookAtRH(new_camera.eye, new_camera.target, new_camera.up);
  return draw.is_sky ? upper_part(motion) : motion;
}

// The change of a draw: a motion of eye space, and a scale of x and y of clip space.
struct Change {
  glm::mat4 motion{1.0f};
  float zoom = 1;
};

// Moves the uniforms of a draw.
template <class Program, class Inputs>
void move_uniforms(Frame& frame, const CameraDraw& draw, bool of_fragment, const Program& program, Inputs& inputs,
                   const Change& change) {
  const glm::mat4& motion = change.motion;
  const glm::mat4 zoom = glm::scale(glm::mat4(1.0f), glm::vec3(change.zoom, change.zoom, 1));
  const auto is_of_program = [&](const CameraUniform& one) { return one.of_fragment == of_fragment; };
  if (std::ranges::none_of(draw.uniforms, is_of_program)) return;
  copy_uniforms(frame, program, inputs);
  for (const CameraUniform& one : draw.uniforms) {
    if (one.of_fragment != of_fragment) continue;
    const ProgramUniform& uniform = program.uniforms[one.uniform];
    if (one.form >= CameraForm::light_position) {
      const glm::vec4 value = moved_light(one.form, read_matrix(frame, inputs, uniform)[0], motion);
      write_matrix(frame, inputs, uniform, glm::mat4(value, glm::vec4(0), glm::vec4(0), glm::vec4(0)));
      continue;
    }
    glm::mat4 matrix = read_matrix(frame, inputs, uniform);
    if (one.transposed) matrix = glm::transpose(matrix);
    switch (one.form) {
      case CameraForm::clip:
        // The user may have changed the matrix since the camera was found, so it is taken apart again.
        if (const std::optional<TakenApart> parts = take_apart(matrix, draw.projection))
          matrix = zoom * parts->projection.matrix() * motion * parts->eye;
        break;
      case CameraForm::projection: matrix = zoom * matrix; break;
      case CameraForm::eye: matrix = motion * matrix; break;
      case CameraForm::eye_inverse: matrix = matrix * glm::inverse(motion); break;
      case CameraForm::eye_transpose: matrix = matrix * glm::transpose(motion); break;
      case CameraForm::eye_inverse_transpose: matrix = glm::transpose(glm::inverse(motion)) * matrix; break;
      default: break;
    }
    write_matrix(frame, inputs, uniform, one.transposed ? glm::transpose(matrix) : matrix);
  }
}

// Moves the computed vertices of a draw without uniforms.
void move_positions(std::span<glm::vec4> positions, const CameraDraw& draw, const Change& change) {
  const auto& [motion, zoom] = change;
  const GameProjection& p = draw.projection;
  const float place = draw.depth.offset == 0 ? 0.0f : 1.0f;
  for (glm::vec4& position : positions) {
    const float z = -position.w;
    const glm::vec4 eye = motion * glm::vec4((position.x - p.center.x * z) / p.scale.x,
                                             (position.y - p.center.y * z) / p.scale.y, z, place);
    const float rest = position.z - (draw.depth.slope * position.w + draw.depth.offset);  // the fit does not explain it
    position = {zoom * (eye.x * p.scale.x + eye.z * p.center.x), zoom * (eye.y * p.scale.y + eye.z * p.center.y),
                draw.depth.slope * -eye.z + draw.depth.offset + rest, -eye.z};
  }
}

}  // namespace

std::optional<ClipDepth> fit_clip_depth(std::span<const glm::vec4> positions) {
  const size_t step = std::max<size_t>(1, positions.size() / kSamples);
  double n = 0, w_sum = 0, z_sum = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    n += 1;
    w_sum += double(positions[i].w);
    z_sum += double(positions[i].z);
  }
  if (n < 3) return std::nullopt;
  const double w_mean = w_sum / n, z_mean = z_sum / n;
  double ww = 0, wz = 0, w_size = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    const double w = double(positions[i].w) - w_mean, z = double(positions[i].z) - z_mean;
    ww += w * w;
    wz += w * z;
    w_size = std::max(w_size, std::abs(double(positions[i].w)));
  }
  if (!(std::sqrt(ww / n) > 1e-4 * w_size)) return std::nullopt;
  const double slope = wz / ww, offset = z_mean - slope * w_mean;
  double worst = 0;
  for (size_t i = 0; i < positions.size(); i += step) {
    if (!usable(positions[i])) continue;
    worst = std::max(worst, std::abs(double(positions[i].z) - slope * double(positions[i].w) - offset));
  }
  // Allow for small disturbances such as 8-bit polygon offsets.
  if (worst > 1e-3 * w_size) return std::nullopt;
  const bool infinite = std::abs(offset) <= 1e-5 * w_size;
  return ClipDepth{float(slope), infinite ? 0.0f : float(offset)};
}

glm::mat4 GameProjection::matrix() const {
  glm::mat4 m(0.0f);
  m[0][0] = scale.x;
  m[1][1] = scale.y;
  m[2] = {center.x, center.y, depth.x, -1};
  m[3][2] = depth.y;
  return m;
}

float GameProjection::fov() const { return glm::degrees(2 * std::atan(1 / std::abs(scale.y))); }
float GameProjection::aspect() const { return std::abs(scale.y / scale.x); }

bool GameProjection::is_same_view(const GameProjection& other) const {
  const auto close = [](float a, float b, float size) { return std::abs(a - b) <= kSameView * std::abs(size); };
  return close(scale.x, other.scale.x, scale.x) && close(scale.y, other.scale.y, scale.y) &&
         close(center.x, other.center.x, 1) && close(center.y, other.center.y, 1);
}

namespace {

// The part of take_apart that both functions share, for known scale and centre.
std::optional<TakenApart> with_depth(const glm::mat4& clip_from_object, GameProjection p) {
  const glm::vec4 depth_row = row(clip_from_object, 2), z_row = -row(clip_from_object, 3);
  const glm::vec3 z(z_row);
  const float z2 = glm::dot(z, z), scale = largest(clip_from_object);
  if (!std::isfinite(scale) || !(z2 > 1e-12f * scale * scale)) return std::nullopt;
  p.depth.x = glm::dot(glm::vec3(depth_row), z) / z2;
  const glm::vec4 rest = depth_row - p.depth.x * z_row;
  if (glm::length(glm::vec3(rest)) > kSameView * std::max(std::abs(p.depth.x), 1.0f) * std::sqrt(z2))
    return std::nullopt;
  p.depth.y = rest.w;
  const glm::mat4 rows((row(clip_from_object, 0) - p.center.x * z_row) / p.scale.x,
                       (row(clip_from_object, 1) - p.center.y * z_row) / p.scale.y, z_row, glm::vec4(0, 0, 0, 1));
  return TakenApart{p, glm::transpose(rows)};
}

}  // namespace

std::optional<TakenApart> take_apart(const glm::mat4& clip_from_object) {
  const glm::vec3 z(-row(clip_from_object, 3));
  const float z2 = glm::dot(z, z);
  if (!(z2 > 0)) return std::nullopt;
  GameProjection p;
  std::array<glm::vec3, 2> axes;
  for (int i = 0; i < 2; ++i) {
    const glm::vec3 whole(row(clip_from_object, i));
    p.center[i] = glm::dot(whole, z) / z2;
    axes[size_t(i)] = whole - p.center[i] * z;
    p.scale[i] = glm::length(axes[size_t(i)]) / std::sqrt(z2);
    if (!(p.scale[i] > 0)) return std::nullopt;
  }
  const glm::vec3 &x = axes[0], &y = axes[1];
  if (std::abs(glm::dot(x, y)) > kSameView * glm::length(x) * glm::length(y)) return std::nullopt;
  if (glm::dot(glm::cross(x, y), z) < 0) p.scale.y = -p.scale.y;
  return with_depth(clip_from_object, p);
}

std::optional<TakenApart> take_apart(const glm::mat4& clip_from_object, const GameProjection& projection) {
  return with_depth(clip_from_object, projection);
}

bool GameCamera::is_found() const {
  return std::ranges::any_of(draws, [](const CameraDraw& one) { return !one.uniforms.empty(); });
}

const CameraDraw* GameCamera::draw_of(uint32_t command) const {
  const auto found = std::ranges::lower_bound(draws, command, {}, &CameraDraw::command);
  return found == draws.end() || found->command != command ? nullptr : &*found;
}

std::string GameCamera::uniform_names(const Frame& frame) const {
  std::map<std::string, uint64_t> counts;
  for (const CameraDraw& one : draws) {
    if (one.uniforms.empty()) continue;
    const CameraUniform& last = one.uniforms[one.uniforms.size() > 1 && one.uniforms[1].form == CameraForm::eye &&
                                             one.uniforms[0].form == CameraForm::projection];
    const auto& draw = std::get<DrawCommand>(frame.commands[one.command]);
    ++counts[frame.vertex_programs[frame.vertex_inputs[size_t(draw.vertices)].program].uniforms[last.uniform].name];
  }
  std::vector<std::pair<std::string, uint64_t>> names(counts.begin(), counts.end());
  std::ranges::stable_sort(names, std::ranges::greater(), &std::pair<std::string, uint64_t>::second);
  std::string text;
  for (const auto& [name, count] : names)
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", name, counted(count, "draw"));
  return text;
}

Camera GameCamera::captured() const {
  return {.eye = glm::vec3(0), .target = glm::vec3(0, 0, -distance), .up = glm::vec3(0, 1, 0), .fov = projection.fov()};
}

std::string GameCamera::limits() const {
  std::map<std::string, uint64_t> reasons;
  for (const auto& [command, reason] : still) {
    if (reason != kNotPerspective && reason != kStoredFlat) ++reasons[reason];
  }
  const auto stored = std::ranges::count_if(draws, [](const CameraDraw& one) { return one.uniforms.empty(); });
  std::string text;
  if (stored > 0)
    text = counted(uint64_t(stored), "draw") +
           " with only computed vertices in the file: positions follow the camera, light does not";
  for (const auto& [reason, count] : reasons)
    text += fmt::format("{}{} cannot move: {}", text.empty() ? "" : "; ", counted(count, "draw"), reason);
  return text;
}

GameCamera find_game_camera(const Frame& frame, const LoadOptions& load) {
  if (frame.vertex_inputs.empty()) return {};
  return Search(frame, load).run();
}

std::vector<std::string> move_game_camera(Frame& frame, const GameCamera& camera, const Camera& new_camera,
                                          const LoadOptions& load) {
  const float before = camera.projection.fov();
  const bool is_zoomed = std::abs(new_camera.fov - before) > 1e-4f * before;
  const float zoom = is_zoomed ? std::tan(glm::radians(before) / 2) / std::tan(glm::radians(new_camera.fov) / 2) : 1.0f;
  std::set<int32_t> moved_vertices, moved_inputs;  // several draws may share them
  std::set<uint64_t> moved_positions;
  for (const CameraDraw& one : camera.draws) {
    const auto& draw = std::get<DrawCommand>(frame.commands[one.command]);
    const Change change{motion_to(new_camera, one), zoom};
    if (one.uniforms.empty()) {
      const std::span positions(frame.positions.data() + draw.first_vertex, size_t(draw.vertex_count) * draw.instances);
      if (moved_positions.insert(draw.first_vertex).second) move_positions(positions, one, change);
      continue;
    }
    if (moved_vertices.insert(draw.vertices).second) {
      VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
      move_uniforms(frame, one, false, frame.vertex_programs[inputs.program], inputs, change);
    }
    if (draw.inputs >= 0 && moved_inputs.insert(draw.inputs).second) {
      DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
      move_uniforms(frame, one, true, frame.programs[inputs.program], inputs, change);
    }
  }
  return shade_vertices(frame, load);
}

std::vector<uint32_t> uniform_words_of(const Frame& frame, const VertexInputs& inputs, const ProgramUniform& uniform) {
  const uint32_t components = shape_of(uniform.type).components();
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < uniform.count * components; ++i)
    words.push_back(frame.uniforms[size_t(word_of(inputs, uniform, i / components, i % components))]);
  return words;
}

void edit_uniforms(Frame& frame, const UniformEdits& edits) {
  std::set<uint32_t> owned;
  for (const auto& [key, words] : edits) {
    const auto [number, uniform_number] = key;
    VertexInputs& inputs = frame.vertex_inputs.at(number);
    const VertexProgram& program = frame.vertex_programs[inputs.program];
    const ProgramUniform& uniform = program.uniforms.at(uniform_number);
    if (owned.insert(number).second) copy_uniforms(frame, program, inputs);
    const uint32_t components = shape_of(uniform.type).components();
    for (uint32_t i = 0; i < words.size() && i < uniform.count * components; ++i)
      frame.uniforms[size_t(word_of(inputs, uniform, i / components, i % components))] = words[i];
  }
}

namespace {

bool takes(const ProgramUniform& uniform, size_t numbers) {
  const uint32_t components = shape_of(uniform.type).components();
  return numbers > 0 && numbers % components == 0 && numbers / components <= uniform.count;
}

// The number as a word of the uniform.
uint32_t word_from(const ProgramUniform& uniform, double number) {
  const bool is_whole = uniform.type >= ShaderType::i32 && uniform.type < ShaderType::mat2;
  if (!is_whole) return std::bit_cast<uint32_t>(float(number));
  const bool is_signed = uniform.type < ShaderType::u32, is_truth = uniform.type >= ShaderType::b32;
  const double min = is_signed ? -2147483648.0 : 0, max = is_truth ? 1 : is_signed ? 2147483647.0 : 4294967295.0;
  if (std::floor(number) != number || number < min || number > max)
    throw std::runtime_error(fmt::format("the uniform '{}' is of {}; {} is not one", uniform.name,
                                         is_truth    ? "truth values (0 or 1)"
                                         : is_signed ? "whole numbers"
                                                     : "whole numbers from 0 on",
                                         number));
  return uint32_t(int64_t(number));
}

// Sets one uniform in the programs of one stage.
class UniformSetter {
 public:
  UniformSetter(Frame& frame, const std::string& name, std::span<const double> numbers)
      : frame_(frame), name_(name), numbers_(numbers) {}

  template <class Program, class Inputs>
  void set(const Program& program, Inputs& inputs) {
    for (const ProgramUniform& uniform : program.uniforms) {
      known_.insert(uniform.name);
      if (uniform.name != name_) continue;
      if (!takes(uniform, numbers_.size())) {
        counts_.insert(fmt::format("{}{}", shape_of(uniform.type).components(),
                                   uniform.count > 1 ? fmt::format(" x {}", uniform.count) : std::string()));
        continue;
      }
      copy_uniforms(frame_, program, inputs);
      const uint32_t components = shape_of(uniform.type).components();
      for (uint32_t i = 0; i < numbers_.size(); ++i)
        frame_.uniforms[size_t(word_of(inputs, uniform, i / components, i % components))] =
            word_from(uniform, numbers_[i]);
      is_set_ = true;
    }
  }

  void require_set() const {
    if (is_set_) return;
    if (!counts_.empty())
      throw std::runtime_error(fmt::format("the uniform '{}' has {} number{}, not {}", name_,
                                           fmt::join(counts_, " or "),
                                           counts_.size() == 1 && *counts_.begin() == "1" ? "" : "s", numbers_.size()));
    throw std::runtime_error(fmt::format("its programs have no uniform '{}'{}", name_,
                                         meant_or_known(name_, std::vector(known_.begin(), known_.end()))));
  }

 private:
  Frame& frame_;
  const std::string& name_;
  std::span<const double> numbers_;
  std::set<std::string> known_, counts_;  // names; sizes of uniforms of this name that do not take the numbers
  bool is_set_ = false;
};

template <class Program>
bool has_uniform(const Program& program, const std::string& name, size_t numbers) {
  return std::ranges::any_of(program.uniforms,
                             [&](const ProgramUniform& one) { return one.name == name && takes(one, numbers); });
}

}  // namespace

uint64_t set_uniform(Frame& frame, const std::string& name, std::span<const double> numbers) {
  UniformSetter setter(frame, name, numbers);
  for (VertexInputs& inputs : frame.vertex_inputs) setter.set(frame.vertex_programs[inputs.program], inputs);
  for (DrawInputs& inputs : frame.inputs) setter.set(frame.programs[inputs.program], inputs);
  setter.require_set();
  uint64_t draws = 0;
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    const bool of_vertices =
        draw->vertices >= 0 &&
        has_uniform(frame.vertex_programs[frame.vertex_inputs[size_t(draw->vertices)].program], name, numbers.size());
    const bool of_fragments =
        draw->inputs >= 0 &&
        has_uniform(frame.programs[frame.inputs[size_t(draw->inputs)].program], name, numbers.size());
    draws += of_vertices || of_fragments;
  }
  return draws;
}

}  // namespace brokkr
