// Finds facts in a shader's text that no GL query provides: whether reachable code discards fragments, writes depth,
// reads gl_DrawID, writes distances to clip planes, or stores to buffers or images; and how its inputs are
// interpolated. Preprocessor conditions are evaluated, and functions that main does not reach are ignored, so that an
// übershader's unused branches do not count.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "brokkr/programs.h"

namespace brokkr::capture {

struct ShaderUse {
  bool discard = false;
  bool fragment_depth = false;
  bool draw_id = false;
  bool clip_vertex = false, clip_distance = false;                            // gl_ClipVertex, gl_ClipDistance
  bool cull_distance = false, viewport_index = false, layer = false;          // gl_CullDistance, gl_ViewportIndex, …
  bool point_size = false, back_color = false, back_secondary_color = false;  // writes gl_PointSize, gl_BackColor, …
  bool stores = false;  // has a buffer block that is not readonly, or stores to images or atomic counters
};

ShaderUse scan_shader(std::string_view source);

// The interpolation of a fragment shader's inputs, by name ("uv", "Block.uv").
struct InputQualifier {
  Interpolation interpolation = Interpolation::smooth;
  bool centroid = false, sample = false;
};
std::map<std::string, InputQualifier> scan_inputs(std::string_view source);

// The line with #version; empty if there is none.
std::string_view version_line(std::string_view source);
int shader_version(std::string_view source);  // 110 if there is none

// The text with main renamed, so that another shader can define a main that calls it.
std::string with_renamed_main(std::string_view source, std::string_view name);

// The declared size of gl_CullDistance; 0 if it is not declared with a number.
size_t cull_distance_size(std::string_view source);
// The text with a main that copies the distances to an output array of that name.
std::string with_cull_copy(std::string_view source, std::string_view name, size_t size);

// The text with gl_PointCoord half a pixel further to the right, and further up (`up` 1) or down (-1).
std::string with_moved_point_coord(std::string_view source, int up);

// The text with a main that discards the fragments which the pattern in the uniform kStippleUniform leaves out; the
// same text if it has no main.
std::string with_stipple(std::string_view source);

}  // namespace brokkr::capture
