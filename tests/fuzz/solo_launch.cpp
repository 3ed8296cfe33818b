#include "solo_launch.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "machine/zeroed_memory.h"
#include "pipeline/cpu_machine.h"
#include "pipeline/launch_memory.h"
#include "plan/options.h"
#include "plan/prepare.h"

namespace brokkr::fuzz {
namespace {

// Memory for one launch after another, handed out from its beginning.
class Arena {
 public:
  static Arena& get() {
    static Arena arena;
    return arena;
  }

  void clear() {
    ASAN_POISON_MEMORY_REGION(memory_.as<std::byte>(), used_);
    used_ = 0;
  }

  void* take(size_t bytes, const char* what) {
    constexpr size_t kAlign = 64, kGap = 256;  // the widest access of a warp may exceed its buffer by this much
    const size_t begin = used_ + kGap, end = (begin + bytes + kAlign - 1) / kAlign * kAlign;
    if (bytes > kSoloMemory || end > kSoloMemory)
      throw std::runtime_error(std::string(what) + ": too large to be drawn");
    used_ = end;
    std::byte* const part = memory_.as<std::byte>() + begin;
    ASAN_UNPOISON_MEMORY_REGION(part, bytes);
    return part;
  }

 private:
  Arena() : memory_(kSoloMemory, "arena") { ASAN_POISON_MEMORY_REGION(memory_.as<std::byte>(), kSoloMemory); }

  ZeroedMemory memory_;
  size_t used_ = 0;
};

// A Buffer for LaunchMemory whose bytes come from an earlier launch.
class ArenaMemory {
 public:
  ArenaMemory() = default;
  ArenaMemory(size_t bytes, const char* what)
      : data_(bytes == 0 ? nullptr : Arena::get().take(bytes, what)), bytes_(bytes) {}
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  size_t bytes() const { return bytes_; }
  void fill(int value) const {
    if (bytes_ != 0) std::memset(data_, value, bytes_);
  }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Every launch must leave its memory in the state that the next one expects.
void check_after(const LaunchMemory<ArenaMemory>& memory) {
  const uint32_t free_blocks = memory.free_blocks().control->count;
  if (free_blocks != memory.shape.store_blocks) {
    fault("after the launch " + std::to_string(free_blocks) + " of " + std::to_string(memory.shape.store_blocks) +
          " blocks are free");
  }
  const QueueMemory<2> queues = memory.queues();
  for (int i = 0; i < queues.queues; ++i) {
    if (queues.control[i].count != 0)
      fault("after the launch queue " + std::to_string(i) + " has " + std::to_string(queues.control[i].count));
  }
  const auto* const words = memory.distribution.as<uint32_t>();
  const size_t masks = memory.shape.rasterizers;
  if (std::any_of(words, words + masks, [](uint32_t word) { return word != 0; }))
    fault("after the launch a mask of the distribution is not zero");
  const auto* const keys = memory.direct.as<uint64_t>();
  if (std::any_of(keys, keys + memory.direct.bytes() / 8, [](uint64_t key) { return key != 0; }))
    fault("after the launch a key of a small triangle is left");
}

}  // namespace

void fault(const std::string& what) {
  std::fprintf(stderr, "render_fuzz: %s\n", what.c_str());
  std::abort();
}

std::vector<TargetImage> draw_solo(const PreparedFrame& frame, const RenderOptions& asked) {
  static const CpuKernel& kernel = *find_cpu_kernel(best_cpu_isa());
  PreparedFrame::Impl& prepared = PreparedFrame::Impl::of(frame);
  check_options(asked);
  RenderOptions options = asked;
  options.shading = prepared.shading(asked.shading);
  LaunchShape shape;
  shape.width = kernel.width;
  shape.shared_bytes = (kernel.shared_bytes + 63) / 64 * 64;
  const std::shared_ptr<const LaunchPlan> plan = prepared.plans.get(prepared, plan_key(prepared, options, shape));

  Arena::get().clear();
  const LaunchMemory<ArenaMemory> memory(plan->memory);
  memory.queue_memory.fill(0);
  memory.distribution.fill(0);
  memory.direct.fill(0);
  for (const ArenaMemory* zero : memory.zeroed(false)) zero->fill(0);
  for (const ArenaMemory* id : {&memory.visible_id, &memory.depth_id}) id->fill(0xff);
  fill_free_blocks(memory.free_blocks(), plan->memory.store_blocks);
  AbortWords abort{};
  const LaunchData data = memory.data(*plan, host_tables(prepared, *plan), options, &abort);
  const TargetTables& t = data.raster.targets;
  std::fill_n(t.region_state.get(), plan->memory.regions, initial_region());
  kernel.run_warp({&data, memory.shared.as<std::byte>(), shape.shared_bytes, 1, 1}, 0, 0);
  check_after(memory);
  return read_planes(*plan->targets, {t.region_state, t.color, t.color_high, t.more_colors, t.depth, t.stencil,
                                      t.visible_id, t.depth_id, t.overdraw});
}

}  // namespace brokkr::fuzz
