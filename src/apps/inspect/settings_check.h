// Renders pictures under random settings and compares them. Options that do not decide the picture (brokkr/options.def)
// must not change one bit of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brokkr/renderer.h"

namespace brokkr {

// Random numbers, the same for a seed on every computer.
class Lot {
 public:
  explicit Lot(uint64_t seed) : state_(seed) {}
  // 0 to `count` - 1.
  uint32_t below(uint32_t count);
  // min to max, with all orders of magnitude equally likely. 0 <= min <= max.
  double magnitude(double min, double max);

 private:
  uint64_t next();
  uint64_t state_;
};

// Random values for every option that must not change the picture. Options in `kept` keep their value in `base`, and so
// do those for which this computer has no machine. An option that only one machine or policy reads is set together with
// that. Numbers stay below what makes a launch long: 64 workers, 256 multiply-adds per vertex, a store of 16384 blocks.
RenderOptions random_settings(const RenderOptions& base, const std::set<std::string>& kept, const Frame& frame,
                              Lot& lot);

// The options that differ from `base`, in command-line form: " --bin 8 --pattern hilbert".
std::string settings_text(const RenderOptions& options, const RenderOptions& base);

// The first kind of value in which two pictures of a target's layer differ.
struct PictureDifference {
  const char* what = "";     // "colour", "depth", "stencil", "visible triangle", "depth writer", "coverage"
  size_t target = 0;         // index into Frame::targets
  size_t layer = 0;          // of the target
  uint64_t pixels = 0;       // number of differing pixels in this layer
  int x = 0, y = 0;          // the first of them; the origin is at the bottom left
  std::string refusal = {};  // the reason, if no picture was drawn
};

// Compares all targets and layers bit by bit. Pictures of different sizes differ in "size".
std::optional<PictureDifference> first_difference(const std::vector<TargetImage>& expected,
                                                  const std::vector<TargetImage>& seen);

// Draws all targets of one frame under these options. May throw std::exception, which counts as a difference.
using DrawTargets = std::function<std::vector<TargetImage>(const RenderOptions&)>;

// Compares pictures with those of `base`: colour, depth, stencil and both identifiers under base.shading, and the
// fragments that covered each sample under Shading::overdraw.
class SettingsCheck {
 public:
  // Throws what `draw` throws for `base`.
  SettingsCheck(DrawTargets draw, const RenderOptions& base);

  // Empty if the pictures are equal.
  std::optional<PictureDifference> difference(const RenderOptions& options) const;

  // Resets options to `base` one by one as long as a difference remains. The result is a minimal set that shows it.
  RenderOptions fewest(RenderOptions options) const;

 private:
  std::vector<std::vector<TargetImage>> draw_all(RenderOptions options) const;

  DrawTargets draw_;
  RenderOptions base_;
  std::vector<std::vector<TargetImage>> expected_;
};

}  // namespace brokkr
