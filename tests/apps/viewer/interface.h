// Dear ImGui without a window: tests can query what panels lay out and draw.
#pragma once

#include <imgui.h>

#include <string>

#include "viewer/panel.h"

namespace brokkr::viewer {

class Interface {
 public:
  explicit Interface(ImVec2 size) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  ~Interface() { ImGui::DestroyContext(); }
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  // Draws several UI frames with these contents, because some widgets need several.
  template <typename Contents>
  void frames(int count, const Contents& contents) {
    for (int i = 0; i < count; ++i) {
      ImGui::NewFrame();
      contents();
      ImGui::Render();
    }
  }
};

// A viewer that records the requests of panels.
class Asked : public ViewerCommands {
 public:
  void request_render() override {}
  std::weak_ptr<const RenderJob> run(RenderJob job) override {
    jobs.push_back(std::make_shared<const RenderJob>(std::move(job)));
    return jobs.back();
  }
  void show_error(const std::string& text) override { errors.push_back(text); }
  void show_note(const std::string& text) override { notes.push_back(text); }

  std::vector<std::shared_ptr<const RenderJob>> jobs;
  std::vector<std::string> errors, notes;
};

}  // namespace brokkr::viewer
