#include "inspect/pixel_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

#include "plan/color_code.h"
#include "plan/launch_plan.h"
#include "plan/prepare.h"

namespace brokkr {

inline namespace BROKKR_INSPECT_ISA {
namespace inspect {
extern const SampleKernel kernel;
}
}  // namespace BROKKR_INSPECT_ISA

namespace {

// The source pixel that a blit copies to a destination pixel; empty if the blit does not write it. Rounds like the
// pipeline.
std::optional<PixelAddress> blit_source(const Frame& frame, const BlitCommand& blit, const FollowedSample& sample) {
  if (sample.target != blit.to || sample.layer != 0) return std::nullopt;
  const Rect &s = blit.source, &d = blit.destination;
  const float u = (float(sample.x - d.x) + 0.5f) / float(d.width), v = (float(sample.y - d.y) + 0.5f) / float(d.height);
  if (!(u > 0 && u < 1 && v > 0 && v < 1)) return std::nullopt;
  const int x = s.x + int(std::floor(u * float(s.width))), y = s.y + int(std::floor(v * float(s.height)));
  const Target& source = frame.targets[blit.from];
  if (x < 0 || y < 0 || x >= source.width || y >= source.height) return std::nullopt;
  return PixelAddress{blit.from, 0, x, y};
}

// The content of a pixel in a rendered target's layer.
SampleState state_of(const Target& target, const Layer& layer, const FollowedSample& sample) {
  const size_t i = size_t(sample.y) * size_t(layer.width) + size_t(sample.x);
  SampleState state;
  if (layer.color_float.empty()) {
    state.low = layer.color[i];
  } else {
    const float* const c = &layer.color_float[4 * i];
    const uint64_t code = color_code(target.format, {c[0], c[1], c[2], c[3]});
    state.low = uint32_t(code);
    state.high = uint32_t(code >> 32);
  }
  state.depth = layer.depth[i];
  state.stencil = layer.stencil[i];
  state.visible_id = layer.visible_id[i];
  state.depth_id = layer.depth_id[i];
  return state;
}

class History {
 public:
  History(Renderer& renderer, PreparedFrame& prepared, const PixelAddress& pixel, const RenderOptions& options)
      : renderer_(renderer),
        prepared_(prepared),
        impl_(PreparedFrame::Impl::of(prepared)),
        frame_(*impl_.frame),
        options_(options),
        shading_(impl_.shading(options.shading)) {
    result_.pixel = pixel;
    if (pixel.target >= frame_.targets.size() || pixel.layer >= uint32_t(frame_.targets[pixel.target].layers) ||
        pixel.x < 0 || pixel.y < 0 || pixel.x >= frame_.targets[pixel.target].width ||
        pixel.y >= frame_.targets[pixel.target].height) {
      throw std::invalid_argument("pixel " + std::to_string(pixel.x) + "," + std::to_string(pixel.y) +
                                  ": the target has no such pixel");
    }
    result_.format = frame_.targets[pixel.target].format;
    const size_t commands = frame_.commands.size();
    limit_ = options.command_limit ? std::min<size_t>(*options.command_limit, commands) : commands;
    plan_bins(options);
    plan_.draws = impl_.draws;
    tables_ = impl_.tables(plan_);
    follow_sources();
  }

  PixelHistory run() {
    size_t run = 0;
    for (place_ = 0; place_ < limit_; ++place_) {
      command_ = impl_.order[place_];
      for (size_t i = 0; i < samples_.size(); ++i) samples_[i].active = place_ < needed_until_[i];
      const Command& command = frame_.commands[command_];
      if (const auto* clear = std::get_if<ClearCommand>(&command)) apply(*clear);
      if (const auto* blit = std::get_if<BlitCommand>(&command)) apply(*blit);
      if (const auto* load = std::get_if<LoadCommand>(&command))
        take_over(PixelEvent::Kind::load, load->target, load->plane, std::nullopt);
      if (const auto* copy = std::get_if<CopyCommand>(&command))
        take_over(PixelEvent::Kind::copy, copy->to, copy->to_plane,
                  Rect{copy->x, copy->y, copy->source.width, copy->source.height});
      const size_t first = result_.events.size();
      hit_ = false;
      for (; run < impl_.runs.size() && impl_.draws[impl_.runs[run].draw].command == command_; ++run) draw(run);
      if (hit_ && shading_ == Shading::program) correct_events(first);
    }
    result_.end = samples_[0].state;
    return std::move(result_);
  }

 private:
  void plan_bins(const RenderOptions& options) {
    const TargetPlan plan = plan_targets(frame_, {options.pattern, options.rasterizers, options.bin});
    targets_ = plan.targets;
    const PixelAddress& p = result_.pixel;
    result_.bin = plan.bin;
    result_.bin_x = p.x / plan.bin;
    result_.bin_y = p.y / plan.bin;
    result_.rasterizers = uint32_t(plan.rasterizers);
    const TargetRecord& target = plan.targets[p.target];
    const uint32_t owner =
        plan.bin_owner[target.first_bin + uint32_t(result_.bin_y) * target.bins_x + uint32_t(result_.bin_x)];
    result_.rasterizer = (owner + layer_offset(p.target, p.layer, result_.rasterizers)) % result_.rasterizers;
  }

  // Adds the source pixels of blits to followed pixels. It works from the frame's end to its start; a source pixel is
  // followed until the command that reads it.
  void follow_sources() {
    follow(result_.pixel, limit_);
    for (size_t c = limit_; c-- > 0;) {
      const auto* blit = std::get_if<BlitCommand>(&frame_.commands[c]);
      if (blit == nullptr) continue;
      const size_t known = samples_.size();
      for (size_t i = 0; i < known; ++i) {
        if (c >= needed_until_[i]) continue;
        if (const auto source = blit_source(frame_, *blit, samples_[i])) follow(*source, c);
      }
    }
  }

  size_t find(const PixelAddress& pixel) const {
    const auto same = [&](const FollowedSample& s) { return PixelAddress{s.target, s.layer, s.x, s.y} == pixel; };
    return size_t(std::find_if(samples_.begin(), samples_.end(), same) - samples_.begin());
  }

  void follow(const PixelAddress& pixel, size_t until) {
    const size_t known = find(pixel);
    if (known < samples_.size()) {
      needed_until_[known] = std::max(needed_until_[known], until);
      return;
    }
    samples_.push_back({pixel.target, pixel.layer, pixel.x, pixel.y, true, {}});
    needed_until_.push_back(until);
  }

  void note(PixelEvent event) {
    event.command = command_;
    event.after = samples_[0].state;
    result_.events.push_back(event);
  }

  void apply(const ClearCommand& clear) {
    for (size_t i = 0; i < samples_.size(); ++i) {
      FollowedSample& s = samples_[i];
      if (!s.active || s.target != clear.target) continue;
      if (clear.scissor) {
        const Rect& r = *clear.scissor;
        if (s.x < r.x || s.y < r.y || int64_t(s.x) >= int64_t(r.x) + r.width || int64_t(s.y) >= int64_t(r.y) + r.height)
          continue;
      }
      const PixelEvent event{.kind = PixelEvent::Kind::clear, .before = s.state};
      if (clear.color) {
        const uint64_t code = color_code(frame_.targets[clear.target].format, *clear.color);
        s.state.low = uint32_t(code);
        s.state.high = uint32_t(code >> 32);
        s.state.visible_id = kNoPrimitive;
      }
      if (clear.depth) {
        s.state.depth = std::clamp(*clear.depth, 0.0f, 1.0f) + 0.0f;
        s.state.depth_id = kNoPrimitive;
      }
      if (clear.stencil) s.state.stencil = *clear.stencil;
      if (i == 0) note(event);
    }
  }

  void apply(const BlitCommand& blit) {
    struct Copy {
      size_t to;
      PixelAddress source;
      SampleState state;
    };
    std::vector<Copy> copies;  // all are read before any is written
    for (size_t i = 0; i < samples_.size(); ++i) {
      if (!samples_[i].active) continue;
      const auto source = blit_source(frame_, blit, samples_[i]);
      if (source) copies.push_back({i, *source, samples_[find(*source)].state});
    }
    const uint32_t source = targets_[blit.from].format, destination = targets_[blit.to].format;
    for (Copy& copy : copies) {
      SampleState& state = samples_[copy.to].state;
      const PixelEvent event{.kind = PixelEvent::Kind::blit, .before = state, .source = copy.source};
      if (blit.color) {
        if (source != destination) inspect::kernel.convert(source, destination, copy.state.low, copy.state.high);
        state.low = copy.state.low;
        state.high = copy.state.high;
        state.visible_id = copy.state.visible_id;
      }
      if (blit.depth) {
        state.depth = copy.state.depth;
        state.depth_id = copy.state.depth_id;
      }
      if (blit.stencil) state.stencil = copy.state.stencil;
      if (copy.to == 0) note(event);
    }
  }

  void draw(size_t number) {
    const RunRecord& run = impl_.runs[number];
    const DrawRecord& record = impl_.draws[run.draw];
    const ViewRecord& view = impl_.views[run.view];
    const bool touched = std::any_of(samples_.begin(), samples_.end(), [&](const FollowedSample& s) {
      return s.active && s.target == view.target && s.layer == view.layer && s.x >= record.rect[0] &&
             s.y >= record.rect[1] && s.x < record.rect[2] && s.y < record.rect[3];
    });
    if (!touched) return;
    color_mask_ = record.color_mask;
    const size_t next = number + 1;
    const uint32_t end = next < impl_.runs.size() ? impl_.runs[next].first_batch : uint32_t(impl_.batch_run.size());
    inspect::kernel.draw(
        {tables_, targets_.data(), shading_, samples_.data(), uint32_t(samples_.size()), &History::take, this},
        run.first_batch, end);
  }

  // Sets the followed pixels to the content that a render of the frame has after the current command.
  void render_here() {
    RenderOptions options = options_;
    options.command_limit = uint32_t(place_ + 1);
    options.keep_ids = true;
    options.samples = 1;  // the pixel's centre is followed
    const RenderResult result = renderer_.render(prepared_, options);
    if (result.aborted) throw std::runtime_error("the pixel's history was cut off");
    for (FollowedSample& s : samples_)
      s.state = state_of(frame_.targets[s.target], result.targets[s.target].layers[s.layer], s);
  }

  // The effect of a command that occurs only in frames with programs.
  void take_over(PixelEvent::Kind kind, uint32_t target, TargetPlane plane, const std::optional<Rect>& where) {
    const bool shown = plane == TargetPlane::color0 || plane == TargetPlane::depth || plane == TargetPlane::stencil;
    if (shading_ != Shading::program || !shown) return;
    const auto written = [&](const FollowedSample& s) {
      return s.active && s.target == target && s.layer == 0 &&
             (!where ||
              (s.x >= where->x && s.y >= where->y && s.x - where->x < where->width && s.y - where->y < where->height));
    };
    if (!std::any_of(samples_.begin(), samples_.end(), written)) return;
    const PixelEvent event{.kind = kind, .before = samples_[0].state};
    render_here();
    if (written(samples_[0])) note(event);
  }

  // After a draw whose programs did not run here: takes the pixels' content from the render, and corrects the fates of
  // the draw's fragments (events `first` and later) as far as that content determines them.
  void correct_events(size_t first) {
    const SampleState before = first < result_.events.size() ? result_.events[first].before : samples_[0].state;
    render_here();
    const SampleState& after = samples_[0].state;
    bool seen = false;
    for (size_t i = result_.events.size(); i-- > first;) {
      PixelEvent& e = result_.events[i];
      const bool last = i + 1 == result_.events.size(),
                 written = after.visible_id == e.fragment.primitive || after.depth_id == e.fragment.primitive;
      if (written)
        e.fragment.fate = FragmentFate::passed;
      else if (!seen && color_mask_ != 0 && e.fragment.fate == FragmentFate::passed)
        e.fragment.fate = FragmentFate::discarded;
      seen = seen || after.visible_id == e.fragment.primitive;
      e.known_before = i == first;
      e.known_after = last;
      e.before = i == first ? before : SampleState{};
      e.after = last ? after : SampleState{};
      if (after.visible_id == e.fragment.primitive) e.after.visible_id = after.visible_id;
      e.known_shader = false;
    }
  }

  static void take(void* self, const SampleFragment& fragment) {
    History& history = *static_cast<History*>(self);
    history.hit_ = true;
    if (fragment.sample != 0) return;
    ++history.result_.fragments;
    history.note({.kind = PixelEvent::Kind::fragment,
                  .before = fragment.before,
                  .fragment = fragment,
                  .origin = history.prepared_.origin(fragment.primitive)});
  }

  Renderer& renderer_;
  PreparedFrame& prepared_;
  const PreparedFrame::Impl& impl_;
  const Frame& frame_;
  const RenderOptions& options_;
  Shading shading_;
  size_t limit_ = 0, place_ = 0;  // in the drawing order
  uint32_t command_ = 0;          // its number in the frame
  DrawPlan plan_;
  FrameTables tables_{};
  std::vector<TargetRecord> targets_;
  std::vector<FollowedSample> samples_;  // the requested pixel comes first
  std::vector<size_t> needed_until_;     // for each sample, the last command that reads it
  bool hit_ = false;                     // whether the command's triangles hit a followed pixel
  uint32_t color_mask_ = 0;              // of the last draw
  PixelHistory result_;
};

using Json = nlohmann::ordered_json;

std::array<float, 4> half_values(uint32_t low, uint32_t high) {
  return {half_to_float(uint16_t(low)), half_to_float(uint16_t(low >> 16)), half_to_float(uint16_t(high)),
          half_to_float(uint16_t(high >> 16))};
}

Json color_json(ColorFormat format, uint32_t low, uint32_t high) {
  if (format == ColorFormat::rgba16f) return half_values(low, high);
  return {low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24};
}

Json state_json(ColorFormat format, const SampleState& s) {
  Json json = {{"color", color_json(format, s.low, s.high)}, {"depth", s.depth}, {"stencil", s.stencil}};
  if (s.visible_id != kNoPrimitive) json["visible_id"] = s.visible_id;
  if (s.depth_id != kNoPrimitive) json["depth_id"] = s.depth_id;
  return json;
}

Json event_json(const PixelHistory& history, const PixelEvent& e, const Frame& frame) {
  Json json = {{"kind", kind_name(e.kind)}, {"command", e.command}};
  if (e.kind == PixelEvent::Kind::fragment) {
    const std::string& label = std::get<DrawCommand>(frame.commands[e.command]).label;
    if (!label.empty()) json["label"] = label;
    json["view"] = e.origin.view;
    json["instance"] = e.origin.instance;
    json["triangle"] = e.origin.triangle;
    json["batch"] = e.origin.batch;
    json["primitive_id"] = e.fragment.primitive;
    json["depth"] = e.fragment.depth;
    json["result"] = fate_name(e.fragment.fate);
    json["shader_color"] =
        e.known_shader ? color_json(history.format, e.fragment.shader_low, e.fragment.shader_high) : Json();
  } else if (e.kind == PixelEvent::Kind::blit) {
    json["from"] = {{"target", frame.targets[e.source.target].id}, {"x", e.source.x}, {"y", e.source.y}};
  }
  json["before"] = e.known_before ? state_json(history.format, e.before) : Json();
  json["after"] = e.known_after ? state_json(history.format, e.after) : Json();
  return json;
}

}  // namespace

std::optional<size_t> PixelHistory::color_writer() const {
  for (size_t i = events.size(); i-- > 0;) {
    const PixelEvent& e = events[i];
    if (e.kind == PixelEvent::Kind::fragment && e.fragment.fate == FragmentFate::passed &&
        e.after.visible_id == e.fragment.primitive)
      return i;
  }
  return std::nullopt;
}

PixelHistory pixel_history(Renderer& renderer, PreparedFrame& prepared, const PixelAddress& pixel,
                           const RenderOptions& options) {
  return History(renderer, prepared, pixel, options).run();
}

const char* kind_name(PixelEvent::Kind kind) {
  constexpr const char* kNames[] = {"clear", "fragment", "blit", "load", "copy"};
  return kNames[size_t(kind)];
}

const char* fate_name(FragmentFate fate) {
  constexpr const char* kNames[] = {"passed", "discarded", "stencil failed", "depth failed"};
  return kNames[size_t(fate)];
}

std::string color_text(ColorFormat format, uint32_t low, uint32_t high) {
  if (format != ColorFormat::rgba16f)
    return fmt::format("{} {} {} {}", low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24);
  const std::array<float, 4> c = half_values(low, high);
  return fmt::format("{:.4g} {:.4g} {:.4g} {:.4g}", c[0], c[1], c[2], c[3]);
}

Json to_json(const PixelHistory& h, const Frame& frame) {
  const Target& target = frame.targets[h.pixel.target];
  Json json = {{"target", target.id},
               {"width", target.width},
               {"height", target.height},
               {"layer", h.pixel.layer},
               {"x", h.pixel.x},
               {"y", h.pixel.y},
               {"bin", {{"edge", h.bin}, {"x", h.bin_x}, {"y", h.bin_y}}},
               {"rasterizer", h.rasterizer},
               {"rasterizers", h.rasterizers},
               {"fragments", h.fragments},
               {"end", state_json(h.format, h.end)},
               {"events", Json::array()}};
  for (const PixelEvent& e : h.events) json["events"].push_back(event_json(h, e, frame));
  return json;
}

}  // namespace brokkr
