// Counts vertex shader runs with an OpenGL driver, for comparison with the batch models' predictions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/line_process.h"
#include "app/tool.h"

namespace brokkr::lab {

// Indices first .. first + count - 1, drawn by one call.
struct IndexRange {
  uint32_t first = 0, count = 0;
};

// The driver runs in a separate process (brokkr-gl-bench), so this program does not need OpenGL and survives a driver's
// fault.
class DriverCount {
 public:
  // `device`: as EglContext takes it ("", "software", a number). Throws std::runtime_error if brokkr-gl-bench or OpenGL
  // is missing, or if the driver cannot count.
  explicit DriverCount(const std::string& device);

  const std::string& renderer() const { return renderer_; }  // GL_RENDERER

  // The vertex shader runs of each range, drawn as a triangle list. Throws std::runtime_error with the driver's
  // message.
  std::vector<uint64_t> runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges);

 private:
  app::TemporaryFolder folder_;
  app::LineProcess process_;
  std::string renderer_;
};

}  // namespace brokkr::lab
