// The pipeline's interface: a Frame and options in, pictures and statistics out.
//
//   Renderer renderer;                                  // best machine that was found
//   RenderResult result = renderer.render(frame, {});
//   write_png("out.png", result.targets[main_target(frame)].layers[0]);  // image.h
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/errors.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "brokkr/options.h"
#include "brokkr/read_back.h"
#include "brokkr/statistics.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// The time and place of a pixel's last colour write.
struct FragmentStamp {
  uint32_t order = ~0u;  // position among all writes of the frame, from 0; ~0u: none. Clears do not change it
  uint32_t block = 0, warp = 0;
  double time_ms = 0;  // since the frame's first write
};

// One layer of a target after the frame. Rows run from bottom to top; each array has width * height values.
struct Layer {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8 (0xAABBGGRR) as stored; empty for RGBA16F
  std::vector<float> color_float;  // RGBA32F converted from RGBA16F; empty otherwise
  // Shading::program only: the target's colours beyond the first, as RGBA32F. Integers keep their bits.
  std::vector<std::vector<float>> more_colors;
  std::vector<float> depth;  // window depth in [0, 1]
  std::vector<uint8_t> stencil;
  std::vector<uint32_t> visible_id;   // keep_ids: primitive id of the last colour writer, ~0u: none
  std::vector<uint32_t> depth_id;     // keep_ids: primitive id of the last depth writer, ~0u: none
  std::vector<uint32_t> overdraw;     // Shading::overdraw only: number of fragments that covered each sample
  std::vector<FragmentStamp> stamps;  // keep_stamps only
};

struct TargetImage {
  std::vector<Layer> layers;
};

struct RenderResult {
  std::vector<TargetImage> targets;  // as in Frame::targets
  Statistics statistics;
  bool aborted = false;  // by request_abort or the frame budget: images are partial, but statistics are valid
};

// The origin of a primitive id.
struct PrimitiveOrigin {
  uint32_t command = ~0u;  // index into Frame::commands
  uint32_t view = 0, instance = 0;
  uint32_t batch = 0;     // number of the batch, counted over the frame
  uint32_t triangle = 0;  // within the instance
};

// A frame prepared for repeated rendering: draw tables, batches, mip chains, device copies.
class PreparedFrame {
 public:
  ~PreparedFrame();
  PreparedFrame(PreparedFrame&&) noexcept;
  PreparedFrame& operator=(PreparedFrame&&) noexcept;
  // The origin of an id in Layer::visible_id or Layer::depth_id. `command` is ~0u for the id ~0u and for ids beyond the
  // frame.
  PrimitiveOrigin origin(uint32_t primitive_id) const;
  // Takes over matrices and eyes of the frame's views, and the numbers in Frame::uniforms, after the caller has changed
  // them. This moves a camera without preparing everything again. Number, targets and layers of the views must be
  // unchanged. Throws std::invalid_argument if the frame has changed in another way, or if the PreparedFrame was moved
  // from.
  void update_views();

  // Take over lists of the frame after the caller has changed them, without preparing the frame again: positions
  // (`count` vertices from `first` on), normals, texture coordinates and colours, the models of instances, and the
  // texels of textures. Lists must keep their lengths, and textures their sizes. The next frame updates bounds and a
  // GPU's copies. The CPU reads some lists in place, so do not render between a change and its update. Throw
  // std::invalid_argument if the frame has changed in another way, if the PreparedFrame was moved from, or if preparing
  // the frame copied its vertices, as for frames with a fragment shader or programs, lines, and points.
  void update_positions(uint64_t first = 0, uint64_t count = ~uint64_t(0));
  void update_normals();
  void update_texcoords();
  void update_colors();
  void update_models();
  void update_textures(uint32_t first = 0, uint32_t count = ~0u);

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

  // Copies what the kernel needs from `frame`, which must outlive the PreparedFrame. Uses only memory_limit and
  // progress of `options`. Throws FileError if the frame is invalid, and MemoryLimitError if the frame and its tables
  // exceed the memory limit. Passes on what `progress` throws.
  PreparedFrame prepare(const Frame& frame, const LoadOptions& options = {});

  // Renders the whole frame in one launch. Throws std::invalid_argument if options are out of range, if the
  // PreparedFrame was moved from, or if its frame has changed. Throws MachineError if the machine is not available or a
  // GPU's frame hangs (options.gpu_timeout_s). Throws MemoryLimitError if the frame, its tables, targets, pictures,
  // store and queues together need more memory than options.memory_limit. The Renderer can be used after an error,
  // unless its GPU still hangs. A forked process may use its parent's renderers on the CPU. If `read_back` is false,
  // `targets` is empty, so that a benchmark can time the rest.
  RenderResult render(PreparedFrame& frame, const RenderOptions& options, bool read_back = true);
  // Does the same, but writes chosen planes to the caller's memory; RenderResult::targets is empty. An aborted frame is
  // read back as well. Throws std::invalid_argument before the launch if the memory does not fit the planes.
  RenderResult render(PreparedFrame& frame, const RenderOptions& options, const ReadBack& read_back);
  // Prepares and renders a frame once. Throws like prepare and render.
  RenderResult render(const Frame& frame, const RenderOptions& options);

  // For windows: copies a layer of the last rendered frame directly from GPU memory to a cudaSurfaceObject_t of RGBA8
  // texels, which must be as large as the target. If the frame was cut off, copies the part that was drawn. Must not be
  // called during a launch. Returns false if that frame is not on the GPU, or failed. Throws std::runtime_error.
  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface);

  // Sets a function that is called about every 20 ms while a launch is planned, its shaders are compiled, and it runs,
  // on the thread that waits in `render`. If it returns true, the launch ends as with request_abort, and the function
  // is not called again. The function must not call this Renderer; an empty one is never called. Do not call watch
  // during a launch.
  void watch(std::function<bool()> ends);

  // Ends the running launch. May be called from any thread. None of the launch's threads then needs more than 100 ms of
  // processor time (the emulated machine: 1 s), so the launch ends within 100 ms if each thread has a processor. On a
  // computer that is busy with other programs, threads wait for their turns: if n times as many threads are ready as
  // there are processors, the launch may take up to n times as long.
  void request_abort();

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

// A machine of this computer, as listed by `brokkr machines`.
struct MachineInfo {
  MachineKind kind;
  std::string name;  // "CPU", "NVIDIA H200", "emulated warp"
  std::string isa;   // "x86-64-v4", "sm_90"
  int width = 0;     // lanes per warp
  int workers = 0;   // blocks in a default launch
  bool available = false;
  std::string note;  // the reason why it is not available, or a remark
};
// All machines of this program, including those that this computer cannot run: GPUs first, then the CPU's builds with
// the best first, then the emulated warp.
std::vector<MachineInfo> find_machines();

}  // namespace brokkr
#pragma GCC visibility pop
