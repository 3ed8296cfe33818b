// The uniforms of the chosen draw's vertex program, and the game's camera in them.
#include <imgui.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "app/text.h"
#include "viewer/looks.h"
#include "viewer/panel.h"

namespace brokkr::viewer {
namespace {

constexpr uint32_t kMaxElements = 64;  // of an array that is shown

class UniformsPanel : public Panel {
 public:
  const char* name() const override { return "Uniforms"; }
  Section section() const override { return Section::look; }
  bool applies(const ViewerState& state) const override {
    return !state.is_painted() && (!state.scene || !state.scene->frame.vertex_inputs.empty());
  }

  void draw(ViewerState& state) override {
    is_drawn_ = true;
    if (!state.scene) return ImGui::TextDisabled("nothing is loaded");
    draw_camera(state);
    const DrawCommand* const draw =
        state.chosen_draw ? std::get_if<DrawCommand>(&state.scene->frame.commands[*state.chosen_draw]) : nullptr;
    if (draw == nullptr) {
      group_header("Uniforms");
      ImGui::TextWrapped(
          "Choose a draw to edit the uniforms of its vertex program: click a pixel, or a line of the draws.");
      return;
    }
    group_header(("Draw " + std::to_string(*state.chosen_draw)).c_str());
    draw_motion(state.scene->game, *state.chosen_draw);
    if (draw->vertices >= 0) draw_uniforms(state, *draw);
  }

  void draw_over_image(ViewerState&, ImDrawList&) override { is_open_ = std::exchange(is_drawn_, false); }

  // The click goes on to the pixel's history.
  bool on_click(ViewerState& state, glm::vec2) override {
    if (is_open_ && state.pointed_draw) state.chosen_draw = state.pointed_draw;
    return false;
  }

 private:
  static void draw_camera(ViewerState& state) {
    group_header("The game's camera");
    const GameCamera& game = state.scene->game;
    if (!game.is_found()) {
      ImGui::TextWrapped("No matrix of the vertex programs is a perspective view.");
      return;
    }
    if (begin_values("camera")) {
      const GameProjection& p = game.projection;
      value_row("in", app::printable(game.uniform_names(state.scene->frame)));
      value_row("view", app::fixed(double(p.fov()), 1) + "\u00b0 high, " + app::fixed(double(p.aspect()), 3) + " : 1");
      value_row("moves", counted(game.draws.size(), "draw") + "; " + app::grouped(game.still.size()) + " stay");
      ImGui::EndTable();
    }
    if (const std::string limits = game.limits(); !limits.empty())
      ImGui::TextWrapped("%s.", app::printable(limits).c_str());
    draw_moves(state);
  }

  // Buttons that move the camera, for the keyboard; the mouse over the image is faster.
  static void draw_moves(ViewerState& state) {
    constexpr float kStep = 0.15f;  // seconds of flight
    const std::pair<const char*, glm::vec3> moves[] = {{"left", {-1, 0, 0}}, {"right", {1, 0, 0}},
                                                       {"up", {0, 1, 0}},    {"down", {0, -1, 0}},
                                                       {"ahead", {0, 0, 1}}, {"back", {0, 0, -1}}};
    for (const auto& [name, direction] : moves) {
      if (ImGui::Button(name)) state.camera.fly(direction, kStep);
      ImGui::SameLine();
    }
    if (ImGui::Button("reset")) state.camera.home();
  }

  static void draw_motion(const GameCamera& game, uint32_t command) {
    const CameraDraw* const moves = game.draw_of(command);
    const auto reason = game.still.find(command);
    if (moves == nullptr) {
      if (game.is_found())
        ImGui::TextWrapped("It does not follow the camera: %s.",
                           reason == game.still.end() ? "it draws nothing" : app::printable(reason->second).c_str());
    } else if (moves->uniforms.empty()) {
      ImGui::TextWrapped(
          "The file holds only its computed vertices: they follow the camera, but its light and fog stay as captured.");
    } else {
      ImGui::TextWrapped("%s", moves->is_sky ? "It follows the camera's direction: it is centred on the camera."
                                             : "It follows the camera.");
    }
  }

  void draw_uniforms(ViewerState& state, const DrawCommand& draw) {
    const Frame& frame = state.scene->frame;
    const auto number = uint32_t(draw.vertices);
    const VertexInputs& inputs = frame.vertex_inputs[number];
    const VertexProgram& program = frame.vertex_programs[inputs.program];
    if (program.uniforms.empty()) return ImGui::TextDisabled("Its vertex program has no uniforms.");
    check_box("in all draws of this program", &in_all_);
    tip("A changed value then goes to every draw of this vertex program in which the uniform has the same value");
    ImGui::SameLine();
    if (ImGui::SmallButton("all back")) state.settings.uniforms.clear();
    tip("Every uniform of every draw has its captured value again");
    for (uint32_t i = 0; i < program.uniforms.size(); ++i) {
      const ProgramUniform& uniform = program.uniforms[i];
      const std::vector<uint32_t> captured = uniform_words_of(frame, inputs, uniform);
      const auto edit = state.settings.uniforms.find({number, i});
      const bool is_edited = edit != state.settings.uniforms.end();
      std::vector<uint32_t> words = is_edited ? edit->second : captured;
      ImGui::PushID(int(i));
      const bool is_changed = draw_uniform(uniform, words);
      if (is_changed) change(state, number, i, words);
      if (is_edited && ImGui::SmallButton("back")) change(state, number, i, captured);
      ImGui::PopID();
    }
  }

  // Stores the words, or nothing if they are the captured ones.
  void change(ViewerState& state, uint32_t number, uint32_t uniform, const std::vector<uint32_t>& words) const {
    const Frame& frame = state.scene->frame;
    UniformEdits& edits = state.settings.uniforms;
    const VertexInputs& inputs = frame.vertex_inputs[number];
    const ProgramUniform& changed = frame.vertex_programs[inputs.program].uniforms[uniform];
    const std::vector<uint32_t> captured = uniform_words_of(frame, inputs, changed);
    for (uint32_t other = 0; other < frame.vertex_inputs.size(); ++other) {
      if (other != number && (!in_all_ || frame.vertex_inputs[other].program != inputs.program ||
                              uniform_words_of(frame, frame.vertex_inputs[other], changed) != captured))
        continue;
      if (words == captured)
        edits.erase({other, uniform});
      else
        edits[{other, uniform}] = words;
    }
  }

  // Draws a row per column of each element. Returns true if the user changed a word.
  static bool draw_uniform(const ProgramUniform& uniform, std::vector<uint32_t>& words) {
    const ShaderShape shape = shape_of(uniform.type);
    const uint32_t elements = std::min(uniform.count, kMaxElements);
    bool changed = false;
    for (uint32_t element = 0; element < elements; ++element) {
      for (uint32_t column = 0; column < shape.columns; ++column) {
        std::string label = app::printable(uniform.name);
        if (uniform.count > 1) label += "[" + std::to_string(element) + "]";
        if (shape.columns > 1) label = column == 0 ? label : std::string("  column ") + std::to_string(column);
        ImGui::PushID(int(element * 4 + column));
        uint32_t* const first = words.data() + (element * shape.columns + column) * shape.rows;
        changed = draw_words(uniform.type, label, first, int(shape.rows)) || changed;
        ImGui::PopID();
      }
    }
    if (uniform.count > elements) ImGui::TextDisabled("%u more elements", uniform.count - elements);
    return changed;
  }

  static bool draw_words(ShaderType type, const std::string& label, uint32_t* words, int count) {
    const bool is_matrix = type >= ShaderType::mat2;
    if (is_matrix || type < ShaderType::i32) {
      float values[4] = {};
      float largest = 0;
      for (int i = 0; i < count; ++i) {
        values[i] = std::bit_cast<float>(words[i]);
        largest = std::max(largest, std::abs(values[i]));
      }
      const float speed = std::clamp(0.005f * largest, 0.001f, 10.0f);
      if (!ImGui::DragScalarN(row(label.c_str()), ImGuiDataType_Float, values, count, speed, nullptr, nullptr, "%.4g"))
        return false;
      for (int i = 0; i < count; ++i) words[i] = std::bit_cast<uint32_t>(values[i]);
      return true;
    }
    const bool is_truth = type >= ShaderType::b32;
    const uint32_t zero = 0, one = 1;
    return ImGui::DragScalarN(row(label.c_str()), type < ShaderType::u32 ? ImGuiDataType_S32 : ImGuiDataType_U32, words,
                              count, 0.1f, is_truth ? &zero : nullptr, is_truth ? &one : nullptr);
  }

  bool in_all_ = false;
  bool is_drawn_ = false, is_open_ = false;  // in this UI frame, and in the last one
};

}  // namespace

std::unique_ptr<Panel> make_uniforms_panel() { return std::make_unique<UniformsPanel>(); }

}  // namespace brokkr::viewer
