// The parts of `translate`, which share their state: values and memory, arithmetic, textures, control flow.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/program.h"
#include "shader/spirv_module.h"

namespace brokkr::shader {

// The control flow of a shader's only function, in the order in which it becomes instructions under masks. Each block
// follows its predecessors, except for back edges of loops, and the blocks of a loop or a branch are contiguous.

inline constexpr uint32_t kNoLoop = ~uint32_t(0);

struct FlowBlock {
  uint32_t label = 0;
  size_t first = 0, last = 0;  // instructions in SpirvModule::code: the one after the label, and the terminator
  std::vector<uint32_t> next;  // successors: distinct indices into Flow::blocks
  uint32_t merge = 0;          // label of the block at which a branch or loop ends; 0: none
  bool heads_loop = false;
  uint32_t loop = kNoLoop;  // the innermost loop that the block belongs to
};

struct FlowLoop {
  uint32_t parent = kNoLoop;
  uint32_t begin = 0, end = 0;  // range of its blocks
  uint32_t depth = 0;           // number of enclosing loops
};

struct Flow {
  std::vector<FlowBlock> blocks;
  std::vector<FlowLoop> loops;
  std::unordered_map<uint32_t, uint32_t> place;  // index of a block, by label; unreachable blocks have none

  bool is_in(uint32_t block, uint32_t loop) const;
  // The outermost loop that the edge leaves, or kNoLoop.
  uint32_t loop_left(uint32_t from, uint32_t to) const;
};

// The flow of the entry point's function. Throws ShaderError for control flow that is not structured.
Flow flow_of(const SpirvModule& module);

using Values = std::vector<Id>;  // the scalars of a SPIR-V value

// Returns true if shaders may sample images of this type, and sets their texture kind.
bool kind_of_image(const SpirvType& image, TextureKind& kind);

// The place of a part of a block, by its module's decorations.
struct BlockLayout {
  bool is_known = false;
  uint64_t offset = 0;  // bytes
  uint32_t matrix_stride = 0;
  bool by_rows = false;
};

// translate_values.cpp: constants, variables and arithmetic of the program under construction.
class ValueTranslator {
 public:
  explicit ValueTranslator(const SpirvModule& module);

 protected:
  // A global or local variable: known values, cells, or samplers.
  struct Variable {
    uint32_t type = 0;
    bool is_uniform = false, is_cell = false;
    bool is_storage = false;  // a storage buffer: `sampler` fetches its words
    bool is_indexed = false;  // an index that is not constant selects its cells
    Values values;
    uint32_t sampler = 0;  // number of the first sampler
    uint32_t first_word = 0;
    std::vector<bool> is_written;  // outputs: the scalars that the shader stores to
  };
  struct Pointer {
    uint32_t variable = 0, type = 0;
    uint32_t offset = 0;   // in scalars
    Id index = kNoValue;   // Kind::whole: added to `offset`; kNoValue: none
    uint32_t sampler = 0;  // the variable's first sampler, plus constant indices
    // A run-time index of a sampler: its value, and all numbers that it may add to `sampler`.
    Id sampler_index = kNoValue;
    std::vector<uint32_t> sampler_steps;
    // In a storage buffer: the constant part of the place, bytes between components of a vector, and Kind::whole words
    // that are added.
    BlockLayout layout = {};
    uint32_t step = 4;
    Id words = kNoValue;
  };
  // The sampler that a lookup reads. If the shader selects it at run time, this holds all candidates.
  struct ReadSampler {
    uint32_t number = 0;
    Id index = kNoValue;
    std::vector<uint32_t> steps;
  };

  // Translates an instruction of arithmetic or memory. Returns false for others.
  bool translate_value(const SpirvInstruction& one);
  bool translate_texture(const SpirvInstruction& one);  // translate_textures.cpp

  void declare_variables();
  void declare_local(const SpirvInstruction& one);
  void write_outputs();

  [[noreturn]] void fail(const SpirvInstruction& one, const std::string& what) const;
  Values operand(const SpirvInstruction& one,
                 size_t i);  // value of operand i
  Id scalar(const SpirvInstruction& one, size_t i) { return operand(one, i).front(); }
  virtual Values value(uint32_t id, uint32_t line);
  // The kind of a scalar type, or of the scalars in a vector or matrix.
  Kind kind_of(uint32_t type) const;
  Id emit(Op op, Kind kind, std::initializer_list<Id> operands);
  Id number_op(Op op, std::initializer_list<Id> operands) { return emit(op, Kind::number, operands); }
  Id choose(Id lanes, Id yes, Id no);

  const SpirvModule& m_;
  Program program_;
  Builder b_;
  Id lanes_;  // mask of the block
  std::unordered_map<uint32_t, Values> values_;
  std::unordered_map<Id, Id> made_in_;  // the mask of the block that made a temporary; absent: all lanes

 private:
  // translate_interface.cpp
  void declare_input(const SpirvInstruction& one, Variable& variable);
  void add_inputs(const std::string& name, uint32_t type, Input as, Values& words);
  void lay_out_position(Values& words);
  Values built_in_input(const SpirvInstruction& one, Input& input, uint32_t built_in);
  Values sample_words(SampleWord first, Kind kind, uint32_t count = 1);
  Values vertex_input(const SpirvInstruction& one, uint32_t built_in);
  void declare_output(const SpirvInstruction& one, Variable& variable);
  void write_output(const SpirvInstruction& one, const Variable& variable);
  void write_vertex_output(const std::string& name, uint32_t type, int location, const Variable& variable,
                           uint32_t& next);
  void declare_uniforms(const SpirvInstruction& one, Variable& variable);
  void declare_numbered(const SpirvInstruction& one, const std::string& name, Variable& variable);
  void add_uniforms(const std::string& name, const std::string& block, uint32_t type, Values& values,
                    const BlockLayout& layout = {});
  BlockLayout member_layout(const BlockLayout& parent, uint32_t structure, uint32_t member) const;
  BlockLayout element_layout(const BlockLayout& parent, uint32_t array, uint32_t number) const;
  void append_places(uint32_t type, const BlockLayout& layout, std::vector<uint32_t>& places) const;
  std::string part_name(const std::string& name, uint32_t structure, uint32_t member) const;
  void initialize(const SpirvInstruction& one, size_t first);
  void add_samplers(const std::string& name, uint32_t type, uint32_t line);
  bool is_sampled(uint32_t type) const;
  uint32_t samplers_before(uint32_t type, uint32_t index) const;
  void declare_cells(Variable& variable, const Values& initial);
  Id truth_of_word(Id word);   // true if the word is not 0
  Id word_of_truth(Id truth);  // 1 or 0
  void find_indexed();
  void append_kinds(uint32_t type, std::vector<Kind>& kinds) const;

  Values constant(const SpirvInstruction& one);
  bool translate_memory(const SpirvInstruction& one);
  bool translate_composite(const SpirvInstruction& one);
  bool translate_choice(const SpirvInstruction& one);
  bool translate_matrix(const SpirvInstruction& one);
  bool translate_function(const SpirvInstruction& one);
  void translate_power(const SpirvInstruction& one);
  bool translate_vector_function(const SpirvInstruction& one, uint32_t function);
  void apply(const SpirvInstruction& one, Op op, size_t first, bool swapped, bool inverted);
  void access(const SpirvInstruction& one);
  void declare_storage(const SpirvInstruction& one, Variable& variable);
  void access_storage(const SpirvInstruction& one, Pointer place);
  Values load_storage(const SpirvInstruction& one, const Pointer& source);
  void measure_storage(const SpirvInstruction& one);
  Values load(const SpirvInstruction& one, const Pointer& pointer);
  void store(const SpirvInstruction& one, const Pointer& place, const Values& values);
  Pointer pointer(const SpirvInstruction& one, size_t i) const;
  uint32_t offset_in(uint32_t& type, uint32_t index, uint32_t line) const;
  Id dot(std::span<const Id> a, std::span<const Id> b);
  Id change_of(Op op, Id v);
  Values refracted(const Values& i, const Values& n, Id eta);
  Id log_of_one_and(Id x);
  Id inverse_hyperbolic(uint32_t function, Id x);
  Id whole_of(Id index);

  bool translate_structured(const SpirvInstruction& one, uint32_t function);
  bool translate_inverse(const SpirvInstruction& one, uint32_t function);
  Id determinant(const Values& matrix, size_t size);
  Id minor(const Values& matrix, size_t size, size_t column, size_t row);
  bool translate_interpolation(const SpirvInstruction& one, uint32_t function);
  Values place_of_sample(Id number);

  // translate_bits.cpp
  bool translate_bits(const SpirvInstruction& one);
  bool translate_wide(const SpirvInstruction& one);
  bool translate_packing(const SpirvInstruction& one, uint32_t function);
  Id word(uint32_t v) { return b_.constant(Kind::natural, v); }
  Id word_op(Op op, Id a, Id b) { return emit(op, Kind::natural, {a, b}); }
  Id shifted_right(Id v, uint32_t by) { return word_op(Op::shift_right, v, word(by)); }
  Id as_kind(Kind kind, Id v);
  Id bit_count(Id v);
  Id bits_reversed(Id v);
  Id highest_bit(Id v);
  Id lowest_bit(Id v);
  Id low_bits(Id count);
  Id bit_field(Id v, Id offset, Id count, bool is_signed);
  Id high_product(Id x, Id y, bool is_signed);
  Id times_power(Id x, Id e);
  std::pair<Id, Id> taken_apart(Id x);
  Id half_of(Id x);
  Id number_of_half(Id half);

  void index_samplers(Pointer& place, Id index, uint32_t count, uint32_t step);
  const ReadSampler& sampler_of(const SpirvInstruction& one) const;
  std::string sampler_name(uint32_t variable, uint32_t element) const;
  void combine(const SpirvInstruction& one, uint32_t image, uint32_t sampler);
  bool translate_lookup(const SpirvInstruction& one);
  void choose_sampler(const SpirvInstruction& one);
  uint32_t lookup_bits(const SpirvInstruction& one) const;
  void translate_sample(const SpirvInstruction& one);
  void translate_gather(const SpirvInstruction& one);
  void translate_fetch(const SpirvInstruction& one);
  void translate_query(const SpirvInstruction& one);
  Values coordinates(const SpirvInstruction& one, TextureKind kind, size_t layer = 0);
  Id detail_of_changes(const SpirvInstruction& one, const Values& coordinates, const Values& changes,
                       uint32_t sample_bits);
  uint32_t offset_bits(const SpirvInstruction& one, std::span<const Id> offsets) const;
  bool is_short_offset(std::span<const Id> offsets) const;
  Values emit_sample(const Values& operands, uint32_t extra, const Values& behind = {});
  Values emit_gather(const SpirvInstruction& one, const Values& operands, uint32_t extra, std::span<const Id> offset);
  void give_sample(const SpirvInstruction& one, Values texel);
  void finish_sample(const SpirvInstruction& one, const Values& operands, uint32_t extra, const Values& changes = {});

  std::unordered_map<uint32_t, Variable> variables_;
  std::unordered_map<uint32_t, Pointer> pointers_;
  std::unordered_map<uint32_t, ReadSampler> samplers_;  // by the id of a loaded sampler or of its image
  // Images and samplers that are separate variables: the pointers of loaded ones, by id, and the first sampler of each
  // pair of an image variable and a sampler that the code combines.
  std::unordered_map<uint32_t, Pointer> loaded_;
  std::map<std::array<uint32_t, 3>, uint32_t> pairs_;  // by image, sampler and element of an array of samplers
  Id sampler_lanes_ = kNoValue;                        // lanes that read the sampler; kNoValue: all lanes of the block
  std::unordered_set<uint32_t> indexed_;               // ids of variables that are indexed at run time
  int next_location_ = 0;                              // for outputs without a location in the shader
  std::map<SampleWord, Values> sample_words_;          // those that the shader reads, by the first one
};

// translate_flow.cpp: blocks, edges and loops.
class Translator : public ValueTranslator {
 public:
  explicit Translator(const SpirvModule& module);
  Program run();

 private:
  struct Edge {
    uint32_t from = 0;  // label of the block
    Id lanes = 0;
  };

  Values value(uint32_t id, uint32_t line) override;
  void find_escapes();
  void find_exits();
  void translate_block(uint32_t number);
  void translate_body(uint32_t number);
  void translate_phi(const SpirvInstruction& one, uint32_t number);
  void begin_loop(uint32_t number);
  void end_loops(uint32_t number);
  void end_block(uint32_t number);
  void branch(const SpirvInstruction& one, uint32_t number);
  void choose_case(const SpirvInstruction& one, uint32_t number);
  void edge(uint32_t from, uint32_t to_label, Id lanes);
  void set_phis(uint32_t from, uint32_t to, Id lanes);
  Id lanes_of_block(uint32_t number);
  bool meets_again(uint32_t number, uint32_t merge) const;
  bool only_discards(uint32_t label, uint32_t from) const;
  bool is_worth_a_branch(const FlowBlock& block) const;
  bool has_cells(uint32_t block) const;
  const Values& phi_cells(const SpirvInstruction& phi);
  void keep_escaped(uint32_t id);

  Flow flow_;
  uint32_t current_ = 0;                              // the current block
  std::vector<std::vector<Edge>> edges_;              // edges into each block that do not leave a loop
  std::vector<Id> block_lanes_;                       // mask of each block; kNoValue: it is unreachable
  std::map<std::pair<uint32_t, uint32_t>, Id> left_;  // by block, and loop left for it: the lanes that left
  std::unordered_map<uint32_t, Id> back_;             // by loop: the lanes that jump back
  std::unordered_map<uint32_t, Id> heads_;            // by loop: the cell with its active lanes
  std::unordered_map<uint32_t, Id> entered_;          // by loop: the lanes that entered it
  std::unordered_map<uint32_t, Values> phi_cells_;    // by result
  std::unordered_map<uint32_t, uint32_t> block_of_;   // the block of each result
  std::unordered_map<uint32_t, Values> escaped_;      // by result: cells for uses outside its loop
  std::unordered_set<uint32_t> escapes_;
};

}  // namespace brokkr::shader
