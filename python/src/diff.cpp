// Differentiable rendering: plain arrays in and out. brokkr_render/diff.py checks what users pass; sizes of arrays are
// checked here once more, as memory depends on them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind.h"
#include "brokkr/choices.h"
#include "brokkr/diff.h"

using namespace nb::literals;

namespace {

using brokkr::DiffMachine;
using brokkr::DiffShape;

template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;
using Floats = std::optional<In<float>>;
using Ints = std::optional<In<int32_t>>;
using OutFloats = std::optional<Out<float>>;

template <class A>
auto pointer(A& array, size_t size, const char* name) -> decltype(array->data()) {
  if (!array) return nullptr;
  if (array->size() != size)
    throw nb::value_error((std::string(name) + ": has " + std::to_string(array->size()) + " numbers; " +
                           std::to_string(size) + " are wanted")
                              .c_str());
  return array->data();
}

// The sizes and arrays that describe a mesh in a picture, for the duration of a call.
struct Target {
  DiffShape shape;
  size_t pixels;
  brokkr::DiffMesh mesh;
  Target(const nb::tuple& size, In<float> pos, In<int32_t> tri, Ints ranges) {
    shape = {nb::cast<int32_t>(size[0]), nb::cast<int32_t>(size[1]), nb::cast<int32_t>(size[2])};
    if (shape.images < 1 || shape.height < 1 || shape.width < 1)
      throw nb::value_error("resolution: sides are at least 1");
    pixels = size_t(shape.images) * size_t(shape.height) * size_t(shape.width);
    if (pos.ndim() < 2 || pos.ndim() > 3 || pos.shape(pos.ndim() - 1) != 4)
      throw nb::value_error("pos: wanted [N, V, 4] or [V, 4]");
    if (tri.ndim() != 2 || tri.shape(1) != 3) throw nb::value_error("tri: wanted [T, 3]");
    mesh = {.pos = pos.data(),
            .vertices = int64_t(pos.shape(pos.ndim() - 2)),
            .shared = pos.ndim() == 2,
            .tri = tri.data(),
            .triangles = int64_t(tri.shape(0))};
    if (pos.ndim() == 3 && pos.shape(0) != size_t(shape.images))
      throw nb::value_error("pos: wanted one set for each image");
    mesh.ranges = pointer(ranges, size_t(shape.images) * 2, "ranges");
  }
  size_t positions() const { return size_t(mesh.vertices) * 4 * (mesh.shared ? 1 : size_t(shape.images)); }
};

brokkr::DiffRaster raster_of(const Target& t, Floats& rast, Ints& ids) {
  return {pointer(rast, t.pixels * 4, "rast"), pointer(ids, t.pixels, "ids")};
}

// C++'s refusals are ValueError; without the lock of Python while it works.
template <class F>
auto call(F&& f) {
  const nb::gil_scoped_release release;
  return f();
}

brokkr::DiffAttributes attributes_of(In<float>& attr, const Target& t) {
  if (attr.ndim() < 2 || attr.ndim() > 3) throw nb::value_error("attr: wanted [N, V, A] or [V, A]");
  if (attr.ndim() == 3 && attr.shape(0) != size_t(t.shape.images))
    throw nb::value_error("attr: wanted one set for each image");
  return {attr.data(), int64_t(attr.shape(attr.ndim() - 2)), int32_t(attr.shape(attr.ndim() - 1)), attr.ndim() == 2};
}

struct Sampling {
  DiffShape shape;
  size_t pixels, coordinates;
  brokkr::DiffTexture texture;
  brokkr::DiffLookup lookup;
  size_t images, mip_size;

  Sampling(const nb::tuple& size, In<float>& tex, Floats& mips, int levels, In<float>& uv, Floats& uv_da, Floats& bias,
           int filter, int boundary) {
    shape = {nb::cast<int32_t>(size[0]), nb::cast<int32_t>(size[1]), nb::cast<int32_t>(size[2])};
    if (shape.images < 1 || shape.height < 1 || shape.width < 1) throw nb::value_error("uv: sides are at least 1");
    if (filter < 0 || filter > 3 || boundary < 0 || boundary > 3) throw nb::value_error("filter_mode: unknown");
    pixels = size_t(shape.images) * size_t(shape.height) * size_t(shape.width);
    texture.boundary = brokkr::DiffBoundary(boundary);
    const bool is_cube = texture.boundary == brokkr::DiffBoundary::cube;
    coordinates = is_cube ? 3 : 2;
    const size_t n = tex.ndim();
    if (n != (is_cube ? 5u : 4u) || (is_cube && tex.shape(1) != 6))
      throw nb::value_error(is_cube ? "tex: wanted [N, 6, size, size, C]" : "tex: wanted [N, height, width, C]");
    images = tex.shape(0);
    if (images != 1 && images != size_t(shape.images))
      throw nb::value_error("tex: wanted one texture, or one for each image");
    texture.tex = tex.data();
    texture.height = int32_t(tex.shape(n - 3));
    texture.width = int32_t(tex.shape(n - 2));
    texture.channels = int32_t(tex.shape(n - 1));
    texture.shared = images == 1;
    texture.levels = levels;
    if (levels < 0 || levels > 15) throw nb::value_error("mip: at most 15 levels are possible");
    mip_size = size_t(DiffMachine::mip_size(texture));
    texture.mips = pointer(mips, images * mip_size, "mip");
    Floats given(uv);
    lookup = {brokkr::DiffFilter(filter), pointer(given, pixels * coordinates, "uv"),
              pointer(uv_da, pixels * coordinates * 2, "uv_da"), pointer(bias, pixels, "mip_level_bias")};
  }
};

struct Peeler {
  std::unique_ptr<DiffMachine::Peeler> peeler;
  size_t pixels;
};

void bind_geometry(nb::class_<DiffMachine>& m) {
  m.def(
      "visible",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Ints ranges, Out<int32_t> ids) {
        Target t(size, pos, tri, ranges);
        std::optional<Out<int32_t>> out(ids);
        int32_t* const to = pointer(out, t.pixels, "ids");
        call([&] { d.visible(t.shape, t.mesh, to); });
      },
      "size"_a, "pos"_a, "tri"_a, "ranges"_a.none(), "ids"_a);
  m.def(
      "peel",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Ints ranges) {
        Target t(size, pos, tri, ranges);
        return std::make_unique<Peeler>(Peeler{call([&] { return d.peel(t.shape, t.mesh); }), t.pixels});
      },
      "size"_a, "pos"_a, "tri"_a, "ranges"_a.none());
  m.def(
      "rasterize",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, In<int32_t> ids, Out<float> rast,
         OutFloats db) {
        Target t(size, pos, tri, {});
        Ints given(ids);
        OutFloats out(rast);
        const int32_t* const from = pointer(given, t.pixels, "ids");
        float *const to = pointer(out, t.pixels * 4, "rast"), *const to_db = pointer(db, t.pixels * 4, "rast_db");
        call([&] { d.rasterize(t.shape, t.mesh, from, to, to_db); });
      },
      "size"_a, "pos"_a, "tri"_a, "ids"_a, "rast"_a, "rast_db"_a.none());
  m.def(
      "rasterize_backward",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, Floats g_rast,
         Floats g_db, Out<float> g_pos) {
        Target t(size, pos, tri, {});
        OutFloats out(g_pos);
        const auto raster = raster_of(t, rast, ids);
        const float *const a = pointer(g_rast, t.pixels * 4, "grad_rast"), *const b =
                                                                               pointer(g_db, t.pixels * 4, "grad_db");
        float* const to = pointer(out, t.positions(), "grad_pos");
        call([&] { d.rasterize_backward(t.shape, t.mesh, raster, a, b, to); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a.none(), "ids"_a.none(), "grad_rast"_a.none(), "grad_db"_a.none(),
      "grad_pos"_a);
  m.def(
      "antialias",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, In<int32_t> opposite,
         In<float> color, int channels, Out<float> out) {
        Target t(size, pos, tri, {});
        Ints edges(opposite);
        Floats from(color);
        OutFloats to(out);
        const auto raster = raster_of(t, rast, ids);
        const int32_t* const e = pointer(edges, size_t(t.mesh.triangles) * 3, "topology_hash");
        const float* const c = pointer(from, t.pixels * size_t(channels), "color");
        float* const o = pointer(to, t.pixels * size_t(channels), "out");
        call([&] { d.antialias(t.shape, t.mesh, raster, e, c, channels, o); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a, "ids"_a.none(), "opposite"_a, "color"_a, "channels"_a, "out"_a);
  m.def(
      "antialias_backward",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, In<int32_t> opposite,
         In<float> color, int channels, In<float> g_out, float boost, OutFloats g_color, OutFloats g_pos) {
        Target t(size, pos, tri, {});
        Ints edges(opposite);
        Floats from(color), g(g_out);
        const auto raster = raster_of(t, rast, ids);
        const size_t n = t.pixels * size_t(channels);
        const int32_t* const e = pointer(edges, size_t(t.mesh.triangles) * 3, "topology_hash");
        const float *const c = pointer(from, n, "color"), *const go = pointer(g, n, "grad_out");
        float *const gc = pointer(g_color, n, "grad_color"), *const gp = pointer(g_pos, t.positions(), "grad_pos");
        call([&] { d.antialias_backward(t.shape, t.mesh, raster, e, c, channels, go, boost, gc, gp); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a, "ids"_a.none(), "opposite"_a, "color"_a, "channels"_a, "grad_out"_a,
      "boost"_a, "grad_color"_a.none(), "grad_pos"_a.none());
}

void bind_edges(nb::class_<DiffMachine>& m) {
  m.def(
      "edges_backward",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, In<float> color,
         int channels, In<float> g_out, float boost, Out<float> g_pos) {
        Target t(size, pos, tri, {});
        Floats from(color), g(g_out);
        OutFloats out(g_pos);
        const auto raster = raster_of(t, rast, ids);
        const size_t n = t.pixels * size_t(channels);
        const float *const c = pointer(from, n, "color"), *const go = pointer(g, n, "grad_out");
        float* const to = pointer(out, t.positions(), "grad_pos");
        call([&] { d.edges_backward(t.shape, t.mesh, raster, c, channels, go, boost, to); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a.none(), "ids"_a.none(), "color"_a, "channels"_a, "grad_out"_a, "boost"_a,
      "grad_pos"_a);
}

void bind_interpolate(nb::class_<DiffMachine>& m) {
  m.def(
      "interpolate",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, In<float> attr,
         Floats db, std::vector<int32_t> diff, Out<float> out, OutFloats out_da) {
        Target t(size, pos, tri, {});
        const auto a = attributes_of(attr, t);
        OutFloats to(out);
        const auto raster = raster_of(t, rast, ids);
        const float* const from_db = pointer(db, t.pixels * 4, "rast_db");
        float *const o = pointer(to, t.pixels * size_t(a.channels), "out"), *const o_da = pointer(
                                                                                out_da, t.pixels * diff.size() * 2,
                                                                                "out_da");
        call([&] { d.interpolate(t.shape, t.mesh, raster, a, o, from_db, diff, o_da); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a, "ids"_a.none(), "attr"_a, "rast_db"_a.none(), "diff_attrs"_a, "out"_a,
      "out_da"_a.none());
  m.def(
      "interpolate_backward",
      [](DiffMachine& d, nb::tuple size, In<float> pos, In<int32_t> tri, Floats rast, Ints ids, In<float> attr,
         In<float> g_out, Floats db, std::vector<int32_t> diff, Floats g_da, OutFloats g_attr, OutFloats g_rast,
         OutFloats g_db) {
        Target t(size, pos, tri, {});
        const auto a = attributes_of(attr, t);
        Floats g(g_out);
        const auto raster = raster_of(t, rast, ids);
        const float *const from_db = pointer(db, t.pixels * 4, "rast_db"),
                           *const go = pointer(g, t.pixels * size_t(a.channels), "grad_out"),
                           *const gd = pointer(g_da, t.pixels * diff.size() * 2, "grad_out_da");
        float *const ga = pointer(g_attr, attr.size(), "grad_attr"),
                     *const gr = pointer(g_rast, t.pixels * 4, "grad_rast"),
                     *const gb = pointer(g_db, t.pixels * 4, "grad_rast_db");
        call([&] { d.interpolate_backward(t.shape, t.mesh, raster, a, go, from_db, diff, gd, ga, gr, gb); });
      },
      "size"_a, "pos"_a, "tri"_a, "rast"_a, "ids"_a.none(), "attr"_a, "grad_out"_a, "rast_db"_a.none(), "diff_attrs"_a,
      "grad_out_da"_a.none(), "grad_attr"_a.none(), "grad_rast"_a.none(), "grad_rast_db"_a.none());
}

void bind_texture(nb::class_<DiffMachine>& m) {
  m.def(
      "texture",
      [](DiffMachine& d, nb::tuple size, In<float> tex, Floats mips, int levels, In<float> uv, Floats uv_da,
         Floats bias, int filter, int boundary, Out<float> out) {
        Sampling s(size, tex, mips, levels, uv, uv_da, bias, filter, boundary);
        OutFloats to(out);
        float* const o = pointer(to, s.pixels * size_t(s.texture.channels), "out");
        call([&] { d.texture(s.shape, s.texture, s.lookup, o); });
      },
      "size"_a, "tex"_a, "mips"_a.none(), "levels"_a, "uv"_a, "uv_da"_a.none(), "bias"_a.none(), "filter"_a,
      "boundary"_a, "out"_a);
  m.def(
      "texture_backward",
      [](DiffMachine& d, nb::tuple size, In<float> tex, Floats mips, int levels, In<float> uv, Floats uv_da,
         Floats bias, int filter, int boundary, In<float> g_out, OutFloats g_tex, OutFloats g_mips, OutFloats g_uv,
         OutFloats g_uv_da, OutFloats g_bias) {
        Sampling s(size, tex, mips, levels, uv, uv_da, bias, filter, boundary);
        Floats g(g_out);
        const float* const go = pointer(g, s.pixels * size_t(s.texture.channels), "grad_out");
        float *const gt = pointer(g_tex, tex.size(), "grad_tex"),
                     *const gm = pointer(g_mips, s.images * s.mip_size, "grad_mip"),
                     *const gu = pointer(g_uv, s.pixels * s.coordinates, "grad_uv"),
                     *const gd = pointer(g_uv_da, s.pixels * s.coordinates * 2, "grad_uv_da"),
                     *const gb = pointer(g_bias, s.pixels, "grad_bias");
        call([&] { d.texture_backward(s.shape, s.texture, s.lookup, go, gt, gm, gu, gd, gb); });
      },
      "size"_a, "tex"_a, "mips"_a.none(), "levels"_a, "uv"_a, "uv_da"_a.none(), "bias"_a.none(), "filter"_a,
      "boundary"_a, "grad_out"_a, "grad_tex"_a.none(), "grad_mips"_a.none(), "grad_uv"_a.none(), "grad_uv_da"_a.none(),
      "grad_bias"_a.none());
  // Shapes are those of the texture: images, height, width, channels, cube.
  const auto texture_of = [](const nb::tuple& size, int levels) {
    brokkr::DiffTexture t;
    t.height = nb::cast<int32_t>(size[1]);
    t.width = nb::cast<int32_t>(size[2]);
    t.channels = nb::cast<int32_t>(size[3]);
    if (nb::cast<bool>(size[4])) t.boundary = brokkr::DiffBoundary::cube;
    t.levels = levels;
    return t;
  };
  m.def_static("mip_levels",
               [texture_of](nb::tuple size, int limit) { return DiffMachine::mip_levels(texture_of(size, 0), limit); });
  m.def("construct_mip", [texture_of](DiffMachine& d, nb::tuple size, int levels, In<float> tex, Out<float> mips) {
    auto t = texture_of(size, levels);
    const auto images = nb::cast<int32_t>(size[0]);
    DiffMachine::mip_levels(t, 0);
    Floats from(tex);
    OutFloats to(mips);
    t.tex = pointer(
        from,
        size_t(images) * size_t(t.height) * size_t(t.width) * size_t(t.channels) * (nb::cast<bool>(size[4]) ? 6 : 1),
        "tex");
    float* const o = pointer(to, size_t(images) * size_t(DiffMachine::mip_size(t)), "mip");
    call([&] { d.construct_mip(t, images, o); });
  });
  m.def("construct_mip_backward",
        [texture_of](DiffMachine& d, nb::tuple size, int levels, Out<float> g_mips, Out<float> g_tex) {
          auto t = texture_of(size, levels);
          const auto images = nb::cast<int32_t>(size[0]);
          DiffMachine::mip_levels(t, 0);
          OutFloats mips(g_mips), tex(g_tex);
          float *const gm = pointer(mips, size_t(images) * size_t(DiffMachine::mip_size(t)), "grad_mip"),
                       *const gt = pointer(tex,
                                           size_t(images) * size_t(t.height) * size_t(t.width) * size_t(t.channels) *
                                               (nb::cast<bool>(size[4]) ? 6 : 1),
                                           "grad_tex");
          call([&] { d.construct_mip_backward(t, images, gm, gt); });
        });
}

}  // namespace

void bind_diff(nb::module_& m) {
  nb::class_<Peeler>(m, "DiffPeeler").def("next", [](Peeler& p, Out<int32_t> ids) {
    std::optional<Out<int32_t>> out(ids);
    int32_t* const to = pointer(out, p.pixels, "ids");
    return call([&] { return p.peeler->next(to); });
  });
  nb::class_<DiffMachine> machine(m, "DiffMachine");
  machine.def(
      "__init__",
      [](DiffMachine* d, int workers, const std::string& isa, const std::string& machine) {
        brokkr::DiffOptions options{workers, isa};
        for (const auto& one : brokkr::Choices<brokkr::MachineKind>::all) {
          if (machine == one.name) options.machine = one.value;
        }
        new (d) DiffMachine(options);
      },
      "workers"_a = 0, "isa"_a = "", "machine"_a = "cpu");
  bind_geometry(machine);
  bind_edges(machine);
  bind_interpolate(machine);
  bind_texture(machine);
  m.def("diff_topology", [](In<int32_t> tri, int64_t vertices, Out<int32_t> opposite) {
    if (tri.ndim() != 2 || tri.shape(1) != 3 || opposite.size() != tri.size())
      throw nb::value_error("tri: wanted [T, 3]");
    return call([&] { return DiffMachine::topology(tri.data(), int64_t(tri.shape(0)), vertices, opposite.data()); });
  });
}
