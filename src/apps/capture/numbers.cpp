#include "capture/numbers.h"

#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

namespace brokkr::capture {
namespace {

class Hash {
 public:
  template <typename... Values>
  Hash& add(const Values&... values) {
    (one(values), ...);
    return *this;
  }
  uint64_t value() const { return value_; }

 private:
  void mix(uint64_t word) {  // the finalizer of splitmix64
    value_ += word + 0x9e3779b97f4a7c15u;
    value_ = (value_ ^ value_ >> 30) * 0xbf58476d1ce4e5b9u;
    value_ = (value_ ^ value_ >> 27) * 0x94d049bb133111ebu;
    value_ ^= value_ >> 31;
  }

  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void one(T number) { mix(static_cast<uint64_t>(number)); }
  void one(float number) { mix(std::bit_cast<uint32_t>(number + 0.0f)); }  // -0 equals 0
  void one(const glm::vec4& v) { add(v.x, v.y, v.z, v.w); }
  void one(const std::string& text) { mix(std::hash<std::string>()(text)); }
  template <typename T>
  void one(const std::optional<T>& value) {
    mix(value.has_value());
    if (value) one(*value);
  }
  template <typename T, size_t N>
  void one(const std::array<T, N>& values) {
    for (const T& value : values) one(value);
  }
  template <typename T>
  void one(const std::vector<T>& values) {
    mix(values.size());
    for (const T& value : values) one(value);
  }

  void one(const Rect& r) { add(r.x, r.y, r.width, r.height); }
  void one(const BlendTerm& b) { add(b.src, b.dst, b.equation); }
  void one(const BlendState& b) { add(b.color, b.alpha, b.constant); }
  void one(const DepthState& d) { add(d.test, d.write, d.func); }
  void one(const StencilState& s) { add(s.func, s.ref, s.mask, s.write_mask, s.stencil_fail, s.depth_fail, s.pass); }
  void one(const AlphaTest& a) { add(a.func, a.ref); }
  void one(const PolygonOffset& p) { add(p.factor, p.units); }
  void one(const DrawBuffer& b) { add(b.plane, b.blend, b.color_mask); }
  void one(const ProgramVarying& v) { add(v.name, v.type, v.count, v.offset, v.interpolation, v.centroid, v.sample); }
  void one(const ProgramUniform& u) { add(u.name, u.type, u.count, u.block, u.offset); }
  void one(const ProgramBlock& b) { add(b.name, b.size); }
  void one(const ProgramSampler& s) { add(s.name, s.kind, s.type, s.shadow, s.count); }
  void one(const ProgramOutput& o) { add(o.name, o.type, o.count, o.location, o.index); }
  void one(const VertexAttribute& a) { add(a.name, a.type); }
  void one(const CombineTerm& c) { add(c.op, c.sources, c.operands, c.scale); }
  void one(const TextureUnit& t) { add(t.unit, t.mode, t.color, t.rgb, t.alpha); }
  void one(const Fog& f) { add(f.mode, f.color, f.density, f.start, f.end); }
  void one(const FixedFunction& f) { add(f.units, f.separate_specular, f.fog); }

  uint64_t value_ = 0;
};

}  // namespace

uint64_t content_hash(const State& s) {
  return Hash()
      .add(s.viewport, s.depth_near, s.depth_far, s.scissor, s.depth, s.cull, s.front_face, s.polygon_mode)
      .add(s.polygon_offset, s.blend, s.logic_op, s.color_mask, s.alpha_test, s.stencil, s.buffers, s.framebuffer_srgb)
      .add(s.flat_shading, s.point_sprites, s.coord_replace, s.point_origin_low, s.smooth_lines, s.line_width)
      .add(s.point_size, s.one_sample, s.sample_shading, s.alpha_to_coverage, s.alpha_to_one, s.sample_mask)
      .value();
}

uint64_t content_hash(const CapturedSampler& s) {
  return Hash()
      .add(s.magnify_linear, s.minify_linear, s.mip, s.wrap, s.lod_min, s.lod_max, s.lod_bias, s.anisotropy, s.border)
      .add(s.compare, s.srgb_decode, s.seamless, s.base_level, s.max_level, s.swizzle, s.depth_mode)
      .value();
}

uint64_t content_hash(const FragmentProgram& p) {
  return Hash().add(p.texts, p.version, p.varyings, p.uniforms, p.blocks, p.samplers, p.outputs, p.fixed).value();
}

uint64_t content_hash(const VertexProgram& p) {
  return Hash().add(p.texts, p.version, p.attributes, p.uniforms, p.blocks, p.samplers).value();
}

}  // namespace brokkr::capture
