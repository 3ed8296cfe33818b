// Mistakes of programs that use the library: each call works or throws an exception whose message is one line and names
// a field. None ends with a signal, and none hangs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/fragment_shader.h"
#include "brokkr/image.h"
#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "in_child.h"

// ThreadSanitizer allows no threads in a child of a process with several threads.
#if !BROKKR_THREAD_SANITIZER
namespace brokkr {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kHuge = 0xffffffffu;
constexpr unsigned kLongest = 100;  // s

RenderOptions on_cpu() {
  RenderOptions options;
  options.machine = MachineKind::cpu;
  options.workers = 2;
  return options;
}

// A triangle.
Frame triangle() {
  Frame frame;
  frame.targets.push_back({.width = 64, .height = 64});
  frame.views.emplace_back();
  frame.states.emplace_back().viewport = {0, 0, 64, 64};
  frame.materials.emplace_back();
  frame.positions = {{-0.8f, -0.7f, 0, 1}, {0.8f, -0.7f, 0, 1}, {0, 0.8f, 0, 1}};
  frame.commands.emplace_back(ClearCommand{.color = glm::vec4(0, 0, 0, 1), .depth = 1.0f});
  frame.commands.emplace_back(DrawCommand{.element_count = 3, .vertex_count = 3});
  return frame;
}
DrawCommand& draw_of(Frame& frame) { return std::get<DrawCommand>(frame.commands[1]); }

Frame city() { return load_frame("generated:city?triangles=100", {.width = 32, .height = 32}); }

constexpr const char* kShader =
    "out vec4 c; uniform float a; uniform sampler2D k; void main() { c = texture(k, vec2(a)); }";
FragmentShader shader() {
  FragmentShader own;
  own.text = kShader;
  return own;
}

// Returns the result in a child process: "works", or the message.
template <class Work>
std::string outcome(const Work& work) {
  return test::in_child(
      [&] {
        work();
        return std::string("works");
      },
      kLongest);
}

// `said`: a part of the message, or "works" if there is none.
void expect(const std::string& name, const std::string& said, const auto& work) {
  const std::string what = outcome(work);
  if (said == "works") {
    EXPECT_EQ(what, "works") << name;
    return;
  }
  EXPECT_EQ(what.find("throws: "), 0u) << name << ": " << what;
  EXPECT_NE(what.find(said), std::string::npos) << name << ": " << what;
  EXPECT_EQ(what.find('\n'), std::string::npos) << name << ": " << what;
}

// A frame that changes after it was prepared, used by each of the two calls that read it again.
struct Change {
  const char* name;
  const char* said;
  void (*change)(Frame& frame);
};
void expect_changes(const std::vector<Change>& changes, Frame (*make)()) {
  for (const Change& one : changes) {
    for (const bool updates : {false, true}) {
      expect(std::string(one.name) + (updates ? ", update_views" : ", render"), one.said, [&] {
        Frame frame = make();
        Renderer renderer;
        PreparedFrame prepared = renderer.prepare(frame);
        one.change(frame);
        if (updates) prepared.update_views();
        renderer.render(prepared, on_cpu());
      });
    }
  }
}

TEST(Misuse, FramesThatChangeAfterTheyWerePrepared) {
  expect_changes(
      {
          {"nothing", "works", [](Frame&) {}},
          {"a camera", "works", [](Frame& f) { f.views[0].view_projection = glm::mat4(2); }},
          {"no number", "works", [](Frame& f) { f.views[0].view_projection = glm::mat4(kNan); }},
          {"moved", "'targets'", [](Frame& f) { const Frame taken = std::move(f); }},
          {"no positions", "'positions'", [](Frame& f) { std::vector<glm::vec4>().swap(f.positions); }},
          {"more positions", "'positions'", [](Frame& f) { f.positions.resize(1000); }},
          {"normals", "'normals'", [](Frame& f) { f.normals.resize(3); }},
          {"indices", "'indices'", [](Frame& f) { f.indices.resize(3); }},
          {"models", "'models'", [](Frame& f) { f.models.resize(3); }},
          {"no commands", "'commands'", [](Frame& f) { f.commands.clear(); }},
          {"no states", "'states'", [](Frame& f) { f.states.clear(); }},
          {"no materials", "'materials'", [](Frame& f) { f.materials.clear(); }},
          {"no targets", "'targets'", [](Frame& f) { f.targets.clear(); }},
          {"more targets", "'targets'", [](Frame& f) { f.targets.push_back({.width = 9, .height = 9}); }},
          {"a wider target", "'targets'", [](Frame& f) { f.targets[0].width = 16384; }},
          {"a target below 0", "'targets'", [](Frame& f) { f.targets[0].height = -1; }},
          {"more layers", "'targets'", [](Frame& f) { f.targets[0].layers = 65536; }},
          {"another format", "'targets'", [](Frame& f) { f.targets[0].format = ColorFormat::rgba16f; }},
          {"colours", "'targets'", [](Frame& f) { f.targets[0].colors.resize(5); }},
          {"no views", "'views'", [](Frame& f) { f.views.clear(); }},
          {"more views", "'views'", [](Frame& f) { f.views.resize(100); }},
          {"a view's target", "'views'", [](Frame& f) { f.views[0].target = kHuge; }},
          {"a view's layer", "'views'", [](Frame& f) { f.views[0].layer = kHuge; }},
          {"a draw's state", "'commands'", [](Frame& f) { draw_of(f).state = kHuge; }},
          {"a draw's view", "'commands'", [](Frame& f) { draw_of(f).first_view = kHuge; }},
          {"a draw's inputs", "'commands'", [](Frame& f) { draw_of(f).inputs = 7; }},
          {"a clear's target", "'commands'", [](Frame& f) { std::get<ClearCommand>(f.commands[0]).target = kHuge; }},
          {"another command", "'commands'", [](Frame& f) { f.commands[0] = LoadCommand{.target = 3, .texture = 9}; }},
      },
      triangle);
}

#if defined(BROKKR_HAVE_SHADERS)
Frame shaded_city() {
  Frame frame = city();
  set_fragment_shader(frame, shader());
  return frame;
}

TEST(Misuse, FramesWithProgramsThatChange) {
  expect_changes(
      {
          {"nothing", "works", [](Frame&) {}},
          {"a uniform", "works", [](Frame& f) { f.uniforms[0] = kHuge; }},
          {"no uniforms", "'uniforms'", [](Frame& f) { std::vector<uint32_t>().swap(f.uniforms); }},
          {"fewer uniforms", "'uniforms'", [](Frame& f) { f.uniforms.pop_back(); }},
          {"no varyings", "'varyings'", [](Frame& f) { f.varyings.resize(f.varyings.size() + 1); }},
          {"no inputs", "'inputs'", [](Frame& f) { std::vector<DrawInputs>().swap(f.inputs); }},
          {"no programs", "'programs'", [](Frame& f) { f.programs.clear(); }},
          {"no textures", "'captured_textures'", [](Frame& f) { f.captured_textures.clear(); }},
          {"no texels", "'texture_data'", [](Frame& f) { f.texture_data.clear(); }},
          {"uniforms elsewhere", "frame, field", [](Frame& f) { f.inputs[0].first_uniform = ~uint64_t(0); }},
          {"textures elsewhere", "'commands'",
           [](Frame& f) {
             f.inputs[0].textures = {{77, 77}};
           }},
      },
      shaded_city);
}

TEST(Misuse, ShadersWithWrongThings) {
  struct Case {
    const char* name;
    const char* said;
    void (*change)(FragmentShader&);
  };
  const Case cases[] = {
      {"nothing", "works", [](FragmentShader&) {}},
      {"a texture", "works",
       [](FragmentShader& s) {
         s.textures["k"] = {2, 1, {1, 2}};
       }},
      {"without texels", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {100, 100, {}};
       }},
      {"with too few", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {2, 2, {1, 2, 3}};
       }},
      {"with too many", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {2, 2, {1, 2, 3, 4, 5}};
       }},
      {"without a size", "texture 'k'", [](FragmentShader& s) { s.textures["k"] = {}; }},
      {"below 0", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {-1, -1, {1}};
       }},
      {"far below 0", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {-65536, -65536, {}};
       }},
      {"too wide", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {1 << 20, 1, {1}};
       }},
      {"a product beyond int", "texture 'k'",
       [](FragmentShader& s) {
         s.textures["k"] = {65536, 65536, {}};
       }},
      {"of no sampler", "no texture 'j'",
       [](FragmentShader& s) {
         s.textures["j"] = {1, 1, {1}};
       }},
      {"no time", "time", [](FragmentShader& s) { s.time = double(kNan); }},
      {"the end of time", "time", [](FragmentShader& s) { s.time = 1e300; }},
      {"no number", "works", [](FragmentShader& s) { s.uniforms["a"] = {double(kNan)}; }},
      {"too many numbers", "'a'",
       [](FragmentShader& s) {
         s.uniforms["a"] = {1, 2};
       }},
      {"none", "'a'", [](FragmentShader& s) { s.uniforms["a"] = {}; }},
      {"no text", "shader", [](FragmentShader& s) { s.text.clear(); }},
  };
  for (const Case& one : cases) {
    FragmentShader own = shader();
    one.change(own);
    expect(one.name, one.said, [&] {
      Frame frame = city();
      set_fragment_shader(frame, own);
      Renderer().render(frame, on_cpu());
    });
    expect(std::string(one.name) + ", update", one.said, [&] {
      Frame frame = shaded_city();
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame);
      update_fragment_shader(frame, own);
      prepared.update_views();
      renderer.render(prepared, on_cpu());
    });
  }
}

TEST(Misuse, ShadersOfBrokenFrames) {
  const auto set = [](void (*change)(Frame&)) {
    return [change] {
      Frame frame = city();
      change(frame);
      set_fragment_shader(frame, shader());
    };
  };
  expect("empty", "targets", [] {
    Frame frame;
    set_fragment_shader(frame, shader());
  });
  expect("no views", "'first_view'", set([](Frame& f) { f.views.clear(); }));
  expect("no materials", "'material'", set([](Frame& f) { f.materials.clear(); }));
  expect("no positions", "frame", set([](Frame& f) { f.positions.clear(); }));
  const auto update = [](void (*change)(Frame&)) {
    return [change] {
      Frame frame = shaded_city();
      change(frame);
      update_fragment_shader(frame, shader());
    };
  };
  expect("update without a shader", "works", [] {
    Frame frame = triangle();
    update_fragment_shader(frame, shader());
  });
  expect("update, no uniforms", "'uniforms'", [] {
    FragmentShader own;
    own.text = "out vec4 c; uniform float b_time; void main() { c = vec4(b_time); }";
    Frame frame = city();
    set_fragment_shader(frame, own);
    frame.uniforms.clear();
    update_fragment_shader(frame, own);
  });
  expect("update, no inputs", "'inputs'", update([](Frame& f) { f.inputs.clear(); }));
  expect("update, no programs", "'program'", update([](Frame& f) { f.programs.clear(); }));
  expect("update, no views", "'first_view'", update([](Frame& f) { f.views.clear(); }));
  expect("update, no targets", "'target'", update([](Frame& f) { f.targets.clear(); }));
  expect("update, no materials", "'material'", update([](Frame& f) { f.materials.clear(); }));
}
#endif

TEST(Misuse, PreparedFramesThatWereMoved) {
  const Frame frame = triangle();
  const auto with_moved = [&](const auto& use) {
    return [&frame, use] {
      Renderer renderer;
      PreparedFrame from = renderer.prepare(frame);
      PreparedFrame to = std::move(from);
      renderer.render(to, on_cpu());
      use(renderer, from);
    };
  };
  const char* const said = "moved from";
  expect("render", said, with_moved([](Renderer& r, PreparedFrame& p) { r.render(p, on_cpu()); }));
  expect("update_views", said, with_moved([](Renderer&, PreparedFrame& p) { p.update_views(); }));
  expect("origin", said, with_moved([](Renderer&, PreparedFrame& p) { p.origin(0); }));
  expect("moved again", said, with_moved([](Renderer& r, PreparedFrame& p) {
           PreparedFrame again = std::move(p);
           r.render(again, on_cpu());
         }));
  expect("given anew", "works", with_moved([&](Renderer& r, PreparedFrame& p) {
           p = r.prepare(frame);
           p.update_views();
           r.render(p, on_cpu());
         }));
  expect("beyond the frame", "works", [&] {
    Renderer renderer;
    const PreparedFrame prepared = renderer.prepare(frame);
    for (const uint32_t id : {0u, 31u, 32u, 12345u, kHuge}) prepared.origin(id);
  });
  expect("another renderer, and none", "works", [&] {
    auto one = std::make_unique<Renderer>();
    PreparedFrame prepared = one->prepare(frame);
    one->render(prepared, on_cpu());
    one.reset();
    Renderer other;
    other.render(prepared, on_cpu());
  });
}

TEST(Misuse, LimitsOfMemory) {
  for (const int limit : {-1, std::numeric_limits<int>::min()}) {
    LoadOptions load;
    load.memory_limit = limit;
    RenderOptions options = on_cpu();
    options.memory_limit = limit;
    expect("load", "memory_limit", [&] { load_frame("generated:city?triangles=100", load); });
    expect("prepare", "memory_limit", [&] {
      const Frame frame = triangle();
      Renderer().prepare(frame, load);
    });
    expect("render", "memory-limit", [&] {
      const Frame frame = triangle();
      Renderer renderer;
      PreparedFrame prepared = renderer.prepare(frame);
      renderer.render(prepared, options);
    });
    expect("render at once", "memory", [&] { Renderer().render(triangle(), options); });
#if defined(BROKKR_HAVE_SHADERS)
    expect("shader", "memory_limit", [&] {
      Frame frame = city();
      set_fragment_shader(frame, shader(), load);
    });
#endif
  }
  expect("small", "memory limit", [] {
    RenderOptions options = on_cpu();
    options.memory_limit = 1;
    Frame frame = triangle();
    frame.targets[0].width = frame.targets[0].height = 4096;
    Renderer().render(frame, options);
  });
}

TEST(Misuse, SizesOfLoading) {
  const auto load = [](void (*change)(LoadOptions&)) {
    return [change] {
      LoadOptions options;
      change(options);
      load_frame("generated:city?triangles=100", options);
    };
  };
  expect("width", "'size'", load([](LoadOptions& o) { o.width = -1; }));
  expect("height", "'size'", load([](LoadOptions& o) { o.height = 1 << 30; }));
  expect("views", "'views'", load([](LoadOptions& o) { o.views = -5; }));
  expect("many views", "'views'", load([](LoadOptions& o) { o.views = 1 << 30; }));
  expect("view_size", "'size'", load([](LoadOptions& o) { o.views = 2, o.view_size = -1; }));
}

}  // namespace
}  // namespace brokkr
#endif
