#include "reference/gl_vertex_text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace brokkr {
namespace {

constexpr std::string_view kOwn = "brokkr_", kBuiltIn = "gl_";

// Declarations of OpenGL 2.1's built-in uniforms [GLSL 1.20, 7.5], by name without gl_.
const std::map<std::string_view, std::string_view>& declarations() {
  static const std::map<std::string_view, std::string_view> all = [] {
    std::map<std::string_view, std::string_view> known = {
        {"NormalMatrix", "uniform mat3 brokkr_NormalMatrix;"},
        {"NormalScale", "uniform float brokkr_NormalScale;"},
        {"ClipPlane", "uniform vec4 brokkr_ClipPlane[6];"},
        {"Point",
         "uniform struct { float size, sizeMin, sizeMax, fadeThresholdSize, distanceConstantAttenuation, "
         "distanceLinearAttenuation, distanceQuadraticAttenuation; } brokkr_Point;"},
        {"FrontMaterial",
         "uniform struct { vec4 emission, ambient, diffuse, specular; float shininess; } brokkr_FrontMaterial;"},
        {"BackMaterial",
         "uniform struct { vec4 emission, ambient, diffuse, specular; float shininess; } brokkr_BackMaterial;"},
        {"LightModel", "uniform struct { vec4 ambient; } brokkr_LightModel;"},
        {"FrontLightModelProduct", "uniform struct { vec4 sceneColor; } brokkr_FrontLightModelProduct;"},
        {"BackLightModelProduct", "uniform struct { vec4 sceneColor; } brokkr_BackLightModelProduct;"},
        {"LightSource",
         "uniform struct { vec4 ambient, diffuse, specular, position, halfVector; vec3 spotDirection; float "
         "spotExponent, "
         "spotCutoff, spotCosCutoff, constantAttenuation, linearAttenuation, quadraticAttenuation; } "
         "brokkr_LightSource[8];"},
        {"FrontLightProduct", "uniform struct { vec4 ambient, diffuse, specular; } brokkr_FrontLightProduct[8];"},
        {"BackLightProduct", "uniform struct { vec4 ambient, diffuse, specular; } brokkr_BackLightProduct[8];"},
        {"TextureEnvColor", "uniform vec4 brokkr_TextureEnvColor[8];"},
        {"Fog", "uniform struct { vec4 color; float density, start, end, scale; } brokkr_Fog;"}};
    static std::map<std::string, std::string> made;  // owns names and texts
    const auto add = [](const std::string& name, const std::string& type, const std::string& count) {
      made[name] = "uniform " + type + " brokkr_" + name + count + ";";
    };
    for (const char* const matrix :
         {"ModelViewMatrix", "ProjectionMatrix", "ModelViewProjectionMatrix", "TextureMatrix"}) {
      for (const char* const form : {"", "Inverse", "Transpose", "InverseTranspose"})
        add(std::string(matrix) + form, "mat4", std::string_view(matrix) == "TextureMatrix" ? "[8]" : "");
    }
    for (const char* const plane : {"EyePlane", "ObjectPlane"}) {
      for (const char axis : {'S', 'T', 'R', 'Q'}) add(std::string(plane) + axis, "vec4", "[8]");
    }
    for (const auto& [name, text] : made) known.emplace(name, text);
    return known;
  }();
  return all;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The end of the lines that must come first: #version, and #extension with the conditions around it.
size_t end_of_head(const std::string& text) {
  size_t end = 0;
  int depth = 0;
  bool is_open = false;  // a line that must come first is inside a condition
  for (size_t begin = 0; begin < text.size();) {
    const size_t stop = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line;
    for (size_t i = begin; i < stop; ++i) {
      if (std::isspace(static_cast<unsigned char>(text[i])) == 0) line += text[i];
    }
    begin = stop;
    if (line.starts_with("#if")) ++depth;
    if (line.starts_with("#version") || line.starts_with("#extension")) {
      end = stop;
      is_open = depth > 0;
    }
    if (line.starts_with("#endif") && --depth == 0 && is_open) {
      end = stop;
      is_open = false;
    }
  }
  return end;
}

}  // namespace

std::string glsl_name(ShaderType type) {
  static constexpr const char* kNames[] = {"float",  "vec2",   "vec3",   "vec4",   "int",    "ivec2",  "ivec3",
                                           "ivec4",  "uint",   "uvec2",  "uvec3",  "uvec4",  "bool",   "bvec2",
                                           "bvec3",  "bvec4",  "mat2",   "mat2x3", "mat2x4", "mat3x2", "mat3",
                                           "mat3x4", "mat4x2", "mat4x3", "mat4"};
  return kNames[size_t(type)];
}

std::string driver_name(std::string_view name) {
  if (!name.starts_with(kBuiltIn)) return std::string(name);
  return std::string(kOwn) + std::string(name.substr(kBuiltIn.size()));
}

std::string vertex_text(const VertexProgram& program, const std::string& text) {
  std::map<std::string_view, std::string> attributes;  // built-in ones
  for (const VertexAttribute& one : program.attributes) {
    if (!one.name.starts_with(kBuiltIn)) continue;
    attributes[one.name] = std::string(program.version >= 130 ? "in " : "attribute ") + glsl_name(one.type) + " " +
                           driver_name(one.name) + ";";
  }
  std::string body, own;
  std::set<std::string_view> declared;
  const auto declare = [&](std::string_view name, std::string_view declaration) {
    if (declared.insert(name).second) own += std::string(declaration) + "\n";
  };
  const size_t head = end_of_head(text);
  for (size_t i = head; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end == i) {
      body += text[i++];
      continue;
    }
    const std::string_view word(text.data() + i, end - i);
    i = end;
    const auto attribute = attributes.find(word);
    if (attribute != attributes.end()) {
      declare(attribute->first, attribute->second);
      body += driver_name(word);
    } else if (word == "ftransform") {
      const auto vertex = attributes.find("gl_Vertex");
      if (vertex != attributes.end()) declare(vertex->first, vertex->second);
      const auto matrix = declarations().find("ModelViewProjectionMatrix");
      declare(matrix->first, matrix->second);
      declare("ftransform", "vec4 brokkr_ftransform() { return brokkr_ModelViewProjectionMatrix * brokkr_Vertex; }");
      body += "brokkr_ftransform";
    } else if (word.starts_with(kBuiltIn) && declarations().contains(word.substr(kBuiltIn.size()))) {
      const auto found = declarations().find(word.substr(kBuiltIn.size()));
      declare(found->first, found->second);
      body += driver_name(word);
    } else {
      body += word;
    }
  }
  return text.substr(0, head) + own + body;
}

}  // namespace brokkr
