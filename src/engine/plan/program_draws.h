// Converts a captured frame's fragment programs and the inputs of its draws into the tables that the kernel reads
// (shader/program_tables.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/frame.h"
#include "plan/expand.h"
#include "plan/program_facts.h"
#include "shader/captured.h"
#include "shader/program_tables.h"
#include "shader/simplify.h"
#include "shader/textures.h"

namespace brokkr {

class Loading;

// Returns true unless blending only writes the source (draw_record.cpp).
bool blends(const std::optional<BlendState>& blend);
// Fills source factor, destination factor and equation, for colour and for alpha.
void fill_blend(const BlendState& blend, uint8_t (&color)[3], uint8_t (&alpha)[3]);
TexelFormat texel_format(ColorFormat format);
// Fills the terms of a logical operation on colours of a format (frame/logic_terms.h). Returns false, and fills
// nothing, if the operation only writes the source: for LogicOp::copy, for formats of floats, and for sRGB if
// `encodes`.
bool fill_logic(LogicOp op, TexelFormat format, bool encodes, uint8_t (&color)[3], uint8_t (&alpha)[3]);

// Draws that are shown in false colours because their program cannot run.
struct FalseColors {
  std::string reason;
  uint64_t draws = 0;
};

// The effect of new uniforms or varyings on draws: none, other values, or other values that change which draws may
// discard. The last effect invalidates the planned order of draws.
enum class UniformChange : uint8_t { none, values, order };

// A warp needs 256 bytes of memory per register of the largest program.
inline constexpr uint32_t kMaxProgramRegisters = 4096;

// The presets of a program whose uniform words have these values: everything that depends on uniforms alone. Kernels
// fill them before each run over a draw's samples or vertices.
struct ProgramPresets {
  std::vector<ProgramPreset> all;
  size_t first_mask = 0;  // index of the first mask register's preset

  ProgramPresets(const shader::Code& code, const std::vector<uint32_t>& uniforms);
};

class ProgramDraws {
 public:
  // Translates the frame's programs and decodes its textures. Passes on what `loading` throws.
  void open(const Frame& frame, Loading& loading);

  // Returns the number of the draw's record, or kNoProgram. `expanded` is null unless the draw was expanded. Passes on
  // what `loading` throws.
  uint32_t add(const Frame& frame, const DrawCommand& draw, const ExpandedDraw* expanded, const Loading& loading);

  // Sets the functions of compiled programs for the next launch, by ProgramRecord::code; null: programs are
  // interpreted.
  void use_compiled(const shader::CompiledShader* functions) { compiled_ = functions; }
  // The code of programs that draws run, by ProgramRecord::code.
  std::vector<const shader::Code*> codes() const;
  bool has_loops() const { return has_loops_; }
  uint32_t longest() const { return longest_; }  // instructions of the longest of them
  // Takes over changed Frame::uniforms.
  UniformChange update_uniforms(const Frame& frame);
  // Takes over the changed varyings of draws with vertex programs. If the host has not computed them, only launches
  // know them (VertexShading::pipeline), and `are_known` must be false.
  UniformChange update_varyings(const Frame& frame, bool are_known);

  // The phase that writes a plane's content from before the frame; empty if the file does not have that content.
  std::optional<PhaseRecord> load_phase(const Frame& frame, const LoadCommand& load) const;

  // Returns true if the frame takes the plane's colours, which have no alpha, to colours with alpha. Then clears and
  // draws must give it an alpha of 1.
  bool has_alpha_one(const Frame& frame, uint32_t target, int plane) const;

  // Returns true if the kernel needs these tables: there are draws, or planes and textures that change without draws.
  bool any() const { return !records_.empty() || !loads_.empty() || !textures_.textures.empty(); }
  const ProgramRecord& record(uint32_t number) const { return records_[number]; }
  // Returns true if the draw with this record runs its program, and this reads texels of a texture. `binding`: index
  // into DrawInputs::textures.
  bool reads(uint32_t number, uint32_t binding) const;
  ProgramSizes sizes() const { return sizes_; }
  const shader::SampledTextures& textures() const { return textures_; }
  uint64_t draws() const { return records_.size(); }
  double translate_ms() const { return translate_ms_; }  // time that `open` took
  // False colours by the program's number in the frame.
  const std::map<uint32_t, FalseColors>& false_colors() const { return false_colors_; }

  // The tables as pointers into host memory, without the memory that the kernel adds.
  ProgramTables tables(const Frame& frame) const;
  uint64_t bytes(const Frame& frame) const;

  // Lengths of the tables.
  struct Counts {
    size_t programs, code, presets, inputs, uniforms, samplers, varyings, loads;
  };
  Counts counts(const Frame& frame) const;

 private:
  struct Placed {
    uint32_t number, first_instruction, instructions;
  };

  void decode_loads(const Frame& frame, Loading& loading);
  std::string find_failure(const Frame& frame, const DrawCommand& draw, const shader::CapturedProgram& program) const;
  // Returns the number of the program's variant for smooth lines.
  uint32_t smooth_program(uint32_t number);
  // Returns the number of the draw's program, or of a variant that is specialized for the textures that the draw binds,
  // if that is worthwhile.
  uint32_t fold_program(const DrawInputs& inputs, uint32_t number);
  // Returns the number of the program's variant for the varyings that are 0 or 1 in all draws of the program.
  uint32_t fold_varyings(const Frame& frame, uint32_t number);
  // Finds these varyings: bits by component.
  const std::map<uint32_t, uint32_t>& same_varyings(const Frame& frame, uint32_t program);
  void add_colors(const Frame& frame, uint32_t number, const State& state, const shader::CapturedProgram& program,
                  ProgramRecord& record);
  void place_code(uint32_t number, ProgramRecord& record);
  struct Source {
    int32_t inputs;
    uint32_t program;
    int height;  // height of the target in pixels
    bool has_vertex_program;
    std::optional<DrawDiscards> discards;  // set if the program or the state can discard
  };
  static std::vector<uint32_t> uniforms_of(const Frame& frame, const Source& source,
                                           const shader::CapturedProgram& program);
  void add_uniforms(const Frame& frame, ProgramRecord& record);
  void prove_discards(const Frame& frame, const DrawCommand& draw, ProgramRecord& record);
  bool set_discards(ProgramRecord& record, DrawDiscards& discards, const shader::CapturedProgram& program) const;
  void add_inputs(const State& state, const shader::CapturedProgram& program, const ExpandedDraw* expanded,
                  ProgramRecord& record);
  // `is_window`: the target is a captured program's window.
  void add_samplers(const DrawInputs& inputs, const shader::CapturedProgram& program, bool is_window,
                    ProgramRecord& record);
  void add_varyings(const Frame& frame, const DrawCommand& draw, const ExpandedDraw& expanded,
                    const shader::CapturedProgram& captured, ProgramRecord& record, const Loading& loading);

  double translate_ms_ = 0;
  std::vector<bool> alpha_one_;                    // has_alpha_one for some colour of each target
  std::vector<shader::CapturedProgram> programs_;  // the frame's programs, followed by their specialized variants
  // Numbers of specialized variants, by the number of the frame's program.
  std::map<uint32_t, std::map<std::vector<shader::LookupFacts>, uint32_t>> folded_;
  std::map<uint32_t, std::map<uint32_t, uint32_t>> same_varyings_;  // by number of the frame's program
  std::map<uint32_t, uint32_t> for_varyings_;  // numbers of variants for these, by number of the program
  std::map<uint32_t, uint32_t> smooth_;  // numbers of variants for smooth lines, by the number of the frame's program
  shader::SampledTextures textures_;
  std::vector<ProgramRecord> records_;
  std::vector<Source> sources_;  // one per record
  TexelRanges texel_ranges_;
  ProofWork proof_work_;
  std::map<uint32_t, Placed> placed_;
  std::vector<shader::CodeInstruction> code_;
  std::vector<ProgramPreset> presets_;
  std::vector<ProgramInput> inputs_;
  std::vector<uint32_t> uniforms_;
  std::vector<shader::SamplerSlot> samplers_;
  std::vector<uint32_t> loads_;
  std::map<uint32_t, uint32_t> first_of_loads_;  // indices into loads_, by the captured texture's number
  std::vector<uint32_t> expanded_varyings_;      // empty: the frame's own varyings are used
  ProgramSizes sizes_;
  bool has_loops_ = false;
  uint32_t longest_ = 0;
  const shader::CompiledShader* compiled_ = nullptr;
  std::map<uint32_t, FalseColors> false_colors_;
};

}  // namespace brokkr
