#include "plan/user_shader.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/loading.h"
#include "frame/mesh_builder.h"
#include "plan/prepare.h"
#include "shader/captured.h"

namespace brokkr {
namespace {

TextureWrap wrap_of(Wrap wrap) {
  if (wrap == Wrap::repeat) return TextureWrap::repeat;
  return wrap == Wrap::mirrored_repeat ? TextureWrap::mirrored_repeat : TextureWrap::clamp_to_edge;
}

CapturedSampler captured_sampler(const Sampler& sampler) {
  CapturedSampler made;
  made.magnify_linear = sampler.magnify_linear;
  made.minify_linear = sampler.minify_linear;
  made.mip = sampler.mip;
  made.wrap = {wrap_of(sampler.wrap_x), wrap_of(sampler.wrap_y), TextureWrap::repeat};
  return made;
}

Texture unfiltered(const char* name, int width, int height) {
  return {.name = name,
          .width = width,
          .height = height,
          .srgb = false,
          .texels = std::vector<uint32_t>(size_t(width) * size_t(height), 0xff000000u),
          .sampler = {Wrap::clamp_to_edge, Wrap::clamp_to_edge, MipFilter::none, false, false}};
}

Texture silence_texture() {
  Texture silence = unfiltered("silence", kSilenceWidth, 2);
  std::fill(silence.texels.begin() + kSilenceWidth, silence.texels.end(), 0xff000080u);
  return silence;
}

Texture keyboard_texture(const FragmentShader& shader) {
  Texture keyboard = unfiltered("keyboard", kKeyboardWidth, 3);
  keyboard.texels = keyboard_texels(shader);
  return keyboard;
}

Texture noise_texture() {
  Texture noise{.name = "noise", .width = kNoiseSize, .height = kNoiseSize, .srgb = false, .texels = {}, .sampler = {}};
  for (uint32_t i = 0; i < uint32_t(kNoiseSize * kNoiseSize); ++i) noise.texels.push_back(hash(i + 1));
  return noise;
}

// The textures that samplers read, each stored once.
class PassTextures {
 public:
  PassTextures(Frame& frame, const FragmentShader& shader, int pass, Loading& loading)
      : frame_(frame), shader_(shader), pass_(pass), loading_(loading) {}

  BoundTexture find(const std::string& sampler, const Material& material) {
    const auto image = shader_.textures.find(sampler);
    if (image != shader_.textures.end()) return bound("texture " + sampler, [&] { return of_image(image->second); });
    const GivenSampler* const given = find_given(given_samplers(), sampler);
    if (given == nullptr) {
      if (const std::optional<ShaderChannel> channel = channel_of(shader_, sampler)) return of_channel(*channel);
      return one_texel(0xffffffff);
    }
    const int number = material.*given->texture;
    if (number < 0) return one_texel(given->otherwise);
    return bound("of the frame " + std::to_string(number), [&] { return frame_.textures[size_t(number)]; });
  }

 private:
  static Texture of_image(const Image& image) {
    return {.name = "texture",
            .width = image.width,
            .height = image.height,
            .srgb = false,
            .texels = image.texels,
            .sampler = {}};
  }
  BoundTexture one_texel(uint32_t texel) {
    return bound("texel " + std::to_string(texel), [&] {
      return Texture{.name = "texel", .width = 1, .height = 1, .srgb = false, .texels = {texel}, .sampler = {}};
    });
  }
  template <class F>
  BoundTexture bound(const std::string& key, F&& make) {
    const auto [found, is_new] = bound_.try_emplace(key);
    if (!is_new) return found->second;
    const Texture texture = make();
    found->second = {int32_t(frame_.captured_textures.size()), int32_t(frame_.captured_samplers.size())};
    frame_.captured_textures.push_back(append_captured(texture, frame_.texture_data, loading_));
    frame_.captured_samplers.push_back(captured_sampler(texture.sampler));
    return found->second;
  }

  Frame& frame_;
  BoundTexture of_channel(const ShaderChannel& channel) {
    if (channel.source == ShaderChannel::Source::noise) return bound("noise", noise_texture);
    if (channel.source == ShaderChannel::Source::silence) return bound("silence", silence_texture);
    if (channel.source == ShaderChannel::Source::keyboard)
      return bound("keyboard", [&] { return keyboard_texture(shader_); });
    CapturedSampler sampler;
    sampler.magnify_linear = sampler.minify_linear = channel.linear;
    sampler.mip = MipFilter::none;
    sampler.wrap.fill(wrap_of(channel.wrap));
    frame_.captured_samplers.push_back(sampler);
    return {int32_t(buffer_texture(frame_, channel.buffer, channel.buffer < pass_)),
            int32_t(frame_.captured_samplers.size()) - 1};
  }

  const FragmentShader& shader_;
  int pass_;
  Loading& loading_;
  std::map<std::string, BoundTexture> bound_;
};

// Returns the draws whose surfaces the shader draws, as indices into the frame's commands.
std::vector<size_t> surfaces_of(const Frame& frame) {
  const uint32_t target = main_target(frame);
  std::vector<size_t> all, solid;
  for (size_t i = 0; i < frame.commands.size(); ++i) {
    const auto* const draw = std::get_if<DrawCommand>(&frame.commands[i]);
    if (draw == nullptr) continue;
    if (draw->vertex_kind == VertexKind::transform) {
      all.push_back(i);
    } else if (frame.views[draw->first_view].target == target) {
      all.push_back(i);
      const DepthState& depth = frame.states[draw->state].depth;
      if (depth.test && depth.write) solid.push_back(i);
    }
  }
  return solid.empty() ? all : solid;
}

template <class Variable>
bool has_variable(const std::vector<Variable>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Variable& one) { return variable_name(one.name) == variable_name(name); });
}

// A program of the frame whose text is replaced by the shader's. The inputs of the draws' own program come first, then
// the new ones.
struct PassProgram {
  uint32_t number = 0;
  uint64_t old_stride = 0, old_words = 0;
  std::vector<std::pair<uint32_t, const GivenInput*>> inputs;  // vertex component, and the input stored there
  std::vector<uint32_t> initial;      // initial values of the added uniforms, after the old ones
  std::vector<std::string> samplers;  // added samplers, after the old ones
};

ShaderType type_of(shader::Kind kind) {
  return kind == shader::Kind::number  ? ShaderType::f32
         : kind == shader::Kind::whole ? ShaderType::i32
                                       : ShaderType::u32;
}

class PassDraws {
 public:
  PassDraws(Frame& frame, const CompiledPass& shader, int pass, Loading& loading)
      : frame_(frame), shader_(shader), pass_(pass), loading_(loading), textures_(frame, shader.source, pass, loading) {
    per_view_ = per_instance_ = shader.vertex.has_value();
    for (const shader::Uniform& uniform : shader.program.uniforms) {
      const GivenUniform* const given = find_given(given_uniforms(), uniform.name);
      per_view_ = per_view_ || (given != nullptr && given->per_view);
      per_instance_ = per_instance_ || (given != nullptr && given->per_instance);
    }
    if (shader.vertex) add_vertex_program();
  }

  void run() {
    split_draws();
    for (const size_t command : pass_ == kPicturePass ? surfaces_of(frame_) : add_buffer_draw(frame_, pass_)) {
      auto& draw = std::get<DrawCommand>(frame_.commands[command]);
      const PassProgram& program = program_for(draw);
      const bool has_vertices = shader_.vertex && draw.vertex_kind == VertexKind::transform;
      if (has_vertices) draw.instances = shader_.source.vertex.instances;
      DrawInputs inputs;
      if (draw.inputs >= 0) inputs = frame_.inputs[size_t(draw.inputs)];
      inputs.first_varying = varyings_of(draw, program, inputs.first_varying);
      inputs.first_uniform = add_uniforms(program, inputs.first_uniform);
      inputs.program = program.number;
      for (const std::string& sampler : program.samplers)
        inputs.textures.push_back(textures_.find(sampler, frame_.materials[draw.material]));
      draw.inputs = int32_t(frame_.inputs.size());
      frame_.inputs.push_back(std::move(inputs));
      if (has_vertices) add_vertices(draw);
      loading_.look();
    }
  }

 private:
  // Splits each draw so that it has one view if the shader reads the camera, and one instance if it reads the model.
  void split_draws() {
    if (!per_view_ && !per_instance_) return;
    std::vector<Command> commands;
    for (Command& command : frame_.commands) {
      const auto* const draw = std::get_if<DrawCommand>(&command);
      const uint32_t views = draw != nullptr && per_view_ ? draw->view_count : 1,
                     instances = draw != nullptr && per_instance_ ? draw->instances : 1;
      if (draw == nullptr || draw->vertex_kind != VertexKind::transform || uint64_t(views) * instances < 2) {
        commands.push_back(std::move(command));
        continue;
      }
      loading_.check(2 * (commands.size() + uint64_t(views) * instances) * sizeof(Command), "commands");
      for (uint32_t view = 0; view < views; ++view) {
        for (uint32_t instance = 0; instance < instances; ++instance) {
          DrawCommand one = *draw;
          one.first_view += view;
          one.first_instance += instance;
          if (per_view_) one.view_count = 1;
          if (per_instance_) one.instances = 1;
          commands.emplace_back(std::move(one));
        }
      }
    }
    frame_.commands = std::move(commands);
  }

  const PassProgram& program_for(const DrawCommand& draw) {
    const int64_t old = draw.inputs < 0 ? -1 : int64_t(frame_.inputs[size_t(draw.inputs)].program);
    const auto [found, is_new] = programs_.try_emplace(old);
    if (is_new) found->second = make_program(old < 0 ? FragmentProgram{} : frame_.programs[size_t(old)]);
    return found->second;
  }

  PassProgram make_program(FragmentProgram program) {
    PassProgram made{.number = uint32_t(frame_.programs.size()),
                     .old_stride = varying_components(program),
                     .old_words = uniform_words(program)};
    program.texts = {shader_.text};
    program.fixed.reset();
    program.outputs.clear();
    auto component = uint32_t(made.old_stride);
    for (const shader::Input& input : shader_.program.inputs) {
      if (input.kind != shader::InputKind::varying || has_variable(program.varyings, input.name)) continue;
      const bool is_written = vertex_output(shader_, input, 0) != shader::kNoWord;
      made.inputs.emplace_back(component, is_written ? nullptr : find_given(given_inputs(), input.name));
      program.varyings.push_back(
          {.name = input.name, .type = ShaderType::f32, .count = input.words, .offset = component});
      component += input.words;
    }
    auto word = uint32_t(made.old_words);
    for (const shader::Uniform& uniform : shader_.program.uniforms) {
      if (!uniform.block.empty() || has_variable(program.uniforms, uniform.name)) continue;
      made.initial.insert(made.initial.end(), uniform.initial.begin(), uniform.initial.end());
      made.initial.resize(word + uniform.words - made.old_words);
      program.uniforms.push_back(
          {.name = uniform.name, .type = type_of(uniform.kind), .count = uniform.words, .offset = word * 4});
      word += uniform.words;
    }
    for (const shader::SamplerInput& sampler : shader_.program.samplers) {
      if (has_variable(program.samplers, sampler.name)) continue;
      program.samplers.push_back({.name = sampler.name});
      made.samplers.push_back(sampler.name);
    }
    frame_.programs.push_back(std::move(program));
    return made;
  }

  // Draws that share vertices share the varyings made from them.
  uint64_t varyings_of(const DrawCommand& draw, const PassProgram& program, uint64_t old) {
    const Key key{
        program.number,   old,          draw.first_vertex, draw.vertex_count, draw.first_instance, draw.instances,
        draw.first_index, draw.material};
    const auto [found, is_new] = varyings_.try_emplace(key, frame_.varyings.size());
    if (shader_.vertex) found->second = frame_.varyings.size();  // each draw writes its own varyings
    if (is_new || shader_.vertex) add_varyings(draw, program, old);
    return found->second;
  }

  void add_varyings(const DrawCommand& draw, const PassProgram& program, uint64_t old) {
    const uint64_t stride = varying_components(frame_.programs[program.number]);
    const uint64_t floats = stride * draw.vertex_count * draw.instances;
    loading_.check(2 * (frame_.varyings.size() + floats) * sizeof(float), "varyings");
    bool normals = false, tangents = false;
    const bool has_normals = draw.vertex_kind == VertexKind::transform && !frame_.normals.empty();
    for (const auto& [component, input] : program.inputs) {
      normals = normals || (input != nullptr && input->needs_normals && !has_normals);
      tangents = tangents || (input != nullptr && input->needs_tangents);
    }
    const FaceMeans means = face_means(frame_, draw, normals, tangents, loading_);
    std::vector<float>& all = frame_.varyings;
    for (uint32_t instance = 0; instance < draw.instances; ++instance) {
      for (uint32_t vertex = 0; vertex < draw.vertex_count; ++vertex) {
        loading_.step();
        const size_t first = all.size();
        all.resize(first + size_t(stride));
        const uint64_t number = uint64_t(instance) * draw.vertex_count + vertex;
        const auto source = all.begin() + std::ptrdiff_t(old + number * program.old_stride);
        std::copy(source, source + std::ptrdiff_t(program.old_stride), all.begin() + std::ptrdiff_t(first));
        for (const auto& [component, input] : program.inputs) {
          if (input == nullptr) continue;
          // All instances of a vertex shader's draw share the draw's model.
          const glm::vec4 value = input->value({frame_, draw, means, shader_.vertex ? 0 : instance, vertex});
          for (uint32_t i = 0; i < input->words; ++i) all[first + component + i] = value[int(i)];
        }
      }
    }
  }

  void add_vertex_program() {
    vertex_program_ = uint32_t(frame_.vertex_programs.size());
    VertexProgram& made = frame_.vertex_programs.emplace_back();
    made.texts = {shader_.vertex_text};
    for (const shader::Input& input : shader_.vertex->inputs) {
      const GivenAttribute* const given = find_attribute(input.name);
      if (given == nullptr) continue;
      made.attributes.push_back({input.name, ShaderType(given->words - 1)});
      attributes_.push_back(given);
    }
    uint32_t word = 0;
    for (const shader::Uniform& uniform : shader_.vertex->uniforms) {
      vertex_initial_.insert(vertex_initial_.end(), uniform.initial.begin(), uniform.initial.end());
      vertex_initial_.resize(word + uniform.words);
      made.uniforms.push_back(
          {.name = uniform.name, .type = type_of(uniform.kind), .count = uniform.words, .offset = word * 4});
      word += uniform.words;
    }
    for (const shader::SamplerInput& sampler : shader_.vertex->samplers)
      made.samplers.push_back({.name = sampler.name});
  }

  // Takes the draw's vertices, which are in object space, as attributes. Gives the draw new vertices, which are not
  // shaded yet.
  void add_vertices(DrawCommand& draw) {
    VertexInputs made{.program = vertex_program_};
    made.attributes = attributes_of(draw);
    made.first_uniform = frame_.uniforms.size();
    frame_.uniforms.insert(frame_.uniforms.end(), vertex_initial_.begin(), vertex_initial_.end());
    for (const shader::SamplerInput& sampler : shader_.vertex->samplers)
      made.textures.push_back(textures_.find(sampler.name, frame_.materials[draw.material]));
    const uint64_t first = frame_.positions.size(), end = first + uint64_t(draw.vertex_count) * draw.instances;
    constexpr uint64_t kOfVertex = sizeof(glm::vec4) * 2 + sizeof(glm::vec3) + sizeof(glm::vec2) * 2;
    loading_.check(2 * end * kOfVertex, "vertices");
    frame_.positions.resize(size_t(end));
    const auto follow = [&](auto& list) {
      if (!list.empty()) list.resize(size_t(end));
    };
    follow(frame_.normals);
    follow(frame_.texcoords);
    follow(frame_.second_texcoords);
    follow(frame_.colors);
    draw.first_vertex = first;
    draw.vertex_kind = VertexKind::clip_space;
    draw.vertices = int32_t(frame_.vertex_inputs.size());
    frame_.vertex_inputs.push_back(std::move(made));
  }

  // Draws that share vertices share their attributes.
  std::vector<VertexStream> attributes_of(const DrawCommand& draw) {
    const Key key{0, 0, draw.first_vertex, draw.vertex_count, 0, 0, draw.first_index, draw.material};
    const auto [found, is_new] = streams_.try_emplace(key);
    if (!is_new) return found->second;
    bool normals = false, tangents = false;
    for (const GivenAttribute* const given : attributes_) {
      normals = normals || (given->needs_normals && frame_.normals.empty());
      tangents = tangents || given->needs_tangents;
    }
    const FaceMeans means = face_means(frame_, draw, normals, tangents, loading_);
    for (const GivenAttribute* const given : attributes_) {
      found->second.push_back({frame_.attributes.size(), draw.vertex_count, 0});
      loading_.check(2 * (frame_.attributes.size() + uint64_t(draw.vertex_count) * given->words) * sizeof(uint32_t),
                     "attributes");
      for (uint32_t vertex = 0; vertex < draw.vertex_count; ++vertex) {
        loading_.step();
        const glm::vec4 value = given->value({frame_, draw, means, 0, vertex});
        for (uint32_t i = 0; i < given->words; ++i) frame_.attributes.push_back(std::bit_cast<uint32_t>(value[int(i)]));
      }
    }
    return found->second;
  }

  uint64_t add_uniforms(const PassProgram& program, uint64_t old) {
    const uint64_t first = frame_.uniforms.size();
    const FragmentProgram& made = frame_.programs[program.number];
    frame_.uniforms.resize(size_t(first + uniform_words(made)));
    const auto source = frame_.uniforms.begin() + std::ptrdiff_t(old),
               target = frame_.uniforms.begin() + std::ptrdiff_t(first);
    std::copy(source, source + std::ptrdiff_t(program.old_words), target);
    std::ranges::copy(program.initial, target + std::ptrdiff_t(program.old_words));
    return first;
  }

  using Key = std::tuple<uint32_t, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t, uint32_t>;

  Frame& frame_;
  const CompiledPass& shader_;
  int pass_;
  Loading& loading_;
  PassTextures textures_;
  bool per_view_ = false, per_instance_ = false;
  std::map<int64_t, PassProgram> programs_;  // by the number of the draw's program; -1: no program
  std::map<Key, uint64_t> varyings_;
  uint32_t vertex_program_ = 0;
  std::vector<const GivenAttribute*> attributes_;  // attributes that the vertex shader reads
  std::vector<uint32_t> vertex_initial_;           // initial values of its uniforms
  std::map<Key, std::vector<VertexStream>> streams_;
};

}  // namespace

uint32_t vertex_output(const CompiledPass& shader, const shader::Input& input, uint32_t word) {
  bool is_color = false;
  const ProgramVarying varying{.name = input.name, .type = ShaderType::f32, .count = input.words};
  return shader.vertex ? shader::find_output(*shader.vertex, varying, word, is_color) : shader::kNoWord;
}

std::string variable_name(const std::string& name) { return name.substr(0, name.find_first_of("[.")); }

void add_pass_draws(Frame& frame, const CompiledPass& shader, int pass, Loading& loading) {
  PassDraws(frame, shader, pass, loading).run();
}

}  // namespace brokkr
