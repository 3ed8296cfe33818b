// Data of rasterization: plain data that the host makes, the same on every machine.
#pragma once

#include "brokkr/choices.h"
#include "frame/frame_tables.h"
#include "geometry/triangle_store.h"
#include "machine/table_pointer.h"
#include "schedule/schedule_tables.h"
#include "shader/program_tables.h"
#include "target/target_tables.h"

namespace brokkr {

// How far a rasterizer is with a blit: what it does at a gate, and whether all have come there.
enum class GateStep : uint32_t { arrive, await_all, copy, await_copies };

// How many rasterizers have come to a blit, and how many of them have copied their share.
struct BlitGate {
  uint32_t arrived, copied;
};
static_assert(sizeof(BlitGate) == 2 * sizeof(uint32_t));

// RasterizerState::wake of a rasterizer that waits at a gate, for others and not for batches: from here on, the number
// of the word of RasterTables::gates that must count all rasterizers before it can go on.
inline constexpr uint32_t kAtGate = 0x80000000u;
static_assert(kMaxBatches < kAtGate);
constexpr uint32_t wake_at(uint32_t gate, GateStep step) {
  return kAtGate + 2 * gate + (step == GateStep::await_copies ? 1 : 0);
}

// A number that stands for all tasks up to the last.
inline constexpr uint32_t kAllTasks = 0xffffffffu;

// RasterTables::direct_phase where there is none.
inline constexpr uint32_t kNoPhase = 0xffffffffu;

// One rasterizer. Only the block that has claimed it touches it, but for those that ask whether it is to be visited.
struct alignas(64) RasterizerState {
  uint32_t phase;    // the phase that it is in; phase_count: finished
  uint32_t pending;  // elements that were taken from its queue and are not finished
  GateStep gate_step;
  uint32_t wake;       // number of completed batches at which it can go on without new elements, or as wake_at
  uint64_t fragments;  // covered samples of its visits, which tell how far a visit is
};

struct RasterTables {
  FrameTables frame;
  ProgramTables programs;
  TargetTables targets;
  TablePointer<uint32_t> abort;  // as ScheduleTables::abort
  TablePointer<TriangleBlock> blocks;
  uint32_t store_blocks;
  StockTables stock;      // of free blocks
  QueueMemory<2> queues;  // per rasterizer: block, mask of its triangles
  TablePointer<RasterizerState> rasterizers;
  RasterizerBitTables bits;
  TablePointer<uint32_t> pending_block;  // store_blocks per rasterizer
  TablePointer<uint32_t> pending_mask;
  TablePointer<uint64_t> sort_scratch;      // per block of the launch, sort_capacity each
  uint32_t sort_capacity;                   // power of two >= store_blocks
  TablePointer<BlitGate> gates;             // one per blit
  TablePointer<uint64_t> region_fragments;  // covered samples of each region
  // The order-free phase whose small triangles geometry rasterizes into TargetTables::direct (raster/direct.h). It is
  // one of the frame, so that no sample's key there can be taken for that of another phase.
  uint32_t direct_phase;
  Shading shading;
  bool cull_hidden;  // order-free phases leave out tiles that are hidden already
  bool quads;        // the shader takes derivatives
};

}  // namespace brokkr
