// The user's own shader in the viewer: watches its file and checks its content on another thread. While the newest text
// has an error, the last good text stays in use.
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

// Returns true if the name is that of a shader file: .frag, .fs, .glsl, .vert or .vs.
bool is_shader_file(const std::string& path);
// Returns true if the name is that of a vertex shader: .vert or .vs.
bool is_vertex_file(const std::string& path);

class ShaderControl {
 public:
  // `wake` is called from other threads when `poll` has something to do.
  explicit ShaderControl(const std::function<void()>& wake);

  // Reads and checks the files; values, textures and time start as in `shader`. An empty `path` selects a plain
  // fragment shader, an empty `vertex_path` no vertex shader.
  void open(const std::string& path, const std::string& vertex_path, FragmentShader shader = {});
  void reload() { wants_ = !path().empty(); }
  void close();
  // Collects results of other threads and checks new texts, for the programs of `scene` if there is one. Returns true
  // if the text changed.
  bool poll(const std::shared_ptr<const Scene>& scene);

  bool is_checking() const { return checked_.valid(); }  // call poll regularly

  // The path of the fragment shader, otherwise of the vertex shader; empty if there is none.
  const std::string& path() const { return path_.empty() ? vertex_path_ : path_; }
  const std::string& fragment_path() const { return path_; }
  const std::string& vertex_path() const { return vertex_path_; }
  const std::string& error() const { return error_; }  // one line about the newest text; empty if it is good
  const std::vector<std::string>& warnings() const { return warnings_; }  // missing parts of its files, one per line
  // The uniforms of the last good text. Call `change` after editing values.
  std::vector<ShaderUniform>& uniforms() { return uniforms_; }
  const std::vector<ShaderUniform>& initial() const { return initial_; }  // the values in the text
  void change() { shader_.reset(); }

  bool running = false;  // time passes
  double time() const { return time_; }
  void set_time(double seconds);
  // Advances time by `seconds` if it runs.
  void advance(double seconds);

  // iMouse and the held keys, for Shadertoy texts.
  const std::array<double, 4>& mouse() const { return good_.mouse; }
  void set_mouse(const std::array<double, 4>& mouse);
  void set_keys(const std::set<uint8_t>& held);  // call it before each picture

  // The shader to draw with; null while no text has been good. Each change makes a new object.
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
  FragmentShader good_;  // empty text: none
  std::vector<ShaderUniform> uniforms_, initial_;
  std::vector<std::string> warnings_;
  double time_ = 0;
  std::shared_ptr<const FragmentShader> shader_;
  std::future<Checked> checked_;
};

}  // namespace brokkr::viewer
