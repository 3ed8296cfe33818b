// Draws a frame with a GLSL fragment shader of your own instead of its materials. docs/guide/shaders.md lists what the
// shader can read.
//
//   Frame frame = load_frame("courtyard.obj", {});
//   set_fragment_shader(frame, {.text = "in vec3 b_normal; out vec4 color;"
//                                       "void main() { color = vec4(normalize(b_normal) * 0.5 + 0.5, 1.0); }"});
//   RenderResult result = Renderer().render(frame, {});
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "brokkr/errors.h"
#include "brokkr/frame.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

struct FragmentShader {
  std::string text;             // GLSL 1.10 to 4.60, at most 1 MiB; or a Shadertoy shader: mainImage and no main
  std::string name = "shader";  // prefix of messages: a file's name
  // Values of the shader's uniforms by name, as many numbers as the uniform has; matrices column by column. Uniforms
  // that are not named keep the value of the text, or 0.
  std::map<std::string, std::vector<double>> uniforms;
  std::map<std::string, Image> textures;  // pictures of its sampler2Ds, by name; those without one are white
  double time = 0;                        // seconds: b_time, iTime
};

// A uniform that the shader itself declares.
struct OwnUniform {
  std::string name;                   // "lights[2].color" of structures
  ShaderType type = ShaderType::f32;  // kind of one component: f32, i32, u32 (also bools)
  std::vector<double> values;         // from FragmentShader::uniforms, otherwise from the text, otherwise 0
};

// Checks that the frame provides everything the shader reads, and returns the shader's own uniforms in their order.
// Throws ShaderError as set_fragment_shader does.
std::vector<OwnUniform> own_uniforms(const Frame& frame, const FragmentShader& shader);

// From now on, draws all surfaces of the frame with the shader if RenderOptions::shading is Shading::program. In a
// captured frame, the surfaces are the draws into its main target that test and write depth, or all draws into that
// target if there are none; the shader may also read the inputs of the draws' own programs by their names. A frame
// accepts one shader: keep a copy of the frame for another one. Throws ShaderError with one line: "NAME:12: …"
// for an error in the shader, "NAME: …" for uniforms and textures that it does not have.
void set_fragment_shader(Frame& frame, const FragmentShader& shader, const LoadOptions& load = {});

// Gives new values to a frame that has this shader: the time, the named uniforms, and the current views. Textures stay.
// A PreparedFrame of it takes the values over with update_views(). Throws as set_fragment_shader does.
void update_fragment_shader(Frame& frame, const FragmentShader& shader);

}  // namespace brokkr
#pragma GCC visibility pop
