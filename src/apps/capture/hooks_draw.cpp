// Hooks for draw calls. Each hook passes its call on; while a frame is recorded, it describes the call first.
#include <algorithm>
#include <cstring>
#include <exception>

#include "capture/read_back.h"
#include "capture/session.h"

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

DrawCall single(GLenum mode, GLenum type, const SubDraw& part) {
  return {.mode = mode, .index_type = type, .parts = {part}};
}

DrawCall instanced(GLenum mode, GLenum type, const SubDraw& part) {
  return {.mode = mode, .index_type = type, .instanced = true, .parts = {part}};
}

// The draws of a multi-draw; part(i) gives each.
template <typename Part>
DrawCall multi(GLenum mode, GLenum type, GLsizei draws, Part part) {
  DrawCall call{.mode = mode, .index_type = type};
  for (GLsizei i = 0; i < draws; i++) call.parts.push_back(part(i));
  return call;
}

// Reads GL's structures for indirect draws, `stride` bytes apart (0: contiguous).
DrawCall indirect_draws(const Context& context, GLenum mode, GLenum index_type, const void* indirect, GLsizei count,
                        GLsizei stride) {
  DrawCall call{.mode = mode, .index_type = index_type, .instanced = true};
  const bool indexed = index_type != GL_NONE;
  const size_t words = indexed ? 5 : 4;
  const size_t step = stride > 0 ? static_cast<size_t>(stride) : words * sizeof(GLuint);
  const size_t number = static_cast<size_t>(std::max(count, 0));
  if (number == 0) return call;
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
    call.parts.push_back(part);
  }
  return call;
}

// Reads the number of draws from a buffer.
GLsizei indirect_count(const Context& context, GLintptr offset, GLsizei limit) {
  const std::vector<std::byte> bytes =
      read_buffer(context, GL_PARAMETER_BUFFER, static_cast<uint64_t>(std::max<GLintptr>(offset, 0)), sizeof(GLsizei));
  GLsizei count = 0;
  if (bytes.size() == sizeof(count)) std::memcpy(&count, bytes.data(), sizeof(count));
  return std::min(count, limit);
}

// A draw of the vertices that the application's feedback recorded; only GL knows their number.
DrawCall of_feedback(GLenum mode) { return {.mode = feedback_primitive(mode), .opaque = true}; }

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_DRAW(DrawArrays, mode, (GLenum mode, GLint first, GLsizei count), (mode, first, count),
            single(mode, GL_NONE, range(first, count)))

BROKKR_DRAW(DrawElements, mode, (GLenum mode, GLsizei count, GLenum type, const void* indices),
            (mode, count, type, indices), single(mode, type, elements(count, indices)))

BROKKR_DRAW(DrawRangeElements, mode,
            (GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type, const void* indices),
            (mode, start, end, count, type, indices), single(mode, type, elements(count, indices)))

BROKKR_DRAW(DrawElementsBaseVertex, mode, (GLenum mode, GLsizei count, GLenum type, const void* indices, GLint base),
            (mode, count, type, indices, base), single(mode, type, elements(count, indices, base)))

BROKKR_DRAW(DrawRangeElementsBaseVertex, mode,
            (GLenum mode, GLuint start, GLuint end, GLsizei count, GLenum type, const void* indices, GLint base),
            (mode, start, end, count, type, indices, base), single(mode, type, elements(count, indices, base)))

BROKKR_DRAW(DrawArraysInstanced, mode, (GLenum mode, GLint first, GLsizei count, GLsizei instances),
            (mode, first, count, instances), instanced(mode, GL_NONE, range(first, count, instances)))

BROKKR_DRAW(DrawElementsInstanced, mode,
            (GLenum mode, GLsizei count, GLenum type, const void* indices, GLsizei instances),
            (mode, count, type, indices, instances), instanced(mode, type, elements(count, indices, 0, instances)))

BROKKR_DRAW(DrawElementsInstancedBaseVertex, mode,
            (GLenum mode, GLsizei count, GLenum type, const void* indices, GLsizei instances, GLint base),
            (mode, count, type, indices, instances, base),
            instanced(mode, type, elements(count, indices, base, instances)))

BROKKR_DRAW(DrawArraysInstancedBaseInstance, mode,
            (GLenum mode, GLint first, GLsizei count, GLsizei instances, GLuint base),
            (mode, first, count, instances, base), instanced(mode, GL_NONE, range(first, count, instances, base)))

BROKKR_DRAW(DrawElementsInstancedBaseInstance, mode,
            (GLenum mode, GLsizei count, GLenum type, const void* indices, GLsizei instances, GLuint base),
            (mode, count, type, indices, instances, base),
            instanced(mode, type, elements(count, indices, 0, instances, base)))

BROKKR_DRAW(DrawElementsInstancedBaseVertexBaseInstance, mode,
            (GLenum mode, GLsizei count, GLenum type, const void* indices, GLsizei instances, GLint base_vertex,
             GLuint base_instance),
            (mode, count, type, indices, instances, base_vertex, base_instance),
            instanced(mode, type, elements(count, indices, base_vertex, instances, base_instance)))

BROKKR_DRAW(MultiDrawArrays, mode, (GLenum mode, const GLint* first, const GLsizei* count, GLsizei draws),
            (mode, first, count, draws),
            multi(mode, GL_NONE, draws, [&](GLsizei i) { return range(first[i], count[i]); }))

BROKKR_DRAW(MultiDrawElements, mode,
            (GLenum mode, const GLsizei* count, GLenum type, const void* const* indices, GLsizei draws),
            (mode, count, type, indices, draws),
            multi(mode, type, draws, [&](GLsizei i) { return elements(count[i], indices[i]); }))

BROKKR_DRAW(MultiDrawElementsBaseVertex, mode,
            (GLenum mode, const GLsizei* count, GLenum type, const void* const* indices, GLsizei draws,
             const GLint* base),
            (mode, count, type, indices, draws, base),
            multi(mode, type, draws, [&](GLsizei i) { return elements(count[i], indices[i], base[i]); }))

BROKKR_DRAW(DrawArraysIndirect, mode, (GLenum mode, const void* indirect), (mode, indirect),
            indirect_draws(context, mode, GL_NONE, indirect, 1, 0))

BROKKR_DRAW(DrawElementsIndirect, mode, (GLenum mode, GLenum type, const void* indirect), (mode, type, indirect),
            indirect_draws(context, mode, type, indirect, 1, 0))

BROKKR_DRAW(MultiDrawArraysIndirect, mode, (GLenum mode, const void* indirect, GLsizei draws, GLsizei stride),
            (mode, indirect, draws, stride), indirect_draws(context, mode, GL_NONE, indirect, draws, stride))

BROKKR_DRAW(MultiDrawElementsIndirect, mode,
            (GLenum mode, GLenum type, const void* indirect, GLsizei draws, GLsizei stride),
            (mode, type, indirect, draws, stride), indirect_draws(context, mode, type, indirect, draws, stride))

BROKKR_DRAW(MultiDrawArraysIndirectCount, mode,
            (GLenum mode, const void* indirect, GLintptr draws, GLsizei limit, GLsizei stride),
            (mode, indirect, draws, limit, stride),
            indirect_draws(context, mode, GL_NONE, indirect, indirect_count(context, draws, limit), stride))

BROKKR_DRAW(MultiDrawElementsIndirectCount, mode,
            (GLenum mode, GLenum type, const void* indirect, GLintptr draws, GLsizei limit, GLsizei stride),
            (mode, type, indirect, draws, limit, stride),
            indirect_draws(context, mode, type, indirect, indirect_count(context, draws, limit), stride))

BROKKR_DRAW(DrawTransformFeedback, mode, (GLenum mode, GLuint id), (mode, id), of_feedback(mode))

BROKKR_DRAW(DrawTransformFeedbackInstanced, mode, (GLenum mode, GLuint id, GLsizei instances), (mode, id, instances),
            of_feedback(mode))

BROKKR_DRAW(DrawTransformFeedbackStream, mode, (GLenum mode, GLuint id, GLuint stream), (mode, id, stream),
            of_feedback(mode))

BROKKR_DRAW(DrawTransformFeedbackStreamInstanced, mode, (GLenum mode, GLuint id, GLuint stream, GLsizei instances),
            (mode, id, stream, instances), of_feedback(mode))

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
BROKKR_ALIAS_ES(glDrawArraysInstancedANGLE, glDrawArraysInstanced);
BROKKR_ALIAS_ES(glDrawArraysInstancedNV, glDrawArraysInstanced);
BROKKR_ALIAS_ES(glDrawElementsInstancedANGLE, glDrawElementsInstanced);
BROKKR_ALIAS_ES(glDrawElementsInstancedNV, glDrawElementsInstanced);
BROKKR_ALIAS_ES(glDrawElementsBaseVertexEXT, glDrawElementsBaseVertex);
BROKKR_ALIAS_ES(glDrawElementsBaseVertexOES, glDrawElementsBaseVertex);
BROKKR_ALIAS_ES(glDrawRangeElementsBaseVertexEXT, glDrawRangeElementsBaseVertex);
BROKKR_ALIAS_ES(glDrawRangeElementsBaseVertexOES, glDrawRangeElementsBaseVertex);
BROKKR_ALIAS_ES(glDrawElementsInstancedBaseVertexEXT, glDrawElementsInstancedBaseVertex);
BROKKR_ALIAS_ES(glDrawElementsInstancedBaseVertexOES, glDrawElementsInstancedBaseVertex);
BROKKR_ALIAS_ES(glDrawArraysInstancedBaseInstanceEXT, glDrawArraysInstancedBaseInstance);
BROKKR_ALIAS_ES(glDrawElementsInstancedBaseInstanceEXT, glDrawElementsInstancedBaseInstance);
BROKKR_ALIAS_ES(glDrawElementsInstancedBaseVertexBaseInstanceEXT, glDrawElementsInstancedBaseVertexBaseInstance);
BROKKR_ALIAS_ES(glMultiDrawElementsBaseVertexEXT, glMultiDrawElementsBaseVertex);
BROKKR_ALIAS_ES(glMultiDrawArraysIndirectEXT, glMultiDrawArraysIndirect);
BROKKR_ALIAS_ES(glMultiDrawElementsIndirectEXT, glMultiDrawElementsIndirect);
