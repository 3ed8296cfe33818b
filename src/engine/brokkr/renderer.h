// The pipeline's public face: a Frame and options in, pictures and statistics out.
//
//   Renderer renderer;                                  // best machine that was found
//   RenderResult result = renderer.render(frame, {});
//   write_png("out.png", result.targets[main_target(frame)].layers[0]);  // image.h
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "brokkr/options.h"
#include "brokkr/statistics.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// When and where a pixel's colour was written last.
struct FragmentStamp {
  uint32_t order = ~0u;  // among all writes of the frame, from 0 on; ~0u: none. Clears leave it
  uint32_t block = 0, warp = 0;
  double time_ms = 0;  // since the frame's first write
};

// One layer of a target after the frame. Rows run bottom to top; arrays hold width * height values.
struct Layer {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8 (0xAABBGGRR), as stored; empty for RGBA16F
  std::vector<float> color_float;  // RGBA32F expanded from RGBA16F; empty otherwise
  // Shading::program: RGBA32F of the target's colours beyond the first, one after another; integers as their bits.
  std::vector<std::vector<float>> more_colors;
  std::vector<float> depth;  // window depth in [0, 1]
  std::vector<uint8_t> stencil;
  std::vector<uint32_t> visible_id;   // keep_ids: primitive id of the last colour writer, ~0u: none
  std::vector<uint32_t> depth_id;     // keep_ids: primitive id of the last depth writer, ~0u: none
  std::vector<uint32_t> overdraw;     // Shading::overdraw: fragments that covered each sample
  std::vector<FragmentStamp> stamps;  // keep_stamps
};

struct TargetImage {
  std::vector<Layer> layers;
};

struct RenderResult {
  std::vector<TargetImage> targets;  // as in Frame::targets
  Statistics statistics;
  bool aborted = false;  // by request_abort or the frame budget; images are partial, statistics hold
};

// Where a primitive id came from.
struct PrimitiveOrigin {
  uint32_t command = ~0u;  // index into Frame::commands
  uint32_t view = 0, instance = 0;
  uint32_t batch = 0;     // running number over the frame
  uint32_t triangle = 0;  // within the instance
};

// A frame made ready for rendering again and again: draw tables, batches, mip chains, device copies.
class PreparedFrame {
 public:
  ~PreparedFrame();
  PreparedFrame(PreparedFrame&&) noexcept;
  PreparedFrame& operator=(PreparedFrame&&) noexcept;
  PrimitiveOrigin origin(uint32_t primitive_id) const;
  // Takes over matrices and eyes of the frame's views and the numbers of Frame::uniforms, which the caller has changed
  // since: a camera moves without preparing everything anew. Number, targets and layers of the views must be the same.
  // Throws std::invalid_argument where the frame has changed otherwise, and for a PreparedFrame that was moved from.
  void update_views();

  struct [[gnu::visibility("hidden")]] Impl;  // plan/prepare.h

 private:
  friend class Renderer;
  PreparedFrame();
  std::unique_ptr<Impl> impl_;
};

class Renderer {
 public:
  Renderer();
  ~Renderer();

  // Copies what the kernel needs from `frame`, which must outlive the PreparedFrame. Of `options` memory_limit and
  // progress count. Throws std::runtime_error on an invalid frame and where the frame and its tables together need more
  // memory than the limit, and what `progress` throws.
  PreparedFrame prepare(const Frame& frame, const LoadOptions& options = {});

  // Renders the whole frame in one launch. Throws std::invalid_argument for options out of range, for a PreparedFrame
  // that was moved from and for one whose frame has changed. Throws std::runtime_error where the machine is not
  // available, where the frame, its tables, targets, pictures, store and queues together need more memory than
  // options.memory_limit, and where a GPU's frame hangs (options.gpu_timeout_s); the Renderer can be used after that,
  // but for a GPU that still hangs. A forked process may go on with its parent's renderers on the CPU. `read_back` false
  // leaves `targets` empty: what a benchmark wants to time.
  RenderResult render(PreparedFrame& frame, const RenderOptions& options, bool read_back = true);
  RenderResult render(const Frame& frame, const RenderOptions& options);

  // For windows: writes a layer of the frame that was rendered last straight from the GPU's memory into a
  // cudaSurfaceObject_t of RGBA8 texels, as large as the target; a frame that was cut off as far as it came. Not while
  // a launch runs. False where that frame is not on the GPU, or failed. Throws std::runtime_error.
  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface);

  // May be called from any thread: ends the launch that is running. None of its threads needs more than 100 ms of
  // processor time until then (the emulated machine: 1 s), so that it ends within 100 ms where each has a processor. A
  // computer that is busy with other programs makes it wait for its turns: with n times as many threads ready to run as
  // it has processors, up to n times as long.
  void request_abort();

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

// What was found on this computer, for `brokkr machines`.
struct MachineInfo {
  MachineKind kind;
  std::string name;  // "CPU", "NVIDIA H200", "emulated warp"
  std::string isa;   // "x86-64-v4", "sm_90"
  int width = 0;     // lanes of a warp
  int workers = 0;   // blocks of a default launch
  bool available = false;
  std::string note;  // why not, or what else to know
};
std::vector<MachineInfo> find_machines();

}  // namespace brokkr
#pragma GCC visibility pop
