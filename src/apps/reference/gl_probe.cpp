#include "reference/gl_probe.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "reference/gl_object.h"
#include "reference/gl_program.h"

namespace brokkr {
namespace {

constexpr int kFilmWords = 5;    // per pixel: order, unit, warp, time in two halves
constexpr size_t kFilmHead = 4;  // words before the pixels: the count of fragments

constexpr const char* kProbeVertexText = R"(#version 450 core
layout(location = 0) in vec2 position;
uniform vec2 half_size;
void main() {
  gl_Position = vec4(position / half_size - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}
)";
// A triangle that covers everything.
constexpr const char* kProbeMaskVertexText = R"(#version 450 core
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }
)";
// Writes depth 0 at the stars' pixels.
constexpr const char* kProbeMaskText = R"(#version 450 core
uniform ivec4 stars;
layout(location = 0) out vec4 color;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  if (pixel.x % stars.x != 0 || pixel.y % stars.x != 0) discard;
  color = vec4(0.0);
  gl_FragDepth = 0.0;
}
)";
// The atomics come after the work, because what they add depends on its sum.
constexpr const char* kProbeFilmText = R"(
layout(early_fragment_tests) in;
layout(std430, binding = 0) buffer Film { uint next; uint unused[3]; uint words[]; };
uniform int width;
layout(location = 0) out vec4 color;
void main() {
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  float sum = work(pixel);
  color = vec4(1.0);
  if (gl_HelperInvocation) return;
  uint at = uint(pixel.y * width + pixel.x) * 5u;
  words[at] = atomicAdd(next, sum < 0.0 ? 2u : 1u);
#if defined(HAS_GROUP)
  words[at + 1u] = gl_SMIDNV;
  words[at + 2u] = gl_WarpIDNV;
#endif
#if defined(HAS_CLOCK)
  uvec2 now = clockRealtime2x32EXT();
  words[at + 3u] = now.x;
  words[at + 4u] = now.y;
#endif
}
)";
constexpr const char* kProbeCostText = R"(
layout(location = 0) out vec4 color;
void main() { color = vec4(work(ivec2(gl_FragCoord.xy)) < 0.0 ? 0.0 : 1.0); }
)";

bool driver_has(std::string_view wanted) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const auto* name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(i)));
    if (name != nullptr && name == wanted) return true;
  }
  return false;
}

// Processor time of this process's threads so far, in ms, by thread number.
std::map<int, double> thread_times() {
  std::map<int, double> times;
  for (const std::filesystem::path& task : paths_in("/proc/self/task")) {
    double ns = 0;  // a thread may end during the loop
    if (std::ifstream(task / "schedstat") >> ns) times[std::stoi(task.filename())] = ns * 1e-6;
  }
  return times;
}

// The time that a drawing would take if each thread of a CPU driver had its own core: this thread prepares it, then the
// others draw, and the slowest of them ends it. Other programs hardly affect it. Negative if the system does not report
// such times.
double thread_ms(const std::map<int, double>& before, const std::map<int, double>& after) {
  double own = -1, longest = 0;
  for (const auto& [thread, ms] : after) {
    const auto then = before.find(thread);
    const double took = ms - (then == before.end() ? 0 : then->second);
    if (thread == int(getpid()))
      own = took;
    else
      longest = std::max(longest, took);
  }
  return own < 0 ? own : own + longest;
}

GlProgram link_probe(const std::string& fragment, const char* vertex = kProbeVertexText) {
  return link_program({{GL_VERTEX_SHADER, vertex}, {GL_FRAGMENT_SHADER, fragment}}, "the probe's program");
}

}  // namespace

struct GlProbe::Impl {
  EglContext& context;
  bool has_group = false, has_clock = false;
  GlProgram cost, film, mask;
  GlVertexArray array, no_array;
  GlBuffer positions, words;
  GlTexture color, depth;
  GlFramebuffer target;
  std::vector<float> uploaded;
  int width = 0, height = 0;

  void resize(const GlProbeDrawing& drawing) {
    if (width == drawing.width && height == drawing.height) return;
    width = drawing.width;
    height = drawing.height;
    color = GlTexture::create(GLenum(GL_TEXTURE_2D));
    glTextureStorage2D(color.id(), 1, GL_RGBA8, width, height);
    target = GlFramebuffer::create();
    glNamedFramebufferTexture(target.id(), GL_COLOR_ATTACHMENT0, color.id(), 0);
    depth = GlTexture::create(GLenum(GL_TEXTURE_2D));
    glTextureStorage2D(depth.id(), 1, GL_DEPTH_COMPONENT24, width, height);
    glNamedFramebufferTexture(target.id(), GL_DEPTH_ATTACHMENT, depth.id(), 0);
    words = GlBuffer::create();
    glNamedBufferStorage(words.id(), GLsizeiptr((kFilmHead + size_t(width) * size_t(height) * kFilmWords) * 4), nullptr,
                         0);
  }

  void upload(const GlProbeDrawing& drawing) {
    if (array && uploaded == drawing.vertices) return;
    uploaded = drawing.vertices;
    positions = GlBuffer::create();
    glNamedBufferStorage(positions.id(), GLsizeiptr(std::max<size_t>(uploaded.size(), 2) * sizeof(float)),
                         uploaded.empty() ? nullptr : uploaded.data(), 0);
    array = GlVertexArray::create();
    glVertexArrayVertexBuffer(array.id(), 0, positions.id(), 0, 2 * sizeof(float));
    glVertexArrayAttribFormat(array.id(), 0, 2, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array.id(), 0, 0);
    glEnableVertexArrayAttrib(array.id(), 0);
  }

  void begin(const GlProbeDrawing& drawing, const GlProgram& program) {
    if (drawing.slow.size() > 64) throw std::runtime_error("more than 64 slow pixels");
    context.make_current();
    resize(drawing);
    upload(drawing);
    const auto place = [&](const char* name) { return glGetUniformLocation(program.id(), name); };
    glProgramUniform2f(program.id(), place("half_size"), 0.5f * float(width), 0.5f * float(height));
    glProgramUniform1i(program.id(), place("background"), drawing.background);
    glProgramUniform1i(program.id(), place("waits"), drawing.waits);
    glProgramUniform1i(program.id(), place("slow_count"), GLint(drawing.slow.size()));
    glProgramUniform1i(program.id(), place("width"), width);
    glProgramUniform4iv(program.id(), place("stars"), 1, drawing.stars.data());
    if (!drawing.slow.empty())
      glProgramUniform4iv(program.id(), place("slow"), GLsizei(drawing.slow.size()), drawing.slow[0].data());
    glBindFramebuffer(GL_FRAMEBUFFER, target.id());
    glViewport(0, 0, width, height);
    make_mask(drawing);
    glBindVertexArray(array.id());
    glUseProgram(program.id());
  }

  // Sets depth to 0 at stars and 1 elsewhere; drawings lie at depth 0.5 and do not change it.
  void make_mask(const GlProbeDrawing& drawing) {
    glDisable(GL_DEPTH_TEST);
    if (drawing.mask == 0 || drawing.stars[0] <= 0) return;
    const float one = 1;
    glDepthMask(GL_TRUE);
    glClearNamedFramebufferfv(target.id(), GL_DEPTH, 0, &one);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glProgramUniform4iv(mask.id(), glGetUniformLocation(mask.id(), "stars"), 1, drawing.stars.data());
    glBindVertexArray(no_array.id());
    glUseProgram(mask.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthMask(GL_FALSE);
    glDepthFunc(drawing.mask == 1 ? GL_GREATER : GL_LESS);
    glFinish();
  }

  void draw(const GlProbeDrawing& drawing) const {
    const auto all = GLsizei(drawing.vertices.size() / 2);
    if (drawing.batches.empty()) return glDrawArrays(drawing.mode, 0, all);
    GLint first = 0;
    for (const uint32_t count : drawing.batches) {
      glDrawArrays(drawing.mode, first, GLsizei(count));
      first += GLint(count);
    }
  }

  void end() const {
    glDisable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glUseProgram(0);
    glBindVertexArray(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    const GLenum error = glGetError();
    if (error != GL_NO_ERROR)
      throw std::runtime_error(context.renderer() + ": the probe's drawing failed (OpenGL error " +
                               std::to_string(error) + ")");
  }
};

GlProbe::GlProbe(EglContext& context, const std::string& work) : impl_(new Impl{context}) {
  context.make_current();
  impl_->has_group = driver_has("GL_NV_shader_thread_group");
  impl_->has_clock = driver_has("GL_EXT_shader_realtime_clock");
  std::string head = "#version 450 core\n";
  impl_->cost = link_probe(head + work + kProbeCostText);
  impl_->mask = link_probe(kProbeMaskText, kProbeMaskVertexText);
  impl_->no_array = GlVertexArray::create();
  if (impl_->has_group) head += "#extension GL_NV_shader_thread_group : require\n#define HAS_GROUP\n";
  if (impl_->has_clock) head += "#extension GL_EXT_shader_realtime_clock : require\n#define HAS_CLOCK\n";
  impl_->film = link_probe(head + work + kProbeFilmText);
}

GlProbe::~GlProbe() = default;

double GlProbe::cost_ms(const GlProbeDrawing& drawing, int runs) {
  using Clock = std::chrono::steady_clock;
  impl_->begin(drawing, impl_->cost);
  const bool is_software = impl_->context.is_software();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < std::max(1, runs); ++i) {
    glFinish();
    const std::map<int, double> before = is_software ? thread_times() : std::map<int, double>();
    const Clock::time_point begin = Clock::now();
    impl_->draw(drawing);
    glFinish();
    const double elapsed = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    const double worked = is_software ? thread_ms(before, thread_times()) : -1;
    least = std::min(least, worked < 0 ? elapsed : worked);
  }
  impl_->end();
  return least;
}

GlProbeFilm GlProbe::film(const GlProbeDrawing& drawing) {
  impl_->begin(drawing, impl_->film);
  const GLuint none = ~0u, zero = 0;
  glClearNamedBufferData(impl_->words.id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &none);
  glClearNamedBufferSubData(impl_->words.id(), GL_R32UI, 0, 4, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, impl_->words.id());
  impl_->draw(drawing);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  const size_t pixels = size_t(drawing.width) * size_t(drawing.height);
  std::vector<uint32_t> words(kFilmHead + pixels * kFilmWords);
  glGetNamedBufferSubData(impl_->words.id(), 0, GLsizeiptr(words.size() * 4), words.data());
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
  impl_->end();
  GlProbeFilm film;
  for (size_t i = 0; i < pixels; ++i) {
    const uint32_t* const own = words.data() + kFilmHead + i * kFilmWords;
    film.order.push_back(own[0]);
    if (impl_->has_group) film.unit.push_back(own[1]);
    if (impl_->has_group) film.warp.push_back(own[2]);
    if (impl_->has_clock) film.time.push_back(own[0] == ~0u ? 0 : uint64_t(own[4]) << 32 | own[3]);
  }
  return film;
}

namespace {

constexpr GLenum kVertexShaderInvocations = 0x82F0;  // constant of the extension; the loader stops at OpenGL 4.5

// Mesa 22 accepts this extension's targets in glBeginQuery but not in glCreateQueries.
struct CountKind {
  static GLuint create() {
    GLuint id = 0;
    glGenQueries(1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

// The counted vertex shader hands on `attributes` components, in vectors of four and one of what is left, and the
// fragment shader reads them. (Without a fragment shader, a driver might skip a draw that has no effect.)
std::string handed_on(const char* direction, uint32_t attributes) {
  std::string text;
  for (uint32_t first = 0; first < attributes; first += 4) {
    const uint32_t left = std::min(attributes - first, 4u);
    text += "layout(location = " + std::to_string(first / 4) + ") " + direction +
            (left == 1 ? " float" : " vec" + std::to_string(left)) + " a" + std::to_string(first / 4) + ";\n";
  }
  return text;
}

std::string counter_vertex_text(uint32_t attributes) {
  std::string text = "#version 450 core\nlayout(location = 0) in vec3 position;\n" + handed_on("out", attributes) +
                     "void main() {\n  gl_Position = vec4(position, 1.0);\n";
  for (uint32_t first = 0; first < attributes; first += 4) {
    const uint32_t left = std::min(attributes - first, 4u);
    const std::string value = "position.x + " + std::to_string(first) + ".0";
    text += "  a" + std::to_string(first / 4) + " = " +
            (left == 1 ? value : "vec" + std::to_string(left) + "(" + value + ")") + ";\n";
  }
  return text + "}\n";
}

std::string counter_fragment_text(uint32_t attributes) {
  std::string text = "#version 450 core\n" + handed_on("in", attributes) +
                     "layout(location = 0) out vec4 color;\nvoid main() {\n  color = vec4(1.0);\n";
  for (uint32_t first = 0; first < attributes; first += 4)
    text += "  color.x += " + std::string(attributes - first == 1 ? "a" : "dot(a") + std::to_string(first / 4) +
            (attributes - first == 1 ? "" : ", a" + std::to_string(first / 4) + ")") + ";\n";
  return text + "}\n";
}

// Runs number themselves; the block's first word counts runs, its second waves.
constexpr const char* kRecorderVertexText = R"(
layout(location = 0) in vec3 position;
layout(std430, binding = 0) buffer Runs { uint runs; uint waves; uint unused[2]; uint wave_of_run[]; };
layout(xfb_buffer = 0, xfb_stride = 4) out;
layout(xfb_buffer = 0, xfb_offset = 0, location = 0) flat out uint run;
void main() {
  gl_Position = vec4(position, 1.0);
  run = atomicAdd(runs, 1u);
#if defined(HAS_WAVES)
  uint wave = 0u;
  if (subgroupElect()) wave = atomicAdd(waves, 1u);
  wave = subgroupBroadcastFirst(wave);
  if (run < uint(wave_of_run.length())) wave_of_run[run] = wave;
#endif
}
)";
constexpr const char* kRecorderFragmentText = R"(#version 450 core
layout(location = 0) flat in uint run;
layout(location = 0) out vec4 color;
void main() { color = vec4(float(run)); }
)";

bool has_statistics() {
  GLint major = 0, minor = 0, count = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major * 10 + minor >= 46) return true;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const auto* name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(i)));
    if (name != nullptr && std::string_view(name) == "GL_ARB_pipeline_statistics_query") return true;
  }
  return false;
}

// Makes a buffer of `bytes`, zeroed if `data` is null.
GlBuffer make_buffer(size_t bytes, const void* data) {
  GlBuffer buffer = GlBuffer::create();
  glNamedBufferStorage(buffer.id(), GLsizeiptr(std::max<size_t>(bytes, 4)), data, 0);
  if (data == nullptr) glClearNamedBufferData(buffer.id(), GL_R32F, GL_RED, GL_FLOAT, nullptr);
  return buffer;
}

// Draws an index buffer with one program, off screen. Every triangle degenerates to a point in the centre: all vertex
// work is done, and no pixel is drawn.
class IndexDrawing {
 public:
  IndexDrawing(std::span<const uint32_t> indices, GlProgram program) : program_(std::move(program)) {
    const uint32_t vertices = indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end()) + 1;
    positions_ = make_buffer(size_t(vertices) * 12, nullptr);
    elements_ = make_buffer(indices.size_bytes(), indices.empty() ? nullptr : indices.data());
    array_ = GlVertexArray::create();
    glVertexArrayVertexBuffer(array_.id(), 0, positions_.id(), 0, 12);
    glVertexArrayAttribFormat(array_.id(), 0, 3, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array_.id(), 0, 0);
    glEnableVertexArrayAttrib(array_.id(), 0);
    glVertexArrayElementBuffer(array_.id(), elements_.id());
    color_ = GlTexture::create(GLenum(GL_TEXTURE_2D));
    glTextureStorage2D(color_.id(), 1, GL_RGBA8, 16, 16);
    target_ = GlFramebuffer::create();
    glNamedFramebufferTexture(target_.id(), GL_COLOR_ATTACHMENT0, color_.id(), 0);
    glBindFramebuffer(GL_FRAMEBUFFER, target_.id());
    glViewport(0, 0, 16, 16);
    glBindVertexArray(array_.id());
    glUseProgram(program_.id());
  }
  ~IndexDrawing() {
    glBindVertexArray(0);
    glUseProgram(0);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
  }
  IndexDrawing(const IndexDrawing&) = delete;
  IndexDrawing& operator=(const IndexDrawing&) = delete;

  void draw(const GlIndexRange& range) const {
    glDrawElements(GL_TRIANGLES, GLsizei(range.count), GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(uintptr_t(range.first) * 4));
  }

 private:
  GlProgram program_;
  GlBuffer positions_, elements_;
  GlVertexArray array_;
  GlTexture color_;
  GlFramebuffer target_;
};

void check_ranges(std::span<const uint32_t> indices, std::span<const GlIndexRange> ranges) {
  for (const GlIndexRange& range : ranges) {
    if (range.count % 3 != 0 || uint64_t(range.first) + range.count > indices.size())
      throw std::out_of_range("a range of indices goes beyond the buffer, or ends within a triangle");
  }
}

void check_no_error(const EglContext& context, const char* what) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  throw std::runtime_error(context.renderer() + ": " + what + " failed (OpenGL error " + std::to_string(error) + ")");
}

// Returns true if lanes of a vertex shader can elect one among them and hear it.
bool has_vertex_waves() {
  constexpr GLenum kSupportedStages = 0x9533, kSupportedFeatures = 0x9534;  // of GL_KHR_shader_subgroup
  constexpr GLint kVertexStage = 0x1, kBasic = 0x1, kBallot = 0x8;
  if (!driver_has("GL_KHR_shader_subgroup")) return false;
  GLint stages = 0, features = 0;
  glGetIntegerv(kSupportedStages, &stages);
  glGetIntegerv(kSupportedFeatures, &features);
  return (stages & kVertexStage) != 0 && (features & kBasic) != 0 && (features & kBallot) != 0;
}

// Numbers values in the order of their first occurrence, and returns how many there are. `source`: per new number, the
// old one.
uint32_t number_by_first(std::vector<uint32_t>& values, std::vector<uint32_t>* source = nullptr) {
  std::map<uint32_t, uint32_t> number;
  for (uint32_t& value : values) {
    const auto [place, is_new] = number.try_emplace(value, uint32_t(number.size()));
    if (is_new && source != nullptr) source->push_back(value);
    value = place->second;
  }
  return uint32_t(number.size());
}

}  // namespace

std::vector<uint64_t> count_vertex_runs(EglContext& context, std::span<const uint32_t> indices,
                                        std::span<const GlIndexRange> ranges, uint32_t attributes) {
  check_ranges(indices, ranges);
  if (attributes > kMaxVertexAttributes)
    throw std::out_of_range("a vertex shader hands on at most " + std::to_string(kMaxVertexAttributes) + " components");
  context.make_current();
  if (!has_statistics())
    throw std::runtime_error(context.renderer() + " has no GL_ARB_pipeline_statistics_query; choose another driver");
  const IndexDrawing drawing(indices, link_program({{GL_VERTEX_SHADER, counter_vertex_text(attributes)},
                                                    {GL_FRAGMENT_SHADER, counter_fragment_text(attributes)}},
                                                   "the program that counts vertex shader runs"));
  const auto query = GlObject<CountKind>::create();
  std::vector<uint64_t> runs;
  for (const GlIndexRange& range : ranges) {
    glBeginQuery(kVertexShaderInvocations, query.id());
    drawing.draw(range);
    glEndQuery(kVertexShaderInvocations);
    GLuint64 result = 0;
    glGetQueryObjectui64v(query.id(), GL_QUERY_RESULT, &result);
    runs.push_back(result);
  }
  check_no_error(context, "counting vertex shader runs");
  return runs;
}

GlVertexRuns record_vertex_runs(EglContext& context, std::span<const uint32_t> indices) {
  const GlIndexRange all{0, uint32_t(indices.size())};
  check_ranges(indices, {&all, 1});
  context.make_current();
  GLint blocks = 0;
  glGetIntegerv(GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS, &blocks);
  if (blocks < 1)
    throw std::runtime_error(context.renderer() +
                             ": its vertex shaders cannot write to buffers; choose another driver");
  const bool has_waves = has_vertex_waves();
  std::string head = "#version 450 core\n";
  if (has_waves) {
    head +=
        "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
        "#define HAS_WAVES\n";
  }
  const IndexDrawing drawing(indices, link_program({{GL_VERTEX_SHADER, head + kRecorderVertexText},
                                                    {GL_FRAGMENT_SHADER, kRecorderFragmentText}},
                                                   "the program that records vertex shader runs"));
  // Runs of lanes without a vertex may take numbers too.
  const GlBuffer runs = make_buffer((4 + 2 * indices.size()) * 4, nullptr),
                 used = make_buffer(indices.size_bytes(), nullptr);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, runs.id());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, used.id());
  glBeginTransformFeedback(GL_TRIANGLES);
  drawing.draw(all);
  glEndTransformFeedback();
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_TRANSFORM_FEEDBACK_BARRIER_BIT);
  GlVertexRuns result;
  result.run_of_index.resize(indices.size());
  std::vector<uint32_t> waves(2 * indices.size());
  if (!indices.empty()) {
    glGetNamedBufferSubData(used.id(), 0, GLsizeiptr(indices.size_bytes()), result.run_of_index.data());
    glGetNamedBufferSubData(runs.id(), 16, GLsizeiptr(waves.size() * 4), waves.data());
  }
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, 0);
  check_no_error(context, "recording vertex shader runs");
  std::vector<uint32_t> ticket;
  result.runs = number_by_first(result.run_of_index, &ticket);
  if (has_waves) {
    for (const uint32_t t : ticket) result.wave_of_run.push_back(t < waves.size() ? waves[t] : ~0u);
    number_by_first(result.wave_of_run);
  }
  return result;
}

}  // namespace brokkr
