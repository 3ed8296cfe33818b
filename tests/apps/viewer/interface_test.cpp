// Docks, the draw list, the status bar and the icon: what the user interface is made of, without a window.
#include "interface.h"

#include <gtest/gtest.h>

#include <imgui_internal.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "inspect/load_map.h"
#include "pipeline/overdraw_color.h"
#include "viewer/docks.h"
#include "viewer/draw_rows.h"
#include "viewer/draw_thumbnail.h"
#include "viewer/icon.h"
#include "viewer/image_legend.h"
#include "viewer/scene.h"
#include "viewer/status_bar.h"

namespace brokkr::viewer {
namespace {

bool overlap(const Box& a, const Box& b) {
  return a.begin.x < b.end.x && b.begin.x < a.end.x && a.begin.y < b.end.y && b.begin.y < a.end.y;
}

TEST(Docks, NeverCoverTheImageAtAnySize) {
  for (const glm::vec2 size : {glm::vec2(320, 160), glm::vec2(640, 440), glm::vec2(1280, 680), glm::vec2(3840, 2120)}) {
    for (const float scale : {0.5f, 1.0f, 2.0f, 4.0f}) {
      for (unsigned used = 0; used < 16; ++used) {
        DockSettings settings;
        settings.widths = {300, 5000};
        settings.shares = {0.0f, 0.7f};
        std::array<bool, kDocks> has{};
        for (size_t d = 0; d < kDocks; ++d) has[d] = (used >> d & 1) != 0;
        const Box area{{0, 20}, {size.x, 20 + size.y}};
        const DockBoxes boxes = place_docks(settings, has, area, scale);
        EXPECT_GE(boxes.image.size().x, 0.3f * size.x - 1);
        EXPECT_EQ(boxes.image.size().y, size.y);
        for (size_t d = 0; d < kDocks; ++d) {
          ASSERT_EQ(boxes.docks[d].has_value(), has[d]);
          if (!has[d]) continue;
          const Box& box = *boxes.docks[d];
          EXPECT_GT(box.size().x, 0);
          EXPECT_GT(box.size().y, 0.1f * size.y);
          EXPECT_TRUE(box.begin.x >= 0 && box.end.x <= size.x && box.begin.y >= 20 && box.end.y <= 20 + size.y);
          EXPECT_FALSE(overlap(box, boxes.image));
          for (size_t other = 0; other < d; ++other) EXPECT_FALSE(has[other] && overlap(box, *boxes.docks[other]));
        }
      }
    }
  }
}

// A panel with a line of widgets that is as wide as panels are made for.
class WidePanel : public Panel {
 public:
  explicit WidePanel(std::string name) : name_(std::move(name)) {}
  const char* name() const override { return name_.c_str(); }
  void draw(ViewerState&) override {
    drawn++;
    ImGui::Button("wide", {24 * ImGui::GetFontSize(), 0});
    reach = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + ImGui::GetScrollX();
    seen = ImGui::GetWindowWidth() + ImGui::GetScrollMaxX();
  }
  int drawn = 0;
  float reach = 0, seen = 0;  // the widget's right edge, and what scrolling shows

 private:
  std::string name_;
};

TEST(Docks, PanelsScrollWhereTheyAreNarrowAndMove) {
  for (const ImVec2 size : {ImVec2(320, 200), ImVec2(640, 480), ImVec2(3840, 2160)}) {
    Interface interface(size);
    Asked asked;
    ViewerState state{.commands = asked};
    DockSettings settings;
    Docks docks(settings);
    Docks::Panels panels;
    for (const char* name : {"first", "second", "third"}) panels.push_back(std::make_unique<WidePanel>(name));
    const auto& [first, second, third] = std::tie(panels[0], panels[1], panels[2]);
    const auto panel = [](const std::unique_ptr<Panel>& p) -> WidePanel& { return static_cast<WidePanel&>(*p); };
    const Box area{{0, 0}, {size.x, size.y}};
    Box image;
    const auto draw = [&] { image = docks.draw(panels, state, area, 1); };
    interface.frames(4, draw);
    EXPECT_EQ(panel(first).drawn, 4);
    EXPECT_EQ(panel(second).drawn, 0);
    EXPECT_LE(panel(first).reach, panel(first).seen);
    EXPECT_EQ(image.begin.x, 0);
    docks.move("second", Dock::left);
    docks.move("third", Dock::left_below);
    interface.frames(4, draw);
    EXPECT_GT(image.begin.x, 0);
    for (const auto& one : panels) {
      EXPECT_GE(panel(one).drawn, 4) << one->name();
      EXPECT_LE(panel(one).reach, panel(one).seen) << one->name();
    }
    EXPECT_TRUE(docks.is_open("first") && docks.is_open("second") && docks.is_open("third"));
    docks.move("third", Dock::left);
    interface.frames(2, draw);
    EXPECT_TRUE(docks.is_open("third"));
    EXPECT_FALSE(docks.is_open("second"));
    settings = {.places = {{"first", "nowhere"}}, .open = {{"right", "no panel"}}};  // of another version
    interface.frames(2, draw);
    EXPECT_TRUE(docks.is_open("first"));
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
  // A draw that is chosen elsewhere comes into sight.
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
  // The middle of a shape, coloured as in the drawing: "#ffb03a".
  EXPECT_EQ(draw_icon(icon_drawing(), 128)[24 * 128 + 72], 0xff3ab0ffu);
  EXPECT_THROW(draw_icon("<svg width=\"8\"><circle fill=\"#000000\"/></svg>", 8), std::runtime_error);
  EXPECT_THROW(draw_icon("<svg width=\"8\"><path d=\"M0 0C1 1 2 2 3 3Z\" fill=\"#000000\"/></svg>", 8),
               std::runtime_error);
}

}  // namespace
}  // namespace brokkr::viewer
