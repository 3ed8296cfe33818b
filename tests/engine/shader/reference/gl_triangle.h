// A fragment shader of any GLSL version over one triangle in Mesa's llvmpipe, in a compatibility context.
#pragma once

#include <glad/egl.h>
#include <glad/gl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/gl_captured_texture.h"
#include "reference/gl_object.h"
#include "reference/gl_planes.h"
#include "shader/bound_textures.h"
#include "shader/program.h"

namespace brokkr::shader::test {

// Current on the thread that created it, until the process ends.
class CompatibilityContext {
 public:
  // Creates the context of all tests; throws like the constructor.
  static void begin() {
    static const CompatibilityContext context;
    has_begun = true;
  }
  // True if this process has a context. Its child processes cannot draw: they lack the driver's threads.
  inline static bool has_begun = false;

  // Throws std::runtime_error if there is no such context.
  CompatibilityContext() {
    // Turns off llvmpipe's approximations of texture filters.
    setenv("GALLIVM_PERF", "no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling", 1);
    // One quad per vector. If two quads in a vector read different levels of a texture anisotropically, the second uses
    // the texel size of the first one's level. Cached code does not record the width of its vectors.
    setenv("LP_NATIVE_VECTOR_WIDTH", "128", 1);
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    if (gladLoaderLoadEGL(EGL_NO_DISPLAY) == 0) throw std::runtime_error("libEGL.so.1 cannot be loaded");
    if (eglGetPlatformDisplayEXT == nullptr) throw std::runtime_error("no platform displays");
    display_ = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
    if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr))
      throw std::runtime_error("no display");
    gladLoaderLoadEGL(display_);
    eglBindAPI(EGL_OPENGL_API);
    const EGLint config_words[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(display_, config_words, &config, 1, &count) || count == 0)
      throw std::runtime_error("no configuration");
    const EGLint words[] = {EGL_CONTEXT_MAJOR_VERSION,
                            4,
                            EGL_CONTEXT_MINOR_VERSION,
                            5,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                            EGL_NONE};
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, words);
    if (context_ == EGL_NO_CONTEXT || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) ||
        gladLoadGL(eglGetProcAddress) == 0)
      throw std::runtime_error("no OpenGL 4.5 compatibility context");
  }

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// The inputs of both renderers.
struct TriangleScene {
  int width = 0, height = 0;
  std::array<std::vector<uint32_t>, 3> corners;  // input words
  std::vector<uint32_t> uniforms;                // words
  BoundTextures textures;                        // of each sampler
};

class GlTriangle {
 public:
  GlTriangle(const Program& program, const std::string& text, const TriangleScene& scene)
      : program_(program), text_(text), scene_(scene) {}

  // RGBA of colour output `location`, rows bottom to top; {-7, -7, -7, -7} where the shader discards.
  std::vector<float> draw(int location) {
    link();
    glUseProgram(gl_.id());
    bind_textures();
    bind_uniforms();
    const GlTexture target = GlTexture::create(GLenum(GL_TEXTURE_2D_ARRAY));
    glTextureStorage3D(target.id(), 1, GL_RGBA32F, scene_.width, scene_.height, 2);
    const GlFramebuffer framebuffer = GlFramebuffer::create();
    const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    for (int i = 0; i < 2; ++i) glNamedFramebufferTextureLayer(framebuffer.id(), attachments[i], target.id(), 0, i);
    glNamedFramebufferDrawBuffers(framebuffer.id(), 2, attachments);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    glViewport(0, 0, scene_.width, scene_.height);
    const GLfloat nothing[] = {-7, -7, -7, -7};
    for (int i = 0; i < 2; ++i) glClearBufferfv(GL_COLOR, i, nothing);
    draw_triangle();
    std::vector<float> pixels(size_t(scene_.width) * size_t(scene_.height) * 4);
    glReadBuffer(attachments[location]);
    glReadPixels(0, 0, scene_.width, scene_.height, GL_RGBA, GL_FLOAT, pixels.data());
    const GLenum error = glGetError();
    if (error != GL_NO_ERROR) throw std::runtime_error("OpenGL error " + std::to_string(error));
    return pixels;
  }

 private:
  static void check(GLuint object, GLenum what, PFNGLGETSHADERIVPROC query, PFNGLGETSHADERINFOLOGPROC read_log) {
    GLint good = 0;
    query(object, what, &good);
    char log[2048] = "";
    read_log(object, sizeof log, nullptr, log);
    if (!good) throw std::runtime_error(log);
  }

  // A vertex shader of the same version that passes on the fragment shader's inputs.
  std::string vertex_text() const {
    const size_t at = text_.find("#version");
    const std::string version = at == std::string::npos ? "#version 110" : text_.substr(at, text_.find('\n', at) - at);
    const bool is_old = version.find("110") != std::string::npos || version.find("120") != std::string::npos;
    const std::string in = is_old ? "attribute " : "in ", out = is_old ? "varying " : "out ";
    std::string head = version + "\n" + in + "vec2 triangle_corner;\n",
                body = "gl_Position = vec4(triangle_corner, 0.0, 1.0);\n";
    for (const Input& input : program_.inputs) {
      if (input.kind != InputKind::varying) continue;
      const std::string type = input.words == 1 ? "float " : "vec" + std::to_string(input.words) + " ";
      head += in + type + "in_" + input.name + ";\n" + out + type + input.name + ";\n";
      body += input.name + " = in_" + input.name + ";\n";
    }
    // Linkers require that every declared input is written, even one that the program does not read.
    const std::regex declaration("(^|\n)((?:flat |noperspective )?)in (\\w+) (\\w+);");
    for (std::sregex_iterator found(text_.begin(), text_.end(), declaration), end; found != end; ++found) {
      const std::string qualifier = (*found)[2], type = (*found)[3], name = (*found)[4];
      if (std::any_of(program_.inputs.begin(), program_.inputs.end(),
                      [&](const Input& input) { return input.name == name; }))
        continue;
      head += qualifier + "out " + type + " " + name + ";\n";
      body += name + " = " + type + "(0);\n";
    }
    return head + "void main() {\n" + body + "}\n";
  }

  void link() {
    gl_ = GlProgram::create();
    const std::string vertex = vertex_text();
    for (const auto& [stage, text] :
         {std::pair<GLenum, const std::string*>{GL_VERTEX_SHADER, &vertex}, {GL_FRAGMENT_SHADER, &text_}}) {
      const GLuint shader = glCreateShader(stage);
      glAttachShader(gl_.id(), shader);
      glDeleteShader(shader);  // deleted with the program
      const char* const words = text->c_str();
      glShaderSource(shader, 1, &words, nullptr);
      glCompileShader(shader);
      check(shader, GL_COMPILE_STATUS, glGetShaderiv, glGetShaderInfoLog);
    }
    glLinkProgram(gl_.id());
    check(gl_.id(), GL_LINK_STATUS, glGetProgramiv, glGetProgramInfoLog);
  }

  void bind_textures() {
    const Frame& frame = scene_.textures.frame;
    planes_ = std::make_unique<GlPlanes>(frame);
    textures_ = std::make_unique<GlCapturedTextures>(frame, *planes_);
    glDisable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
    // A sampler that our program no longer reads has its own unit, since two of different types must not share one.
    const std::regex declaration("uniform [iu]?sampler\\w+ (\\w+);");
    GLint unit = GLint(program_.samplers.size());
    for (std::sregex_iterator found(text_.begin(), text_.end(), declaration), end; found != end; ++found)
      glUniform1i(glGetUniformLocation(gl_.id(), (*found)[1].str().c_str()), unit++);
    for (size_t i = 0; i < program_.samplers.size(); ++i) {
      const BoundTexture bound = frame.inputs[0].textures[i];
      textures_->bind(GLuint(i), bound);
      const bool is_there = bound.sampler >= 0;
      if (is_there && frame.captured_samplers[size_t(bound.sampler)].seamless) glEnable(GL_TEXTURE_CUBE_MAP_SEAMLESS);
      glUniform1i(glGetUniformLocation(gl_.id(), program_.samplers[i].name.c_str()), GLint(i));
    }
  }

  void bind_uniforms() {
    if (glGetUniformBlockIndex(gl_.id(), "Scene") != GL_INVALID_INDEX) {
      block_ = GlBuffer::create();
      glNamedBufferStorage(block_.id(), GLsizeiptr((scene_.uniforms.size() + 4) * sizeof(uint32_t)), nullptr,
                           GL_DYNAMIC_STORAGE_BIT);
      glNamedBufferSubData(block_.id(), 0, GLsizeiptr(scene_.uniforms.size() * sizeof(uint32_t)),
                           scene_.uniforms.data());
      glBindBufferBase(GL_UNIFORM_BUFFER, 0, block_.id());
      return;
    }
    GLint count = 0;
    glGetProgramiv(gl_.id(), GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; ++i) {
      char letters[256] = "";
      GLint size = 0;
      GLenum type = 0;
      glGetActiveUniform(gl_.id(), GLuint(i), sizeof letters, nullptr, &size, &type, letters);
      std::string name = letters;
      if (name.ends_with("[0]")) name.resize(name.size() - 3);
      for (const Uniform& uniform : program_.uniforms) {
        if (uniform.name == name) set_uniform(glGetUniformLocation(gl_.id(), letters), type, size, uniform);
      }
    }
  }

  void set_uniform(GLint place, GLenum type, GLint size, const Uniform& uniform) const {
    const uint32_t* const words = scene_.uniforms.data() + uniform.first;
    const auto* const numbers = reinterpret_cast<const GLfloat*>(words);
    switch (type) {
      case GL_FLOAT: glUniform1fv(place, size, numbers); break;
      case GL_FLOAT_VEC2: glUniform2fv(place, size, numbers); break;
      case GL_FLOAT_VEC3: glUniform3fv(place, size, numbers); break;
      case GL_FLOAT_VEC4: glUniform4fv(place, size, numbers); break;
      case GL_FLOAT_MAT4: glUniformMatrix4fv(place, size, GL_FALSE, numbers); break;
      case GL_INT:
      case GL_BOOL: glUniform1iv(place, size, reinterpret_cast<const GLint*>(words)); break;
      default: throw std::runtime_error("a uniform of a type that this test does not set: " + uniform.name);
    }
  }

  void draw_triangle() {
    const GlVertexArray vertices = GlVertexArray::create();
    glBindVertexArray(vertices.id());
    std::vector<GlBuffer> buffers;
    const auto attribute = [&](const std::string& name, int count, const std::vector<float>& values) {
      const GLint place = glGetAttribLocation(gl_.id(), name.c_str());
      if (place < 0) return;
      const GlBuffer& buffer = buffers.emplace_back(GlBuffer::create());
      glNamedBufferStorage(buffer.id(), GLsizeiptr(values.size() * sizeof(float)), values.data(), 0);
      glBindBuffer(GL_ARRAY_BUFFER, buffer.id());
      glVertexAttribPointer(GLuint(place), count, GL_FLOAT, GL_FALSE, 0, nullptr);
      glEnableVertexAttribArray(GLuint(place));
    };
    attribute("triangle_corner", 2, {-1, -1, 3, -1, -1, 3});
    for (const Input& input : program_.inputs) {
      std::vector<float> values;
      for (const std::vector<uint32_t>& corner : scene_.corners)
        for (uint32_t i = 0; i < input.words; ++i) values.push_back(std::bit_cast<float>(corner[input.first + i]));
      attribute("in_" + input.name, int(input.words), values);
    }
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }

  const Program& program_;
  const std::string& text_;
  const TriangleScene& scene_;
  GlProgram gl_;
  GlBuffer block_;
  std::unique_ptr<GlPlanes> planes_;
  std::unique_ptr<GlCapturedTextures> textures_;
};

}  // namespace brokkr::shader::test
