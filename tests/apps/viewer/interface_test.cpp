// Docks, the draw list, the status bar and the icon: parts of the user interface, without a window.
#include "interface.h"

#include <gtest/gtest.h>

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "app/input.h"
#include "inspect/load_map.h"
#include "plan/color_code.h"
#include "viewer/capture_dialog.h"
#include "viewer/docks.h"
#include "viewer/draw_parts.h"
#include "viewer/draw_rows.h"
#include "viewer/icon.h"
#include "viewer/image_area.h"
#include "viewer/looks.h"
#include "viewer/option_widget.h"
#include "viewer/pattern_facts.h"
#include "viewer/pixel_facts.h"
#include "viewer/scene.h"
#include "viewer/status_bar.h"
#include "viewer/theme.h"
#include "viewer/thumbnails.h"
#include "viewer/tour.h"

namespace brokkr::viewer {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.begin.x < b.end.x && b.begin.x < a.end.x && a.begin.y < b.end.y && b.begin.y < a.end.y;
}

TEST(Docks, NeverCoverTheImageAtAnySize) {
  for (const glm::vec2 size : {glm::vec2(320, 160), glm::vec2(640, 440), glm::vec2(1280, 680), glm::vec2(3840, 2120)}) {
    for (const float scale : {0.5f, 1.0f, 2.0f, 4.0f}) {
      for (const auto& [draws, sections] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
        DockSettings settings;
        settings.widths = {0.0f, 50.0f};
        const Box area{{0, 20}, {size.x, 20 + size.y}};
        const DockBoxes boxes = place_docks(settings, draws, sections, area, scale);
        EXPECT_GE(boxes.image.size().x, 0.3f * size.x - 1);
        EXPECT_EQ(boxes.image.size().y, size.y);
        EXPECT_EQ(boxes.left.has_value(), draws && size.x >= kTwoDocks * scale);
        EXPECT_EQ(boxes.right.has_value(), draws || sections);
        for (const std::optional<Box>& box : {boxes.left, boxes.right}) {
          if (!box) continue;
          EXPECT_GT(box->size().x, 0);
          EXPECT_EQ(box->size().y, size.y);
          EXPECT_TRUE(box->begin.x >= 0 && box->end.x <= size.x);
          EXPECT_FALSE(overlap(*box, boxes.image));
        }
        if (boxes.left) EXPECT_FALSE(overlap(*boxes.left, *boxes.right));
      }
    }
  }
}

TEST(Docks, WidthsFollowTheWindow) {
  const DockSettings settings;
  const auto width = [&](float window) {
    const DockBoxes boxes = place_docks(settings, true, true, {{0, 0}, {window, 900}}, 1);
    return glm::vec2(boxes.left ? boxes.left->size().x : 0, boxes.right->size().x);
  };
  EXPECT_EQ(width(kTwoDocks - 1).x, 0);
  EXPECT_GT(width(3200).x, 1.5f * width(kTwoDocks).x);
  EXPECT_GT(width(3200).y, 1.5f * width(kTwoDocks).y);
}

// A panel with a line of widgets that is as wide as panels may be.
class WidePanel : public Panel {
 public:
  WidePanel(std::string name, Section section) : name_(std::move(name)), section_(section) {}
  const char* name() const override { return name_.c_str(); }
  Section section() const override { return section_; }
  void draw(ViewerState&) override {
    drawn++;
    ImGui::Button("wide", {20 * ImGui::GetFontSize(), 0});
    reach = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + ImGui::GetScrollX();
    seen = ImGui::GetWindowWidth() + ImGui::GetScrollMaxX();
  }
  int drawn = 0;
  float reach = 0, seen = 0;  // the widget's right edge, and the width that scrolling can show

 private:
  std::string name_;
  Section section_;
};

TEST(Docks, PanelsStandInSectionsAndScrollWhereTheyAreNarrow) {
  for (const ImVec2 size : {ImVec2(320, 200), ImVec2(640, 480), ImVec2(3840, 2160)}) {
    Interface interface(size);
    Asked asked;
    ViewerState state{.commands = asked};
    DockSettings settings;
    Docks::Panels panels;
    panels.push_back(std::make_unique<WidePanel>("list", Section::draws));
    panels.push_back(std::make_unique<WidePanel>("first", Section::pipeline));
    panels.push_back(std::make_unique<WidePanel>("second", Section::pipeline));
    panels.push_back(std::make_unique<WidePanel>("third", Section::measure));
    Docks docks(settings, panels);
    const auto panel = [&](size_t i) -> WidePanel& { return static_cast<WidePanel&>(*panels[i]); };
    const bool wide = size.x >= kTwoDocks;
    Box image;
    const auto draw = [&] { image = docks.draw(state, {{0, 0}, {size.x, size.y}}, 1); };
    interface.frames(4, draw);
    EXPECT_EQ(panel(0).drawn, wide ? 4 : 0);
    EXPECT_EQ(panel(1).drawn, 4);
    EXPECT_EQ(panel(2).drawn, 0);
    EXPECT_EQ(image.begin.x > 0, wide);
    docks.open("second");
    interface.frames(4, draw);
    EXPECT_EQ(panel(2).drawn, 4);
    EXPECT_TRUE(docks.is_open("second") && !docks.is_open("first"));
    docks.open("third");
    interface.frames(4, draw);
    EXPECT_EQ(panel(3).drawn, 4);
    docks.open("list");
    interface.frames(4, draw);
    EXPECT_TRUE(docks.is_open("list"));
    EXPECT_EQ(docks.is_open("third"), wide) << "the draws have a dock of their own";
    for (size_t i = 0; i < panels.size(); ++i) {
      EXPECT_GE(panel(i).drawn, 4) << panels[i]->name();
      EXPECT_LE(panel(i).reach, panel(i).seen) << panels[i]->name();
    }
    settings = {.section = "no section", .open = {{"Pipeline", "no panel"}}};  // of another version
    interface.frames(2, draw);
    EXPECT_TRUE(docks.is_open(wide ? "first" : "list"));
  }
}

// WCAG 2.1: relative luminance, and contrast.
double luminance(ImU32 color) {
  const auto channel = [&](int shift) {
    const double c = double(color >> shift & 255) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(16);
}

TEST(Theme, TextIsReadOnEveryGround) {
  for (const auto& [text, ground] : theme::kTextOn) {
    const double a = luminance(text), b = luminance(ground);
    EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 7.0) << std::hex << text << " on " << ground;
  }
}

TEST(Theme, EdgesOfBoxesAreSeen) {
  for (const ImU32 ground : {theme::kGround, theme::kControl}) {
    const double a = luminance(theme::kEdge), b = luminance(ground);
    EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 3.0);
  }
  Interface interface({300, 200});
  bool off = false;
  for (const bool is_box : {true, false}) {
    bool has_edge = false;
    interface.frames(2, [&] {
      ImGui::Begin("panel");
      is_box ? check_box("box", &off) : radio("circle", false);
      const ImDrawList& list = *ImGui::GetWindowDrawList();
      has_edge = std::any_of(list.VtxBuffer.begin(), list.VtxBuffer.end(),
                             [](const ImDrawVert& vertex) { return vertex.col == theme::kEdge; });
      ImGui::End();
    });
    EXPECT_TRUE(has_edge) << (is_box ? "box" : "circle");
  }
}

TEST(OptionWidget, NumbersBesideSlidersHaveOneWidth) {
  Interface interface({1200, 900});
  Asked asked;
  ViewerState state{.commands = asked};
  std::set<float> begins;  // of the frames of widgets
  interface.frames(3, [&] {
    begins.clear();
    ImGui::SetNextWindowSize({600, 800});
    ImGui::Begin("panel");
    draw_options(state, false);
    const ImU32 frame = ImGui::GetColorU32(ImGuiCol_FrameBg);
    const ImVector<ImDrawVert>& corners = ImGui::GetWindowDrawList()->VtxBuffer;
    for (int i = 0; i + 4 <= corners.Size; ++i) {
      const auto is_corner = [&](const ImDrawVert& vertex) { return vertex.col == frame; };
      if (std::all_of(&corners[i], &corners[i] + 4, is_corner)) begins.insert(corners[std::exchange(i, i + 3)].pos.x);
    }
    ImGui::End();
  });
  EXPECT_EQ(begins.size(), 2) << "all widgets begin in one column, and the numbers beside sliders in another";
}

TEST(ImageArea, EnlargesByWholeFactorsBeyondTwo) {
  EXPECT_EQ(fitting_zoom({640, 360}, {640, 360}), 1);
  EXPECT_EQ(fitting_zoom({640, 360}, {3840, 2000}), 5);
  EXPECT_EQ(fitting_zoom({640, 360}, {1900, 1000}), 2);
  EXPECT_FLOAT_EQ(fitting_zoom({640, 360}, {960, 1000}), 1.5f);
  EXPECT_FLOAT_EQ(fitting_zoom({1280, 720}, {640, 720}), 0.5f);
}

TEST(PatternHints, SayWherePatternsCannotDiffer) {
  Rendered frame;
  frame.width = 640;
  frame.height = 360;
  frame.settings.options.ownership = Ownership::fixed;
  Statistics& s = frame.result.statistics;
  s.bin = 64;
  s.rasterizers = 20;
  EXPECT_TRUE(pattern_hints(frame).empty());
  s.rasterizers = 60;
  ASSERT_EQ(pattern_hints(frame).size(), 1u);
  EXPECT_TRUE(pattern_hints(frame)[0].starts_with("60 rasterizers for 60 bins"));
  s.rasterizers = 20;
  frame.settings.options.ownership = Ownership::stealing;
  EXPECT_EQ(pattern_hints(frame).size(), 1u);
}

TEST(CaptureDialog, SplitsArgumentsAsAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_words("  -a  'two words' \"x \\\" y\" c\\ d ''"), (Words{"-a", "two words", "x \" y", "c d", ""}));
  EXPECT_TRUE(split_words("").empty());
  EXPECT_THROW((void)split_words("'open"), std::runtime_error);
}

TEST(Thumbnails, AreTheMiddleOfThePicture) {
  Picture picture{1280, 360, std::vector<uint32_t>(1280 * 360, 0xff0000ffu)};
  for (size_t y = 0; y < 360; ++y) std::fill_n(picture.pixels.begin() + long(y * 1280 + 320), 640, 0xff00ff00u);
  const Picture small = thumbnail_of(picture);
  EXPECT_EQ(small.width, kThumbnailWidth);
  EXPECT_EQ(small.height, kThumbnailHeight);
  EXPECT_TRUE(std::ranges::all_of(small.pixels, [](uint32_t pixel) { return pixel == 0xff00ff00u; }));
}

TEST(Tour, EveryStepHasAScene) {
  for (const TourStep& step : tour_steps()) {
    EXPECT_FALSE(scene_of(step).empty()) << step.title;
    EXPECT_FALSE(step.summary.empty() || step.text.empty()) << step.title;
  }
}

Frame frame_of_draws(size_t count) {
  Frame frame;
  frame.targets = {{.id = 0, .width = 64, .height = 32}, {.id = 7, .width = 8, .height = 8, .layers = 2}};
  frame.views = {{.target = 0}, {.target = 1, .layer = 1}};
  frame.states.resize(2);
  frame.states[1].cull = CullMode::back;
  frame.states[1].depth = {.test = true, .write = false, .func = CompareFunc::lequal};
  frame.states[1].blend = BlendState{{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha}, {}, {}};
  frame.materials.resize(1);
  frame.positions = {{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}};
  frame.commands.push_back(ClearCommand{.target = 1, .depth = 1.0f});
  for (size_t i = 0; i < count; ++i) {
    DrawCommand draw;
    draw.first_view = i < count / 2 ? 1 : 0;
    draw.state = uint32_t(i % 2);
    draw.element_count = draw.vertex_count = 3;
    draw.label = "Wall #" + std::to_string(i);
    frame.commands.emplace_back(draw);
  }
  return frame;
}

TEST(DrawRows, GroupsByTargetAndTellsStates) {
  Frame frame = frame_of_draws(4);
  frame.commands.push_back(BlitCommand{.from = 1, .to = 0});
  const DrawRows rows = draw_rows(frame);
  ASSERT_EQ(rows.rows.size(), 6u);
  ASSERT_EQ(rows.groups.size(), 2u);
  EXPECT_EQ(rows.groups[0].name, "target 7, 8 x 8");
  EXPECT_EQ(rows.groups[0].draws, 2u);
  EXPECT_EQ(rows.groups[1].first, 3u);
  EXPECT_EQ(rows.groups[1].primitives, 2u);
  EXPECT_EQ(rows.rows[0].name, "clear depth");
  EXPECT_EQ(rows.rows[5].name, "copy from target 7");
  EXPECT_EQ(rows.rows[1].depth, "less, write");
  EXPECT_EQ(rows.rows[1].blend, "-");
  EXPECT_EQ(rows.rows[2].depth, "lequal");
  EXPECT_EQ(rows.rows[2].blend, "alpha");
  EXPECT_EQ(rows.rows[2].cull, "back");
  EXPECT_EQ(rows.rows[2].target_name, "7, layer 1");
  EXPECT_TRUE(matches(rows.rows[2], "ALPHA wall"));
  EXPECT_TRUE(matches(rows.rows[2], ""));
  EXPECT_FALSE(matches(rows.rows[1], "alpha wall"));
  const auto& draw = std::get<DrawCommand>(frame.commands[2]);
  EXPECT_NE(state_text(frame, draw).find("cull back"), std::string::npos) << state_text(frame, draw);
}

TEST(DrawRows, TenThousandDrawsAreDrawnInPart) {
  Interface interface({1600, 900});
  Asked asked;
  ViewerState state{.commands = asked};
  state.scene = make_scene("many", frame_of_draws(10000), 0);
  const auto panel = make_draws_panel();
  const auto draw = [&] {
    ImGui::SetNextWindowSize({1000, 800});
    if (ImGui::Begin("draws")) panel->draw(state);
    ImGui::End();
  };
  interface.frames(3, draw);
  const int some = ImGui::GetDrawData()->TotalVtxCount;
  EXPECT_GT(some, 1000);
  EXPECT_LT(some, 30000) << "lines that are out of sight cost time";
  // A draw that is chosen elsewhere is scrolled into view.
  const auto scrolled = [] {
    float most = 0;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) most = std::max(most, window->Scroll.y);
    return most;
  };
  EXPECT_EQ(scrolled(), 0);
  state.chosen_draw = 9000;
  interface.frames(3, draw);
  EXPECT_GT(scrolled(), 1000);
}

TEST(DrawParts, TellWhatADrawReads) {
  Frame frame = frame_of_draws(2);
  frame.textures.push_back({.name = "bricks", .width = 2, .height = 1, .texels = {1, 2}});
  frame.materials[0].kind = MaterialKind::blinn_phong;
  frame.materials[0].diffuse_texture = 0;
  const auto& draw = std::get<DrawCommand>(frame.commands[1]);
  const std::vector<DrawTexture> textures = textures_of(frame, draw);
  ASSERT_EQ(textures.size(), 1u);
  EXPECT_EQ(textures[0].name, "colour: bricks");
  std::string problem;
  EXPECT_EQ(texture_picture(frame, textures[0], problem).pixels, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(mesh_edges(frame, draw, 100).size(), 3u);
  frame.positions[1].w = -1;  // behind the camera
  EXPECT_TRUE(mesh_edges(frame, draw, 100).empty());
  EXPECT_NE(program_text(frame, draw).find("Blinn-Phong"), std::string::npos);
}

// A draw is in focus if it is isolated or the last one, and not hidden.
TEST(PixelFacts, KnowTheDrawInFocus) {
  Asked asked;
  ViewerState state{.commands = asked};
  state.scene = make_scene("some", frame_of_draws(3), 0);
  state.chosen_draw = 2;
  EXPECT_FALSE(focus_of(state));
  state.settings.options.command_limit = 3;
  EXPECT_EQ(focus_of(state), 2u);
  state.settings.options.command_limit.reset();
  state.settings.hidden_commands = {1, 3};
  EXPECT_EQ(focus_of(state), 2u);
  state.settings.hidden_commands = {2, 3};
  EXPECT_FALSE(focus_of(state));
}

TEST(DrawThumbnail, IsBrightWhereTheDrawTouched) {
  const std::vector<uint32_t> colors(8 * 4, 0xff808080);
  std::vector<uint8_t> touched(8 * 4, 0);
  touched[1 * 8 + 5] = 1;
  const DrawThumbnail whole = highlight(8, 4, colors, touched, 8);
  EXPECT_EQ(whole.touched, 1u);
  EXPECT_EQ(whole.picture.width, 8);
  for (size_t i = 0; i < touched.size(); ++i)
    EXPECT_EQ((whole.picture.pixels[i] & 255) > 64, touched[i] == 1) << "pixel " << i;
  const DrawThumbnail small = highlight(8, 4, colors, touched, 3);
  EXPECT_EQ(small.picture.width, 3);
  EXPECT_EQ(small.picture.height, 2);
  EXPECT_EQ(std::ranges::count_if(small.picture.pixels, [](uint32_t p) { return (p & 255) > 64; }), 1);
}

TEST(ImageLegend, NamesTheColoursThatAreDrawn) {
  const ImageLegend legend = shading_legend(Shading::overdraw);
  ASSERT_EQ(legend.steps.size(), kOverdrawColors.size());
  for (const LegendStep& step : legend.steps)
    EXPECT_EQ(step.color, overdraw_color(uint32_t(std::stoul(step.text)))) << step.text;
  EXPECT_EQ(legend.steps[2].text, "8 to 15");
  EXPECT_EQ(overdraw_color(15), legend.steps[2].color);
  EXPECT_EQ(overdraw_color(16), legend.steps[1].color);
  EXPECT_TRUE(shading_legend(Shading::material).steps.empty());
  const ImageLegend heat = heat_legend(8000);
  EXPECT_EQ(heat.steps.front().text, "8 000");
  EXPECT_EQ(heat.steps.front().color, heat_color(1));
  EXPECT_EQ(heat.steps.back().text, "0");
}

TEST(ImageLegend, StaysWithinTheImagesRoom) {
  for (const glm::vec2 size : {glm::vec2(96, 156), glm::vec2(96, 60), glm::vec2(3000, 2000)}) {
    Interface interface({3840, 2160});
    ImageView view;
    view.area_begin = {50, 20};
    view.area_end = view.area_begin + size;
    for (const bool right : {false, true}) {
      int vertices = 0;
      interface.frames(1, [&] {
        ImDrawList& list = *ImGui::GetBackgroundDrawList();
        draw_legend(list, view, heat_legend(123456789), right);
        vertices = list.VtxBuffer.Size;
        for (const ImDrawVert& v : list.VtxBuffer) {
          EXPECT_TRUE(v.pos.x >= view.area_begin.x - 1 && v.pos.y >= view.area_begin.y - 1);
          EXPECT_LE(v.pos.y, view.area_end.y + 14);  // text of a line that is lower than text
        }
      });
      EXPECT_GT(vertices, 50);
    }
  }
}

TEST(StatusBar, SpeaksPlainly) {
  Frame frame = frame_of_draws(2);
  Rendered rendered;
  rendered.scene = make_scene("/some/where/frame.bkf", std::move(frame), 0);
  rendered.width = 640;
  rendered.height = 480;
  Statistics& s = rendered.result.statistics;
  s.machine = "cpu";
  s.isa = "v3";
  s.workers = 2;
  s.rasterizers = 80;
  s.pattern = "hilbert";
  s.frame_ms = 12.345;
  s.triangles_in = 12345;
  std::string all;
  for (const StatusPart& part : status_parts(rendered, 60, 0.5f, "")) {
    EXPECT_FALSE(part.tip.empty()) << part.text;
    all += part.text + "\n";
  }
  EXPECT_EQ(all,
            "frame.bkf\n12.35 ms, 60.0 frames per second\n640 x 480 pixels\n12 345 triangles\nCPU with 2 threads "
            "(AVX2)\npattern hilbert of 80 rasterizers\n50 %\n");
}

// Programs that cannot run stay on the line as long as the frame does, right of its time.
TEST(StatusBar, SaysWhichProgramsCannotRun) {
  Rendered rendered;
  rendered.scene = make_scene("frame.bkf", frame_of_draws(4), 0);
  Statistics& s = rendered.result.statistics;
  s.false_color_draws = 4;
  s.false_colors = {"program 0: brokkr-glsl is missing (3 draws)", "program 2: it does not compile (1 draw)"};
  const std::vector<StatusPart> parts = status_parts(rendered, 0, 1, "");
  EXPECT_EQ(parts[2].text, "4 draws in false colours");
  for (const std::string& line : s.false_colors) EXPECT_NE(parts[2].tip.find(line), std::string::npos) << parts[2].tip;
  EXPECT_EQ(app::line_of_programs(s),
            "4 draws in false colours: program 0: brokkr-glsl is missing (3 draws); 1 more program");
  EXPECT_EQ(app::line_of_programs({}), "");
}

TEST(StatusBar, LeavesOutWhatHasNoRoom) {
  Interface interface({320, 200});
  const std::vector<StatusPart> parts(9, {"a part of twenty cha", "its tip"});
  float right = 0;
  interface.frames(3, [&] {
    ImGui::SetNextWindowSize({320, 40});
    ImGui::SetNextWindowPos({0, 0});
    if (ImGui::Begin("status", nullptr, ImGuiWindowFlags_NoTitleBar)) {
      draw_status(parts);
      right = ImGui::GetItemRectMax().x;
    }
    ImGui::End();
  });
  EXPECT_GT(right, 60);
  EXPECT_LE(right, 320);
}

TEST(Icon, IsDrawnFromTheDesktopsDrawing) {
  for (const int size : {16, 48, 128}) {
    const std::vector<uint32_t> pixels = draw_icon(icon_drawing(), size);
    ASSERT_EQ(pixels.size(), size_t(size * size));
    EXPECT_LT(pixels[0] >> 24, 128u) << "the corners are round";
    EXPECT_EQ(pixels[size_t(size * size / 2 + size / 2)] >> 24, 255u);
    EXPECT_GT(std::set<uint32_t>(pixels.begin(), pixels.end()).size(), 10u);
  }
  // A pixel in the middle of a shape has the colour of the drawing: "#ffb03a".
  EXPECT_EQ(draw_icon(icon_drawing(), 128)[24 * 128 + 72], 0xff3ab0ffu);
  EXPECT_THROW(draw_icon("<svg width=\"8\"><circle fill=\"#000000\"/></svg>", 8), std::runtime_error);
  EXPECT_THROW(draw_icon("<svg width=\"8\"><path d=\"M0 0C1 1 2 2 3 3Z\" fill=\"#000000\"/></svg>", 8),
               std::runtime_error);
}

}  // namespace
}  // namespace brokkr::viewer
