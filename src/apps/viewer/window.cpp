#include "viewer/window.h"

#include <glad/gl.h>
#include <imgui.h>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "viewer/icon.h"
#include "viewer/keys.h"
#include "viewer/theme.h"

namespace brokkr::viewer {
namespace {

std::string last_error;  // GLFW reports through a callback
void note_error(int, const char* text) { last_error = text; }

// Returns true if the keyboard has a key that types a full stop without modifiers.
bool has_period() {
  constexpr std::string_view kKeysOfText = "',-./0123456789;=ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]`";  // GLFW's codes
  return std::any_of(kKeysOfText.begin(), kKeysOfText.end(), [](char key) {
    const char* const name = glfwGetKeyName(key, 0);
    return name != nullptr && std::string_view(name) == ".";
  });
}

[[noreturn]] void fail(const std::string& problem) {
  const std::string detail = last_error.empty() ? "" : " (" + last_error + ")";
  glfwTerminate();
  throw std::runtime_error(problem + detail);
}

}  // namespace

Window::Window(const WindowSize& size, float scale, WindowEvents events)
    : events_(std::move(events)), wanted_scale_(scale), windowed_(size) {
  glfwSetErrorCallback(note_error);
  if (glfwInit() != GLFW_TRUE) {
    const char* const display = std::getenv("DISPLAY");
    const bool none = display == nullptr || *display == '\0';
    fail(none ? "view: no display: DISPLAY is not set; `brokkr render` draws without one"
              : "view: the display '" + std::string(display) + "' cannot be opened; `brokkr render` draws without one");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_ALPHA_BITS, 0);
  glfwWindowHint(GLFW_MAXIMIZED, size.maximized ? GLFW_TRUE : GLFW_FALSE);
  window_ = glfwCreateWindow(size.width, size.height, "Brokkr", nullptr, nullptr);
  if (window_ == nullptr)
    fail("view: the display has no OpenGL 3.3; install a driver, or Mesa's software one (libgl1-mesa-dri)");
  glfwMakeContextCurrent(window_);
  if (gladLoadGL(glfwGetProcAddress) == 0) fail("view: OpenGL's functions cannot be loaded; install a driver");
  glfwSwapInterval(1);
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  scale_ = fitting_scale();
  set_icon();
  glfwGetWindowPos(window_, &position_.x, &position_.y);
  last_input_ = Clock::now();

  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the viewer stores its own settings
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigInputTextCursorBlink = false;  // a window that shows a text field draws nothing until something changes
  theme::apply(scale_);
  set_callbacks();
  ImGui_ImplGlfw_InitForOpenGL(window_, true);  // also calls the callbacks set before
  ImGui_ImplOpenGL3_Init("#version 330");
}

Window::~Window() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

float Window::fitting_scale() const {
  float x = wanted_scale_, y = wanted_scale_;
  if (wanted_scale_ <= 0) glfwGetWindowContentScale(window_, &x, &y);
  // The scale changes in steps, so that resizing a window does not rebuild fonts for every pixel.
  const float room = std::min(float(size().x) / 320, float(size().y) / 200), max_scale = std::floor(room * 4) / 4;
  return std::clamp(std::min(x, std::max(max_scale, 1.0f)), 0.5f, 4.0f);
}

void Window::set_icon() {
  constexpr std::array<int, 5> kSizes = {16, 32, 48, 64, 128};
  std::array<std::vector<uint32_t>, kSizes.size()> pixels;
  std::array<GLFWimage, kSizes.size()> images{};
  for (size_t i = 0; i < kSizes.size(); ++i) {
    pixels[i] = draw_icon(icon_drawing(), kSizes[i]);
    images[i] = {kSizes[i], kSizes[i], reinterpret_cast<unsigned char*>(pixels[i].data())};
  }
  glfwSetWindowIcon(window_, int(images.size()), images.data());
}

void Window::set_callbacks() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int place, int scancode, int action, int modifiers) {
    Window& self = of(window);
    self.note_input();
    const int key = key_that_stands(place, glfwGetKeyName(place, scancode), has_period());
    if (key == GLFW_KEY_PERIOD && place != GLFW_KEY_PERIOD && !has_period()) modifiers &= ~GLFW_MOD_SHIFT;
    if (action == GLFW_RELEASE) self.events_.release(key);
    // Arrows, Enter and the like move the keyboard focus while it is shown.
    const bool moves_mark = key == GLFW_KEY_UP || key == GLFW_KEY_DOWN || key == GLFW_KEY_LEFT ||
                            key == GLFW_KEY_RIGHT || key == GLFW_KEY_SPACE || key == GLFW_KEY_ENTER;
    if (ImGui::GetIO().NavVisible && moves_mark && action == GLFW_PRESS && modifiers == 0) return;
    // While the user types text, keys are letters. Esc only ends the typing.
    if (action != GLFW_PRESS || (ImGui::GetIO().WantTextInput && key != GLFW_KEY_ESCAPE)) return;
    self.events_.press(key, modifiers & (GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT));
  });
  // Dear ImGui handles these events; the viewer redraws afterwards.
  const auto input = [](GLFWwindow* window, auto...) { of(window).note_input(); };
  const auto click = [](GLFWwindow* window, auto...) {
    Window& self = of(window);
    self.note_input();
    if (!self.clicked_at_) self.clicked_at_ = self.pointer_;
  };
  glfwSetCharCallback(window_, input);
  glfwSetMouseButtonCallback(window_, click);
  glfwSetScrollCallback(window_, click);
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    Window& self = of(window);
    self.note_input();
    self.pointer_ = {x, y};
  });
  const auto changed = [](GLFWwindow* window, auto...) { of(window).changed_ = true; };
  glfwSetFramebufferSizeCallback(window_, changed);
  glfwSetWindowRefreshCallback(window_, changed);
  glfwSetWindowFocusCallback(window_, changed);
  glfwSetWindowIconifyCallback(window_, changed);
  glfwSetWindowContentScaleCallback(window_, changed);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    of(window).note_input();
    of(window).events_.drop(std::vector<std::string>(paths, paths + count));
  });
}

void Window::wait(double seconds) {
  if (seconds < 0) {
    glfwWaitEvents();
  } else if (seconds > 0) {
    glfwWaitEventsTimeout(seconds);
  } else {
    glfwPollEvents();
  }
}

glm::ivec2 Window::size() const {
  glm::ivec2 s(0);
  glfwGetWindowSize(window_, &s.x, &s.y);
  return s;
}

glm::ivec2 Window::framebuffer() const {
  glm::ivec2 s(0);
  glfwGetFramebufferSize(window_, &s.x, &s.y);
  return s;
}

void Window::toggle_full_screen() {
  if (full_screen_) {
    glfwSetWindowMonitor(window_, nullptr, position_.x, position_.y, windowed_.width, windowed_.height, GLFW_DONT_CARE);
    full_screen_ = false;
    return;
  }
  GLFWmonitor* const monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return;
  windowed_ = remembered();
  glfwGetWindowPos(window_, &position_.x, &position_.y);
  const GLFWvidmode* const mode = glfwGetVideoMode(monitor);
  glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  full_screen_ = true;
}

WindowSize Window::remembered() const {
  if (full_screen_) return windowed_;
  const bool maximized = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) != 0;
  if (maximized) return {windowed_.width, windowed_.height, true};
  return {size().x, size().y, false};
}

void Window::begin_frame() {
  if (const float scale = fitting_scale(); scale != scale_) {
    scale_ = scale;
    theme::apply(scale_);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  // If frames take long, the pointer may have left the position of the click by now.
  if (const auto clicked = std::exchange(clicked_at_, std::nullopt)) ImGui::GetIO().MousePos = {clicked->x, clicked->y};
  ImGui::NewFrame();
}

void Window::end_frame() {
  ImGui::Render();
  const glm::ivec2 pixels = framebuffer();
  glViewport(0, 0, pixels.x, pixels.y);
  const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(theme::kBackdrop);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

std::vector<uint32_t> Window::read_pixels() const {
  const glm::ivec2 pixels = framebuffer();
  std::vector<uint32_t> result(size_t(pixels.x) * size_t(pixels.y));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, pixels.x, pixels.y, GL_RGBA, GL_UNSIGNED_BYTE, result.data());
  return result;
}

}  // namespace brokkr::viewer
