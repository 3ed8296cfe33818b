// The pattern lab: every experiment of [Kerbl17] on any set of frames, a search for better patterns, and the cost of
// small bins.
//
// Work is cut into units (mostly one per frame). The rows of a finished unit are a file of their own in FOLDER/parts,
// with a key of everything that they depend on: a lab that was interrupted goes on where it was.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "lab/pattern_measures.h"
#include "lab/result_table.h"

namespace brokkr::lab {

struct PatternLabOptions {
  std::filesystem::path folder;  // results; made where it is missing
  uint32_t seed = 1;
  bool quick = false;    // fewer seeds, rows, batches, runs and moves; for some minutes in all
  int workers = 0;       // threads; 0: all cores
  RenderOptions render;  // machine, instruction set, policy and so on of the pipeline experiments
};

struct LabFrame {
  std::string name;   // of the file, without folder and ending
  std::string group;  // frames of one application: a search never scores on one after training on another
  Frame frame;
  std::optional<PreparedFrame> prepared;  // refers to `frame`
  std::vector<FragmentMap> maps;
  uint64_t hash = 0;  // of the maps
};

// What the experiments work with.
struct PatternBench {
  PatternLabOptions options;
  Renderer renderer;
  PatternBook book;
  std::vector<std::unique_ptr<LabFrame>> frames;
  std::function<void(const std::string& what, double share)> say;  // progress of a unit; a share of 0 .. 1 is done
};

// A part of an experiment, whose rows are kept.
struct PatternUnit {
  std::string name;
  const LabFrame* frame;  // the rows depend on this one; nullptr: on all frames
  std::function<Rows()> run;
};

struct PatternExperiment {
  const char* name;
  const char* figure;  // of [Kerbl17]; "" for an experiment without one
  const char* title;
  const char* columns;  // "a,b,c"
  bool on_machine;      // rows depend on the pipeline's machine
  std::vector<PatternUnit> (*units)(PatternBench& bench);
  // Instead of units: rows that follow from those of the experiment with costs.
  Rows (*conclude)(PatternBench& bench, const Rows& costs) = nullptr;
};
// In the order in which they run: spacing, orientation, load, partition, search, pipeline, blocks, cost, recommend.
std::span<const PatternExperiment> pattern_experiments();

class PatternLab {
 public:
  using Progress = std::function<void(const std::string&)>;
  PatternLab(PatternLabOptions options, Progress progress);

  // Renders the frame's fragment map. Throws std::runtime_error for a frame without fragments.
  void add(const std::string& name, Frame frame);
  const std::vector<std::unique_ptr<LabFrame>>& frames() const { return bench_.frames; }

  // Runs the units that are not done yet and writes FOLDER/patterns-NAME.csv. Returns its rows. Throws
  // std::invalid_argument for an unknown name.
  Rows run(const std::string& experiment);

  // Units of `run` that were found finished.
  int reused() const { return reused_; }

 private:
  Rows rows_of(const PatternExperiment& experiment, const PatternUnit& unit);

  PatternBench bench_;
  Progress progress_;
  std::string now_;  // the unit that runs, for progress
  int reused_ = 0;
};

// "0ad" of "0ad-acropolis-bay", "generated" of "generated:city": what comes before the first - : or .
std::string group_of(const std::string& name);

}  // namespace brokkr::lab
