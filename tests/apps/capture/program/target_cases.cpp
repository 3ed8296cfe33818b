// Targets in unusual ways, in a core context: layers and viewports of one draw, clears of single channels, blits that
// scale, levels that are made one after another, stores to images; and, in the compatibility context, formats of few
// bits and outlines in display lists.
#include <array>
#include <string>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

constexpr GLsizei kPart = kSize / 2;

const char* const kVertexText = R"(#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 shade;
out vec4 color;
void main() { gl_Position = position; color = shade; })";

const char* const kFragmentText = R"(#version 450
in vec4 color;
out vec4 result;
void main() { result = color; })";

const char* const kLayerText = R"(#version 450
layout(triangles, invocations = 4) in;
layout(triangle_strip, max_vertices = 3) out;
in vec4 color[];
out vec4 shade;
void main() {
  for (int i = 0; i < 3; i++) {
    PLACE = gl_InvocationID;
    shade = color[i] * (1.0 - 0.25 * float(gl_InvocationID));
    gl_Position = gl_in[i].gl_Position + vec4(0.125 * float(gl_InvocationID), 0.0, 0.0, 0.0);
    EmitVertex();
  }
  EndPrimitive();
})";

const char* const kShadeText = R"(#version 450
in vec4 shade;
out vec4 result;
void main() { result = shade; })";

const char* const kCullText = R"(#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 shade;
out float gl_CullDistance[2];
out vec4 color;
void main() {
  gl_Position = position;
  color = shade;
  gl_CullDistance[0] = 0.25 - position.y;
  gl_CullDistance[1] = position.x + 0.5;
})";

const char* const kShowText = R"(#version 450
uniform sampler2D map;
uniform float level;
out vec4 result;
void main() { result = textureLod(map, gl_FragCoord.xy / 64.0, level); })";

const char* const kShowLayersText = R"(#version 450
uniform sampler2DArray map;
out vec4 result;
void main() {
  vec2 at = gl_FragCoord.xy / 32.0;
  result = texture(map, vec3(fract(at) + 0.00390625, floor(at.x) + 2.0 * floor(at.y)));
})";

const char* const kComputeText = R"(#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8) uniform image2D map;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(map, at, imageLoad(map, at).gbra + vec4(vec2(at) / 128.0, 0.0, 0.0));
})";

GLuint link_texts(const char* vertex, const char* fragment, const std::string& geometry = "") {
  const GLuint first = compile(GL_VERTEX_SHADER, vertex), last = compile(GL_FRAGMENT_SHADER, fragment);
  if (geometry.empty()) return link({first, last});
  return link({first, compile(GL_GEOMETRY_SHADER, geometry.c_str()), last});
}

std::string layer_text(const std::string& output) {
  std::string text = kLayerText;
  return text.replace(text.find("PLACE"), 5, output);
}

// Draws a triangle with its own buffer; w is 1.
void send_triangle(float x, float y, float size, float z = 0) {
  const std::vector<float> all = {x - 0.75f * size,  y - 0.625f * size, z,         1, 1,      0.125f, 0.25f,  0.875f,
                                  x + 0.875f * size, y - 0.5f * size,   z + 0.25f, 1, 0.125f, 1,      0.375f, 0.5f,
                                  x - 0.125f * size, y + 0.875f * size, z - 0.25f, 1, 0.25f,  0.375f, 1,      0.25f};
  glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(all.size() * sizeof(float)), all.data(), GL_STREAM_DRAW);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

// An array and a buffer for send_triangle, for as long as this lives.
class Triangles {
 public:
  Triangles() {
    glGenVertexArrays(1, &array_);
    glBindVertexArray(array_);
    glGenBuffers(1, &buffer_);
    glBindBuffer(GL_ARRAY_BUFFER, buffer_);
    for (const GLuint i : {0u, 1u}) {
      glEnableVertexAttribArray(i);
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 8 * sizeof(float),
                            reinterpret_cast<const void*>(i * 4 * sizeof(float)));
    }
  }
  ~Triangles() {
    glBindVertexArray(0);
    glDeleteVertexArrays(1, &array_);
    glDeleteBuffers(1, &buffer_);
  }
  Triangles(const Triangles&) = delete;
  Triangles& operator=(const Triangles&) = delete;

 private:
  GLuint array_ = 0, buffer_ = 0;
};

GLuint make_texture(GLenum target, GLenum format, GLsizei levels, GLsizei layers = 0) {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(target, texture);
  if (layers > 0) {
    glTexStorage3D(target, levels, format, kPart, kPart, layers);
  } else {
    glTexStorage2D(target, levels, format, kPart, kPart);
  }
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return texture;
}

GLuint make_framebuffer(GLuint texture) {
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
  glViewport(0, 0, kPart, kPart);
  return framebuffer;
}

void draw_to_window() {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
}

// Draws the texture that is bound to a quarter of the window, with a program that has a uniform `level`.
void show_quarter(GLuint program, int column, int row, float level = 0) {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glEnable(GL_SCISSOR_TEST);
  glScissor(column * kPart, row * kPart, kPart, kPart);
  glUseProgram(program);
  glUniform1f(glGetUniformLocation(program, "level"), level);
  send_triangle(0, 0, 8);
  glDisable(GL_SCISSOR_TEST);
}

// Some channels of a colour, alpha alone, and some bits of a stencil, under a scissor and without.
void clear_parts() {
  glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_FALSE);
  glClearColor(0.875f, 0.75f, 0.5f, 0.25f);
  glEnable(GL_SCISSOR_TEST);
  glScissor(10, 20, 60, 70);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
  glClear(GL_COLOR_BUFFER_BIT);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glClearStencil(0xff);
  glClear(GL_STENCIL_BUFFER_BIT);
  glStencilMask(0x0f);
  glClearStencil(3);
  glClear(GL_STENCIL_BUFFER_BIT);
  glStencilMask(0xff);
  glClearStencil(0);
  glEnable(GL_STENCIL_TEST);
  glStencilFunc(GL_EQUAL, 0xf3, 0xff);
  glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
}

}  // namespace

void draw_layers() {
  const Triangles triangles;
  const GLuint texture = make_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 1, 4);
  const GLuint framebuffer = make_framebuffer(texture);
  glDisable(GL_DEPTH_TEST);
  glClearColor(0.125f, 0.25f, 0.5f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const GLuint layers = link_texts(kVertexText, kShadeText, layer_text("gl_Layer"));
  const GLuint show = link_texts(kVertexText, kShowLayersText);
  glUseProgram(layers);
  send_triangle(0, 0, 1);
  send_triangle(-0.25f, 0, 0.5f);
  draw_to_window();
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, kPart, kPart);
  glUseProgram(show);
  send_triangle(0, 0, 8);
  glDisable(GL_SCISSOR_TEST);
  // Four viewports, of which the last two have scissors.
  for (GLuint i = 0; i < 4; i++) {
    glViewportIndexedf(i, float(kPart) + 32 * float(i % 2), 32 * float(i / 2) + 0.25f, 30, 31);
    glScissorIndexed(i, kPart + 32 * GLint(i % 2), 32 * GLint(i / 2), 20, 20);
    if (i > 1) glEnablei(GL_SCISSOR_TEST, i);
  }
  const GLuint viewports = link_texts(kVertexText, kShadeText, layer_text("gl_ViewportIndex"));
  glUseProgram(viewports);
  send_triangle(0, 0, 1);
  send_triangle(0.25f, 0.125f, 0.5f);
  for (GLuint i = 0; i < 4; i++) {
    glDisablei(GL_SCISSOR_TEST, i);
    glViewportIndexedf(i, 0, 0, kSize, kSize);
    glScissorIndexed(i, 0, 0, kSize, kSize);
  }
  // Only the second one is culled, by its first distance.
  const GLuint culls = link_texts(kCullText, kFragmentText);
  glViewport(0, kPart, kSize, kPart);
  glUseProgram(culls);
  send_triangle(-0.25f, 0, 0.5f);
  send_triangle(0.5f, 0.75f, 0.375f);
  send_triangle(0.5f, -0.25f, 0.5f);
  glViewport(0, 0, kSize, kSize);
  for (const GLuint program : {layers, show, viewports, culls}) {
    glDeleteProgram(program);
    forget_program(program);
  }
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  glClearColor(0, 0, 0, 0);
}

void draw_stores() {
  const Triangles triangles;
  glDisable(GL_DEPTH_TEST);
  const GLuint shading = link_texts(kVertexText, kFragmentText), show = link_texts(kVertexText, kShowText);
  const GLuint computing = link({compile(GL_COMPUTE_SHADER, kComputeText)});
  const GLuint texture = make_texture(GL_TEXTURE_2D, GL_RGBA8, 3), framebuffer = make_framebuffer(texture);
  glClearColor(0.25f, 0.125f, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glUseProgram(shading);
  send_triangle(0, 0, 1);
  // Each level from the one before.
  for (GLint level = 1; level < 3; level++) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, level - 1);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, level - 1);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, level);
    glViewport(0, 0, kPart >> level, kPart >> level);
    glUseProgram(show);
    glUniform1f(glGetUniformLocation(show, "level"), 0);
    send_triangle(0, 0, 8);
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 2);
  show_quarter(show, 0, 0, 2);
  // A compute shader stores to what the frame has drawn.
  glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_READ_WRITE, GL_RGBA8);
  glUseProgram(computing);
  glDispatchCompute(4, 8, 1);
  glMemoryBarrier(GL_ALL_BARRIER_BITS);
  glBindImageTexture(0, 0, 0, GL_FALSE, 0, GL_READ_ONLY, GL_RGBA8);
  show_quarter(show, 1, 0);
  // Blits that scale: with a linear filter, mirrored, and under a scissor.
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  glBlitFramebuffer(0, 0, kPart, kPart, 0, kPart, 50, kPart + 40, GL_COLOR_BUFFER_BIT, GL_LINEAR);
  glEnable(GL_SCISSOR_TEST);
  glScissor(56, kPart, 20, 30);
  // All of it lies within the window, because apitrace makes its window as large as what is written to it.
  glBlitFramebuffer(kPart / 2, 0, 0, kPart / 2, 50, kPart - 3, 50 + kPart, 2 * kPart - 3, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
  glDisable(GL_SCISSOR_TEST);
  draw_to_window();
  for (const GLuint program : {shading, show, computing}) {
    glDeleteProgram(program);
    forget_program(program);
  }
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
  glClearColor(0, 0, 0, 0);
}

void draw_parts() {
  const Triangles triangles;
  glDisable(GL_DEPTH_TEST);
  const GLuint shading = link_texts(kVertexText, kFragmentText);
  glUseProgram(shading);
  send_triangle(0, 0, 1);
  clear_parts();
  send_triangle(0.25f, 0.25f, 0.5f);
  glDisable(GL_STENCIL_TEST);
  glClearColor(0, 0, 0, 0);
  // The query is over, so that drivers decide in the same way whether they wait or not.
  GLuint query = 0, passed = 0;
  glGenQueries(1, &query);
  glBeginQuery(GL_SAMPLES_PASSED, query);
  send_triangle(-8, 0, 0.5f);
  glEndQuery(GL_SAMPLES_PASSED);
  glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
  glBeginConditionalRender(query, GL_QUERY_NO_WAIT);
  send_triangle(0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glEndConditionalRender();
  glDeleteQueries(1, &query);
  glDeleteProgram(shading);
  forget_program(shading);
}

void clear_parts_es() { clear_parts(); }

// The logical operations with single colours, because a colour that differs by one code gives quite another result.
void draw_narrow() {
  constexpr std::array<GLenum, 3> kFormats = {GL_RGB565, GL_RGBA4, GL_RGB5_A1};
  glDisable(GL_DEPTH_TEST);
  for (size_t i = 0; i < kFormats.size(); i++) {
    const GLuint texture = make_texture(GL_TEXTURE_2D, kFormats[i], 1), framebuffer = make_framebuffer(texture);
    glClearColor(0.33f, 0.77f, 0.61f, 0.55f);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int row = 0; row < 8; row++) {
      glColor4ub(GLubyte(37 * row), GLubyte(255 - 29 * row), GLubyte(91 * row & 255), GLubyte(200 - 20 * row));
      glRectf(-1, -1 + 0.25f * float(row), 0.75f, -0.875f + 0.25f * float(row));
    }
    glEnable(GL_COLOR_LOGIC_OP);
    for (GLenum op = 0; op < 16; op++) {
      glLogicOp(GL_CLEAR + op);
      glColor4ub(0x5a, 0xc3, 0x0f, 0x90);
      const float left = -1 + 0.125f * float(op);
      glRectf(left, -0.875f, left + 0.0625f, 1);
    }
    glLogicOp(GL_COPY);
    glDisable(GL_COLOR_LOGIC_OP);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    const GLint left = GLint(i % 2) * kPart, bottom = GLint(i / 2) * kPart;
    glBlitFramebuffer(0, 0, kPart, kPart, left, bottom, left + kPart, bottom + kPart, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
  }
  glClearColor(0, 0, 0, 0);
  draw_to_window();
}

// Outlines of quads, strips, polygons and triangles in one list, also of faces that are culled; and a rectangle.
void draw_list_outlines() {
  glDisable(GL_DEPTH_TEST);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  const auto ring = [](GLenum mode, float x, float y, int corners) {
    constexpr std::array<std::array<float, 2>, 6> kCorners = {
        {{-0.25f, -0.125f}, {0.0625f, -0.25f}, {0.25f, 0}, {0.125f, 0.1875f}, {-0.0625f, 0.25f}, {-0.25f, 0.125f}}};
    glBegin(mode);
    for (size_t i = 0; i < size_t(corners); i++) glVertex2f(x + kCorners[i][0], y + kCorners[i][1]);
    glEnd();
  };
  const GLuint list = glGenLists(1);
  glNewList(list, GL_COMPILE);
  glColor3f(1, 0.5f, 0);
  ring(GL_QUADS, -0.6875f, -0.625f, 4);
  ring(GL_QUADS, 0, -0.625f, 4);
  glBegin(GL_QUAD_STRIP);
  for (int i = 0; i < 3; i++) {
    const float x = 0.5f + 0.125f * float(i);
    glVertex2f(x, -0.5f + 0.0625f * float(i));
    glVertex2f(x, -0.75f);
  }
  glEnd();
  ring(GL_POLYGON, -0.6875f, 0, 6);
  ring(GL_POLYGON, 0, 0, 5);
  ring(GL_TRIANGLES, 0.6875f, 0, 3);
  glRectf(-0.875f, 0.5f, -0.5f, 0.75f);
  glEndList();
  glCallList(list);
  glColor3f(0, 1, 1);
  glRectf(-0.25f, 0.5f, 0.25f, 0.75f);
  glEnable(GL_CULL_FACE);
  glCullFace(GL_FRONT);
  glTranslatef(0.0625f, 0.0625f, 0);
  glCallList(list);
  glLoadIdentity();
  glCullFace(GL_BACK);
  glDisable(GL_CULL_FACE);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glDeleteLists(list, 1);
}

}  // namespace scene
