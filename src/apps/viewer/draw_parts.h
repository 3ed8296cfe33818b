// What a draw reads, for the tabs of the chosen draw: its textures, its mesh and its program.
#pragma once

#include <array>
#include <cstdint>
#include <glm/vec2.hpp>
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

}  // namespace brokkr::viewer
