// Draw calls. Each passes on what it got; while a frame is recorded it is described first.
#include <algorithm>
#include <cstring>
#include <exception>

#include "capture/draw_hook.h"
#include "capture/hook_table.h"
#include "capture/read_back.h"

namespace brokkr::capture {
namespace {

SubDraw range(GLint first, GLsizei count, GLsizei instances = 1, GLuint base_instance = 0) {
  SubDraw part;
  part.first = static_cast<uint32_t>(std::max(first, 0));
  part.count = static_cast<uint32_t>(std::max(count, 0));
  part.instances = static_cast<uint32_t>(std::max(instances, 0));
  part.base_instance = base_instance;
  return part;
}

SubDraw elements(GLsizei count, const void* indices, GLint base_vertex = 0, GLsizei instances = 1,
                 GLuint base_instance = 0) {
  SubDraw part = range(0, count, instances, base_instance);
  part.indices = indices;
  part.base_vertex = base_vertex;
  return part;
}

DrawCall single(const char* name, GLenum mode, GLenum type, bool instanced, const SubDraw& part) {
  return {.name = name, .mode = mode, .index_type = type, .instanced = instanced, .parts = {part}};
}

// GL's structures for indirect draws, `stride` apart (0: next to each other).
std::vector<SubDraw> indirect_parts(const Context& context, GLenum index_type, const void* indirect, GLsizei count,
                                    GLsizei stride) {
  const bool indexed = index_type != GL_NONE;
  const size_t words = indexed ? 5 : 4;
  const size_t step = stride > 0 ? static_cast<size_t>(stride) : words * sizeof(GLuint);
  const size_t number = static_cast<size_t>(std::max(count, 0));
  std::vector<SubDraw> parts;
  if (number == 0) return parts;
  const size_t size = step * (number - 1) + words * sizeof(GLuint);
  std::vector<std::byte> bytes;
  if (get_name(GL_DRAW_INDIRECT_BUFFER_BINDING) != 0) {
    bytes = read_buffer(context, GL_DRAW_INDIRECT_BUFFER, reinterpret_cast<uintptr_t>(indirect), size);
  } else if (indirect) {
    bytes.resize(size);
    std::memcpy(bytes.data(), indirect, size);
  }
  for (size_t i = 0; i < number && i * step + words * sizeof(GLuint) <= bytes.size(); i++) {
    GLuint word[5] = {};
    std::memcpy(word, bytes.data() + i * step, words * sizeof(GLuint));
    SubDraw part;
    part.count = word[0];
    part.instances = word[1];
    if (indexed) {
      part.indices = reinterpret_cast<const void*>(uintptr_t(word[2]) * index_size(index_type));
      std::memcpy(&part.base_vertex, &word[3], sizeof(GLint));
    } else {
      part.first = word[2];
    }
    part.base_instance = word[indexed ? 4 : 3];
    parts.push_back(part);
  }
  return parts;
}

// The number of draws that a buffer holds.
GLsizei indirect_count(const Context& context, GLintptr offset, GLsizei limit) {
  const std::vector<std::byte> bytes =
      read_buffer(context, GL_PARAMETER_BUFFER, static_cast<uint64_t>(std::max<GLintptr>(offset, 0)), sizeof(GLsizei));
  GLsizei count = 0;
  if (bytes.size() == sizeof(count)) std::memcpy(&count, bytes.data(), sizeof(count));
  return std::min(count, limit);
}

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

// Passes `name` on, having described it by the expression that follows; `context` is the current one.
#define BROKKR_DRAW(name, arguments, ...)                                                        \
  if (!is_idle() && handle_draw("gl" #name, mode, [&]([[maybe_unused]] const Context& context) { \
        DrawCall call = __VA_ARGS__;                                                             \
        call.submit = [=] { gl().name arguments; };                                              \
        return call;                                                                             \
      })) {                                                                                      \
    return;                                                                                      \
  }                                                                                              \
  gl().name arguments

BROKKR_EXPORT void glDrawArrays(GLenum mode, GLint first, GLsizei count) {
  BROKKR_DRAW(DrawArrays, (mode, first, count), single("glDrawArrays", mode, GL_NONE, false, range(first, count)));
}

BROKKR_EXPORT void glDrawElements(GLenum mode, GLsizei count, GLenum type, const void* indices) {
  BROKKR_DRAW(DrawElements, (mode, count, type, indices),
              single("glDrawElements", mode, type, false, elements(count, indices)));
}

BROKKR_EXPORT void glDrawRangeElements(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type,
                                       const void* indices) {
  BROKKR_DRAW(DrawRangeElements, (mode, start, end, count, type, indices),
              single("glDrawRangeElements", mode, type, false, elements(count, indices)));
}

BROKKR_EXPORT void glDrawElementsBaseVertex(GLenum mode, GLsizei count, GLenum type, const void* indices, GLint base) {
  BROKKR_DRAW(DrawElementsBaseVertex, (mode, count, type, indices, base),
              single("glDrawElementsBaseVertex", mode, type, false, elements(count, indices, base)));
}

BROKKR_EXPORT void glDrawRangeElementsBaseVertex(GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type,
                                                 const void* indices, GLint base) {
  BROKKR_DRAW(DrawRangeElementsBaseVertex, (mode, start, end, count, type, indices, base),
              single("glDrawRangeElementsBaseVertex", mode, type, false, elements(count, indices, base)));
}

BROKKR_EXPORT void glDrawArraysInstanced(GLenum mode, GLint first, GLsizei count, GLsizei instances) {
  BROKKR_DRAW(DrawArraysInstanced, (mode, first, count, instances),
              single("glDrawArraysInstanced", mode, GL_NONE, true, range(first, count, instances)));
}

BROKKR_EXPORT void glDrawElementsInstanced(GLenum mode, GLsizei count, GLenum type, const void* indices,
                                           GLsizei instances) {
  BROKKR_DRAW(DrawElementsInstanced, (mode, count, type, indices, instances),
              single("glDrawElementsInstanced", mode, type, true, elements(count, indices, 0, instances)));
}

BROKKR_EXPORT void glDrawElementsInstancedBaseVertex(GLenum mode, GLsizei count, GLenum type, const void* indices,
                                                     GLsizei instances, GLint base) {
  BROKKR_DRAW(DrawElementsInstancedBaseVertex, (mode, count, type, indices, instances, base),
              single("glDrawElementsInstancedBaseVertex", mode, type, true, elements(count, indices, base, instances)));
}

BROKKR_EXPORT void glDrawArraysInstancedBaseInstance(GLenum mode, GLint first, GLsizei count, GLsizei instances,
                                                     GLuint base) {
  BROKKR_DRAW(DrawArraysInstancedBaseInstance, (mode, first, count, instances, base),
              single("glDrawArraysInstancedBaseInstance", mode, GL_NONE, true, range(first, count, instances, base)));
}

BROKKR_EXPORT void glDrawElementsInstancedBaseInstance(GLenum mode, GLsizei count, GLenum type, const void* indices,
                                                       GLsizei instances, GLuint base) {
  BROKKR_DRAW(
      DrawElementsInstancedBaseInstance, (mode, count, type, indices, instances, base),
      single("glDrawElementsInstancedBaseInstance", mode, type, true, elements(count, indices, 0, instances, base)));
}

BROKKR_EXPORT void glDrawElementsInstancedBaseVertexBaseInstance(GLenum mode, GLsizei count, GLenum type,
                                                                 const void* indices, GLsizei instances,
                                                                 GLint base_vertex, GLuint base_instance) {
  BROKKR_DRAW(DrawElementsInstancedBaseVertexBaseInstance,
              (mode, count, type, indices, instances, base_vertex, base_instance),
              single("glDrawElementsInstancedBaseVertexBaseInstance", mode, type, true,
                     elements(count, indices, base_vertex, instances, base_instance)));
}

BROKKR_EXPORT void glMultiDrawArrays(GLenum mode, const GLint* first, const GLsizei* count, GLsizei draws) {
  BROKKR_DRAW(MultiDrawArrays, (mode, first, count, draws), [&] {
    DrawCall multi{.name = "glMultiDrawArrays", .mode = mode};
    for (GLsizei i = 0; i < draws; i++) multi.parts.push_back(range(first[i], count[i]));
    return multi;
  }());
}

BROKKR_EXPORT void glMultiDrawElements(GLenum mode, const GLsizei* count, GLenum type, const void* const* indices,
                                       GLsizei draws) {
  BROKKR_DRAW(MultiDrawElements, (mode, count, type, indices, draws), [&] {
    DrawCall multi{.name = "glMultiDrawElements", .mode = mode, .index_type = type};
    for (GLsizei i = 0; i < draws; i++) multi.parts.push_back(elements(count[i], indices[i]));
    return multi;
  }());
}

BROKKR_EXPORT void glMultiDrawElementsBaseVertex(GLenum mode, const GLsizei* count, GLenum type,
                                                 const void* const* indices, GLsizei draws, const GLint* base) {
  BROKKR_DRAW(MultiDrawElementsBaseVertex, (mode, count, type, indices, draws, base), [&] {
    DrawCall multi{.name = "glMultiDrawElementsBaseVertex", .mode = mode, .index_type = type};
    for (GLsizei i = 0; i < draws; i++) multi.parts.push_back(elements(count[i], indices[i], base[i]));
    return multi;
  }());
}

// An indirect draw with `draws` structures.
#define BROKKR_INDIRECT(function, type, draws, stride)                           \
  DrawCall {                                                                     \
    .name = "gl" #function, .mode = mode, .index_type = type, .instanced = true, \
    .parts = indirect_parts(context, type, indirect, draws, stride)              \
  }

BROKKR_EXPORT void glDrawArraysIndirect(GLenum mode, const void* indirect) {
  BROKKR_DRAW(DrawArraysIndirect, (mode, indirect), BROKKR_INDIRECT(DrawArraysIndirect, GL_NONE, 1, 0));
}

BROKKR_EXPORT void glDrawElementsIndirect(GLenum mode, GLenum type, const void* indirect) {
  BROKKR_DRAW(DrawElementsIndirect, (mode, type, indirect), BROKKR_INDIRECT(DrawElementsIndirect, type, 1, 0));
}

BROKKR_EXPORT void glMultiDrawArraysIndirect(GLenum mode, const void* indirect, GLsizei draws, GLsizei stride) {
  BROKKR_DRAW(MultiDrawArraysIndirect, (mode, indirect, draws, stride),
              BROKKR_INDIRECT(MultiDrawArraysIndirect, GL_NONE, draws, stride));
}

BROKKR_EXPORT void glMultiDrawElementsIndirect(GLenum mode, GLenum type, const void* indirect, GLsizei draws,
                                               GLsizei stride) {
  BROKKR_DRAW(MultiDrawElementsIndirect, (mode, type, indirect, draws, stride),
              BROKKR_INDIRECT(MultiDrawElementsIndirect, type, draws, stride));
}

BROKKR_EXPORT void glMultiDrawArraysIndirectCount(GLenum mode, const void* indirect, GLintptr draws, GLsizei limit,
                                                  GLsizei stride) {
  BROKKR_DRAW(MultiDrawArraysIndirectCount, (mode, indirect, draws, limit, stride),
              BROKKR_INDIRECT(MultiDrawArraysIndirectCount, GL_NONE, indirect_count(context, draws, limit), stride));
}

BROKKR_EXPORT void glMultiDrawElementsIndirectCount(GLenum mode, GLenum type, const void* indirect, GLintptr draws,
                                                    GLsizei limit, GLsizei stride) {
  BROKKR_DRAW(MultiDrawElementsIndirectCount, (mode, type, indirect, draws, limit, stride),
              BROKKR_INDIRECT(MultiDrawElementsIndirectCount, type, indirect_count(context, draws, limit), stride));
}

// How many vertices the application's feedback recorded, only GL knows.
#define BROKKR_OPAQUE(function) \
  DrawCall { .name = "gl" #function, .mode = feedback_primitive(mode), .opaque = true }

BROKKR_EXPORT void glDrawTransformFeedback(GLenum mode, GLuint id) {
  BROKKR_DRAW(DrawTransformFeedback, (mode, id), BROKKR_OPAQUE(DrawTransformFeedback));
}

BROKKR_EXPORT void glDrawTransformFeedbackInstanced(GLenum mode, GLuint id, GLsizei instances) {
  BROKKR_DRAW(DrawTransformFeedbackInstanced, (mode, id, instances), BROKKR_OPAQUE(DrawTransformFeedbackInstanced));
}

BROKKR_EXPORT void glDrawTransformFeedbackStream(GLenum mode, GLuint id, GLuint stream) {
  BROKKR_DRAW(DrawTransformFeedbackStream, (mode, id, stream), BROKKR_OPAQUE(DrawTransformFeedbackStream));
}

BROKKR_EXPORT void glDrawTransformFeedbackStreamInstanced(GLenum mode, GLuint id, GLuint stream, GLsizei instances) {
  BROKKR_DRAW(DrawTransformFeedbackStreamInstanced, (mode, id, stream, instances),
              BROKKR_OPAQUE(DrawTransformFeedbackStreamInstanced));
}

BROKKR_ALIAS(glDrawArraysEXT, glDrawArrays);
BROKKR_ALIAS(glDrawRangeElementsEXT, glDrawRangeElements);
BROKKR_ALIAS(glDrawArraysInstancedARB, glDrawArraysInstanced);
BROKKR_ALIAS(glDrawArraysInstancedEXT, glDrawArraysInstanced);
BROKKR_ALIAS(glDrawElementsInstancedARB, glDrawElementsInstanced);
BROKKR_ALIAS(glDrawElementsInstancedEXT, glDrawElementsInstanced);
BROKKR_ALIAS(glMultiDrawArraysEXT, glMultiDrawArrays);
BROKKR_ALIAS(glMultiDrawElementsEXT, glMultiDrawElements);
BROKKR_ALIAS(glMultiDrawArraysIndirectAMD, glMultiDrawArraysIndirect);
BROKKR_ALIAS(glMultiDrawElementsIndirectAMD, glMultiDrawElementsIndirect);
BROKKR_ALIAS(glMultiDrawArraysIndirectCountARB, glMultiDrawArraysIndirectCount);
BROKKR_ALIAS(glMultiDrawElementsIndirectCountARB, glMultiDrawElementsIndirectCount);
