// Draws a frame with a GLSL fragment shader of your own instead of its materials. docs/guide/shaders.md lists what the
// shader can read.
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

// What a sampler of a Shadertoy text reads beside pictures.
struct ShaderChannel {
  enum class Source : uint8_t {
    noise,
    buffer,
    keyboard,  // 256 x 3, a column for each key of FragmentShader: red where it is in keys, pressed or toggled, by row
    silence,   // 512 x 2, as of a sound without any: no frequencies, and a wave that stands at 128
  };
  Source source = Source::noise;
  int buffer = 0;  // 0: A .. 3: D
  bool linear = true;
  Wrap wrap = Wrap::clamp_to_edge;
  bool operator==(const ShaderChannel&) const = default;
};

// A buffer of Shadertoy's: a text with mainImage that draws into a texture of the picture's size, of 32-bit floats.
struct ShaderBuffer {
  std::string text;  // empty: there is no such buffer
  std::string name;  // prefix of messages
  std::map<std::string, Image> textures;
  std::map<std::string, ShaderChannel> channels;
};

// A vertex shader for scenes; docs/guide/vertex-shaders.md lists what it reads. It writes gl_Position, and inputs of
// the fragment shader by their names. It has the uniforms, textures and time of the fragment shader.
struct VertexShader {
  std::string text;                    // GLSL 1.10 to 4.60, at most 1 MiB; empty: vertices are where the scene has them
  std::string name = "vertex shader";  // prefix of messages: a file's name
  uint32_t instances = 1;              // each surface is drawn so many times; gl_InstanceID counts them
};

struct FragmentShader {
  std::string text;             // GLSL 1.10 to 4.60, at most 1 MiB; or a Shadertoy shader: mainImage and no main
  std::string name = "shader";  // prefix of messages: a file's name
  // Values of the shader's uniforms by name, as many numbers as the uniform has; matrices column by column. Uniforms
  // that are not named keep the value of the text, or 0.
  std::map<std::string, std::vector<double>> uniforms;
  std::map<std::string, Image> textures;  // pictures of its sampler2Ds, by name; those without one are white
  double time = 0;                        // seconds: b_time, iTime
  // Shadertoy's buffers A to D, drawn in this order before the picture. A text that reads a buffer drawn before it sees
  // this picture's content, others that of the picture before (`keep_buffers`), which is 0 at first.
  std::array<ShaderBuffer, 4> buffers;
  // By sampler: "iChannel0". A channel that is named neither here nor in `textures` is buffer A for iChannel0 .. D for
  // iChannel3 if there is one, otherwise noise.
  std::map<std::string, ShaderChannel> channels;
  std::string common;             // a text before that of each pass
  std::array<double, 4> mouse{};  // iMouse, in pixels
  VertexShader vertex;
  // By JavaScript's key codes: keys that are held, went down since the picture before, and did so an odd number of
  // times.
  std::set<uint8_t> keys, pressed, toggled;

  bool has_buffers() const {
    return std::ranges::any_of(buffers, [](const ShaderBuffer& one) { return !one.text.empty(); });
  }
};

// A uniform that the shader itself declares.
struct ShaderUniform {
  std::string name;                   // "lights[2].color" of structures
  ShaderType type = ShaderType::f32;  // kind of one component: f32, i32, u32 (also bools)
  std::vector<double> values;         // from FragmentShader::uniforms, otherwise from the text, otherwise 0
};

// Checks that the frame provides everything the shader reads, and returns the shader's own uniforms in their order.
// Throws ShaderError as set_fragment_shader does.
std::vector<ShaderUniform> shader_uniforms(const Frame& frame, const FragmentShader& shader);

// From now on, draws all surfaces of the frame with the shader if RenderOptions::shading is Shading::program. In a
// captured frame, the surfaces are the draws into its main target that test and write depth, or all draws into that
// target if there are none; the shader may also read the inputs of the draws' own programs by their names. A frame
// accepts one shader: keep a copy of the frame for another one. Throws ShaderError with one line: "NAME:12: …" for an
// error in the shader, "NAME: …" for uniforms and textures that it does not have.
void set_fragment_shader(Frame& frame, const FragmentShader& shader, const LoadOptions& load = {});

// set_fragment_shader with `vertex`, and a plain fragment shader that lights materials by one light.
void set_vertex_shader(Frame& frame, const VertexShader& vertex, const LoadOptions& load = {});
// The text of that shader.
std::string plain_fragment_text();

// Gives new values to a frame that has this shader: the time, the named uniforms, the mouse, and the current views.
// Vertices are shaded again.
// Textures stay, but for the keyboard's. A PreparedFrame of it takes the values over with update_views(); where keys
// have changed, the frame is to be prepared anew. Throws as set_fragment_shader does.
void update_fragment_shader(Frame& frame, const FragmentShader& shader);

// Whether a pass reads what a buffer held in the picture before: pictures then depend on all that came before them.
bool reads_earlier_buffers(const FragmentShader& shader);

// Takes the content of the buffers of a frame that was rendered over into the frame, for its next picture, which is to
// be prepared anew. Does nothing where the shader has no buffers.
struct RenderResult;
void keep_buffers(Frame& frame, const FragmentShader& shader, const RenderResult& result);

}  // namespace brokkr
#pragma GCC visibility pop
