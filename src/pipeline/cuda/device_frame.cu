#include "pipeline/cuda/device_frame.h"

#include <algorithm>

namespace brokkr {

void DeviceFrame::update(const PreparedFrame::Impl& f, const PhasePlan& plan) {
  const FrameTables host = f.tables(plan);
  if (version != f.version) {
    version = plan_version = 0;  // should an upload fail, the next frame tries again
    tables.runs = runs.hold(host.runs, f.runs.size());
    tables.batch_run = batch_run.hold(host.batch_run, f.batch_run.size());
    tables.views = views.hold(host.views, f.views.size());
    tables.materials = materials.hold(host.materials, f.materials.size());
    tables.textures = textures.hold(host.textures, f.textures.size());
    tables.texels = texels.hold(host.texels, f.texels.size());
    tables.indices = indices.hold(host.indices, f.own_indices ? f.indices.size() : f.frame->indices.size());
    tables.positions =
        positions.hold(host.positions, 4 * (f.own_positions ? f.positions.size() : f.frame->positions.size()));
    tables.normals = normals.hold(host.normals, 3 * f.frame->normals.size());
    tables.texcoords = texcoords.hold(host.texcoords, 2 * f.frame->texcoords.size());
    tables.models = models.hold(host.models, 16 * f.frame->models.size());
    version = f.version;
  }
  const uint64_t reuse = plan.reuse != nullptr ? plan.reuse->version : 0;
  if (plan_version != f.version || order != plan.order || shading != plan.shading ||
      command_limit != plan.command_limit || plan_reuse != reuse) {
    plan_version = 0;
    tables.draws = draws.hold(host.draws, plan.draws.size());
    tables.phases = phases.hold(host.phases, plan.phases.size());
    order = plan.order;
    shading = plan.shading;
    command_limit = plan.command_limit;
    plan_reuse = reuse;
    plan_version = f.version;
  }
  if (plan.reuse == nullptr) {
    tables.planned = nullptr;
    reuse_version = 0;
  } else if (reuse_version != plan.reuse->version) {
    const ReusePlan& r = *plan.reuse;
    tables.planned = planned.hold(host.planned, r.batches.size());
    tables.chunks = chunks.hold(host.chunks, r.chunks.size());
    tables.chunk_corners = chunk_corners.hold(host.chunk_corners, r.corners.size());
    tables.shade_vertex = shade_vertex.hold(host.shade_vertex, r.shade_vertex.size());
    tables.shade_slot = shade_slot.hold(host.shade_slot, r.shade_slot.size());
    reuse_version = r.version;
  }
  tables.vertex_work = host.vertex_work;
  tables.batches = host.batches;
  tables.draw_count = host.draw_count;
  tables.phase_count = host.phase_count;
  tables.blit_count = host.blit_count;
  std::copy(host.light, host.light + 3, tables.light);
}

}  // namespace brokkr
