// Converts a frame's vertex programs and the inputs of its draws into the tables of the geometry stage
// (shader/program_tables.h). Only launches with VertexShading::pipeline need them, so the first of these makes them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "brokkr/frame.h"
#include "plan/program_draws.h"
#include "shader/captured.h"
#include "shader/program_tables.h"

namespace brokkr {

class Loading;

class VertexDraws {
 public:
  // Translates the frame's vertex programs, and sets DrawRecord::vertices of the draws that can run them. `textures`:
  // those of the frame. Passes on what `loading` throws.
  void open(const Frame& frame, std::vector<DrawRecord>& draws, const shader::SampledTextures& textures,
            Loading& loading);
  bool is_open() const { return is_open_; }

  // Returns true if the launch can run vertex programs of the frame.
  bool any() const { return !records_.empty(); }
  // Draws that run their programs in the launch, and draws whose vertices the host has computed: lines, points,
  // wireframes, and draws whose program cannot run.
  uint64_t draws() const { return records_.size(); }
  uint64_t prepared_draws() const { return prepared_; }

  // Takes over changed Frame::uniforms. Returns true if there are any.
  bool update_uniforms(const Frame& frame);

  // Sets the functions of compiled programs for the next launch, by ProgramRecord::code; null: programs are
  // interpreted.
  void use_compiled(const shader::CompiledShader* functions) { compiled_ = functions; }
  // The code of the programs, by ProgramRecord::code.
  std::vector<const shader::Code*> codes() const;
  bool has_loops() const { return has_loops_; }
  ProgramSizes sizes() const { return sizes_; }

  // The tables as pointers into host memory, without the memory that the launch adds.
  VertexTables tables(const Frame& frame) const;
  uint64_t bytes() const;

  // Lengths of the tables.
  struct Counts {
    size_t programs, code, presets, uniforms, samplers, records, inputs, results, attributes;
  };
  Counts counts(const Frame& frame) const;

 private:
  struct Placed {
    uint32_t code, first_instruction;
  };

  bool can_run(const Frame& frame, const DrawCommand& draw) const;
  // Returns the number of the draw's record.
  uint32_t add(const Frame& frame, const DrawCommand& draw, const shader::SampledTextures& textures);
  void add_program(const Frame& frame, const VertexInputs& inputs, const shader::SampledTextures& textures);
  void add_inputs(const Frame& frame, const VertexInputs& inputs, VertexRecord& record);

  bool is_open_ = false, has_loops_ = false;
  uint64_t prepared_ = 0;
  std::vector<shader::CapturedVertexProgram> programs_;  // by number in the frame
  std::map<uint32_t, Placed> placed_;                    // by number in the frame
  std::vector<ProgramRecord> program_records_;
  std::vector<int32_t> vertices_;  // per record: DrawCommand::vertices
  std::vector<shader::CodeInstruction> code_;
  std::vector<ProgramPreset> presets_;
  std::vector<uint32_t> uniforms_;
  std::vector<shader::SamplerSlot> samplers_;
  std::vector<VertexRecord> records_;
  std::vector<VertexWordRecord> inputs_;
  std::vector<VertexResult> results_;
  ProgramSizes sizes_;
  const shader::CompiledShader* compiled_ = nullptr;
};

}  // namespace brokkr
