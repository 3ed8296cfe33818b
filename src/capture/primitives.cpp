#include "capture/primitives.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "scene/gl_names.h"

namespace brokkr::capture {
namespace {

template <typename T>
std::vector<uint32_t> widen(std::span<const std::byte> bytes) {
  std::vector<uint32_t> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); i++) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = value;
  }
  return result;
}

// Elements between restarts.
using Run = std::span<const uint32_t>;

std::vector<Run> split_at_restarts(const std::vector<uint32_t>& elements) {
  std::vector<Run> runs;
  for (auto begin = elements.begin();;) {
    const auto end = std::find(begin, elements.end(), kRestartIndex);
    if (end != begin) runs.emplace_back(begin, end);
    if (end == elements.end()) return runs;
    begin = end + 1;
  }
}

// Appends the elements at `corners` of every group of `size` elements, groups `step` apart.
template <size_t N>
void append_groups(Run run, size_t size, size_t step, const uint8_t (&corners)[N], std::vector<uint32_t>& out) {
  for (size_t first = 0; first + size <= run.size(); first += step) {
    for (uint8_t corner : corners) out.push_back(run[first + corner]);
  }
}

void append_quads(Run run, size_t step, const uint8_t (&triangles)[2][3], std::vector<uint32_t>& out) {
  uint8_t corners[6];
  std::memcpy(corners, triangles, sizeof(corners));
  append_groups(run, 4, step, corners, out);
}

void append_line_loop(Run run, std::vector<uint32_t>& out) {
  for (size_t i = 0; run.size() > 1 && i < run.size(); i++) {
    out.push_back(run[i]);
    out.push_back(run[(i + 1) % run.size()]);
  }
}

// Every second vertex of a strip with adjacency belongs to its triangles.
void append_strip_adjacency(Run run, std::vector<uint32_t>& out) {
  for (size_t i = 0; i + 4 < run.size(); i += 2) {
    const bool odd = i / 2 % 2 == 1;
    out.push_back(run[odd ? i + 2 : i]);
    out.push_back(run[odd ? i : i + 2]);
    out.push_back(run[i + 4]);
  }
}

// The primitives of `run` as a list; false for modes that stay as they are.
bool append_list(GLenum mode, Run run, const QuadSplit& split, std::vector<uint32_t>& out) {
  switch (mode) {
    case GL_POINTS: append_groups(run, 1, 1, {0}, out); return true;
    case GL_LINES: append_groups(run, 2, 2, {0, 1}, out); return true;
    case GL_LINE_LOOP: append_line_loop(run, out); return true;
    case GL_TRIANGLES: append_groups(run, 3, 3, {0, 1, 2}, out); return true;
    case GL_QUADS: append_quads(run, 4, split.quad, out); return true;
    case GL_QUAD_STRIP: append_quads(run, 2, split.strip, out); return true;
    case GL_LINES_ADJACENCY: append_groups(run, 4, 4, {1, 2}, out); return true;
    case GL_LINE_STRIP_ADJACENCY: append_groups(run, 4, 1, {1, 2}, out); return true;
    case GL_TRIANGLES_ADJACENCY: append_groups(run, 6, 6, {0, 2, 4}, out); return true;
    case GL_TRIANGLE_STRIP_ADJACENCY: append_strip_adjacency(run, out); return true;
    default: return false;
  }
}

std::optional<Topology> list_topology(GLenum mode) {
  switch (mode) {
    case GL_POINTS: return Topology::points;
    case GL_LINES:
    case GL_LINE_LOOP:
    case GL_LINES_ADJACENCY:
    case GL_LINE_STRIP_ADJACENCY: return Topology::lines;
    case GL_TRIANGLES:
    case GL_QUADS:
    case GL_QUAD_STRIP:
    case GL_TRIANGLES_ADJACENCY:
    case GL_TRIANGLE_STRIP_ADJACENCY: return Topology::triangles;
    default: return std::nullopt;
  }
}

// The topology of modes that the file has, too.
std::optional<Topology> same_topology(GLenum mode) {
  return from_gl<Topology>(kGlTopologies, mode == GL_POLYGON ? GLenum(GL_TRIANGLE_FAN) : mode);
}

}  // namespace

size_t index_size(GLenum type) {
  switch (type) {
    case GL_UNSIGNED_BYTE: return 1;
    case GL_UNSIGNED_SHORT: return 2;
    case GL_UNSIGNED_INT: return 4;
    default: return 0;
  }
}

std::vector<uint32_t> widen_indices(std::span<const std::byte> bytes, GLenum type) {
  switch (index_size(type)) {
    case 1: return widen<uint8_t>(bytes);
    case 2: return widen<uint16_t>(bytes);
    default: return widen<uint32_t>(bytes);
  }
}

CompactIndices compact_indices(const std::vector<uint32_t>& submitted, std::optional<uint32_t> restart) {
  CompactIndices result;
  result.vertices.reserve(submitted.size());
  for (uint32_t index : submitted) {
    if (restart && index == *restart) {
      result.has_restart = true;
    } else {
      result.vertices.push_back(index);
    }
  }
  std::sort(result.vertices.begin(), result.vertices.end());
  result.vertices.erase(std::unique(result.vertices.begin(), result.vertices.end()), result.vertices.end());
  const std::vector<uint32_t>& vertices = result.vertices;
  const bool dense = !vertices.empty() && vertices.back() - vertices.front() == vertices.size() - 1;
  result.indices.reserve(submitted.size());
  for (uint32_t index : submitted) {
    if (restart && index == *restart) {
      result.indices.push_back(kRestartIndex);
    } else if (dense) {
      result.indices.push_back(index - vertices.front());
    } else {
      const auto place = std::lower_bound(vertices.begin(), vertices.end(), index);
      result.indices.push_back(static_cast<uint32_t>(place - vertices.begin()));
    }
  }
  return result;
}

std::optional<Assembly> assemble(GLenum mode, const CompactIndices* indices, uint32_t count, const QuadSplit& split) {
  const bool restart = indices && indices->has_restart;
  const std::optional<Topology> same = same_topology(mode), list = list_topology(mode);
  if (same && !(restart && list)) {
    Assembly result{*same, indices != nullptr, restart, {}};
    if (indices) result.indices = indices->indices;
    return result;
  }
  if (!list) return std::nullopt;
  Assembly result{*list, true, false, {}};
  std::vector<uint32_t> numbers;
  if (!indices) {
    numbers.resize(count);
    for (uint32_t i = 0; i < count; i++) numbers[i] = i;
  }
  for (const Run run : split_at_restarts(indices ? indices->indices : numbers)) {
    append_list(mode, run, split, result.indices);
  }
  return result;
}

uint64_t count_triangles(GLenum mode, uint64_t count) {
  switch (mode) {
    case GL_TRIANGLES: return count / 3;
    case GL_TRIANGLE_STRIP:
    case GL_TRIANGLE_FAN:
    case GL_POLYGON: return count < 3 ? 0 : count - 2;
    case GL_QUADS: return count / 4 * 2;
    case GL_QUAD_STRIP: return count < 4 ? 0 : (count - 2) / 2 * 2;
    case GL_TRIANGLES_ADJACENCY: return count / 6;
    case GL_TRIANGLE_STRIP_ADJACENCY: return count < 6 ? 0 : (count - 4) / 2;
    default: return 0;
  }
}

}  // namespace brokkr::capture
