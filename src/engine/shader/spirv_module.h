// A parsed SPIR-V module: instructions with their operands, and types, names and decorations by id. The words come from
// a compiler in another process, and are checked like those of a file.
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

#include "shader/program.h"

namespace brokkr::shader {

// An error in a shader, with its line; 0: no line.
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
  std::span<const uint32_t> operands;  // operands after type and result
  uint32_t line = 0;                   // line in the shader's text

  // Returns operand `i`. Throws ShaderError if there are fewer.
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
  runtime_array,  // the end of a storage buffer
  structure,
  pointer,
  image,
  sampler,  // separate from an image
  sampled_image,
  function
};

struct SpirvType {
  TypeClass kind = TypeClass::nothing;
  uint32_t element = 0;           // type of a component, column, element, pointee or texel, or a sampled image's image
  uint32_t count = 0;             // components, columns, elements
  uint32_t scalars = 0;           // scalars in the type; 0: it is not a value
  std::vector<uint32_t> members;  // member types of a structure
  uint32_t storage = 0;           // spv::StorageClass of a pointer
  // Image types only.
  uint32_t dimensions = 0;  // spv::Dim
  bool compares = false, arrayed = false, multisampled = false, stored = false;
};

struct SpirvModule {
  std::vector<uint32_t> words;
  std::vector<SpirvInstruction> code;  // all instructions in order; operands point into `words`
  std::unordered_map<uint32_t, SpirvType> types;
  std::unordered_map<uint32_t, std::string> names;
  std::set<uint32_t> modes;  // execution modes
  std::map<std::pair<uint32_t, uint32_t>, std::string> member_names;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> decorations;  // by id and decoration: its first operand, or 1
  std::map<std::array<uint32_t, 3>, uint32_t> member_values;      // by structure, member, decoration: its operand, or 1
  std::unordered_map<uint32_t, uint32_t> constants;               // bits of scalars
  std::unordered_map<uint32_t, size_t> definition;                // by result: its place in `code`
  // Only in modules that an application gives (name_by_numbers). `numbered`: names of blocks whose members have no
  // names, by variable. `loose`: blocks whose members are individual uniforms.
  std::unordered_map<uint32_t, std::string> numbered;
  std::set<uint32_t> loose;
  bool is_numbered = false;  // name_by_numbers was called
  uint32_t bound = 0;
  Stage stage = Stage::fragment;

  SpirvModule() = default;
  SpirvModule(SpirvModule&&) = default;
  SpirvModule& operator=(SpirvModule&&) = default;

  // Both functions throw ShaderError if the id has the wrong kind.
  const SpirvType& type(uint32_t id) const;
  const SpirvInstruction& definition_of(uint32_t id) const;
  std::string name(uint32_t id) const;  // empty: the id has no name
  bool has(uint32_t id, uint32_t decoration) const { return decorations.contains({id, decoration}); }
  bool member_has(uint32_t structure, uint32_t member, uint32_t decoration) const {
    return member_values.contains({structure, member, decoration});
  }
};

// The largest number of scalars in one type: it limits variables and uniforms.
inline constexpr uint32_t kMaxScalars = 16384;
// The largest number of 32-bit words in all uniforms of a program: twelve blocks of 64 KiB, which OpenGL 3.1
// guarantees. Each word costs four bytes in every draw, and one value of the translation.
inline constexpr uint32_t kMaxUniformWords = 12 * kMaxScalars;

// Throws ShaderError unless `words` are a module of version 1.0 to 1.6 with supported types.
SpirvModule read_module(std::vector<uint32_t> words);

// Gives names to the interface of a module that does not come from compile_glsl, which follows GLSL's rules. Inputs and
// outputs are "@3" by their location, "@3.1" from its second component on, or gl_Position. A name that begins with "b_"
// is kept. Members of uniform blocks and push constants are uniforms with their names. If the module has no names, a
// block is "@0.1" by set and binding, or "@push", and a member is "@0.1+64" by its offset in bytes. Images, samplers
// and storage buffers are named like blocks.
void name_by_numbers(SpirvModule& module);

// Translates SPIR-V to a program: vectors become scalars, branches become masks.

// `module` must be a fragment or vertex shader whose functions are all inlined into main (spirv-opt -O does this).
// Throws ShaderError for features that the interpreter lacks: doubles, stores to buffers and images, atomics,
// unsupported samplers. A storage buffer becomes a sampler of a buffer of uints.
//
// Each block of the control-flow graph has a mask, the union of the masks of its incoming edges. The mask of an edge is
// its block's mask and the branch condition.
// In the block order, control only goes forward, except for back edges of loops, so one pass suffices. When a lane
// leaves a loop, we record it in the mask of the block that it jumps to, and keep its values in cells until all lanes
// have left the loop.
Program translate(const SpirvModule& module);

}  // namespace brokkr::shader
