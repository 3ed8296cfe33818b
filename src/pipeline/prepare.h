// From a Frame to the tables that the kernel reads (scene/frame_tables.h).
#pragma once

#include <vector>

#include "brokkr/renderer.h"
#include "pipeline/reuse_plan.h"
#include "scene/frame_tables.h"

namespace brokkr {

// Phases of a frame under one choice of order and shading, and the phase of each draw.
struct PhasePlan {
  OrderMode order = OrderMode::automatic;
  Shading shading = Shading::material;
  uint32_t command_limit = 0;
  const ReusePlan* reuse = nullptr;  // of the prepared frame
  uint32_t vertex_work = 0;
  std::vector<PhaseRecord> phases;
  std::vector<DrawRecord> draws;  // of the commands below the limit, their phase filled in
  uint32_t batches = 0;
  uint32_t ordered_phases = 0;
};

struct [[gnu::visibility("hidden")]] PreparedFrame::Impl {
  static Impl& of(const PreparedFrame& frame) { return *frame.impl_; }

  const Frame* frame = nullptr;
  std::vector<DrawRecord> draws;   // one per draw command that has triangles, in order
  std::vector<uint32_t> draw_end;  // per draw: first batch after it
  std::vector<RunRecord> runs;
  std::vector<uint32_t> batch_run;
  std::vector<ViewRecord> views;
  std::vector<MaterialRecord> materials;
  std::vector<TextureRecord> textures;
  std::vector<uint32_t> texels;
  // Copies only where expansion added to them; else the frame's own are used.
  std::vector<uint32_t> indices;
  std::vector<glm::vec4> positions;
  bool own_indices = false, own_positions = false;
  uint64_t triangles = 0, index_count = 0, discard_unknown_triangles = 0;
  double prepare_ms = 0;
  uint64_t version = 0;  // unique: device copies are made per prepared frame

  std::vector<std::unique_ptr<ReusePlan>> reuse_plans;  // those that were asked for, one per strategy
  const ReusePlan* reuse_plan(ReuseMode mode);          // nullptr: none is needed

  PhasePlan plan;  // of the last render
  const PhasePlan& make_plan(const RenderOptions& options);
  // Pointers into host memory.
  FrameTables tables(const PhasePlan& plan) const;
  uint64_t bytes() const;
};

}  // namespace brokkr
