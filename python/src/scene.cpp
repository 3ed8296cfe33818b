#include "scene.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "brokkr/camera.h"
#include "brokkr/load.h"

using namespace brokkr;

namespace {

// Asks Python for signals while a file loads, and tells the user's function how far it is.
LoadProgress progress_of(const nb::object& user) {
  return [user](double part) {
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!user.is_none()) user(part);
  };
}

LoadOptions options_of(int width, int height, const std::string& camera, int views, int memory_limit,
                       const nb::object& progress, const nb::object& warn) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  load.camera = camera;
  load.views = views;
  load.memory_limit = memory_limit;
  load.progress = progress_of(progress);
  if (!warn.is_none()) {
    load.warning = [warn](const std::string& line) {
      nb::gil_scoped_acquire hold;
      warn(text_of(line));
    };
  }
  return load;
}

std::unique_ptr<HeldFrame> load_path(const std::string& path, int width, int height, const std::string& camera,
                                     int views, int memory_limit, const nb::object& progress, const nb::object& warn) {
  const LoadOptions load = options_of(width, height, camera, views, memory_limit, progress, warn);
  return without_gil([&] { return std::make_unique<HeldFrame>(HeldFrame{load_frame(path, load)}); });
}

std::unique_ptr<HeldFrame> load_bytes(nb::bytes file, const std::string& name, int width, int height,
                                      const std::string& camera, int views, int memory_limit,
                                      const nb::object& progress, const nb::object& warn) {
  const LoadOptions load = options_of(width, height, camera, views, memory_limit, progress, warn);
  const std::span bytes(reinterpret_cast<const std::byte*>(file.c_str()), file.size());
  return without_gil([&] { return std::make_unique<HeldFrame>(HeldFrame{load_frame(bytes, name, load)}); });
}

template <class Vector>
nb::object array_of(const Vector* first, size_t count, size_t width, size_t step) {
  float* const values = new float[count * width];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  for (size_t i = 0; i < count; ++i)
    std::memcpy(values + i * width, reinterpret_cast<const float*>(first) + i * step, width * 4);
  return nb::cast(nb::ndarray<nb::numpy, float>(values, {count, width}, owner));
}

// The transform draws of a frame as a list of dicts.
nb::list meshes_of(const HeldFrame& held) {
  const Frame& f = held.frame;
  nb::list all;
  for (const Command& command : f.commands) {
    const auto* const draw = std::get_if<DrawCommand>(&command);
    if (draw == nullptr || draw->vertex_kind != VertexKind::transform || draw->topology != Topology::triangles)
      continue;
    nb::dict mesh;
    mesh["name"] = text_of(draw->label);
    const size_t first = size_t(draw->first_vertex), count = draw->vertex_count;
    mesh["positions"] = array_of(f.positions.data() + first, count, 3, 4);
    if (!f.normals.empty()) mesh["normals"] = array_of(f.normals.data() + first, count, 3, 3);
    if (!f.texcoords.empty()) mesh["uv"] = array_of(f.texcoords.data() + first, count, 2, 2);
    const size_t elements = draw->element_count;
    auto* const indices = new uint32_t[elements];
    nb::capsule owner(indices, [](void* p) noexcept { delete[] static_cast<uint32_t*>(p); });
    for (size_t i = 0; i < elements; ++i)
      indices[i] = draw->indexed ? f.indices[size_t(draw->first_index) + i] : uint32_t(i);
    mesh["triangles"] = nb::ndarray<nb::numpy, uint32_t>(indices, {elements / 3, 3}, owner);
    mesh["models"] = array_of(&f.models[draw->first_instance], draw->instances, 16, 16);
    const Material& m = f.materials[draw->material];
    mesh["base_color"] = nb::make_tuple(m.diffuse.x, m.diffuse.y, m.diffuse.z);
    all.append(mesh);
  }
  return all;
}

nb::object bounds_tuple(const HeldFrame& held) {
  const Bounds b = without_gil([&] { return bounds_of(held.frame); });
  if (b.empty()) return nb::none();
  return nb::make_tuple(nb::make_tuple(b.low.x, b.low.y, b.low.z), nb::make_tuple(b.high.x, b.high.y, b.high.z));
}

float number(const nb::dict& d, const char* name, float otherwise) {
  return d.contains(name) ? nb::cast<float>(d[name]) : otherwise;
}
int index(const nb::dict& d, const char* name) { return d.contains(name) ? nb::cast<int>(d[name]) : -1; }

Material material_of(const nb::dict& d) {
  Material m;
  m.kind = MaterialKind::metallic_roughness;
  const auto color = nb::cast<std::vector<float>>(d["base_color"]);
  m.diffuse = {color[0], color[1], color[2]};
  m.opacity = color[3];
  m.metallic = number(d, "metallic", 0);
  m.roughness = number(d, "roughness", 1);
  m.alpha_cutoff = number(d, "alpha_cutoff", 0);
  const auto emission = nb::cast<std::vector<float>>(d["emission"]);
  m.emission = {emission[0], emission[1], emission[2]};
  m.unlit = nb::cast<bool>(d["unlit"]);
  m.diffuse_texture = index(d, "base_color_texture");
  m.metallic_roughness_texture = index(d, "metallic_roughness_texture");
  m.normal_texture = index(d, "normal_texture");
  m.emission_texture = index(d, "emission_texture");
  return m;
}

// uint8 [H, W, 4] with rows from the top, as texels from the bottom.
std::vector<uint32_t> texels_of(const In<uint8_t, nb::ndim<3>>& rows) {
  const size_t height = rows.shape(0), width = rows.shape(1);
  std::vector<uint32_t> texels(width * height);
  for (size_t y = 0; y < height; ++y)
    std::memcpy(&texels[y * width], rows.data() + (height - 1 - y) * width * 4, width * 4);
  return texels;
}

// Column by column, from arrays row by row.
glm::mat4 matrix_of(const float* rows) {
  glm::mat4 m;
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) m[c][r] = rows[r * 4 + c];
  }
  return m;
}

using Floats = std::optional<In<float, nb::ndim<2>>>;

// Draws: rows of first view, views, first index, elements, first vertex, vertices, material, first model, instances.
std::unique_ptr<HeldFrame> build(In<float, nb::shape<-1, 3>> positions, In<uint32_t, nb::ndim<1>> indices,
                                 Floats normals, Floats uv, Floats colors, In<int64_t, nb::shape<-1, 9>> draws,
                                 In<float, nb::shape<-1, 4, 4>> models, nb::list materials, nb::list textures,
                                 int width, int height, int views, std::vector<float> background,
                                 std::vector<float> light) {
  auto held = std::make_unique<HeldFrame>();
  Frame& f = held->frame;
  f.application = "python";
  f.window_width = width;
  f.window_height = height;
  f.targets = {{.id = 0, .width = width, .height = height, .layers = views, .format = ColorFormat::rgba8_srgb}};
  f.views.resize(size_t(views));
  for (int i = 0; i < views; ++i) f.views[size_t(i)].layer = uint32_t(i);
  State state;
  state.viewport = {0, 0, float(width), float(height)};
  f.states = {state};
  State blended = state;
  const BlendTerm over{BlendFactor::src_alpha, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  const BlendTerm alpha_over{BlendFactor::one, BlendFactor::one_minus_src_alpha, BlendEquation::add};
  blended.blend = BlendState{over, alpha_over};
  blended.depth.write = false;
  f.states.push_back(blended);
  for (nb::handle one : materials) f.materials.push_back(material_of(nb::cast<nb::dict>(one)));
  for (nb::handle one : textures) {
    const auto [name, srgb, rows] = nb::cast<std::tuple<std::string, bool, In<uint8_t, nb::ndim<3>>>>(one);
    Texture texture{.name = name, .width = int(rows.shape(1)), .height = int(rows.shape(0)), .srgb = srgb};
    texture.texels = texels_of(rows);
    f.textures.push_back(std::move(texture));
  }
  const size_t count = positions.shape(0);
  f.positions.resize(count);
  for (size_t i = 0; i < count; ++i) f.positions[i] = {positions(i, 0), positions(i, 1), positions(i, 2), 1.0f};
  const auto copy = [&](auto& to, const Floats& from) {
    if (!from) return;
    to.resize(count);
    std::memcpy(&to[0], from->data(), from->nbytes());
  };
  copy(f.normals, normals);
  copy(f.texcoords, uv);
  copy(f.colors, colors);
  f.indices.assign(indices.data(), indices.data() + indices.size());
  for (size_t i = 0; i < models.shape(0); ++i) f.models.push_back(matrix_of(models.data() + i * 16));
  f.light_direction = {light[0], light[1], light[2]};
  f.commands.emplace_back(ClearCommand{.color = glm::vec4(background[0], background[1], background[2], background[3]),
                                       .depth = 1.0f,
                                       .stencil = uint8_t(0)});
  for (size_t i = 0; i < draws.shape(0); ++i) {
    const int64_t* const row = draws.data() + i * 9;
    DrawCommand d;
    d.first_view = uint32_t(row[0]);
    d.view_count = uint32_t(row[1]);
    d.first_index = uint64_t(row[2]);
    d.element_count = uint32_t(row[3]);
    d.first_vertex = uint64_t(row[4]);
    d.vertex_count = uint32_t(row[5]);
    d.material = uint32_t(row[6]);
    d.first_instance = uint32_t(row[7]);
    d.instances = uint32_t(row[8]);
    d.state = f.materials[d.material].opacity < 1 ? 1 : 0;
    d.vertex_kind = VertexKind::transform;
    d.indexed = true;
    f.commands.emplace_back(d);
  }
  return held;
}

// Returns true if the frame has passed through a capture: clip-space draws.
bool is_capture(const HeldFrame& held) {
  for (const Command& command : held.frame.commands) {
    if (const auto* const draw = std::get_if<DrawCommand>(&command)) return draw->vertex_kind == VertexKind::clip_space;
  }
  return true;
}

nb::list draws_of(const HeldFrame& held) {
  const Frame& f = held.frame;
  nb::list all;
  for (size_t c = 0; c < f.commands.size(); ++c) {
    const auto* const draw = std::get_if<DrawCommand>(&f.commands[c]);
    if (draw == nullptr) continue;
    const uint64_t runs = uint64_t(draw->instances) * draw->view_count;
    const int32_t program = draw->inputs >= 0 ? f.inputs[size_t(draw->inputs)].program : -1;
    const State& state = f.states[draw->state];
    all.append(nb::make_tuple(c, text_of(draw->label), primitive_count(f, *draw) * runs, draw->instances,
                              draw->element_count, f.views[draw->first_view].target, program, state.blend.has_value(),
                              state.depth.test, state.depth.write));
  }
  return all;
}

nb::tuple fit(const std::vector<float>& low, const std::vector<float>& high, float aspect) {
  Bounds bounds;
  bounds.add({low[0], low[1], low[2]});
  bounds.add({high[0], high[1], high[2]});
  const Camera c = fit_camera(bounds, aspect);
  return nb::make_tuple(nb::make_tuple(c.eye.x, c.eye.y, c.eye.z), nb::make_tuple(c.target.x, c.target.y, c.target.z),
                        c.fov);
}

nb::object reference_of(const HeldFrame& held) {
  const Frame& f = held.frame;
  const uint32_t target = main_target(f);
  for (auto it = f.references.rbegin(); it != f.references.rend(); ++it) {
    if (it->target == target && !it->color_file.empty())
      return nb::bytes(reinterpret_cast<const char*>(it->color_file.data()), it->color_file.size());
  }
  return nb::none();
}

}  // namespace

void bind_scene(nb::module_& m) {
  nb::class_<HeldFrame>(m, "Frame")
      .def_prop_ro("meshes", &meshes_of)
      .def_prop_ro("bounds", &bounds_tuple)
      .def_prop_ro("is_capture", &is_capture)
      .def_prop_ro("draws", &draws_of)
      .def_prop_ro("reference", &reference_of)
      .def_prop_ro("warnings",
                   [](const HeldFrame& h) {
                     nb::list all;
                     for (const std::string& line : h.frame.warnings) all.append(text_of(line));
                     return all;
                   })
      .def_prop_ro("main_target", [](const HeldFrame& h) { return main_target(h.frame); })
      .def_prop_ro("commands", [](const HeldFrame& h) { return h.frame.commands.size(); })
      .def_prop_ro("triangles", [](const HeldFrame& h) { return triangle_count(h.frame); })
      .def("size", [](const HeldFrame& h, uint32_t target) {
        const Target& t = h.frame.targets.at(target);
        return nb::make_tuple(t.width, t.height, t.layers);
      });
  m.def("load_path", &load_path, nb::arg("path"), nb::arg("width"), nb::arg("height"), nb::arg("camera"),
        nb::arg("views"), nb::arg("memory_limit"), nb::arg("progress").none(), nb::arg("warn").none());
  m.def("load_bytes", &load_bytes, nb::arg("file"), nb::arg("name"), nb::arg("width"), nb::arg("height"),
        nb::arg("camera"), nb::arg("views"), nb::arg("memory_limit"), nb::arg("progress").none(),
        nb::arg("warn").none());
  m.def("build", &build, nb::arg("positions"), nb::arg("indices"), nb::arg("normals").none(), nb::arg("uv").none(),
        nb::arg("colors").none(), nb::arg("draws"), nb::arg("models"), nb::arg("materials"), nb::arg("textures"),
        nb::arg("width"), nb::arg("height"), nb::arg("views"), nb::arg("background"), nb::arg("light"));
  m.def("fit_camera", &fit);
  m.def("sources", [] {
    nb::list all;
    for (const SceneSource& s : scene_sources()) all.append(nb::make_tuple(s.name, s.description));
    return all;
  });
}
