// Draws a frame with the caller's GLSL fragment shader instead of its materials. docs/reference/shaders.md lists the
// data that the shader can read.
//
//   Frame frame = load_frame("courtyard.obj", {});
//   set_fragment_shader(frame, {.text = "in vec3 b_normal; out vec4 color;"
//                                       "void main() { color = vec4(normalize(b_normal) * 0.5 + 0.5, 1.0); }"});
//   RenderResult result = Renderer().render(frame, {});
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brokkr/errors.h"
#include "brokkr/frame.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// The sources, other than pictures, that a sampler of a Shadertoy text can read.
struct ShaderChannel {
  enum class Source : uint8_t {
    noise,
    buffer,
    // 256 x 3 texels, one column per key of FragmentShader. The rows are keys, pressed and toggled; red is 1 if the key
    // is in the set
    keyboard,
    silence,  // 512 x 2 texels of a silent sound: no frequencies, and a wave that stays at 128
  };
  Source source = Source::noise;
  int buffer = 0;  // 0: A .. 3: D
  bool linear = true;
  Wrap wrap = Wrap::clamp_to_edge;
  bool operator==(const ShaderChannel&) const = default;
};

// A Shadertoy buffer: a text with mainImage that draws into a texture of 32-bit floats with the picture's size.
struct ShaderBuffer {
  std::string text;  // empty: the buffer does not exist
  std::string name;  // prefix of messages
  std::map<std::string, Image> textures;
  std::map<std::string, ShaderChannel> channels;
};

// A vertex shader for scenes; docs/guide/vertex-shaders.md lists the data that it can read. It writes gl_Position, and
// inputs of the fragment shader by their names. It has the uniforms, textures and time of the fragment shader.
struct VertexShader {
  // GLSL 1.10 to 4.60, at most 1 MiB; empty: vertices keep the positions of the scene
  std::string text;
  std::string name = "vertex shader";  // prefix of messages, such as a file's name
  uint32_t instances = 1;              // each surface is drawn this many times; gl_InstanceID counts them
};

struct FragmentShader {
  std::string text;             // GLSL 1.10 to 4.60, at most 1 MiB; or a Shadertoy shader with mainImage and no main
  std::string name = "shader";  // prefix of messages, such as a file's name
  // Values of the shader's uniforms by name. Each has as many numbers as the uniform, with matrices column by column.
  // Other uniforms keep the value in the text, or 0.
  std::map<std::string, std::vector<double>> uniforms;
  std::map<std::string, Image> textures;  // pictures of its sampler2Ds, by name; a sampler2D without a picture is white
  double time = 0;                        // seconds: b_time, iTime
  // Shadertoy's buffers A to D, drawn in this order before the picture. A text sees this picture's content of a buffer
  // that is drawn before it. It sees the content from the previous picture (`keep_buffers`) in other buffers; at first
  // it is 0.
  std::array<ShaderBuffer, 4> buffers;
  // Channels by sampler, such as "iChannel0". If a channel is named neither here nor in `textures`, iChannel0 ..
  // iChannel3 are the buffers A .. D if these exist, otherwise noise.
  std::map<std::string, ShaderChannel> channels;
  std::string common;             // a text that precedes the text of each pass
  std::array<double, 4> mouse{};  // iMouse, in pixels
  VertexShader vertex;
  // Keys by JavaScript's key codes: keys that are held, keys that went down since the previous picture, and keys that
  // went down an odd number of times.
  std::set<uint8_t> keys, pressed, toggled;

  bool has_buffers() const {
    return std::ranges::any_of(buffers, [](const ShaderBuffer& one) { return !one.text.empty(); });
  }
};

// A uniform that the shader itself declares.
struct ShaderUniform {
  std::string name;                   // such as "lights[2].color" for structures
  ShaderType type = ShaderType::f32;  // kind of one component: f32, i32, u32 (also bools)
  std::vector<double> values;         // from FragmentShader::uniforms, otherwise from the text, otherwise 0
};

// Checks that the frame provides everything that the shader reads. Returns the shader's own uniforms in their order.
// Throws ShaderError like set_fragment_shader.
std::vector<ShaderUniform> shader_uniforms(const Frame& frame, const FragmentShader& shader);

// Makes the frame draw all its surfaces with the shader if RenderOptions::shading is Shading::program. In a captured
// frame, the surfaces are the draws into its main target that test and write depth, or all draws into that target if
// there are none; the shader may also read the inputs of the draws' own programs by their names. A frame accepts one
// shader: keep a copy of the frame for another one. Throws ShaderError with one line: "NAME:12: …" for an error in the
// shader, "NAME: …" for uniforms and textures that it does not have.
void set_fragment_shader(Frame& frame, const FragmentShader& shader, const LoadOptions& load = {});

// Calls set_fragment_shader with `vertex` and a plain fragment shader, which lights materials with one light.
void set_vertex_shader(Frame& frame, const VertexShader& vertex, const LoadOptions& load = {});
// The text of that plain fragment shader.
std::string plain_fragment_text();

// Gives new values to a frame that has this shader: the time, the named uniforms, the mouse, and the current views.
// Shades vertices again. Textures do not change, except the keyboard's. PreparedFrame::update_views() takes over the
// values for a prepared frame; if keys have changed, the frame must be prepared again. Throws like set_fragment_shader.
void update_fragment_shader(Frame& frame, const FragmentShader& shader);

// Returns true if a pass reads the previous picture's content of a buffer. Pictures then depend on all earlier ones.
bool reads_earlier_buffers(const FragmentShader& shader);

// After a frame was rendered, copies the content of its buffers into the frame for its next picture. The frame must
// then be prepared again. Does nothing if the shader has no buffers.
struct RenderResult;
void keep_buffers(Frame& frame, const FragmentShader& shader, const RenderResult& result);

}  // namespace brokkr
#pragma GCC visibility pop
