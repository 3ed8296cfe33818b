// Pictures in the caller's memory: chosen planes with strides, converted from the machine's memory once.
//
//   std::vector<uint32_t> colors(views * height * width);
//   std::vector<float> distances(views * height * width);
//   ReadBack wanted;
//   wanted.planes = {{PixelPlane::color, std::as_writable_bytes(std::span(colors))},
//                    {PixelPlane::distance, std::as_writable_bytes(std::span(distances))}};
//   renderer.render(prepared, options, wanted);  // arrays [views, height, width], rows from the top
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// The value that a plane holds for each pixel. Planes after `overdraw` describe the visible triangle, which is the last
// one that wrote colour; they turn on RenderOptions::keep_ids. "nothing" is their value in pixels that no triangle
// wrote.
enum class PixelPlane : uint8_t {
  color,  // 4 bytes: red, green, blue, alpha as a window shows them; RGBA16F is clamped and sRGB-encoded
  depth,  // float: window depth in [0, 1]
  // float: the distance along the viewing axis, in units of the scene; infinity if the depth is 1. Needs a view with a
  // perspective or orthographic matrix, and a target whose draws have the depth range 0..1.
  distance,
  stencil,      // uint8_t
  visible_id,   // uint32_t: PreparedFrame::origin; nothing: ~0u
  depth_id,     // uint32_t: the same for the last depth writer
  overdraw,     // uint32_t: fragments that covered the sample. Needs Shading::overdraw
  triangle,     // int32_t: number within the draw's instance; nothing: -1
  instance,     // int32_t: index into Frame::models, or the number of the instance in clip-space draws; nothing: -1
  command,      // int32_t: index into Frame::commands; nothing: -1
  barycentric,  // 2 floats: weights of the first and second vertex, perspective-correct, in 0..1; nothing: 0
  normal,       // 3 floats: in world space, of length 1; the face's normal if the frame has no normals; nothing: 0
  position,     // 3 floats: in world space; in clip space and divided by w for clip-space draws; nothing: 0
  texcoord,     // 2 floats; nothing, or no texture coordinates: 0
};
// The bytes of a pixel in the caller's memory.
size_t bytes_per_pixel(PixelPlane plane);

struct PlaneMemory {
  PixelPlane plane = PixelPlane::color;
  std::span<std::byte> memory;
  // Bytes from a row to the next one and from a layer to the next one; 0: no gaps. The pixels of a row are adjacent.
  size_t row_stride = 0, layer_stride = 0;
};

struct ReadBack {
  uint32_t target = 0;                   // index into Frame::targets
  uint32_t first_layer = 0, layers = 0;  // layers 0: all after the first
  bool rows_from_top = true;             // false: from the bottom, as everywhere else in Brokkr
  std::vector<PlaneMemory> planes;
  // Values that replace the indices in PixelPlane::command and PixelPlane::instance. Empty: the planes hold indices.
  std::span<const int32_t> command_numbers, instance_numbers;
};

}  // namespace brokkr
#pragma GCC visibility pop
