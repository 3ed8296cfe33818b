#include "viewer/status_bar.h"

#include <imgui.h>

#include <utility>

#include "app/text.h"
#include "bin/pattern_image.h"
#include "viewer/looks.h"
#include "viewer/pattern_facts.h"

namespace brokkr::viewer {
namespace {

// The vector instructions of an instruction set of the CPU machine.
std::string instructions(const std::string& isa) {
  for (const auto& [name, meaning] :
       {std::pair{"v2", "SSE4.2"}, std::pair{"v3", "AVX2"}, std::pair{"v4", "AVX-512"}, std::pair{"neon", "NEON"}}) {
    if (isa == name) return meaning;
  }
  return isa;
}

std::string machine_text(const Statistics& s) {
  if (s.machine == "cpu")
    return "CPU with " + counted(uint64_t(s.workers), "thread") + " (" + instructions(s.isa) + ")";
  if (s.machine == "cuda") return "GPU with " + counted(uint64_t(s.workers), "block");
  return s.machine + " machine with " + counted(uint64_t(s.workers), "block");
}

// Describes the machine; each rank has one of its own.
StatusPart machine_part(const Rendered& frame, const std::string& way) {
  const std::string others = frame.ranks > 1 ? " in each of " + counted(uint64_t(frame.ranks), "rank") : "";
  return {machine_text(frame.result.statistics) + others,
          "The machine that draws (panel Pipeline, machine). Path to the window: " + way};
}

StatusPart time_part(const Rendered& frame, double frames_per_second) {
  const double ms = frame.result.statistics.frame_ms;
  StatusPart part{app::fixed(ms, 2) + " ms", "Time to draw this frame"};
  if (frames_per_second > 0) {
    part.text += ", " + app::fixed(frames_per_second, 1) + " frames per second";
    part.tip += "; frames that reached the window per second";
  }
  if (frame.result.aborted) {
    part.text += " (cut off)";
    part.tip += ". The frame was ended early, by its time budget or by a newer frame";
  }
  return part;
}

}  // namespace

std::vector<StatusPart> status_parts(const Rendered& frame, double frames_per_second, float zoom,
                                     const std::string& way) {
  const Statistics& s = frame.result.statistics;
  if (frame.painting) {
    std::vector<StatusPart> parts = frame.painting->status(frame.settings);
    parts.insert(parts.begin(), {display_name(frame.scene->path), "The file: " + app::printable(frame.scene->path)});
    parts.push_back(
        {std::to_string(frame.width) + " x " + std::to_string(frame.height) + " pixels", "Size of the picture"});
    parts.push_back({counted(s.triangles_in, "triangle"), "Triangles that rays can hit, or that the pipeline draws"});
    parts.push_back(machine_part(frame, way));
    parts.push_back(
        {app::fixed(double(zoom) * 100, 0) + " %", "Size on the screen: at 100 %, each pixel is one screen pixel"});
    return parts;
  }
  std::vector<StatusPart> parts = {
      {display_name(frame.scene->path), "The file: " + app::printable(frame.scene->path)},
      time_part(frame, frames_per_second),
      {std::to_string(frame.width) + " x " + std::to_string(frame.height) + " pixels", "Size of the picture"},
      {counted(s.triangles_in, "triangle"), "Triangles that the frame's draws submit"},
      machine_part(frame, way),
      {"pattern " + s.pattern + " of " + counted(uint64_t(s.rasterizers), "rasterizer"),
       "The picture is divided into square bins of " + std::to_string(s.bin) +
           " pixels. The pattern determines which rasterizer draws each bin: panel Pattern, or key P"},
      {app::fixed(double(zoom) * 100, 0) + " %", "Size on the screen: at 100 %, each pixel is one screen pixel"}};
  if (s.false_color_draws > 0) {
    StatusPart part{counted(s.false_color_draws, "draw") + " in false colours", "Their programs cannot run:"};
    for (const std::string& line : s.false_colors) part.tip += "\n" + app::printable(line);
    parts.insert(parts.begin() + 2, std::move(part));
  }
  return parts;
}

float draw_status_load(const Rendered& frame) {
  const Statistics& s = frame.result.statistics;
  if (s.rasterizer_fragments.empty()) return 0;
  const LoadStatistics load = load_statistics(s.rasterizer_fragments);
  const float em = ImGui::GetFontSize(), all = ImGui::GetContentRegionAvail().x;
  const std::string text = "load c_v " + app::fixed(load.cv, 3);
  const float bars = std::min(12 * em, 0.2f * all), width = bars + 0.6f * em + ImGui::CalcTextSize("load c_v 0.000").x;
  if (width > 0.5f * all) return 0;
  const float left = ImGui::GetCursorPosX();
  const ImVec2 corner = ImGui::GetCursorScreenPos(), top_left(corner.x + all - bars, corner.y);
  draw_load_bars(*ImGui::GetWindowDrawList(), top_left, {bars, ImGui::GetTextLineHeight()}, load.load, load.mean);
  ImGui::SetCursorPosX(left + all - width);
  ImGui::TextUnformatted(text.c_str());
  ImGui::SameLine(left + all - bars);
  ImGui::Dummy({bars, ImGui::GetTextLineHeight()});
  tip("One bar per rasterizer of the last frame: the fragments that it drew; the line is the mean. c_v: standard "
      "deviation divided by the mean; 0 is even. Maximum / mean: " +
      app::fixed(load.imbalance, 2));
  ImGui::SetCursorScreenPos(corner);
  return width + em;
}

void draw_status(const std::vector<StatusPart>& parts, float reserved_right) {
  const float gap = 1.5f * ImGui::GetFontSize(), dots = ImGui::CalcTextSize("...").x;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - reserved_right;
  float x = ImGui::GetCursorPosX();
  bool left_out = false;
  std::string all;
  for (size_t i = 0; i < parts.size(); ++i) {
    all += (i > 0 ? "\n" : "") + parts[i].text;
    const float width = ImGui::CalcTextSize(parts[i].text.c_str()).x;
    // space for the dots, in case the next part does not fit
    const float reserved = i + 1 < parts.size() ? gap + dots : 0;
    left_out = left_out || x + width + reserved > right;
    if (left_out) continue;
    if (i > 0) ImGui::SameLine(x);
    ImGui::TextUnformatted(parts[i].text.c_str());
    tip(parts[i].tip);
    x += width + gap;
  }
  if (!left_out) return;
  ImGui::SameLine(x);
  ImGui::TextUnformatted("...");
  tip(all);
}

}  // namespace brokkr::viewer
