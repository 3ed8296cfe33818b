#include "plan/prepare.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <glm/geometric.hpp>

#include "base/loading.h"
#include "brokkr/drawing_order.h"
#include "plan/expand.h"

namespace brokkr {
namespace {

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

MappingRecord mapping_record(const TextureMapping& m) {
  MappingRecord r{};
  for (int i = 0; i < 4; ++i) r.linear[i] = m.linear[i / 2][i % 2];
  for (int i = 0; i < 2; ++i) r.offset[i] = m.offset[i];
  r.set = m.set;
  r.moves = m == TextureMapping{.set = m.set} ? 0 : 1;
  return r;
}

MaterialRecord material_record(const Material& m) {
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
  r.textured = m.is_textured() ? 1 : 0;
  r.metallic = m.kind == MaterialKind::blinn_phong ? 0.0f : m.metallic;
  r.roughness = roughness_of(m);
  r.normal_scale = m.normal_scale;
  r.metallic_roughness_texture = m.metallic_roughness_texture;
  r.normal_texture = m.normal_texture;
  r.emission_texture = m.emission_texture;
  r.occlusion_texture = m.occlusion_texture;
  r.occlusion_strength = m.occlusion_strength;
  r.unlit = m.unlit ? 1 : 0;
  r.second_texcoords = m.reads_second_texcoords() ? 1 : 0;
  r.diffuse_mapping = mapping_record(m.diffuse_mapping);
  r.metallic_roughness_mapping = mapping_record(m.metallic_roughness_mapping);
  r.normal_mapping = mapping_record(m.normal_mapping);
  r.emission_mapping = mapping_record(m.emission_mapping);
  r.occlusion_mapping = mapping_record(m.occlusion_mapping);
  return r;
}

void require(bool ok, const std::string& message) {
  if (!ok) throw std::runtime_error(message);
}

// Cuts a frame's draws into runs and batches.
class DrawTables {
 public:
  DrawTables(const Frame& frame, PreparedFrame::Impl& tables, Loading& loading)
      : frame_(frame), p_(tables), loading_(loading) {}

  void add(const DrawCommand& draw, uint32_t command) {
    if (draw.element_count == 0 || draw.instances == 0 || draw.view_count == 0) return;
    DrawRecord record = make_draw(frame_, draw, target_of(draw, 0), command);
    uint32_t instances = draw.instances;
    uint64_t triangles = 0;
    if (needs_expansion(draw, frame_.states[draw.state])) {
      triangles = add_expanded(draw, record, instances);
    } else {
      record.program = p_.programs.add(frame_, draw, nullptr, loading_);
      record.assembly = draw.topology == Topology::triangles        ? Assembly::list
                        : draw.topology == Topology::triangle_strip ? Assembly::strip
                                                                    : Assembly::fan;
      triangles = primitive_count(draw.topology, draw.element_count);
    }
    if (triangles == 0) return;
    record.triangle_count = uint32_t(triangles);
    const uint64_t runs = uint64_t(instances) * draw.view_count;
    if (draw.flags & (kFragmentDiscard | kFragmentDepth | kClipDistance))
      p_.discard_unknown_triangles += triangles * runs;
    if (record.program != kNoProgram && (draw.flags & kClipDistance) == 0 &&
        (draw.flags & (kFragmentDiscard | kFragmentDepth)) != 0)
      p_.discard_known_triangles += triangles * runs;
    const uint64_t batches = (triangles + kBatchTriangles - 1) / kBatchTriangles;
    require(batches_ + batches * runs <= kMaxBatches,
            "command " + std::to_string(command) + ": more than 2^32 triangles in the frame; split it");
    add_runs(draw, record, instances, batches);
  }

 private:
  const Target& target_of(const DrawCommand& draw, uint32_t view) const {
    return frame_.targets[frame_.views[draw.first_view + view].target];
  }

  // Adds indices and vertices of an expanded draw. Returns its number of triangles.
  uint64_t add_expanded(const DrawCommand& draw, DrawRecord& record, uint32_t& instances) {
    const State& state = frame_.states[draw.state];
    // Require memory for copies of the frame's lists and of the lists of earlier draws.
    loading_.check((p_.expanded_indices.size() + frame_.indices.size()) * 3 * sizeof(uint32_t) +
                       (p_.expanded_positions.size() + frame_.positions.size()) * 3 * sizeof(glm::vec4),
                   fmt::format("command {}", record.command));
    ExpandedDraw e = expand(frame_, draw, state, record.command, loading_);
    std::vector<uint32_t>& indices = p_.expanded_indices;
    if (indices.empty()) indices = frame_.indices;
    record.bits |= kDrawIndexed;
    record.assembly = Assembly::list;
    require(indices.size() + e.indices.size() < 0x7fffffffu,
            "command " + std::to_string(record.command) + ": too many indices; limit 2^31");
    record.first_index = uint32_t(indices.size());
    indices.insert(indices.end(), e.indices.begin(), e.indices.end());
    if (!e.positions.empty() || draw.topology >= Topology::points || state.polygon_mode != PolygonMode::fill) {
      std::vector<glm::vec4>& positions = p_.expanded_positions;
      if (positions.empty()) positions = frame_.positions;
      record.first_vertex = uint32_t(positions.size());
      record.vertex_count = uint32_t(e.positions.size());
      record.bits &= ~uint32_t(kDrawCullFront | kDrawCullBack | kDrawPolygonOffset);
      positions.insert(positions.end(), e.positions.begin(), e.positions.end());
    }
    instances = e.instances;
    if (!e.indices.empty()) record.program = p_.programs.add(frame_, draw, &e, loading_);
    return e.indices.size() / 3;
  }

  void add_runs(const DrawCommand& draw, DrawRecord& record, uint32_t instances, uint64_t batches) {
    const uint64_t runs = uint64_t(instances) * draw.view_count;
    loading_.check(((batches_ + batches * runs) * sizeof(uint32_t) + (p_.runs.size() + runs) * sizeof(RunRecord)) * 3,
                   fmt::format("command {}", record.command));
    const auto push = [&] {
      p_.draws.push_back(record);
      p_.draw_end.push_back(uint32_t(batches_));
    };
    for (uint32_t v = 0; v < draw.view_count; ++v) {
      if (v > 0 && &target_of(draw, v) != &target_of(draw, v - 1)) {
        // Another target has other bounds, so the draw needs another record.
        push();
        fill_rect(frame_.states[draw.state], target_of(draw, v), record.rect);
      }
      const uint32_t draw_number = uint32_t(p_.draws.size());
      for (uint32_t i = 0; i < instances; ++i) {
        loading_.step();
        const uint32_t run = uint32_t(p_.runs.size());
        p_.runs.push_back({draw_number, draw.first_view + v, i, uint32_t(batches_)});
        p_.batch_run.insert(p_.batch_run.end(), size_t(batches), run);
        batches_ += batches;
      }
    }
    push();
  }

  const Frame& frame_;
  PreparedFrame::Impl& p_;
  Loading& loading_;
  uint64_t batches_ = 0;
};

}  // namespace

// A Blinn-Phong lobe with exponent n is about as wide as a lobe with roughness^4 = 2 / (n + 2) [Walter07, 5.2].
float roughness_of(const Material& m) {
  if (m.kind != MaterialKind::blinn_phong) return m.roughness;
  return std::pow(2.0f / (std::max(m.shininess, 0.0f) + 2.0f), 0.25f);
}

PreparedFrame Renderer::prepare(const Frame& frame, const LoadOptions& load) try {
  const auto begin = std::chrono::steady_clock::now();
  Loading loading(load);
  loading.holds(memory_of(frame), "frame");
  loading.at(0);
  loading.until(0.2);
  validate(frame, loading);
  PreparedFrame result;
  result.impl_ = std::make_unique<PreparedFrame::Impl>();
  PreparedFrame::Impl& p = *result.impl_;
  p.frame = &frame;
  p.shape = FrameShape(frame);
  p.main_target = main_target(frame);
  p.version = next_version();
  p.views_version = next_version();
  p.vertices_version = p.models_version = p.textures_version = next_version();
  loading.until(0.5);
  p.programs.open(frame, loading);
  DrawTables tables(frame, p, loading);
  loading.until(0.7);
  p.middles = draw_middles(frame);
  p.order = drawing_order(frame, p.middles);
  for (size_t i = 0; i < p.order.size(); ++i) {
    loading.look(i, p.order.size());
    const uint32_t command = p.order[i];
    if (const auto* draw = std::get_if<DrawCommand>(&frame.commands[command])) tables.add(*draw, command);
  }
  require(p.positions().size() < kMaxFrameVertices, "frame: more than 2^29 vertices; split it");
  loading.until(1);
  p.views = view_records(frame.views);
  p.boxes = position_boxes(p);
  p.inside = is_inside(p);
  for (const Material& m : frame.materials) p.materials.push_back(material_record(m));
  for (const Texture& t : frame.textures) p.textures.push_back(append_mip_chain(t, p.texels, loading));
  if (!p.texels.empty()) p.texels.resize(p.texels.size() + kTexelWordsBeyond);
  p.prepare_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return result;
} catch (const MemoryLimitError& error) {
  if (frame.source.empty()) throw;
  throw MemoryLimitError(frame.source + ": " + error.what());
} catch (const std::runtime_error& error) {
  throw FileError((frame.source.empty() ? "" : frame.source + ": ") + error.what());
}

PreparedFrame::Impl& PreparedFrame::Impl::of(const PreparedFrame& frame) {
  if (frame.impl_ == nullptr) {
    throw std::invalid_argument(
        "frame: this PreparedFrame was moved from and is empty; use the one that it was moved to, or prepare the "
        "frame again");
  }
  return *frame.impl_;
}

Shading PreparedFrame::Impl::shading(Shading asked) const {
  if (asked == Shading::program && !frame->inputs.empty()) return asked;
  if (asked == Shading::program) asked = Shading::material;
  const auto physical = [](const Material& m) { return m.kind == MaterialKind::metallic_roughness; };
  const bool has_physical = std::any_of(frame->materials.begin(), frame->materials.end(), physical);
  return asked == Shading::material && has_physical ? Shading::metallic_roughness : asked;
}

FrameTables PreparedFrame::Impl::tables(const DrawPlan& plan) const {
  FrameTables t{};
  t.draws = plan.draws.data();
  t.runs = slice.views != 0 ? slice.runs.data() : runs.data();
  t.batch_run = slice.views != 0 ? slice.batch_run.data() : batch_run.data();
  t.views = slice.views != 0 ? slice.records.data() : views.data();
  t.materials = materials.data();
  t.textures = textures.data();
  t.texels = texels.data();
  t.sampled = programs.textures().records.data();
  // The kernel publishes planes into these texels. A launch reads only texels that it has written itself.
  t.sampled_texels = const_cast<uint32_t*>(programs.textures().texels.data());
  t.phases = plan.phases.data();
  t.indices = indices().data();
  const auto floats = [](const auto& vectors) { return vectors.empty() ? nullptr : &vectors.front().x; };
  t.positions = floats(positions());
  t.normals = floats(frame->normals);
  t.texcoords = floats(frame->texcoords);
  t.second_texcoords = floats(frame->second_texcoords);
  t.colors = floats(frame->colors);
  t.models = frame->models.empty() ? nullptr : &frame->models.front()[0][0];
  t.whole_ids = whole_ids.empty() ? nullptr : whole_ids.data();
  t.batches = plan.batches;
  t.phase_count = uint32_t(plan.phases.size());
  if (const ReusePlan* reuse = plan.reuse.get()) {
    t.planned = reuse->batches.data();
    t.chunks = reuse->chunks.data();
    t.chunk_corners = reuse->corners.data();
    t.shade_vertex = reuse->shade_vertex.data();
    t.shade_slot = reuse->shade_slot.data();
  }
  const auto bends = [](const MaterialRecord& m) { return m.normal_texture >= 0; };
  t.normal_maps = std::any_of(materials.begin(), materials.end(), bends) ? 1 : 0;
  const float length = std::sqrt(glm::dot(frame->light_direction, frame->light_direction));
  for (int i = 0; i < 3; ++i) t.light[i] = length > 0 ? frame->light_direction[i] / length : (i == 1 ? 1.0f : 0.0f);
  return t;
}

void PreparedFrame::Impl::tables_changed() {
  version = next_version();
  plans.plans = {};
  plans.draws = {};
  plans.reuse = {};
}

void PreparedFrame::Impl::open_vertices(int memory_limit) {
  if (vertices.is_open()) return;
  LoadOptions load;
  load.memory_limit = memory_limit;
  Loading loading(load);
  loading.holds(held(), "frame");
  shape.require_commands(*frame);
  vertices.open(*frame, draws, programs.textures(), loading);
  if (vertices_moved && update_varyings() == UniformChange::order) tables_changed();
}

bool PreparedFrame::Impl::can_slice() const {
  const std::vector<View>& all = frame->views;
  if (frame->targets.size() != 1 || size_t(frame->targets[0].layers) != all.size() || !middles.empty() ||
      !frame->captured_textures.empty() || part.is_some())
    return false;
  for (uint32_t v = 0; v < all.size(); ++v) {
    if (all[v].layer != v) return false;
  }
  return std::ranges::all_of(frame->commands, [&](const Command& command) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    return draw != nullptr ? draw->first_view == 0 && draw->view_count == all.size()
                           : std::holds_alternative<ClearCommand>(command);
  });
}

void PreparedFrame::Impl::set_slice(uint32_t first, uint32_t count) {
  slice.records.assign(views.begin() + first, views.begin() + first + count);
  for (uint32_t v = 0; v < count; ++v) slice.records[v].layer = v;
  if (count == slice.views) return;
  slice.views = count;
  slice.runs.clear();
  slice.batch_run.clear();
  slice.draw_end.clear();
  const auto batches = uint32_t(batch_run.size());
  for (uint32_t run = 0; run < runs.size(); ++run) {
    const RunRecord& of_frame = runs[run];
    slice.draw_end.resize(of_frame.draw + 1);
    if (of_frame.view < count) {
      const uint32_t end = run + 1 < runs.size() ? runs[run + 1].first_batch : batches;
      const auto first_batch = uint32_t(slice.batch_run.size());
      slice.batch_run.insert(slice.batch_run.end(), end - of_frame.first_batch, uint32_t(slice.runs.size()));
      slice.runs.push_back({of_frame.draw, of_frame.view, of_frame.instance, first_batch});
    }
    slice.draw_end[of_frame.draw] = uint32_t(slice.batch_run.size());
  }
}

// Once launches run the vertex programs, the host may not have computed the varyings for the current uniforms.
UniformChange PreparedFrame::Impl::update_varyings() { return programs.update_varyings(*frame, !vertices.is_open()); }

void PreparedFrame::Impl::reorder() {
  if (middles.empty()) return;
  shape.require_commands(*frame);
  std::vector<uint32_t> commands = drawing_order(*frame, middles);
  if (commands == order) return;
  std::vector<uint32_t> place(commands.size()), old_draw(draws.size()), first_run(draws.size());
  for (uint32_t i = 0; i < commands.size(); ++i) place[commands[i]] = i;
  std::iota(old_draw.begin(), old_draw.end(), 0u);
  std::ranges::stable_sort(old_draw, {}, [&](uint32_t draw) { return place[draws[draw].command]; });
  for (size_t run = runs.size(); run-- > 0;) first_run[runs[run].draw] = uint32_t(run);
  const auto was_draws = std::exchange(draws, {});
  const auto was_boxes = std::exchange(boxes, {});
  const auto was_runs = std::exchange(runs, {});
  const auto was_batches = uint32_t(std::exchange(batch_run, {}).size());
  for (uint32_t draw = 0; draw < old_draw.size(); ++draw) {
    draws.push_back(was_draws[old_draw[draw]]);
    if (!was_boxes.empty()) boxes.push_back(was_boxes[old_draw[draw]]);
    for (size_t r = first_run[old_draw[draw]]; r < was_runs.size() && was_runs[r].draw == old_draw[draw]; ++r) {
      const RunRecord& run = was_runs[r];
      const uint32_t end = r + 1 < was_runs.size() ? was_runs[r + 1].first_batch : was_batches;
      const auto first_batch = uint32_t(batch_run.size());
      batch_run.insert(batch_run.end(), end - run.first_batch, uint32_t(runs.size()));
      runs.push_back({draw, run.view, run.instance, first_batch});
    }
    draw_end[draw] = uint32_t(batch_run.size());
  }
  order = std::move(commands);
  tables_changed();
}

uint64_t PreparedFrame::Impl::held() const {
  const auto size = [](const auto&... v) { return (uint64_t(v.size() * sizeof(v[0])) + ...); };
  return memory_of(*frame) +
         size(draws, draw_end, runs, batch_run, views, materials, textures, texels, expanded_indices,
              expanded_positions, whole_ids) +
         programs.bytes(*frame) + vertices.bytes();
}

uint64_t PreparedFrame::Impl::bytes(const DrawPlan& plan) const {
  const auto size = [](const auto&... v) { return (uint64_t(v.size() * sizeof(v[0])) + ...); };
  uint64_t sum =
      size(draws, runs, batch_run, whole_ids, views, materials, textures, texels, indices(), positions(),
           frame->normals, frame->texcoords, frame->second_texcoords, frame->colors, frame->models, plan.phases);
  if (const ReusePlan* r = plan.reuse.get())
    sum += size(r->batches, r->chunks, r->corners, r->shade_vertex, r->shade_slot);
  if (plan.vertices) sum += vertices.bytes() + frame->attributes.size() * sizeof(uint32_t);
  return sum + programs.bytes(*frame);
}

PrimitiveOrigin PreparedFrame::origin(uint32_t primitive_id) const {
  const Impl& p = Impl::of(*this);
  PrimitiveOrigin o;
  const uint32_t batch = primitive_id / kBatchTriangles;
  if (primitive_id == kNoPrimitive || batch >= p.batch_run.size()) return o;
  const RunRecord& run = p.runs[p.batch_run[batch]];
  o.command = p.draws[run.draw].command;
  o.view = run.view;
  o.instance = run.instance;
  o.batch = batch;
  o.triangle = primitive_id - run.first_batch * kBatchTriangles;
  return o;
}

void PreparedFrame::update_views() {
  const auto begin = std::chrono::steady_clock::now();
  Impl& p = Impl::of(*this);
  p.shape.require(*p.frame);
  p.views = view_records(p.frame->views);
  p.reorder();
  if (!p.frame->vertex_inputs.empty()) {
    // New uniforms require that vertices are shaded again.
    if (!p.expanded_positions.empty())
      throw std::invalid_argument(
          "frame: its lines and points were copied when it was prepared, and a vertex program has moved them; "
          "prepare it again");
    update_boxes(p, 0, p.frame->positions.size());
    p.vertices_moved = true;
    p.version = next_version();
  }
  p.inside = is_inside(p);
  p.views_version = next_version();
  if (p.vertices.update_uniforms(*p.frame)) p.uniforms_version = next_version();
  UniformChange change = p.programs.update_uniforms(*p.frame);
  if (p.vertices_moved) change = std::max(change, p.update_varyings());
  if (change != UniformChange::none) p.uniforms_version = next_version();
  if (change == UniformChange::order) {
    p.plans = {};
    p.version = next_version();
  }
  p.update_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

namespace {

// Measures the time of an update. Checks that vertices of the frame may change: none were copied into tables of other
// kinds.
template <class Update>
void update_lists(PreparedFrame::Impl& p, Update&& update) {
  const auto begin = std::chrono::steady_clock::now();
  p.shape.require(*p.frame);
  if (p.programs.any() || !p.expanded_positions.empty()) {
    throw std::invalid_argument(
        "frame: its vertices were copied when it was prepared, for a shader, programs, lines or points; prepare it "
        "again");
  }
  update();
  p.update_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void PreparedFrame::update_positions(uint64_t first, uint64_t count) {
  Impl& p = Impl::of(*this);
  update_lists(p, [&] {
    const uint64_t all = p.frame->positions.size();
    if (first > all) {
      throw std::invalid_argument(
          fmt::format("first: {} is beyond the {} positions of the frame; name one of them", first, all));
    }
    update_boxes(p, first, first + std::min(count, all - first));
    p.middles = draw_middles(*p.frame);
    p.reorder();
    p.inside = is_inside(p);
    p.vertices_version = next_version();
  });
}

void PreparedFrame::update_normals() {
  Impl& p = Impl::of(*this);
  update_lists(p, [&] { p.vertices_version = next_version(); });
}
void PreparedFrame::update_texcoords() { update_normals(); }
void PreparedFrame::update_colors() { update_normals(); }

void PreparedFrame::update_models() {
  Impl& p = Impl::of(*this);
  update_lists(p, [&] {
    p.middles = draw_middles(*p.frame);
    p.reorder();
    p.inside = is_inside(p);
    p.models_version = next_version();
  });
}

void PreparedFrame::update_textures(uint32_t first, uint32_t count) {
  Impl& p = Impl::of(*this);
  update_lists(p, [&] {
    const std::vector<Texture>& all = p.frame->textures;
    if (first > all.size()) {
      throw std::invalid_argument(
          fmt::format("first: {} is beyond the {} textures of the frame; name one of them", first, all.size()));
    }
    const size_t end = first + std::min<size_t>(count, all.size() - first);
    for (size_t i = first; i < end; ++i) {
      TextureRecord& held = p.textures[i];
      const Texture& texture = all[i];
      if (uint32_t(texture.width) != held.width || uint32_t(texture.height) != held.height ||
          texture.texels.size() != size_t(held.width) * held.height) {
        throw std::invalid_argument(
            fmt::format("textures: texture {} was {} x {} when the frame was prepared and is {} x {} with {} texels; "
                        "prepare the frame again",
                        i, held.width, held.height, texture.width, texture.height, texture.texels.size()));
      }
    }
    const LoadOptions options;
    Loading loading(options);
    for (size_t i = first; i < end; ++i) {
      std::vector<uint32_t> texels;
      TextureRecord record = append_mip_chain(all[i], texels, loading);
      const uint32_t first_texel = p.textures[i].first_texel[0];
      for (uint32_t level = 0; level < record.levels; ++level) record.first_texel[level] += first_texel;
      std::copy(texels.begin(), texels.end(), p.texels.begin() + first_texel);
      p.textures[i] = record;
    }
    p.textures_version = next_version();
  });
}

PreparedFrame::PreparedFrame() = default;
PreparedFrame::~PreparedFrame() = default;
PreparedFrame::PreparedFrame(PreparedFrame&&) noexcept = default;
PreparedFrame& PreparedFrame::operator=(PreparedFrame&&) noexcept = default;

}  // namespace brokkr
