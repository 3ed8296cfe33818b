// The tables of a prepared frame and its plan in device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "pipeline/cuda/memory.h"
#include "plan/prepare.h"

namespace brokkr {

// Copies the tables only if the prepared frame, its views or the parts of its plan changed since the last update.
class DeviceFrame {
 public:
  // Returns the tables of `frame` under `plan`. Throws std::runtime_error if device memory is short or a copy fails;
  // the next update then copies everything.
  const PlanTables& update(const PreparedFrame::Impl& frame, const std::shared_ptr<const LaunchPlan>& plan);

 private:
  // Copies the tables that programs read.
  void hold_programs(const PreparedFrame::Impl& frame, const PlanTables& host);
  // Copies the tables that vertex programs read.
  void hold_vertices(const PreparedFrame::Impl& frame, const PlanTables& host);

  // Versions of the tables that are in device memory.
  uint64_t version_ = 0, views_version_ = 0, uniforms_version_ = 0, vertices_version_ = 0, models_version_ = 0,
           textures_version_ = 0;
  std::pair<uint64_t, uint64_t> vertex_programs_version_;
  std::shared_ptr<const LaunchPlan> plan_;
  std::shared_ptr<const DrawPlan> draw_plan_;
  std::shared_ptr<const ReusePlan> reuse_plan_;
  std::shared_ptr<const TargetPlan> target_plan_;

  DeviceBuffer runs_, batch_run_, views_, materials_, textures_, texels_, indices_, positions_, normals_, texcoords_,
      second_texcoords_, colors_, models_, whole_ids_;
  DeviceBuffer programs_, code_, presets_, inputs_, uniforms_, samplers_, varyings_, sampled_, sampled_texels_,
      texture_texels_, loads_;
  DeviceBuffer vertex_programs_, vertex_code_, vertex_presets_, vertex_uniforms_, vertex_samplers_, vertex_records_,
      vertex_inputs_, vertex_results_, attributes_;
  DeviceBuffer draws_, phases_, planned_, chunks_, chunk_corners_, shade_vertex_, shade_slot_;
  DeviceBuffer targets_, bin_owner_, first_region_of_owner_, regions_by_owner_, ranks_, task_order_;
  PlanTables tables_{};
};

}  // namespace brokkr
