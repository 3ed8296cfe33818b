// The pipeline's public face: a Frame and options in, pictures and statistics out.
//
//   Renderer renderer;                                  // best machine that was found
//   RenderResult result = renderer.render(frame, {});
//   write_png("out.png", result.targets[main_target(frame)].layers[0]);
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bin/saved_pattern.h"
#include "pipeline/statistics.h"
#include "scene/frame.h"
#include "scene/shading.h"
#include "schedule/schedule_tables.h"

namespace brokkr {

enum class MachineKind : uint8_t { automatic, cuda, cpu, emulated };

// Which block may work for a rasterizer: always the same one, or any that is idle.
enum class Ownership : uint8_t { fixed, stealing };

// automatic: order-free phases are found and taken; strict: every draw goes through the ordered tile path.
enum class OrderMode : uint8_t { automatic, strict };

// How vertices are shared inside a batch. The counted vertex shader runs are those that predict_batches
// (batch/predict.h) predicts for the batch model of the same name.
enum class ReuseMode : uint8_t {
  automatic,  // warp for transformed draws on a GPU, else none
  none,       // every index is shaded
  warp,       // each distinct vertex of 32 triangles once, found while rendering
  nvidia,     // as hardware is known to do it (batch/batch_model.h), found before rendering
  nvidia_gl,
  amd,
  intel,
  precomputed,  // 32 distinct vertices or 32 triangles, found before rendering
};

struct RenderOptions {
  MachineKind machine = MachineKind::automatic;
  std::string isa;          // CPU machine: "", "v2", "v3", "v4", "neon"; "": the best that runs here
  int workers = 0;          // blocks; 0: all cores, or the occupancy query's answer on CUDA
  int warps_per_block = 0;  // emulated machine only, 1..8; 0: 2
  int rasterizers = 0;      // 1..4096; 0: chosen from the main target's size and layers
  int bin = 64;             // bin edge in pixels, a power of two in 8..256
  PatternKind pattern = PatternKind::van_der_corput;
  std::shared_ptr<const SavedPattern> saved_pattern;  // in its place, with as many rasterizers as it has
  Ownership ownership = Ownership::stealing;
  OrderMode order = OrderMode::automatic;
  ReuseMode reuse = ReuseMode::automatic;
  uint32_t vertex_work = 0;  // multiply-adds that every vertex shader run does on top, to stand for a longer one
  Policy policy = Policy::fill_level;
  std::array<uint32_t, 2> quotas{1, 1};  // Policy::fair: of geometry and of rasterization, 1 .. 10^6 in any unit
  // Policy::foveated: a point in pixels of the main target, from its lower left corner; default: its middle.
  std::optional<std::array<float, 2>> fixation;
  // Of Frame::views, in their order; those left out come last.
  std::vector<uint32_t> view_priorities;  // Policy::priority: the highest first
  std::vector<double> view_deadlines_ms;  // Policy::edf: after the frame's begin
  // false: also count the fragments of order-free phases in tiles that are hidden already
  bool hierarchical_depth = true;
  Shading shading = Shading::material;
  int store_blocks = 0;  // triangle store size in blocks of 32 records; 0: default; raised to the minimum
  std::optional<uint32_t> command_limit;  // stop before this command; default: run them all
  bool keep_ids = false;                  // also return visible-primitive and depth-writer identifiers per pixel
  bool thread_time = false;               // CPU: stage times and trace count only time in which the block's thread ran
  bool trace = false;                     // record per-block events
  double frame_budget_ms = 0;             // > 0: ends the launch soon after, with a partial image; 0: never
  bool operator==(const RenderOptions&) const = default;
};

// One layer of a target after the frame. Rows run bottom to top; arrays hold width * height values.
struct Layer {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8 (0xAABBGGRR), as stored; empty for RGBA16F
  std::vector<float> color_float;  // RGBA32F expanded from RGBA16F; empty otherwise
  std::vector<float> depth;        // window depth in [0, 1]
  std::vector<uint8_t> stencil;
  std::vector<uint32_t> visible_id;  // keep_ids: primitive id of the last colour writer, ~0u: none
  std::vector<uint32_t> depth_id;    // keep_ids: primitive id of the last depth writer, ~0u: none
  std::vector<uint32_t> overdraw;    // Shading::overdraw: fragments that covered each sample
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
  // Takes over matrices and eyes of the frame's views, which the caller has changed since: a camera moves without
  // preparing everything anew. Number, targets and layers of the views must be the same.
  void update_views();

  struct Impl;
  std::unique_ptr<Impl> impl;

 private:
  friend class Renderer;
  PreparedFrame();
};

class Renderer {
 public:
  Renderer();
  ~Renderer();

  // Copies what the kernel needs from `frame`, which must outlive the PreparedFrame. Throws std::runtime_error on an
  // invalid frame.
  PreparedFrame prepare(const Frame& frame);

  // Renders the whole frame in one launch. Throws std::invalid_argument for options out of range and std::runtime_error
  // where the machine is not available. `read_back` false leaves `targets` empty: what a benchmark wants to time.
  RenderResult render(PreparedFrame& frame, const RenderOptions& options, bool read_back = true);
  RenderResult render(const Frame& frame, const RenderOptions& options);

  // For windows: writes a layer of the frame that was rendered last straight from the GPU's memory into a
  // cudaSurfaceObject_t of RGBA8 texels, as large as the target. Not while a launch runs. False where that frame is not
  // on the GPU, or no more. Throws std::runtime_error.
  bool resolve_to_surface(uint32_t target, uint32_t layer, unsigned long long surface);

  // May be called from any thread: ends the launch that is running within 100 ms.
  void request_abort();

 private:
  struct Impl;
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
