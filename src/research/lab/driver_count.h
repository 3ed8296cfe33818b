// Vertex shader runs as an OpenGL driver counts them, beside what the batch models predict.
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

// The driver runs in a process of its own (brokkr-gl-bench), so that neither this program needs OpenGL nor a driver's
// fault ends it.
class DriverCount {
 public:
  // `device`: as EglContext takes it ("", "software", a number). Throws std::runtime_error where there is no such
  // program or no OpenGL, and where the driver cannot count.
  explicit DriverCount(const std::string& device);

  const std::string& renderer() const { return renderer_; }  // GL_RENDERER

  // Per range its vertex shader runs, drawn as a triangle list. Throws std::runtime_error with the driver's words.
  std::vector<uint64_t> runs(std::span<const uint32_t> indices, std::span<const IndexRange> ranges);

 private:
  app::TemporaryFolder folder_;
  app::LineProcess process_;
  std::string renderer_;
};

}  // namespace brokkr::lab
