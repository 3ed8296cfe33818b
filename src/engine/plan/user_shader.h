// A user's shader in a frame: its completed text, its passes with their buffers, its draws, and the values that Brokkr
// provides under names that begin with "b_" or are Shadertoy's (docs/reference/shaders.md). They have the form of
// captured draws: programs, varyings, uniforms and textures.
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

// Returns true if a text is Shadertoy's: it has mainImage and no function main, as far as we can tell without expanding
// macros.
bool is_toy_shader(const std::string& text);

// The complete texts that `text` may stand for, the most likely one first; the caller takes the first that compiles.
// Each adds what `text` may leave out: "#version", and around Shadertoy's mainImage the uniforms that the text does not
// declare and a main that calls it. Line numbers are kept, and a byte-order mark is removed.
std::vector<std::string> completed_shaders(const std::string& text);

// Returns `text` of `file` and inserts the files of its `#include "NAME"`. These are looked up beside the file that
// includes them. Each of their lines has the line number of the #include. A missing file becomes an #error. Throws
// std::runtime_error if the text becomes too long.
std::string with_includes(const std::string& text, const std::filesystem::path& file);

// The first line, counted from 1, that has `name` as a word outside comments; 0 if there is none.
uint32_t line_of_name(std::string_view text, std::string_view name);

}  // namespace brokkr

// Shadertoy's buffers. They are targets that draws of the frame write before the picture, and textures that passes
// read.

namespace brokkr {

class Loading;

inline constexpr int kBuffers = 4, kPicturePass = kBuffers;  // passes 0 .. 3 draw buffers A .. D
inline constexpr int kKeyboardWidth = 256, kSilenceWidth = 512;

// The shader of one pass: the common text followed by its own text, with its own textures and channels.
FragmentShader pass_of(const FragmentShader& shader, int pass);

// The channel that the sampler reads in a pass; empty if the sampler is no channel.
std::optional<ShaderChannel> channel_of(const FragmentShader& pass, const std::string& sampler);

// The texels of the keyboard's texture, and a function that updates them in a frame that has the texture.
std::vector<uint32_t> keyboard_texels(const FragmentShader& shader);
void update_keyboard(Frame& frame, const FragmentShader& shader);

// The value of iFrame.
int64_t frame_number(const FragmentShader& shader);

// Adds a target, a view and two textures for each buffer of the shader. One texture is the buffer of this picture; the
// other is that of the picture before, and 0 at first. They have the size of the frame's main target. Passes on what
// `loading` throws.
void add_buffers(Frame& frame, const FragmentShader& shader, Loading& loading);

// The number of a buffer's texture: that of this picture, or that of the picture before.
size_t buffer_texture(const Frame& frame, int buffer, bool is_of_this_picture);

// Inserts a draw over the whole buffer, before the draws of later passes. Returns the number of its command.
std::vector<size_t> add_buffer_draw(Frame& frame, int buffer);

}  // namespace brokkr

// The values that Brokkr provides to a user's shader, under names that begin with "b_" or are Shadertoy's.
// docs/reference/shaders.md has them as tables.

namespace brokkr {

class Loading;

// Vertex attributes that the frame does not hold. They are means over the adjacent faces, in object space. For captured
// draws, object space is the space of `eye_position`.
struct FaceMeans {
  std::vector<glm::vec3> normals, tangents;  // by vertex; empty: not needed
};
FaceMeans face_means(const Frame& frame, const DrawCommand& draw, bool normals, bool tangents, Loading& loading);

// A vertex of one instance of a draw.
struct VertexPlace {
  const Frame& frame;
  const DrawCommand& draw;
  const FaceMeans& means;
  uint32_t instance, vertex;  // vertex: the number within the draw
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
// The attribute with this name. "@2" is the attribute at place 2 of the list, for SPIR-V modules without names. Null if
// there is none.
const GivenAttribute* find_attribute(const std::string& name);

// The draw and view for which uniforms are filled.
struct UniformPlace {
  const Frame& frame;
  const DrawCommand& draw;
  const FragmentShader& shader;
};

struct GivenUniform {
  const char* name;
  shader::Kind kind;
  uint32_t words;
  void (*fill)(const UniformPlace&, uint32_t* words);
  bool per_view = false;      // differs between the views of a draw
  bool per_instance = false;  // differs between its instances
};
std::span<const GivenUniform> given_uniforms();

// A sampler2D that reads one of the material's textures.
struct GivenSampler {
  const char* name;
  int Material::*texture;
  uint32_t otherwise;  // the only texel if the material has no such texture: 0xAABBGGRR
};
std::span<const GivenSampler> given_samplers();

// If no texture is given, Shadertoy's channels read noise: four independent channels, with Shadertoy's size.
inline constexpr int kNoiseSize = 256;

// Returns the entry with this name, or null.
template <class Given>
const Given* find_given(std::span<const Given> all, const std::string& name) {
  for (const Given& one : all) {
    if (name == one.name) return &one;
  }
  return nullptr;
}

}  // namespace brokkr

// Makes draws of a frame use a user's shader. The result has the form of captured draws: programs, varyings, uniforms
// and textures.

namespace brokkr {

class Loading;

// A shader after compilation.
struct CompiledPass {
  const FragmentShader& source;  // the shader of its pass (pass_of)
  std::string text;              // the text as completed_shaders completed it
  shader::Program program;       // Brokkr, its vertex shader or programs of the frame provide everything that it reads.
  // Only in the picture's pass with a vertex shader.
  std::string vertex_text;
  std::optional<shader::Program> vertex;
};

// The output word of the vertex shader that an input of the fragment shader reads, or kNoWord.
uint32_t vertex_output(const CompiledPass& shader, const shader::Input& input, uint32_t word);

// The name of the variable that contains this element or member.
std::string variable_name(const std::string& name);

// Adds draws that run the shader. Uniforms get the values of the shader's text; uniforms that Brokkr provides start at
// 0. If `pass` is kPicturePass, the draws make the picture; otherwise one draw before all others makes that buffer.
// Passes on what `loading` throws.
void add_pass_draws(Frame& frame, const CompiledPass& shader, int pass, Loading& loading);

}  // namespace brokkr
