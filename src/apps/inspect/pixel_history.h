// The history of one pixel in a frame: the triangles that covered it, in order, the fate of each, and what cleared it
// or was copied over it.
//
// The pipeline's own geometry, coverage, tests, shading and blending run for this one sample (sample_kernel.h), draw
// after draw, so the history ends with the content that a render of the frame has: depth, stencil and identifiers to
// the bit, colour within 1/255. If a blit copies from another target, the source pixel is followed too.
//
// The result of a fragment program depends on everything the frame has drawn before, on textures and on neighbours. If
// programs run (Shading::program), the frame is therefore rendered up to each draw that touches the pixel, and the
// pixel's content is the render's to the bit. If several triangles of one draw hit the pixel, the content between them
// is unknown.
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
  enum class Kind : uint8_t { clear, fragment, blit, load, copy };  // load and copy: only for Shading::program
  Kind kind = Kind::fragment;
  uint32_t command = 0;                                               // index into Frame::commands
  SampleState before, after;                                          // of the pixel
  SampleFragment fragment;                                            // Kind::fragment
  bool known_before = true, known_after = true, known_shader = true;  // which of the colours are known
  PrimitiveOrigin origin;                                             // Kind::fragment
  PixelAddress source;                                                // Kind::blit
};

struct PixelHistory {
  PixelAddress pixel;
  ColorFormat format = ColorFormat::rgba8;
  int bin = 64;                              // edge in pixels
  int bin_x = 0, bin_y = 0;                  // bin that contains the pixel
  uint32_t rasterizer = 0, rasterizers = 1;  // the one that draws the pixel, and the number of rasterizers
  std::vector<PixelEvent> events;            // in order
  SampleState end;                           // content of the pixel after the frame
  uint64_t fragments = 0;                    // events of Kind::fragment

  // The index of the last event that wrote colour (or depth); empty if none did.
  std::optional<size_t> color_writer() const;
};

// Throws std::invalid_argument if the frame has no such pixel or an option is out of range, and std::runtime_error if
// `renderer` is told to abort. Uses shading, command limit, pattern, bin and rasterizers of `options`; if programs run,
// uses all of them and `renderer`, which must have prepared the frame. Without programs it may run while another thread
// renders the same prepared frame.
PixelHistory pixel_history(Renderer& renderer, PreparedFrame& prepared, const PixelAddress& pixel,
                           const RenderOptions& options);

// The name of a kind: "clear", "fragment", "blit", "load", "copy".
const char* kind_name(PixelEvent::Kind kind);

// The name of a fate: "passed", "discarded", "stencil failed", "depth failed".
const char* fate_name(FragmentFate fate);

// A stored colour as red, green, blue, alpha: bytes for RGBA8, otherwise half-precision values.
std::string color_text(ColorFormat format, uint32_t low, uint32_t high);

nlohmann::ordered_json to_json(const PixelHistory& history, const Frame& frame);

}  // namespace brokkr
