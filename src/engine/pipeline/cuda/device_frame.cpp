#include "pipeline/cuda/device_frame.h"

#include <type_traits>

namespace brokkr {
namespace {

// Copies the tables if `held` refers to other ones.
template <class T, class F>
void renew(T& held, const std::type_identity_t<T>& wanted, F&& copy) {
  if (held == wanted) return;
  held = T{};  // if a copy fails, the next update tries again
  copy();
  held = wanted;
}

}  // namespace

void DeviceFrame::hold_programs(const PreparedFrame::Impl& f, const PlanTables& host) {
  const ProgramDraws::Counts n = f.programs.counts(*f.frame);
  const shader::SampledTextures& textures = f.programs.textures();
  ProgramTables& t = tables_.programs;
  t.programs = programs_.hold(host.programs.programs, n.programs);
  t.code = code_.hold(host.programs.code, n.code);
  t.presets = presets_.hold(host.programs.presets, n.presets);
  t.inputs = inputs_.hold(host.programs.inputs, n.inputs);
  t.uniforms = uniforms_.hold(host.programs.uniforms, n.uniforms);
  t.samplers = samplers_.hold(host.programs.samplers, n.samplers);
  t.varyings = varyings_.hold(host.programs.varyings, n.varyings);
  t.loads = loads_.hold(host.programs.loads, n.loads);
  t.textures = texture_texels_.hold(host.programs.textures, textures.textures.size());
  t.sizes = host.programs.sizes;
  tables_.frame.sampled = sampled_.hold(host.frame.sampled, textures.records.size());
  const TablePointer<const uint32_t> texels = host.frame.sampled_texels.address;
  // Later parts of a frame keep the texels that earlier parts copied there (plan/part.h).
  if (f.part.first_command == 0 || sampled_texels_.bytes() < textures.texels.size() * sizeof(uint32_t))
    sampled_texels_.hold(texels, textures.texels.size());
  tables_.frame.sampled_texels = sampled_texels_.as<uint32_t>();
}

void DeviceFrame::hold_vertices(const PreparedFrame::Impl& f, const PlanTables& host) {
  const VertexDraws::Counts n = f.vertices.counts(*f.frame);
  VertexTables& t = tables_.vertices;
  t.programs.programs = vertex_programs_.hold(host.vertices.programs.programs, n.programs);
  t.programs.code = vertex_code_.hold(host.vertices.programs.code, n.code);
  t.programs.presets = vertex_presets_.hold(host.vertices.programs.presets, n.presets);
  t.programs.uniforms = vertex_uniforms_.hold(host.vertices.programs.uniforms, n.uniforms);
  t.programs.samplers = vertex_samplers_.hold(host.vertices.programs.samplers, n.samplers);
  t.programs.sizes = host.vertices.programs.sizes;
  t.records = vertex_records_.hold(host.vertices.records, n.records);
  t.inputs = vertex_inputs_.hold(host.vertices.inputs, n.inputs);
  t.results = vertex_results_.hold(host.vertices.results, n.results);
  t.attributes = attributes_.hold(host.vertices.attributes, n.attributes);
}

const PlanTables& DeviceFrame::update(const PreparedFrame::Impl& f, const std::shared_ptr<const LaunchPlan>& plan) {
  const PlanTables host = host_tables(f, *plan);
  const DrawPlan& draws = *plan->draws;
  const TargetPlan& targets = *plan->targets;
  FrameTables& t = tables_.frame;
  renew(version_, f.version, [&] {
    t.runs = runs_.hold(host.frame.runs, f.runs.size());
    t.batch_run = batch_run_.hold(host.frame.batch_run, f.batch_run.size());
    t.materials = materials_.hold(host.frame.materials, f.materials.size());
    t.indices = indices_.hold(host.frame.indices, f.indices().size());
    t.whole_ids = whole_ids_.hold(host.frame.whole_ids, f.whole_ids.size());
    hold_programs(f, host);
  });
  renew(vertices_version_, f.vertices_version, [&] {
    t.positions = positions_.hold(host.frame.positions, 4 * f.positions().size());
    t.normals = normals_.hold(host.frame.normals, 3 * f.frame->normals.size());
    t.texcoords = texcoords_.hold(host.frame.texcoords, 2 * f.frame->texcoords.size());
    t.second_texcoords = second_texcoords_.hold(host.frame.second_texcoords, 2 * f.frame->second_texcoords.size());
    t.colors = colors_.hold(host.frame.colors, 4 * f.frame->colors.size());
  });
  renew(models_version_, f.models_version,
        [&] { t.models = models_.hold(host.frame.models, 16 * f.frame->models.size()); });
  renew(textures_version_, f.textures_version, [&] {
    t.textures = textures_.hold(host.frame.textures, f.textures.size());
    t.texels = texels_.hold(host.frame.texels, f.texels.size());
  });
  renew(uniforms_version_, f.uniforms_version, [&] { hold_programs(f, host); });
  if (draws.vertices) renew(vertex_programs_version_, {f.version, f.uniforms_version}, [&] { hold_vertices(f, host); });
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
    tables_.first_region_of_owner =
        first_region_of_owner_.hold(host.first_region_of_owner, targets.first_region_of_owner.size());
    tables_.regions_by_owner = regions_by_owner_.hold(host.regions_by_owner, targets.regions_by_owner.size());
  });
  renew(plan_, plan, [&] {
    tables_.ranks = ranks_.hold(host.ranks, plan->ranks.size());
    tables_.task_order = task_order_.hold(host.task_order, plan->task_order.size());
  });
  static_cast<FrameNumbers&>(t) = host.frame;
  return tables_;
}

}  // namespace brokkr
