// Finds visible triangles, as the pipeline draws them, and the triangles behind them.
#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "brokkr/read_back.h"
#include "brokkr/renderer.h"
#include "diff/machine.h"

namespace brokkr {
namespace {

constexpr int kPeeledAtOnce = 4;
constexpr int kMaxLayers = 252;  // stencils count to 255

// Makes a frame that draws each image's triangles once per element of `states`. Every image and every element of
// `states` has its own layer.
Frame frame_of(const DiffShape& shape, const DiffMesh& mesh, const std::vector<State>& states) {
  Frame f;
  const auto images = size_t(shape.images);
  f.targets.push_back({.width = shape.width, .height = shape.height, .layers = int(images * states.size())});
  f.states = states;
  f.materials.emplace_back();
  const size_t sets = mesh.shared ? 1 : images;
  f.positions.resize(sets * size_t(mesh.vertices));
  std::memcpy(f.positions.data(), mesh.pos, f.positions.size() * sizeof(glm::vec4));
  f.indices.resize(size_t(mesh.triangles) * 3);
  if (mesh.triangles > 0) std::memcpy(f.indices.data(), mesh.tri, f.indices.size() * sizeof(uint32_t));
  f.commands.emplace_back(ClearCommand{.color = glm::vec4(0), .depth = 1.0f, .stencil = uint8_t(0)});
  for (size_t s = 0; s < states.size(); ++s) {
    for (size_t i = 0; i < images; ++i) {
      View view;
      view.layer = uint32_t(s * images + i);
      f.views.push_back(view);
      DrawCommand d;
      d.first_view = view.layer;
      d.state = uint32_t(s);
      d.indexed = true;
      d.first_index = mesh.ranges != nullptr ? uint64_t(mesh.ranges[i * 2]) * 3 : 0;
      d.element_count = uint32_t(mesh.ranges != nullptr ? mesh.ranges[i * 2 + 1] : int32_t(mesh.triangles)) * 3;
      d.first_vertex = mesh.shared ? 0 : i * size_t(mesh.vertices);
      d.vertex_count = uint32_t(mesh.vertices);
      if (d.element_count > 0) f.commands.emplace_back(d);
    }
  }
  return f;
}

State plain_state(const DiffShape& shape) {
  State s;
  s.viewport = {0, 0, float(shape.width), float(shape.height)};
  return s;
}

RenderOptions options_of(const DiffOptions& o) {
  RenderOptions r;
  r.machine = o.isa == "emulated" ? MachineKind::emulated : o.machine;
  if (r.machine == MachineKind::cpu) r.isa = o.isa;
  r.workers = o.workers;
  r.keep_ids = true;
  r.shading = Shading::flat;
  return r;
}

}  // namespace

DrawnFrame::DrawnFrame(const DiffShape& s, const DiffMesh& m, Frame f)
    : shape(s), is_shared(m.shared), has_ranges(m.ranges != nullptr), frame(std::move(f)) {
  if (has_ranges) ranges.assign(m.ranges, m.ranges + size_t(s.images) * 2);
}

bool DrawnFrame::fits(const DiffShape& s, const DiffMesh& m) const {
  return s.images == shape.images && s.height == shape.height && s.width == shape.width && m.shared == is_shared &&
         frame.positions.size() == size_t(m.vertices) * (m.shared ? 1 : size_t(s.images)) &&
         frame.indices.size() == size_t(m.triangles) * 3 && has_ranges == (m.ranges != nullptr) &&
         (!has_ranges || std::equal(ranges.begin(), ranges.end(), m.ranges)) &&
         (m.triangles == 0 || std::memcmp(frame.indices.data(), m.tri, frame.indices.size() * sizeof(uint32_t)) == 0);
}

void DiffMachine::visible(const DiffShape& shape, const DiffMesh& mesh, int32_t* ids) {
  check_shape(shape);
  check_mesh(shape, mesh);
  if (ids == nullptr) throw std::invalid_argument("ids: is null");
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->renderer) impl_->renderer = std::make_unique<Renderer>();
  if (impl_->drawn && impl_->drawn->fits(shape, mesh)) {
    std::memcpy(impl_->drawn->frame.positions.data(), mesh.pos,
                impl_->drawn->frame.positions.size() * sizeof(glm::vec4));
    impl_->drawn->prepared->update_positions();
  } else {
    impl_->drawn.reset();
    auto drawn = std::make_unique<DrawnFrame>(shape, mesh, frame_of(shape, mesh, {plain_state(shape)}));
    drawn->prepared = std::make_unique<PreparedFrame>(impl_->renderer->prepare(drawn->frame));
    impl_->drawn = std::move(drawn);
  }
  const size_t image_pixels = size_t(shape.height) * size_t(shape.width), pixels = image_pixels * size_t(shape.images);
  ReadBack wanted;
  wanted.rows_from_top = false;
  wanted.planes = {{PixelPlane::triangle, std::as_writable_bytes(std::span(ids, pixels))}};
  impl_->renderer->render(*impl_->drawn->prepared, options_of(impl_->options), wanted);
  for (size_t i = 0; mesh.ranges != nullptr && i < size_t(shape.images); ++i) {
    const int32_t first = mesh.ranges[i * 2];
    for (size_t p = i * image_pixels; p < (i + 1) * image_pixels; ++p) ids[p] += ids[p] < 0 ? 0 : first;
  }
}

// The pipeline draws each triangle of a pixel into a separate layer. A stencil counts the fragments of each pixel, and
// layer k keeps fragment number k in the order of submission. Sorted by depth, they are the layers from near to far.
struct DiffMachine::Peeler::Layers {
  struct Fragment {
    float depth;
    int32_t id;
  };
  size_t pixels;  // of all images
  size_t given = 0;
  std::vector<std::vector<Fragment>> planes;  // by layer
};

DiffMachine::Peeler::Peeler() = default;
DiffMachine::Peeler::~Peeler() = default;

std::unique_ptr<DiffMachine::Peeler> DiffMachine::peel(const DiffShape& shape, const DiffMesh& mesh) {
  check_shape(shape);
  check_mesh(shape, mesh);
  const auto images = size_t(shape.images);
  const size_t image_pixels = size_t(shape.height) * size_t(shape.width), pixels = images * image_pixels;
  std::unique_ptr<Peeler> peeler(new Peeler);
  peeler->layers_ = std::make_unique<Peeler::Layers>();
  Peeler::Layers& layers = *peeler->layers_;
  layers.pixels = pixels;
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->renderer) impl_->renderer = std::make_unique<Renderer>();
  for (bool is_full = true; is_full;) {
    if (layers.planes.size() + kPeeledAtOnce > kMaxLayers)
      throw std::invalid_argument("tri: more than " + std::to_string(kMaxLayers) + " triangles cover one pixel");
    std::vector<State> states(kPeeledAtOnce, plain_state(shape));
    for (size_t k = 0; k < states.size(); ++k) {
      states[k].depth.func = CompareFunc::always;
      states[k].stencil = StencilState{.func = CompareFunc::equal,
                                       .ref = uint8_t(layers.planes.size() + k),
                                       .stencil_fail = StencilOp::increment,
                                       .depth_fail = StencilOp::increment,
                                       .pass = StencilOp::increment};
    }
    const Frame frame = frame_of(shape, mesh, states);
    PreparedFrame prepared = impl_->renderer->prepare(frame);
    const RenderResult result = impl_->renderer->render(prepared, options_of(impl_->options));
    for (size_t k = 0; k < states.size(); ++k) {
      std::vector<Peeler::Layers::Fragment> plane(pixels, {2.0f, -1});
      is_full = false;
      for (size_t i = 0; i < images; ++i) {
        const Layer& layer = result.targets[0].layers[k * images + i];
        uint32_t offset = ~0u;
        for (size_t p = 0; p < image_pixels; ++p) {
          const uint32_t id = layer.visible_id[p];
          if (id == ~0u) continue;
          if (offset == ~0u) offset = id - prepared.origin(id).triangle;
          plane[i * image_pixels + p] = {layer.depth[p],
                                         int32_t(id - offset) + (mesh.ranges != nullptr ? mesh.ranges[i * 2] : 0)};
          is_full = true;
        }
      }
      if (!is_full) break;
      layers.planes.push_back(std::move(plane));
    }
  }
  // From near to far. In a tie, the triangle that was submitted first wins, as in a depth test.
  std::vector<Peeler::Layers::Fragment> of_pixel(layers.planes.size());
  for (size_t p = 0; p < pixels; ++p) {
    for (size_t k = 0; k < of_pixel.size(); ++k) of_pixel[k] = layers.planes[k][p];
    std::stable_sort(of_pixel.begin(), of_pixel.end(), [](const auto& a, const auto& b) { return a.depth < b.depth; });
    for (size_t k = 0; k < of_pixel.size(); ++k) layers.planes[k][p] = of_pixel[k];
  }
  return peeler;
}

bool DiffMachine::Peeler::next(int32_t* ids) {
  if (ids == nullptr) throw std::invalid_argument("ids: is null");
  if (layers_->given >= layers_->planes.size()) {
    std::fill_n(ids, layers_->pixels, -1);
    return false;
  }
  const auto& plane = layers_->planes[layers_->given++];
  for (size_t p = 0; p < layers_->pixels; ++p) ids[p] = plane[p].id;
  return true;
}

}  // namespace brokkr
