// Extra images of a frame beside its colours ("arbitrary output variables").
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/command.h"
#include "brokkr/frame.h"
#include "brokkr/options.h"
#include "brokkr/renderer.h"

namespace brokkr::app {

enum class Aov : uint8_t {
  depth,        // window depth in [0, 1]
  draw,         // number of the command; this and the following numbers are -1 where there is no triangle
  triangle,     // number of the triangle within its draw's instance
  overdraw,     // fragments
  distance,     // along the viewing axis, in units of the scene; infinity where there is nothing
  instance,     // number of the instance
  material,     // number of the material; of captured frames -1
  barycentric,  // weights of the three vertices
  normal,       // in world space, of length 1; this and the following are 0 where there is no triangle
  position,     // in world space
  uv,           // texture coordinates and 0
  albedo,       // colour of the surface without light, linear, in steps of the target's format
};
// Values per pixel: 1 or 3.
int channels_of(Aov aov);

struct AovRequest {
  Aov aov = Aov::depth;
  std::string path;  // .pfm or .exr
};

// --aov NAME=FILE. Several may name one .exr, which holds them as its layers.
Option aov_option();
// The values of --aov. Throws UsageError.
std::vector<AovRequest> read_aovs(const Arguments& arguments);

bool wants(const std::vector<AovRequest>& aovs, Aov aov);

// The layers that are written, and the names of their files.
struct AovLayers {
  uint32_t target = 0, first = 0, count = 1;  // layers of the target
  std::string file;                           // input file
  bool several = false;                       // input files
};
// Every layer gets a name of its own. Throws UsageError that says how.
void require_layer_names(const std::vector<AovRequest>& aovs, const AovLayers& layers);

// Draws the frame for all planes that are asked for, and writes them. Returns the files.
std::vector<std::string> draw_aovs(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                   const RenderOptions& options, const std::vector<AovRequest>& aovs,
                                   const AovLayers& layers);

// Writes depth, draw, triangle and overdraw of a picture that is there. `overdraw`: the layer that was drawn with
// Shading::overdraw, where that is asked for. Throws UsageError for other planes.
void write_aovs(const std::vector<AovRequest>& aovs, const Layer& layer, const Layer& overdraw,
                const PreparedFrame& prepared, const AovLayers& layers);

}  // namespace brokkr::app
