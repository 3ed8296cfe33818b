// A SPIR-V module as its words stand: instructions with their operands, types, names and decorations by id. Words come
// from a compiler in another process, and are checked as those of a file are.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace brokkr::shader {

// What is wrong with a shader, and where: line 0 is no line.
class ShaderError : public std::runtime_error {
 public:
  ShaderError(uint32_t line, const std::string& what) : std::runtime_error(what), line_(line) {}
  uint32_t line() const { return line_; }

 private:
  uint32_t line_;
};

struct SpirvInstruction {
  uint16_t op = 0;
  uint32_t type = 0, result = 0;       // 0: none
  std::span<const uint32_t> operands;  // what follows type and result
  uint32_t line = 0;                   // of the shader's text

  // Operand `i`; throws ShaderError where there are fewer.
  uint32_t at(size_t i) const;
};

enum class TypeClass : uint8_t {
  nothing,
  boolean,
  floating,
  signed_integer,
  unsigned_integer,
  vector,
  matrix,
  array,
  structure,
  pointer,
  image,
  sampled_image,
  function
};

struct SpirvType {
  TypeClass kind = TypeClass::nothing;
  uint32_t element = 0;           // type of a component, column, element, pointee or texel, or a sampled image's image
  uint32_t count = 0;             // components, columns, elements
  uint32_t scalars = 0;           // numbers and truths in it; 0: it holds none
  std::vector<uint32_t> members;  // of a structure
  uint32_t storage = 0;           // spv::StorageClass of a pointer
  // Of an image.
  uint32_t dimensions = 0;  // spv::Dim
  bool compares = false, arrayed = false, multisampled = false, stored = false;
};

struct SpirvModule {
  std::vector<uint32_t> words;
  std::vector<SpirvInstruction> code;  // all of them, in their order; they point into `words`
  std::unordered_map<uint32_t, SpirvType> types;
  std::unordered_map<uint32_t, std::string> names;
  std::set<uint32_t> modes;  // of execution
  std::map<std::pair<uint32_t, uint32_t>, std::string> member_names;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> decorations;  // by id and decoration: its first operand, or 1
  std::set<std::array<uint32_t, 3>> member_decorations;           // structure, member, decoration
  std::unordered_map<uint32_t, uint32_t> constants;               // bits of scalars
  std::unordered_map<uint32_t, size_t> definition;                // by result: its place in `code`
  uint32_t bound = 0;

  SpirvModule() = default;
  SpirvModule(SpirvModule&&) = default;
  SpirvModule& operator=(SpirvModule&&) = default;

  // Throw ShaderError for an id that is none.
  const SpirvType& type(uint32_t id) const;
  const SpirvInstruction& definition_of(uint32_t id) const;
  std::string name(uint32_t id) const;  // empty: none
  bool has(uint32_t id, uint32_t decoration) const { return decorations.contains({id, decoration}); }
  bool member_has(uint32_t structure, uint32_t member, uint32_t decoration) const {
    return member_decorations.contains({structure, member, decoration});
  }
};

// The largest number of scalars in one type: what a shader may hold in a variable, or as uniforms.
inline constexpr uint32_t kMostScalars = 16384;

// Throws ShaderError for words that are no module of version 1.0 to 1.6, and for types that no shader of ours has.
SpirvModule read_module(std::vector<uint32_t> words);

}  // namespace brokkr::shader
