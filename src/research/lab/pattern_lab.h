// The pattern lab: all experiments of [Kerbl17] on any set of frames, a search for better patterns, and the cost of
// small bins.
//
// Work is divided into units, usually one per frame. The rows of a finished unit are stored in a file in FOLDER/parts,
// with a key of everything that they depend on, so an interrupted lab continues where it stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "lab/experiment.h"
#include "lab/pattern_measures.h"

namespace brokkr::lab {

struct PatternLabOptions {
  std::filesystem::path folder;  // output folder, created if missing
  uint32_t seed = 1;
  bool quick = false;    // fewer seeds, rows, batches, runs and moves; takes a few minutes in total
  int workers = 0;       // threads; 0: all cores
  RenderOptions render;  // options of the pipeline experiments: machine, instruction set, policy and so on
};

struct LabFrame {
  std::string name;   // file name without folder and extension
  std::string group;  // application of the frame: a search never scores on a group that it was trained on
  Frame frame;
  std::optional<PreparedFrame> prepared;  // refers to `frame`
  std::vector<FragmentMap> maps;
  uint64_t hash = 0;  // hash of the maps
};

// Shared data of the experiments.
struct PatternBench {
  PatternLabOptions options;
  Renderer renderer;
  PatternBook book;
  std::vector<std::unique_ptr<LabFrame>> frames;
  // reports progress of a unit; share is the fraction done
  std::function<void(const std::string& what, double share)> say;
};

// A part of an experiment whose rows are stored.
struct PatternUnit {
  std::string name;
  const LabFrame* frame;  // the frame that the rows depend on; nullptr: all frames
  std::function<Rows()> run;
};

struct PatternExperiment {
  const char* name;
  const char* figure;  // in [Kerbl17]; "" if there is none
  const char* title;
  const char* columns;  // "a,b,c"
  bool on_machine;      // rows depend on the pipeline's machine
  std::vector<PatternUnit> (*units)(PatternBench& bench);
  // Replaces units: derives rows from those of the cost experiment.
  Rows (*conclude)(PatternBench& bench, const Rows& costs) = nullptr;
  const char* paper = "";  // the finding of [Kerbl17]
};
// In running order: spacing, orientation, load, partition, search, pipeline, blocks, cost, recommend, cover.
std::span<const PatternExperiment> pattern_experiments();

class PatternLab {
 public:
  using Progress = std::function<void(const std::string&)>;
  PatternLab(PatternLabOptions options, Progress progress);

  // Renders the frame's fragment map. Throws std::runtime_error for a frame without fragments.
  void add(const std::string& name, Frame frame);
  const std::vector<std::unique_ptr<LabFrame>>& frames() const { return bench_.frames; }

  // Runs the unfinished units and writes FOLDER/patterns-NAME.csv. Returns its rows. Throws std::invalid_argument for
  // an unknown name.
  Rows run(const std::string& experiment);

  // The number of units that `run` found finished.
  int reused() const { return reused_; }

 private:
  Rows rows_of(const PatternExperiment& experiment, const PatternUnit& unit);

  PatternBench bench_;
  Progress progress_;
  std::string now_;  // name of the running unit, for progress reports
  int reused_ = 0;
};

// The part of a name before the first - : or . ("0ad" for "0ad-acropolis-bay", "generated" for "generated:city").
std::string group_of(const std::string& name);

}  // namespace brokkr::lab
