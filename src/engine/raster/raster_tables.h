// The data of rasterization: plain data that the host makes, the same on every machine.
#pragma once

#include "brokkr/choices.h"
#include "frame/frame_tables.h"
#include "geometry/triangle_store.h"
#include "machine/table_pointer.h"
#include "schedule/schedule_tables.h"
#include "shader/program_tables.h"
#include "target/samples.h"
#include "target/target_tables.h"

namespace brokkr {

// A rasterizer's progress with a blit: its action at the gate, and whether all that it waits for have arrived.
enum class GateStep : uint32_t { arrive, await_all, copy, await_copies };

// The doors of a blit's gate: how much has arrived at the blit, and how much has been copied. Each rasterizer that
// takes part adds its share (raster/commands.h). The one that completes a door sets kDoorIsOpen.
struct BlitGate {
  uint32_t arrived, copied;
};
inline constexpr uint32_t kDoorIsOpen = 0x80000000u;
static_assert(sizeof(BlitGate) == 2 * sizeof(uint32_t));

// The value of RasterizerState::wake if a rasterizer waits at a gate for other rasterizers, and not for batches. The
// index of a door in RasterTables::gates is added to this value. When that door opens, the rasterizer can continue.
inline constexpr uint32_t kAtGate = 0x80000000u;
static_assert(kMaxBatches < kAtGate);
constexpr uint32_t wake_at(uint32_t gate, GateStep step) {
  return kAtGate + 2 * gate + (step == GateStep::await_copies ? 1 : 0);
}

// Stands for all tasks.
inline constexpr uint32_t kAllTasks = 0xffffffffu;

// The value of RasterTables::direct_phase if there is no such phase.
inline constexpr uint32_t kNoPhase = 0xffffffffu;

// The state of one rasterizer. Only the block that has claimed the rasterizer accesses it. Other blocks may read it to
// find out whether the rasterizer needs a visit.
struct alignas(64) RasterizerState {
  uint32_t phase;    // its current phase; phase_count: finished
  uint32_t pending;  // elements taken from its queue and not finished
  GateStep gate_step;
  // The number of completed batches at which the rasterizer can continue without new elements, or kAtGate plus the word
  // of a gate.
  uint32_t wake;
  uint64_t fragments;  // samples covered in its visits, a measure of a visit's progress
};

// The size of a warp's SampledTile (raster/sampled.h).
inline constexpr size_t kSampledTileBytes = kMaxSamples * kTileSamples * 5 * 4 + 128;

struct RasterTables {
  FrameTables frame;
  ProgramTables programs;
  TargetTables targets;
  TablePointer<uint32_t> abort;  // same as ScheduleTables::abort
  TablePointer<TriangleBlock> blocks;
  uint32_t store_blocks;
  StockTables stock;      // stocks of free blocks
  QueueMemory<2> queues;  // per rasterizer; an element is a block and a mask of its triangles
  TablePointer<RasterizerState> rasterizers;
  RasterizerBitTables bits;
  TablePointer<uint32_t> pending_block;  // store_blocks per rasterizer
  TablePointer<uint32_t> pending_mask;
  TablePointer<uint64_t> sort_scratch;      // per block of the launch, sort_capacity each
  uint32_t sort_capacity;                   // power of two >= store_blocks
  TablePointer<BlitGate> gates;             // one per blit
  TablePointer<uint64_t> region_fragments;  // covered samples of each region
  // The order-free phase whose small triangles geometry rasterizes into TargetTables::direct (raster/direct.h). A frame
  // has only one such phase, so that a key there cannot be mistaken for another phase's key.
  uint32_t direct_phase;
  Shading shading;
  TablePointer<unsigned char> sampled_tiles;  // kSampledTileBytes per warp; null: one sample a pixel everywhere
  bool averages;                              // pictures show the average of a pixel's samples
  bool cull_hidden;                           // order-free phases skip tiles that are already hidden
  bool quads;                                 // the shader takes derivatives
};

}  // namespace brokkr
