#include "pipeline/prepare.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include <glm/geometric.hpp>

#include "pipeline/draw_record.h"
#include "pipeline/expand.h"
#include "pipeline/mip_chain.h"

namespace brokkr {
namespace {

// A frame's device copies are made anew where its version is.
uint64_t next_version() {
  static std::atomic<uint64_t> versions{0};
  return ++versions;
}

std::vector<ViewRecord> view_records(const std::vector<View>& views) {
  std::vector<ViewRecord> records;
  records.reserve(views.size());
  for (const View& v : views) {
    ViewRecord r{};
    std::memcpy(r.view_projection, &v.view_projection[0][0], sizeof r.view_projection);
    for (int i = 0; i < 3; ++i) r.eye[i] = v.eye[i];
    r.target = v.target;
    r.layer = v.layer;
    records.push_back(r);
  }
  return records;
}

void require(bool ok, const std::string& message) {
  if (!ok) throw std::runtime_error(message);
}

}  // namespace

PreparedFrame Renderer::prepare(const Frame& frame) {
  const auto begin = std::chrono::steady_clock::now();
  validate(frame);
  PreparedFrame result;
  result.impl_ = std::make_unique<PreparedFrame::Impl>();
  PreparedFrame::Impl& p = *result.impl_;
  p.frame = &frame;
  p.version = next_version();

  uint64_t batches = 0;
  for (size_t c = 0; c < frame.commands.size(); ++c) {
    const auto* draw = std::get_if<DrawCommand>(&frame.commands[c]);
    if (draw == nullptr || draw->element_count == 0 || draw->instances == 0 || draw->view_count == 0) continue;
    const State& state = frame.states[draw->state];
    const auto target_of = [&](uint32_t v) { return frame.views[draw->first_view + v].target; };
    DrawRecord record = make_draw(frame, *draw, frame.targets[target_of(0)], uint32_t(c));
    uint32_t instances = draw->instances;
    uint64_t triangles = 0;
    if (needs_expansion(*draw, state)) {
      ExpandedDraw e = expand(frame, *draw, state, c);
      if (!p.own_indices) p.indices = frame.indices;
      p.own_indices = true;
      record.bits |= kDrawIndexed;
      record.assembly = Assembly::list;
      require(p.indices.size() + e.indices.size() < 0x7fffffffu,
              "command " + std::to_string(c) + ": too many indices; limit 2^31");
      record.first_index = uint32_t(p.indices.size());
      p.indices.insert(p.indices.end(), e.indices.begin(), e.indices.end());
      triangles = e.indices.size() / 3;
      if (!e.positions.empty() || draw->topology >= Topology::points || state.polygon_mode != PolygonMode::fill) {
        if (!p.own_positions) p.positions = frame.positions;
        p.own_positions = true;
        record.first_vertex = uint32_t(p.positions.size());
        record.vertex_count = uint32_t(e.positions.size());
        record.bits &= ~uint32_t(kDrawCullFront | kDrawCullBack);
        p.positions.insert(p.positions.end(), e.positions.begin(), e.positions.end());
      }
      instances = e.instances;
    } else {
      record.assembly = draw->topology == Topology::triangles        ? Assembly::list
                        : draw->topology == Topology::triangle_strip ? Assembly::strip
                                                                     : Assembly::fan;
      triangles = primitive_count(draw->topology, draw->element_count);
    }
    if (triangles == 0) continue;
    record.triangle_count = uint32_t(triangles);
    p.index_count += triangles * 3 * instances * draw->view_count;
    p.triangles += triangles * instances * draw->view_count;
    if (draw->flags & (kFragmentDiscard | kFragmentDepth | kClipDistance)) {
      p.discard_unknown_triangles += triangles * instances * draw->view_count;
    }
    const uint64_t per_run = (triangles + kBatchTriangles - 1) / kBatchTriangles;
    require(batches + per_run * instances * draw->view_count <= kMaxBatches,
            "command " + std::to_string(c) + ": more than 2^32 triangles in the frame; split it");
    const auto push = [&] {
      p.draws.push_back(record);
      p.draw_end.push_back(uint32_t(batches));
    };
    for (uint32_t v = 0; v < draw->view_count; ++v) {
      if (v > 0 && target_of(v) != target_of(v - 1)) {
        // Another target has other bounds: a record of its own.
        push();
        fill_rect(state, frame.targets[target_of(v)], record.rect);
      }
      const uint32_t draw_number = uint32_t(p.draws.size());
      for (uint32_t i = 0; i < instances; ++i) {
        const uint32_t run = uint32_t(p.runs.size());
        p.runs.push_back({draw_number, draw->first_view + v, i, uint32_t(batches)});
        p.batch_run.insert(p.batch_run.end(), size_t(per_run), run);
        batches += per_run;
      }
    }
    push();
  }
  require((p.own_positions ? p.positions.size() : frame.positions.size()) < kMaxFrameVertices,
          "frame: more than 2^29 vertices; split it");

  p.views = view_records(frame.views);
  for (const Material& m : frame.materials) {
    MaterialRecord r{};
    for (int i = 0; i < 3; ++i) {
      r.diffuse[i] = m.diffuse[i];
      r.specular[i] = m.specular[i];
      r.emission[i] = m.emission[i];
      r.ambient[i] = m.ambient[i];
    }
    r.shininess = m.shininess;
    r.opacity = m.opacity;
    r.alpha_cutoff = m.alpha_cutoff;
    r.diffuse_texture = m.diffuse_texture;
    r.alpha_texture = m.alpha_texture;
    p.materials.push_back(r);
  }
  for (const Texture& t : frame.textures) p.textures.push_back(append_mip_chain(t, p.texels));
  p.prepare_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

FrameTables PreparedFrame::Impl::tables(const PhasePlan& phase_plan) const {
  FrameTables t{};
  t.draws = phase_plan.draws.data();
  t.runs = runs.data();
  t.batch_run = batch_run.data();
  t.views = views.data();
  t.materials = materials.data();
  t.textures = textures.data();
  t.texels = texels.data();
  t.phases = phase_plan.phases.data();
  t.indices = own_indices ? indices.data() : frame->indices.data();
  t.positions = own_positions ? &positions.data()->x : &frame->positions.data()->x;
  t.normals = frame->normals.empty() ? nullptr : &frame->normals.data()->x;
  t.texcoords = frame->texcoords.empty() ? nullptr : &frame->texcoords.data()->x;
  t.models = frame->models.empty() ? nullptr : &frame->models.data()[0][0][0];
  t.batches = phase_plan.batches;
  t.vertex_work = phase_plan.vertex_work;
  if (const ReusePlan* reuse = phase_plan.reuse) {
    t.planned = reuse->batches.data();
    t.chunks = reuse->chunks.data();
    t.chunk_corners = reuse->corners.data();
    t.shade_vertex = reuse->shade_vertex.data();
    t.shade_slot = reuse->shade_slot.data();
  }
  t.draw_count = uint32_t(phase_plan.draws.size());
  t.phase_count = uint32_t(phase_plan.phases.size());
  for (const PhaseRecord& phase : phase_plan.phases) t.blit_count += phase.kind == PhaseKind::blit;
  const float length = std::sqrt(glm::dot(frame->light_direction, frame->light_direction));
  for (int i = 0; i < 3; ++i) t.light[i] = length > 0 ? frame->light_direction[i] / length : (i == 1 ? 1.0f : 0.0f);
  return t;
}

uint64_t PreparedFrame::Impl::bytes() const {
  const auto size = [](const auto& v) { return uint64_t(v.size() * sizeof(v[0])); };
  return size(draws) + size(runs) + size(batch_run) + size(views) + size(materials) + size(textures) + size(texels) +
         size(plan.phases) + size(own_indices ? indices : frame->indices) +
         size(own_positions ? positions : frame->positions) + size(frame->normals) + size(frame->texcoords) +
         size(frame->models) + (plan.reuse != nullptr ? plan.reuse->bytes() : 0);
}

PrimitiveOrigin PreparedFrame::origin(uint32_t primitive_id) const {
  PrimitiveOrigin o;
  const uint32_t batch = primitive_id / kBatchTriangles;
  if (primitive_id == kNoPrimitive || batch >= impl_->batch_run.size()) return o;
  const RunRecord& run = impl_->runs[impl_->batch_run[batch]];
  o.command = impl_->draws[run.draw].command;
  o.view = run.view;
  o.instance = run.instance;
  o.batch = batch;
  o.triangle = primitive_id - run.first_batch * kBatchTriangles;
  return o;
}

void PreparedFrame::update_views() {
  impl_->views = view_records(impl_->frame->views);
  impl_->version = next_version();
}

PreparedFrame::PreparedFrame() = default;
PreparedFrame::~PreparedFrame() = default;
PreparedFrame::PreparedFrame(PreparedFrame&&) noexcept = default;
PreparedFrame& PreparedFrame::operator=(PreparedFrame&&) noexcept = default;

}  // namespace brokkr
