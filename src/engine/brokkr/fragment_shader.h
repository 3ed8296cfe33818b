// A fragment shader of one's own, in GLSL, in place of a frame's materials. docs/guide/shaders.md lists what it can
// read.
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

#include "brokkr/frame.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

struct FragmentShader {
  std::string text;             // GLSL 1.10 to 4.60, at most 1 MiB; or Shadertoy's: mainImage and no main
  std::string name = "shader";  // said before the line in messages: a file's name
  // Values of uniforms of the shader's own, by name: as many as the uniform has numbers; matrices column by column.
  // Those that are not named have the values of the text, or 0.
  std::map<std::string, std::vector<double>> uniforms;
  std::map<std::string, Image> textures;  // of its sampler2Ds, by name; those without one are white
  double time = 0;                        // seconds: b_time, iTime
};

// A uniform of the shader's own.
struct OwnUniform {
  std::string name;                   // "lights[2].color" of structures
  ShaderType type = ShaderType::f32;  // of one number: f32, i32, u32 (bools too)
  std::vector<double> values;         // those of FragmentShader::uniforms, else of the text, else 0
};

// The shader's own uniforms, in their order, once all that it reads is found to be there for the frame. Throws
// std::runtime_error as set_fragment_shader does.
std::vector<OwnUniform> own_uniforms(const Frame& frame, const FragmentShader& shader);

// All surfaces of the frame are drawn by the shader from now on, where RenderOptions::shading is Shading::program. Of a
// captured frame, surfaces are the draws into its main target that test and write depths, or all draws into that target
// where there are none such; the shader may also read what the draws' own programs do, by its names. A frame takes one
// shader: keep a copy for another one. Throws std::runtime_error with one line: "NAME:12: …" for what is wrong with the
// shader, "NAME: …" for uniforms and textures that it does not have.
void set_fragment_shader(Frame& frame, const FragmentShader& shader, const LoadOptions& load = {});

// Gives a frame that has this shader new values: of time, of the uniforms that are named, and of the views as they are
// now. Textures stay. A PreparedFrame of it takes them over with update_views(). Throws as above.
void update_fragment_shader(Frame& frame, const FragmentShader& shader);

}  // namespace brokkr
#pragma GCC visibility pop
