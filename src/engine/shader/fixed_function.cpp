#include "shader/captured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace brokkr::shader {

namespace {

std::string literal(float v) {
  if (!std::isfinite(v)) return "0.0";
  const std::string text = fmt::format("{:.9g}", v);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string color_literal(const glm::vec4& color) {
  const auto part = [&](int i) { return literal(std::clamp(color[i], 0.0f, 1.0f)); };
  return fmt::format("vec4({}, {}, {}, {})", part(0), part(1), part(2), part(3));
}

TexelBase base_of_depth(DepthMode mode) {
  switch (mode) {
    case DepthMode::luminance: return TexelBase::luminance;
    case DepthMode::intensity: return TexelBase::intensity;
    case DepthMode::alpha: return TexelBase::alpha;
    case DepthMode::red: break;
  }
  return TexelBase::red;
}

bool has_color(TexelBase base) { return base != TexelBase::alpha; }
bool has_alpha(TexelBase base) {
  return base == TexelBase::alpha || base == TexelBase::luminance_alpha || base == TexelBase::intensity ||
         base == TexelBase::rgba;
}

bool is_grey(TexelBase base) {
  return base == TexelBase::luminance || base == TexelBase::luminance_alpha || base == TexelBase::intensity;
}

// The text of one program, unit after unit.
class Text {
 public:
  Text(const FragmentProgram& program, const std::vector<UnitTexture>& textures)
      : program_(program), fixed_(*program.fixed), textures_(textures) {}

  std::string write() {
    const bool rectangles = std::any_of(program_.samplers.begin(), program_.samplers.end(),
                                        [](const auto& sampler) { return sampler.kind == TextureKind::rectangle; });
    text_ = "#version 120\n";
    if (rectangles) text_ += "#extension GL_ARB_texture_rectangle : require\n";
    for (size_t i = 0; i < fixed_.units.size(); ++i) {
      if (textures_[i].is_there) declare(i);
    }
    const bool is_stippled = std::any_of(program_.uniforms.begin(), program_.uniforms.end(),
                                         [](const auto& uniform) { return uniform.name == kStippleUniform; });
    if (is_stippled) text_ += fmt::format("uniform float {}[1024];\n", kStippleUniform);
    text_ += "void main() {\n  vec4 c = gl_Color;\n";
    if (is_stippled) {
      line("vec2 at = mod(floor(gl_FragCoord.xy), 32.0);");
      line("if ({}[int(at.y) * 32 + int(at.x)] < 0.5) discard;", kStippleUniform);
    }
    for (size_t i = 0; i < fixed_.units.size(); ++i) {
      if (textures_[i].is_there) line("vec4 t{} = {};", i, lookup(i));
    }
    for (size_t i = 0; i < fixed_.units.size(); ++i) {
      if (textures_[i].is_there) apply(i);
    }
    // OpenGL clamps the sum before it applies fog. Mesa does not, and its pictures are the reference for captured
    // frames.
    if (fixed_.separate_specular) line("c.rgb += gl_SecondaryColor.rgb;");
    if (fixed_.fog) add_fog(*fixed_.fog);
    text_ += "  gl_FragColor = c;\n}\n";
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> form, Parts&&... parts) {
    text_ += "  " + fmt::format(form, std::forward<Parts>(parts)...) + "\n";
  }

  // The part of the sampler type's name after "sampler".
  std::string kind_text(size_t i) const {
    switch (program_.samplers[i].kind) {
      case TextureKind::one: return "1D";
      case TextureKind::three: return "3D";
      case TextureKind::cube: return "Cube";
      case TextureKind::rectangle: return "2DRect";
      default: return "2D";
    }
  }
  bool compares(size_t i) const {
    const TextureKind kind = program_.samplers[i].kind;
    return textures_[i].compares && kind != TextureKind::three && kind != TextureKind::cube;
  }

  void declare(size_t i) {
    text_ += fmt::format("uniform sampler{}{} {};\n", kind_text(i), compares(i) ? "Shadow" : "", unit_sampler(i));
  }

  std::string lookup(size_t i) const {
    const std::string coordinates = fmt::format("gl_TexCoord[{}]", fixed_.units[i].unit);
    if (program_.samplers[i].kind == TextureKind::cube)
      return fmt::format("textureCube({}, {}.xyz)", unit_sampler(i), coordinates);
    return fmt::format("{}{}Proj({}, {})", compares(i) ? "shadow" : "texture", kind_text(i), unit_sampler(i),
                       coordinates);
  }

  void apply(size_t i) {
    const TextureUnit& unit = fixed_.units[i];
    if (unit.mode == EnvironmentMode::combine) {
      combine(i, unit);
    } else {
      apply_mode(i, unit);
    }
  }

  // c is the colour so far, t is the texture's colour, k is the environment's. If the texture lacks colours or alpha,
  // that part of c stays unchanged.
  void apply_mode(size_t i, const TextureUnit& unit) {
    const TexelBase base = textures_[i].base;
    const std::string t = fmt::format("t{}", i), k = color_literal(unit.color);
    std::string color, alpha = fmt::format("c.a * {}.a", t);
    switch (unit.mode) {
      case EnvironmentMode::replace:
        color = t + ".rgb";
        alpha = t + ".a";
        break;
      case EnvironmentMode::decal:
        // OpenGL leaves this open for textures of one colour; Mesa keeps c.
        color = is_grey(base) ? "c.rgb" : has_alpha(base) ? fmt::format("mix(c.rgb, {0}.rgb, {0}.a)", t) : t + ".rgb";
        alpha = "c.a";
        break;
      case EnvironmentMode::blend:
        color = fmt::format("mix(c.rgb, {}.rgb, {}.rgb)", k, t);
        if (base == TexelBase::intensity) alpha = fmt::format("mix(c.a, {}.a, {}.a)", k, t);
        break;
      case EnvironmentMode::add:
        color = fmt::format("c.rgb + {}.rgb", t);
        if (base == TexelBase::intensity) alpha = fmt::format("c.a + {}.a", t);
        break;
      default: color = fmt::format("c.rgb * {}.rgb", t); break;
    }
    line("c = clamp(vec4({}, {}), 0.0, 1.0);", has_color(base) ? color : "c.rgb", has_alpha(base) ? alpha : "c.a");
  }

  std::string source(CombineSource source, size_t i, const TextureUnit& unit) const {
    switch (source) {
      case CombineSource::texture: return fmt::format("t{}", i);
      case CombineSource::constant: return color_literal(unit.color);
      case CombineSource::primary: return "gl_Color";
      case CombineSource::previous: return "c";
      default: break;
    }
    const uint32_t wanted = uint32_t(source) - uint32_t(CombineSource::texture0);
    for (size_t other = 0; other < fixed_.units.size(); ++other) {
      if (fixed_.units[other].unit == wanted && textures_[other].is_there) return fmt::format("t{}", other);
    }
    return "vec4(0.0, 0.0, 0.0, 1.0)";
  }

  // Argument `number` of a term: three components, or only alpha.
  std::string argument(const CombineTerm& term, size_t number, bool alpha, size_t i, const TextureUnit& unit) const {
    const std::string color = source(term.sources[number], i, unit);
    const CombineOperand operand = term.operands[number];
    const bool inverts = operand == CombineOperand::one_minus_color || operand == CombineOperand::one_minus_alpha;
    const bool of_alpha = operand == CombineOperand::alpha || operand == CombineOperand::one_minus_alpha;
    const std::string part = color + (alpha ? ".a" : of_alpha ? ".aaa" : ".rgb");
    return inverts ? fmt::format("(1.0 - {})", part) : part;
  }

  std::string term_text(const CombineTerm& term, bool alpha, size_t i, const TextureUnit& unit) const {
    const auto a = [&](size_t number) { return argument(term, number, alpha, i, unit); };
    std::string value;
    switch (term.op) {
      case CombineOp::replace: value = a(0); break;
      case CombineOp::add: value = fmt::format("{} + {}", a(0), a(1)); break;
      case CombineOp::add_signed: value = fmt::format("{} + {} - 0.5", a(0), a(1)); break;
      case CombineOp::interpolate: value = fmt::format("mix({}, {}, {})", a(1), a(0), a(2)); break;
      case CombineOp::subtract: value = fmt::format("{} - {}", a(0), a(1)); break;
      case CombineOp::dot3_rgb:
      case CombineOp::dot3_rgba:
        if (!alpha) value = fmt::format("vec3(4.0 * dot({} - 0.5, {} - 0.5))", a(0), a(1));
        break;
      case CombineOp::modulate: break;
    }
    if (value.empty()) value = fmt::format("{} * {}", a(0), a(1));
    return term.scale == 1 ? value : fmt::format("({}) * {}", value, literal(term.scale));
  }

  void combine(size_t i, const TextureUnit& unit) {
    const std::string color = term_text(unit.rgb, false, i, unit), alpha = term_text(unit.alpha, true, i, unit);
    if (unit.rgb.op == CombineOp::dot3_rgba) {  // the alpha term is ignored
      CombineTerm all = unit.rgb;
      all.scale = unit.alpha.scale;
      line("c = clamp(vec4({}, ({}).x), 0.0, 1.0);", color, term_text(all, false, i, unit));
    } else {
      line("c = clamp(vec4({}, {}), 0.0, 1.0);", color, alpha);
    }
  }

  void add_fog(const Fog& fog) {
    std::string factor;
    switch (fog.mode) {
      case FogMode::linear: {
        const float scale = fog.end == fog.start ? 1.0f : 1.0f / (fog.end - fog.start);
        factor = fmt::format("({} - gl_FogFragCoord) * {}", literal(fog.end), literal(scale));
        break;
      }
      case FogMode::exp: factor = fmt::format("exp(-({} * gl_FogFragCoord))", literal(fog.density)); break;
      case FogMode::exp2:
        line("float d = {} * gl_FogFragCoord;", literal(fog.density));
        factor = "exp(-(d * d))";
        break;
    }
    line("c.rgb = mix({}.rgb, c.rgb, clamp({}, 0.0, 1.0));", color_literal(fog.color), factor);
  }

  const FragmentProgram& program_;
  const FixedFunction& fixed_;
  const std::vector<UnitTexture>& textures_;
  std::string text_;
};

}  // namespace

std::vector<UnitTexture> unit_textures(const Frame& frame, const DrawInputs& inputs) {
  std::vector<UnitTexture> units;
  for (const BoundTexture& bound : inputs.textures) {
    UnitTexture& unit = units.emplace_back();
    unit.is_there = bound.texture >= 0;
    if (!unit.is_there) continue;
    unit.base = frame.captured_textures[size_t(bound.texture)].base;
    if (unit.base != TexelBase::depth || bound.sampler < 0) continue;
    const CapturedSampler& sampler = frame.captured_samplers[size_t(bound.sampler)];
    unit.base = base_of_depth(sampler.depth_mode);
    unit.compares = sampler.compare.has_value();
  }
  return units;
}

std::string unit_sampler(size_t number) { return fmt::format("map{}", number); }

std::string fixed_function_text(const FragmentProgram& program, const std::vector<UnitTexture>& textures) {
  return Text(program, textures).write();
}

}  // namespace brokkr::shader
