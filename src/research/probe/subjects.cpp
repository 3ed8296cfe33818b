#include "probe/subjects.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/process.h"
#include "brokkr/fragment_shader.h"

namespace brokkr::probe {

// The fragment shader of drawings, shared by the pipeline and OpenGL drivers.

// Uniforms: `background`, `waits`, `slow_count`; `slow`: x, y, cost and branch of each slow pixel; `stars`: every, cost
// and kinds of Stars.
inline constexpr const char* kWorkText = R"(uniform int background;
uniform int waits;
uniform int slow_count;
uniform ivec4 slow[64];
uniform ivec4 stars;

// Additions: each waits for the one before it, or four at a time do not.
float one_by_one(int n, float step) {
  float sum = 0.0;
  for (int i = 0; i < n; ++i) sum += step;
  return sum;
}
float four_by_four(int n, float step) {
  vec4 sum = vec4(0.0);
  for (int i = 0; i < n; i += 4) sum += vec4(step);
  return sum.x + sum.y + sum.z + sum.w;
}
float add(int n, float step) { return waits != 0 ? one_by_one(n, step) : four_by_four(n, step); }

float work(ivec2 pixel) {
  int cost = background, branch = 0;
  if (stars.x > 0 && pixel.x % stars.x == 0 && pixel.y % stars.x == 0) {
    cost = stars.y;
    branch = 1 + pixel.x / stars.x % stars.z;
  }
  for (int i = 0; i < slow_count; ++i) {
    if (slow[i].xy == pixel) {
      cost = slow[i].z;
      branch = slow[i].w;
    }
  }
  if (branch == 0) return add(cost, 1.0);
  if (branch == 1) return add(cost, 1.25);
  if (branch == 2) return add(cost, 1.5);
  if (branch == 3) return add(cost, 1.75);
  return add(cost, 2.0);
}
)";

namespace {

constexpr int kMaxPixels = 4096;  // per side of a map
constexpr int kFewBins = 16;      // per half side of a map, for patterns that do not repeat

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

// Draws the mask first: points of depth 0 at the stars, which the shader recognizes by their depth and skips. The depth
// test then passes only fragments behind a point, or only those in front of the cleared depth.
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

// A drawing with its frame, which is reused while only uniforms change.
struct BrokkrSubject::Prepared {
  Drawing drawing;
  Frame frame;
  std::unique_ptr<PreparedFrame> prepared;
};

BrokkrSubject::BrokkrSubject(RenderOptions options) : options_(std::move(options)) {
  options_.keep_stamps = options_.thread_time = true;
  options_.ownership = Ownership::fixed;
  options_.shading = Shading::program;
  options_.shaders = ShaderCode::interpreted;  // compilation would make the first frames slower than later ones
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
  const int bin = options.bin, most = std::max(1, kMaxPixels / bin);
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

namespace {

constexpr int kAnswerSeconds = 240;
constexpr double kMsOfTick = 1e-6;  // GL_EXT_shader_realtime_clock: nanoseconds on the drivers that support it
// kSoftware is for drivers that run on the CPU: their loops take a nanosecond per addition, and they have few threads.
constexpr Costs kSoftware = {400000, 100}, kHardware = {1000000, 10000};

std::string drawing_program() {
  if (const auto program = find_beside("brokkr-gl-bench", "src/apps/reference")) return program->string();
  throw std::runtime_error(
      "brokkr-gl-bench, which asks OpenGL, is neither beside this program nor in its libexec "
      "folder; build or install it");
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, size_t count) {
  if (bytes.size() < count * sizeof(T)) throw std::runtime_error("the driver's process wrote too short a film");
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return values;
}

}  // namespace

DriverSubject::DriverSubject(const std::string& device, int runs)
    : process_({drawing_program(), "--serve", "--device", device}, {}, folder_.path() / "gl.log"), runs_(runs) {
  const nlohmann::json said = parse_json<nlohmann::json>(process_.receive(kAnswerSeconds));
  name_ = said.at("renderer").get<std::string>();
  is_software_ = said.at("software").get<bool>();
  costs_ = is_software_ ? kSoftware : kHardware;
}

nlohmann::json DriverSubject::ask(const Drawing& drawing, bool film) {
  check_drawing(drawing);
  constexpr uint32_t kModes[] = {4, 1, 0, 5};  // OpenGL's modes, by PrimitiveKind
  const std::filesystem::path vertices = folder_.path() / "vertices.raw";
  write_file(vertices, std::as_bytes(std::span(drawing.vertices)));
  nlohmann::json batches = nlohmann::json::array();
  for (const uint32_t primitives : drawing.batches) batches.push_back(primitives * drawing.vertices_of_primitive());
  nlohmann::json slow = nlohmann::json::array();
  for (const SlowPixel& p : drawing.slow) slow.push_back({p.x, p.y, p.cost, p.branch});
  process_.send(nlohmann::json({{"do", "probe"},
                                {"work", kWorkText},
                                {"width", drawing.width},
                                {"height", drawing.height},
                                {"mode", kModes[size_t(drawing.kind)]},
                                {"file", vertices.string()},
                                {"vertices", drawing.vertices.size()},
                                {"batches", batches},
                                {"background", drawing.background},
                                {"waits", drawing.waits},
                                {"slow", slow},
                                {"stars", {drawing.stars.every, drawing.stars.cost, drawing.stars.kinds, 0}},
                                {"mask", int(drawing.mask)},
                                {"runs", film ? 1 : runs_},
                                {"film", film ? (folder_.path() / "film.raw").string() : ""}})
                    .dump());
  const nlohmann::json answer = parse_json<nlohmann::json>(process_.receive(kAnswerSeconds));
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return answer;
}

double DriverSubject::cost(const Drawing& drawing) { return ask(drawing, false).at("ms").get<double>(); }

Film DriverSubject::draw(const Drawing& drawing) {
  const nlohmann::json answer = ask(drawing, true);
  Film film{.width = drawing.width, .height = drawing.height, .cost = answer.at("ms").get<double>()};
  const size_t pixels = size_t(drawing.width) * size_t(drawing.height);
  const std::vector<std::byte> bytes = read_file(folder_.path() / "film.raw", uint64_t(1) << 30);
  std::span<const std::byte> rest(bytes);
  film.order = take<uint32_t>(rest, pixels);
  if (answer.at("units").get<bool>()) {
    film.unit = take<int32_t>(rest, pixels);
    film.warp = take<int32_t>(rest, pixels);
  }
  if (answer.at("times").get<bool>()) {
    const std::vector<uint64_t> ticks = take<uint64_t>(rest, pixels);
    uint64_t first = ~uint64_t(0);
    for (size_t i = 0; i < pixels; ++i) first = film.order[i] == kNever ? first : std::min(first, ticks[i]);
    for (const uint64_t tick : ticks) film.time.push_back(tick < first ? 0 : double(tick - first) * kMsOfTick);
  }
  return film;
}

}  // namespace brokkr::probe
