#include "ranks/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "ranks/project.h"

namespace brokkr::ranks {

struct LoadedFrame::Parts {
  Parts(Frame loaded, const LoadOptions& load, const std::shared_ptr<MemoryBudget>& budget)
      : frame(std::move(loaded)),
        prepared(renderer.prepare(frame, load)),
        given(prepared),
        held(budget, PreparedFrame::Impl::of(prepared).held(), "frames") {}

  Frame frame;
  Renderer renderer;
  PreparedFrame prepared;
  GivenDraws given;
  HeldMemory held;
};

LoadedFrame::LoadedFrame(const FrameCosts& costs, const RankSettings& settings,
                         const std::shared_ptr<MemoryBudget>& budget)
    : costs_(costs), settings_(settings) {
  const LoadOptions load{.memory_limit = settings.memory_limit};
  parts_ = std::make_unique<Parts>(load_frame(costs.file, load), load, budget);
}
LoadedFrame::~LoadedFrame() = default;

double LoadedFrame::geometry_us() const {
  return 1000 * std::accumulate(costs_.geometry_ms.begin(), costs_.geometry_ms.end(), 0.0);
}

namespace {

// Finds, for each primitive of the merge, the rank that projects it and the ranks that need it.
MergeLoad spread(const Projector& projector, const Merge& merge, int ranks) {
  const auto n = size_t(ranks);
  MergeLoad load;
  load.project_us.resize(n);
  load.render_us.resize(n);
  load.left.resize(n);
  load.right.resize(n);
  load.kept.resize(n);
  load.taken.resize(n);
  constexpr uint64_t kId = sizeof(uint32_t);
  for (size_t from = 0; from < n; ++from) {
    const Share share = share_of(merge, int(from), ranks);
    projector.for_boxes(merge, share.begin, share.end, [&](uint32_t, uint32_t target, const ScreenBox& box) {
      for (uint64_t mask = projector.ranks_of(target, box); mask != 0; mask &= mask - 1) {
        const auto to = size_t(std::countr_zero(mask));
        if (to == from) {
          ++load.kept[to];
          continue;
        }
        ++load.taken[to];
        (to < from ? load.left : load.right)[from] += kId;
      }
    });
    // Add the markers.
    load.left[from] += kId * from;
    load.right[from] += kId * (n - 1 - from);
  }
  return load;
}

}  // namespace

std::vector<SegmentLoad> LoadedFrame::loads(int ranks, uint32_t threshold) {
  const PreparedFrame::Impl& tables = PreparedFrame::Impl::of(parts_->prepared);
  const bool programs = tables.shading(Shading::program) == Shading::program;
  const std::vector<Segment> segments = cut_segments(tables, programs, ~uint32_t(0));
  if (segments.size() != costs_.geometry_ms.size())
    throw std::runtime_error(costs_.file + ": is not the frame that was measured; measure it again");
  std::map<uint32_t, const DrawCost*> draws;
  for (const DrawCost& draw : costs_.draws) draws[draw.command] = &draw;
  const auto owned = owned_bins(parts_->frame, settings_, 0, ranks);
  const Projector projector(tables, parts_->given, *owned);
  std::vector<SegmentLoad> loads(segments.size());
  for (size_t s = 0; s < segments.size(); ++s) {
    loads[s].exchange_bytes = costs_.exchange_bytes[s];
    for (const Merge& merge : merge_draws(parts_->given, segments[s], threshold)) {
      loads[s].merges.push_back(spread(projector, merge, ranks));
      // A rank's share contains a part of each of its draws.
      for (int rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(merge, rank, ranks);
        for (size_t r = merge.first_run; r < merge.end_run; ++r) {
          const DrawRecord& draw = parts_->given.draws()[parts_->given.runs()[r].draw];
          const uint64_t first = merge.before[r - merge.first_run], last = first + draw.triangle_count;
          const uint64_t begin = std::max(first, share.begin), end = std::min(last, share.end);
          const auto found = draws.find(draw.command);
          if (begin >= end || found == draws.end() || found->second->primitives == 0) continue;
          loads[s].merges.back().project_us[size_t(rank)] +=
              found->second->project_us * double(end - begin) / double(found->second->primitives);
        }
      }
    }
  }
  bool measured = false;
  for (const LaunchCost& launch : costs_.launches) {
    if (launch.ranks != ranks) continue;
    measured = true;
    for (size_t s = 0; s < segments.size(); ++s) {
      const double us = 1000 * launch.segment_ms[s];
      const auto rank = size_t(launch.rank);
      const double whole_us = 1000 * launch.whole_ms[s];
      if (launch.mode == ShareMode::duplicate) {
        loads[s].duplicate_us.push_back(us);
        loads[s].duplicate_whole_us.push_back(whole_us);
        continue;
      }
      loads[s].whole_us.push_back(whole_us);
      if (loads[s].merges.empty()) {
        loads[s].copy_us.push_back(us);
        continue;
      }
      // A launch's time is divided among its merges in proportion to their primitives; if there are none, the first
      // merge gets all of it.
      uint64_t all = 0;
      for (const MergeLoad& merge : loads[s].merges) all += merge.kept[rank] + merge.taken[rank];
      for (size_t m = 0; m < loads[s].merges.size(); ++m) {
        MergeLoad& merge = loads[s].merges[m];
        merge.render_us[rank] = all > 0  ? us * double(merge.kept[rank] + merge.taken[rank]) / double(all)
                                : m == 0 ? us
                                         : 0;
      }
    }
  }
  if (!measured)
    throw std::runtime_error(costs_.file + ": was not measured for " + std::to_string(ranks) +
                             " ranks; measure it with more --most");
  return loads;
}

namespace {

constexpr uint32_t kMerge = 4096;

// The three methods that the paper compares.
struct Way {
  const char* name;
  ShareMode mode;
  bool runahead;
};
constexpr Way kWays[] = {{"duplicate", ShareMode::duplicate, false},
                         {"cpd", ShareMode::cpd, false},
                         {"cpd, runahead", ShareMode::cpd, true}};

class Model {
 public:
  const TimesSettings times;

  Model(const Costs& costs, const RankSettings& settings, const TimesSettings& asked) : times(asked), costs_(costs) {
    const auto budget = std::make_shared<MemoryBudget>(settings.memory_limit, "measure fewer frames at once");
    for (const FrameCosts& frame : costs.frames)
      frames_.push_back(std::make_unique<LoadedFrame>(frame, settings, budget));
  }

  size_t frames() const { return frames_.size(); }
  std::string name(size_t frame) const {
    const std::string& file = costs_.frames[frame].file;
    const std::string stem = file.substr(file.rfind('/') + 1);
    return stem.substr(0, stem.find(".bkf"));
  }
  std::vector<int> counts(int least) const {
    std::vector<int> counts;
    for (const int n : rank_counts(costs_.max_ranks)) {
      if (n >= least) counts.push_back(n);
    }
    return counts;
  }
  void require(int ranks) const {
    if (costs_.max_ranks < ranks)
      throw std::runtime_error(
          fmt::format("costs: of {} ranks at most; measure with --most {}", costs_.max_ranks, ranks));
  }
  LoadedFrame& loaded(size_t frame) { return *frames_[frame]; }

  ModelResult run(size_t frame, int ranks, const Way& way, uint32_t merge = kMerge, const Network& network = {}) {
    return run_model(frames_[frame]->loads(ranks, merge), frames_[frame]->geometry_us(),
                     {ranks, way.mode, way.runahead, network});
  }
  ModelResult run_as_asked(size_t frame, int ranks, const Way& way) {
    return run_model(frames_[frame]->loads(ranks, times.merge), frames_[frame]->geometry_us(),
                     {ranks, way.mode, way.runahead, times.network, times.as_here, costs_.oversleep_us});
  }
  uint64_t primitives(size_t frame) const {
    uint64_t sum = 0;
    for (const DrawCost& draw : costs_.frames[frame].draws) sum += draw.primitives;
    return sum;
  }
  double one_us(size_t frame) { return run(frame, 1, kWays[0]).frame_us; }
  double speed_up(size_t frame, int ranks, const Way& way, uint32_t merge = kMerge, const Network& network = {}) {
    return one_us(frame) / run(frame, ranks, way, merge, network).frame_us;
  }

 private:
  const Costs& costs_;
  std::vector<std::unique_ptr<LoadedFrame>> frames_;
};

FigureCell number(double value, int decimals = 2) { return {fmt::format("{:.{}f}", value, decimals), value}; }
FigureCell percent(double part) { return number(100 * part, 1); }
FigureCell whole(uint64_t count) { return {std::to_string(count), double(count)}; }

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / double(values.size()));
}

// Adds rows with one value per column, for each frame, and their geometric means. value(frame, column) computes a
// value.
template <class F>
void add_rows(FigureTable& table, Model& model, const std::string& way, size_t columns, F&& value) {
  std::vector<std::vector<double>> by_column(columns);
  for (size_t f = 0; f < model.frames(); ++f) {
    std::vector<FigureCell> row = {model.name(f), way};
    for (size_t c = 0; c < columns; ++c) {
      by_column[c].push_back(value(f, c));
      row.push_back(number(by_column[c].back()));
    }
    table.rows.push_back(row);
  }
  std::vector<FigureCell> row = {"geometric mean", way};
  for (const auto& values : by_column) row.push_back(number(geometric_mean(values)));
  table.rows.push_back(row);
}

FigureTable figure13(Model& model) {
  FigureTable table{"speed-up over one rank",
                    {"frame", "way"},
                    {},
                    "at 16: duplicate 3.07, cpd 4.45, with runahead "
                    "4.98 (geometric means; 3.82 to 7.65); duplicate is flat from 4 on"};
  const std::vector<int> counts = model.counts(2);
  for (const int n : counts) table.heading.push_back(std::to_string(n));
  for (const Way& way : kWays)
    add_rows(table, model, way.name, counts.size(),
             [&](size_t f, size_t c) { return model.speed_up(f, counts[c], way); });
  return table;
}

FigureTable figure14(Model& model) {
  model.require(4);
  FigureTable table{"primitives of a rank of 4, of the frame's, in percent",
                    {"frame", "rank", "projected", "kept", "from others", "processed", "less than duplicate"},
                    {},
                    "each rank projects a quarter; up to 62 % fewer primitives processed"};
  for (size_t f = 0; f < model.frames(); ++f) {
    double all = 0;
    std::vector<double> kept(4), taken(4);
    for (const SegmentLoad& segment : model.loaded(f).loads(4, kMerge)) {
      for (const MergeLoad& merge : segment.merges) {
        for (size_t r = 0; r < 4; ++r) kept[r] += double(merge.kept[r]), taken[r] += double(merge.taken[r]);
      }
    }
    for (const DrawCost& draw : model.loaded(f).costs().draws) all += double(draw.primitives);
    for (size_t r = 0; r < 4; ++r) {
      const double processed = 0.25 + (kept[r] + taken[r]) / all;
      table.rows.push_back({model.name(f), whole(r), percent(0.25), percent(kept[r] / all), percent(taken[r] / all),
                            percent(processed), percent(1 - processed)});
    }
  }
  return table;
}

FigureTable figure15(Model& model) {
  FigureTable table{"cycle stack, in percent of one rank's time",
                    {"frame", "way", "ranks", "no primitive", "stall", "synchronisation", "all"},
                    {},
                    "duplicate: no-primitive time grows with ranks; cpd reduces it, runahead reduces it further"};
  for (size_t f = 0; f < model.frames(); ++f) {
    const double one = model.one_us(f);
    for (const Way& way : kWays) {
      for (const int n : model.counts(way.mode == ShareMode::duplicate ? 1 : 2)) {
        const ModelResult r = model.run(f, n, way);
        table.rows.push_back({model.name(f), way.name, whole(uint64_t(n)), percent(r.no_primitive_us / one),
                              percent(r.stall_us / one), percent(r.sync_us / one), percent(r.frame_us / one)});
      }
    }
  }
  return table;
}

FigureTable figure16(Model& model) {
  FigureTable table{"network traffic of cpd, in kB",
                    {"frame", "ranks", "exchanged targets", "ids", "more, in percent"},
                    {},
                    "less than 7.03 % more, with 16"};
  for (size_t f = 0; f < model.frames(); ++f) {
    for (const int n : model.counts(2)) {
      const ModelResult r = model.run(f, n, kWays[2]);
      const bool none = r.exchange_bytes == 0;
      table.rows.push_back({model.name(f), whole(uint64_t(n)), number(double(r.exchange_bytes) / 1000),
                            number(double(r.id_bytes) / 1000),
                            none ? FigureCell("no exchange") : percent(double(r.id_bytes) / double(r.exchange_bytes))});
    }
  }
  return table;
}

FigureTable figure17(Model& model) {
  model.require(16);
  FigureTable table{"speed-up by latency of a hop",
                    {"frame", "way", "100 ns", "200 ns", "400 ns", "800 ns"},
                    {},
                    "4 ranks keep theirs up to 800 ns; 16 lose some, and stay above duplicate"};
  constexpr double kHops[] = {100, 200, 400, 800};
  for (const int n : {4, 16}) {
    for (const Way& way : kWays)
      add_rows(table, model, fmt::format("{} ranks, {}", n, way.name), std::size(kHops),
               [&](size_t f, size_t c) { return model.speed_up(f, n, way, kMerge, {.hop_ns = kHops[c]}); });
  }
  return table;
}

FigureTable figure18(Model& model) {
  model.require(16);
  constexpr uint32_t kMerges[] = {0, 256, 512, 1024, 2048, 4096, 8192, 16384};
  FigureTable table{"speed-up by threshold of merging",
                    {"frame", "way"},
                    {},
                    "none with 16 ranks is slower than one rank; 4 with runahead are best at 2048"};
  for (const uint32_t merge : kMerges) table.heading.push_back(merge == 0 ? "none" : std::to_string(merge));
  for (const int n : {4, 16}) {
    for (const Way& way : {kWays[1], kWays[2]})
      add_rows(table, model, fmt::format("{} ranks, {}", n, way.name), std::size(kMerges),
               [&](size_t f, size_t c) { return model.speed_up(f, n, way, kMerges[c]); });
  }
  return table;
}

FigureTable figure19(Model& model) {
  FigureTable table{"speed-up by network, cpd with runahead",
                    {"frame", "way"},
                    {},
                    "line and hub differ by less than 1.82 %; the hub forwards 80 GB/s in Table 1 and 40 in the text, "
                    "and it is not stated how often a broadcast passes it"};
  const std::vector<int> counts = model.counts(2);
  for (const int n : counts) table.heading.push_back(std::to_string(n));
  const std::pair<const char*, Network> networks[] = {
      {"line", {.topology = ranks::Topology::line}},
      {"hub, 80 GB/s", {.topology = ranks::Topology::hub, .hub_gb_s = 80}},
      {"hub, 40 GB/s", {.topology = ranks::Topology::hub, .hub_gb_s = 40}},
      {"hub, 40 GB/s, multicast", {.topology = ranks::Topology::hub, .hub_gb_s = 40, .hub_multicast = true}}};
  for (const auto& [way, network] : networks)
    add_rows(table, model, way, counts.size(),
             [&](size_t f, size_t c) { return model.speed_up(f, counts[c], kWays[2], kMerge, network); });
  return table;
}

FigureTable figure5(Model& model) {
  FigureTable table{"geometry alone, no pixel drawn",
                    {"frame", "primitives", "geometry ms", "million primitives a second"},
                    {},
                    "a GPU's geometry is up to 156.7 times as fast as a CPU's; costs measured with --machine cuda show "
                    "the GPU's side"};
  for (size_t f = 0; f < model.frames(); ++f) {
    const double us = model.loaded(f).geometry_us();
    table.rows.push_back({model.name(f), whole(model.primitives(f)), number(us / 1000, 3),
                          number(us > 0 ? double(model.primitives(f)) / us : 0)});
  }
  return table;
}

// As in the paper's projection: ranks that duplicate all geometry divide only pixels; ideal ranks divide everything.
FigureTable figure7(Model& model) {
  FigureTable table{"where a frame's time goes, in percent of one rank's",
                    {"frame", "system", "ranks", "geometry", "pixels", "all", "geometry's part"},
                    {},
                    "geometry that every GPU repeats limits 16 current GPUs; 16 ideal ones take a sixteenth"};
  for (size_t f = 0; f < model.frames(); ++f) {
    const double all = model.one_us(f), geometry = std::min(model.loaded(f).geometry_us(), all),
                 pixels = all - geometry;
    const auto add = [&](const char* system, int ranks, double g, double p) {
      table.rows.push_back({model.name(f), system, whole(uint64_t(ranks)), percent(g / all), percent(p / all),
                            percent((g + p) / all), percent(g / (g + p))});
    };
    add("one", 1, geometry, pixels);
    add("current", 16, geometry, pixels / 16);
    add("ideal", 16, geometry / 16, pixels / 16);
  }
  return table;
}

FigureTable table2(Model& model) {
  FigureTable table{"frames",
                    {"frame", "width", "height", "draws", "primitives", "exchanges", "exchanged MB"},
                    {},
                    "eight games: 7 to 27 exchanges of 20 to 143 MB"};
  for (size_t f = 0; f < model.frames(); ++f) {
    const FrameCosts& costs = model.loaded(f).costs();
    uint64_t bytes = 0, exchanges = 0;
    for (const uint64_t b : costs.exchange_bytes) bytes += b, exchanges += b != 0;
    table.rows.push_back({model.name(f), whole(uint64_t(costs.width)), whole(uint64_t(costs.height)),
                          whole(costs.draws.size()), whole(model.primitives(f)), whole(exchanges),
                          number(double(bytes) / 1e6)});
  }
  return table;
}

FigureTable figure21(Model& model) {
  FigureTable table{"possible gain, in percent of a frame's time",
                    {"frame", "frame ms", "geometry ms", "exchange ms", "duplicate at most", "cpd at most"},
                    {},
                    "duplicate at most 38.3 %; cpd up to 66.7 % (valley) and 68.5 % (heaven)"};
  for (size_t f = 0; f < model.frames(); ++f) {
    const double frame = model.one_us(f), geometry = model.loaded(f).geometry_us();
    double bytes = 0;
    for (const uint64_t b : model.loaded(f).costs().exchange_bytes) bytes += double(b);
    const double exchange = bytes / (Network{}.link_gb_s * 1000);
    table.rows.push_back({model.name(f), number(frame / 1000), number(geometry / 1000), number(exchange / 1000, 3),
                          percent(1 - (geometry + exchange) / frame), percent(1 - exchange / frame)});
  }
  return table;
}

FigureTable times_table(Model& model) {
  const std::string mode = model.times.as_here ? ", distributed and drawn as brokkr does" : "";
  FigureTable table{fmt::format("a frame's time in ms; {} ns a hop, {} GB/s{}", model.times.network.hop_ns,
                                model.times.network.link_gb_s, mode),
                    {"frame", "way", "ranks", "no primitive", "stall", "synchronisation", "all"},
                    {},
                    "nothing; this table is for comparison with real runs"};
  for (size_t f = 0; f < model.frames(); ++f) {
    for (const Way& way : kWays) {
      for (const int n : model.counts(way.mode == ShareMode::duplicate ? 1 : 2)) {
        const ModelResult r = model.run_as_asked(f, n, way);
        const auto ms = [](double us) { return number(us / 1000, 3); };
        table.rows.push_back({model.name(f), way.name, whole(uint64_t(n)), ms(r.no_primitive_us), ms(r.stall_us),
                              ms(r.sync_us), ms(r.frame_us)});
      }
    }
  }
  return table;
}

struct Figure {
  FigureInfo info;
  FigureTable (*make)(Model&);
};
constexpr Figure kFigures[] = {
    {{"fig5", "geometry alone"}, figure5},
    {{"fig7", "where a frame's time goes"}, figure7},
    {{"table2", "draws, primitives and exchanges of the frames"}, table2},
    {{"fig13", "speed-up at 2, 4, 8, … ranks"}, figure13},
    {{"fig14", "sources of a rank's primitives, at 4 ranks"}, figure14},
    {{"fig15", "cycle stacks"}, figure15},
    {{"fig16", "network traffic"}, figure16},
    {{"fig17", "speed-up by the network's latency"}, figure17},
    {{"fig18", "speed-up by the threshold of merging"}, figure18},
    {{"fig19", "line against hub"}, figure19},
    {{"fig21", "possible gain"}, figure21},
    {{kTimes, "times over a network of your own"}, times_table},
};

}  // namespace

std::vector<std::vector<std::string>> FigureTable::texts() const {
  std::vector<std::vector<std::string>> all;
  for (const std::vector<FigureCell>& row : rows) {
    std::vector<std::string>& cells = all.emplace_back();
    for (const FigureCell& cell : row) cells.push_back(cell.text);
  }
  return all;
}

std::vector<FigureInfo> figure_list() {
  std::vector<FigureInfo> list;
  for (const Figure& figure : kFigures) list.push_back(figure.info);
  return list;
}

FigureTable make_figure(const std::string& name, const Costs& costs, const RankSettings& settings,
                        const TimesSettings& times) {
  for (const Figure& figure : kFigures) {
    if (name != figure.info.name) continue;
    Model model(costs, settings, times);
    return figure.make(model);
  }
  std::string known;
  for (const Figure& figure : kFigures) known += std::string(known.empty() ? "" : ", ") + figure.info.name;
  throw std::invalid_argument("'" + name + "' is not a figure; the figures are " + known);
}

}  // namespace brokkr::ranks
