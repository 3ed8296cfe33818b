#include "pipeline/cuda/device_frame.h"

namespace brokkr {
namespace {

// Copies the tables where `held` names others.
template <class T, class F>
void renew(T& held, const T& wanted, F&& copy) {
  if (held == wanted) return;
  held = T{};  // should a copy fail, the next update tries again
  copy();
  held = wanted;
}

}  // namespace

const PlanTables& DeviceFrame::update(const PreparedFrame::Impl& f, const std::shared_ptr<const LaunchPlan>& plan) {
  const PlanTables host = host_tables(f, *plan);
  const DrawPlan& draws = *plan->draws;
  const TargetPlan& targets = *plan->targets;
  FrameTables& t = tables_.frame;
  renew(version_, f.version, [&] {
    t.runs = runs_.hold(host.frame.runs, f.runs.size());
    t.batch_run = batch_run_.hold(host.frame.batch_run, f.batch_run.size());
    t.materials = materials_.hold(host.frame.materials, f.materials.size());
    t.textures = textures_.hold(host.frame.textures, f.textures.size());
    t.texels = texels_.hold(host.frame.texels, f.texels.size());
    t.indices = indices_.hold(host.frame.indices, f.indices().size());
    t.positions = positions_.hold(host.frame.positions, 4 * f.positions().size());
    t.normals = normals_.hold(host.frame.normals, 3 * f.frame->normals.size());
    t.texcoords = texcoords_.hold(host.frame.texcoords, 2 * f.frame->texcoords.size());
    t.second_texcoords = second_texcoords_.hold(host.frame.second_texcoords, 2 * f.frame->second_texcoords.size());
    t.colors = colors_.hold(host.frame.colors, 4 * f.frame->colors.size());
    t.models = models_.hold(host.frame.models, 16 * f.frame->models.size());
  });
  renew(views_version_, f.views_version, [&] { t.views = views_.hold(host.frame.views, f.views.size()); });
  renew(draw_plan_, plan->draws, [&] {
    t.draws = draws_.hold(host.frame.draws, draws.draws.size());
    t.phases = phases_.hold(host.frame.phases, draws.phases.size());
  });
  renew(reuse_plan_, draws.reuse, [&] {
    const ReusePlan none, &r = draws.reuse != nullptr ? *draws.reuse : none;
    t.planned = planned_.hold(host.frame.planned, r.batches.size());
    t.chunks = chunks_.hold(host.frame.chunks, r.chunks.size());
    t.chunk_corners = chunk_corners_.hold(host.frame.chunk_corners, r.corners.size());
    t.shade_vertex = shade_vertex_.hold(host.frame.shade_vertex, r.shade_vertex.size());
    t.shade_slot = shade_slot_.hold(host.frame.shade_slot, r.shade_slot.size());
  });
  renew(target_plan_, plan->targets, [&] {
    tables_.targets = targets_.hold(host.targets, targets.targets.size());
    tables_.bin_owner = bin_owner_.hold(host.bin_owner, targets.bin_owner.size());
    tables_.first_own_region = first_own_region_.hold(host.first_own_region, targets.first_own_region.size());
    tables_.own_regions = own_regions_.hold(host.own_regions, targets.own_regions.size());
  });
  renew(plan_, plan, [&] {
    tables_.ranks = ranks_.hold(host.ranks, plan->ranks.size());
    tables_.task_order = task_order_.hold(host.task_order, plan->task_order.size());
  });
  t.batches = host.frame.batches;
  t.phase_count = host.frame.phase_count;
  std::copy(host.frame.light, host.frame.light + 3, t.light);
  return tables_;
}

}  // namespace brokkr
