// The camera of a captured frame, found in the uniforms of its vertex programs.
//
// A program that computes clip = projection * eye_from_object * position keeps the camera in matrices. They are found
// by experiment and not by name: a uniform is multiplied by a known matrix, the programs run again, and all positions
// of the draw must have changed by that matrix. Once the projection is known, other matrices that contain the camera
// (for light, fog and reflections) are found by their values. A camera then moves in the eye space of the captured one.
//
//   const GameCamera camera = find_game_camera(frame);
//   move_game_camera(frame, camera, moved);          // runs the vertex programs
#pragma once

#include <cstdint>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/camera.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

// clip z = slope * w + offset. An offset of 0 means infinitely far (a sky that does not depend on the camera's
// position).
struct ClipDepth {
  float slope = 0, offset = 0;
};

// A least-squares fit. Empty if w hardly varies (orthographic: menus, shadow maps, full-screen passes) or if z is not a
// linear function of w.
std::optional<ClipDepth> fit_clip_depth(std::span<const glm::vec4> positions);

// A perspective projection from eye space, where the camera looks along -z:
// clip = (x * scale.x + z * center.x, y * scale.y + z * center.y, z * depth.x + depth.y, -z).
struct GameProjection {
  glm::vec2 scale{1}, center{0}, depth{-1, 0};

  glm::mat4 matrix() const;
  // Vertical field of view in degrees, and width / height of the picture.
  float fov() const;
  float aspect() const;
  // Returns true if both show the same part of the space in front of the camera; near and far planes may differ.
  bool is_same_view(const GameProjection& other) const;
};

// A matrix that maps object or world space to clip space, taken apart. Empty if it is no perspective projection of a
// space without shear.
struct TakenApart {
  GameProjection projection;
  glm::mat4 eye{1};  // object or world space -> eye space
};
std::optional<TakenApart> take_apart(const glm::mat4& clip_from_object);
// Does the same with the known scale and centre of `projection`; the result's `eye` may have shear. Empty if the matrix
// is no perspective projection.
std::optional<TakenApart> take_apart(const glm::mat4& clip_from_object, const GameProjection& projection);

// The way that a uniform contains the camera. `clip`: it ends in clip space. `projection`: it does too, and another
// uniform of the draw ends in eye space, which is `eye`. The next three are functions of the draw's matrix that ends in
// eye space. The last three are OpenGL's lights, which are in eye space.
enum class CameraForm : uint8_t {
  clip,
  projection,
  eye,
  eye_inverse,
  eye_transpose,
  eye_inverse_transpose,
  light_position,
  light_direction,
  light_half_vector
};

// A uniform that follows the camera.
struct CameraUniform {
  uint32_t uniform = 0;      // index into VertexProgram::uniforms or FragmentProgram::uniforms
  bool of_fragment = false;  // of the draw's fragment program
  CameraForm form = CameraForm::clip;
  bool transposed = false;  // the program multiplies row vectors
};

// A draw that follows the camera.
struct CameraDraw {
  uint32_t command = 0;                 // index into Frame::commands
  GameProjection projection;            // its own near and far planes
  glm::mat4 eye{1};                     // object or world space -> eye space
  bool is_sky = false;                  // its centre stays at the camera: it turns, but does not move
  std::vector<CameraUniform> uniforms;  // empty: the file holds only its computed vertices
  ClipDepth depth;                      // of a draw without uniforms
};

struct GameCamera {
  float distance = 1;                     // the median distance of visible vertices of the draws
  GameProjection projection;              // of most triangles
  std::vector<CameraDraw> draws;          // in the order of commands
  std::map<uint32_t, std::string> still;  // other draws by command, and the reason why they do not move

  // Returns true if some draw moves through its uniforms.
  bool is_found() const;
  const CameraDraw* draw_of(uint32_t command) const;
  // "u_view of 12 draws, u_mvp of 3 draws", by decreasing number.
  std::string uniform_names(const Frame& frame) const;
  // The captured camera in its own eye space, with its target at `distance`.
  Camera captured() const;
  // One line that counts draws that stay or whose light stays, although they may belong to the scene; empty if there
  // are none.
  std::string limits() const;
};

// `frame` is valid and shaded (brokkr/vertex_stage.h). Runs its vertex programs a few times on a copy. Passes on what
// `load.progress` throws.
GameCamera find_game_camera(const Frame& frame, const LoadOptions& load = {});

// Moves all draws of `camera`, which belongs to `frame`, and runs the vertex programs. `new_camera` is in the eye space
// of the captured camera; its field of view replaces the captured one. Values of uniforms may have changed since the
// camera was found. Returns the lines of shade_vertices.
std::vector<std::string> move_game_camera(Frame& frame, const GameCamera& camera, const Camera& new_camera,
                                          const LoadOptions& load = {});

// Values of uniforms that replace those of the frame: by index into Frame::vertex_inputs and into
// VertexProgram::uniforms; 32-bit words, element after element, column by column.
using UniformEdits = std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>>;

// The words of a uniform of a draw's vertex program, in the order of UniformEdits.
std::vector<uint32_t> uniform_words_of(const Frame& frame, const VertexInputs& inputs, const ProgramUniform& uniform);

// Replaces the values. Other draws that share their storage keep theirs. The caller runs the vertex programs.
void edit_uniforms(Frame& frame, const UniformEdits& edits);

// Gives these numbers to the uniform `name` of all vertex and fragment programs of draws that have it: element after
// element, column by column. Further elements of an array keep their values. Returns the number of draws. The caller
// runs the vertex programs. Throws std::runtime_error, whose text does not name the frame, if no program has such a
// uniform with as many numbers, or if a number is not one of its type.
uint64_t set_uniform(Frame& frame, const std::string& name, std::span<const double> numbers);

}  // namespace brokkr
