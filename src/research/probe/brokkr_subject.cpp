#include "probe/brokkr_subject.h"

#include <algorithm>
#include <stdexcept>

#include "brokkr/fragment_shader.h"
#include "probe/shader_text.h"

namespace brokkr::probe {
namespace {

constexpr int kMostPixels = 4096;  // per side of a map
constexpr int kFewBins = 16;       // per half side of a map, for patterns that do not repeat

constexpr Topology kTopologies[] = {Topology::triangles, Topology::lines, Topology::points, Topology::triangle_strip};

// Adds positions in pixels at a depth of -1 .. 1, as draws of the given numbers of vertices.
void add_draws(Frame& frame, PrimitiveKind kind, const std::vector<glm::vec2>& vertices,
               const std::vector<uint32_t>& counts, uint32_t state, float depth) {
  const Target& target = frame.targets[0];
  const glm::vec2 half(0.5f * float(target.width), 0.5f * float(target.height));
  DrawCommand draw;
  draw.state = state;
  draw.topology = kTopologies[size_t(kind)];
  draw.first_vertex = frame.positions.size();
  for (const glm::vec2 v : vertices) frame.positions.emplace_back(v / half - 1.0f, depth, 1);
  for (const uint32_t count : counts) {
    draw.vertex_count = draw.element_count = count;
    frame.commands.emplace_back(draw);
    draw.first_vertex += count;
  }
}

// A frame with one cleared target.
Frame empty_frame(int width, int height, bool depth, CompareFunc func = CompareFunc::less) {
  Frame frame;
  frame.source = "probe";
  frame.window_width = width;
  frame.window_height = height;
  frame.targets.push_back({0, width, height});
  frame.views.emplace_back();
  frame.materials.emplace_back();
  State state;
  state.viewport = {0, 0, float(width), float(height)};
  state.depth.test = state.depth.write = depth;
  state.depth.func = func;
  frame.states.push_back(state);
  frame.commands.emplace_back(ClearCommand{0, glm::vec4(0), 1.0f, uint8_t(0)});
  return frame;
}

// Draws the mask first: points at depth 0 at the stars, which the shader recognizes by their depth and skips. Then only
// fragments behind a point pass, or only those in front of the cleared depth.
Frame frame_of(const Drawing& drawing) {
  const bool masked = drawing.mask != Mask::none;
  Frame frame = empty_frame(drawing.width, drawing.height, masked,
                            drawing.mask == Mask::only_stars ? CompareFunc::greater : CompareFunc::less);
  if (masked) {
    frame.states.push_back(frame.states[0]);
    frame.states.back().depth.func = CompareFunc::always;
    for (int kind = 0; kind < drawing.stars.kinds; ++kind) {
      const std::vector<glm::vec2> stars = star_points(drawing.stars, kind).vertices;
      add_draws(frame, PrimitiveKind::points, stars, {uint32_t(stars.size())}, 1, -1);
    }
  }
  std::vector<uint32_t> counts = drawing.batches;
  for (uint32_t& count : counts) count *= uint32_t(drawing.vertices_of_primitive());
  if (counts.empty()) counts.push_back(uint32_t(drawing.vertices.size()));
  add_draws(frame, drawing.kind, drawing.vertices, counts, 0, 0);
  return frame;
}

bool has_same_frame(const Drawing& a, const Drawing& b) {
  const bool stars = a.mask == Mask::none || (a.stars.every == b.stars.every && a.stars.kinds == b.stars.kinds);
  return a.kind == b.kind && a.mask == b.mask && stars && a.batches == b.batches && a.vertices == b.vertices;
}

FragmentShader shader_of(const Drawing& drawing) {
  FragmentShader shader;
  shader.name = "probe";
  shader.text =
      std::string("out vec4 color;\n") + kWorkText +
      "void main() { color = vec4(gl_FragCoord.z > 0.25 && work(ivec2(gl_FragCoord.xy)) < 0.0 ? 0.0 : 1.0); }\n";
  std::vector<double> slow;
  for (const SlowPixel& p : drawing.slow)
    slow.insert(slow.end(), {double(p.x), double(p.y), double(p.cost), double(p.branch)});
  slow.resize(size_t(4 * kMaxSlowPixels));
  shader.uniforms = {
      {"background", {double(drawing.background)}},
      {"waits", {double(drawing.waits)}},
      {"slow_count", {double(drawing.slow.size())}},
      {"slow", slow},
      {"stars", {double(drawing.stars.every), double(drawing.stars.cost), double(drawing.stars.kinds), 0}}};
  return shader;
}

}  // namespace

Film film_of(const Layer& layer) {
  Film film{.width = layer.width, .height = layer.height};
  for (const FragmentStamp& stamp : layer.stamps) {
    const bool drawn = stamp.order != ~0u;
    film.order.push_back(drawn ? stamp.order : kNever);
    film.time.push_back(stamp.time_ms);
    film.unit.push_back(drawn ? int32_t(stamp.block) : -1);
    film.warp.push_back(drawn ? int32_t(stamp.warp) : -1);
  }
  return film;
}

// A drawing whose frame is kept while only uniforms change.
struct BrokkrSubject::Prepared {
  Drawing drawing;
  Frame frame;
  std::unique_ptr<PreparedFrame> prepared;
};

BrokkrSubject::BrokkrSubject(RenderOptions options) : options_(std::move(options)) {
  options_.keep_stamps = options_.thread_time = true;
  options_.ownership = Ownership::fixed;
  options_.shading = Shading::program;
  options_.shaders = ShaderCode::interpreted;  // compiling would make the first frames slower than later ones
  name_ = std::string("brokkr on ") + name_of(options_.machine);
}

BrokkrSubject::~BrokkrSubject() = default;

Film BrokkrSubject::draw(const Drawing& drawing) {
  check_drawing(drawing);
  const FragmentShader shader = shader_of(drawing);
  if (!prepared_ || !has_same_frame(prepared_->drawing, drawing)) {
    prepared_ = std::make_unique<Prepared>();
    prepared_->drawing = drawing;
    prepared_->frame = frame_of(drawing);
    set_fragment_shader(prepared_->frame, shader);
    prepared_->prepared = std::make_unique<PreparedFrame>(renderer_.prepare(prepared_->frame));
  } else {
    update_fragment_shader(prepared_->frame, shader);
    prepared_->prepared->update_views();
  }
  const RenderResult result = renderer_.render(*prepared_->prepared, options_);
  Film film = film_of(result.targets[0].layers[0]);
  for (const BlockTime& block : result.statistics.block_times) {
    film.cost = std::max(film.cost, block.ms[size_t(Stage::geometry)] + block.ms[size_t(Stage::rasterize)]);
  }
  return film;
}

TileMap map_of_pipeline(RenderOptions options) {
  if (const SavedPattern* const saved = saved_pattern(options.pattern); saved != nullptr)
    options.rasterizers = saved->pattern.rasterizers;
  if (options.rasterizers == 0) options.rasterizers = 16;
  const int bin = options.bin, most = std::max(1, kMostPixels / bin);
  const Pattern pattern = make_pattern(options.pattern, options.rasterizers, kFewBins, kFewBins);
  const int width = std::min(2 * pattern.width, most) * bin, height = std::min(2 * pattern.height, most) * bin;
  Frame frame = empty_frame(width, height, true);
  add_draws(frame, PrimitiveKind::triangles, {{0, 0}, {2 * float(width), 0}, {0, 2 * float(height)}}, {3}, 0, 0);
  options.keep_stamps = true;
  options.ownership = Ownership::fixed;
  options.shading = Shading::flat;
  options.workers = options.rasterizers;
  Renderer renderer;
  const RenderResult result = renderer.render(frame, options);
  if (result.statistics.workers < options.rasterizers)
    throw std::runtime_error("rasterizers: this machine runs " + std::to_string(result.statistics.workers) +
                             " blocks, one for each of " + std::to_string(options.rasterizers) +
                             " is needed; use fewer --rasterizers, or --machine cpu");
  const Film film = film_of(result.targets[0].layers[0]);
  return map_of_units(film.unit, film.width, film.height);
}

}  // namespace brokkr::probe
