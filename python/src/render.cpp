#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "brokkr/fragment_shader.h"
#include "brokkr/image.h"
#include "brokkr/renderer.h"
#include "inspect/pixel_history.h"
#include "scene.h"

using namespace brokkr;

namespace {

const std::map<std::string, PixelPlane>& planes() {
  static const std::map<std::string, PixelPlane> all = {
      {"color", PixelPlane::color},       {"depth", PixelPlane::distance},    {"window_depth", PixelPlane::depth},
      {"stencil", PixelPlane::stencil},   {"overdraw", PixelPlane::overdraw}, {"triangle", PixelPlane::triangle},
      {"instance", PixelPlane::instance}, {"mesh", PixelPlane::command},      {"barycentric", PixelPlane::barycentric},
      {"normal", PixelPlane::normal},     {"position", PixelPlane::position}, {"uv", PixelPlane::texcoord},
      {"id", PixelPlane::visible_id}};
  return all;
}

// Sets the option to the choice with this name. Python has checked the name against `choices`.
template <class E>
void choose(E& option, const std::string& name) {
  for (const auto& one : Choices<E>::all) {
    if (name == one.name) {
      option = one.value;
      return;
    }
  }
  throw std::invalid_argument("'" + name + "' is none of the choices");
}

template <class E>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (const auto& one : Choices<E>::all) names.emplace_back(one.name);
  return names;
}

FragmentShader shader_of(const std::string& text, const std::string& name,
                         const std::map<std::string, std::vector<double>>& uniforms, const nb::dict& textures,
                         double time) {
  FragmentShader s{.text = text, .name = name, .uniforms = uniforms, .time = time};
  for (const auto& [key, value] : textures) {
    const auto rows = nb::cast<In<uint8_t, nb::ndim<3>>>(value);
    Image image{.width = int(rows.shape(1)), .height = int(rows.shape(0))};
    const size_t width = rows.shape(1), height = rows.shape(0);
    image.texels.resize(width * height);
    for (size_t y = 0; y < height; ++y) {
      std::memcpy(&image.texels[y * width], rows.data() + (height - 1 - y) * width * 4, width * 4);
    }
    for (const uint32_t texel : image.texels) image.has_alpha |= texel >> 24 != 255;
    s.textures[nb::cast<std::string>(key)] = std::move(image);
  }
  return s;
}

// A renderer that serves one call at a time.
struct HeldRenderer {
  Renderer renderer;
  RenderOptions options;
  std::mutex lock;
};

// A frame of its own, and what was prepared from it.
struct HeldPrepared {
  HeldFrame held;
  std::unique_ptr<PreparedFrame> prepared;
  std::optional<FragmentShader> shader;
  std::vector<int32_t> command_numbers, instance_numbers;
  std::mutex lock;  // one thread draws or changes the frame

  Frame& frame() { return held.frame; }
};

// Calls f() without the GIL, while no other thread draws or changes the frame.
template <class F>
void alone(HeldPrepared& p, F&& f) {
  without_gil([&] {
    const std::lock_guard held(p.lock);
    f();
  });
}

// Lets Ctrl-C end the launches of one call: the waiting thread asks Python for signals.
class Interruptible {
 public:
  explicit Interruptible(HeldRenderer& r) : held_(r.lock), renderer_(r.renderer) {
    renderer_.watch([this] {
      nb::gil_scoped_acquire hold;
      if (PyErr_CheckSignals() == 0) return stopped_;
      error_ = std::make_unique<nb::python_error>();
      return stopped_ = true;
    });
  }
  ~Interruptible() { renderer_.watch({}); }
  bool stopped() const { return stopped_; }
  [[noreturn]] void raise() { throw nb::python_error(std::move(*error_)); }

 private:
  std::unique_lock<std::mutex> held_;
  Renderer& renderer_;
  bool stopped_ = false;
  std::unique_ptr<nb::python_error> error_;
};

std::unique_ptr<HeldPrepared> prepare(HeldRenderer& r, const HeldFrame& frame, int memory_limit,
                                      const std::optional<FragmentShader>& shader, const nb::object& progress,
                                      std::vector<int32_t> commands, std::vector<int32_t> instances) {
  LoadOptions load;
  load.memory_limit = memory_limit;
  load.progress = [progress](double part) {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(part);
  };
  return without_gil([&] {
    auto p = std::make_unique<HeldPrepared>();
    p->held.frame = frame.frame;
    p->shader = shader;
    p->command_numbers = std::move(commands);
    p->instance_numbers = std::move(instances);
    if (shader) set_fragment_shader(p->frame(), *shader, load);
    const std::lock_guard lock(r.lock);
    p->prepared = std::make_unique<PreparedFrame>(r.renderer.prepare(p->frame(), load));
    return p;
  });
}

// Draws, and fills the arrays of `outputs`: names and writable contiguous arrays [layers, height, width, ...].
nb::tuple render(HeldRenderer& r, HeldPrepared& p, nb::list outputs, uint32_t target, const std::string& shading,
                 int64_t up_to, bool rows_from_top, int samples) {
  RenderOptions options = r.options;
  options.samples = samples;
  choose(options.shading, shading);
  if (up_to >= 0) options.command_limit = uint32_t(up_to);
  ReadBack wanted;
  wanted.target = target;
  wanted.rows_from_top = rows_from_top;
  wanted.command_numbers = p.command_numbers;
  wanted.instance_numbers = p.instance_numbers;
  std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> arrays;
  for (nb::handle one : outputs) {
    const auto pair = nb::cast<nb::tuple>(one);
    auto array = nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(pair[1]);
    wanted.planes.push_back(
        {planes().at(nb::cast<std::string>(pair[0])), {static_cast<std::byte*>(array.data()), array.nbytes()}});
    arrays.push_back(std::move(array));
  }
  RenderResult result;
  {
    nb::gil_scoped_release release;
    Interruptible call(r);
    const std::lock_guard held(p.lock);
    result = r.renderer.render(*p.prepared, options, wanted);
    if (call.stopped()) {
      nb::gil_scoped_acquire hold;
      call.raise();
    }
  }
  return nb::make_tuple(nb::cast(std::make_unique<Statistics>(std::move(result.statistics))), result.aborted);
}

void set_views(HeldPrepared& p, In<float, nb::shape<-1, 4, 4>> matrices, In<float, nb::shape<-1, 3>> eyes) {
  std::vector<View>& views = p.frame().views;
  if (matrices.shape(0) != views.size() || eyes.shape(0) != views.size())
    throw std::invalid_argument("views: their number");
  alone(p, [&] {
    for (size_t i = 0; i < views.size(); ++i) {
      const float* const rows = matrices.data() + i * 16;
      for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) views[i].view_projection[c][r] = rows[r * 4 + c];
      }
      views[i].eye = {eyes(i, 0), eyes(i, 1), eyes(i, 2)};
    }
    if (p.shader) update_fragment_shader(p.frame(), *p.shader);
    p.prepared->update_views();
  });
}

void set_models(HeldPrepared& p, In<float, nb::shape<-1, 4, 4>> models) {
  if (models.shape(0) != p.frame().models.size()) throw std::invalid_argument("models: their number");
  alone(p, [&] {
    for (size_t i = 0; i < models.shape(0); ++i) {
      const float* const rows = models.data() + i * 16;
      for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) p.frame().models[i][c][r] = rows[r * 4 + c];
      }
    }
    p.prepared->update_models();
  });
}

void set_positions(HeldPrepared& p, size_t first, In<float, nb::shape<-1, 3>> positions) {
  const size_t count = positions.shape(0);
  if (first + count > p.frame().positions.size()) throw std::invalid_argument("positions: their number");
  alone(p, [&] {
    for (size_t i = 0; i < count; ++i)
      p.frame().positions[first + i] = {positions(i, 0), positions(i, 1), positions(i, 2), 1.0f};
    p.prepared->update_positions(first, count);
  });
}

void set_normals(HeldPrepared& p, size_t first, In<float, nb::shape<-1, 3>> normals) {
  if (first + normals.shape(0) > p.frame().normals.size()) throw std::invalid_argument("normals: their number");
  alone(p, [&] {
    if (normals.nbytes() != 0) std::memcpy(&p.frame().normals[first], normals.data(), normals.nbytes());
    p.prepared->update_normals();
  });
}

void set_texture(HeldPrepared& p, size_t number, In<uint8_t, nb::ndim<3>> rows) {
  Texture& texture = p.frame().textures.at(number);
  const size_t height = rows.shape(0), width = rows.shape(1);
  if (int(width) != texture.width || int(height) != texture.height) throw std::invalid_argument("texture: its size");
  alone(p, [&] {
    for (size_t y = 0; y < height; ++y)
      std::memcpy(&texture.texels[y * width], rows.data() + (height - 1 - y) * width * 4, width * 4);
    p.prepared->update_textures(uint32_t(number), 1);
  });
}

void set_uniforms(HeldPrepared& p, const std::map<std::string, std::vector<double>>& uniforms,
                  std::optional<double> time) {
  if (!p.shader) throw std::invalid_argument("uniforms: this was prepared without a shader; prepare it with one");
  alone(p, [&] {
    FragmentShader changed = *p.shader;
    for (const auto& [name, values] : uniforms) changed.uniforms[name] = values;
    if (time) changed.time = *time;
    update_fragment_shader(p.frame(), changed);
    p.prepared->update_views();
    p.shader = std::move(changed);
  });
}

// The shader's own uniforms: name, type ("float", "int", "uint"), values.
nb::list uniforms_of(const HeldFrame& frame, const FragmentShader& shader) {
  const std::vector<ShaderUniform> all = without_gil([&] { return shader_uniforms(frame.frame, shader); });
  nb::list list;
  for (const ShaderUniform& u : all) {
    const char* const type = u.type == ShaderType::f32 ? "float" : u.type == ShaderType::i32 ? "int" : "uint";
    list.append(nb::make_tuple(u.name, type, u.values));
  }
  return list;
}

std::string pixel(HeldRenderer& r, HeldPrepared& p, uint32_t target, int x, int y, const std::string& shading) {
  RenderOptions options = r.options;
  choose(options.shading, shading);
  return without_gil([&] {
    const std::scoped_lock lock(r.lock, p.lock);
    const PixelHistory history = pixel_history(r.renderer, *p.prepared, {.target = target, .x = x, .y = y}, options);
    return to_json(history, p.frame()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
}

}  // namespace

void bind_render(nb::module_& m) {
  nb::class_<FragmentShader>(m, "FragmentShader").def_ro("name", &FragmentShader::name);
  nb::class_<Statistics>(m, "Statistics")
      .def_ro("machine", &Statistics::machine)
      .def_ro("isa", &Statistics::isa)
      .def_ro("workers", &Statistics::workers)
      .def_ro("frame_ms", &Statistics::frame_ms)
      .def_ro("launch_ms", &Statistics::launch_ms)
      .def_ro("read_back_ms", &Statistics::read_back_ms)
      .def_ro("update_ms", &Statistics::update_ms)
      .def_ro("prepare_ms", &Statistics::prepare_ms)
      .def_ro("triangles_in", &Statistics::triangles_in)
      .def_ro("fragments", &Statistics::fragments)
      .def_ro("shaders", &Statistics::shaders)
      .def_ro("shaders_problem", &Statistics::shaders_problem)
      .def("to_json", &Statistics::to_json);
  nb::class_<HeldRenderer>(m, "Renderer")
      .def("__init__",
           [](HeldRenderer* self, const std::string& machine, int workers, const std::string& isa, int memory_limit,
              const std::string& shaders) {
             new (self) HeldRenderer();
             choose(self->options.machine, machine);
             self->options.workers = workers;
             self->options.isa = isa;
             self->options.memory_limit = memory_limit;
             choose(self->options.shaders, shaders);
           })
      .def("request_abort", [](HeldRenderer& r) { r.renderer.request_abort(); });
  nb::class_<HeldPrepared>(m, "Prepared")
      .def("set_views", &set_views)
      .def("set_models", &set_models)
      .def("set_positions", &set_positions)
      .def("set_normals", &set_normals)
      .def("set_texture", &set_texture)
      .def("set_uniforms", &set_uniforms, nb::arg("uniforms"), nb::arg("time").none())
      .def_prop_ro("views",
                   [](HeldPrepared& p) {
                     nb::list all;
                     for (const View& v : p.frame().views) {
                       std::vector<float> values;
                       for (int r = 0; r < 4; ++r) {
                         for (int c = 0; c < 4; ++c) values.push_back(v.view_projection[c][r]);
                       }
                       all.append(nb::make_tuple(values, std::vector<float>{v.eye.x, v.eye.y, v.eye.z}));
                     }
                     return all;
                   })
      .def("size", [](HeldPrepared& p, uint32_t target) {
        const Target& t = p.frame().targets.at(target);
        return nb::make_tuple(t.width, t.height, t.layers);
      });
  m.def("shader", &shader_of);
  m.def("shader_uniforms", &uniforms_of);
  m.def("prepare", &prepare, nb::arg("renderer"), nb::arg("frame"), nb::arg("memory_limit"), nb::arg("shader").none(),
        nb::arg("progress").none(), nb::arg("commands"), nb::arg("instances"), nb::keep_alive<0, 1>());
  m.def("render", &render);
  m.def("pixel", &pixel);
  m.def("choices", [] {
    nb::dict d;
    d["machine"] = names_of<MachineKind>();
    d["shading"] = names_of<Shading>();
    d["shaders"] = names_of<ShaderCode>();
    return d;
  });
  m.def("write_png", [](const std::string& path, In<uint8_t, nb::ndim<3>> rows, bool opaque) {
    const size_t height = rows.shape(0), width = rows.shape(1);
    std::vector<uint32_t> pixels(width * height);
    for (size_t y = 0; y < height; ++y)
      std::memcpy(&pixels[y * width], rows.data() + (height - 1 - y) * width * 4, width * 4);
    without_gil([&] { write_png(std::filesystem::path(path), int(width), int(height), pixels, opaque); });
  });
  m.def("read_image", [](nb::bytes file, const std::string& name) {
    const std::span bytes(reinterpret_cast<const std::byte*>(file.c_str()), file.size());
    const Image image = without_gil([&] { return read_image(bytes, name); });
    const size_t width = size_t(image.width), height = size_t(image.height);
    auto* const out = new uint8_t[width * height * 4];
    nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<uint8_t*>(p); });
    for (size_t y = 0; y < height; ++y)
      std::memcpy(out + (height - 1 - y) * width * 4, &image.texels[y * width], width * 4);
    return nb::cast(nb::ndarray<nb::numpy, uint8_t>(out, {height, width, size_t(4)}, owner));
  });
}
