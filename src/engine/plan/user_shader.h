// A user's shader in a frame: its text completed, its passes with their buffers, the values that Brokkr provides under
// names that begin with "b_" or are Shadertoy's (docs/guide/shaders.md), and its draws. These have the form of captured
// ones: programs, varyings, uniforms and textures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brokkr/fragment_shader.h"
#include "shader/program.h"

namespace brokkr {

// Whether a text is Shadertoy's: it has mainImage and no function main, as far as that is seen without macros.
bool is_toy_shader(const std::string& text);

// What `text` may be as it is compiled, the likeliest first: the first that compiles is it. Each has what the text may
// leave out, "#version", and around Shadertoy's mainImage its uniforms that the text does not declare and a main that
// calls it. Lines keep their numbers; a byte-order mark is left out.
std::vector<std::string> completed_shaders(const std::string& text);

// `text` of `file` with the files of its `#include "NAME"`, which lie beside the file that includes them. Each line of
// these counts as the line of `text` that includes it. A file that is missing becomes an #error. Throws
// std::runtime_error for text that becomes too long.
std::string with_includes(const std::string& text, const std::filesystem::path& file);

// The first line, counted from 1, in which `name` is a word of the text outside comments; 0 if there is none.
uint32_t line_of_name(std::string_view text, std::string_view name);

}  // namespace brokkr

// Shadertoy's buffers: targets that a frame's draws write before the picture, and the textures that passes read of
// them.

namespace brokkr {

class Loading;

inline constexpr int kBuffers = 4, kPicturePass = kBuffers;  // passes 0 .. 3 draw buffers A .. D
inline constexpr int kKeyboardWidth = 256, kSilenceWidth = 512;

// The shader of one pass: its own text behind the common one, with its own textures and channels.
FragmentShader pass_of(const FragmentShader& shader, int pass);

// What the sampler reads in a pass; nothing for a sampler that is no channel.
std::optional<ShaderChannel> channel_of(const FragmentShader& pass, const std::string& sampler);

// The texels of the keyboard's texture, and what gives them to a frame that has it.
std::vector<uint32_t> keyboard_texels(const FragmentShader& shader);
void update_keyboard(Frame& frame, const FragmentShader& shader);

// iFrame.
int64_t frame_number(const FragmentShader& shader);

// Adds a target, a view and two textures for each buffer of the shader: of this picture and, 0 so far, of the one
// before. They are as large as the frame's main target. Throws what `loading` throws.
void add_buffers(Frame& frame, const FragmentShader& shader, Loading& loading);

// The number of a buffer's texture: of this picture, or of the one before.
size_t buffer_texture(const Frame& frame, int buffer, bool is_of_this_picture);

// Inserts a draw over the whole buffer before the draws of the passes behind it. Returns its command's number.
std::vector<size_t> add_buffer_draw(Frame& frame, int buffer);

}  // namespace brokkr

// The values that Brokkr provides to a user's shader, under names that begin with "b_" or are Shadertoy's: the tables
// of docs/guide/shaders.md.

namespace brokkr {

class Loading;

// Vertex attributes that the frame does not hold, as means over the adjacent faces, in object space. For captured draws
// the space is that of `eye_position`.
struct FaceMeans {
  std::vector<glm::vec3> normals, tangents;  // by vertex; empty: not needed
};
FaceMeans face_means(const Frame& frame, const DrawCommand& draw, bool normals, bool tangents, Loading& loading);

// A vertex of one instance of a draw.
struct VertexPlace {
  const Frame& frame;
  const DrawCommand& draw;
  const FaceMeans& means;
  uint32_t instance, vertex;  // vertex number within the draw
};

struct GivenInput {
  const char* name;
  uint32_t words;
  glm::vec4 (*value)(const VertexPlace&);
  bool needs_normals = false,
       needs_tangents = false;  // from FaceMeans, if the frame holds none
};
std::span<const GivenInput> given_inputs();

// An attribute of a user's vertex shader, in object space.
struct GivenAttribute {
  const char* name;
  uint32_t words;
  glm::vec4 (*value)(const VertexPlace&);
  bool needs_normals = false,
       needs_tangents = false;  // from FaceMeans, if the frame holds none
};
std::span<const GivenAttribute> given_attributes();
// The attribute with this name, or of this place in the list: "@2", as a SPIR-V module without names says. Null: none.
const GivenAttribute* find_attribute(const std::string& name);

// The draw and view whose uniforms are filled.
struct UniformPlace {
  const Frame& frame;
  const DrawCommand& draw;
  const FragmentShader& shader;
};

struct GivenUniform {
  const char* name;
  shader::Kind kind;
  uint32_t words;
  void (*fill)(const UniformPlace&, uint32_t* to);
  bool of_view = false;      // differs between the views of a draw
  bool of_instance = false;  // differs between its instances
};
std::span<const GivenUniform> given_uniforms();

// A sampler2D that reads one of the material's textures.
struct GivenSampler {
  const char* name;
  int Material::*texture;
  uint32_t otherwise;  // the only texel if the material has no such texture: 0xAABBGGRR
};
std::span<const GivenSampler> given_samplers();

// Shadertoy's channels read noise if no texture is given: four independent channels, at Shadertoy's size.
inline constexpr int kNoiseSize = 256;

// The entry with this name, or null.
template <class Given>
const Given* find_given(std::span<const Given> all, const std::string& name) {
  for (const Given& one : all) {
    if (name == one.name) return &one;
  }
  return nullptr;
}

}  // namespace brokkr

// Gives draws of a frame a user's shader, in the form that captured draws have: programs, varyings, uniforms and
// textures.

namespace brokkr {

class Loading;

// A shader after compilation.
struct CompiledPass {
  const FragmentShader& source;  // of its pass (pass_of)
  std::string text;              // as completed by completed_shader
  shader::Program program;  // everything it reads is provided by Brokkr, its vertex shader or programs of the frame
  // The picture's pass with a vertex shader.
  std::string vertex_text;
  std::optional<shader::Program> vertex;
};

// The output word of the vertex shader that an input of the fragment shader reads, or kNoWord.
uint32_t vertex_output(const CompiledPass& shader, const shader::Input& input, uint32_t word);

// The name of the variable that contains this element or member.
std::string variable_name(const std::string& name);

// Uniforms get the values of the shader's text; uniforms that Brokkr provides start at 0. `pass` draws the picture
// where it is kPicturePass, otherwise that buffer, by a draw of its own before all others. Throws what `loading`
// throws.
void add_pass_draws(Frame& frame, const CompiledPass& shader, int pass, Loading& loading);

}  // namespace brokkr
