#include "capture/vertex.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>

#include "capture/glsl_scan.h"
#include "capture/shadow.h"
#include "frame/bkf_fields.h"

namespace brokkr::capture {
namespace {

// The names in the texts that begin with gl_ or are ftransform; names in comments count too.
std::set<std::string> built_in_names(const std::vector<std::string>& texts) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::set<std::string> names;
  for (const std::string& text : texts) {
    for (size_t begin = 0; begin < text.size();) {
      size_t end = begin + 1;
      if (is_word(text[begin])) {
        while (end < text.size() && is_word(text[end])) end++;
        const std::string_view word(text.data() + begin, end - begin);
        if (word.starts_with("gl_") || word == "ftransform") names.emplace(word);
      }
      begin = end;
    }
  }
  if (names.contains("ftransform")) names.insert({"gl_Vertex", "gl_ModelViewProjectionMatrix"});
  return names;
}

// Built-in attributes of compatibility contexts.
std::vector<VertexAttribute> built_in_attributes(const std::set<std::string>& names) {
  std::vector<VertexAttribute> all = {{"gl_Vertex", ShaderType::vec4},
                                      {"gl_Normal", ShaderType::vec3},
                                      {"gl_Color", ShaderType::vec4},
                                      {"gl_SecondaryColor", ShaderType::vec4},
                                      {"gl_FogCoord", ShaderType::f32}};
  for (int i = 0; i < 8; i++) all.push_back({"gl_MultiTexCoord" + std::to_string(i), ShaderType::vec4});
  all.push_back({"gl_VertexID", ShaderType::i32});
  std::erase_if(all, [&](const VertexAttribute& one) { return !names.contains(one.name); });
  return all;
}

// The text of the copier: the attributes' declarations, and an output for each of `copied`. `matrix`: one more output.
std::string copier_text(const std::vector<std::string>& texts, const std::vector<VertexAttribute>& copied,
                        const std::string& declarations, bool matrix) {
  const bool old = shader_version(texts.front()) < 130;
  std::string before = declarations, copies;
  std::set<std::string> declared;
  for (size_t i = 0; i < copied.size(); i++) {
    const std::string type(bkf::name_of(copied[i].type)), &name = copied[i].name;
    const bool whole = copied[i].type >= ShaderType::i32 && copied[i].type <= ShaderType::bvec4;
    const size_t bracket = name.find('[');
    const std::string array = name.substr(0, bracket);
    // An array is declared once, with as many elements as it has in the list.
    if (!name.starts_with("gl_") && !name.starts_with("brokkr_") && declared.insert(array).second) {
      const auto elements = std::count_if(
          copied.begin(), copied.end(), [&](const VertexAttribute& one) { return one.name.starts_with(array + "["); });
      before += std::string(old ? "attribute " : "in ") + type + " " + array +
                (elements > 0 ? "[" + std::to_string(elements) + "]" : "") + ";\n";
    }
    before += std::string(whole ? "flat out " : old ? "varying " : "out ") + type + " " + copied_name(i) + ";\n";
    copies += "  " + copied_name(i) + " = " + name + ";\n";
  }
  if (matrix) {
    before += std::string(old ? "varying" : "out") + " mat4 " + copied_name(copied.size()) + ";\n";
    copies += "  " + copied_name(copied.size()) + " = gl_ModelViewProjectionMatrix;\n";
  }
  return std::string(version_line(texts.front())) + "\n" + before + "void main() {\n  gl_Position = vec4(0.0);\n" +
         copies + "}\n";
}

// The materials of vertices that the text reads, and not only declares.
std::vector<VertexAttribute> material_attributes(const std::string& text) {
  std::vector<VertexAttribute> all;
  const auto add = [&](const std::string& name) {
    if (text.find(name) != text.rfind(name)) all.push_back({name, ShaderType::vec4});
  };
  add(kColorBefore);
  for (const char* const side : kMaterialSides) {
    for (const MaterialAttribute& member : kMaterialAttributes) add(std::string(side) + member.name);
  }
  return all;
}

// Returns true if the linked program reads the attribute.
bool is_located(GLuint original, const std::string& name) {
  return original == 0 || name.starts_with("gl_") || GL(GetAttribLocation)(original, name.c_str()) >= 0;
}

void make_copier(const Context& context, const std::vector<std::string>& texts, GLuint original, bool materials,
                 VertexCopy& copy) {
  std::vector<VertexAttribute> copied;
  uint32_t offset = 0;
  for (const VertexAttribute& attribute : copy.program.attributes) {
    const bool read = is_located(original, attribute.name);
    const uint32_t components = read ? shape_of(attribute.type).components() : 0;
    copy.attributes.push_back({attribute.name, offset, components});
    offset += components;
    if (read) copied.push_back(attribute);
  }
  copy.components = offset;
  if (copied.empty()) return;
  constexpr uint32_t kOfPosition = 4, kOfMatrix = 16;  // components
  const auto max_components = static_cast<uint32_t>(get_integer(GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS));
  if (offset + kOfPosition > max_components) {
    copy.problem = "a vertex shader with more attributes than the driver's feedback records";
    return;
  }
  if (copy.reads_matrices && offset + kOfPosition + kOfMatrix <= max_components) {
    copy.matrix = offset;
    copy.components += kOfMatrix;
  }
  const bool matrix = copy.matrix.has_value();
  const std::string text = copier_text(texts, copied, materials ? material_declarations() : std::string(), matrix);
  copy.copier = make_vertex_program(context, text, copied.size() + (matrix ? 1 : 0), original);
  if (copy.copier == 0) copy.problem = "a vertex shader whose attributes the driver does not record";
}

}  // namespace

std::vector<RecordedVarying> VertexCopy::recorded() const {
  std::vector<RecordedVarying> all = attributes;
  if (matrix) all.push_back({"", *matrix, components - *matrix});
  return all;
}

bool had_matrices(const VertexCopy& copy, const std::vector<float>& values) {
  if (!copy.reads_matrices) return true;
  if (!copy.matrix) return false;
  const glm::mat4 expected = transform_of_state();
  constexpr float kTolerance = 1e-5f;
  float largest = 0;
  for (int i = 0; i < 16; i++) largest = std::max(largest, std::abs(expected[i / 4][i % 4]));
  for (size_t first = *copy.matrix; first + 16 <= values.size(); first += copy.components) {
    for (int i = 0; i < 16; i++) {
      if (!(std::abs(values[first + size_t(i)] - expected[i / 4][i % 4]) <= kTolerance * largest)) return false;
    }
  }
  return true;
}

std::shared_ptr<const VertexCopy> copy_of(const Context& context, const std::vector<std::string>& texts,
                                          GLuint original, bool materials) {
  auto copy = std::make_shared<VertexCopy>();
  VertexProgram& program = copy->program;
  program.texts = texts;
  program.version = texts.empty() ? 110 : shader_version(texts.front());
  std::set<std::string> names = built_in_names(texts);
  // Other versions have only these, and may name others in comments.
  const bool old = program.version < 140 || version_line(texts.front()).find("compatibility") != std::string::npos;
  if (!old)
    std::erase_if(names, [](const std::string& name) { return name != "gl_VertexID" && name != "gl_DepthRange"; });
  program.attributes = built_in_attributes(names);
  if (original != 0) copy->problem = inspect_vertex(context, texts, program);
  if (materials) {
    const std::vector<VertexAttribute> all = material_attributes(texts.front());
    program.attributes.insert(program.attributes.end(), all.begin(), all.end());
  }
  add_built_ins(names, program);
  copy->reads_matrices = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.starts_with("gl_ModelView") || name.starts_with("gl_Projection") || name.starts_with("gl_NormalMatrix");
  });
  if (names.contains("gl_VertexID") && program.version < 130) copy->problem = "gl_VertexID in GLSL before 1.30";
  if (copy->problem.empty()) make_copier(context, texts, original, materials, *copy);
  return copy;
}

std::vector<VertexStream> AttributeStreams::add(const VertexCopy& copy, const std::vector<float>& values,
                                                uint32_t vertices, uint32_t instances) {
  const size_t each = copy.components;
  std::vector<VertexStream> streams;
  for (size_t i = 0; i < copy.attributes.size(); i++) {
    const RecordedVarying& recorded = copy.attributes[i];
    const size_t size = shape_of(copy.program.attributes[i].type).components();
    // The words of a vertex of an instance.
    const auto words = [&](uint32_t instance, uint32_t vertex) {
      return values.data() + (size_t(instance) * vertices + vertex) * each + recorded.offset;
    };
    const auto same = [&](const float* a, const float* b) { return std::memcmp(a, b, size * sizeof(float)) == 0; };
    bool of_vertex = true, of_instance = true;  // the same in all instances, in all vertices of an instance
    for (uint32_t instance = 0; recorded.components > 0 && instance < instances; instance++) {
      for (uint32_t vertex = 0; vertex < vertices && (of_vertex || of_instance); vertex++) {
        of_vertex = of_vertex && same(words(instance, vertex), words(0, vertex));
        of_instance = of_instance && same(words(instance, vertex), words(instance, 0));
      }
    }
    VertexStream stream{.count = 1, .divisor = 1};
    std::vector<uint32_t> stored(size, 0);
    const auto store = [&](const float* one, size_t index) {
      stored.resize((index + 1) * size);
      std::memcpy(&stored[index * size], one, size * sizeof(float));
    };
    if (recorded.components == 0) {
      // It stays 0.
    } else if (of_vertex && of_instance) {
      store(words(0, 0), 0);
    } else if (of_vertex) {
      stream = {.count = vertices, .divisor = 0};
      for (uint32_t vertex = 0; vertex < vertices; vertex++) store(words(0, vertex), vertex);
    } else if (of_instance) {
      // The divisor is the number of instances until the first change, if all later changes fit.
      uint32_t divisor = 1;
      while (divisor < instances && same(words(divisor, 0), words(0, 0))) divisor++;
      for (uint32_t instance = 0; instance < instances; instance++) {
        if (!same(words(instance, 0), words(instance / divisor * divisor, 0))) divisor = 1;
      }
      stream = {.count = (instances - 1) / divisor + 1, .divisor = divisor};
      for (uint32_t step = 0; step < stream.count; step++) store(words(step * divisor, 0), step);
    } else {
      return {};
    }
    stream.first = add_words(stored);
    streams.push_back(stream);
  }
  return streams;
}

uint64_t AttributeStreams::add_words(const std::vector<uint32_t>& words) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
  const size_t hash = std::hash<std::string_view>()(bytes);
  for (auto [known, end] = known_.equal_range(hash); known != end; ++known) {
    const auto [first, count] = known->second;
    if (count == words.size() && std::equal(words.begin(), words.end(), frame_.attributes.begin() + ptrdiff_t(first)))
      return first;
  }
  const uint64_t first = frame_.attributes.size();
  frame_.attributes.insert(frame_.attributes.end(), words.begin(), words.end());
  known_.emplace(hash, std::pair(first, words.size()));
  return first;
}

}  // namespace brokkr::capture
