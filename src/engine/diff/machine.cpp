#include "diff/machine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/processors.h"
#include "brokkr/errors.h"
#include "machine/cpu_isa.h"
#if defined(BROKKR_HAVE_CUDA)
#include "pipeline/cuda/machine.h"
#endif

namespace brokkr {

#define X(isa)                         \
  inline namespace isa {               \
  extern const DiffKernel diff_kernel; \
  }
BROKKR_HAVE_ISA_LIST
#undef X

namespace {

const DiffKernel* find_kernel(const std::string& isa) {
#define X(build) \
  if (isa == #build) return &build::diff_kernel;
  BROKKR_HAVE_ISA_LIST
#undef X
  return nullptr;
}

constexpr uint64_t kPixelsPerPart = 8192;            // fewer pixels are done sooner than another thread wakes
constexpr uint64_t kMaxOwnWords = 1u << 22;          // limit for all warps; beyond it, they add atomically to one set
constexpr uint64_t kMaxAddressed = (1u << 31) - 64;  // limit for arrays that lanes address by int32
// limit of one contribution: diff/sums.h rounds by a double's mantissa
constexpr int kMaxBits = 50;
constexpr uint64_t kPixelsPerDevicePart = 128;
constexpr uint64_t kMaxLargest = 1u << 24;  // limit for DiffSums::largest on a device

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

template <class T>
std::string text(T value) {
  return std::to_string(value);
}

void check_given(const void* p, const char* name) {
  if (p == nullptr) refuse(std::string(name) + ": is null");
}

uint64_t pixels_of(const DiffShape& s) { return uint64_t(s.images) * uint64_t(s.height) * uint64_t(s.width); }

DiffGeometry geometry(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster) {
  check_shape(shape);
  check_mesh(shape, mesh);
  if (raster.rast == nullptr && raster.ids == nullptr) refuse("rast: is null");
  return {.shape = shape,
          .pos = mesh.pos,
          .tri = mesh.tri,
          .rast = raster.rast,
          .ids = raster.ids,
          .vertices = int32_t(mesh.vertices),
          .triangles = int32_t(mesh.triangles),
          .pos_stride = mesh.shared ? 0 : mesh.vertices * 4};
}

void check_channels(int32_t channels, const char* name) {
  if (channels < 1 || channels > 4096)
    refuse(std::string(name) + ": " + text(channels) + " channels; 1 to 4096 are possible");
}

uint64_t positions_of(const DiffShape& s, const DiffMesh& m) {
  return uint64_t(m.vertices) * 4 * uint64_t(m.shared ? 1 : s.images);
}

void read(DiffCall& call, DiffGeometry& g) {
  const uint64_t pixels = pixels_of(g.shape);
  call.read(g.pos, uint64_t(g.vertices) * 4 * uint64_t(g.pos_stride == 0 ? 1 : g.shape.images));
  call.read(g.tri, uint64_t(g.triangles) * 3);
  call.read(g.rast, pixels * 4);
  call.read(g.ids, pixels);
}

void read(DiffCall& call, DiffInterpolate& d) {
  read(call, d.g);
  call.read(d.attr,
            uint64_t(d.g.vertices) * uint64_t(d.channels) * uint64_t(d.attr_stride == 0 ? 1 : d.g.shape.images));
  call.read(d.diff_attrs, uint64_t(d.diff_count));
  call.read(d.rast_db, pixels_of(d.g.shape) * 4);
}

void read(DiffCall& call, DiffAntialias& d) {
  read(call, d.g);
  call.read(d.opposite, uint64_t(d.g.triangles) * 3);
  call.read(d.color, pixels_of(d.g.shape) * uint64_t(d.channels));
}

DiffInterpolate interpolation(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                              const DiffAttributes& attr, const float* rast_db,
                              const std::vector<int32_t>& diff_attrs) {
  check_given(raster.rast, "rast");
  check_given(attr.attr, "attr");
  check_channels(attr.channels, "attr");
  if (attr.vertices != mesh.vertices)
    refuse("attr: has " + text(attr.vertices) + " vertices; the triangles' positions have " + text(mesh.vertices));
  if (uint64_t(attr.vertices) * uint64_t(attr.channels) > kMaxAddressed)
    refuse("attr: has 2^31 or more numbers per image");
  for (int32_t k : diff_attrs)
    if (k < 0 || k >= attr.channels)
      refuse("diff_attrs: " + text(k) + " is no channel of attr, which has " + text(attr.channels));
  if (!diff_attrs.empty()) check_given(rast_db, "rast_db");
  return {.g = geometry(shape, mesh, raster),
          .attr = attr.attr,
          .attr_stride = attr.shared ? 0 : attr.vertices * attr.channels,
          .channels = attr.channels,
          .diff_attrs = diff_attrs.data(),
          .diff_count = int32_t(diff_attrs.size()),
          .rast_db = rast_db,
          .out = nullptr,
          .out_da = nullptr};
}

int faces_of(const DiffTexture& t) { return t.boundary == DiffBoundary::cube ? 6 : 1; }

void check_texture(const DiffTexture& t) {
  check_channels(t.channels, "tex");
  if (t.height < 1 || t.width < 1 || t.height > 32768 || t.width > 32768)
    refuse("tex: " + text(t.height) + " x " + text(t.width) + " texels; sides are 1 to 32768");
  if (t.boundary == DiffBoundary::cube && t.height != t.width)
    refuse("tex: faces of a cube are square, these are " + text(t.height) + " x " + text(t.width));
  if (uint64_t(t.height) * uint64_t(t.width) * uint64_t(t.channels) * uint64_t(faces_of(t)) > kMaxAddressed)
    refuse("tex: has 2^31 or more numbers per image");
  if (t.levels < 0 || t.levels >= kDiffMaxLevels) refuse("mip: " + text(t.levels) + " levels; at most 15 are possible");
}

int halved(int side) { return side > 1 ? side / 2 : 1; }

uint64_t texels_of(const DiffTexture& t) {
  return uint64_t(faces_of(t)) * uint64_t(t.height) * uint64_t(t.width) * uint64_t(t.channels);
}

// The floats of a coordinate.
uint64_t coordinates_of(DiffBoundary boundary) { return boundary == DiffBoundary::cube ? 3 : 2; }

void read(DiffCall& call, DiffSample& d, const DiffTexture& t) {
  const uint64_t pixels = pixels_of(d.shape), images = t.shared ? 1 : uint64_t(d.shape.images);
  call.read(d.tex, images * texels_of(t));
  call.read(d.mips, images * uint64_t(DiffMachine::mip_size(t)));
  call.read(d.uv, pixels * coordinates_of(d.boundary));
  call.read(d.uv_da, pixels * coordinates_of(d.boundary) * 2);
  call.read(d.bias, pixels);
}

DiffSample lookup_of(const DiffShape& shape, const DiffTexture& t, const DiffLookup& l) {
  check_shape(shape);
  check_texture(t);
  check_given(t.tex, "tex");
  check_given(l.uv, "uv");
  const bool has_mips = l.filter == DiffFilter::linear_mipmap_nearest || l.filter == DiffFilter::linear_mipmap_linear;
  if (has_mips && l.uv_da == nullptr && l.bias == nullptr)
    refuse("uv_da: both it and the bias are null; mipmaps need one of them");
  if (has_mips && t.levels > 0) check_given(t.mips, "mip");
  DiffSample d{.shape = shape,
               .filter = l.filter,
               .boundary = t.boundary,
               .tex = t.tex,
               .mips = t.mips,
               .tex_stride = t.shared ? 0 : int64_t(faces_of(t)) * t.height * t.width * t.channels,
               .mip_stride = t.shared ? 0 : DiffMachine::mip_size(t),
               .channels = t.channels,
               .levels = has_mips ? t.levels : 0,
               .widths = {},
               .heights = {},
               .offsets = {},
               .uv = l.uv,
               .uv_da = has_mips ? l.uv_da : nullptr,
               .bias = has_mips ? l.bias : nullptr,
               .out = nullptr};
  int w = t.width, h = t.height;
  for (int i = 0, offset = 0; i < kDiffMaxLevels; ++i) {
    d.widths[i] = w;
    d.heights[i] = h;
    d.offsets[i] = offset;
    if (i <= t.levels && i > 0) offset += faces_of(t) * h * w * t.channels;
    w = halved(w);
    h = halved(h);
  }
  return d;
}

}  // namespace

void check_shape(const DiffShape& s) {
  if (s.images < 1 || s.images > kMaxTargetLayers)
    refuse("images: " + text(s.images) + "; 1 to " + text(kMaxTargetLayers) + " are possible");
  for (const int32_t side : {s.height, s.width})
    if (side < 1 || side > kMaxTargetSize)
      refuse("resolution: " + text(s.height) + " x " + text(s.width) + " pixels; sides are 1 to " +
             text(kMaxTargetSize));
  if (pixels_of(s) > kMaxTargetPixels) refuse("resolution: more than 2^31 pixels in all images");
}

void check_mesh(const DiffShape& s, const DiffMesh& m) {
  check_given(m.pos, "pos");
  if (m.vertices < 1 || m.vertices > (int64_t(1) << 29) - 1)
    refuse("pos: " + text(m.vertices) + " vertices; 1 to 2^29 - 1 are possible");
  if (m.triangles < 0 || m.triangles > int64_t(1) << 29)
    refuse("tri: " + text(m.triangles) + " triangles; at most 2^29 are possible");
  if (m.triangles > 0) check_given(m.tri, "tri");
  uint32_t max_index = 0;
  for (int64_t i = 0; i < m.triangles * 3; ++i) max_index = std::max(max_index, uint32_t(m.tri[i]));
  if (max_index >= uint32_t(m.vertices) && m.triangles > 0) {
    const int64_t i = std::find(m.tri, m.tri + m.triangles * 3, int32_t(max_index)) - m.tri;
    refuse("tri: index " + text(m.tri[i]) + " at [" + text(i / 3) + ", " + text(i % 3) + "] is outside of 0 .. " +
           text(m.vertices - 1));
  }
  for (int i = 0; m.ranges != nullptr && i < s.images; ++i) {
    const int64_t first = m.ranges[i * 2], count = m.ranges[i * 2 + 1];
    if (first < 0 || count < 0 || first + count > m.triangles)
      refuse("ranges: image " + text(i) + " has first " + text(first) + " and count " + text(count) + " of " +
             text(m.triangles) + " triangles");
  }
}

DiffMachine::Impl::Impl(const DiffOptions& o) : options(o) {
  if (o.workers < 0 || o.workers > 1024) refuse("workers: " + text(o.workers) + "; 0 to 1024 are possible");
  if (o.machine == MachineKind::simt) refuse("machine: the simulated device has no stages of gradients; choose cpu");
  if (o.machine == MachineKind::emulated) options.isa = "emulated";
  options.machine = MachineKind::cpu;
#if defined(BROKKR_HAVE_CUDA)
  if (o.machine == MachineKind::cuda || (o.machine == MachineKind::automatic && o.isa.empty() && cuda_is_available())) {
    device = make_diff_device();
    options.machine = MachineKind::cuda;
  }
#else
  if (o.machine == MachineKind::cuda)
    throw MachineError("machine: this library was built without CUDA; use the CPU, or rebuild with BROKKR_CUDA=ON");
#endif
  if (options.isa.empty()) options.isa = best_cpu_isa();
  kernel = find_kernel(options.isa);
  if (kernel == nullptr) refuse("isa: '" + options.isa + "' is not built into this library");
  if (!cpu_supports(options.isa)) refuse("isa: this processor does not run '" + options.isa + "'");
  workers = o.workers > 0 ? o.workers : usable_processors();
}

uint32_t DiffMachine::Impl::parts_of(uint64_t items, uint32_t channels) const {
  if (device) {
    const uint64_t max_parts =
        std::clamp<uint64_t>(kMaxLargest / (uint64_t(channels) * kDiffLanes), 1, device->warps());
    return uint32_t(std::clamp<uint64_t>(items / kPixelsPerDevicePart, 1, max_parts));
  }
  return uint32_t(std::clamp<uint64_t>(items / kPixelsPerPart, 1, uint64_t(workers)));
}

void DiffMachine::Impl::run_in(uint32_t parts, DiffStage stage, const void* data) {
  if (device) {
    device->run(stage, data, parts);
    return;
  }
  if (parts == 1) {
    kernel->run(stage, data, {0, 1});
    return;
  }
  const std::function<void(int)> work = [&](int i) { kernel->run(stage, data, {uint32_t(i), parts}); };
  pool.run(int(parts), work);
}

void DiffMachine::Impl::run(DiffStage stage, const void* data, uint64_t items) { run_in(parts_of(items), stage, data); }

void DiffMachine::Impl::sum(DiffStage find, DiffStage add, const void* data, DiffSums& s, uint64_t items,
                            uint64_t max_terms) {
  const uint32_t parts = parts_of(items, s.channels);
  s.parts = parts;
  s.owners = !device && s.size * parts <= kMaxOwnWords ? parts : 1;
  s.bits = std::min(kMaxBits, 62 - int(std::bit_width(std::max<uint64_t>(max_terms, 1))));
  const size_t bytes = size_t(s.size) * s.owners * sizeof(uint64_t),
               of_largest = size_t(parts) * s.channels * kDiffLanes;
  units.assign(s.channels, 0);
  if (device) {
    s.words = static_cast<uint64_t*>(device->zeroed(bytes));
    s.largest = static_cast<uint32_t*>(device->zeroed(of_largest * sizeof(uint32_t)));
    s.units = static_cast<double*>(device->zeroed(s.channels * sizeof(double)));
  } else {
    if (words.bytes() < bytes)
      words = ZeroedMemory(bytes, "sums of gradients");
    else
      std::memset(words.as<void>(), 0, bytes);
    largest.assign(of_largest, 0);
    s.words = words.as<uint64_t>();
    s.largest = largest.data();
    s.units = units.data();
  }
  run_in(parts, find, data);
  run_in(1, DiffStage::find_units, &s);
  if (device) device->download(units.data(), s.units, s.channels * sizeof(double));
  if (std::any_of(units.begin(), units.end(), [](double u) { return u != 0; })) run_in(parts, add, data);
  run(DiffStage::write_sums, &s, s.size);
}

DiffMachine::DiffMachine(const DiffOptions& options) : impl_(std::make_unique<Impl>(options)) {}
DiffMachine::~DiffMachine() = default;

void DiffMachine::rasterize(const DiffShape& shape, const DiffMesh& mesh, const int32_t* ids, float* rast,
                            float* rast_db) {
  check_given(ids, "ids");
  check_given(rast, "rast");
  DiffRasterize d{geometry(shape, mesh, {nullptr, ids}), rast, rast_db};
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d.g);
  call.write(d.rast, pixels * 4);
  call.write(d.rast_db, pixels * 4);
  impl_->run(DiffStage::rasterize, &d, pixels);
  call.finish();
}

void DiffMachine::rasterize_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                                     const float* grad_rast, const float* grad_db, float* grad_pos) {
  check_given(grad_pos, "grad_pos");
  DiffRasterizeBackward d{geometry(shape, mesh, raster), grad_rast, grad_db, {}};
  d.sums.size = d.sums.split = positions_of(shape, mesh);
  d.sums.channels = 4;
  d.sums.out = grad_pos;
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d.g);
  call.read(d.grad_rast, pixels * 4);
  call.read(d.grad_db, pixels * 4);
  call.write(d.sums.out, d.sums.size);
  impl_->sum(DiffStage::rasterize_largest, DiffStage::rasterize_add, &d, d.sums, pixels,
             3 * (mesh.shared ? pixels : pixels / uint64_t(shape.images)));
  call.finish();
}

void DiffMachine::interpolate(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                              const DiffAttributes& attr, float* out, const float* rast_db,
                              const std::vector<int32_t>& diff_attrs, float* out_da) {
  DiffInterpolate d = interpolation(shape, mesh, raster, attr, rast_db, diff_attrs);
  check_given(out, "out");
  if (!diff_attrs.empty()) check_given(out_da, "out_da");
  d.out = out;
  d.out_da = out_da;
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d);
  call.write(d.out, pixels * uint64_t(d.channels));
  call.write(d.out_da, pixels * uint64_t(d.diff_count) * 2);
  impl_->run(DiffStage::interpolate, &d, pixels);
  call.finish();
}

void DiffMachine::interpolate_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                                       const DiffAttributes& attr, const float* grad_out, const float* rast_db,
                                       const std::vector<int32_t>& diff_attrs, const float* grad_out_da,
                                       float* grad_attr, float* grad_rast, float* grad_rast_db) {
  DiffInterpolateBackward d{interpolation(shape, mesh, raster, attr, rast_db, diff_attrs),
                            grad_out,
                            grad_out_da,
                            grad_rast,
                            grad_rast_db,
                            {}};
  check_given(grad_out, "grad_out");
  if (grad_out_da == nullptr) d.f.diff_count = 0;
  const uint64_t pixels = pixels_of(shape);
  d.sums.channels = uint32_t(attr.channels);
  DiffCall call(*impl_);
  read(call, d.f);
  call.read(d.grad_out, pixels * uint64_t(attr.channels));
  call.read(d.grad_out_da, pixels * uint64_t(d.f.diff_count) * 2);
  call.write(d.grad_rast, pixels * 4);
  call.write(d.grad_rast_db, pixels * 4);
  if (grad_attr == nullptr) {
    impl_->run(DiffStage::interpolate_add, &d, pixels);
  } else {
    d.sums.size = d.sums.split =
        uint64_t(attr.vertices) * uint64_t(attr.channels) * uint64_t(attr.shared ? 1 : shape.images);
    d.sums.out = grad_attr;
    call.write(d.sums.out, d.sums.size);
    impl_->sum(DiffStage::interpolate_largest, DiffStage::interpolate_add, &d, d.sums, pixels,
               6 * (attr.shared ? pixels : pixels / uint64_t(shape.images)));
  }
  call.finish();
}

int DiffMachine::mip_levels(const DiffTexture& t, int limit) {
  check_texture(t);
  int levels = 0;
  for (int h = t.height, w = t.width; (h > 1 || w > 1) && (limit < 0 || levels < limit); ++levels) {
    if ((h > 1 && h % 2 != 0) || (w > 1 && w % 2 != 0))
      refuse("tex: level " + text(levels) + " has " + text(h) + " x " + text(w) +
             " texels, which cannot be halved; use sides that are powers of two, or max_mip_level=" + text(levels));
    h = halved(h);
    w = halved(w);
  }
  return levels;
}

int64_t DiffMachine::mip_size(const DiffTexture& t) {
  int64_t size = 0;
  for (int i = 0, h = t.height, w = t.width; i < t.levels; ++i) {
    h = halved(h);
    w = halved(w);
    size += int64_t(faces_of(t)) * h * w * t.channels;
  }
  return size;
}

namespace {

// Calls f(level's data, floats of the small level) for each level of each image, from large to small.
template <class F>
void each_level(const DiffTexture& t, int32_t images, float* tex, float* mips, F&& f) {
  const int64_t base = int64_t(faces_of(t)) * t.height * t.width * t.channels, stride = DiffMachine::mip_size(t);
  for (int32_t i = 0; i < images; ++i) {
    float *large = tex + i * base, *small = mips + i * stride;
    for (int l = 0, h = t.height, w = t.width; l < t.levels; ++l) {
      f(DiffMip{large, small, faces_of(t), h, w, t.channels});
      large = small;
      h = halved(h);
      w = halved(w);
      small += int64_t(faces_of(t)) * h * w * t.channels;
    }
  }
}

}  // namespace

void DiffMachine::construct_mip(const DiffTexture& t, int32_t images, float* mips) {
  check_given(t.tex, "tex");
  check_given(mips, "mip");
  if (mip_levels(t, t.levels) != t.levels) refuse("mip: the texture has fewer than " + text(t.levels) + " levels");
  DiffCall call(*impl_);
  const float* tex = t.tex;
  call.read(tex, uint64_t(images) * texels_of(t));
  call.write(mips, uint64_t(images) * uint64_t(mip_size(t)));
  each_level(t, images, const_cast<float*>(tex), mips, [&](const DiffMip& d) {
    impl_->run(DiffStage::shrink, &d, uint64_t(d.pictures) * uint64_t(d.height) * uint64_t(d.width) / 4);
  });
  call.finish();
}

void DiffMachine::construct_mip_backward(const DiffTexture& t, int32_t images, float* grad_mips, float* grad_tex) {
  check_given(grad_mips, "grad_mip");
  check_given(grad_tex, "grad_tex");
  if (mip_levels(t, t.levels) != t.levels) refuse("mip: the texture has fewer than " + text(t.levels) + " levels");
  DiffCall call(*impl_);
  call.change(grad_tex, uint64_t(images) * texels_of(t));
  call.change(grad_mips, uint64_t(images) * uint64_t(mip_size(t)));
  std::vector<DiffMip> levels;
  each_level(t, images, grad_tex, grad_mips, [&](const DiffMip& d) { levels.push_back(d); });
  for (int64_t i = int64_t(levels.size()) - 1; i >= 0; --i) {
    const DiffMip& d = levels[size_t(i)];
    impl_->run(DiffStage::shrink_backward, &d, uint64_t(d.pictures) * uint64_t(d.height) * uint64_t(d.width));
  }
  call.finish();
}

void DiffMachine::texture(const DiffShape& shape, const DiffTexture& t, const DiffLookup& l, float* out) {
  DiffSample d = lookup_of(shape, t, l);
  check_given(out, "out");
  d.out = out;
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d, t);
  call.write(d.out, pixels * uint64_t(t.channels));
  impl_->run(DiffStage::sample, &d, pixels);
  call.finish();
}

void DiffMachine::texture_backward(const DiffShape& shape, const DiffTexture& t, const DiffLookup& l,
                                   const float* grad_out, float* grad_tex, float* grad_mips, float* grad_uv,
                                   float* grad_uv_da, float* grad_bias) {
  DiffSampleBackward d{lookup_of(shape, t, l), grad_out, grad_uv, grad_uv_da, grad_bias, {}, 0};
  check_given(grad_out, "grad_out");
  if (d.f.uv_da == nullptr && grad_uv_da != nullptr) refuse("grad_uv_da: this filter reads no uv_da");
  const uint64_t pixels = pixels_of(shape), images = t.shared ? 1 : uint64_t(shape.images);
  const uint64_t of_uv = coordinates_of(t.boundary);
  DiffCall call(*impl_);
  read(call, d.f, t);
  call.read(d.grad_out, pixels * uint64_t(t.channels));
  call.write(d.grad_uv, pixels * of_uv);
  call.write(d.grad_uv_da, pixels * of_uv * 2);
  call.write(d.grad_bias, pixels);
  d.sums.channels = uint32_t(t.channels);
  if (grad_tex == nullptr && grad_mips == nullptr) {
    impl_->run(DiffStage::sample_add, &d, pixels);
    call.finish();
    return;
  }
  const bool has_levels = d.f.levels > 0;
  d.mips_at = images * texels_of(t);
  d.sums.size = d.mips_at + (has_levels ? images * uint64_t(mip_size(t)) : 0);
  d.sums.split = d.mips_at;
  d.sums.out = grad_tex;
  d.sums.out_rest = has_levels ? grad_mips : nullptr;
  call.write(d.sums.out, d.mips_at);
  call.write(d.sums.out_rest, d.sums.size - d.mips_at);
  impl_->sum(DiffStage::sample_largest, DiffStage::sample_add, &d, d.sums, pixels,
             8 * (t.shared ? pixels : pixels / uint64_t(shape.images)));
  call.finish();
  if (grad_mips != nullptr && d.f.levels == 0) std::fill_n(grad_mips, images * uint64_t(mip_size(t)), 0.0f);
}

void DiffMachine::antialias(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                            const int32_t* opposite, const float* color, int32_t channels, float* out) {
  check_given(raster.rast, "rast");
  check_given(opposite, "topology_hash");
  check_given(color, "color");
  check_given(out, "out");
  check_channels(channels, "color");
  DiffAntialias d{geometry(shape, mesh, raster), opposite, color, channels, out};
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d);
  call.write(d.out, pixels * uint64_t(channels));
  impl_->run(DiffStage::antialias, &d, pixels);
  call.finish();
}

void DiffMachine::antialias_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                                     const int32_t* opposite, const float* color, int32_t channels,
                                     const float* grad_out, float boost, float* grad_color, float* grad_pos) {
  check_given(raster.rast, "rast");
  check_given(opposite, "topology_hash");
  check_given(color, "color");
  check_given(grad_out, "grad_out");
  check_channels(channels, "color");
  DiffAntialiasBackward d{
      {geometry(shape, mesh, raster), opposite, color, channels, nullptr}, grad_out, boost, grad_color, {}};
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d.f);
  call.read(d.grad_out, pixels * uint64_t(channels));
  call.write(d.grad_color, pixels * uint64_t(channels));
  if (grad_color != nullptr) impl_->run(DiffStage::antialias_color, &d, pixels);
  if (grad_pos != nullptr) {
    d.sums.channels = 4;
    d.sums.size = d.sums.split = positions_of(shape, mesh);
    d.sums.out = grad_pos;
    call.write(d.sums.out, d.sums.size);
    impl_->sum(DiffStage::antialias_largest, DiffStage::antialias_add, &d, d.sums, pixels,
               4 * (mesh.shared ? pixels : pixels / uint64_t(shape.images)));
  }
  call.finish();
}

void DiffMachine::edges_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                                 const float* color, int32_t channels, const float* grad_out, float boost,
                                 float* grad_pos) {
  check_given(color, "color");
  check_given(grad_out, "grad_out");
  check_given(grad_pos, "grad_pos");
  check_channels(channels, "color");
  DiffEdgesBackward d{geometry(shape, mesh, raster), color, channels, grad_out, boost, {}};
  d.sums.channels = 4;
  d.sums.size = d.sums.split = positions_of(shape, mesh);
  d.sums.out = grad_pos;
  const uint64_t pixels = pixels_of(shape);
  DiffCall call(*impl_);
  read(call, d.g);
  call.read(d.color, pixels * uint64_t(channels));
  call.read(d.grad_out, pixels * uint64_t(channels));
  call.write(d.sums.out, d.sums.size);
  impl_->sum(DiffStage::edges_largest, DiffStage::edges_add, &d, d.sums, pixels,
             12 * (mesh.shared ? pixels : pixels / uint64_t(shape.images)));
  call.finish();
}

int64_t DiffMachine::topology(const int32_t* tri, int64_t triangles, int64_t vertices, int32_t* opposite) {
  if (triangles < 0 || triangles > int64_t(1) << 29)
    throw std::invalid_argument("tri: " + std::to_string(triangles) + " triangles; at most 2^29 are possible");
  if (triangles > 0 && (tri == nullptr || opposite == nullptr)) throw std::invalid_argument("tri: is null");
  struct Edge {
    uint64_t ends;  // smaller and larger vertex number
    int64_t place;  // triangle * 3 + its edge
  };
  std::vector<Edge> edges;
  edges.reserve(size_t(triangles) * 3);
  for (int64_t t = 0; t < triangles; ++t) {
    for (int e = 0; e < 3; ++e) {
      const int32_t a = tri[t * 3 + e], b = tri[t * 3 + (e + 1) % 3];
      if (a < 0 || a >= vertices)
        throw std::invalid_argument("tri: index " + std::to_string(a) + " at [" + std::to_string(t) + ", " +
                                    std::to_string(e) + "] is outside of 0 .. " + std::to_string(vertices - 1));
      edges.push_back({uint64_t(uint32_t(std::min(a, b))) << 32 | uint32_t(std::max(a, b)), t * 3 + e});
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return a.ends != b.ends ? a.ends < b.ends : a.place < b.place; });
  int64_t open = 0;
  for (size_t i = 0; i < edges.size();) {
    size_t end = i + 1;
    while (end < edges.size() && edges[end].ends == edges[i].ends) ++end;
    const auto across = [&](const Edge& other) { return tri[other.place / 3 * 3 + (other.place % 3 + 2) % 3]; };
    if (end - i == 2) {
      opposite[edges[i].place] = across(edges[i + 1]);
      opposite[edges[i + 1].place] = across(edges[i]);
    } else {
      for (size_t k = i; k < end; ++k) opposite[edges[k].place] = -1;
      if (end - i == 1) ++open;
    }
    i = end;
  }
  return open;
}

}  // namespace brokkr
