#include "viewer/history_view.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>

#include "viewer/looks.h"

namespace brokkr::viewer {
namespace {

void color_swatch(const char* id, ColorFormat format, uint32_t low, uint32_t high) {
  const auto part = [&](int shift) { return float(low >> shift & 255) / 255; };
  const bool bytes = format != ColorFormat::rgba16f;
  swatch(id, bytes ? ImVec4(part(0), part(8), part(16), 1) : ImVec4(0.5f, 0.5f, 0.5f, 1));
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", color_text(format, low, high).c_str());
}

void draw_fragment_cells(const PixelEvent& e) {
  const bool passed = e.fragment.fate == FragmentFate::passed;
  ImGui::TextColored(passed ? ImVec4(0.5f, 0.9f, 0.5f, 1) : ImVec4(0.95f, 0.55f, 0.45f, 1), "%s",
                     fate_name(e.fragment.fate));
  ImGui::TableNextColumn();
  ImGui::Text("%u", e.origin.triangle);
  ImGui::TableNextColumn();
  ImGui::Text("%u", e.origin.batch);
}

void draw_event(const PixelEvent& e, ColorFormat format, std::optional<uint32_t> chosen, HistoryClick& click) {
  const bool fragment = e.kind == PixelEvent::Kind::fragment;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  constexpr auto kRow = ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap;
  const bool clicked = ImGui::Selectable(std::to_string(e.command).c_str(), fragment && chosen == e.command, kRow);
  if (clicked && fragment) click.choose = e.command;
  if (fragment && ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) click.jump = e.command;
  ImGui::TableNextColumn();
  if (fragment) {
    draw_fragment_cells(e);
  } else {
    ImGui::TextUnformatted(e.kind == PixelEvent::Kind::clear ? "clear" : "blit");
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
  }
  ImGui::TableNextColumn();
  ImGui::Text("%.6f", double(fragment ? e.fragment.depth : e.after.depth));
  ImGui::TableNextColumn();
  if (fragment) color_swatch("##shader", format, e.fragment.shader_low, e.fragment.shader_high);
  ImGui::TableNextColumn();
  color_swatch("##after", format, e.after.low, e.after.high);
}

void draw_events(const PixelHistory& h, std::optional<uint32_t> chosen, HistoryClick& click) {
  const float rows = float(std::clamp<size_t>(h.events.size() + 1, 3, 14));
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_BordersInnerV;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {2, ImGui::GetStyle().CellPadding.y});  // all columns fit
  const bool open = ImGui::BeginTable("events", 7, kFlags, {0, (rows + 1) * ImGui::GetTextLineHeightWithSpacing()});
  ImGui::PopStyleVar();
  if (!open) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  constexpr std::pair<const char*, float> kColumns[] = {{"draw", 2.6f}, {"what", 5.9f}, {"triangle", 3.4f},
                                                        {"batch", 3},   {"depth", 4},   {"shader", 3.2f},
                                                        {"pixel", 2.2f}};
  for (const auto& [title, width] : kColumns)
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width * ImGui::GetFontSize());
  ImGui::TableHeadersRow();
  for (size_t i = 0; i < h.events.size(); ++i) {
    ImGui::PushID(int(i));
    draw_event(h.events[i], h.format, chosen, click);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace

HistoryClick draw_history(const PixelHistory& h, double took_ms, std::optional<uint32_t> chosen) {
  HistoryClick click;
  ImGui::Text("pixel %d, %d", h.pixel.x, h.pixel.y);
  ImGui::SameLine();
  color_swatch("##end", h.format, h.end.low, h.end.high);
  ImGui::SameLine();
  ImGui::Text("depth %.7f  stencil %u", double(h.end.depth), h.end.stencil);
  ImGui::Text("bin %d, %d (%d px)  rasterizer %u of %u", h.bin_x, h.bin_y, h.bin, h.rasterizer, h.rasterizers);
  if (const auto writer = h.color_writer()) {
    const PixelEvent& e = h.events[*writer];
    ImGui::Text("seen: draw %u, triangle %u, batch %u", e.command, e.origin.triangle, e.origin.batch);
    ImGui::SameLine();
    if (ImGui::SmallButton("Jump to it")) click.jump = e.command;
  } else {
    ImGui::TextDisabled("no draw is seen here");
  }
  ImGui::Text("hit by %s", counted(h.fragments, "fragment").c_str());
  ImGui::SameLine();
  ImGui::TextDisabled("(%.1f ms)", took_ms);
  draw_events(h, chosen, click);
  return click;
}

}  // namespace brokkr::viewer
