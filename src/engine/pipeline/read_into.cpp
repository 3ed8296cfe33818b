// Converts the kernel's planes to arrays in the caller's memory (brokkr/read_back.h).
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <glm/geometric.hpp>

#include "pipeline/machine_backend.h"
#include "pipeline/tile_rows.h"
#include "plan/color_code.h"
#include "raster/shading_traits.h"

namespace brokkr {
namespace {

constexpr const char* kPlaneNames[] = {"color",       "depth",    "distance", "stencil",  "visible_id",
                                       "depth_id",    "overdraw", "triangle", "instance", "command",
                                       "barycentric", "normal",   "position", "texcoord"};

bool is_of_triangle(PixelPlane plane) { return plane >= PixelPlane::triangle; }
bool reads_ids(PixelPlane plane) {
  return is_of_triangle(plane) || plane == PixelPlane::visible_id || plane == PixelPlane::depth_id;
}

// The memory to which a plane's pixels are written.
struct Destination {
  PixelPlane plane;
  std::byte* data;
  size_t pixel, row, layer;  // bytes
  bool rows_from_top;
  uint32_t height;

  template <class T>
  T* at(uint32_t layer_number, uint32_t x, uint32_t y) const {
    const size_t from_begin = rows_from_top ? height - 1 - y : y;
    return reinterpret_cast<T*>(data + layer_number * layer + from_begin * row + x * pixel);
  }
};

Destination destination_of(const PlaneMemory& memory, const Target& target, bool rows_from_top) {
  const size_t pixel = bytes_per_pixel(memory.plane);
  const size_t row = memory.row_stride != 0 ? memory.row_stride : pixel * size_t(target.width);
  const size_t layer = memory.layer_stride != 0 ? memory.layer_stride : row * size_t(target.height);
  return {memory.plane, memory.memory.data(), pixel, row, layer, rows_from_top, uint32_t(target.height)};
}

// The distance along the viewing axis as a function of window depth. Perspective: clip z is alpha * clip w + beta.
// Orthographic: depth is a linear function of the distance.
struct Distances {
  bool perspective = true;
  double alpha = 0, beta = 0, scale = 1;

  explicit Distances(const View& view) {
    const glm::dmat4 m(view.view_projection);
    const glm::dvec3 z(m[0][2], m[1][2], m[2][2]), w(m[0][3], m[1][3], m[2][3]);
    const double length = glm::length(w);
    perspective = length > 0;
    if (perspective) {
      alpha = glm::dot(z, w) / (length * length);
      beta = m[3][2] - alpha * m[3][3];
      scale = 1 / length;
    } else {
      const double steepness = glm::length(z);
      scale = steepness > 0 ? 1 / steepness : 0;
      beta = glm::dot(z, glm::dvec3(view.eye)) + m[3][2];
    }
  }
  float at(float depth) const {
    if (!(depth < 1)) return std::numeric_limits<float>::infinity();
    const double z = 2 * double(depth) - 1;
    return float(perspective ? beta / (z - alpha) * scale : (z - beta) * scale);
  }
};

// The visible triangle at a pixel, recomputed from its vertices in double precision [Olano97].
class Surface {
 public:
  // `positions`: HostPlanes::positions.
  Surface(const PreparedFrame::Impl& frame, const ReadBack& wanted, const float* positions)
      : p_(frame),
        wanted_(wanted),
        positions_(positions != nullptr ? positions : &frame.positions().data()->x),
        indices_(frame.indices()) {}

  // Makes `id` the triangle that later calls use. Neighbouring pixels mostly have the same one.
  void use(uint32_t id) {
    if (id == id_) return;
    id_ = id;
    corners_ = false;
    const uint32_t batch = id / kBatchTriangles;
    if (id == kNoPrimitive || batch >= p_.batch_run.size()) {
      draw_ = nullptr;
      return;
    }
    run_ = &p_.runs[p_.batch_run[batch]];
    draw_ = &p_.draws[run_->draw];
    triangle_ = id - run_->first_batch * kBatchTriangles;
  }
  bool exists() const { return draw_ != nullptr; }
  int32_t triangle() const { return int32_t(triangle_); }
  int32_t command() const { return numbered(wanted_.command_numbers, draw_->command); }
  int32_t instance() const {
    return numbered(wanted_.instance_numbers, (transforms() ? draw_->first_instance : 0) + run_->instance);
  }

  // Weights of the three vertices at the centre of a pixel.
  glm::dvec3 weights(uint32_t x, uint32_t y) {
    open();
    const double px = x + 0.5, py = y + 0.5;
    double wx[3], wy[3];
    for (int i = 0; i < 3; ++i) {
      wx[i] = clip_[i].x * double(draw_->scale[0]) + clip_[i].w * (double(draw_->offset[0]) - px);
      wy[i] = clip_[i].y * double(draw_->scale[1]) + clip_[i].w * (double(draw_->offset[1]) - py);
    }
    const glm::dvec3 n(wx[1] * wy[2] - wx[2] * wy[1], wx[2] * wy[0] - wx[0] * wy[2], wx[0] * wy[1] - wx[1] * wy[0]);
    const double sum = n.x + n.y + n.z;
    if (sum == 0) return glm::dvec3(1, 0, 0);
    const double u = std::clamp(n.x / sum, 0.0, 1.0), v = std::clamp(n.y / sum, 0.0, 1.0 - u);
    return {u, v, 1 - u - v};
  }
  glm::dvec3 position(const glm::dvec3& w) const { return world_[0] * w.x + world_[1] * w.y + world_[2] * w.z; }
  glm::dvec3 normal(const glm::dvec3& w) const {
    glm::dvec3 n = glm::cross(world_[1] - world_[0], world_[2] - world_[0]);
    if (transforms() && !p_.frame->normals.empty()) {
      const auto& all = p_.frame->normals;
      const glm::dvec3 object =
          glm::dvec3(all[vertex_[0]]) * w.x + glm::dvec3(all[vertex_[1]]) * w.y + glm::dvec3(all[vertex_[2]]) * w.z;
      n = glm::dmat3(model()) * object;
    }
    const double length = glm::length(n);
    return length > 0 ? n / length : glm::dvec3(0);
  }
  glm::dvec2 texcoord(const glm::dvec3& w) const {
    const auto& all = p_.frame->texcoords;
    if (!transforms() || all.empty()) return glm::dvec2(0);
    return glm::dvec2(all[vertex_[0]]) * w.x + glm::dvec2(all[vertex_[1]]) * w.y + glm::dvec2(all[vertex_[2]]) * w.z;
  }

 private:
  static int32_t numbered(std::span<const int32_t> numbers, uint32_t index) {
    return numbers.empty() ? int32_t(index) : numbers[index];
  }
  bool transforms() const { return (draw_->bits & kDrawTransform) != 0; }
  const glm::mat4& model() const { return p_.frame->models[draw_->first_instance + run_->instance]; }

  void open() {
    if (corners_) return;
    corners_ = true;
    uint32_t element[3];
    triangle_elements(draw_->assembly, triangle_, element);
    size_t first = draw_->first_vertex;
    if (!transforms()) first += size_t(run_->instance) * draw_->vertex_count;
    glm::dmat4 clip(1.0), world(1.0);
    if (transforms()) {
      world = glm::dmat4(model());
      clip = glm::dmat4(p_.frame->views[run_->view].view_projection) * world;
    }
    for (int i = 0; i < 3; ++i) {
      const uint32_t number = draw_->bits & kDrawIndexed ? indices_[draw_->first_index + element[i]] : element[i];
      vertex_[i] = first + number;
      const float* const p = positions_ + vertex_[i] * 4;
      const glm::dvec4 at(p[0], p[1], p[2], transforms() ? 1 : p[3]);
      clip_[i] = clip * at;
      world_[i] = transforms() ? glm::dvec3(world * at) : glm::dvec3(at) / (at.w == 0 ? 1 : at.w);
    }
  }

  const PreparedFrame::Impl& p_;
  const ReadBack& wanted_;
  const float* positions_;  // four per vertex
  const std::vector<uint32_t>& indices_;
  uint32_t id_ = kNoPrimitive, triangle_ = 0;
  const RunRecord* run_ = nullptr;
  const DrawRecord* draw_ = nullptr;
  bool corners_ = false;
  size_t vertex_[3] = {};
  glm::dvec4 clip_[3] = {};
  glm::dvec3 world_[3] = {};
};

// One row of tiles: a thread's unit of work.
class RowReader {
 public:
  RowReader(const PreparedFrame::Impl& frame, const HostPlanes& planes, const ReadBack& wanted, const HeldLayers& held,
            const std::vector<Destination>& destinations, const std::vector<std::optional<Distances>>& distances)
      : planes_(planes),
        held_(held),
        first_(held.first - wanted.first_layer),
        destinations_(destinations),
        distances_(distances),
        surface_(frame, wanted, planes.positions) {
    for (const Destination& d : destinations_) of_triangle_ |= is_of_triangle(d.plane);
  }

  void read(const TileRow& tiles) {
    const uint32_t layer = tiles.layer - held_.first_held + first_;
    for (const Destination& d : destinations_) copy(tiles, d, layer);
    if (of_triangle_) read_triangles(tiles, layer);
  }

 private:
  void copy(const TileRow& tiles, const Destination& d, uint32_t layer) const {
    const RegionState* const states = planes_.region_state;
    const auto words = [&](uint32_t x, uint32_t y) { return d.at<uint32_t>(layer, x, y); };
    const auto none = [](const RegionState&) { return 0; };
    const auto as_depth = [](const RegionState& s) { return s.depth; };
    switch (d.plane) {
      case PixelPlane::color:
        if (planes_.overdraw != nullptr)
          overdraw_colors(tiles, d, layer);
        else if (tiles.target.format == uint32_t(ColorFormat::rgba16f))
          half_colors(tiles, d, layer);
        else
          tiles.gather_to(
              planes_.color, states, kClearColor, words, [](const RegionState& s) { return s.color; }, kShown);
        return;
      case PixelPlane::depth:
        tiles.gather_to(
            planes_.depth, states, kClearDepth, [&](uint32_t x, uint32_t y) { return d.at<float>(layer, x, y); },
            as_depth);
        return;
      case PixelPlane::distance: {
        const Distances& distances = *distances_[tiles.layer - held_.first_held];
        each(tiles, [&](uint32_t x, uint32_t y, size_t sample, const RegionState& s) {
          *d.at<float>(layer, x, y) = distances.at((s.bits & kClearDepth) != 0 ? s.depth : planes_.depth[sample]);
        });
        return;
      }
      case PixelPlane::stencil:
        tiles.gather_to(
            planes_.stencil, states, kClearStencil, [&](uint32_t x, uint32_t y) { return d.at<uint8_t>(layer, x, y); },
            [](const RegionState& s) { return s.stencil; });
        return;
      case PixelPlane::visible_id: tiles.gather_to(planes_.visible_id, nullptr, 0, words, none); return;
      case PixelPlane::depth_id: tiles.gather_to(planes_.depth_id, nullptr, 0, words, none); return;
      case PixelPlane::overdraw: tiles.gather_to(planes_.overdraw, nullptr, 0, words, none); return;
      default: return;  // read_triangles
    }
  }

  // Calls f(x, y, sample, state of the sample's region) for each pixel.
  template <class F>
  void each(const TileRow& tiles, F&& f) const {
    tiles.for_rows([&](size_t pixel, size_t sample, uint32_t row, uint32_t wide, uint32_t region) {
      const uint32_t x = tiles.column(pixel, row);
      for (uint32_t i = 0; i < wide; ++i)
        f(x + i, tiles.y + row, sample + kMorton[row * 8 + i], planes_.region_state[region]);
    });
  }

  void overdraw_colors(const TileRow& tiles, const Destination& d, uint32_t layer) const {
    each(tiles, [&](uint32_t x, uint32_t y, size_t sample, const RegionState&) {
      *d.at<uint32_t>(layer, x, y) = overdraw_color(planes_.overdraw[sample]);
    });
  }

  // The same conversion as screen_pixels (brokkr/image.h), but with the target's alpha.
  void half_colors(const TileRow& tiles, const Destination& d, uint32_t layer) const {
    each(tiles, [&](uint32_t x, uint32_t y, size_t sample, const RegionState& s) {
      const bool cleared = (s.bits & kClearColor) != 0;
      const uint32_t low = cleared ? uint32_t(s.color) : planes_.color[sample];
      const uint32_t high = cleared ? uint32_t(s.color >> 32) : planes_.color_high[sample];
      const glm::vec4 linear(half_to_float(uint16_t(low)), half_to_float(uint16_t(low >> 16)),
                             half_to_float(uint16_t(high)), half_to_float(uint16_t(high >> 16)));
      *d.at<uint32_t>(layer, x, y) = uint32_t(color_code(ColorFormat::rgba8_srgb, linear));
    });
  }

  void read_triangles(const TileRow& tiles, uint32_t layer) {
    each(tiles, [&](uint32_t x, uint32_t y, size_t sample, const RegionState&) {
      surface_.use(planes_.visible_id[sample]);
      glm::dvec3 weights(0);
      bool weighted = false;
      for (const Destination& d : destinations_) {
        if (!is_of_triangle(d.plane)) continue;
        if (surface_.exists() && d.plane >= PixelPlane::barycentric && !weighted) {
          weights = surface_.weights(x, y);
          weighted = true;
        }
        write(d, layer, x, y, weights);
      }
    });
  }

  void write(const Destination& d, uint32_t layer, uint32_t x, uint32_t y, const glm::dvec3& weights) const {
    const bool is = surface_.exists();
    const auto number = [&](int32_t value) { *d.at<int32_t>(layer, x, y) = value; };
    const auto floats = [&](const auto& value, int count) {
      float* const pixel = d.at<float>(layer, x, y);
      for (int i = 0; i < count; ++i) pixel[i] = float(value[i]);
    };
    const glm::dvec3 none(0);
    switch (d.plane) {
      case PixelPlane::triangle: return number(is ? surface_.triangle() : -1);
      case PixelPlane::instance: return number(is ? surface_.instance() : -1);
      case PixelPlane::command: return number(is ? surface_.command() : -1);
      case PixelPlane::barycentric: return floats(weights, 2);
      case PixelPlane::normal: return floats(is ? surface_.normal(weights) : none, 3);
      case PixelPlane::position: return floats(is ? surface_.position(weights) : none, 3);
      case PixelPlane::texcoord: return floats(is ? surface_.texcoord(weights) : glm::dvec2(0), 2);
      default: return;  // copy
    }
  }

  const HostPlanes& planes_;
  const HeldLayers& held_;
  const uint32_t first_;  // place of the first held layer among the wanted ones
  const std::vector<Destination>& destinations_;
  const std::vector<std::optional<Distances>>& distances_;  // by held layer
  Surface surface_;
  bool of_triangle_ = false;
};

// Returns true if the colours of all held layers are in the caller's memory.
bool are_shown(const HeldPlanes& held_planes, uint32_t number) {
  const TargetRecord& target = held_planes.plan.targets[number];
  const uint32_t regions_per_layer = target.regions_x * target.regions_y;
  const RegionState* const first =
      held_planes.planes.region_state + target.first_region + held_planes.layers.first_held * regions_per_layer;
  return std::all_of(first, first + held_planes.layers.count * regions_per_layer,
                     [](const RegionState& s) { return (s.bits & kShown) != 0; });
}

uint32_t layers_of(const Target& target, const ReadBack& wanted) {
  return wanted.layers != 0 ? wanted.layers : uint32_t(target.layers) - wanted.first_layer;
}

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument("read_back, " + text); }

}  // namespace

size_t bytes_per_pixel(PixelPlane plane) {
  switch (plane) {
    case PixelPlane::stencil: return 1;
    case PixelPlane::barycentric:
    case PixelPlane::texcoord: return 2 * sizeof(float);
    case PixelPlane::normal:
    case PixelPlane::position: return 3 * sizeof(float);
    default: return 4;
  }
}

void check_read_back(const PreparedFrame::Impl& frame, const RenderOptions& options, const ReadBack& wanted) {
  const Frame& f = *frame.frame;
  if (wanted.target >= f.targets.size())
    refuse(fmt::format("field 'target': there is no target {}; the frame has {}", wanted.target, f.targets.size()));
  const Target& target = f.targets[wanted.target];
  const auto all = uint64_t(target.layers);
  if (wanted.first_layer >= all || wanted.first_layer + uint64_t(wanted.layers) > all)
    refuse(fmt::format("field 'layers': {} layers from {} on exceed the target's {}; name fewer", wanted.layers,
                       wanted.first_layer, all));
  if (!wanted.command_numbers.empty() && wanted.command_numbers.size() < f.commands.size())
    refuse(fmt::format("field 'command_numbers': there are {} for {} commands; give one for each",
                       wanted.command_numbers.size(), f.commands.size()));
  if (!wanted.instance_numbers.empty() && wanted.instance_numbers.size() < f.models.size())
    refuse(fmt::format("field 'instance_numbers': there are {} for {} models; give one for each",
                       wanted.instance_numbers.size(), f.models.size()));
  for (const PlaneMemory& memory : wanted.planes) {
    const char* const name = kPlaneNames[size_t(memory.plane)];
    const Destination d = destination_of(memory, target, wanted.rows_from_top);
    if (d.row < d.pixel * size_t(target.width) ||
        (d.layer < d.row * size_t(target.height) && layers_of(target, wanted) > 1))
      refuse(fmt::format("plane '{}': strides of {} and {} bytes are below a row or a layer; give larger ones", name,
                         d.row, d.layer));
    const uint64_t needed = d.layer * (layers_of(target, wanted) - 1) + d.row * (size_t(target.height) - 1) +
                            d.pixel * size_t(target.width);
    if (memory.memory.size() < needed)
      refuse(fmt::format("plane '{}': its memory has {} bytes and needs {}; give more", name, memory.memory.size(),
                         needed));
    if (memory.plane == PixelPlane::overdraw && !shading_traits(options.shading).overdraw)
      refuse("plane 'overdraw': only Shading::overdraw counts fragments; choose it");
  }
}

PlaneNeeds needs_of(const ReadBack& wanted) {
  PlaneNeeds needs;
  for (const PlaneMemory& memory : wanted.planes) {
    needs.color |= memory.plane == PixelPlane::color;
    needs.overdraw |= memory.plane == PixelPlane::color || memory.plane == PixelPlane::overdraw;
    needs.depth |= memory.plane == PixelPlane::depth || memory.plane == PixelPlane::distance;
    needs.stencil |= memory.plane == PixelPlane::stencil;
    needs.ids |= reads_ids(memory.plane);
    needs.positions |= memory.plane >= PixelPlane::barycentric;
  }
  return needs;
}

ShownColors shown_colors(const PreparedFrame::Impl& frame, const RenderOptions& options, const ReadBack& wanted,
                         const HeldLayers& held) {
  const Target& target = frame.frame->targets[wanted.target];
  const auto is_color = [](const PlaneMemory& memory) { return memory.plane == PixelPlane::color; };
  if (std::count_if(wanted.planes.begin(), wanted.planes.end(), is_color) != 1 ||
      shading_traits(options.shading).overdraw || samples_of(target, options.samples) > 1 ||
      stored_format(target, options.shading == Shading::program) == ColorFormat::rgba16f)
    return {};
  const Destination d =
      destination_of(*std::find_if(wanted.planes.begin(), wanted.planes.end(), is_color), target, wanted.rows_from_top);
  constexpr size_t kWord = sizeof(uint32_t);
  if (d.row % kWord != 0 || d.layer % kWord != 0 || reinterpret_cast<uintptr_t>(d.data) % kWord != 0) return {};
  const auto row = int64_t(d.row / kWord);
  return {d.at<uint32_t>(held.first - wanted.first_layer, 0, 0),
          d.rows_from_top ? -row : row,
          int64_t(d.layer / kWord),
          wanted.target,
          held.first_held,
          held.count};
}

void read_into(const PreparedFrame::Impl& frame, const HeldPlanes& held_planes, const ReadBack& wanted,
               WorkerPool* pool, int threads) {
  const bool only_color = wanted.planes.size() == 1 && wanted.planes[0].plane == PixelPlane::color;
  if (only_color && are_shown(held_planes, wanted.target)) return;
  const TargetPlan& plan = held_planes.plan;
  const HeldLayers& held = held_planes.layers;
  const Frame& f = *frame.frame;
  const Target& target = f.targets[wanted.target];
  std::vector<Destination> destinations;
  bool distance = false;
  for (const PlaneMemory& memory : wanted.planes) {
    destinations.push_back(destination_of(memory, target, wanted.rows_from_top));
    distance |= memory.plane == PixelPlane::distance;
  }
  std::vector<std::optional<Distances>> distances(held.count);
  for (size_t v = f.views.size(); distance && v-- > 0;) {  // the first view of a layer counts
    const uint32_t place = f.views[v].layer - held.first;
    if (f.views[v].target == wanted.target && place < held.count) distances[place].emplace(f.views[v]);
  }
  for (std::optional<Distances>& one : distances) {
    if (distance && !one) one.emplace(View{});  // a layer without views has no distances anywhere
  }
  const uint32_t rows = (uint32_t(target.height) + 7) / 8;
  const uint64_t parts = uint64_t(held.count) * rows;
  std::atomic<uint64_t> next = 0;
  const std::function<void(int)> work = [&](int) {
    RowReader reader(frame, held_planes.planes, wanted, held, destinations, distances);
    for (uint64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts;)
      reader.read({plan, plan.targets[wanted.target], held.first_held + uint32_t(i / rows), uint32_t(i % rows) * 8});
  };
  const uint64_t pixels = uint64_t(target.width) * uint64_t(target.height) * held.count;
  run_parts(pool, threads, pixels * destinations.size(), work);
}

}  // namespace brokkr
