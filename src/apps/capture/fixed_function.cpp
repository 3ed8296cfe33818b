#include "capture/program.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "capture/state_guard.h"
#include "capture/vertex.h"
#include "frame/gl_names.h"

namespace brokkr::capture {
namespace {

constexpr GLenum kEnvironments[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_BLEND, GL_ADD, GL_COMBINE};
constexpr GLenum kCombineOps[] = {GL_REPLACE,     GL_MODULATE, GL_ADD,      GL_ADD_SIGNED,
                                  GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_DOT3_RGBA};
constexpr GLenum kCombineSources[] = {GL_TEXTURE,  GL_CONSTANT, GL_PRIMARY_COLOR, GL_PREVIOUS,
                                      GL_TEXTURE0, GL_TEXTURE1, GL_TEXTURE2,      GL_TEXTURE3,
                                      GL_TEXTURE4, GL_TEXTURE5, GL_TEXTURE6,      GL_TEXTURE7};
constexpr GLenum kCombineOperands[] = {GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA};
constexpr GLenum kFogModes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
constexpr GLint kMaxUnits = 8;  // number of texture coordinates in GLSL 1.20

GLint environment(GLenum name) {
  GLint value = 0;
  GL(GetTexEnviv)(GL_TEXTURE_ENV, name, &value);
  return value;
}

template <typename Enum, size_t N>
Enum known_or(const GLenum (&names)[N], GLint name, Enum otherwise) {
  return from_gl<Enum>(names, static_cast<GLenum>(name)).value_or(otherwise);
}

CombineTerm read_term(bool alpha) {
  CombineTerm term;
  term.op = known_or(kCombineOps, environment(alpha ? GL_COMBINE_ALPHA : GL_COMBINE_RGB), CombineOp::modulate);
  const GLenum source = alpha ? GL_SOURCE0_ALPHA : GL_SOURCE0_RGB,
               operand = alpha ? GL_OPERAND0_ALPHA : GL_OPERAND0_RGB;
  for (GLenum i = 0; i < 3; i++) {
    term.sources[i] = known_or(kCombineSources, environment(source + i), CombineSource::previous);
    term.operands[i] = known_or(kCombineOperands, environment(operand + i), CombineOperand::color);
  }
  GL(GetTexEnvfv)(GL_TEXTURE_ENV, alpha ? GL_ALPHA_SCALE : GL_RGB_SCALE, &term.scale);
  return term;
}

// The effective texture kind of the active unit: the one with the most dimensions.
std::optional<TextureKind> enabled_kind(const Context& context) {
  if (context.info.version >= 13 && is_enabled(GL_TEXTURE_CUBE_MAP)) return TextureKind::cube;
  if (is_enabled(GL_TEXTURE_3D)) return TextureKind::three;
  if (context.info.version >= 31 && is_enabled(GL_TEXTURE_RECTANGLE)) return TextureKind::rectangle;
  if (is_enabled(GL_TEXTURE_2D)) return TextureKind::two;
  if (is_enabled(GL_TEXTURE_1D)) return TextureKind::one;
  return std::nullopt;
}

glm::vec4 finite(const std::array<GLfloat, 4>& values) {
  glm::vec4 result(0.0f);
  for (int i = 0; i < 4; i++) {
    if (std::isfinite(values[size_t(i)])) result[i] = values[size_t(i)];
  }
  return result;
}

TextureUnit read_unit(GLint number, std::vector<std::string>& notes) {
  TextureUnit unit{.unit = static_cast<uint32_t>(number)};
  const auto mode = from_gl<EnvironmentMode>(kEnvironments, static_cast<GLenum>(environment(GL_TEXTURE_ENV_MODE)));
  if (!mode) notes.emplace_back("a texture environment that the file does not hold, written as modulate");
  unit.mode = mode.value_or(EnvironmentMode::modulate);
  std::array<GLfloat, 4> color{};
  GL(GetTexEnvfv)(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, color.data());
  unit.color = finite(color);
  if (unit.mode == EnvironmentMode::combine) {
    unit.rgb = read_term(false);
    unit.alpha = read_term(true);
  }
  return unit;
}

bool adds_specular() {
  return is_enabled(GL_COLOR_SUM) ||
         (is_enabled(GL_LIGHTING) && get_integer(GL_LIGHT_MODEL_COLOR_CONTROL) == GL_SEPARATE_SPECULAR_COLOR);
}

GLint unit_count() { return std::min(get_integer(GL_MAX_TEXTURE_UNITS), kMaxUnits); }

// Restores the active unit.
struct KeepActiveUnit {
  explicit KeepActiveUnit(Restore& restore) {
    restore.add([unit = get_name(GL_ACTIVE_TEXTURE)] { GL(ActiveTexture)(unit); });
  }
};

// Builds the text of a vertex shader, statement by statement.
class VertexText {
 public:
  VertexText(const Context& context, bool opaque)
      : context_(context), follows_(has_vertex_materials(context)), opaque_(opaque) {}

  std::string write(const std::vector<std::string>& built_ins, bool for_file) {
    std::string declarations, copies;
    for (size_t i = 0; i < built_ins.size(); i++) {
      const std::string& name = built_ins[i];
      if (for_file) {
        copies += "  " + output_of(name) + " = " + value(name) + ";\n";
        continue;
      }
      declarations += std::string("varying ") + (is_scalar(name) ? "float " : "vec4 ") + copied_name(i) + ";\n";
      copies += "  " + copied_name(i) + " = " + value(name) + ";\n";
    }
    if (follows_ && opaque_) declarations += material_declarations();
    return "#version 120\n" + declarations + "void main() {\n  gl_Position = ftransform();\n" + text_ + copies + "}\n";
  }

 private:
  static std::string output_of(const std::string& built_in) {
    if (built_in == "gl_Color") return "gl_FrontColor";
    return built_in == "gl_SecondaryColor" ? "gl_FrontSecondaryColor" : built_in;
  }

  void add(const std::string& statement) { text_ += "  " + statement + "\n"; }

  void need_eye() {
    if (has_eye_) return;
    has_eye_ = true;
    add("vec4 eye = gl_ModelViewMatrix * gl_Vertex;");
  }
  void need_normal() {
    if (has_normal_) return;
    has_normal_ = true;
    add("vec3 normal = gl_NormalMatrix * gl_Normal;");
    if (is_enabled(GL_NORMALIZE)) {
      add("normal = normalize(normal);");
    } else if (is_enabled(GL_RESCALE_NORMAL)) {
      add("normal *= gl_NormalScale;");
    }
  }
  void need_reflection() {
    if (has_reflection_) return;
    has_reflection_ = true;
    need_eye();
    need_normal();
    add("vec3 reflected = reflect(normalize(eye.xyz), normal);");
  }

  std::string value(const std::string& built_in) {
    if (built_in == "gl_Color" || built_in == "gl_SecondaryColor") {
      if (!std::exchange(has_light_, true)) light({"front", "normal", "gl_FrontMaterial.", GL_FRONT});
      return built_in == "gl_Color" ? "clamp(front_primary, 0.0, 1.0)" : "clamp(front_secondary, 0.0, 1.0)";
    }
    if (built_in == kBackColor || built_in == kBackSecondaryColor) {
      if (!std::exchange(has_back_light_, true)) light({"back", "(-normal)", "gl_BackMaterial.", GL_BACK});
      return built_in == kBackColor ? "clamp(back_primary, 0.0, 1.0)" : "clamp(back_secondary, 0.0, 1.0)";
    }
    if (built_in == kPointSize) {
      need_eye();
      add("float eye_distance = abs(eye.z);");  // Mesa uses this instead of the distance
      return "clamp(gl_Point.size * inversesqrt(gl_Point.distanceConstantAttenuation + eye_distance * "
             "(gl_Point.distanceLinearAttenuation + eye_distance * gl_Point.distanceQuadraticAttenuation)), "
             "gl_Point.sizeMin, gl_Point.sizeMax)";
    }
    if (built_in == "gl_FogFragCoord") {
      if (context_.info.version >= 14 && get_integer(GL_FOG_COORD_SRC) == GL_FOG_COORD) return "gl_FogCoord";
      return fog_distance();
    }
    return coordinate(built_in[std::string_view("gl_TexCoord[").size()]);
  }

  std::string fog_distance() {
    need_eye();
    switch (context_.info.fog_distance ? get_integer(GL_FOG_DISTANCE_MODE_NV) : GL_EYE_PLANE_ABSOLUTE_NV) {
      case GL_EYE_RADIAL_NV: return "length(eye.xyz / eye.w)";
      case GL_EYE_PLANE: return "eye.z / eye.w";
      default: return "abs(eye.z / eye.w)";
    }
  }

  std::string coordinate(char unit) {
    const std::string n(1, unit), result = "coordinate" + n;
    add("vec4 " + result + " = gl_MultiTexCoord" + n + ";");
    Restore restore;
    const KeepActiveUnit keep(restore);
    GL(ActiveTexture)(GL_TEXTURE0 + static_cast<GLenum>(unit - '0'));
    constexpr std::array<GLenum, 4> kAxes = {GL_S, GL_T, GL_R, GL_Q};
    constexpr std::array<GLenum, 4> kEnabled = {GL_TEXTURE_GEN_S, GL_TEXTURE_GEN_T, GL_TEXTURE_GEN_R, GL_TEXTURE_GEN_Q};
    for (size_t i = 0; i < 4; i++) {
      if (!is_enabled(kEnabled[i])) continue;
      GLint mode = 0;
      GL(GetTexGeniv)(kAxes[i], GL_TEXTURE_GEN_MODE, &mode);
      add(result + "." + "stpq"[i] + " = " + generated(mode, "STRQ"[i], "xyzw"[i], n) + ";");
    }
    return "gl_TextureMatrix[" + n + "] * " + result;
  }

  std::string generated(GLint mode, char plane, char axis, const std::string& unit) {
    switch (mode) {
      case GL_OBJECT_LINEAR: return std::string("dot(gl_Vertex, gl_ObjectPlane") + plane + "[" + unit + "])";
      case GL_NORMAL_MAP: need_normal(); return std::string("normal.") + axis;
      case GL_REFLECTION_MAP: need_reflection(); return std::string("reflected.") + axis;
      case GL_SPHERE_MAP:
        need_reflection();
        return std::string("reflected.") + axis + " / (2.0 * length(vec3(reflected.xy, reflected.z + 1.0))) + 0.5";
      default: need_eye(); return std::string("dot(eye, gl_EyePlane") + plane + "[" + unit + "])";
    }
  }

  // One side of faces: names of its normal and material in the text.
  struct Side {
    std::string name, normal, material;  // `material` is the prefix of its colours' names
    GLint face;

    // The material's colour, or the expression `vertex` if the vertex's colour replaces it (GL_COLOR_MATERIAL). %s in
    // `vertex` is the material's colour.
    std::string color(const std::string& color, std::initializer_list<GLint> tracked, const std::string& vertex) const {
      const GLint tracking = get_integer(GL_COLOR_MATERIAL_FACE);
      const bool tracks =
          is_enabled(GL_COLOR_MATERIAL) && (tracking == face || tracking == GL_FRONT_AND_BACK) &&
          std::find(tracked.begin(), tracked.end(), get_integer(GL_COLOR_MATERIAL_PARAMETER)) != tracked.end();
      std::string own = material + color;
      if (!tracks) return own;
      const size_t place = vertex.find("%s");
      return place == std::string::npos ? vertex : std::string(vertex).replace(place, 2, own);
    }
  };

  // For vertices without their own colour, Mesa uses the material in the state, which may lag behind the current colour
  // after a recent glMaterial.
  std::string tracked_color() const {
    if (!follows_) return "gl_Color";
    if (opaque_) return std::string("(gl_Color == ") + kColorBefore + " ? %s : gl_Color)";
    return is_enabled(GL_COLOR_ARRAY) ? "gl_Color" : "%s";
  }

  // NAME_primary and NAME_secondary, where NAME is "front" or "back".
  void light(Side side) {
    if (follows_ && opaque_) side.material = kMaterialSides[side.face == GL_BACK];
    add("vec4 " + side.name + "_primary = gl_Color;");
    add("vec4 " + side.name + "_secondary = vec4(gl_SecondaryColor.rgb, 0.0);");
    if (!is_enabled(GL_LIGHTING)) return;
    need_eye();
    need_normal();
    add("{");
    const std::string tracked = tracked_color();
    add("vec4 ambient = " + side.color("ambient", {GL_AMBIENT, GL_AMBIENT_AND_DIFFUSE}, tracked) + ";");
    add("vec4 diffuse = " + side.color("diffuse", {GL_DIFFUSE, GL_AMBIENT_AND_DIFFUSE}, tracked) + ";");
    add("vec4 specular = " + side.color("specular", {GL_SPECULAR}, tracked) + ";");
    add("vec4 primary = " + side.color("emission", {GL_EMISSION}, tracked) + " + ambient * gl_LightModel.ambient;");
    add("vec4 secondary = vec4(0.0);");
    add("vec3 light, towards;");
    add("float strength, cosine, highlight;");
    const bool separate = get_integer(GL_LIGHT_MODEL_COLOR_CONTROL) == GL_SEPARATE_SPECULAR_COLOR;
    const bool local = get_integer(GL_LIGHT_MODEL_LOCAL_VIEWER) != 0;
    add(local ? "towards = normalize(-eye.xyz);" : "towards = vec3(0.0, 0.0, 1.0);");
    for (GLint i = 0; i < std::min(get_integer(GL_MAX_LIGHTS), 8); i++) {
      if (is_enabled(GL_LIGHT0 + static_cast<GLenum>(i))) add_light(side, i, separate);
    }
    add("primary.a = diffuse.a;");
    add(side.name + "_primary = primary;");
    add(side.name + "_secondary = secondary;");
    add("}");
  }

  void add_light(const Side& side, GLint number, bool separate) {
    const GLenum name = GL_LIGHT0 + static_cast<GLenum>(number);
    const std::string source = "gl_LightSource[" + std::to_string(number) + "].";
    std::array<GLfloat, 4> position{};
    GLfloat cutoff = 180;
    GL(GetLightfv)(name, GL_POSITION, position.data());
    GL(GetLightfv)(name, GL_SPOT_CUTOFF, &cutoff);
    if (position[3] == 0) {
      add("light = normalize(" + source + "position.xyz);");
      add("strength = 1.0;");
    } else {
      add("light = " + source + "position.xyz / " + source + "position.w - eye.xyz / eye.w;");
      add("strength = length(light);");
      add("light /= strength;");
      add("strength = 1.0 / (" + source + "constantAttenuation + strength * (" + source +
          "linearAttenuation + strength * " + source + "quadraticAttenuation));");
    }
    if (cutoff != 180) {
      add("cosine = dot(-light, normalize(" + source + "spotDirection));");
      add("strength *= cosine < " + source + "spotCosCutoff ? 0.0 : pow(max(cosine, 0.0), " + source +
          "spotExponent);");
    }
    const std::string shininess = side.material + (follows_ && opaque_ ? "shininess.x" : "shininess");
    add("cosine = max(dot(" + side.normal + ", light), 0.0);");
    add("highlight = max(dot(" + side.normal + ", normalize(light + towards)), 0.0);");
    add("highlight = cosine <= 0.0 ? 0.0 : " + shininess + " == 0.0 ? 1.0 : pow(highlight, " + shininess + ");");
    add("primary += strength * (ambient * " + source + "ambient + cosine * diffuse * " + source + "diffuse);");
    add((separate ? "secondary" : "primary") + std::string(" += strength * highlight * specular * ") + source +
        "specular;");
  }

  const Context& context_;
  const bool follows_, opaque_;
  std::string text_;
  bool has_eye_ = false, has_normal_ = false, has_reflection_ = false, has_light_ = false, has_back_light_ = false;
};

// Parses names such as "gl_LightSource[2].diffuse".
bool read_light(const std::string& name, uint32_t* words) {
  struct Member {
    const char* name;
    GLenum value;
    size_t components;
  };
  constexpr Member kMembers[] = {{"ambient", GL_AMBIENT, 4},
                                 {"diffuse", GL_DIFFUSE, 4},
                                 {"specular", GL_SPECULAR, 4},
                                 {"position", GL_POSITION, 4},
                                 {"spotDirection", GL_SPOT_DIRECTION, 3},
                                 {"spotExponent", GL_SPOT_EXPONENT, 1},
                                 {"spotCutoff", GL_SPOT_CUTOFF, 1},
                                 {"constantAttenuation", GL_CONSTANT_ATTENUATION, 1},
                                 {"linearAttenuation", GL_LINEAR_ATTENUATION, 1},
                                 {"quadraticAttenuation", GL_QUADRATIC_ATTENUATION, 1}};
  const size_t bracket = name.find('['), dot = name.find('.');
  if (bracket == std::string::npos || dot == std::string::npos) return false;
  const auto* const member = std::find_if(std::begin(kMembers), std::end(kMembers),
                                          [&](const Member& known) { return name.substr(dot + 1) == known.name; });
  if (member == std::end(kMembers)) return false;
  std::array<GLfloat, 4> values{};
  GL(GetLightfv)(GL_LIGHT0 + static_cast<GLenum>(std::atoi(name.c_str() + bracket + 1)), member->value, values.data());
  std::memcpy(words, values.data(), member->components * sizeof(GLfloat));
  return true;
}

}  // namespace

std::string copied_name(size_t i) { return "brokkr_copy_" + std::to_string(i); }

FixedFragment read_fixed_fragment(const Context& context) {
  FixedFragment result;
  FragmentProgram& program = result.program;
  FixedFunction& fixed = program.fixed.emplace();
  Restore restore;
  const KeepActiveUnit keep(restore);
  const auto add = [&](const std::string& name, ShaderType type) {
    const auto offset = static_cast<uint32_t>(varying_components(program));
    program.varyings.push_back({.name = name, .type = type, .count = 1, .offset = offset});
  };
  add("gl_Color", ShaderType::vec4);
  fixed.separate_specular = adds_specular();
  if (fixed.separate_specular) add("gl_SecondaryColor", ShaderType::vec4);
  for (GLint i = 0; i < unit_count(); i++) {
    GL(ActiveTexture)(GL_TEXTURE0 + static_cast<GLenum>(i));
    const std::optional<TextureKind> kind = enabled_kind(context);
    if (!kind) continue;
    fixed.units.push_back(read_unit(i, result.notes));
    program.samplers.push_back({.name = "unit" + std::to_string(i), .kind = *kind});
    add("gl_TexCoord[" + std::to_string(i) + "]", ShaderType::vec4);
  }
  if (is_enabled(GL_FOG)) {
    Fog& fog = fixed.fog.emplace();
    fog.mode = known_or(kFogModes, get_integer(GL_FOG_MODE), FogMode::exp);
    fog.color = finite(get_floats<4>(GL_FOG_COLOR));
    fog.density = get_floats<1>(GL_FOG_DENSITY)[0];
    fog.start = get_floats<1>(GL_FOG_START)[0];
    fog.end = get_floats<1>(GL_FOG_END)[0];
    add("gl_FogFragCoord", ShaderType::f32);
  }
  return result;
}

std::vector<std::string> more_fixed_varyings(const Context& context, const FragmentProgram& program) {
  std::vector<std::string> names;
  if (context.info.version >= 14) {
    const auto attenuation = get_floats<3>(GL_POINT_DISTANCE_ATTENUATION);
    if (attenuation != std::array<GLfloat, 3>{1, 0, 0}) names.emplace_back(kPointSize);
  }
  if (!is_enabled(GL_LIGHTING) || get_integer(GL_LIGHT_MODEL_TWO_SIDE) == 0) return names;
  for (const ProgramVarying& varying : program.varyings) {
    if (varying.name == "gl_Color") names.emplace_back(kBackColor);
    if (varying.name == "gl_SecondaryColor") names.emplace_back(kBackSecondaryColor);
  }
  return names;
}

std::string fixed_vertex_text(const Context& context, const std::vector<std::string>& built_ins, bool opaque,
                              bool for_file) {
  return VertexText(context, opaque).write(built_ins, for_file);
}

bool read_built_in(const Context&, const ProgramUniform& uniform, uint32_t* words) {
  const auto floats = [&](const auto& values) { std::memcpy(words, values.data(), values.size() * sizeof(GLfloat)); };
  const std::string& name = uniform.name;
  if (name == "gl_Fog.color") {
    floats(get_floats<4>(GL_FOG_COLOR));
  } else if (name == "gl_Fog.density") {
    floats(get_floats<1>(GL_FOG_DENSITY));
  } else if (name == "gl_Fog.start") {
    floats(get_floats<1>(GL_FOG_START));
  } else if (name == "gl_Fog.end") {
    floats(get_floats<1>(GL_FOG_END));
  } else if (name == "gl_Fog.scale") {
    const GLfloat start = get_floats<1>(GL_FOG_START)[0], end = get_floats<1>(GL_FOG_END)[0];
    floats(std::array<GLfloat, 1>{1 / (end - start)});
  } else if (name == "gl_ModelViewMatrix") {
    floats(get_floats<16>(GL_MODELVIEW_MATRIX));
  } else if (name == "gl_ProjectionMatrix") {
    floats(get_floats<16>(GL_PROJECTION_MATRIX));
  } else if (name == "gl_TextureEnvColor") {
    Restore restore;
    const KeepActiveUnit keep(restore);
    for (uint32_t i = 0; i < uniform.count; i++) {
      GL(ActiveTexture)(GL_TEXTURE0 + i);
      std::array<GLfloat, 4> color{};
      GL(GetTexEnvfv)(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, color.data());
      std::memcpy(words + size_t(4) * i, color.data(), sizeof(color));
    }
  } else if (name.starts_with("gl_DepthRange.")) {
    const auto [near, far] = get_floats<2>(GL_DEPTH_RANGE);
    floats(std::array<GLfloat, 1>{name.ends_with("near") ? near : name.ends_with("far") ? far : far - near});
  } else if (name.starts_with("gl_LightSource[")) {
    if (!read_light(name, words)) return read_vertex_built_in(uniform, words);
  } else {
    return read_vertex_built_in(uniform, words);
  }
  return true;
}

}  // namespace brokkr::capture
