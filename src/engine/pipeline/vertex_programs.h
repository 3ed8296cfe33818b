// Vertex programs in the geometry stage (--vertex-stage pipeline): a warp shades the distinct vertices of a batch with
// the draw's program, as a GPU does, up to 64 at a time.
//
// Positions and varyings go to the launch's tables by vertex number, where rasterizers read them. A rasterizer that
// sees a triangle sees what the warp that set it up has written before, and that warp has shaded the triangle's three
// vertices itself. Batches that share a vertex write the same bits to the same words.
#pragma once

#include "geometry/counters.h"
#include "geometry/vertex.h"
#include "raster/edges.h"
#include "raster/program_run.h"

BROKKR_MACHINE_BEGIN

// A warp's vertex programs during one task; NoVertexPrograms (geometry/vertex.h) lists what geometry calls. `memory`:
// the warp's memory for programs, which fragment programs use in other tasks; null if the launch runs no vertex
// programs.
class VertexPrograms {
 public:
  static constexpr bool kRuns = true;

  BROKKR_FN VertexPrograms(Warp& w, const FrameTables& frame, const VertexTables& tables, ProgramMemory* memory)
      : frame_(frame), tables_(tables), memory_(memory) {
    if (memory_ != nullptr) w.once([&] { memory_->call.cut = 0; });
  }

  BROKKR_FN bool shades(const DrawRecord& draw) const { return (draw.bits & kDrawVertexProgram) != 0; }

  template <class Place>
  BROKKR_FN void shade(Warp& w, const Run& run, const uint32_t* numbers, int count, Place place) {
    const VertexRecord& record = tables_.records[run.draw->vertices];
    const ProgramRun program{frame_,
                             tables_.programs,
                             tables_.programs.programs[record.program],
                             record.program,
                             *memory_,
                             ProgramLayout(tables_.programs.sizes),
                             0,
                             0};
    for (int first = 0; first < count; first += kRunLanes) {
      const int lanes = count - first < kRunLanes ? count - first : kRunLanes;
      run_vertices(w, program, record, run, numbers + first, lanes);
      for (int g = 0; g < lanes; g += w.width) {
        const uint32_t* const position = program.outputs() + int(record.position) * kRunLanes + g;
        const auto component = [&](int c) { return as_float(w.load(position + c * kRunLanes)); };
        place(first + g, ClipVertex{component(0), component(1), component(2), component(3)}, w.first_lanes(lanes - g));
      }
      w.sync();  // the next run may overwrite the outputs
    }
    runs_ += uint32_t(count);
  }

  // Ends the task.
  BROKKR_FN void finish(Warp& w, Counters& counters) const {
    if (runs_ == 0) return;
    counters.add(w, Counter::vertex_program_runs, runs_);
    counters.add(w, Counter::vertex_loops_cut, memory_->call.cut);
  }

 private:
  // Shades vertices numbers[0 .. count - 1], at most kRunLanes. Leaves their outputs in the memory.
  BROKKR_FN_NOINLINE void run_vertices(Warp& w, const ProgramRun& program, const VertexRecord& record, const Run& run,
                                       const uint32_t* numbers, int count) {
    if (loaded_ != record.program) load_program(w, program);
    loaded_ = record.program;
    for (uint32_t i = 0; i < record.inputs; ++i)
      fill_input(w, program, tables_.inputs[record.first_input + i], run, numbers, count);
    const uint64_t lanes = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    w.once([&] {
      ProgramMemory& memory = program.memory;
      memory.call.vectors = uint32_t((count + kWidth - 1) / kWidth);
      memory.vectors = (1u << memory.call.vectors) - 1;
      memory.call.keep = lanes;
      memory.call.outputs = program.outputs();
      program.masks()[program.program.running] = lanes;
    });
    w.sync();
    execute_vertices(w, program);
    w.sync();
    store_results(w, program, record, run, numbers, count);
  }

  BROKKR_FN void fill_input(Warp& w, const ProgramRun& program, const VertexWordRecord& input, const Run& run,
                            const uint32_t* numbers, int count) const {
    uint32_t* const input_lanes = program.registers() + int(input.number) * kRunLanes;
    const uint32_t* const attributes = tables_.attributes + input.first;
    uint32_t same = input.first;
    if (input.source == VertexWordSource::instance) same += run.instance;
    if (input.source == VertexWordSource::of_instance) {
      const uint32_t element = run.instance / input.divisor;
      same = attributes[size_t(element < input.last ? element : input.last) * input.components];
    }
    for (int g = 0; g < count; g += w.width) {
      const Mask m = w.first_lanes(count - g);
      Uint value = same;
      if (input.source == VertexWordSource::vertex) value = w.load(numbers + g, m) + same;
      if (input.source == VertexWordSource::of_vertex) {
        const Int element = minimum(as_int(w.load(numbers + g, m)), Int(int(input.last)));
        value = w.gather(attributes, element * int(input.components), m);
      }
      w.store(input_lanes + g, value);
    }
  }

  // A component of a vertex colour, as its bits; NaN becomes 0.
  BROKKR_FN static uint32_t clamped_color(uint32_t word) {
    constexpr uint32_t kOne = 0x3f800000;
    const float value = float_of_bits(word);
    return value > 0 ? (value < 1 ? word : kOne) : 0u;
  }

  // Writes the positions and varyings of the vertices to the launch's tables.
  BROKKR_FN void store_results(Warp& w, const ProgramRun& program, const VertexRecord& record, const Run& run,
                               const uint32_t* numbers, int count) const {
    const auto store = [](uint32_t* address, uint32_t value) {
      device_atomic<uint32_t>(*address).store(value, kRelaxed);
    };
    const uint32_t vertices_before = run.instance * run.draw->vertex_count;
    const uint32_t results = tables_.varyings != nullptr ? record.results : 0;
    for (int g = 0; g < count; g += w.width) {
      w.for_lanes(w.first_lanes(count - g), [&](int lane) {
        const uint32_t* const outputs = program.outputs() + g + lane;
        const uint32_t number = numbers[g + lane];
        uint32_t* const position = tables_.positions + size_t(run.first_vertex + number) * 4;
        for (int c = 0; c < 4; ++c) store(position + c, outputs[(int(record.position) + c) * kRunLanes]);
        uint32_t* const varyings =
            tables_.varyings + size_t(record.first_varying) + size_t(vertices_before + number) * record.stride;
        for (uint32_t i = 0; i < results; ++i) {
          const VertexResult result = tables_.results[record.first_result + i];
          const uint32_t word = outputs[int(result.output) * kRunLanes];
          store(varyings + result.component, result.is_color != 0 ? clamped_color(word) : word);
        }
      });
    }
  }

  const FrameTables& frame_;
  const VertexTables& tables_;
  ProgramMemory* memory_;
  uint32_t loaded_ = kNoProgram;  // the program whose constants are in the memory
  uint32_t runs_ = 0;
};

BROKKR_MACHINE_END
