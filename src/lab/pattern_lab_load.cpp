// The lab's experiments on fragment maps: [Kerbl17, 3 and 4], and the search.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "lab/pattern_lab.h"
#include "lab/pattern_measures.h"
#include "lab/pattern_parallel.h"
#include "lab/pattern_partition.h"
#include "lab/pattern_search.h"

namespace brokkr::lab {
namespace {

constexpr int kSpacingBins[] = {8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 120, 160};
constexpr int kLineLengths[] = {16, 32, 64, 128};
constexpr int kAngleStep = 2;  // degrees, as [Kerbl17, Table 1] seems to have
constexpr int kLoadBins[] = {4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192};
constexpr int kMostLoadRasterizers = 64;
// Distances in bins over which the search trusts correlations of load; the first is used where no frames are left to
// choose by.
constexpr double kReaches[] = {12, 4, 7, 25, 0};
constexpr int kMostTile = 64;  // rasterizers up to which whole tiles are searched, not only row shifts

// Pieces of work whose rows are joined in their order.
Rows joined_rows(int count, int workers, const std::function<Rows(int)>& piece,
                 const std::function<void(double)>& progress) {
  std::vector<Rows> parts(static_cast<size_t>(count));
  std::mutex mutex;
  int done = 0;
  parallel_for(count, workers, [&](int i) {
    parts[size_t(i)] = piece(i);
    const std::lock_guard lock(mutex);
    progress(double(++done) / count);
  });
  Rows rows;
  for (Rows& part : parts) std::move(part.begin(), part.end(), std::back_inserter(rows));
  return rows;
}

// A map that a search trains on or scores with.
struct Sample {
  const FragmentMap* map;
  std::string group;
  BinLoads bins;
  RowKernel kernel;                // to score with
  std::vector<RowKernel> general;  // to train on, one per reach
};

// The maps of all frames, with kernels for bins of `bin` pixels and tiles of `rasterizers` columns.
std::vector<Sample> samples_of(const std::vector<std::unique_ptr<LabFrame>>& frames, int rasterizers, int bin,
                               int workers) {
  std::vector<Sample> samples;
  for (const auto& frame : frames) {
    for (const FragmentMap& map : frame->maps) samples.push_back({&map, frame->group, bin_loads(map, bin), {}, {}});
  }
  int rows = 1;  // of the tile, that any frame shows
  for (const Sample& s : samples) rows = std::max(rows, std::min(s.bins.y, rasterizers));
  parallel_for(int(samples.size()), workers, [&](int i) {
    Sample& s = samples[size_t(i)];
    s.kernel = row_kernel(s.bins, rasterizers, rows);
    for (const double reach : kReaches) s.general.push_back(general_kernel(s.kernel, std::min(rows, s.bins.y), reach));
  });
  return samples;
}

// Names of the samples that do not belong to the group `out`.
std::string names_without(const std::vector<Sample>& samples, const std::string& out) {
  std::string names;
  for (const Sample& s : samples) {
    if (s.group != out) names += (names.empty() ? "" : "+") + s.map->name;
  }
  return names;
}

}  // namespace

Rows PatternLab::spacing(const LabFrame& frame) {
  Rows rows;
  for (const FragmentMap& map : frame.maps) {
    for (const int bin : kSpacingBins) {
      for (const SpacingStep& s : spacing_steps(map, bin)) {
        const double ratio = s.reference > 0 ? s.sigma / s.reference : NAN;
        rows.push_back(row(map.name, bin, s.distance, s.distance * bin, map.height, s.sigma, ratio));
      }
    }
  }
  return rows;
}

Rows PatternLab::orientation(const LabFrame& frame) {
  const int angles = 180 / kAngleStep, step = options_.quick ? 4 : 1;
  Rows rows;
  for (const FragmentMap& map : frame.maps) {
    for (const int samples : kLineLengths) {
      const auto piece = [&](int i) {
        const double sigma = orientation_sigma(map, samples, i * kAngleStep, step);
        return sigma > 0 ? Rows{row(map.name, samples, i * kAngleStep, sigma)} : Rows{};
      };
      for (Row& r : joined_rows(angles, options_.workers, piece,
                                [&](double share) { say("lines of " + std::to_string(samples), share); }))
        rows.push_back(std::move(r));
    }
  }
  return rows;
}

Rows PatternLab::load(const LabFrame& frame) {
  const int seeds = options_.quick ? 2 : 5;
  Rows rows;
  for (const FragmentMap& map : frame.maps) {
    std::vector<BinLoads> grids;
    for (const int bin : kLoadBins) grids.push_back(bin_loads(map, bin));
    const auto piece = [&](int i) {
      const int rasterizers = kMostLoadRasterizers - i;  // the long ones first
      Rows part;
      for (const BinLoads& grid : grids) {
        for (const auto& info : Choices<PatternKind>::all) {
          const PatternLoad l = pattern_load(book_, info.value, rasterizers, grid, options_.seed, seeds);
          part.push_back(row(map.name, info.name, rasterizers, grid.bin, l.sigma, l.cv, l.imbalance));
        }
      }
      return part;
    };
    for (Row& r :
         joined_rows(kMostLoadRasterizers - 1, options_.workers, piece, [&](double share) { say("patterns", share); }))
      rows.push_back(std::move(r));
  }
  return rows;
}

Rows PatternLab::partition(const LabFrame& frame) {
  PartitionOptions options;
  options.finest = options_.quick ? 500 : 10000;
  options.sample = options_.quick ? 100 : 1000;
  options.workers = options_.workers;
  const std::vector<Partition> partitions =
      partition_frame(frame.frame, options, [&](double share) { say("batches", share); });
  const Target& target = frame.frame.targets[main_target(frame.frame)];
  const int x = (target.width + kPartitionBin - 1) / kPartitionBin,
            y = (target.height + kPartitionBin - 1) / kPartitionBin;
  struct Setting {
    int rasterizers, bin;
  };
  constexpr Setting kSettings[] = {{6, 16}, {20, 16}, {20, 64}, {60, 64}};
  constexpr PatternKind kKinds[] = {PatternKind::diagonal,       PatternKind::z_curve,
                                    PatternKind::hilbert,        PatternKind::pseudo_random,
                                    PatternKind::x_shift_offset, PatternKind::hierarchical_maximized_distance,
                                    PatternKind::sudoku,         PatternKind::van_der_corput};
  Rows rows;
  for (const Setting& s : kSettings) {
    for (const PatternKind kind : kKinds) {
      const auto pattern = book_.get(kind, s.rasterizers, x, y, options_.seed);
      for (const Partition& p : partitions) {
        rows.push_back(row(frame.name, pattern_name(kind), s.rasterizers, s.bin, p.batches, p.loads.size(),
                           mean_cv(*pattern, p, x, s.bin)));
      }
    }
  }
  return rows;
}

std::filesystem::path PatternLab::searched_file(int rasterizers, int bin, const std::string& left_out) const {
  return options_.folder / "searched" /
         ("searched-" + std::to_string(rasterizers) + "-" + std::to_string(bin) +
          (left_out.empty() ? "" : "-without-" + left_out) + ".json");
}

// Cross-validation: for every application a pattern is trained on the frames of all others and scored on its own. A
// last pattern, for use, is trained on all frames. How far correlations reach is chosen among the training frames, by
// leaving out one of their applications after the other.
Rows PatternLab::search(int rasterizers, int bin) {
  const std::vector<Sample> samples = samples_of(frames_, rasterizers, bin, options_.workers);
  std::set<std::string> groups;
  for (const Sample& s : samples) groups.insert(s.group);
  const auto start = book_.get(PatternKind::van_der_corput, rasterizers, 1, 1, 1);
  const bool tiles = rasterizers <= kMostTile;
  const uint64_t trial_moves = options_.quick ? 20000 : 60000, shift_moves = options_.quick ? 60000 : 1000000,
                 tile_moves = options_.quick ? 300000 : 6000000;
  const auto joined = [&](size_t reach, const std::string& out, const std::string& out_too) {
    std::vector<const RowKernel*> kernels;
    for (const Sample& s : samples) {
      if (s.group != out && s.group != out_too) kernels.push_back(&s.general[reach]);
    }
    return joined_kernel(kernels, *start);
  };
  const auto shifts_for = [&](const RowKernel& kernel, uint64_t moves) {
    return search_pattern(kernel, *start, {SearchFamily::shifts, moves, options_.seed});
  };
  // The mean over the training frames of log(c_v / c_v of Van der Corput); no frame is scored with a pattern that was
  // trained on it.
  const auto trial = [&](size_t reach, const std::string& out) {
    double sum = 0;
    for (const std::string& group : groups) {
      if (group == out) continue;
      const Pattern pattern = shifts_for(joined(reach, out, group), trial_moves);
      for (const Sample& s : samples) {
        if (s.group != group) continue;
        const double cv = pattern_load(pattern, s.bins).cv, usual = pattern_load(*start, s.bins).cv;
        if (cv > 0 && usual > 0) sum += std::log(cv / usual);
      }
    }
    return sum;
  };
  std::vector<std::string> folds{""};  // nothing left out
  if (groups.size() > 1) folds.insert(folds.end(), groups.begin(), groups.end());
  std::filesystem::create_directories(options_.folder / "searched");

  const auto piece = [&](int i) {
    const std::string& out = folds[size_t(i)];
    size_t reach = 0;
    if (groups.size() > (out.empty() ? 1u : 2u)) {
      std::vector<double> scores;
      for (size_t r = 0; r < std::size(kReaches); ++r) scores.push_back(trial(r, out));
      reach = size_t(std::min_element(scores.begin(), scores.end()) - scores.begin());
    }
    const std::string trained = names_without(samples, out);
    const RowKernel kernel = joined(reach, out, out);
    const Pattern shifts = shifts_for(kernel, shift_moves);
    const Pattern best =
        tiles ? search_pattern(kernel, shifts, {SearchFamily::tile, tile_moves, options_.seed}) : shifts;
    save_pattern(searched_file(rasterizers, bin, out),
                 {searched_file(rasterizers, bin, out).stem().string(),
                  "simulated annealing on " + trained + ", bins of " + std::to_string(bin) + " pixels", best});
    Rows scores;
    for (const Sample& s : samples) {
      const bool unseen = s.group == out;
      if (!out.empty() && !unseen) continue;
      const auto add = [&](const std::string& what, const PatternLoad& l) {
        scores.push_back(
            row(rasterizers, bin, s.map->name, what, unseen ? 1 : 0, kReaches[reach], trained, l.cv, l.imbalance));
      };
      add("searched-shifts", pattern_load(shifts, s.bins));
      if (tiles) add("searched", pattern_load(best, s.bins));
      for (const auto& info : Choices<PatternKind>::all)
        add(info.name, pattern_load(book_, info.value, rasterizers, s.bins, options_.seed, options_.quick ? 2 : 5));
    }
    return scores;
  };
  return joined_rows(int(folds.size()), options_.workers, piece, [&](double share) { say("folds", share); });
}

}  // namespace brokkr::lab
