#include "viewer/theme.h"

#include <cmath>
#include <iterator>

#if defined(BROKKR_FONT_REGULAR)
// Roboto from Debian's fonts-roboto-unhinted (Apache License 2.0), embedded when the program was built.
asm(".pushsection .rodata\n"
    ".global brokkr_font_regular, brokkr_font_regular_end, brokkr_font_medium, brokkr_font_medium_end\n"
    "brokkr_font_regular: .incbin \"" BROKKR_FONT_REGULAR
    "\"\nbrokkr_font_regular_end:\n"
    "brokkr_font_medium: .incbin \"" BROKKR_FONT_MEDIUM
    "\"\nbrokkr_font_medium_end:\n"
    ".popsection\n");
extern "C" const char brokkr_font_regular[], brokkr_font_regular_end[], brokkr_font_medium[], brokkr_font_medium_end[];
#endif

namespace brokkr::viewer::theme {
namespace {

constexpr float kTextSize = 15, kTitleSize = 26;  // pixels at scale 1

ImFont* heading_font = nullptr;
ImFont* title_font = nullptr;

void set_colors(ImGuiStyle& style) {
  ImGui::StyleColorsDark(&style);
  const auto set = [&](ImGuiCol which, ImU32 color) { style.Colors[which] = ImGui::ColorConvertU32ToFloat4(color); };
  set(ImGuiCol_Text, kText);
  set(ImGuiCol_TextDisabled, kDim);
  set(ImGuiCol_TextSelectedBg, faded(kAccent, 0.35f));
  for (const ImGuiCol ground : {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_MenuBarBg, ImGuiCol_TableHeaderBg})
    set(ground, kGround);
  for (const ImGuiCol title : {ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed})
    set(title, kControl);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_TableRowBg, 0);
  set(ImGuiCol_TableRowBgAlt, IM_COL32(255, 255, 255, 8));
  for (const ImGuiCol line :
       {ImGuiCol_Border, ImGuiCol_Separator, ImGuiCol_TableBorderLight, ImGuiCol_TableBorderStrong})
    set(line, kLine);
  for (const ImGuiCol control : {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Tab, ImGuiCol_ScrollbarGrab})
    set(control, kControl);
  for (const ImGuiCol hovered : {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered,
                                 ImGuiCol_ButtonActive, ImGuiCol_TabHovered, ImGuiCol_HeaderHovered,
                                 ImGuiCol_HeaderActive, ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ScrollbarGrabActive})
    set(hovered, kControlHovered);
  set(ImGuiCol_Header, kControl);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ResizeGrip, kControl);
  for (const ImGuiCol accent :
       {ImGuiCol_CheckMark, ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_NavHighlight,
        ImGuiCol_SeparatorHovered, ImGuiCol_SeparatorActive, ImGuiCol_PlotHistogram, ImGuiCol_DragDropTarget,
        ImGuiCol_ResizeGripHovered, ImGuiCol_ResizeGripActive})
    set(accent, kAccent);
}

}  // namespace

void apply(float scale) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  set_colors(style);
  style.WindowRounding = style.ChildRounding = style.TabRounding = 0;
  style.FrameRounding = style.GrabRounding = 3;
  style.PopupRounding = 4;
  style.WindowBorderSize = style.PopupBorderSize = 1;  // for dialogs; bars have none
  style.FramePadding = {7, 4};
  style.ItemSpacing = {8, 6};
  style.CellPadding = {5, 3};
  style.ScrollbarSize = 11;
  style.GrabMinSize = 9;
  style.ScaleAllSizes(scale);

  ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
  fonts.Clear();
#if defined(BROKKR_FONT_REGULAR)
  // Latin, Greek, punctuation and mathematical operators.
  static constexpr ImWchar kRanges[] = {0x20, 0xff, 0x370, 0x3ff, 0x2000, 0x206f, 0x2200, 0x22ff, 0};
  const auto add = [&](const char* begin, const char* end, float size) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.OversampleH = 2;
    // The atlas does not modify the font data.
    return fonts.AddFontFromMemoryTTF(const_cast<char*>(begin), int(end - begin), std::round(size * scale), &config,
                                      kRanges);
  };
  add(brokkr_font_regular, brokkr_font_regular_end, kTextSize);
  heading_font = add(brokkr_font_medium, brokkr_font_medium_end, kTextSize);
  title_font = add(brokkr_font_medium, brokkr_font_medium_end, kTitleSize);
#else
  const auto add = [&](float size) {
    ImFontConfig config;
    config.SizePixels = std::round(size * scale);
    return fonts.AddFontDefault(&config);
  };
  heading_font = add(13);
  title_font = add(26);
#endif
}

// Tests draw panels without a theme.
ImFont* heading() { return heading_font != nullptr ? heading_font : ImGui::GetFont(); }
ImFont* title() { return title_font != nullptr ? title_font : ImGui::GetFont(); }

}  // namespace brokkr::viewer::theme
