// The user's own shader in the viewer: its file is watched, and what stands in it is checked on a thread of its own.
// The last good text stays while the newest has a fault.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "brokkr/fragment_shader.h"
#include "viewer/file_watch.h"

namespace brokkr::viewer {

struct Scene;

// Returns true if a file of this name is a shader: .frag, .fs, .glsl, .vert or .vs.
bool is_shader_file(const std::string& path);
// Returns true if it is a vertex shader: .vert or .vs.
bool is_vertex_file(const std::string& path);

class ShaderControl {
 public:
  // `wake` is called from other threads when there is something to `poll`.
  explicit ShaderControl(const std::function<void()>& wake);

  // Reads and checks the files; values, textures and time of `from` are the first ones. Without a fragment shader
  // (`path`) there is a plain one, and without a vertex shader none.
  void open(const std::string& path, const std::string& vertex_path, FragmentShader from = {});
  void reload() { wants_ = !path().empty(); }
  void close();
  // Takes what other threads have done, and checks what is new: for the programs of `scene`, if there is one. Whether
  // there is another text.
  bool poll(const std::shared_ptr<const Scene>& scene);

  bool is_checking() const { return checked_.valid(); }  // poll now and then

  // The fragment shader's, or else the vertex shader's; empty: there is none.
  const std::string& path() const { return path_.empty() ? vertex_path_ : path_; }
  const std::string& fragment_path() const { return path_; }
  const std::string& vertex_path() const { return vertex_path_; }
  const std::string& error() const { return error_; }  // one line about the newest text; empty: it is good
  const std::vector<std::string>& warnings() const { return warnings_; }  // what its files lack, a line each
  // The uniforms of the last good text. Call `change` after you edit values.
  std::vector<ShaderUniform>& uniforms() { return uniforms_; }
  const std::vector<ShaderUniform>& initial() const { return initial_; }  // the same as the text has them
  void change() { shader_.reset(); }

  bool running = false;  // time
  double time() const { return time_; }
  void set_time(double seconds);
  // Time goes on by so many seconds, if it runs.
  void advance(double seconds);

  // iMouse and the keys that are held, for Shadertoy's texts.
  const std::array<double, 4>& mouse() const { return good_.mouse; }
  void set_mouse(const std::array<double, 4>& mouse);
  void set_keys(const std::set<uint8_t>& held);  // before each picture

  // The shader to draw with; null: no text was good yet. Another one after each change.
  std::shared_ptr<const FragmentShader> shader();

 private:
  struct Checked {
    FragmentShader good;
    std::vector<ShaderUniform> uniforms, initial;
    std::string error;
    std::vector<std::string> warnings;
  };
  static Checked check(FragmentShader shader, const std::string& path, const std::string& vertex_path,
                       const std::shared_ptr<const Scene>& scene);

  std::function<void()> wake_;
  FileWatch watch_, vertex_watch_;
  std::string path_, vertex_path_, error_;
  bool wants_ = false;
  FragmentShader good_;  // without text: none
  std::vector<ShaderUniform> uniforms_, initial_;
  std::vector<std::string> warnings_;
  double time_ = 0;
  std::shared_ptr<const FragmentShader> shader_;
  std::future<Checked> checked_;
};

}  // namespace brokkr::viewer
