// Recordings: the commands of an OpenGL frame that `brokkr capture` took, in the text format of
// docs/course/recordings/README.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/types.h"

namespace course {

struct Vertex {
  Vec4 position;  // clip space, as the driver computed it
  Color color{1, 1, 1};
  float s = 0, t = 0;  // texture coordinates
  Vec4 object;         // before the matrices, if the recording has it
};

enum class Cull : uint8_t { none, front, back };  // front: counter-clockwise in the window

struct Draw {
  Mode mode = Mode::triangles;
  std::vector<Vertex> vertices;
  std::vector<int> elements;  // vertices in the order of drawing
  bool flat = false;          // a triangle has the colour of its last vertex
  bool depth_test = false, depth_write = false;
  DepthFunction depth = DepthFunction::always;
  Cull cull = Cull::none;
  int texture = -1;  // -1: none
};

// Sides are powers of two; rows from bottom to top, 0xffBBGGRR.
struct Texture {
  int width_log2 = 0, height_log2 = 0;
  std::vector<uint32_t> texels;
  int width() const { return 1 << width_log2; }
  int height() const { return 1 << height_log2; }
};

struct Recording {
  int width = 0, height = 0;  // pixels
  Color clear_color;
  float clear_depth = 1;
  std::map<std::string, Mat4> matrices;
  std::vector<Texture> textures;
  std::vector<Draw> draws;

  Viewport viewport() const { return {0, 0, width, height}; }
};

// Throws std::runtime_error that names the file, the line and the problem.
Recording read_recording(const std::string& path);

}  // namespace course
