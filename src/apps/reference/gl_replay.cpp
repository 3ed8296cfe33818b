#include "reference/gl_replay.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "reference/gl_captured_program.h"
#include "reference/gl_captured_texture.h"
#include "reference/gl_object.h"
#include "reference/gl_planes.h"
#include "reference/gl_renderer.h"
#include "reference/gl_targets.h"

#include "frame/gl_names.h"  // must follow GLAD's header

namespace brokkr {

namespace {

constexpr GLuint kPositions = 0, kVaryings = 1;  // indices of vertex buffer bindings
constexpr uint64_t kBlockAlignment = 256;        // bytes; the largest alignment that OpenGL may require

// The program for draws whose program is unknown.
FragmentProgram plain_program() {
  FragmentProgram program;
  program.texts = {"#version 120\nuniform vec4 brokkr_color;\nvoid main() { gl_FragColor = brokkr_color; }\n"};
  program.uniforms = {{.name = "brokkr_color"}};
  return program;
}

GlBuffer upload(const void* data, uint64_t bytes) {
  GlBuffer buffer = GlBuffer::create();
  static constexpr uint32_t kNothing = 0;  // a buffer of size 0 is an error
  glNamedBufferStorage(buffer.id(), GLsizeiptr(bytes == 0 ? sizeof kNothing : bytes), bytes == 0 ? &kNothing : data, 0);
  return buffer;
}

bool reads_seamlessly(const Frame& frame, const DrawInputs& inputs) {
  return std::any_of(inputs.textures.begin(), inputs.textures.end(), [&](const BoundTexture& bound) {
    return bound.sampler >= 0 && frame.captured_samplers[size_t(bound.sampler)].seamless;
  });
}

}  // namespace

struct GlReplay::Impl {
  explicit Impl(EglContext& egl) : context(egl) {}
  ~Impl() { context.make_current(); }  // the objects' destructors need it

  EglContext& context;
  const Frame* frame = nullptr;
  FragmentProgram plain = plain_program();
  std::unique_ptr<GlPlanes> planes;
  std::unique_ptr<GlCapturedTextures> textures;
  std::vector<GlCapturedProgram> programs;  // the last one is `plain`
  std::vector<GlProgramFailure> failures;
  GlBuffer positions, varyings, indices, blocks;
  // key: first word and size; value: byte offset in `blocks`
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> place_of_block;
  std::map<uint32_t, GlVertexArray> arrays;  // by number of components of a vertex's varyings

  // The state that the last draw left.
  struct {
    uint32_t state = ~0u, flags = 0, target = ~0u;
    const GlCapturedProgram* program = nullptr;
    uint64_t first_uniform = ~uint64_t(0);
    std::vector<BoundTexture> textures;
  } last;
  GlDrawStatistics statistics;

  void make_programs() {
    programs.clear();
    failures.clear();
    for (const FragmentProgram& program : frame->programs) {
      programs.emplace_back(program);
      const std::string& failure = programs.back().failure();
      if (!failure.empty()) failures.push_back({uint32_t(programs.size() - 1), failure});
    }
    programs.emplace_back(plain);
    if (!programs.back().failure().empty()) throw std::runtime_error("OpenGL: " + programs.back().failure());
  }

  // The frame's alignment of blocks is not enough for OpenGL, so each block gets a new place.
  void make_blocks() {
    std::vector<std::byte> bytes;
    place_of_block.clear();
    for (const DrawInputs& inputs : frame->inputs) {
      const FragmentProgram& program = frame->programs[inputs.program];
      for (size_t i = 0; i < program.blocks.size(); ++i) {
        const std::pair key{inputs.first_of_blocks[i], program.blocks[i].size};
        if (!place_of_block.emplace(key, bytes.size()).second) continue;
        const auto* first = reinterpret_cast<const std::byte*>(frame->uniforms.data() + key.first);
        bytes.insert(bytes.end(), first, first + key.second);
        bytes.resize((bytes.size() + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
      }
    }
    blocks = upload(bytes.data(), bytes.size());
  }

  GLuint array_of(uint32_t components) {
    GlVertexArray& array = arrays[components];
    if (array) return array.id();
    array = GlVertexArray::create();
    const auto attribute = [&](GLuint number, GLint size, GLuint offset, GLuint binding) {
      glVertexArrayAttribFormat(array.id(), number, size, GL_FLOAT, GL_FALSE, offset);
      glVertexArrayAttribBinding(array.id(), number, binding);
      glEnableVertexArrayAttrib(array.id(), number);
    };
    attribute(0, 4, 0, kPositions);
    for (uint32_t first = 0; first < components; first += 4)
      attribute(1 + first / 4, GLint(std::min(components - first, 4u)), first * 4, kVaryings);
    glVertexArrayElementBuffer(array.id(), indices.id());
    return array.id();
  }

  void run(uint32_t limit) {
    glDisable(GL_DITHER);
    glPrimitiveRestartIndex(0xffffffffu);
    last = {};
    statistics = {};
    planes->reset();
    textures->forget_copies();
    for (uint32_t c = 0; c < limit && c < frame->commands.size(); ++c) run_command(c);
    glDisable(GL_PRIMITIVE_RESTART);
    apply_samples({});
  }

  void run_command(uint32_t number) {
    const Command& command = frame->commands[number];
    if (const auto* draw = std::get_if<DrawCommand>(&command)) return run_draw(*draw, number);
    if (const auto* clear = std::get_if<ClearCommand>(&command)) planes->clear(*clear);
    if (const auto* blit = std::get_if<BlitCommand>(&command)) planes->blit(*blit);
    if (const auto* load = std::get_if<LoadCommand>(&command)) planes->load(*load);
    if (const auto* copy = std::get_if<CopyCommand>(&command)) planes->copy(*copy);
    if (const auto* mips = std::get_if<GenerateMipsCommand>(&command)) textures->generate_mips(*mips);
    last = {};
  }

  void run_draw(const DrawCommand& draw, uint32_t number) {
    if (draw.instances == 0 || draw.element_count == 0 || draw.view_count == 0) return;
    const DrawInputs* inputs = draw.inputs < 0 ? nullptr : &frame->inputs[size_t(draw.inputs)];
    const GlCapturedProgram* program = inputs != nullptr ? &programs[inputs->program] : nullptr;
    if (program != nullptr && !program->failure().empty()) program = nullptr;
    apply_state_of(draw);
    if (program != nullptr) {
      use(*program, *inputs);
    } else {
      use_plain(number);
    }
    submit(draw, program == nullptr ? nullptr : inputs);
  }

  void apply_state_of(const DrawCommand& draw) {
    const uint32_t target = frame->views[draw.first_view].target;
    const State& state = frame->states[draw.state];
    if (last.state != draw.state || last.target != target) planes->bind(target, state);
    last.target = target;
    if (last.state == draw.state && last.flags == draw.flags) return;
    apply_state(state, draw.flags);
    apply_program_state(state);
    last.state = draw.state;
    last.flags = draw.flags;
    ++statistics.state_changes;
  }

  void use_plain(uint32_t command) {
    const GlCapturedProgram& program = programs.back();
    const glm::vec4 color(draw_color(command), 1.0f);
    program.use();
    program.set_uniforms(reinterpret_cast<const uint32_t*>(&color.x));
    last.program = nullptr;
  }

  void use(const GlCapturedProgram& program, const DrawInputs& inputs) {
    const bool is_same = last.program == &program;
    if (!is_same) program.use();
    if (!is_same || last.first_uniform != inputs.first_uniform) {
      program.set_uniforms(frame->uniforms.data() + inputs.first_uniform);
    }
    last.program = &program;
    last.first_uniform = inputs.first_uniform;
    for (GLuint i = 0; i < inputs.first_of_blocks.size(); ++i) {
      const uint32_t size = program.source().blocks[i].size;
      const uint64_t place = place_of_block.at({inputs.first_of_blocks[i], size});
      if (size > 0) glBindBufferRange(GL_UNIFORM_BUFFER, i, blocks.id(), GLintptr(place), GLsizeiptr(size));
    }
    // Bind again, because draws may have changed the planes that textures copy.
    for (size_t i = 0; i < inputs.textures.size(); ++i) textures->bind(program.unit_of(i), inputs.textures[i]);
    enable(GL_TEXTURE_CUBE_MAP_SEAMLESS, reads_seamlessly(*frame, inputs));
  }

  void submit(const DrawCommand& draw, const DrawInputs* inputs) {
    const auto components = uint32_t(inputs == nullptr ? 0 : varying_components(frame->programs[inputs->program]));
    glBindVertexArray(array_of(components));
    glBindVertexBuffer(kPositions, positions.id(), GLintptr(draw.first_vertex * sizeof(glm::vec4)), sizeof(glm::vec4));
    if (components > 0) {
      glBindVertexBuffer(kVaryings, varyings.id(), GLintptr(inputs->first_varying * sizeof(float)),
                         GLsizei(components * sizeof(float)));
    }
    enable(GL_PRIMITIVE_RESTART, draw.indexed && draw.restart);
    const GLenum mode = to_gl(kGlTopologies, draw.topology);
    for (uint32_t instance = 0; instance < draw.instances; ++instance) {
      const auto first = GLint(uint64_t(instance) * draw.vertex_count);
      ++statistics.draw_calls;
      if (draw.indexed) {
        const uintptr_t offset = uintptr_t(draw.first_index * sizeof(uint32_t));
        glDrawElementsBaseVertex(mode, GLsizei(draw.element_count), GL_UNSIGNED_INT,
                                 reinterpret_cast<const void*>(offset),  // NOLINT(performance-no-int-to-ptr)
                                 first);
      } else {
        glDrawArrays(mode, first, GLsizei(draw.element_count));
      }
    }
  }
};

GlReplay::GlReplay(EglContext& context) : impl_(std::make_unique<Impl>(context)) {}
GlReplay::~GlReplay() = default;

void GlReplay::prepare(const Frame& frame) {
  validate(frame);
  if (frame.positions.size() > size_t(std::numeric_limits<int32_t>::max()))
    throw std::runtime_error("OpenGL: " + frame.source + ": more than 2^31 vertices cannot be addressed");
  const auto is_captured = [](const Command& command) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    return draw == nullptr || draw->vertex_kind == VertexKind::clip_space;
  };
  if (!std::all_of(frame.commands.begin(), frame.commands.end(), is_captured))
    throw std::runtime_error(frame.source + ": it is no captured frame, and has no programs");
  impl_->context.make_current();
  impl_->frame = &frame;
  impl_->textures.reset();
  impl_->planes = std::make_unique<GlPlanes>(frame);
  impl_->textures = std::make_unique<GlCapturedTextures>(frame, *impl_->planes);
  check_gl("upload of textures");
  impl_->make_programs();
  impl_->make_blocks();
  impl_->positions = upload(frame.positions.data(), frame.positions.size() * sizeof(glm::vec4));
  impl_->varyings = upload(frame.varyings.data(), frame.varyings.size() * sizeof(float));
  impl_->indices = upload(frame.indices.data(), frame.indices.size() * sizeof(uint32_t));
  impl_->arrays.clear();
  check_gl("upload");
}

const std::vector<GlProgramFailure>& GlReplay::failures() const { return impl_->failures; }

GlDrawStatistics GlReplay::draw(std::optional<uint32_t> command_limit) {
  if (impl_->frame == nullptr) throw std::logic_error("GlReplay::draw before prepare");
  impl_->context.make_current();
  glFinish();
  const auto begin = std::chrono::steady_clock::now();
  impl_->run(command_limit.value_or(~0u));
  glFinish();
  const auto end = std::chrono::steady_clock::now();
  check_gl("draw");
  impl_->statistics.frame_ms = std::chrono::duration<double, std::milli>(end - begin).count();
  return impl_->statistics;
}

GlLayer GlReplay::read(uint32_t target) {
  impl_->context.make_current();
  return impl_->planes->read(target);
}

}  // namespace brokkr
