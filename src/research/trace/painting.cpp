#include "trace/painting.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/text.h"
#include "base/json_parse.h"
#include "log/text.h"
#include "trace/module.h"
#include "viewer/json_entries.h"

namespace brokkr::viewer {
namespace {

std::string light_text(const glm::vec3& c) { return shortest(c.x) + "," + shortest(c.y) + "," + shortest(c.z); }

// The options of `brokkr trace` that draw the picture again.
std::string traced_options(const TraceSettings& t, const TracePainting& p) {
  constexpr const char* kStructures[] = {"kd", "grug", "bvh"};
  const uint32_t samples = p.report.is_complete ? t.samples : std::max(4u, uint32_t(std::lround(p.mean_samples)));
  std::string text = " --samples " + std::to_string(samples) + " --seed " + std::to_string(t.seed) + " --bounces " +
                     std::to_string(t.bounces);
  if (t.adaptive) text += " --adaptive --worst-error " + shortest(t.worst_error);
  if (t.adaptive && t.decreasing_priorities) text += " --decreasing-priorities";
  if (t.adaptive && t.metric == trace::Metric::contrast) text += " --metric contrast";
  if (t.sky) text += " --sky " + light_text(*t.sky);
  if (t.sun) text += " --sun " + light_text(*t.sun);
  if (t.aperture > 0) text += " --aperture " + shortest(t.aperture);
  if (t.aperture > 0 && t.focus > 0) text += " --focus " + shortest(t.focus);
  text += " --exposure " + shortest(t.exposure);  // the command would choose one itself
  if (t.tone == trace::Tone::filmic) text += " --tone filmic";
  if (t.structure != trace::StructureKind::bvh) text += std::string(" --structure ") + kStructures[size_t(t.structure)];
  if (t.structure == trace::StructureKind::grug) text += " --grid " + std::to_string(t.grid);
  return text;
}

void for_each_trace_entry(auto& trace, const auto& entry) {
  entry("adaptive", trace.adaptive);
  entry("samples", trace.samples);
  entry("bounces", trace.bounces);
  entry("worst_error", trace.worst_error);
  entry("decreasing_priorities", trace.decreasing_priorities);
  entry("exposure", trace.exposure);
  entry("map_opacity", trace.map_opacity);
}

void read_trace_entry(const std::string& text, ModuleSettings& settings) {
  if (text.empty()) return;
  TraceSettings& s = settings.get<TraceSettings>();
  const TraceSettings usual;
  const auto json = parse_json<nlohmann::json>(text);
  for_each_trace_entry(s, [&](const char* name, auto& value) { take(json, name, value); });
  s.samples = std::clamp(s.samples, 4u, kMostSamples);
  s.bounces = std::min(s.bounces, kMostBounces);
  keep_within(s.worst_error, 1e-6f, 1e6f, usual.worst_error);
  keep_within(s.exposure, -kMaxExposure, kMaxExposure, usual.exposure);
  keep_within(s.map_opacity, 0, 1, usual.map_opacity);
}

std::string write_trace_entry(const ModuleSettings& settings) {
  nlohmann::ordered_json json;
  for_each_trace_entry(settings.get<TraceSettings>(), [&](const char* name, const auto& value) { json[name] = value; });
  return json.dump();
}

bool takes_trace(const Scene* scene, const FrameSettings& settings) {
  return trace_of(settings).on && (scene == nullptr || !scene->content);
}

}  // namespace

std::vector<StatusPart> TracePainting::status(const FrameSettings& settings) const {
  return {{app::fixed(mean_samples, 1) + " samples a pixel" +
               (report.is_complete          ? ""
                : trace_of(settings).paused ? ", paused"
                                            : " ..."),
           "Light is traced: panel Trace; L draws frames again"},
          {app::fixed(report.ms / 1000, 1) + " s", "Time that tracing this picture has taken so far"}};
}

PaintingRecord TracePainting::record(const Scene& scene, const FrameSettings& settings) const {
  const nlohmann::ordered_json facts = {{"mean_samples", mean_samples},
                                        {"least_samples", least_samples},
                                        {"most_samples", most_samples},
                                        {"done", report.is_complete},
                                        {"ms", report.ms},
                                        {"paused", trace_of(settings).paused}};
  return {"trace", scene.path, traced_options(trace_of(settings), *this), "trace", facts.dump()};
}

std::unique_ptr<const LinearPicture> TracePainting::light() const {
  return std::make_unique<const LinearPicture>(LinearPicture{picture.width, picture.height, picture.rgb});
}

PaintingKind trace_painting_kind() { return {make_trace_painter, takes_trace, nullptr, true}; }

ModuleEntry trace_entry() { return {"trace", read_trace_entry, write_trace_entry}; }

Module trace_view_module() {
  Module module;
  module.view = app::trace_view_part();
  module.panels = {make_trace_panel};
  module.tour = {{.title = "Light",
                  .summary = "The same scene by path tracing, while you watch",
                  .text =
                      "The scene's light is traced: coarse first, then region by region. L goes back to its frames; "
                      "panel Trace has exposure, light, lens and the map of samples.",
                  .scenes = {"assets/courtyard.obj", "generated:city"},
                  .panel = "Trace",
                  .key = KeyEvent{Action::of_module, kTraceKey}}};
  module.keys = {{Action::of_module, kTraceKey, kNoModifier, "Pipeline", "Trace the scene's light, or draw its frames",
                  kTraceKey}};
  module.painting = trace_painting_kind();
  module.entry = trace_entry();
  return module;
}

}  // namespace brokkr::viewer
