#include "reference/gl_renderer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <glm/common.hpp>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/drawing_order.h"
#include "brokkr/frame.h"
#include "frame/gl_names.h"  // must follow GLAD's header
#include "reference/gl_object.h"
#include "reference/gl_program.h"
#include "reference/gl_targets.h"

namespace brokkr {

// Textures as the reference samples them.

namespace {

using Texel = std::array<double, 4>;  // linear red, green, blue; alpha

struct Level {
  int width, height;
  std::vector<Texel> texels;
};

double decode(double code) { return code <= 0.04045 ? code / 12.92 : std::pow((code + 0.055) / 1.055, 2.4); }
double encode(double linear) {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

Level first_level(const Texture& source) {
  Level level{source.width, source.height, {}};
  for (const uint32_t word : source.texels) {
    Texel& texel = level.texels.emplace_back();
    for (size_t c = 0; c < 4; ++c) {
      const double code = double(word >> (8 * c) & 255u) / 255;
      texel[c] = source.srgb && c < 3 ? decode(code) : code;
    }
  }
  return level;
}

// Texel i of `count` covers the texels from i * from / count up to the start of the next one.
Level next_level(const Level& level) {
  Level next{std::max(1, level.width / 2), std::max(1, level.height / 2), {}};
  for (int y = 0; y < next.height; ++y)
    for (int x = 0; x < next.width; ++x) {
      const int left = x * level.width / next.width, right = (x + 1) * level.width / next.width;
      const int low = y * level.height / next.height, high = (y + 1) * level.height / next.height;
      Texel& mean = next.texels.emplace_back();
      for (int j = low; j < high; ++j)
        for (int i = left; i < right; ++i)
          for (size_t c = 0; c < 4; ++c)
            mean[c] +=
                level.texels[size_t(j) * size_t(level.width) + size_t(i)][c] / double((right - left) * (high - low));
    }
  return next;
}

std::vector<uint32_t> to_words(const Level& level, bool srgb) {
  std::vector<uint32_t> words;
  for (const Texel& texel : level.texels) {
    uint32_t word = 0;
    for (size_t c = 0; c < 4; ++c)
      word |= uint32_t(std::lround((srgb && c < 3 ? encode(texel[c]) : texel[c]) * 255)) << (8 * c);
    words.push_back(word);
  }
  return words;
}

void set_sampler(const GlTexture& texture, const Sampler& sampler) {
  static constexpr GLint kWraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE};
  static constexpr GLint kNearestFilters[] = {GL_NEAREST, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR};
  static constexpr GLint kLinearFilters[] = {GL_LINEAR, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR};
  const auto set = [&](GLenum name, GLint value) { glTextureParameteri(texture.id(), name, value); };
  set(GL_TEXTURE_WRAP_S, kWraps[size_t(sampler.wrap_x)]);
  set(GL_TEXTURE_WRAP_T, kWraps[size_t(sampler.wrap_y)]);
  set(GL_TEXTURE_MIN_FILTER, (sampler.minify_linear ? kLinearFilters : kNearestFilters)[size_t(sampler.mip)]);
  set(GL_TEXTURE_MAG_FILTER, sampler.magnify_linear ? GL_LINEAR : GL_NEAREST);
}

}  // namespace

// All levels of `source` with its sampler. OpenGL does not define the filter of glGenerateTextureMipmap (OpenGL 4.5,
// 8.14.4), so the levels are computed here: each texel is the mean, in linear light, of the texels that it covers in
// the previous level.
//
// Drivers filter 8-bit linear channels in 8 bits. With `exact`, those channels are stored in 16 bits, which drivers
// filter in floating point.
GlTexture upload_texture(const Texture& source, bool exact) {
  GlTexture texture = GlTexture::create(GLenum(GL_TEXTURE_2D));
  int levels = 1;
  while ((source.width | source.height) >> levels) ++levels;
  const GLenum linear = exact ? GL_RGBA16 : GL_RGBA8;  // 257 steps of 16 bits are one step of 8 bits
  glTextureStorage2D(texture.id(), levels, source.srgb ? GL_SRGB8_ALPHA8 : linear, source.width, source.height);
  Level level = first_level(source);
  for (int number = 0; number < levels; ++number) {
    if (number > 0) level = next_level(level);
    glTextureSubImage2D(texture.id(), number, 0, 0, level.width, level.height, GL_RGBA, GL_UNSIGNED_BYTE,
                        to_words(level, source.srgb).data());
  }
  set_sampler(texture, source.sampler);
  return texture;
}

namespace {

// Clears that set stencil to its initial value 0 do not require a stencil plane.
bool needs_stencil(const Frame& frame) {
  for (const Command& command : frame.commands) {
    if (const auto* draw = std::get_if<DrawCommand>(&command))
      if (frame.states[draw->state].stencil) return true;
    if (const auto* clear = std::get_if<ClearCommand>(&command))
      if (clear->stencil.value_or(0) != 0) return true;
  }
  return false;
}

// The alpha of captured draws that blend is unknown: like the pipeline, this shows them partially opaque.
float shown_alpha(const DrawCommand& draw, const State& state, const Material& material) {
  const bool known = draw.vertex_kind == VertexKind::transform && material.kind != MaterialKind::none;
  const BlendTerm copy{};
  const bool blends = !state.logic_op && state.blend && !(state.blend->color == copy && state.blend->alpha == copy);
  return blends && !known ? 0.4f : 1.0f;
}

// The first of a draw's own point sizes among the varyings; none if all its points have the state's size.
std::optional<uint64_t> first_point_size(const Frame& frame, const DrawCommand& draw) {
  if (draw.inputs < 0) return std::nullopt;
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  for (const ProgramVarying& varying : frame.programs[inputs.program].varyings) {
    if (varying.name == "gl_PointSize") return inputs.first_varying + varying.offset;
  }
  return std::nullopt;
}

// A size for each position of the frame, for draws with own point sizes; empty if there is no such draw.
std::vector<float> point_sizes_of(const Frame& frame) {
  std::vector<float> sizes;
  for (const Command& command : frame.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr) continue;
    const std::optional<uint64_t> first = first_point_size(frame, *draw);
    if (!first) continue;
    sizes.resize(frame.positions.size(), 1.0f);
    const uint64_t stride = varying_components(frame.programs[frame.inputs[size_t(draw->inputs)].program]);
    const uint64_t count = uint64_t(draw->vertex_count) * draw->instances;
    for (uint64_t i = 0; i < count; ++i) sizes[draw->first_vertex + i] = frame.varyings[*first + i * stride];
  }
  return sizes;
}

template <typename T>
GlBuffer upload(const std::vector<T>& values) {
  GlBuffer buffer = GlBuffer::create();
  const T nothing{};  // a buffer of size 0 is an error
  glNamedBufferStorage(buffer.id(), GLsizeiptr(values.empty() ? sizeof(T) : values.size() * sizeof(T)),
                       values.empty() ? &nothing : values.data(), 0);
  return buffer;
}

}  // namespace

struct GlRenderer::Impl {
  explicit Impl(EglContext& egl) : context(egl) {}
  ~Impl() { context.make_current(); }  // the objects' destructors need it

  EglContext& context;
  const Frame* frame = nullptr;
  bool has_point_sizes = false;  // some draw's points have sizes of their own
  bool is_physical = false;      // some material of the frame is physical, so all are drawn that way
  GlPrograms programs;
  std::unique_ptr<GlTargets> targets;
  std::vector<GlTexture> textures;
  GlBuffer positions, normals, texcoords, second_texcoords, colors, point_sizes, models, indices;
  GlVertexArray vertices;

  std::vector<GlStep> steps;
  std::optional<GlOptions> scheduled;  // the options that `steps` were made for
  uint32_t applied_state = ~0u, applied_flags = 0;
  bool applied_restart = false;
  GlDrawStatistics statistics;

  // Models advance once per instance, from the draw's base instance on.
  void make_vertices() {
    vertices = GlVertexArray::create();
    const auto stream = [&](GLuint attribute, GLint components, const GlBuffer& buffer, bool present) {
      if (!present) return;
      glVertexArrayVertexBuffer(vertices.id(), attribute, buffer.id(), 0, GLsizei(size_t(components) * sizeof(float)));
      glVertexArrayAttribFormat(vertices.id(), attribute, components, GL_FLOAT, GL_FALSE, 0);
      glVertexArrayAttribBinding(vertices.id(), attribute, attribute);
      glEnableVertexArrayAttrib(vertices.id(), attribute);
    };
    stream(kPositionAttribute, 4, positions, true);
    stream(kNormalAttribute, 3, normals, !frame->normals.empty());
    stream(kTexcoordAttribute, 2, texcoords, !frame->texcoords.empty());
    stream(kSecondTexcoordAttribute, 2, second_texcoords, !frame->second_texcoords.empty());
    stream(kColorAttribute, 4, colors, !frame->colors.empty());
    stream(kPointSizeAttribute, 1, point_sizes, has_point_sizes);
    if (!frame->models.empty()) {
      glVertexArrayVertexBuffer(vertices.id(), kModelAttribute, models.id(), 0, sizeof(glm::mat4));
      glVertexArrayBindingDivisor(vertices.id(), kModelAttribute, 1);
      for (GLuint column = 0; column < 4; ++column) {
        glVertexArrayAttribFormat(vertices.id(), kModelAttribute + column, 4, GL_FLOAT, GL_FALSE,
                                  GLuint(column * sizeof(glm::vec4)));
        glVertexArrayAttribBinding(vertices.id(), kModelAttribute + column, kModelAttribute);
        glEnableVertexArrayAttrib(vertices.id(), kModelAttribute + column);
      }
    }
    glVertexArrayElementBuffer(vertices.id(), indices.id());
  }

  void schedule(const GlOptions& options) {
    if (scheduled == options) return;
    steps = schedule_steps(*frame, options);
    scheduled = options;
  }

  void run_steps(const GlOptions& options) {
    glEnable(GL_FRAMEBUFFER_SRGB);
    glDisable(GL_DITHER);
    glEnable(GL_MULTISAMPLE);
    glPrimitiveRestartIndex(0xffffffffu);
    glDisable(GL_PRIMITIVE_RESTART);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glBindVertexArray(vertices.id());
    glVertexAttrib4f(kColorAttribute, 1, 1, 1, 1);  // for vertices without colours
    applied_state = ~0u;
    applied_restart = false;
    statistics = {};
    targets->reset();
    for (const GlStep& step : steps) {
      if (const auto* pass = std::get_if<GlPass>(&step)) {
        for (uint32_t v = pass->first_view; v < pass->first_view + pass->view_count; ++v) {
          const View& view = frame->views[v];
          targets->bind(view.target, view.layer);
          for (const GlBatch& batch : pass->batches) draw_batch(batch, view, options);
        }
      } else {
        if (const auto* clear = std::get_if<ClearCommand>(&step)) targets->clear(*clear);
        if (const auto* blit = std::get_if<BlitCommand>(&step)) targets->blit(*blit);
        applied_state = ~0u;
      }
    }
  }

  void draw_batch(const GlBatch& batch, const View& view, const GlOptions& options) {
    const DrawCommand& draw = std::get<DrawCommand>(frame->commands[batch.command]);
    if (applied_state != draw.state || applied_flags != draw.flags) {
      apply_state(frame->states[draw.state], draw.flags);
      applied_state = draw.state;
      applied_flags = draw.flags;
      ++statistics.state_changes;
    }
    if (applied_restart != (draw.indexed && draw.restart)) {
      applied_restart = !applied_restart;
      applied_restart ? glEnable(GL_PRIMITIVE_RESTART) : glDisable(GL_PRIMITIVE_RESTART);
    }
    bind_shading(batch, draw, view, options);
    submit(batch, draw);
  }

  void bind_shading(const GlBatch& batch, const DrawCommand& draw, const View& view, const GlOptions& options) {
    static const Material kNone;
    const Material& material = draw.material < frame->materials.size() ? frame->materials[draw.material] : kNone;
    const bool lit = options.shading == GlShading::material && material.kind != MaterialKind::none;
    // A captured draw's alpha is unknown, so its alpha test passes.
    const std::optional<AlphaTest> test = lit ? frame->states[draw.state].alpha_test : std::nullopt;

    GlVertex vertex = GlVertex::clip_space;
    if (draw.vertex_kind == VertexKind::transform)
      vertex = batch.instances == 1 ? GlVertex::single : GlVertex::instanced;
    GlProgramKey key{vertex, GlFragment::color, test.has_value() || (lit && material.alpha_cutoff > 0)};
    if (lit) key.fragment = is_physical ? GlFragment::metallic_roughness : GlFragment::blinn_phong;
    key.exact_lod = lit && options.exact_lod;
    if (options.shading == GlShading::triangle) key.fragment = GlFragment::triangle;
    if (options.shading == GlShading::depth) key.fragment = GlFragment::depth;
    const bool flat = options.shading == GlShading::flat;
    const glm::vec4 color(flat ? glm::vec3(0.8f) : draw_color(batch.command),
                          shown_alpha(draw, frame->states[draw.state], material));
    programs.use(key, {view, vertex == GlVertex::single ? &frame->models[batch.first_instance] : nullptr,
                       frame->light_direction, color, material, test, lit ? material.alpha_cutoff : 0.0f});
    for (uint32_t map = 0; map < kGlMaps && lit; ++map) {
      const int texture = texture_of(material, GlMap(map));
      if (texture >= 0) glBindTextureUnit(map, textures[size_t(texture)].id());
    }
  }

  void submit(const GlBatch& batch, const DrawCommand& draw) {
    const GLenum mode = to_gl(kGlTopologies, draw.topology);
    if (has_point_sizes) enable(GL_PROGRAM_POINT_SIZE, first_point_size(*frame, draw).has_value());
    const GLsizei items = GLsizei(batch.counts.size());
    ++statistics.draw_calls;
    if (draw.vertex_kind == VertexKind::transform) {
      if (draw.indexed)
        glDrawElementsInstancedBaseVertexBaseInstance(mode, batch.counts[0], GL_UNSIGNED_INT, batch.index_offsets[0],
                                                      GLsizei(batch.instances), batch.first_vertices[0],
                                                      batch.first_instance);
      else
        glDrawArraysInstancedBaseInstance(mode, batch.first_vertices[0], batch.counts[0], GLsizei(batch.instances),
                                          batch.first_instance);
    } else if (draw.indexed) {
      glMultiDrawElementsBaseVertex(mode, batch.counts.data(), GL_UNSIGNED_INT, batch.index_offsets.data(), items,
                                    batch.first_vertices.data());
    } else {
      glMultiDrawArrays(mode, batch.first_vertices.data(), batch.counts.data(), items);
    }
  }
};

GlRenderer::GlRenderer(EglContext& context) : impl_(std::make_unique<Impl>(context)) {}
GlRenderer::~GlRenderer() = default;

void GlRenderer::prepare(const Frame& frame, bool exact_textures) {
  validate(frame);
  if (frame.positions.size() > size_t(std::numeric_limits<int32_t>::max()))
    throw std::runtime_error("OpenGL: " + frame.source + ": more than 2^31 vertices cannot be addressed");
  impl_->context.make_current();
  impl_->frame = &frame;
  impl_->scheduled.reset();
  impl_->targets = std::make_unique<GlTargets>(frame.targets, needs_stencil(frame));
  impl_->positions = upload(frame.positions);
  impl_->normals = upload(frame.normals);
  impl_->texcoords = upload(frame.texcoords);
  impl_->second_texcoords = upload(frame.second_texcoords);
  impl_->colors = upload(frame.colors);
  const std::vector<float> sizes = point_sizes_of(frame);
  impl_->has_point_sizes = !sizes.empty();
  impl_->point_sizes = upload(sizes);
  impl_->is_physical = std::any_of(frame.materials.begin(), frame.materials.end(), [](const Material& material) {
    return material.kind == MaterialKind::metallic_roughness;
  });
  impl_->models = upload(frame.models);
  impl_->indices = upload(frame.indices);
  impl_->textures.clear();
  for (const Texture& texture : frame.textures) impl_->textures.push_back(upload_texture(texture, exact_textures));
  impl_->make_vertices();
  check_gl("upload");
}

GlDrawStatistics GlRenderer::draw(const GlOptions& options) {
  if (impl_->frame == nullptr) throw std::logic_error("GlRenderer::draw before prepare");
  impl_->context.make_current();
  impl_->schedule(options);
  glFinish();
  const auto begin = std::chrono::steady_clock::now();
  impl_->run_steps(options);
  glFinish();
  const auto end = std::chrono::steady_clock::now();
  check_gl("draw");
  impl_->statistics.frame_ms = std::chrono::duration<double, std::milli>(end - begin).count();
  return impl_->statistics;
}

GlLayer GlRenderer::read(uint32_t target, uint32_t layer) {
  impl_->context.make_current();
  return impl_->targets->read(target, layer);
}

uint64_t GlRenderer::count_samples(const GlOptions& options) {
  impl_->context.make_current();
  impl_->schedule(options);
  GlQuery query = GlQuery::create(GLenum(GL_SAMPLES_PASSED));
  glBeginQuery(GL_SAMPLES_PASSED, query.id());
  impl_->run_steps(options);
  glEndQuery(GL_SAMPLES_PASSED);
  GLuint64 samples = 0;
  glGetQueryObjectui64v(query.id(), GL_QUERY_RESULT, &samples);
  check_gl("sample count");
  return samples;
}

std::optional<GlShading> gl_shading_from_name(std::string_view name) {
  static constexpr std::string_view kNames[] = {"material", "draw", "triangle", "depth", "flat"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return GlShading(i);
  return std::nullopt;
}

namespace {

// Views that share a layer must be drawn draw by draw; others can be drawn view by view.
bool layers_are_distinct(const Frame& frame, uint32_t first, uint32_t count) {
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (uint32_t i = first; i < first + count; ++i)
    if (!seen.emplace(frame.views[i].target, frame.views[i].layer).second) return false;
  return true;
}

// Returns true if `b` may join `a`'s multi-draw: they may differ only in their ranges. Shading by draw or by triangle
// counts primitives from the draw's start.
bool can_merge(const DrawCommand& a, const DrawCommand& b, const Frame& frame, GlShading shading) {
  if (a.vertex_kind != VertexKind::clip_space || b.vertex_kind != VertexKind::clip_space) return false;
  const bool draw_material = shading == GlShading::material;
  if (shading == GlShading::draw || shading == GlShading::triangle) return false;
  if (draw_material &&
      (a.material != b.material || frame.materials.empty() || frame.materials[a.material].kind == MaterialKind::none))
    return false;
  constexpr uint32_t kConventions = kDepthClamp | kZeroToOne | kOriginUpperLeft | kProvokingFirst;
  if (first_point_size(frame, a).has_value() != first_point_size(frame, b).has_value()) return false;
  return (a.state == b.state || frame.states[a.state] == frame.states[b.state]) && a.topology == b.topology &&
         a.indexed == b.indexed && a.restart == b.restart && (a.flags & kConventions) == (b.flags & kConventions);
}

void append_ranges(GlBatch& batch, const DrawCommand& draw) {
  const uint32_t items = draw.vertex_kind == VertexKind::clip_space ? draw.instances : 1;
  for (uint32_t i = 0; i < items; ++i) {
    batch.counts.push_back(int32_t(draw.element_count));
    batch.first_vertices.push_back(int32_t(draw.first_vertex + uint64_t(i) * draw.vertex_count));
    if (!draw.indexed) continue;
    // OpenGL passes offsets into the bound index buffer as pointers.
    const uintptr_t offset = uintptr_t(draw.first_index * sizeof(uint32_t));
    batch.index_offsets.push_back(reinterpret_cast<const void*>(offset));
  }
}

GlBatch make_batch(const DrawCommand& draw, uint32_t command) {
  GlBatch batch;
  batch.command = command;
  if (draw.vertex_kind == VertexKind::transform) {
    batch.instances = draw.instances;
    batch.first_instance = draw.first_instance;
  }
  append_ranges(batch, draw);
  return batch;
}

}  // namespace

std::vector<GlStep> schedule_steps(const Frame& frame, const GlOptions& options) {
  std::vector<GlStep> steps;
  const size_t limit = options.command_limit.value_or(uint32_t(frame.commands.size()));
  const DrawCommand* last = nullptr;  // in the open pass; draws cannot join another pass
  const std::vector<uint32_t> order = drawing_order(frame);
  for (size_t place = 0; place < limit && place < order.size(); ++place) {
    const uint32_t c = order[place];
    const DrawCommand* draw = std::get_if<DrawCommand>(&frame.commands[c]);
    if (draw == nullptr) {
      if (const ClearCommand* clear = std::get_if<ClearCommand>(&frame.commands[c])) steps.emplace_back(*clear);
      if (const BlitCommand* blit = std::get_if<BlitCommand>(&frame.commands[c])) steps.emplace_back(*blit);
      last = nullptr;
      continue;
    }
    if (draw->instances == 0 || draw->element_count == 0 || draw->view_count == 0) continue;
    const bool joins = last != nullptr && last->first_view == draw->first_view && last->view_count == draw->view_count;
    if (!joins) steps.emplace_back(GlPass{draw->first_view, draw->view_count, {}});
    GlPass& pass = std::get<GlPass>(steps.back());
    if (joins && can_merge(*last, *draw, frame, options.shading))
      append_ranges(pass.batches.back(), *draw);
    else
      pass.batches.push_back(make_batch(*draw, c));
    last = layers_are_distinct(frame, draw->first_view, draw->view_count) ? draw : nullptr;
  }
  return steps;
}

// Hues a golden ratio apart.
glm::vec3 draw_color(uint32_t command) {
  const float hue = glm::fract(float(command) * 0.61803399f);
  const glm::vec3 wheel = glm::abs(glm::fract(hue + glm::vec3(1.0f, 2.0f / 3, 1.0f / 3)) * 6.0f - 3.0f);
  const float value = 0.65f + 0.35f * glm::fract(float(command) * 0.38196601f);
  return value * glm::mix(glm::vec3(1.0f), glm::clamp(wheel - 1.0f, 0.0f, 1.0f), 0.6f);
}

}  // namespace brokkr
