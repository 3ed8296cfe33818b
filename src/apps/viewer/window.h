// The window with its OpenGL context and Dear ImGui. Only this file and window.cpp use GLFW.
#pragma once

#include <GLFW/glfw3.h>

#include <chrono>
#include <functional>
#include <glm/vec2.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brokkr::viewer {

struct WindowEvents {
  // `modifiers`: KeyModifier bits; while the user types text, only Esc is reported
  std::function<void(int key, int modifiers)> press;
  std::function<void(int key)> release;
  std::function<void(const std::vector<std::string>&)> drop;
};

struct WindowSize {
  int width = 1600, height = 900;
  bool maximized = false;
};

class Window {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::runtime_error with one line if there is no display or no OpenGL 3.3. `scale`: see set_scale.
  Window(const WindowSize& size, float scale, WindowEvents events);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Sleeps until something happens, at most `seconds` (negative: without limit), and dispatches the events.
  void wait(double seconds);
  // Ends `wait`; may be called from any thread.
  static void wake() { glfwPostEmptyEvent(); }

  bool should_close() const { return glfwWindowShouldClose(window_) != 0; }
  void close() { glfwSetWindowShouldClose(window_, GLFW_TRUE); }
  bool minimized() const { return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) != 0; }
  glm::ivec2 size() const;         // in screen coordinates
  glm::ivec2 framebuffer() const;  // in pixels
  // The scale of the user interface, 0.5 to 4: the one set, or the monitor's (Xft.dpi). The window always has space for
  // 320 x 200 pixels at this scale.
  float scale() const { return scale_; }
  // Requests a scale, which applies from the next frame on; 0: the monitor's.
  void set_scale(float wanted) { wanted_scale_ = wanted; }
  bool key_down(int key) const { return glfwGetKey(window_, key) == GLFW_PRESS; }
  void set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }
  void toggle_full_screen();
  WindowSize remembered() const;                      // the size for the next start, never that of full screen
  std::string renderer() const { return renderer_; }  // OpenGL's name for itself

  void begin_frame();  // of the user interface
  void end_frame();    // draws the user interface over a dark background
  void swap() { glfwSwapBuffers(window_); }
  // The pixels that end_frame drew, rows bottom to top. Call it before `swap`.
  std::vector<uint32_t> read_pixels() const;

  Clock::time_point last_input() const { return last_input_; }
  // Returns true if there was input, resizing or damage since the last call.
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  static Window& of(GLFWwindow* window) { return *static_cast<Window*>(glfwGetWindowUserPointer(window)); }
  void set_callbacks();
  void set_icon();
  float fitting_scale() const;
  void note_input() {
    last_input_ = Clock::now();
    changed_ = true;
  }

  GLFWwindow* window_ = nullptr;
  WindowEvents events_;
  float scale_ = 1, wanted_scale_ = 0;
  bool changed_ = true;
  bool full_screen_ = false;
  WindowSize windowed_;
  glm::ivec2 position_{0};
  std::string renderer_;
  Clock::time_point last_input_;
  glm::vec2 pointer_{-1};                // in screen coordinates, according to the events so far
  std::optional<glm::vec2> clicked_at_;  // position of the first button or wheel event since the last frame
};

}  // namespace brokkr::viewer
