// The viewer's key table.
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "viewer/option_widget.h"
#include "viewer/viewer.h"

namespace brokkr::viewer {

void Viewer::copy_camera() {
  if (!state_.scene) return;
  const std::string text = camera_text(state_.camera.camera());
  ImGui::SetClipboardText(text.c_str());
  show_note("camera copied: " + text);
}

void Viewer::paste_camera() {
  const char* const text = ImGui::GetClipboardText();
  try {
    if (text == nullptr || *text == '\0') throw std::runtime_error("the clipboard holds no text");
    state_.camera.set_text(text);
    show_note("camera pasted");
  } catch (const std::exception& error) {
    show_error(error.what());
  }
}

void Viewer::add_view_keys() {
  const auto add = [&](int key, int modifiers, const char* group, const char* help, std::function<void()> press) {
    keys_.add({.key = key, .modifiers = modifiers, .group = group, .help = help, .press = std::move(press)});
  };
  const auto zoom = [this](float factor) {
    area_.zoom(state_, factor, (state_.view.area_begin + state_.view.area_end) / 2.0f);
  };
  add(GLFW_KEY_F1, 0, "Window", "This help", [this] { show_help_ = !show_help_; });
  add(GLFW_KEY_H, 0, "Window", "This help", [this] { show_help_ = !show_help_; });
  add(GLFW_KEY_F2, 0, "Window", "Hide or show everything but the image", [this] { show_ui_ = !show_ui_; });
  add(GLFW_KEY_F11, 0, "Window", "Full screen", [this] { window_->toggle_full_screen(); });
  add(GLFW_KEY_F12, 0, "Window", "Save the window as PNG", [this] { shot_ = Shot::window; });
  add(GLFW_KEY_F12, kShift, "Window", "Save the image alone, pixel for pixel", [this] { shot_ = Shot::image; });
  add(GLFW_KEY_TAB, kControl, "Window", "Next panel", [this] {
    size_t next = 0;
    for (size_t i = 0; i < panels_.size(); ++i) {
      if (panels_[i]->name() == wanted_panel_) next = (i + 1) % panels_.size();
    }
    wanted_panel_ = panels_[next]->name();
    show_ui_ = true;
  });
  add(GLFW_KEY_ESCAPE, 0, "Window", "Close help, dialog and messages; stop loading", [this] {
    show_help_ = false;
    dialog_.close();
    errors_.clear();
    loader_->cancel();
  });
  add(GLFW_KEY_Q, kControl, "Window", "Quit", [this] { window_->close(); });
  add(GLFW_KEY_Z, 0, "Image", "One image pixel per screen pixel", [this] { area_.one_to_one(); });
  add(GLFW_KEY_F, 0, "Image", "Fit the image to the window", [this] { area_.fit(); });
  add(GLFW_KEY_EQUAL, 0, "Image", "Larger", [zoom] { zoom(1.25f); });
  add(GLFW_KEY_MINUS, 0, "Image", "Smaller", [zoom] { zoom(0.8f); });
}

void Viewer::add_camera_keys() {
  const char* const group = "Camera";
  for (int i = 0; i < 10; ++i) {
    const int digit = (i + 1) % 10;  // 1 ... 9, 0
    const auto slot = size_t(digit);
    const std::string name = std::to_string(digit);
    keys_.add(
        {.key = GLFW_KEY_0 + digit, .group = group, .help = "Recall bookmark " + name, .press = [this, slot, name] {
           if (!state_.camera.recall_bookmark(slot))
             show_note("bookmark " + name + " is empty: Ctrl+" + name + " saves the camera there");
         }});
    keys_.add({.key = GLFW_KEY_0 + digit,
               .modifiers = kControl,
               .group = group,
               .help = "Save the camera as bookmark " + name,
               .press = [this, slot, name] {
                 state_.camera.save_bookmark(slot);
                 show_note("camera saved as bookmark " + name);
               }});
  }
  keys_.add(
      {.key = GLFW_KEY_HOME, .group = group, .help = "As it was loaded", .press = [this] { state_.camera.home(); }});
  keys_.add(
      {.key = GLFW_KEY_C, .modifiers = kControl, .group = group, .help = "Copy the camera as text", .press = [this] {
         copy_camera();
       }});
  keys_.add({.key = GLFW_KEY_V, .modifiers = kControl, .group = group, .help = "Paste a camera", .press = [this] {
               paste_camera();
             }});
  keys_.add_gesture("Left drag", group, "Orbit (captured frames: around the unprojected geometry)");
  keys_.add_gesture("Middle drag", group, "Pan (captured frames: the image; with Shift the geometry)");
  keys_.add_gesture("Wheel", group, "Closer (captured frames: zoom into the image; with Shift closer)");
  keys_.add_gesture("Ctrl + wheel, Ctrl + middle drag", group, "Zoom and move the image of any scene");
  keys_.add_gesture("Right held + W A S D Q E", group, "Look around and fly; Shift is faster");
}

void Viewer::add_keys() {
  const auto add = [&](int key, int modifiers, const char* group, const std::string& help,
                       std::function<void()> press) {
    keys_.add({.key = key, .modifiers = modifiers, .group = group, .help = help, .press = std::move(press)});
  };
  add(GLFW_KEY_O, kControl, "Scene", "Open", [this] { dialog_.open(settings_.folder); });
  add(GLFW_KEY_F5, 0, "Scene", "Load it again", [this] { reload(); });
  add(GLFW_KEY_SPACE, 0, "Scene", "Play or pause a sequence", [this] {
    if (sequence_.playing())
      sequence_.pause();
    else
      sequence_.play(Clock::now());
  });
  const auto step = [this](int by) {
    if (!sequence_.active()) return;
    sequence_.pause();
    sequence_.step(by);
    load_file(sequence_.files()[sequence_.position()], true);
  };
  add(GLFW_KEY_RIGHT, 0, "Scene", "Next file of a sequence", [step] { step(1); });
  add(GLFW_KEY_LEFT, 0, "Scene", "Previous file of a sequence", [step] { step(-1); });
  const auto choose = [&](int key, const std::string& what, auto RenderOptions::*option) {
    const auto choose_next = [this, what, option](int by) {
      show_note(what + ": " + step_choice(state_.settings.options.*option, by));
    };
    add(key, 0, "Pipeline", "Next " + what, [choose_next] { choose_next(1); });
    add(key, kShift, "Pipeline", "Previous " + what, [choose_next] { choose_next(-1); });
  };
  choose(GLFW_KEY_P, "bin pattern", &RenderOptions::pattern);
  choose(GLFW_KEY_O, "scheduling policy", &RenderOptions::policy);
  choose(GLFW_KEY_M, "shading", &RenderOptions::shading);
  add(GLFW_KEY_R, 0, "Pipeline", "Render all the time, or only what changes", [this] {
    state_.continuous = !state_.continuous;
    show_note(state_.continuous ? "frames keep coming" : "a frame is drawn where something changes");
  });
  add_camera_keys();
  add_view_keys();
}

}  // namespace brokkr::viewer
