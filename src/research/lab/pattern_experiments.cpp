// The experiments of the pattern lab: [Kerbl17, 3 and 4] and the search on fragment maps, [Kerbl17, 5] and the cost of
// small bins in the pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "base/file_io.h"
#include "base/processors.h"
#include "lab/covered_bins.h"
#include "lab/pattern_lab.h"
#include "lab/pattern_partition.h"
#include "lab/pattern_search.h"
#include "log/frame_statistics.h"

namespace brokkr::lab {
namespace {

constexpr int kSpacingBins[] = {8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 120, 160};
constexpr int kLineLengths[] = {16, 32, 64, 128};
constexpr int kAngleStep = 2;  // degrees; [Kerbl17, Table 1] seems to use the same step
constexpr int kLoadBins[] = {4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 192};
constexpr int kMaxLoadRasterizers = 64;
// Distances in bins over which the search trusts correlations of load. The first is used if no frames are left to
// choose it by.
constexpr double kReaches[] = {12, 4, 7, 25, 0};
constexpr int kMaxTile = 64;  // largest number of rasterizers for which whole tiles are searched, not only row shifts

constexpr int kTableRasterizers[] = {6, 20, 60, 132, 264};
constexpr int kTableBins[] = {16, 64};
constexpr int kCostBins[] = {8, 16, 32, 64, 128, 256};
constexpr const char* kThisComputer = "this computer";
constexpr int kBlocks = 20;  // number of blocks, as in [Kerbl18, Fig. 7.13]

constexpr const char* kCostColumns =
    "frame,shading,machine,isa,bin,rasterizers,asked,pattern,triangles,rasterizer_pairs,bin_pairs,queue_elements,"
    "queue_bytes,queue_peak,visits,geometry_ms,raster_ms,simulated_ms,frame_ms";

// Runs pieces of work on several threads and joins their rows in order.
Rows joined_rows(const PatternBench& bench, const std::string& what, int count, const std::function<Rows(int)>& piece) {
  std::vector<Rows> parts(static_cast<size_t>(count));
  std::mutex mutex;
  int done = 0;
  parallel_for(count, bench.options.workers, [&](int i) {
    parts[size_t(i)] = piece(i);
    const std::lock_guard lock(mutex);
    bench.say(what, double(++done) / count);
  });
  Rows rows;
  for (Rows& part : parts) append(rows, std::move(part));
  return rows;
}

Rows spacing(PatternBench&, LabFrame& frame) {
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

Rows orientation(PatternBench& bench, LabFrame& frame) {
  const int step = bench.options.quick ? 4 : 1;
  Rows rows;
  for (const FragmentMap& map : frame.maps) {
    for (const int samples : kLineLengths) {
      append(rows, joined_rows(bench, "lines of " + std::to_string(samples), 180 / kAngleStep, [&](int i) {
               const double sigma = orientation_sigma(map, samples, i * kAngleStep, step);
               return sigma > 0 ? Rows{row(map.name, samples, i * kAngleStep, sigma)} : Rows{};
             }));
    }
  }
  return rows;
}

Rows load(PatternBench& bench, LabFrame& frame) {
  Rows rows;
  for (const FragmentMap& map : frame.maps) {
    std::vector<BinLoads> grids;
    for (const int bin : kLoadBins) grids.push_back(bin_loads(map, bin));
    append(rows, joined_rows(bench, "patterns", kMaxLoadRasterizers - 1, [&](int i) {
             const int rasterizers = kMaxLoadRasterizers - i;  // start the long ones first
             Rows part;
             for (const BinLoads& grid : grids) {
               for (const auto& info : Choices<PatternKind>::all) {
                 const LoadStatistics l = pattern_load(bench.book, info.value, rasterizers, grid, bench.options.seed,
                                                       bench.options.quick ? 2 : 5);
                 part.push_back(row(map.name, info.name, rasterizers, grid.bin, l.deviation, l.cv, l.imbalance));
               }
             }
             return part;
           }));
  }
  return rows;
}

Rows partition(PatternBench& bench, LabFrame& frame) {
  PartitionOptions options;
  options.finest = bench.options.quick ? 500 : 10000;
  options.sample = bench.options.quick ? 100 : 1000;
  options.workers = bench.options.workers;
  const std::vector<Partition> partitions =
      partition_frame(frame.frame, options, [&](double share) { bench.say("batches", share); });
  const Target& target = frame.frame.targets[main_target(frame.frame)];
  const int x = (target.width + kPartitionBin - 1) / kPartitionBin,
            y = (target.height + kPartitionBin - 1) / kPartitionBin;
  constexpr PatternKind kKinds[] = {PatternKind::diagonal,       PatternKind::z_curve,
                                    PatternKind::hilbert,        PatternKind::pseudo_random,
                                    PatternKind::x_shift_offset, PatternKind::hierarchical_maximized_distance,
                                    PatternKind::sudoku,         PatternKind::van_der_corput};
  Rows rows;
  for (const auto& [rasterizers, bin] : {std::pair{6, 16}, {20, 16}, {20, 64}, {60, 64}}) {
    for (const PatternKind kind : kKinds) {
      const auto pattern = bench.book.get(kind, rasterizers, x, y, bench.options.seed);
      for (const Partition& p : partitions) {
        rows.push_back(row(frame.name, pattern_name(kind), rasterizers, bin, p.batches, p.loads.size(),
                           mean_cv(*pattern, p, x, bin)));
      }
    }
  }
  return rows;
}

std::filesystem::path searched_file(const PatternBench& bench, int rasterizers, int bin, const std::string& left_out) {
  return bench.options.folder / "searched" /
         fmt::format("searched-{}-{}{}{}.json", rasterizers, bin, left_out.empty() ? "" : "-without-", left_out);
}

// The searched pattern that was not trained on this frame's application, if there is one.
SavedPatternPointer searched_pattern(const PatternBench& bench, const LabFrame& frame, int rasterizers, int bin) {
  const std::filesystem::path path = searched_file(bench, rasterizers, bin, frame.group);
  return is_there(path) ? std::make_shared<const SavedPattern>(load_pattern(path)) : nullptr;
}

// A map for training or scoring of a search.
struct Sample {
  const FragmentMap* map;
  std::string group;
  BinLoads bins;
  RowKernel kernel;                // for scoring
  std::vector<RowKernel> general;  // for training, one per reach
};

// The maps of all frames, with kernels for bins of `bin` pixels and tiles of `rasterizers` columns.
std::vector<Sample> samples_of(const PatternBench& bench, int rasterizers, int bin) {
  std::vector<Sample> samples;
  for (const auto& frame : bench.frames) {
    for (const FragmentMap& map : frame->maps) samples.push_back({&map, frame->group, bin_loads(map, bin), {}, {}});
  }
  int rows = 1;  // rows of the tile that some frame shows
  for (const Sample& s : samples) rows = std::max(rows, std::min(s.bins.y, rasterizers));
  parallel_for(int(samples.size()), bench.options.workers, [&](int i) {
    Sample& s = samples[size_t(i)];
    s.kernel = row_kernel(s.bins, rasterizers, rows);
    for (const double reach : kReaches) s.general.push_back(general_kernel(s.kernel, std::min(rows, s.bins.y), reach));
  });
  return samples;
}

// The names of all samples outside the group `out`.
std::string names_without(const std::vector<Sample>& samples, const std::string& out) {
  std::string names;
  for (const Sample& s : samples) {
    if (s.group != out) names += (names.empty() ? "" : "+") + s.map->name;
  }
  return names;
}

// Cross-validation: for each application, a pattern is trained on the frames of all others and scored on the frames of
// this one. The final pattern is trained on all frames. The reach of correlations is chosen among the training frames
// by leaving out one of their applications at a time.
Rows search(PatternBench& bench, int rasterizers, int bin) {
  const PatternLabOptions& o = bench.options;
  const std::vector<Sample> samples = samples_of(bench, rasterizers, bin);
  std::set<std::string> groups;
  for (const Sample& s : samples) groups.insert(s.group);
  const auto start = bench.book.get(PatternKind::van_der_corput, rasterizers, 1, 1, 1);
  const bool tiles = rasterizers <= kMaxTile;
  const uint64_t trial_moves = o.quick ? 20000 : 60000, shift_moves = o.quick ? 60000 : 1000000,
                 tile_moves = o.quick ? 300000 : 6000000;
  const auto joined = [&](size_t reach, const std::string& out, const std::string& out_too) {
    std::vector<const RowKernel*> kernels;
    for (const Sample& s : samples) {
      if (s.group != out && s.group != out_too) kernels.push_back(&s.general[reach]);
    }
    return joined_kernel(kernels, *start);
  };
  const auto shifts_for = [&](const RowKernel& kernel, uint64_t moves) {
    return search_pattern(kernel, *start, {SearchFamily::shifts, moves, o.seed});
  };
  // The mean over the training frames of log(c_v / c_v of Van der Corput). No frame is scored with a pattern trained on
  // it.
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
  std::vector<std::string> folds{""};  // "": no application is left out
  if (groups.size() > 1) folds.insert(folds.end(), groups.begin(), groups.end());
  make_folder(o.folder / "searched");

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
    const Pattern best = tiles ? search_pattern(kernel, shifts, {SearchFamily::tile, tile_moves, o.seed}) : shifts;
    const std::filesystem::path file = searched_file(bench, rasterizers, bin, out);
    save_pattern(file, {file.stem().string(),
                        "simulated annealing on " + trained + ", bins of " + std::to_string(bin) + " pixels", best});
    Rows scores;
    for (const Sample& s : samples) {
      const bool unseen = s.group == out;
      if (!out.empty() && !unseen) continue;
      const auto add = [&](const std::string& what, const LoadStatistics& l) {
        scores.push_back(
            row(rasterizers, bin, s.map->name, what, unseen ? 1 : 0, kReaches[reach], trained, l.cv, l.imbalance));
      };
      add("searched-shifts", pattern_load(shifts, s.bins));
      if (tiles) add("searched", pattern_load(best, s.bins));
      for (const auto& info : Choices<PatternKind>::all)
        add(info.name, pattern_load(bench.book, info.value, rasterizers, s.bins, o.seed, o.quick ? 2 : 5));
    }
    return scores;
  };
  return joined_rows(bench, "folds", int(folds.size()), piece);
}

// The settings of a pipeline experiment, and the pattern's name for each.
struct Settings {
  RenderOptions base;
  std::vector<RenderOptions> options = {};
  std::vector<std::string> pattern = {};

  void add(const char* name, const PatternChoice& choice, int rasterizers, int bin) {
    RenderOptions& o = options.emplace_back(base);
    o.pattern = choice;
    o.rasterizers = rasterizers;
    o.bin = bin;
    // If the pipeline chooses the number of rasterizers, only the whole launch is timed.
    if (rasterizers > 0) o.trace = o.thread_time = true;
    pattern.emplace_back(name);
  }
  // Adds the patterns of [Kerbl17, Table 2] and the searched one.
  void add_contenders(const PatternBench& bench, const LabFrame& frame, int rasterizers, int bin) {
    for (const PatternKind kind :
         {PatternKind::diagonal, PatternKind::hilbert, PatternKind::hierarchical_maximized_distance,
          PatternKind::x_shift_offset, PatternKind::van_der_corput})
      add(name_of(kind), kind, rasterizers, bin);
    if (const auto searched = searched_pattern(bench, frame, rasterizers, bin))
      add("searched", searched, rasterizers, bin);
  }
};

RenderOptions base_options(const PatternBench& bench, Shading shading, OrderMode order) {
  RenderOptions o = bench.options.render;
  o.shading = shading;
  o.order = order;
  o.frame_budget_ms = 0;
  // The measurement concerns the effect of patterns on queues and visits.
  if (o.small_triangles == SmallTriangles::automatic) o.small_triangles = SmallTriangles::queue;
  return o;
}

std::vector<RasterizerWork> measured(PatternBench& bench, LabFrame& frame, const Settings& settings, int runs) {
  const double launches = double(settings.options.size()) * runs;
  return measure_work(bench.renderer, *frame.prepared, settings.options, runs,
                      [&](size_t i) { bench.say("launches", double(i) / launches); });
}

Rows pipeline(PatternBench& bench, LabFrame& frame, OrderMode order) {
  Settings settings{base_options(bench, Shading::multiply_add, order)};
  for (const int rasterizers : kTableRasterizers) {
    for (const int bin : kTableBins) settings.add_contenders(bench, frame, rasterizers, bin);
  }
  const std::vector<RasterizerWork> all = measured(bench, frame, settings, bench.options.quick ? 2 : 5);
  const Target& target = frame.frame.targets[main_target(frame.frame)];
  Rows rows;
  for (size_t i = 0; i < all.size(); ++i) {
    const RasterizerWork& w = all[i];
    const Statistics& s = w.statistics;
    const LoadStatistics map = pattern_load(bench.book, settings.options[i].pattern, s.rasterizers,
                                            bin_loads(frame.maps.front(), s.bin), 1, 1);
    const LoadStatistics counted = load_statistics(s.rasterizer_fragments);
    rows.push_back(row(frame.name, target.width, target.height, order == OrderMode::strict ? "forward" : "visible",
                       s.machine, s.isa, s.rasterizers, s.bin, settings.pattern[i], w.critical(), w.least_ms(),
                       w.total(), w.geometry_ms, counted.max_load, counted.total, w.cv(), counted.cv, map.cv,
                       map.imbalance));
  }
  return rows;
}

Rows blocks(PatternBench& bench, LabFrame& frame) {
  Settings settings{base_options(bench, Shading::multiply_add, OrderMode::strict)};
  settings.base.ownership = Ownership::fixed;
  settings.add_contenders(bench, frame, kBlocks, 64);
  const std::vector<RasterizerWork> works = measured(bench, frame, settings, bench.options.quick ? 2 : 5);
  Rows rows;
  for (size_t i = 0; i < works.size(); ++i) {
    const Statistics& s = works[i].statistics;
    const std::vector<BlockShare> simulated = simulated_blocks(works[i].ms, works[i].geometry_ms);
    for (size_t b = 0; b < std::max(simulated.size(), s.block_times.size()); ++b) {
      const BlockShare share = b < simulated.size() ? simulated[b] : BlockShare{NAN, NAN, NAN};
      const auto ran = [&](Stage stage) { return b < s.block_times.size() ? s.block_times[b].ms[size_t(stage)] : NAN; };
      rows.push_back(row(frame.name, settings.pattern[i], s.machine, s.isa, kBlocks, s.bin, b, share.geometry_ms,
                         share.raster_ms, share.idle_ms, ran(Stage::geometry), ran(Stage::rasterize),
                         ran(Stage::idle)));
    }
  }
  return rows;
}

Rows cost(PatternBench& bench, LabFrame& frame, Shading shading) {
  Settings settings{base_options(bench, shading, OrderMode::automatic)};
  for (const int bin : kCostBins) {
    for (const int rasterizers : kTableRasterizers)
      settings.add("van-der-corput", PatternKind::van_der_corput, rasterizers, bin);
    // The computer in normal use: any block works for any rasterizer, and the pipeline chooses the number of
    // rasterizers.
    settings.add_contenders(bench, frame, 0, bin);
  }
  const int runs = bench.options.quick ? (shading == Shading::flat ? 3 : 2) : 7;
  const std::vector<RasterizerWork> works = measured(bench, frame, settings, runs);
  Rows rows;
  for (size_t i = 0; i < works.size(); ++i) {
    const RasterizerWork& w = works[i];
    const Statistics& s = w.statistics;
    const int asked = settings.options[i].rasterizers;
    rows.push_back(row(frame.name, name_of(shading), s.machine, s.isa, s.bin, s.rasterizers, asked, settings.pattern[i],
                       s.triangles_out, s.triangle_rasterizer_pairs, s.triangle_bin_pairs, s.queue_elements,
                       8 * s.queue_elements, s.queue_peak, s.visits, w.geometry_ms, w.total(),
                       asked > 0 ? w.critical() : NAN, median(w.frame_ms)));
  }
  return rows;
}

// Makes recommendations for two kinds of machine. "This computer" is judged by the measured times with the pipeline's
// number of rasterizers. A machine with one statically assigned processor per rasterizer is judged by the measured work
// at that bin size, distributed as the pattern distributes the frame's fragments.
Rows recommend(PatternBench& bench, const Rows& costs) {
  const Row columns = split(kCostColumns);
  const auto cell_of = [&](const Row& r, const char* column) {
    return r[size_t(std::find(columns.begin(), columns.end(), column) - columns.begin())];
  };
  using Choice = std::pair<int, std::string>;                                                   // bin, pattern
  std::map<std::pair<std::string, std::string>, std::map<Choice, std::vector<double>>> log_ms;  // machine, shading
  for (const auto& frame : bench.frames) {
    std::map<int, BinLoads> grids;
    for (const int bin : kCostBins) grids.emplace(bin, bin_loads(frame->maps.front(), bin));
    for (const Row& r : costs) {
      if (cell_of(r, "frame") != frame->name) continue;
      const auto number = [&](const char* column) { return std::stod(cell_of(r, column)); };
      const int bin = int(number("bin")), asked = int(number("asked"));
      auto& choices =
          log_ms[{asked == 0 ? kThisComputer : std::to_string(asked) + " rasterizers", cell_of(r, "shading")}];
      if (asked == 0) {
        choices[{bin, cell_of(r, "pattern")}].push_back(std::log(number("frame_ms")));
        continue;
      }
      const double geometry = number("geometry_ms"), raster = number("raster_ms");
      const BinLoads& grid = grids.at(bin);
      const auto add = [&](const std::string& name, const PatternChoice& pattern) {
        const LoadStatistics l = pattern_load(bench.book, pattern, asked, grid, bench.options.seed, 2);
        choices[{bin, name}].push_back(std::log((geometry + raster * l.imbalance) / asked));
      };
      for (const auto& info : Choices<PatternKind>::all) add(info.name, info.value);
      if (const auto searched = searched_pattern(bench, *frame, asked, bin)) add("searched", searched);
    }
  }
  Rows rows;
  for (const auto& [machine, choices] : log_ms) {
    std::vector<std::pair<double, Choice>> ranked;
    for (const auto& [choice, values] : choices) {
      if (values.size() != bench.frames.size()) continue;  // only values measured for every frame
      ranked.emplace_back(std::exp(std::accumulate(values.begin(), values.end(), 0.0) / double(values.size())), choice);
    }
    std::sort(ranked.begin(), ranked.end());
    const auto usual = std::find_if(ranked.begin(), ranked.end(), [](const auto& r) {
      return r.second == Choice{64, "van-der-corput"};
    });
    const bool timed = machine.first == kThisComputer;
    const auto measured_or_nan = [&](double ms) { return timed ? ms : NAN; };
    const auto simulated_or_nan = [&](double ms) { return timed ? NAN : ms; };
    for (size_t i = 0; i < ranked.size(); ++i) {
      const auto& [ms, choice] = ranked[i];
      rows.push_back(row(machine.first, cell_of(costs.front(), "isa"), machine.second, i + 1, choice.first,
                         choice.second, measured_or_nan(ms), measured_or_nan(usual->first), simulated_or_nan(ms),
                         simulated_or_nan(usual->first), usual->first / ms));
    }
  }
  return rows;
}

template <Rows (*work)(PatternBench&, LabFrame&)>
std::vector<PatternUnit> per_frame(PatternBench& bench) {
  std::vector<PatternUnit> units;
  for (const auto& frame : bench.frames)
    units.push_back({frame->name, frame.get(), [&bench, f = frame.get()] { return work(bench, *f); }});
  return units;
}

// These experiments include searched patterns, which depend on all frames.
template <auto work, auto first, auto second>
std::vector<PatternUnit> per_frame_and_way(PatternBench& bench, const char* first_name, const char* second_name) {
  std::vector<PatternUnit> units;
  for (const auto& frame : bench.frames) {
    LabFrame* f = frame.get();
    units.push_back({f->name + first_name, nullptr, [&bench, f] { return work(bench, *f, first); }});
    units.push_back({f->name + second_name, nullptr, [&bench, f] { return work(bench, *f, second); }});
  }
  return units;
}
std::vector<PatternUnit> search_units(PatternBench& bench) {
  std::vector<PatternUnit> units;
  for (const int rasterizers : kTableRasterizers) {
    for (const int bin : kTableBins)
      units.push_back({fmt::format("{}-{}", rasterizers, bin), nullptr,
                       [&bench, rasterizers, bin] { return search(bench, rasterizers, bin); }});
  }
  return units;
}

constexpr PatternExperiment kPatternExperiments[] = {
    {"spacing", "4", "Drawing bins of one rasterizer apart", "frame,bin,distance,distance_px,height,sigma,ratio", false,
     per_frame<spacing>, nullptr, "best at half the picture's width; the variation decreases by 30 %"},
    {"orientation", "5, Table 1", "Load on lines of every direction", "frame,samples,angle,sigma", false,
     per_frame<orientation>, nullptr, "maximal at 0 and 90 degrees, minimal at 44 to 46 and 134 to 136"},
    {"load", "7-11", "Load of the rasterizers under every pattern", "frame,pattern,rasterizers,bin,sigma,cv,imbalance",
     false, per_frame<load>, nullptr,
     "c_v below 1 % with 18 rasterizers and bins of 16; 10 and 25 % with 30 and larger bins"},
    {"partition", "12", "The same for parts of the frame", "frame,pattern,rasterizers,bin,partitions,batches,cv", false,
     per_frame<partition>, nullptr,
     "converges at 10 to 25 % of a frame; twice as large at a hundredth, where pseudo-random passes diagonal"},
    {"search", "", "Better patterns, searched and scored on frames that the search has not seen",
     "rasterizers,bin,frame,pattern,unseen,reach,trained_on,cv,imbalance", false, search_units},
    {"pipeline", "Table 2", "Patterns in the pipeline, 2500 multiply-adds per fragment",
     "frame,width,height,order,machine,isa,rasterizers,bin,pattern,simulated_ms,measured_ms,raster_ms,geometry_ms,"
     "critical_fragments,fragments,cv_time,cv_fragments,cv_map,imbalance_map",
     true,
     [](PatternBench& bench) {
       return per_frame_and_way<pipeline, OrderMode::strict, OrderMode::automatic>(bench, ".forward", ".visible");
     },
     nullptr, "van-der-corput is 1.89 times as fast as diagonal with 60 rasterizers and bins of 64"},
    {"blocks", "7.13 of Kerbl 2018", "What every block spends its time on",
     "frame,pattern,machine,isa,rasterizers,bin,block,simulated_geometry_ms,simulated_raster_ms,simulated_idle_ms,"
     "measured_geometry_ms,measured_raster_ms,measured_idle_ms",
     true, per_frame<blocks>, nullptr, "15 % idle by diagonal, 4 % by a better pattern"},
    {"cost", "", "What small bins cost", kCostColumns, true,
     [](PatternBench& bench) {
       return per_frame_and_way<cost, Shading::flat, Shading::multiply_add>(bench, ".flat", ".multiply-add");
     }},
    {"recommend", "", "Bin size and pattern for these frames",
     "machine,isa,shading,rank,bin,pattern,measured_ms,measured_default_ms,simulated_ms,simulated_default_ms,gain",
     true, nullptr, recommend},
    {"cover", "8.3 of Kerbl 2018", "The owners of a box's bins by table, by row and in closed form",
     "pattern,rasterizers,box,way,boxes,ns_per_box", true,
     [](PatternBench& bench) {
       return std::vector<PatternUnit>{
           {"boxes", nullptr, [&bench] { return measure_covered_bins(bench.options.quick, bench.options.seed); }}};
     },
     nullptr, "open: no trivial solution found that needs neither a table nor complex code"},
};

}  // namespace

std::span<const PatternExperiment> pattern_experiments() { return kPatternExperiments; }

}  // namespace brokkr::lab
