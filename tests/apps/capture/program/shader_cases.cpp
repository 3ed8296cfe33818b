// Cases of the core profile for programs, state, targets, and everything around a draw.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

const char* const kVertexShader = R"(#version 450 core
layout(location = 0) in vec4 position;
out vec4 copy;
void main() { copy = position; gl_Position = position; })";

// Declares a point size, but does not write it.
const char* const kSeparateVertexShader = R"(#version 450 core
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };
layout(location = 0) in vec4 position;
uniform float shift;
void main() { gl_Position = position + vec4(shift, 0.0, 0.0, 0.0); })";

const char* const kFragmentShader = R"(#version 450 core
out vec4 color;
void main() { color = vec4(gl_FragCoord.z, 0.5, 0.25, 0.5); })";

// One triangle becomes two: itself and a moved copy.
const char* const kGeometryShader = R"(#version 450 core
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
void main() {
  for (int copy = 0; copy < 2; copy++) {
    for (int i = 0; i < 3; i++) {
      gl_Position = gl_in[i].gl_Position + vec4(0.25 * float(copy), 0.0, 0.0, 0.0);
      EmitVertex();
    }
    EndPrimitive();
  }
})";

const char* const kSeparateGeometryShader = R"(#version 450 core
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; } gl_in[];
out gl_PerVertex { vec4 gl_Position; };
void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[i].gl_Position + vec4(0.0, 0.25, 0.0, 0.0);
    EmitVertex();
  }
})";

// Counts its runs.
const char* const kStoringVertexShader = R"(#version 450 core
layout(location = 0) in vec4 position;
layout(std430, binding = 0) buffer Runs { uint runs; };
void main() { atomicAdd(runs, 1u); gl_Position = position; })";

const char* const kPointGeometryShader = R"(#version 450 core
layout(points) in;
layout(line_strip, max_vertices = 3) out;
void main() {
  for (int i = 0; i < 3; i++) {
    gl_Position = gl_in[0].gl_Position + vec4(0.125 * float(i), 0.125 * float(i & 1), 0.0, 0.0);
    EmitVertex();
  }
})";

const char* const kControlShader = R"(#version 450 core
layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  for (int i = 0; i < 3; i++) gl_TessLevelOuter[i] = 2.0;
  gl_TessLevelInner[0] = 2.0;
})";

const char* const kEvaluationShader = R"(#version 450 core
layout(triangles, equal_spacing, ccw) in;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
})";

GLuint vertex_shader() { return compile(GL_VERTEX_SHADER, kVertexShader); }
GLuint fragment_shader() { return compile(GL_FRAGMENT_SHADER, kFragmentShader); }

void draw_geometry() {
  glUseProgram(link({vertex_shader(), compile(GL_GEOMETRY_SHADER, kGeometryShader), fragment_shader()}));
  glDrawArrays(GL_TRIANGLES, 0, 6);
  glUseProgram(link({vertex_shader(), compile(GL_GEOMETRY_SHADER, kPointGeometryShader), fragment_shader()}));
  glDrawArrays(GL_POINTS, 8, 3);
}

void draw_tessellation() {
  glUseProgram(link({vertex_shader(), compile(GL_TESS_CONTROL_SHADER, kControlShader),
                     compile(GL_TESS_EVALUATION_SHADER, kEvaluationShader), fragment_shader()}));
  glPatchParameteri(GL_PATCH_VERTICES, 3);
  glDrawArrays(GL_PATCHES, 0, 3);
}

// One draw per state; the state is reset to its initial value afterwards.
void draw_states() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  const auto draw = [] { glDrawArrays(GL_TRIANGLES, 3, 3); };
  draw();
  glViewport(16, 8, 64, 96);
  draw();
  glViewport(0, 0, kSize, kSize);
  glDepthRange(0.25, 0.75);
  draw();
  glDepthRange(0, 1);
  glEnable(GL_SCISSOR_TEST);
  glScissor(8, 16, 32, 64);
  draw();
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_DEPTH_TEST);
  draw();
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  draw();
  glDepthMask(GL_TRUE);
  glDepthFunc(GL_GEQUAL);
  draw();
  glDepthFunc(GL_LESS);
  glEnable(GL_CULL_FACE);
  glCullFace(GL_FRONT);
  glFrontFace(GL_CW);
  draw();
  glDisable(GL_CULL_FACE);
  glCullFace(GL_BACK);
  glFrontFace(GL_CCW);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  draw();
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5f, -2.0f);
  draw();
  glDisable(GL_POLYGON_OFFSET_FILL);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_CONSTANT_ALPHA);
  glBlendEquationSeparate(GL_FUNC_REVERSE_SUBTRACT, GL_MAX);
  glBlendColor(0.25f, 0.5f, 0.75f, 1.0f);
  draw();
  glDisable(GL_BLEND);
  glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
  draw();
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glEnable(GL_STENCIL_TEST);
  glStencilFunc(GL_NOTEQUAL, 5, 0x0f);
  glStencilMask(0x3f);
  glStencilOp(GL_INVERT, GL_INCR_WRAP, GL_REPLACE);
  draw();
  glStencilMask(0xff);
  glDisable(GL_STENCIL_TEST);
  glEnable(GL_DEPTH_CLAMP);
  draw();
  glDisable(GL_DEPTH_CLAMP);
  glClipControl(GL_UPPER_LEFT, GL_ZERO_TO_ONE);
  draw();
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
  glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
  draw();
  glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
  glEnable(GL_STENCIL_TEST);
  glStencilFunc(GL_ALWAYS, 1, 0xff);
  glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_INCR_WRAP);
  glStencilOpSeparate(GL_BACK, GL_KEEP, GL_DECR_WRAP, GL_KEEP);
  draw();  // becomes two draws in the file
  glDisable(GL_STENCIL_TEST);
  glEnable(GL_RASTERIZER_DISCARD);
  draw();  // not a draw
  glDisable(GL_RASTERIZER_DISCARD);
}

void draw_clears() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glEnable(GL_SCISSOR_TEST);
  glScissor(4, 8, 64, 32);
  glClearColor(1, 0.5f, 0.25f, 0);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  glClearDepth(0.75);
  glClear(GL_DEPTH_BUFFER_BIT);  // ends a drawn depth, so there is a reference before it
  glDrawArrays(GL_TRIANGLES, 12, 6);
  const GLfloat color[] = {0.5f, 0.25f, 1, 1}, depth = 0.875f;
  const GLint stencil = 9;
  glClearBufferfv(GL_COLOR, 0, color);
  glClearBufferfv(GL_DEPTH, 0, &depth);
  glClearBufferiv(GL_STENCIL, 0, &stencil);
  glClearBufferfi(GL_DEPTH_STENCIL, 0, 1.0f, 3);
  glClearNamedFramebufferfv(0, GL_COLOR, 0, color);
  glDepthMask(GL_FALSE);
  glClear(GL_DEPTH_BUFFER_BIT);  // masked, so it does nothing
  glDepthMask(GL_TRUE);
  glDrawArrays(GL_TRIANGLES, 24, 6);
}

struct Target {
  GLuint framebuffer = 0, color = 0;
};

Target make_target(GLuint depth) {
  Target target;
  glGenTextures(1, &target.color);
  glBindTexture(GL_TEXTURE_2D, target.color);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 64, 32);
  glGenFramebuffers(1, &target.framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.color, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
  return target;
}

// Two framebuffers share a depth buffer; the second one's picture goes to the window.
void draw_framebuffers() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  GLuint depth = 0;
  glGenRenderbuffers(1, &depth);
  glBindRenderbuffer(GL_RENDERBUFFER, depth);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, 64, 32);
  const Target first = make_target(depth), second = make_target(depth);
  glViewport(0, 0, 64, 32);
  glBindFramebuffer(GL_FRAMEBUFFER, first.framebuffer);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glDrawArrays(GL_TRIANGLES, 0, 6);
  glBindFramebuffer(GL_FRAMEBUFFER, second.framebuffer);
  glClear(GL_COLOR_BUFFER_BIT);
  glDrawArrays(GL_TRIANGLES, 9, 6);  // tested against the depth that the first one drew
  glBindFramebuffer(GL_READ_FRAMEBUFFER, second.framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, 64, 32, 16, 96, 80, 32, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
}

void draw_pipelines() {
  glUseProgram(0);
  const GLuint vertex = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &kSeparateVertexShader);
  const GLuint fragment = glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &kFragmentShader);
  glProgramUniform1f(vertex, glGetUniformLocation(vertex, "shift"), 0.125f);
  GLuint pipeline = 0;
  glGenProgramPipelines(1, &pipeline);
  glUseProgramStages(pipeline, GL_VERTEX_SHADER_BIT, vertex);
  glUseProgramStages(pipeline, GL_FRAGMENT_SHADER_BIT, fragment);
  glBindProgramPipeline(pipeline);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  // With a geometry shader as a separate program.
  const GLuint geometry = glCreateShaderProgramv(GL_GEOMETRY_SHADER, 1, &kSeparateGeometryShader);
  glUseProgramStages(pipeline, GL_GEOMETRY_SHADER_BIT, geometry);
  glDrawArrays(GL_TRIANGLES, 24, 3);
  glBindProgramPipeline(0);

  // A program from a binary, or from source if the binary is refused.
  GLuint program = link({vertex_shader(), fragment_shader()});
  GLint length = 0;
  glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &length);
  if (length > 0) {
    std::vector<char> binary(static_cast<size_t>(length));
    GLenum format = GL_NONE;
    glGetProgramBinary(program, length, nullptr, &format, binary.data());
    program = glCreateProgram();
    glProgramBinary(program, format, binary.data(), length);
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    if (!linked) program = link({vertex_shader(), fragment_shader()});
  }
  glUseProgram(program);
  glDrawArrays(GL_TRIANGLES, 12, 6);
}

void draw_conditions() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  GLuint queries[2] = {};
  glGenQueries(2, queries);
  glBeginQuery(GL_SAMPLES_PASSED, queries[0]);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glEndQuery(GL_SAMPLES_PASSED);
  glBeginQuery(GL_SAMPLES_PASSED, queries[1]);
  glEndQuery(GL_SAMPLES_PASSED);
  glBeginConditionalRender(queries[0], GL_QUERY_WAIT);
  glDrawArrays(GL_TRIANGLES, 9, 3);  // drawn
  glEndConditionalRender();
  glBeginConditionalRender(queries[1], GL_QUERY_WAIT);
  glDrawArrays(GL_TRIANGLES, 12, 3);  // not drawn
  glEndConditionalRender();
  glBeginConditionalRender(queries[1], GL_QUERY_WAIT_INVERTED);
  glDrawArrays(GL_TRIANGLES, 15, 3);  // drawn
  glEndConditionalRender();
  glDeleteQueries(2, queries);
}

// Feedback of the application itself, active during a draw of its program and of another program.
void draw_feedback() {
  const GLuint own = link({vertex_shader(), fragment_shader()}, [](GLuint program) {
    const char* const name = "copy";
    glTransformFeedbackVaryings(program, 1, &name, GL_INTERLEAVED_ATTRIBS);
  });
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
  glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 6 * sizeof(Vertex), nullptr, GL_STATIC_READ);
  glUseProgram(own);
  glBeginTransformFeedback(GL_TRIANGLES);
  glDrawArrays(GL_TRIANGLES, 3, 3);
  glDrawArrays(GL_TRIANGLES, 6, 3);
  glEndTransformFeedback();
  Vertex copies[6] = {};
  glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(copies), copies);
  for (int i = 0; i < 6; i++) {
    const Vertex expected = vertex(3 + i);
    if (std::memcmp(&copies[i], &expected, sizeof(expected)) != 0) std::fprintf(stderr, "feedback was disturbed\n");
  }
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  glDrawArrays(GL_TRIANGLES, 12, 3);
  glDeleteBuffers(1, &buffer);
}

// Side effects that a second run of a draw would repeat: buffers that a vertex shader stores to, and queries that
// count.
void draw_side_effects() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  GLuint query = 0, primitives = 0;
  glGenQueries(1, &query);
  glBeginQuery(GL_PRIMITIVES_GENERATED, query);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glEndQuery(GL_PRIMITIVES_GENERATED);
  glGetQueryObjectuiv(query, GL_QUERY_RESULT, &primitives);
  if (primitives != 2) std::fprintf(stderr, "a query was disturbed: %u\n", primitives);
  glDeleteQueries(1, &query);

  glUseProgram(link({compile(GL_VERTEX_SHADER, kStoringVertexShader), fragment_shader()}));
  GLuint buffer = 0, runs = 0;
  glGenBuffers(1, &buffer);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
  glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(runs), &runs, GL_DYNAMIC_READ);
  glDrawArrays(GL_TRIANGLES, 12, 3);
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof(runs), &runs);
  if (runs != 3) std::fprintf(stderr, "a buffer was disturbed: %u\n", runs);
  glDeleteBuffers(1, &buffer);

  // A new program with the name of a deleted one that had feedback has none itself.
  GLuint own[8] = {}, name = 0;
  for (GLuint& program : own) {
    program = link({vertex_shader(), fragment_shader()}, [](GLuint linked) {
      const char* const varying = "copy";
      glTransformFeedbackVaryings(linked, 1, &varying, GL_INTERLEAVED_ATTRIBS);
    });
  }
  for (GLuint program : own) {
    glDeleteProgram(program);
    forget_program(program);
  }
  for (int i = 0; i < 8; i++) name = link({vertex_shader(), fragment_shader()});
  glUseProgram(name);
  glDrawArrays(GL_TRIANGLES, 24, 3);
}

// Features of fragment shaders, in reachable and in unreachable code.
void draw_fragment_shaders() {
  const char* const discards = R"(#version 450 core
    uniform float limit; out vec4 color;
    void test() { if (gl_FragCoord.x > limit + 1000.0) discard; }
    void main() { test(); color = vec4(1.0); })";
  const char* const hidden = R"(#version 450 core
    #define ALPHA_TEST 0
    out vec4 color;
    void unused() { discard; }
    // discard
    void main() {
    #if ALPHA_TEST && defined(ALPHA_TEST)
      discard;
    #endif
      color = vec4(0.5); })";
  const char* const depth = R"(#version 450 core
    out vec4 color;
    void main() { color = vec4(0.25); gl_FragDepth = gl_FragCoord.z; })";
  GLint first = 3;
  for (const char* text : {discards, hidden, depth}) {
    glUseProgram(link({vertex_shader(), compile(GL_FRAGMENT_SHADER, text)}));
    glDrawArrays(GL_TRIANGLES, first, 3);
    first += 3;
  }
}

const char* const kVaryingShader = R"(#version 450 core
layout(location = 0) in vec4 position;
out vec2 uv;
out vec3 axes[2];
flat out int number;
out float unwritten;
uniform vec4 tint;
void main() {
  gl_Position = position;
  uv = position.xy * tint.x;
  axes[0] = position.xyz;
  axes[1] = -position.xyz;
  number = gl_VertexID;
})";

const char* const kReadingShader = R"(#version 450 core
in vec2 uv;
centroid in vec3 axes[2];
flat in int number;
in float unwritten;
uniform vec4 tint;
uniform float weights[3];
layout(std140) uniform Lights { vec4 light; mat3 moves; };
uniform sampler2D base;
layout(location = 0) out vec4 color;
void main() {
  color = texture(base, uv) * tint + light * weights[2] * float(number) + vec4(moves * (axes[0] - axes[1]), weights[0]);
  if (number < -1000) color.x += unwritten;
})";

GLuint make_texture(int levels) {
  std::vector<uint8_t> texels(size_t(kTextureSize) * kTextureSize * 4);
  for (size_t i = 0; i < texels.size(); i++) texels[i] = texel(static_cast<int>(i));
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, levels, GL_RGBA8, kTextureSize, kTextureSize);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kTextureSize, kTextureSize, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
  return texture;
}

// A program with every feature that files can hold, and a texture that changes between draws; then a texture that the
// frame itself draws, generates levels of, and copies to another one.
void draw_programs() {
  const GLuint program = link({compile(GL_VERTEX_SHADER, kVaryingShader), compile(GL_FRAGMENT_SHADER, kReadingShader)});
  glUseProgram(program);
  glUniform4fv(glGetUniformLocation(program, "tint"), 1, kTint.data());
  glUniform1fv(glGetUniformLocation(program, "weights"), 3, kWeights.data());
  std::vector<float> lights(16);
  for (size_t i = 0; i < lights.size(); i++) lights[i] = static_cast<float>(i);
  GLuint buffer = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_UNIFORM_BUFFER, buffer);
  glBufferData(GL_UNIFORM_BUFFER, GLsizeiptr(lights.size() * sizeof(float)), lights.data(), GL_STATIC_DRAW);
  glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Lights"), 2);
  glBindBufferBase(GL_UNIFORM_BUFFER, 2, buffer);
  glActiveTexture(GL_TEXTURE1);
  const GLuint texture = make_texture(1);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
  glUniform1i(glGetUniformLocation(program, "base"), 1);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  const uint32_t one_texel = 0xffffffffu;
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &one_texel);
  glDrawArrays(GL_TRIANGLES, 9, 6);

  const GLuint drawn = make_texture(3);
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, drawn, 0);
  glBindTexture(GL_TEXTURE_2D, texture);
  glViewport(0, 0, kTextureSize, kTextureSize);
  glDrawArrays(GL_TRIANGLES, 12, 3);  // over the old content of the texture
  glBindTexture(GL_TEXTURE_2D, drawn);
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, texture);
  glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 0, 0, 2, 2);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glDrawArrays(GL_TRIANGLES, 15, 3);  // reads the texture that was the target of the copy
  glBindTexture(GL_TEXTURE_2D, drawn);
  glDrawArrays(GL_TRIANGLES, 18, 3);  // reads the texture that was drawn
  glDeleteFramebuffers(1, &framebuffer);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0);
  glDeleteBuffers(1, &buffer);
}

// Two colours of different formats at once, each with its own state; afterwards a draw reads the second one.
void draw_several_colors() {
  const GLuint both = link({vertex_shader(), compile(GL_FRAGMENT_SHADER, R"(#version 450 core
    layout(location = 0) out vec4 first;
    layout(location = 1) out vec2 second;
    void main() { first = vec4(0.25); second = vec2(0.5, 2.0); })")});
  const GLuint reading = link({vertex_shader(), compile(GL_FRAGMENT_SHADER, R"(#version 450 core
    uniform sampler2D base;
    out vec4 color;
    void main() { color = texelFetch(base, ivec2(1), 0); })")});
  GLuint textures[2] = {}, framebuffer = 0;
  glGenTextures(2, textures);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  for (GLuint i = 0; i < 2; i++) {
    glBindTexture(GL_TEXTURE_2D, textures[i]);
    glTexStorage2D(GL_TEXTURE_2D, 1, i == 0 ? GL_RGBA8 : GL_RG16F, 64, 32);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, textures[i], 0);
  }
  const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  glDrawBuffers(2, buffers);
  glViewport(0, 0, 64, 32);
  const GLfloat color[] = {0.5f, 0.25f, 0, 0};
  glClear(GL_COLOR_BUFFER_BIT);
  glClearBufferfv(GL_COLOR, 1, color);
  glEnablei(GL_BLEND, 1);
  glBlendFunci(1, GL_ONE, GL_ONE);
  glBlendEquationi(1, GL_FUNC_ADD);
  glColorMaski(1, GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
  glUseProgram(both);
  glDrawArrays(GL_TRIANGLES, 0, 6);
  glDisablei(GL_BLEND, 1);
  glBlendFunc(GL_ONE, GL_ZERO);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glUseProgram(reading);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(2, textures);
}

// A draw that blends with two colours of its program.
void draw_second_source() {
  glUseProgram(link({vertex_shader(), compile(GL_FRAGMENT_SHADER, R"(#version 450 core
    layout(location = 0, index = 0) out vec4 color;
    layout(location = 0, index = 1) out vec4 weight;
    void main() { color = vec4(0.5); weight = vec4(0.25, 0.5, 0.75, 1.0); })")}));
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFunc(GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  glBlendFunc(GL_ONE, GL_ZERO);
  glDisable(GL_BLEND);
}

// Attributes of many formats, a current value, a divisor, a matrix and an array; a block, a vertex texture, a base
// vertex and a base instance. All sums are exact.
const char* const kAttributeShader = R"(#version 450 core
in vec4 place;
in vec4 bytes;
in vec2 halves;
in ivec3 whole;
in uint natural;
in mat2 turn;
in float pair[2];
in float of_two;
in vec3 same;
layout(std140) uniform Move { vec4 moved; } by[2];
uniform sampler2D heights;
uniform struct { float scale; vec2 more[2]; } part;
out vec4 shade;
void main() {
  vec2 xy = turn * halves + part.more[1] * part.scale;
  gl_Position = place + vec4(xy * 0.0625, pair[1] * 0.125, 0.0) + by[1].moved;
  gl_Position.x += texelFetch(heights, ivec2(gl_VertexID & 3, 1), 0).r * 0.5 + of_two * 0.25;
  shade = vec4(bytes.xy, float(whole.z) + same.y, float(natural & 0xffu) + float(gl_InstanceID));
})";

void draw_attributes() {
  GLint before = 0;
  glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &before);
  GLuint array = 0, texture = make_texture(1);
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  const GLuint program =
      link({compile(GL_VERTEX_SHADER, kAttributeShader), compile(GL_FRAGMENT_SHADER, R"(#version 450 core
    in vec4 shade;
    out vec4 color;
    void main() { color = shade; })")});
  glUseProgram(program);
  const auto location = [&](const char* name) { return static_cast<GLuint>(glGetAttribLocation(program, name)); };
  std::vector<GLuint> buffers;
  const auto buffer_of = [&](GLenum target, const void* bytes, size_t size) {
    glGenBuffers(1, &buffers.emplace_back());
    glBindBuffer(target, buffers.back());
    glBufferData(target, static_cast<GLsizeiptr>(size), bytes, GL_STATIC_DRAW);
  };
  const auto from = [&](GLuint attribute, const auto& values) {
    buffer_of(GL_ARRAY_BUFFER, values.data(), values.size() * sizeof(values[0]));
    glEnableVertexAttribArray(attribute);
  };
  constexpr size_t kCount = kAttributeVertices + kAttributeBase;
  std::vector<Vertex> places = vertices();
  std::vector<uint8_t> bytes;
  std::vector<uint16_t> halves;
  std::vector<int16_t> whole;
  std::vector<uint32_t> natural;
  std::vector<float> turns, pairs;
  for (size_t i = 0; i < kCount; i++) {
    for (size_t k = 0; k < 4; k++) bytes.push_back(static_cast<uint8_t>(i * 16 + k * 51));
    for (size_t k = 0; k < 2; k++) halves.push_back(static_cast<uint16_t>(0x3800 + 0x400 * (i % 3) + 0x200 * k));
    for (size_t k = 0; k < 3; k++) whole.push_back(static_cast<int16_t>(100 * int(k) - 7 * int(i)));
    natural.push_back(0xfffffff0u + static_cast<uint32_t>(i));
    for (size_t k = 0; k < 4; k++) turns.push_back(0.5f * float(i % 3) - 0.25f * float(k));
    for (size_t k = 0; k < 2; k++) pairs.push_back(0.125f * float(i) - float(k));
  }
  const std::vector<float> of_two = {1, 2, 3, 4};
  from(location("place"), places);
  glVertexAttribPointer(location("place"), 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  from(location("bytes"), bytes);
  glVertexAttribPointer(location("bytes"), 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
  from(location("halves"), halves);
  glVertexAttribPointer(location("halves"), 2, GL_HALF_FLOAT, GL_FALSE, 0, nullptr);
  from(location("whole"), whole);
  glVertexAttribIPointer(location("whole"), 3, GL_SHORT, 0, nullptr);
  from(location("natural"), natural);
  glVertexAttribIPointer(location("natural"), 1, GL_UNSIGNED_INT, 0, nullptr);
  for (GLuint column = 0; column < 2; column++) {
    from(location("turn") + column, turns);
    glVertexAttribPointer(location("turn") + column, 2, GL_FLOAT, GL_FALSE, 16,
                          reinterpret_cast<const void*>(size_t(column) * 8));
    from(location("pair") + column, pairs);
    glVertexAttribPointer(location("pair") + column, 1, GL_FLOAT, GL_FALSE, 8,
                          reinterpret_cast<const void*>(size_t(column) * 4));
  }
  from(location("of_two"), of_two);
  glVertexAttribPointer(location("of_two"), 1, GL_FLOAT, GL_FALSE, 0, nullptr);
  glVertexAttribDivisor(location("of_two"), 2);
  glVertexAttrib3f(location("same"), 0.25f, 0.5f, 0.75f);
  const std::array<float, 4> moved = {0.125f, -0.125f, 0.0625f, 0};
  buffer_of(GL_UNIFORM_BUFFER, moved.data(), sizeof(moved));
  glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Move[1]"), 3);
  glBindBufferBase(GL_UNIFORM_BUFFER, 3, buffers.back());
  glUniform1f(glGetUniformLocation(program, "part.scale"), 0.5f);
  glUniform2f(glGetUniformLocation(program, "part.more[1]"), 1, 2);
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, texture);
  glUniform1i(glGetUniformLocation(program, "heights"), 2);
  const std::array<uint8_t, 6> indices = {0, 2, 1, 1, 2, 3};
  buffer_of(GL_ELEMENT_ARRAY_BUFFER, indices.data(), sizeof(indices));
  glDrawElementsInstancedBaseVertexBaseInstance(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, nullptr, kInstances, kAttributeBase,
                                                1);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0);
  glBindVertexArray(static_cast<GLuint>(before));
  glDeleteVertexArrays(1, &array);
  glDeleteTextures(1, &texture);
  glDeleteBuffers(static_cast<GLsizei>(buffers.size()), buffers.data());
}

void draw_after_error() {
  glUseProgram(link({vertex_shader(), fragment_shader()}));
  glEnable(GL_TRIANGLES);  // not a capability: an error that the application should see
  glDrawArrays(GL_TRIANGLES, 3, 3);
}

}  // namespace

void draw_shaders(int number) {
  switch (number) {
    case kGeometry: draw_geometry(); break;
    case kTessellation: draw_tessellation(); break;
    case kStates: draw_states(); break;
    case kClears: draw_clears(); break;
    case kFramebuffers: draw_framebuffers(); break;
    case kPipelines: draw_pipelines(); break;
    case kConditions: draw_conditions(); break;
    case kFeedback: draw_feedback(); break;
    case kShaders: draw_fragment_shaders(); break;
    case kErrors: draw_after_error(); break;
    case kPrograms: draw_programs(); break;
    case kSeveralColors: draw_several_colors(); break;
    case kSecondSource: draw_second_source(); break;
    case kAttributes: draw_attributes(); break;
    case kSideEffects: draw_side_effects(); break;
    case kLayers: draw_layers(); break;
    case kStores: draw_stores(); break;
    case kParts: draw_parts(); break;
    default: break;
  }
}

void draw_windows(const std::function<void(int)>& make_current, const std::function<void()>& swap_second) {
  const GLuint program = link({vertex_shader(), fragment_shader()});
  make_current(1);
  glViewport(0, 0, kSecondSize, kSecondSize);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glUseProgram(program);
  glDrawArrays(GL_TRIANGLES, 3, 6);
  swap_second();
  make_current(0);
  glViewport(0, 0, kSize, kSize);
  glDrawArrays(GL_TRIANGLES, 12, 6);
}

void draw_threads(const std::function<void(int)>& make_current) {
  const auto work = [&](int thread) {
    make_current(thread);
    GLuint array = 0, buffer = 0, depth = 0;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    const std::vector<Vertex> all = vertices();
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(all.size() * sizeof(Vertex)), all.data(), GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glUseProgram(link({vertex_shader(), fragment_shader()}));
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, 64, 32);
    make_target(depth);
    glViewport(0, 0, 64, 32);
    glEnable(GL_DEPTH_TEST);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (int i = 0; i < 20; i++) glDrawArrays(GL_TRIANGLES, (thread * 20 + i) % 60, 3);
    glFinish();
    make_current(-1);
  };
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}

}  // namespace scene
