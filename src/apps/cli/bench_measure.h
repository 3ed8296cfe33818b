// Times Brokkr and its peers in turns, workload by workload, after comparing their pictures.
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

// Snapping to 1/256 pixel changes the depths of triangles that the near plane cuts by up to this amount.
inline constexpr double kBenchDepthTolerance = 1e-4;
inline constexpr double kBenchColorTolerance = 0.02;  // of 1; blending in 8 bits rounds differently
// The tolerance for frames with their own programs: drivers approximate filters, and one bit can flip a threshold.
inline constexpr double kBenchProgramTolerance = 16.0 / 255;
// The percentage of pixels that may differ by more, at edges that snapping moved and in rows where edges pass through
// sample centres.
inline constexpr double kBenchMaxPercent = 0.5;

// The frame times of one contestant over all rounds, in milliseconds.
struct Series {
  std::vector<double> medians, leasts;  // one per round
  void add(const std::vector<double>& samples);
  double median() const { return brokkr::median(medians); }
  double least() const;
};

// `slower` / `faster`: the factor by which the second is faster, for each round.
struct Ratio {
  double median = 0, low = 0, high = 0;  // over the rounds
  double least = 0;                      // ratio of the minimum frame times
};
Ratio ratio_of(const Series& slower, const Series& faster);

struct PeerResult {
  std::string peer, family;
  Series times;
  double depth_percent = 0, color_percent = 0;  // percentage of pixels that differ by more than the tolerances
  uint64_t memory_kib = 0;                      // peak since the frame was loaded
};

// The time from a file to its first picture, while peers also load the frame.
struct Start {
  bool loaded = false;    // true if this row loaded the frame; rows that share a frame load it once
  double load_ms = 0;     // reading the file
  double prepare_ms = 0;  // Renderer::prepare
  double first_ms = 0;    // first call of Renderer::render, including any wait for the compiler (--shaders compiled)
  std::string shaders;    // Statistics::shaders of that call
  ShaderWork work;
};

struct BenchRow {
  Workload workload;
  std::string error;     // if not empty, no other value is valid
  bool cut_off = false;  // a signal came: rounds are missing, or the last one is shorter
  std::string series;    // for a row of a curve
  double x = 0;          // for a row of a curve
  int width = 0, height = 0, layers = 1;
  uint64_t triangles = 0;
  Start start;
  Statistics statistics;    // of the last frame
  Series brokkr, launch;    // the whole call of Renderer::render; only the launch
  std::string beside_isa;   // BenchOptions::beside_isa, if `beside` has its times
  Series beside;            // the whole call, as in `brokkr`; its renderer counts in the memory below
  uint64_t memory_kib = 0;  // peak while frames are timed: program, frame, targets
  uint64_t peak_kib = 0;    // peak since this frame began to load, including preparation and comparison
  MachineLoad load;         // while Brokkr's own turns were timed
  std::vector<PeerResult> peers;
};

struct BenchOptions {
  RenderOptions render;
  // A second instruction set of the CPU machine that alternates with the one that `render` chooses, if both run here
  // and differ. Empty: none.
  std::string beside_isa;
  int frames = 15, rounds = 3;
  double turn_ms = 2000;                 // a turn of slow frames ends after this time, but draws at least three
  const StopSignals* signals = nullptr;  // after a signal, results so far are kept

  bool stopped() const { return signals != nullptr && signals->stopped(); }
};

class Bench {
 public:
  // Starts the peers, which exchange pictures through `folder`.
  Bench(BenchOptions options, const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
        const std::filesystem::path& folder);

  const BenchOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<Peer>>& peers() const { return peers_; }

  // Measures one workload. If the workload or a peer fails, the row holds the error. After a signal, the row holds the
  // results so far: no rounds if the signal came before the first frame, and only peers that drew.
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
  std::unique_ptr<Renderer> renderer_;  // created for every frame, because it keeps the memory of the last launch
  std::vector<std::unique_ptr<Peer>> peers_;
  std::string loaded_;
  std::unique_ptr<Frame> frame_;
  std::optional<PreparedFrame> prepared_;
  // As above, for BenchOptions::beside_isa; empty if no row of this frame has needed it.
  std::unique_ptr<Renderer> beside_renderer_;
  std::optional<PreparedFrame> beside_prepared_;
};

// The frame time as a function of triangles, pixels, workers, draws, views and overdraw.
struct CurveRun {
  nlohmann::ordered_json environment;
  std::vector<BenchRow> rows;  // with `x` and `series`; workload.group is the curve's name
};

// Runs the named curves (none: all), in the order of the table of curves.
CurveRun run_curves(const std::vector<std::string>& names, const BenchOptions& options,
                    const std::vector<PeerSetup>& peers, const std::filesystem::path& program,
                    const std::filesystem::path& folder, Progress& progress);

}  // namespace brokkr::app
