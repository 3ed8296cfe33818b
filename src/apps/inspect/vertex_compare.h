// Compares the vertices that vertex programs compute with those that the application's driver computed.
#pragma once

#include <cstdint>
#include <glm/vec4.hpp>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr {

struct VertexComparison {
  uint64_t draws = 0, positions = 0;
  uint64_t same = 0;   // positions with the same bits
  uint64_t close = 0;  // positions whose four numbers are each within kCloseUlps units in the last place
  double worst = 0;    // the largest distance in pixels of the draw's viewport, of vertices inside of it
  double percent() const { return positions == 0 ? 100 : 100.0 * double(close) / double(positions); }
  void add(const VertexComparison& other);
};
inline constexpr uint32_t kCloseUlps = 2;

// The number of floats between two numbers; 0 if both are NaN, and the largest number if one of them is.
uint32_t ulps_between(float a, float b);

// A captured frame with computed vertices, and those that its file holds. Without vertex programs, or if the file
// leaves out all vertices, nothing is compared.
struct ComparedFrame {
  Frame frame;
  std::vector<std::string> problems;      // one line for each vertex program that cannot run
  std::vector<uint32_t> failed_programs;  // indices into Frame::vertex_programs, in the same order
  // By command: the comparison of a draw whose program runs and whose vertices the file also holds. Empty for other
  // commands.
  std::vector<std::optional<VertexComparison>> draws;
  // The positions and varyings of the file, in the places of those of `frame`. Empty if nothing is compared.
  std::vector<glm::vec4> positions;
  std::vector<float> varyings;

  bool is_compared() const { return !positions.empty(); }
  // Returns false if a draw's vertex program cannot run.
  bool runs(const DrawCommand& draw) const;
  VertexComparison all() const;
};

// Reads a captured frame. Throws like read_bkf.
ComparedFrame read_compared(const std::string& file, const LoadOptions& options);
// Does the same for a file name that ends in .bkf, and load_frame for every other source.
ComparedFrame load_compared(const std::string& file, const LoadOptions& options);

}  // namespace brokkr
