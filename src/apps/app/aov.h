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
  draw,         // number of the command; like the next numbers, -1 where there is no triangle
  triangle,     // number of the triangle within its instance
  overdraw,     // fragments per pixel
  distance,     // along the viewing axis, in units of the scene; infinity where there is nothing
  instance,     // number of the instance
  material,     // number of the material; -1 in captured frames
  barycentric,  // weights of the three vertices
  normal,       // in world space, of length 1; like the next planes, 0 where there is no triangle
  position,     // in world space
  uv,           // texture coordinates, then 0
  albedo,       // unlit linear colour of the surface, quantised like the target's format
};
// Values per pixel: 1 or 3.
int channels_of(Aov aov);

struct AovRequest {
  Aov aov = Aov::depth;
  std::string path;  // .pfm or .exr
};

// --aov NAME=FILE. Several options may name one .exr, which then holds their planes as layers.
Option aov_option();
// The values of --aov. Throws UsageError.
std::vector<AovRequest> read_aovs(const Arguments& arguments);

bool wants(const std::vector<AovRequest>& aovs, Aov aov);

// The layers to write, and what their file names are made of.
struct AovLayers {
  uint32_t target = 0, first = 0, count = 1;  // layers of the target
  std::string file;                           // input file
  bool several = false;                       // there are several input files
};
// Throws UsageError with a remedy if two layers would get the same name.
void require_layer_names(const std::vector<AovRequest>& aovs, const AovLayers& layers);

// Draws every requested plane of the frame and writes it. Returns the files.
std::vector<std::string> draw_aovs(Renderer& renderer, PreparedFrame& prepared, const Frame& frame,
                                   const RenderOptions& options, const std::vector<AovRequest>& aovs,
                                   const AovLayers& layers);

// Writes depth, draw, triangle and overdraw of a picture that exists already. `overdraw`: the layer drawn with
// Shading::overdraw, if that plane is requested. Throws UsageError for other planes.
void write_aovs(const std::vector<AovRequest>& aovs, const Layer& layer, const Layer& overdraw,
                const PreparedFrame& prepared, const AovLayers& layers);

}  // namespace brokkr::app
