// Generated scenes: the same on every computer, for benchmarks and tests without files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

// `spec` is "NAME[?key=value&key=value]" with the keys
//   triangles  about how many to make, where the scene has no fixed number (the description says)
//   textured   0 or 1: a generated 1024 x 1024 texture on everything (default 0)
//   instanced  0 or 1: the boxes of `city` as instances of one box (default 0)
//   draws      how many draws to cut the mesh into, at most one per triangle (default 1)
//   depth      how many times the triangles of `overlap-10k` cover the picture (default 10)
// All draws are of VertexKind::transform with normals, texture coordinates and a Blinn-Phong material, but that of
// `screen`: one triangle in clip space, larger than the picture. Throws std::runtime_error that lists the known names
// or keys.
Frame generate(std::string_view spec, const LoadOptions& options);

// Every scene's name and a line about it.
std::vector<SceneSource> generated_scenes();

}  // namespace brokkr
