#include "inspect/vertex_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/loading.h"
#include "frame/bkf.h"
#include "plan/vertex_stage.h"

namespace brokkr {
namespace {

// The distance in pixels of two positions of which both are in front of the eye and inside the viewport; otherwise 0.
double pixels_between(const glm::vec4& a, const glm::vec4& b, const glm::vec4& viewport) {
  const auto is_inside = [](const glm::vec4& p) { return p.w > 0 && std::abs(p.x) <= p.w && std::abs(p.y) <= p.w; };
  if (!is_inside(a) || !is_inside(b)) return 0;
  double distance = 0;
  for (int axis = 0; axis < 2; ++axis) {
    const double apart = double(a[axis]) / double(a.w) - double(b[axis]) / double(b.w);
    distance = std::max(distance, std::abs(apart) * double(viewport[axis + 2]) / 2);
  }
  return distance;
}

VertexComparison compare(const Frame& frame, const DrawCommand& draw, const std::vector<glm::vec4>& stored) {
  VertexComparison result{.draws = 1, .positions = uint64_t(draw.vertex_count) * draw.instances};
  for (uint64_t i = 0; i < result.positions; ++i) {
    const glm::vec4 &ours = frame.positions[draw.first_vertex + i], &driver = stored[draw.first_vertex + i];
    uint32_t ulps = 0, equal_axes = 0;
    for (int axis = 0; axis < 4; ++axis) {
      ulps = std::max(ulps, ulps_between(ours[axis], driver[axis]));
      equal_axes += std::bit_cast<uint32_t>(ours[axis]) == std::bit_cast<uint32_t>(driver[axis]);
    }
    result.same += equal_axes == 4;
    result.close += ulps <= kCloseUlps;
    result.worst = std::max(result.worst, pixels_between(ours, driver, frame.states[draw.state].viewport));
  }
  return result;
}

}  // namespace

void VertexComparison::add(const VertexComparison& other) {
  draws += other.draws;
  positions += other.positions;
  same += other.same;
  close += other.close;
  worst = std::max(worst, other.worst);
}

uint32_t ulps_between(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<uint32_t>::max();
  // Consecutive floats have consecutive numbers; both zeros have the same.
  const auto number = [](float value) {
    const auto bits = std::bit_cast<int32_t>(value);
    return int64_t(bits < 0 ? std::numeric_limits<int32_t>::min() - int64_t(bits) : bits);
  };
  return uint32_t(std::abs(number(a) - number(b)));
}

bool ComparedFrame::runs(const DrawCommand& draw) const {
  const uint32_t program = frame.vertex_inputs[size_t(draw.vertices)].program;
  return std::find(failed_programs.begin(), failed_programs.end(), program) == failed_programs.end();
}

VertexComparison ComparedFrame::all() const {
  VertexComparison sum;
  for (const std::optional<VertexComparison>& draw : draws) {
    if (draw) sum.add(*draw);
  }
  return sum;
}

ComparedFrame load_compared(const std::string& file, const LoadOptions& options) {
  if (file.ends_with(".bkf")) return read_compared(file, options);
  ComparedFrame result;
  result.frame = load_frame(file, options);
  result.draws.resize(result.frame.commands.size());
  return result;
}

ComparedFrame read_compared(const std::string& file, const LoadOptions& options) {
  BkfDetails details;
  ComparedFrame result;
  Frame& frame = result.frame = read_bkf(std::filesystem::path(file), {}, options, &details);
  result.draws.resize(frame.commands.size());
  if (frame.vertex_inputs.empty()) return result;
  if (std::any_of(details.has_vertices.begin(), details.has_vertices.end(), [](bool has) { return has; })) {
    result.positions = frame.positions;
    result.varyings = frame.varyings;
  }
  Loading loading(options);
  loading.holds(memory_of(frame), "frame");
  for (const VertexFailure& one : run_vertex_programs(frame, loading)) {
    result.failed_programs.push_back(one.program);
    result.problems.push_back(
        fmt::format("vertex program {}: {}; {} of its draws cannot be shaded", one.program, one.reason, one.draws));
  }
  for (size_t i = 0; i < frame.commands.size() && result.is_compared(); ++i) {
    if (!details.has_vertices[i]) continue;
    const auto& draw = std::get<DrawCommand>(frame.commands[i]);
    if (result.runs(draw)) result.draws[i] = compare(frame, draw, result.positions);
  }
  return result;
}

}  // namespace brokkr
