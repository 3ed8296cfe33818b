// The tabs of the chosen draw show what it reads (its textures, its mesh and its program) and a small picture of what
// it touched.
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

// A texture of a draw: of its material, or bound to a sampler of its program.
struct DrawTexture {
  std::string name;   // "texture 12, diffuse_map"; captured ones by their number on the command line
  std::string facts;  // size and format
  bool captured = false;
  size_t index = 0;  // into Frame::textures or Frame::captured_textures
};
std::vector<DrawTexture> textures_of(const Frame& frame, const DrawCommand& draw);

// Its largest level's first layer. Empty where it has no colours of 8 bits, or none in the file; `problem` then says
// why.
Picture texture_picture(const Frame& frame, const DrawTexture& texture, std::string& problem);

// The edges of the draw's first instance on the screen: pairs of points from (-1, -1) at the lower left to (1, 1) in
// the space of its view. Triangles with a vertex behind the camera are left out. At most `most` edges.
std::vector<std::array<glm::vec2, 2>> mesh_edges(const Frame& frame, const DrawCommand& draw, size_t most);

// The texts of the program that captured draws have, or the shading of a material.
std::string program_text(const Frame& frame, const DrawCommand& draw);

struct DrawThumbnail {
  Picture picture;       // the target's layer after the draw, its pixels bright and the others dark and grey
  uint64_t touched = 0;  // pixels whose colour or depth the draw wrote last
};

// At most `most` pixels on each side. `colors`: 0xAABBGGRR, rows bottom to top, `width` wide. `touched`: a value for
// each colour. A pixel of the result that stands for several is bright where the draw touched any of them.
DrawThumbnail highlight(int width, int height, std::span<const uint32_t> colors, std::span<const uint8_t> touched,
                        int most);

// Renders the frame up to the draw `command`; nothing where the rendering is ended. On the render thread.
std::optional<DrawThumbnail> draw_thumbnail(RenderContext& context, uint32_t command);

}  // namespace brokkr::viewer
