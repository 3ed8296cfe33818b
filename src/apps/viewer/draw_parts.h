// The tabs of the chosen draw show its inputs (textures, mesh, program) and a small picture of the pixels it touched.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viewer/panel.h"

namespace brokkr::viewer {

// A texture of a draw: from its material, or bound to a sampler of its program.
struct DrawTexture {
  std::string name;   // "texture 12, diffuse_map"; captured textures have their command-line number
  std::string facts;  // size and format
  bool captured = false;
  size_t index = 0;  // into Frame::textures or Frame::captured_textures
};
std::vector<DrawTexture> textures_of(const Frame& frame, const DrawCommand& draw);

// The first layer of the largest level. Empty if its colours do not have 8 bits or are not in the file; `problem` then
// gives the reason.
Picture texture_picture(const Frame& frame, const DrawTexture& texture, std::string& problem);

// The edges of the draw's first instance on the screen: pairs of points from (-1, -1) at the lower left to (1, 1), in
// the space of its view. Triangles with a vertex behind the camera are omitted. Returns at most `max_edges` edges.
std::vector<std::array<glm::vec2, 2>> mesh_edges(const Frame& frame, const DrawCommand& draw, size_t max_edges);

// The texts of a captured draw's fragment program, or the shading of a material.
std::string program_text(const Frame& frame, const DrawCommand& draw);
// The texts of its vertex program, or the reason why there are none.
std::string vertex_text(const Frame& frame, const DrawCommand& draw);

// A component of an attribute of a draw's vertices.
struct VertexColumn {
  std::string name;                   // "gl_Vertex.x"
  uint64_t first = 0, stride = 1;     // words of Frame::attributes
  uint64_t count = 1;                 // elements; vertices beyond them have the last one
  bool per_vertex = true;             // otherwise the first instance's value
  ShaderType kind = ShaderType::f32;  // f32, i32, u32 or b32
  // The value at vertex number `vertex`, as text.
  std::string value(const Frame& frame, uint64_t vertex) const;
};
// The columns of the attributes that the draw's vertex program reads. Empty without such a program.
std::vector<VertexColumn> attribute_columns(const Frame& frame, const DrawCommand& draw);

struct DrawThumbnail {
  Picture picture;       // the target's layer after the draw; untouched pixels are dark grey
  uint64_t touched = 0;  // number of pixels whose colour or depth the draw wrote last
};

// Makes a picture with at most `max_side` pixels per side. `colors`: 0xAABBGGRR, rows bottom to top, `width` wide.
// `touched`: one value per colour. If a pixel of the result represents several, it is bright if the draw touched any of
// them.
DrawThumbnail highlight(int width, int height, std::span<const uint32_t> colors, std::span<const uint8_t> touched,
                        int max_side);

// Renders the frame up to the draw `command`; returns nothing if rendering is aborted. Runs on the render thread.
std::optional<DrawThumbnail> draw_thumbnail(RenderContext& context, uint32_t command);

}  // namespace brokkr::viewer
