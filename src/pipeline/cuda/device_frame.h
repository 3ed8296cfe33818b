// The tables of a prepared frame in device memory.
#pragma once

#include <cstdint>

#include "pipeline/cuda/memory.h"
#include "pipeline/prepare.h"

namespace brokkr {

// What is there already is not copied again: tables of the frame while its version is the same, those of the plan while
// it is the one of the last update.
struct DeviceFrame {
  uint64_t version = 0;
  // The plan in memory: its tables follow from the frame and these.
  uint64_t plan_version = 0;
  OrderMode order = OrderMode::automatic;
  Shading shading = Shading::material;
  uint32_t command_limit = 0;
  DeviceBuffer draws, runs, batch_run, views, materials, textures, texels, phases, indices, positions, normals,
      texcoords, models;
  uint64_t plan_reuse = 0, reuse_version = 0;
  DeviceBuffer planned, chunks, chunk_corners, shade_vertex, shade_slot;
  FrameTables tables{};

  // Makes `tables` those of `f` under `plan`. Throws std::runtime_error where device memory is short or a copy fails;
  // the next update then copies anew.
  void update(const PreparedFrame::Impl& f, const PhasePlan& plan);
};

}  // namespace brokkr
