// Times Brokkr and its peers on one workload after another, in turns, after comparing what they draw.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/stop_signals.h"
#include "app/text.h"
#include "app/workload.h"
#include "brokkr/renderer.h"
#include "cli/bench_peer.h"
#include "log/frame_statistics.h"
#include "log/machine_facts.h"

namespace brokkr::app {

// Snapping to 1/256 pixel moves depths of triangles that the near plane cuts by up to this much.
inline constexpr double kBenchDepthTolerance = 1e-4;
inline constexpr double kBenchColorTolerance = 0.02;  // of 1; blending in 8 bits rounds differently
// The tolerance for frames with their own programs: drivers approximate filters, and a last bit can flip a threshold.
inline constexpr double kBenchProgramTolerance = 16.0 / 255;
// Percent of the pixels that may differ by more: at edges that snapping moved, and in rows where edges run through
// sample centres.
inline constexpr double kBenchMaxPercent = 0.5;

// Milliseconds of one contestant over all rounds.
struct Series {
  std::vector<double> medians, leasts;  // one per round
  void add(const std::vector<double>& samples);
  double median() const { return brokkr::median(medians); }
  double least() const;
};

// `slower` / `faster`: how many times faster the second is, round by round.
struct Ratio {
  double median = 0, low = 0, high = 0;  // over the rounds
  double least = 0;                      // of the least frames
};
Ratio ratio_of(const Series& slower, const Series& faster);

struct PeerResult {
  std::string peer, family;
  Series times;
  double depth_percent = 0, color_percent = 0;  // percent of the pixels that differ by more than the tolerances
  uint64_t memory_kib = 0;                      // the most since the frame was loaded
};

// From a file to its first picture, while peers load the frame as well.
struct Start {
  bool loaded = false;    // for this row: a frame that several rows share is loaded for the first of them
  double load_ms = 0;     // reading the file
  double prepare_ms = 0;  // Renderer::prepare
  double first_ms = 0;    // the first call of Renderer::render, with what --shaders compiled waits for
  std::string shaders;    // Statistics::shaders of that call
  ShaderWork work;
};

struct BenchRow {
  Workload workload;
  std::string error;     // where it is not empty, no other value holds
  bool cut_off = false;  // a signal came: there are fewer rounds than were asked for, or the last one is shorter
  std::string series;    // of a curve
  double x = 0;          // of a curve
  int width = 0, height = 0, layers = 1;
  uint64_t triangles = 0;
  Start start;
  Statistics statistics;    // of the last frame
  Series brokkr, launch;    // whole call of Renderer::render; the launch alone
  std::string beside_isa;   // BenchOptions::beside_isa, if `beside` has its times
  Series beside;            // whole call, as `brokkr`; its renderer counts in the memory below
  uint64_t memory_kib = 0;  // the most while frames are timed: program, frame, targets
  uint64_t peak_kib = 0;    // the most since this frame began to load, with preparation and comparison
  MachineLoad load;         // while Brokkr's own turns were timed
  std::vector<PeerResult> peers;
};

struct BenchOptions {
  RenderOptions render;
  // The CPU machine's instruction set that takes turns with the one that `render` chooses, if both run here and differ;
  // empty: none.
  std::string beside_isa;
  int frames = 15, rounds = 3;
  double turn_ms = 2000;                 // a turn of slow frames ends after this time, but draws at least three
  const StopSignals* signals = nullptr;  // what was measured before one of them is kept

  bool stopped() const { return signals != nullptr && signals->stopped(); }
};

class Bench {
 public:
  // Starts the peers. Their pictures go through `folder`.
  Bench(BenchOptions options, const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
        const std::filesystem::path& folder);

  const BenchOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<Peer>>& peers() const { return peers_; }

  // If the workload or a peer fails, the row holds the error. After a signal, it holds what was measured before it: no
  // rounds at all where that came before the first frame, and only peers that drew.
  BenchRow measure(const Workload& workload, const RenderOptions& render, Progress& progress);
  BenchRow measure(const Workload& workload, Progress& progress) {
    return measure(workload, options_.render, progress);
  }

 private:
  void load(const Workload& workload, Start& start);
  void compare(const Workload& workload, const RenderOptions& render, BenchRow& row);
  void take_turns(const Workload& workload, const RenderOptions& render, BenchRow& row);
  void begin_beside(const Workload& workload, const RenderOptions& render, BenchRow& row);

  BenchOptions options_;
  std::unique_ptr<Renderer> renderer_;  // a new one for every frame: it keeps the memory of the last launch
  std::vector<std::unique_ptr<Peer>> peers_;
  std::string loaded_;
  std::unique_ptr<Frame> frame_;
  std::optional<PreparedFrame> prepared_;
  // The same for BenchOptions::beside_isa; empty if no row has needed it for this frame.
  std::unique_ptr<Renderer> beside_renderer_;
  std::optional<PreparedFrame> beside_prepared_;
};

// The time of a frame over its triangles, pixels, workers, draws, views and overdraw.
struct CurveRun {
  nlohmann::ordered_json environment;
  std::vector<BenchRow> rows;  // `x` and `series` set; workload.group is the curve's name
};

// The curves named (none: all), in the order of their table.
CurveRun run_curves(const std::vector<std::string>& names, const BenchOptions& options,
                    const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                    const std::filesystem::path& folder, Progress& progress);

}  // namespace brokkr::app
