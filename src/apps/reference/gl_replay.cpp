#include "reference/gl_replay.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
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
  std::vector<GlCapturedProgram> programs;  // with computed vertices; the last one is `plain`
  // With vertex programs, by vertex program and fragment program (-1: `plain`).
  std::map<std::pair<uint32_t, int64_t>, GlCapturedProgram> whole_programs;
  std::map<std::pair<int32_t, const GlCapturedProgram*>, GlVertexArray> attribute_arrays;  // by vertex inputs
  std::vector<GlProgramFailure> failures;
  GlBuffer positions, varyings, indices, blocks, attributes;
  // key: first word and size; value: byte offset in `blocks`
  std::map<std::pair<uint64_t, uint32_t>, uint64_t> place_of_block;
  std::map<uint32_t, GlVertexArray> arrays;  // by number of components of a vertex's varyings

  // The state that the last draw left.
  struct {
    uint32_t state = ~0u, flags = 0, target = ~0u;
    const GlCapturedProgram* program = nullptr;
    uint64_t first_uniform = ~uint64_t(0), first_vertex_uniform = ~uint64_t(0);
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

  // Links the programs of both stages that draws use together.
  void make_whole_programs() {
    std::set<std::pair<uint32_t, int64_t>> refused;
    whole_programs.clear();
    attribute_arrays.clear();
    for (const Command& command : frame->commands) {
      const auto* const draw = std::get_if<DrawCommand>(&command);
      if (draw == nullptr || draw->vertices < 0) continue;
      const std::pair key = whole_key(*draw);
      const FragmentProgram& fragment = key.second < 0 ? plain : frame->programs[size_t(key.second)];
      if (key.second >= 0 && !programs[size_t(key.second)].failure().empty()) continue;  // it has failed already
      const auto [made, is_new] = whole_programs.try_emplace(key, fragment, frame->vertex_programs[key.first]);
      if (!is_new) continue;
      std::string failure = made->second.failure();
      if (failure.empty()) failure = failure_of_numbers(frame->vertex_programs[key.first]);
      if (failure.empty()) continue;
      failures.push_back(
          {uint32_t(std::max<int64_t>(key.second, 0)),
           "vertex program " + std::to_string(key.first) + ": " + failure + "; the driver gets computed vertices"});
      refused.insert(key);
    }
    for (const auto& key : refused) whole_programs.erase(key);
  }

  static bool reads(const VertexProgram& program, const char* name) {
    const auto has = [&](const std::string& text) { return text.find(name) != std::string::npos; };
    return std::any_of(program.texts.begin(), program.texts.end(), has);
  }

  // The numbers of vertices and draws that the driver would count differently.
  static std::string failure_of_numbers(const VertexProgram& program) {
    for (const char* const name : {"gl_BaseVertex", "gl_BaseInstance", "gl_DrawID"}) {
      if (reads(program, name)) return std::string("it reads ") + name + ", which this replay does not set";
    }
    return {};
  }

  std::pair<uint32_t, int64_t> whole_key(const DrawCommand& draw) const {
    return {frame->vertex_inputs[size_t(draw.vertices)].program,
            draw.inputs < 0 ? -1 : int64_t(frame->inputs[size_t(draw.inputs)].program)};
  }

  // The program of both stages; null if the driver gets computed vertices. The replay draws from vertex 0 on, which
  // programs may not see that count from another one.
  const GlCapturedProgram* whole_program_of(const DrawCommand& draw) const {
    if (draw.vertices < 0) return nullptr;
    const VertexInputs& inputs = frame->vertex_inputs[size_t(draw.vertices)];
    const VertexProgram& vertex = frame->vertex_programs[inputs.program];
    const bool is_given =
        std::ranges::find(vertex.attributes, "gl_VertexID", &VertexAttribute::name) != vertex.attributes.end();
    if (inputs.base_vertex != 0 && !is_given && reads(vertex, "gl_VertexID")) return nullptr;
    const auto found = whole_programs.find(whole_key(draw));
    return found == whole_programs.end() ? nullptr : &found->second;
  }

  // The frame's alignment of blocks is not enough for OpenGL, so each block gets a new place.
  void make_blocks() {
    std::vector<std::byte> bytes;
    place_of_block.clear();
    const auto add = [&](const auto& inputs, const auto& program) {
      for (size_t i = 0; i < program.blocks.size(); ++i) {
        const std::pair key{inputs.first_of_blocks[i], program.blocks[i].size};
        if (!place_of_block.emplace(key, bytes.size()).second) continue;
        const auto* first = reinterpret_cast<const std::byte*>(frame->uniforms.data() + key.first);
        bytes.insert(bytes.end(), first, first + key.second);
        bytes.resize((bytes.size() + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
      }
    };
    for (const DrawInputs& inputs : frame->inputs) add(inputs, frame->programs[inputs.program]);
    for (const VertexInputs& inputs : frame->vertex_inputs) add(inputs, frame->vertex_programs[inputs.program]);
    blocks = upload(bytes.data(), bytes.size());
  }

  // The attributes of a draw as its vertex program reads them.
  GLuint attribute_array_of(const DrawCommand& draw, const GlCapturedProgram& program) {
    GlVertexArray& array = attribute_arrays[{draw.vertices, &program}];
    if (array) return array.id();
    array = GlVertexArray::create();
    const VertexInputs& inputs = frame->vertex_inputs[size_t(draw.vertices)];
    const VertexProgram& vertex = frame->vertex_programs[inputs.program];
    bool has_first = false;
    for (size_t i = 0; i < vertex.attributes.size(); ++i) {
      const GLint location = program.location_of(i);
      if (location < 0) continue;
      const ShaderType type = vertex.attributes[i].type;
      const ShaderShape shape = shape_of(type);
      const VertexStream& stream = inputs.attributes[i];
      for (uint32_t column = 0; column < shape.columns; ++column) {
        const GLuint number = GLuint(location) + column;
        has_first = has_first || number == 0;
        if (type >= ShaderType::i32 && type < ShaderType::mat2) {
          glVertexArrayAttribIFormat(array.id(), number, GLint(shape.rows),
                                     type < ShaderType::u32 ? GL_INT : GL_UNSIGNED_INT, 0);
        } else {
          glVertexArrayAttribFormat(array.id(), number, GLint(shape.rows), GL_FLOAT, GL_FALSE, 0);
        }
        glVertexArrayAttribBinding(array.id(), number, number);
        const uint64_t first = stream.first + column * shape.rows;
        glVertexArrayVertexBuffer(array.id(), number, attributes.id(), GLintptr(first * sizeof(uint32_t)),
                                  GLsizei(stream.count == 1 ? 0 : shape.components() * sizeof(uint32_t)));
        glVertexArrayBindingDivisor(array.id(), number, stream.divisor);
        glEnableVertexArrayAttrib(array.id(), number);
      }
    }
    if (!has_first) {  // without attribute 0, the compatibility profile may draw nothing
      glVertexArrayAttribFormat(array.id(), 0, 4, GL_FLOAT, GL_FALSE, 0);
      glVertexArrayAttribBinding(array.id(), 0, 0);
      glVertexArrayVertexBuffer(array.id(), 0, positions.id(), GLintptr(draw.first_vertex * sizeof(glm::vec4)),
                                sizeof(glm::vec4));
      glEnableVertexArrayAttrib(array.id(), 0);
    }
    glVertexArrayElementBuffer(array.id(), indices.id());
    return array.id();
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
    glClampColor(GL_CLAMP_FRAGMENT_COLOR, GL_FALSE);  // else Mesa clamps colours of signed targets to 0 .. 1
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
    const GlCapturedProgram* const whole = whole_program_of(draw);
    apply_state_of(draw);
    if (program != nullptr) {
      use(whole != nullptr ? *whole : *program, *inputs);
    } else {
      use_plain(whole != nullptr ? *whole : programs.back(), number);
    }
    if (whole == nullptr) return submit(draw, program == nullptr ? nullptr : inputs);
    use_vertex(*whole, frame->vertex_inputs[size_t(draw.vertices)]);
    submit_whole(draw, *whole);
  }

  void apply_state_of(const DrawCommand& draw) {
    const uint32_t target = frame->views[draw.first_view].target;
    const State& state = frame->states[draw.state];
    const bool same_state = last.state == draw.state && last.flags == draw.flags, same_target = last.target == target;
    if (last.state != draw.state || !same_target) planes->bind(target, state);
    last.target = target;
    if (same_state && (same_target || !state.framebuffer_srgb)) return;
    apply_state(state, draw.flags);
    apply_program_state(state);
    if (planes->is_window(target)) glDisable(GL_FRAMEBUFFER_SRGB);  // its format is linear, but Mesa would encode
    last.state = draw.state;
    last.flags = draw.flags;
    ++statistics.state_changes;
  }

  void use_plain(const GlCapturedProgram& program, uint32_t command) {
    const glm::vec4 color(draw_color(command), 1.0f);
    program.use();
    program.set_uniforms(reinterpret_cast<const uint32_t*>(&color.x));
    last.program = nullptr;
    last.first_vertex_uniform = ~uint64_t(0);
  }

  // After `use` or `use_plain` of the same program.
  void use_vertex(const GlCapturedProgram& program, const VertexInputs& inputs) {
    const VertexProgram& vertex = frame->vertex_programs[inputs.program];
    if (last.first_vertex_uniform != inputs.first_uniform)
      program.set_vertex_uniforms(frame->uniforms.data() + inputs.first_uniform);
    last.first_vertex_uniform = inputs.first_uniform;
    for (size_t i = 0; i < inputs.first_of_blocks.size(); ++i) {
      const uint32_t size = vertex.blocks[i].size;
      const uint64_t place = place_of_block.at({inputs.first_of_blocks[i], size});
      if (size > 0)
        glBindBufferRange(GL_UNIFORM_BUFFER, program.binding_of_vertex(i), blocks.id(), GLintptr(place),
                          GLsizeiptr(size));
    }
    for (size_t i = 0; i < inputs.textures.size(); ++i) textures->bind(program.unit_of_vertex(i), inputs.textures[i]);
  }

  void use(const GlCapturedProgram& program, const DrawInputs& inputs) {
    const bool is_same = last.program == &program;
    if (!is_same) program.use();
    if (!is_same || last.first_uniform != inputs.first_uniform) {
      program.set_uniforms(frame->uniforms.data() + inputs.first_uniform);
    }
    if (!is_same) last.first_vertex_uniform = ~uint64_t(0);
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

  // The driver runs the vertex program for all instances.
  void submit_whole(const DrawCommand& draw, const GlCapturedProgram& program) {
    glBindVertexArray(attribute_array_of(draw, program));
    enable(GL_PRIMITIVE_RESTART, draw.indexed && draw.restart);
    const GLenum mode = to_gl(kGlTopologies, draw.topology);
    ++statistics.draw_calls;
    const auto count = GLsizei(draw.element_count), instances = GLsizei(draw.instances);
    if (!draw.indexed) return glDrawArraysInstanced(mode, 0, count, instances);
    const uintptr_t offset = uintptr_t(draw.first_index * sizeof(uint32_t));
    glDrawElementsInstanced(mode, count, GL_UNSIGNED_INT, reinterpret_cast<const void*>(offset), instances);
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
                                 reinterpret_cast<const void*>(offset), first);
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
  impl_->planes = std::make_unique<GlPlanes>(frame, &impl_->context);
  impl_->textures = std::make_unique<GlCapturedTextures>(frame, *impl_->planes);
  check_gl("upload of textures");
  impl_->make_programs();
  impl_->make_whole_programs();
  impl_->make_blocks();
  impl_->attributes = upload(frame.attributes.data(), frame.attributes.size() * sizeof(uint32_t));
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
