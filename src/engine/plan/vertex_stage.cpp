#include "plan/vertex_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/failure.h"
#include "base/loading.h"
#include "base/processors.h"
#include "brokkr/vertex_stage.h"
#include "frame/validate.h"
#include "machine/cpu_isa.h"
#include "shade/instance.h"
#include "shade/kernels.h"
#include "shader/captured.h"
#include "shader/textures.h"

namespace brokkr {
namespace {

using shader::CapturedVertexProgram;
using shader::VertexWord;

// The number of vertices in a piece of work, which takes at least half a millisecond.
constexpr uint64_t kPiece = 4096;

// A draw whose program can run.
struct StageDraw {
  const DrawCommand* draw;
  const VertexInputs* inputs;
  const CapturedVertexProgram* program;
  uint64_t stride = 0;  // words per vertex of its varyings
  std::vector<VertexResult> results;
  std::vector<uint32_t> uniforms;
  std::vector<shader::SamplerSlot> samplers;
};

// Vertices begin .. end - 1 of a draw, counted over its instances.
struct Piece {
  uint32_t draw;
  uint64_t begin, end;
};

class VertexStage {
 public:
  VertexStage(Frame& frame, Loading& loading)
      : frame_(frame), loading_(loading), kernel_(*shader::find_kernel(best_cpu_isa())) {}

  std::vector<VertexFailure> run() {
    programs_ = shader::translate_vertex_programs(frame_, loading_);
    const bool samples = std::any_of(programs_.begin(), programs_.end(), [](const CapturedVertexProgram& one) {
      return one.failure.empty() && !one.program.samplers.empty();
    });
    if (samples) textures_ = shader::make_sampled_textures(frame_, loading_);
    tables_.sampled = textures_.records.data();
    tables_.sampled_texels = textures_.texels.data();
    sizes_ = vertex_program_sizes(frame_);
    add_draws();
    shade();
    std::vector<VertexFailure> all;
    for (const auto& [number, failed] : failures_) all.push_back(failed);
    return all;
  }

 private:
  void fail(uint32_t program, const std::string& reason) {
    VertexFailure& failed = failures_.try_emplace(program, VertexFailure{program, reason, 0}).first->second;
    ++failed.draws;
  }

  void add_draws() {
    std::set<std::tuple<int32_t, uint64_t, uint64_t>> known;  // draws with the same results, which one of them computes
    for (size_t i = 0; i < frame_.commands.size(); ++i) {
      const auto* const draw = std::get_if<DrawCommand>(&frame_.commands[i]);
      if (draw == nullptr || draw->vertices < 0) continue;
      check(*draw, {"command", i});
      const uint64_t varyings = draw->inputs < 0 ? ~uint64_t(0) : frame_.inputs[size_t(draw->inputs)].first_varying;
      if (!known.emplace(draw->vertices, draw->first_vertex, varyings).second) continue;
      const VertexInputs& inputs = frame_.vertex_inputs[size_t(draw->vertices)];
      const CapturedVertexProgram& program = programs_[inputs.program];
      const std::string failure = vertex_failure(frame_, inputs, program);
      if (!failure.empty()) {
        fail(inputs.program, failure);
        continue;
      }
      add_draw(*draw, inputs, program);
      loading_.look();
    }
  }

  // Checks the ranges that are read and written; the frame may have been changed since it was validated.
  void check(const DrawCommand& draw, const Place& place) const {
    const uint64_t vertices = uint64_t(draw.vertex_count) * draw.instances;
    validate_vertices(frame_, sizes_, place, draw);
    require_extent(place, "first_vertex", draw.first_vertex, vertices, frame_.positions.size(), "positions");
    if (draw.inputs < 0) return;
    require_index(place, "inputs", uint64_t(draw.inputs), frame_.inputs.size(), "inputs");
    const DrawInputs& inputs = frame_.inputs[size_t(draw.inputs)];
    require_index(place, "program", inputs.program, frame_.programs.size(), "programs");
    require_extent(place, "varyings", inputs.first_varying,
                   varying_components(frame_.programs[inputs.program]) * vertices, frame_.varyings.size(), "varyings");
  }

  void add_draw(const DrawCommand& draw, const VertexInputs& inputs, const CapturedVertexProgram& program) {
    StageDraw one{.draw = &draw,
                  .inputs = &inputs,
                  .program = &program,
                  .results = {},
                  .uniforms = vertex_uniforms(frame_, inputs, program),
                  .samplers = vertex_samplers(inputs, program, textures_)};
    if (draw.inputs >= 0) {
      one.stride = varying_components(frame_.programs[frame_.inputs[size_t(draw.inputs)].program]);
      one.results = vertex_results(frame_, draw, program);
    }
    const uint64_t vertices = uint64_t(draw.vertex_count) * draw.instances;
    for (uint64_t begin = 0; begin < vertices; begin += kPiece)
      pieces_.push_back({uint32_t(draws_.size()), begin, std::min(begin + kPiece, vertices)});
    draws_.push_back(std::move(one));
  }

  // Consecutive pieces of small draws go to one worker.
  void shade() {
    std::vector<size_t> begins;
    uint64_t vertices = kPiece;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (vertices >= kPiece) {
        begins.push_back(i);
        vertices = 0;
      }
      vertices += pieces_[i].end - pieces_[i].begin;
    }
    begins.push_back(pieces_.size());
    cut_ = std::vector<std::atomic<bool>>(draws_.size());
    std::atomic<uint32_t> abort{0};
    const auto work = [&](int i) {
      for (size_t piece = begins[size_t(i)]; piece < begins[size_t(i) + 1]; ++piece) shade_piece(pieces_[piece], abort);
    };
    const auto watch = [&](int i) {
      try {
        loading_.look(uint64_t(i), begins.size());
      } catch (...) {
        abort = 1;
        throw;
      }
    };
    parallel_for(int(begins.size()) - 1, usable_processors(), work, watch);
    for (size_t i = 0; i < draws_.size(); ++i) {
      if (!cut_[i]) continue;
      fail(draws_[i].inputs->program, "one of its loops does not end within 65536 iterations");
      forget(draws_[i]);
    }
  }

  // Clears the results of a draw that was cut off, so that nothing of it is shown.
  void forget(const StageDraw& one) {
    const uint64_t vertices = uint64_t(one.draw->vertex_count) * one.draw->instances;
    std::fill_n(frame_.positions.begin() + std::ptrdiff_t(one.draw->first_vertex), vertices, glm::vec4(0));
  }

  void shade_piece(const Piece& piece, std::atomic<uint32_t>& abort) {
    const StageDraw& one = draws_[piece.draw];
    if (cut_[piece.draw].load(std::memory_order_relaxed)) return;
    shader::Instance instance(one.program->code, kernel_, one.uniforms);
    instance.bind(tables_, one.samplers);
    instance.set_abort(reinterpret_cast<const uint32_t*>(&abort));
    const auto lanes = uint64_t(kernel_.lanes);
    for (uint64_t begin = piece.begin; begin < piece.end; begin += lanes) {
      const uint64_t count = std::min(lanes, piece.end - begin);
      for (uint32_t word = 0; word < one.program->inputs.size(); ++word)
        fill(one, one.program->inputs[word], begin, count, instance.input(word));
      instance.run(count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
      if (instance.was_cut()) {
        cut_[piece.draw].store(true, std::memory_order_relaxed);
        return;
      }
      store(one, begin, count, instance);
    }
  }

  // Writes the input's lanes for `count` vertices from `begin` on. `lanes` is null if the program does not read the
  // input.
  void fill(const StageDraw& one, const VertexWord& word, uint64_t begin, uint64_t count, uint32_t* lanes) const {
    if (lanes == nullptr) return;
    const uint64_t vertices = one.draw->vertex_count;
    const auto put = [&](auto&& value) {
      uint64_t instance = begin / vertices, vertex = begin % vertices;
      for (uint64_t i = 0; i < count; ++i) {
        lanes[i] = value(vertex, instance);
        if (++vertex == vertices) {
          vertex = 0;
          ++instance;
        }
      }
    };
    const VertexInputs& inputs = *one.inputs;
    switch (word.source) {
      case shader::VertexSource::attribute: {
        const VertexStream& stream = inputs.attributes[word.attribute];
        const ShaderType type = frame_.vertex_programs[inputs.program].attributes[word.attribute].type;
        const uint64_t components = shape_of(type).components();
        const uint32_t* const values = frame_.attributes.data() + stream.first + word.component;
        const uint64_t last = stream.count - 1;
        if (stream.divisor == 0)
          return put([&](uint64_t v, uint64_t) { return values[std::min(v, last) * components]; });
        return put([&](uint64_t, uint64_t i) { return values[std::min(i / stream.divisor, last) * components]; });
      }
      case shader::VertexSource::vertex:
        return put(
            [&](uint64_t v, uint64_t) { return uint32_t(v) + (word.with_base ? uint32_t(inputs.base_vertex) : 0); });
      case shader::VertexSource::instance:
        return put(
            [&](uint64_t, uint64_t i) { return uint32_t(i) + (word.with_base ? uint32_t(inputs.base_instance) : 0); });
      case shader::VertexSource::base_vertex:
        return put([&](uint64_t, uint64_t) { return uint32_t(inputs.base_vertex); });
      case shader::VertexSource::base_instance:
        return put([&](uint64_t, uint64_t) { return uint32_t(inputs.base_instance); });
      case shader::VertexSource::draw: return put([&](uint64_t, uint64_t) { return uint32_t(inputs.draw); });
      case shader::VertexSource::zero: return put([&](uint64_t, uint64_t) { return 0u; });
    }
  }

  void store(const StageDraw& one, uint64_t begin, uint64_t count, const shader::Instance& instance) {
    glm::vec4* const positions = frame_.positions.data() + one.draw->first_vertex + begin;
    for (int c = 0; c < 4; ++c) {
      const uint32_t* const values = instance.output(one.program->position + uint32_t(c));
      for (uint64_t i = 0; i < count; ++i) positions[i][c] = std::bit_cast<float>(values[i]);
    }
    if (one.results.empty()) return;
    float* const varyings =
        frame_.varyings.data() + frame_.inputs[size_t(one.draw->inputs)].first_varying + begin * one.stride;
    for (const VertexResult& result : one.results) {
      const uint32_t* const values = instance.output(result.output);
      for (uint64_t i = 0; i < count; ++i) {
        float value = std::bit_cast<float>(values[i]);
        if (result.is_color != 0) value = value > 0 ? std::min(value, 1.0f) : 0.0f;  // NaN: 0
        varyings[i * one.stride + result.component] = value;
      }
    }
  }

  Frame& frame_;
  Loading& loading_;
  const shader::ShaderKernel& kernel_;
  std::vector<CapturedVertexProgram> programs_;
  std::vector<ProgramNeeds> sizes_;  // by program
  shader::SampledTextures textures_;
  FrameTables tables_{};
  std::vector<StageDraw> draws_;
  std::vector<Piece> pieces_;
  std::vector<std::atomic<bool>> cut_;
  std::map<uint32_t, VertexFailure> failures_;
};

}  // namespace

std::string vertex_failure(const Frame& frame, const VertexInputs& inputs, const CapturedVertexProgram& program) {
  if (!program.failure.empty()) return program.failure;
  for (const uint32_t texture : program.textures) {
    if (texture >= inputs.textures.size() || inputs.textures[texture].texture < 0) continue;
    const CapturedTexture& bound = frame.captured_textures[size_t(inputs.textures[texture].texture)];
    if (!bound.stored || !bound.images.empty())
      return fmt::format("texture {} is not in the file, or drawn by the frame", inputs.textures[texture].texture);
  }
  return {};
}

std::vector<uint32_t> vertex_uniforms(const Frame& frame, const VertexInputs& inputs,
                                      const CapturedVertexProgram& program) {
  std::vector<uint32_t> words;
  for (const shader::UniformWord& word : program.uniforms) {
    const uint64_t first = word.block < 0 ? inputs.first_uniform : inputs.first_of_blocks[size_t(word.block)];
    words.push_back(word.word == shader::kNoPlace ? 0 : frame.uniforms.at(size_t(first + word.word)));
  }
  return words;
}

std::vector<shader::SamplerSlot> vertex_samplers(const VertexInputs& inputs, const CapturedVertexProgram& program,
                                                 const shader::SampledTextures& textures) {
  std::vector<shader::SamplerSlot> samplers;
  for (const uint32_t texture : program.textures) {
    const bool is_bound = texture < inputs.textures.size();
    samplers.push_back({.record = is_bound ? textures.record_of(inputs.textures[texture]) : -1});
  }
  return samplers;
}

std::vector<VertexResult> vertex_results(const Frame& frame, const DrawCommand& draw,
                                         const CapturedVertexProgram& program) {
  std::vector<VertexResult> results;
  for (const ProgramVarying& varying : frame.programs[frame.inputs[size_t(draw.inputs)].program].varyings) {
    const uint32_t words = varying.count * shape_of(varying.type).components();
    for (uint32_t word = 0; word < words; ++word) {
      bool is_color = false;
      const uint32_t output = shader::find_output(program.program, varying, word, is_color);
      if (output != shader::kNoWord) results.push_back({output, varying.offset + word, is_color ? 1u : 0u});
    }
  }
  return results;
}

std::vector<VertexFailure> run_vertex_programs(Frame& frame, Loading& loading) {
  if (frame.vertex_programs.empty()) return {};
  return VertexStage(frame, loading).run();
}

std::vector<std::string> shade_vertices(Frame& frame, const LoadOptions& load) {
  Loading loading(load);
  loading.holds(memory_of(frame), "frame");
  typed<FileError>([&] { validate(frame, loading); });
  std::vector<std::string> lines;
  for (const VertexFailure& one : run_vertex_programs(frame, loading))
    lines.push_back(
        fmt::format("vertex program {}: {}; {} of its draws cannot be shaded", one.program, one.reason, one.draws));
  return lines;
}

}  // namespace brokkr
