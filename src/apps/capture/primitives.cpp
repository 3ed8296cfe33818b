#include "capture/primitives.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "frame/gl_names.h"

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

// A mode as one of the file's lists: groups of `size` elements, `step` apart, and the corners of each group's
// primitives.
struct Groups {
  GLenum mode;
  Topology list;
  size_t size, step;
  std::vector<uint8_t> corners;
};

// Null for modes that are not lists and do not become lists.
const Groups* groups_of(GLenum mode) {
  static const std::vector<Groups> kGroups = {
      {GL_POINTS, Topology::points, 1, 1, {0}},
      {GL_LINES, Topology::lines, 2, 2, {0, 1}},
      {GL_LINE_LOOP, Topology::lines, 2, 1, {0, 1}},  // and the line back
      {GL_LINES_ADJACENCY, Topology::lines, 4, 4, {1, 2}},
      {GL_LINE_STRIP_ADJACENCY, Topology::lines, 4, 1, {1, 2}},
      {GL_TRIANGLES, Topology::triangles, 3, 3, {0, 1, 2}},
      {GL_QUADS, Topology::triangles, 4, 4, {0, 1, 2, 0, 2, 3}},       // divided by the driver
      {GL_QUAD_STRIP, Topology::triangles, 4, 2, {0, 1, 2, 1, 2, 3}},  // divided by the driver
      {GL_TRIANGLES_ADJACENCY, Topology::triangles, 6, 6, {0, 2, 4}},
      {GL_TRIANGLE_STRIP_ADJACENCY, Topology::triangles, 6, 2, {0, 2, 4}}};  // every second one turned over
  const auto found = std::find_if(kGroups.begin(), kGroups.end(), [&](const Groups& g) { return g.mode == mode; });
  return found == kGroups.end() ? nullptr : &*found;
}

void append_list(const Groups& groups, Run run, const QuadSplit& split, std::vector<uint32_t>& out) {
  std::span<const uint8_t> corners = groups.corners;
  if (groups.mode == GL_QUADS) corners = split.quad;
  if (groups.mode == GL_QUAD_STRIP) corners = split.strip;
  for (size_t first = 0; first + groups.size <= run.size(); first += groups.step) {
    for (const uint8_t corner : corners) out.push_back(run[first + corner]);
    const bool turned = groups.mode == GL_TRIANGLE_STRIP_ADJACENCY && first / groups.step % 2 == 1;
    if (turned) std::swap(out[out.size() - 3], out[out.size() - 2]);
  }
  if (groups.mode == GL_LINE_LOOP && run.size() > 1) out.insert(out.end(), {run.back(), run.front()});
}

// The topology, for modes that the file supports as well.
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
  const std::optional<Topology> same = same_topology(mode);
  const Groups* const groups = groups_of(mode);
  if (same && !(restart && groups)) {
    Assembly result{*same, indices != nullptr, restart, {}};
    if (indices) result.indices = indices->indices;
    return result;
  }
  if (!groups) return std::nullopt;
  Assembly result{groups->list, true, false, {}};
  std::vector<uint32_t> numbers(indices ? 0 : count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (const Run run : split_at_restarts(indices ? indices->indices : numbers)) {
    append_list(*groups, run, split, result.indices);
  }
  return result;
}

uint64_t count_triangles(GLenum mode, uint64_t count) {
  const std::optional<Topology> same = same_topology(mode);
  if (same == Topology::triangle_strip || same == Topology::triangle_fan) return primitive_count(*same, count);
  const Groups* const groups = groups_of(mode);
  if (!groups || groups->list != Topology::triangles || count < groups->size) return 0;
  return ((count - groups->size) / groups->step + 1) * (groups->corners.size() / 3);
}

GLenum feedback_primitive(GLenum mode) {
  const Groups* const groups = groups_of(mode);
  if (mode == GL_LINE_STRIP || (groups && groups->list == Topology::lines)) return GL_LINES;
  return mode == GL_POINTS ? GL_POINTS : GL_TRIANGLES;
}

}  // namespace brokkr::capture
