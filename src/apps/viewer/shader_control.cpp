#include "viewer/shader_control.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/shader_option.h"
#include "viewer/scene.h"

namespace brokkr::viewer {

bool is_shader_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".frag" || ending == ".fs" || ending == ".glsl" || is_vertex_file(path);
}

bool is_vertex_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".vert" || ending == ".vs";
}

ShaderControl::ShaderControl(const std::function<void()>& wake) : wake_(wake), watch_(wake), vertex_watch_(wake) {}

void ShaderControl::open(const std::string& path, const std::string& vertex_path, FragmentShader shader) {
  close();
  path_ = path;
  vertex_path_ = vertex_path;
  time_ = shader.time;
  for (const auto& [name, values] : shader.uniforms) uniforms_.push_back({name, ShaderType::f32, values});
  good_ = std::move(shader);
  good_.text.clear();
  good_.uniforms.clear();
  watch_.watch(path);
  vertex_watch_.watch(vertex_path);
  wants_ = true;
}

void ShaderControl::close() {
  if (checked_.valid()) checked_.wait();
  checked_ = {};
  path_.clear();
  vertex_path_.clear();
  error_.clear();
  good_ = {};
  uniforms_.clear();
  initial_.clear();
  shader_.reset();
  wants_ = running = false;
  watch_.watch({});
  vertex_watch_.watch({});
}

ShaderControl::Checked ShaderControl::check(FragmentShader shader, const std::string& path,
                                            const std::string& vertex_path, const std::shared_ptr<const Scene>& scene) {
  Checked checked;
  try {
    const Frame none;
    const Frame& frame = scene ? scene->frame : none;
    const std::map<std::string, std::vector<double>> before = std::exchange(shader.uniforms, {});
    if (path.empty()) {
      shader.text = plain_fragment_text();
    } else {
      app::read_texts(path, shader, [&](const std::string& line) { checked.warnings.push_back(line); });
    }
    shader.name = path.empty() ? "the plain fragment shader" : path;
    if (!vertex_path.empty()) {
      shader.vertex.text = app::vertex_text(vertex_path);
      shader.vertex.name = vertex_path;
    }
    checked.initial = shader_uniforms(frame, shader);
    checked.uniforms = checked.initial;
    // Keep the values of uniforms that are unchanged in the new text.
    for (ShaderUniform& uniform : checked.uniforms) {
      const auto old = before.find(uniform.name);
      if (old != before.end() && old->second.size() == uniform.values.size()) uniform.values = old->second;
    }
    checked.good = std::move(shader);
  } catch (const std::exception& error) {
    checked.error = error.what();
  }
  return checked;
}

bool ShaderControl::poll(const std::shared_ptr<const Scene>& scene) {
  const bool is_changed = watch_.take(), is_vertex_changed = vertex_watch_.take();
  wants_ = wants_ || is_changed || is_vertex_changed;
  bool is_new = false;
  if (checked_.valid() && checked_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    Checked checked = checked_.get();
    error_ = std::move(checked.error);
    if (error_.empty()) {
      good_ = std::move(checked.good);
      uniforms_ = std::move(checked.uniforms);
      initial_ = std::move(checked.initial);
      warnings_ = std::move(checked.warnings);
      shader_.reset();
      is_new = true;
    }
  }
  if (!wants_ || checked_.valid()) return is_new;
  wants_ = false;
  FragmentShader next = good_;
  next.uniforms.clear();
  // Values that the user has not changed follow the text.
  for (size_t i = 0; i < uniforms_.size(); ++i) {
    const bool is_own = i >= initial_.size() || uniforms_[i].values != initial_[i].values;
    if (is_own) next.uniforms[uniforms_[i].name] = uniforms_[i].values;
  }
  checked_ = std::async(std::launch::async,
                        [next = std::move(next), path = path_, vertex_path = vertex_path_, scene, wake = wake_] {
                          Checked checked = check(next, path, vertex_path, scene);
                          wake();
                          return checked;
                        });
  return is_new;
}

void ShaderControl::set_time(double seconds) {
  if (seconds == time_) return;
  time_ = seconds;
  shader_.reset();
}

void ShaderControl::set_mouse(const std::array<double, 4>& mouse) {
  if (mouse == good_.mouse) return;
  good_.mouse = mouse;
  shader_.reset();
}

void ShaderControl::set_keys(const std::set<uint8_t>& held) {
  std::set<uint8_t> pressed;
  std::ranges::set_difference(held, good_.keys, std::inserter(pressed, pressed.end()));
  if (held == good_.keys && pressed == good_.pressed) return;
  for (const uint8_t key : pressed) {
    if (good_.toggled.erase(key) == 0) good_.toggled.insert(key);
  }
  good_.keys = held;
  good_.pressed = std::move(pressed);
  shader_.reset();
}

void ShaderControl::advance(double seconds) {
  if (running) set_time(time_ + seconds);
}

std::shared_ptr<const FragmentShader> ShaderControl::shader() {
  if (good_.text.empty() || shader_) return shader_;
  FragmentShader now = good_;
  now.time = time_;
  for (const ShaderUniform& uniform : uniforms_) now.uniforms[uniform.name] = uniform.values;
  shader_ = std::make_shared<const FragmentShader>(std::move(now));
  return shader_;
}

}  // namespace brokkr::viewer
