#include "oracle/oracle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <variant>

#include "oracle/assembly.h"
#include "oracle/fragment.h"
#include "oracle/triangle.h"

namespace brokkr::oracle {
namespace {

// FNV-1a over everything that determines the depths of a triangle.
uint64_t hash(const std::array<glm::vec4, 3>& clip, const State& state, uint32_t flags, const PixelRect& pixels) {
  uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&h](uint32_t bits) { h = (h ^ bits) * 0x100000001b3u; };
  const auto add_vector = [&](const glm::vec4& v) {
    for (int i = 0; i < 4; ++i) add(std::bit_cast<uint32_t>(v[i]));
  };
  for (const glm::vec4& v : clip) add_vector(v);
  const PolygonOffset offset = state.polygon_offset.value_or(PolygonOffset{});
  add_vector(state.viewport);
  add_vector({state.depth_near, state.depth_far, offset.factor, offset.units});
  add(flags);
  // The depth plane's reference pixel depends on the pixels that the draw may touch.
  for (const int edge : {pixels.left, pixels.bottom, pixels.right, pixels.top}) add(uint32_t(edge));
  return h;
}

class Run {
 public:
  Run(const Frame& frame, const Options& options) : frame_(frame), options_(options) {
    if (!options.color) throw std::invalid_argument("oracle: Options::color is empty; give a colour source");
    for (const Target& target : frame.targets) {
      Surface layer{target.width, target.height, target.format, {}};
      layer.pixels.resize(size_t(target.width) * size_t(target.height));
      result_.targets.emplace_back(size_t(target.layers), layer);
    }
  }

  Result execute() {
    const size_t end = std::min(frame_.commands.size(), size_t(options_.command_limit.value_or(~0u)));
    for (command_ = 0; command_ < end; ++command_) {
      std::visit([this](const auto& command) { run(command); }, frame_.commands[command_]);
    }
    return std::move(result_);
  }

 private:
  void run(const ClearCommand& command) {
    for (Surface& layer : result_.targets.at(command.target)) clear(layer, command);
  }

  void run(const BlitCommand& command) {
    blit(result_.targets.at(command.from).at(0), result_.targets.at(command.to).at(0), command);
  }

  // Only programs read this state, so it does not affect pictures without them.
  void run(const LoadCommand&) {}
  void run(const GenerateMipsCommand&) {}
  void run(const CopyCommand&) {}

  void run(const DrawCommand& draw) {
    const State& state = frame_.states.at(draw.state);
    if (state.polygon_mode != PolygonMode::fill) {
      throw std::invalid_argument("oracle: polygon mode " + std::to_string(int(state.polygon_mode)) + " is not fill");
    }
    const std::vector<Corners> triangles = assemble(frame_, draw);
    for (uint32_t view = draw.first_view; view < draw.first_view + draw.view_count; ++view) {
      const View& seen = frame_.views.at(view);
      Surface& surface = result_.targets.at(seen.target).at(seen.layer);
      for (uint32_t instance = 0; instance < draw.instances; ++instance) {
        for (uint32_t t = 0; t < triangles.size(); ++t) {
          std::array<glm::vec4, 3> clip;
          for (size_t i = 0; i < 3; ++i) clip[i] = clip_position(frame_, draw, view, instance, triangles[t][i]);
          run(surface, state, draw.flags, clip, {uint32_t(command_), view, instance, t});
        }
      }
    }
  }

  void run(Surface& surface, const State& state, uint32_t flags, const std::array<glm::vec4, 3>& clip,
           const Primitive& primitive) {
    Counts& counts = result_.counts;
    const uint32_t id = uint32_t(result_.primitives.size());
    result_.primitives.push_back(primitive);
    samples_.clear();
    const PixelRect pixels = drawable_pixels(state, surface.width, surface.height);
    const Fate fate = cover(clip, state, flags, pixels, options_.clip_tolerance, samples_, place_in(state, primitive));
    if (options_.samples > 1 && (state.sample_mask >> options_.sample & 1) == 0) samples_.clear();
    ++counts.triangles;
    counts.culled += fate == Fate::culled;
    counts.clipped += fate == Fate::clipped;
    if (samples_.empty()) return;
    const glm::vec4 color = options_.color(primitive);
    const uint64_t geometry = hash(clip, state, flags, pixels);
    for (Sample& sample : samples_) {
      sample.geometry = geometry;
      ++counts.fragments;
      counts.uncertain_fragments += !sample.certain;
      shade(surface, state, sample, color, id);
    }
  }

  SamplePlace place_in(const State& state, const Primitive& primitive) const {
    SamplePlace place = place_of_sample(options_.samples, options_.sample);
    if (frame_.targets.at(frame_.views.at(primitive.view).target).mirrored_samples) place.y = -place.y;
    if (state.one_sample) place.x = place.y = 0;
    return place;
  }

  const Frame& frame_;
  const Options& options_;
  Result result_;
  size_t command_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace

Result render(const Frame& frame, const Options& options) { return Run(frame, options).execute(); }

}  // namespace brokkr::oracle
