// Everything that happened to one pixel in a frame: which triangles covered it, in order, what became of each, and what
// cleared it or was copied over it.
//
// The pipeline's own geometry, coverage, tests, shading and blending run for this one sample (sample_kernel.h), draw
// after draw, so that the history ends with what a render of the frame holds there: depth, stencil and identifiers bit
// for bit, colour within 1/255. Where a blit copies from another target, the pixel that it comes from is followed, too.
//
// What fragment programs give depends on all that the frame has drawn by then, their textures and neighbours: where
// they run (Shading::program), the frame is rendered up to each draw that touches the pixel, and what the pixel then
// holds is the render's to the bit. In between, where several triangles of one draw hit it, only that they did is
// known.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "brokkr/renderer.h"
#include "inspect/sample_kernel.h"

namespace brokkr {

struct PixelAddress {
  uint32_t target = 0;  // index into Frame::targets
  uint32_t layer = 0;
  int x = 0, y = 0;  // origin at the bottom left
  bool operator==(const PixelAddress&) const = default;
};

struct PixelEvent {
  enum class Kind : uint8_t { clear, fragment, blit, load, copy };  // the last two: Shading::program
  Kind kind = Kind::fragment;
  uint32_t command = 0;                                               // index into Frame::commands
  SampleState before, after;                                          // of the pixel
  SampleFragment fragment;                                            // Kind::fragment
  bool known_before = true, known_after = true, known_shader = true;  // what of the colours can be told
  PrimitiveOrigin origin;                                             // Kind::fragment
  PixelAddress source;                                                // Kind::blit
};

struct PixelHistory {
  PixelAddress pixel;
  ColorFormat format = ColorFormat::rgba8;
  int bin = 64;                              // edge in pixels
  int bin_x = 0, bin_y = 0;                  // the pixel's
  uint32_t rasterizer = 0, rasterizers = 1;  // the one that draws the pixel, and their number
  std::vector<PixelEvent> events;            // in order
  SampleState end;                           // what the pixel holds after the frame
  uint64_t fragments = 0;                    // events of Kind::fragment

  // The last event that wrote colour (or depth), by index; nothing where none did.
  std::optional<size_t> color_writer() const;
};

// Throws std::invalid_argument where the frame has no such pixel or an option is out of range, std::runtime_error where
// `renderer` is told to abort. It uses shading, command limit, pattern, bin and rasterizers of `options`; all of them
// and `renderer`, which prepared the frame, where programs run. Without them it may run while another thread renders
// the same prepared frame.
PixelHistory pixel_history(Renderer& renderer, PreparedFrame& prepared, const PixelAddress& pixel,
                           const RenderOptions& options);

// The name of a kind: "clear", "fragment", "blit", "load", "copy".
const char* kind_name(PixelEvent::Kind kind);

// The name of a fate: "passed", "discarded", "stencil failed", "depth failed".
const char* fate_name(FragmentFate fate);

// A stored colour as red, green, blue, alpha; bytes for RGBA8, else half-precision values.
std::string color_text(ColorFormat format, uint32_t low, uint32_t high);

nlohmann::ordered_json to_json(const PixelHistory& history, const Frame& frame);

}  // namespace brokkr
