#include "reference/gl_vertex_count.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "reference/gl_link.h"
#include "reference/gl_object.h"

namespace brokkr {
namespace {

constexpr GLenum kVertexShaderInvocations = 0x82F0;  // constant of the extension; the loader stops at OpenGL 4.5

// Mesa 22 accepts this extension's targets in glBeginQuery but not in glCreateQueries.
struct CountKind {
  static GLuint create() {
    GLuint id = 0;
    glGenQueries(1, &id);
    return id;
  }
  static void destroy(GLuint id) { glDeleteQueries(1, &id); }
};

constexpr const char* kVertexText = R"(#version 450 core
layout(location = 0) in vec3 position;
void main() { gl_Position = vec4(position, 1.0); }
)";
// Without a fragment shader, a driver might skip a draw that has no effect.
constexpr const char* kFragmentText = R"(#version 450 core
layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
)";

bool has_statistics() {
  GLint major = 0, minor = 0, count = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major * 10 + minor >= 46) return true;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const auto* name = reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, GLuint(i)));
    if (name != nullptr && std::string_view(name) == "GL_ARB_pipeline_statistics_query") return true;
  }
  return false;
}

// A buffer of `bytes`, zeroed if there is no `data`.
GlBuffer make_buffer(size_t bytes, const void* data) {
  GlBuffer buffer = GlBuffer::create();
  glNamedBufferStorage(buffer.id(), GLsizeiptr(std::max<size_t>(bytes, 4)), data, 0);
  if (data == nullptr) glClearNamedBufferData(buffer.id(), GL_R32F, GL_RED, GL_FLOAT, nullptr);
  return buffer;
}

}  // namespace

std::vector<uint64_t> count_vertex_runs(EglContext& context, std::span<const uint32_t> indices,
                                        std::span<const GlIndexRange> ranges) {
  for (const GlIndexRange& range : ranges) {
    if (range.count % 3 != 0 || uint64_t(range.first) + range.count > indices.size())
      throw std::out_of_range("a range of indices goes beyond the buffer, or ends within a triangle");
  }
  context.make_current();
  if (!has_statistics())
    throw std::runtime_error(context.renderer() + " has no GL_ARB_pipeline_statistics_query; choose another driver");
  const uint32_t vertices = indices.empty() ? 0 : *std::max_element(indices.begin(), indices.end()) + 1;
  const GlProgram program = link_program({{GL_VERTEX_SHADER, kVertexText}, {GL_FRAGMENT_SHADER, kFragmentText}},
                                         "the program that counts vertex shader runs");
  // Every triangle degenerates to a point in the centre: all vertex work is done, and no pixel is drawn.
  const GlBuffer positions = make_buffer(size_t(vertices) * 12, nullptr);
  const GlBuffer elements = make_buffer(indices.size_bytes(), indices.empty() ? nullptr : indices.data());
  const GlVertexArray array = GlVertexArray::create();
  glVertexArrayVertexBuffer(array.id(), 0, positions.id(), 0, 12);
  glVertexArrayAttribFormat(array.id(), 0, 3, GL_FLOAT, GL_FALSE, 0);
  glVertexArrayAttribBinding(array.id(), 0, 0);
  glEnableVertexArrayAttrib(array.id(), 0);
  glVertexArrayElementBuffer(array.id(), elements.id());
  const GlTexture color = GlTexture::create(GLenum(GL_TEXTURE_2D));
  glTextureStorage2D(color.id(), 1, GL_RGBA8, 16, 16);
  const GlFramebuffer target = GlFramebuffer::create();
  glNamedFramebufferTexture(target.id(), GL_COLOR_ATTACHMENT0, color.id(), 0);

  glBindFramebuffer(GL_FRAMEBUFFER, target.id());
  glViewport(0, 0, 16, 16);
  glBindVertexArray(array.id());
  glUseProgram(program.id());
  const auto query = GlObject<CountKind>::create();
  std::vector<uint64_t> runs;
  for (const GlIndexRange& range : ranges) {
    glBeginQuery(kVertexShaderInvocations, query.id());
    glDrawElements(GL_TRIANGLES, GLsizei(range.count), GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(uintptr_t(range.first) * 4));
    glEndQuery(kVertexShaderInvocations);
    GLuint64 result = 0;
    glGetQueryObjectui64v(query.id(), GL_QUERY_RESULT, &result);
    runs.push_back(result);
  }
  glBindVertexArray(0);
  glUseProgram(0);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  const GLenum error = glGetError();
  if (error != GL_NO_ERROR)
    throw std::runtime_error(context.renderer() + ": counting vertex shader runs failed (OpenGL error " +
                             std::to_string(error) + ")");
  return runs;
}

}  // namespace brokkr
