// The look of the window. This file and theme.cpp define all colours, fonts and distances of the user interface.
#pragma once

#include <imgui.h>

#include <array>
#include <utility>

namespace brokkr::viewer::theme {

// Background colours from dark to light: around the image, panels and bars, controls. Text has a contrast of at least
// 7:1 on each (WCAG 2.1, 1.4.6).
inline constexpr ImU32 kBackdrop = IM_COL32(14, 15, 18, 255);
inline constexpr ImU32 kGround = IM_COL32(24, 27, 32, 255);
inline constexpr ImU32 kControl = IM_COL32(38, 43, 51, 255);
inline constexpr ImU32 kControlHovered = IM_COL32(48, 54, 64, 255);
inline constexpr ImU32 kLine = IM_COL32(62, 69, 81, 255);
inline constexpr ImU32 kPlot = IM_COL32(14, 15, 18, 255);
// The edge of a control without text. Its contrast with panels and controls is at least 3:1 (WCAG 2.1, 1.4.11).
inline constexpr ImU32 kEdge = IM_COL32(112, 121, 136, 255);
// The ground of the chosen row of a list.
inline constexpr ImU32 kChosen = IM_COL32(52, 43, 26, 255);

inline constexpr ImU32 kText = IM_COL32(236, 239, 244, 255);
inline constexpr ImU32 kDim = IM_COL32(192, 199, 211, 255);    // explanations, units, things that do not apply
inline constexpr ImU32 kAccent = IM_COL32(255, 190, 77, 255);  // the user's choice, here and over the image
inline constexpr ImU32 kOnAccent = IM_COL32(20, 22, 26, 255);  // text on the accent
inline constexpr ImU32 kErrorGround = IM_COL32(77, 26, 26, 255);

// The activities of blocks: geometry, rasterization, waiting (Stage).
inline constexpr std::array<ImU32, 3> kStages = {IM_COL32(235, 160, 60, 255), IM_COL32(70, 140, 225, 255),
                                                 IM_COL32(70, 72, 78, 255)};
// The first two as backgrounds of text.
inline constexpr std::array<ImU32, 2> kStageGrounds = {IM_COL32(104, 68, 18, 255), IM_COL32(28, 62, 108, 255)};
inline constexpr ImU32 kCurve = IM_COL32(110, 180, 250, 255);  // times of frames
inline constexpr ImU32 kLate = kAccent;                        // a time beyond its limit
inline constexpr ImU32 kGood = IM_COL32(128, 230, 128, 255), kBad = IM_COL32(255, 160, 140, 255);

// Pairs of a text colour and its background, whose contrast tests measure.
inline constexpr std::array<std::pair<ImU32, ImU32>, 21> kTextOn = {
    {{kText, kBackdrop},   {kText, kChosen},          {kGood, kChosen},          {kBad, kChosen},
     {kText, kGround},     {kText, kControl},         {kText, kControlHovered},  {kText, kErrorGround},
     {kDim, kBackdrop},    {kDim, kGround},           {kDim, kControl},          {kDim, kControlHovered},
     {kAccent, kBackdrop}, {kAccent, kGround},        {kAccent, kControl},       {kOnAccent, kAccent},
     {kText, kPlot},       {kText, kStageGrounds[0]}, {kText, kStageGrounds[1]}, {kGood, kGround},
     {kBad, kGround}}};

// The colour with the given opacity, 0 to 1.
constexpr ImU32 faded(ImU32 color, float opacity) {
  return (color & ~IM_COL32_A_MASK) | ImU32(opacity * 255) << IM_COL32_A_SHIFT;
}

// Sets Dear ImGui's style and fonts for this scale of the user interface (1: 96 dots per inch). The caller must rebuild
// the font texture. Fonts are rasterized for the scale, so that they are sharp.
void apply(float scale);

// Fonts for group names and for titles, in addition to the text font, whose digits all have the same width.
ImFont* heading();
ImFont* title();

}  // namespace brokkr::viewer::theme
