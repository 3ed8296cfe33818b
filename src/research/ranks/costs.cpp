#include "ranks/costs.h"

#include <algorithm>
#include <bit>
#include <ctime>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/memory_budget.h"
#include "log/frame_statistics.h"
#include "plan/options.h"
#include "ranks/project.h"
#include "shader/texels.h"

namespace brokkr::ranks {
namespace {

constexpr const char* kFormat = "brokkr rank costs";
constexpr uint64_t kMaxBytes = uint64_t(1) << 28;

nlohmann::ordered_json frame_json(const FrameCosts& frame) {
  nlohmann::ordered_json draws = nlohmann::ordered_json::array(), launches = nlohmann::ordered_json::array();
  for (const DrawCost& d : frame.draws) draws.push_back({d.command, d.primitives, d.project_us});
  for (const LaunchCost& l : frame.launches)
    launches.push_back({{"ranks", l.ranks},
                        {"rank", l.rank},
                        {"mode", name_of(l.mode)},
                        {"segment_ms", l.segment_ms},
                        {"whole_ms", l.whole_ms}});
  return {{"file", frame.file},
          {"width", frame.width},
          {"height", frame.height},
          {"geometry_ms", frame.geometry_ms},
          {"exchange_bytes", frame.exchange_bytes},
          {"draws", draws},
          {"launches", launches}};
}

void check_times(const char* field, const std::vector<double>& times) {
  if (std::any_of(times.begin(), times.end(), [](double t) { return t < 0; })) fail("{}: a time below 0", field);
}

// The model indexes its tables by rank, so the file must contain each launch once, in the order of measurement.
void read_launches(const nlohmann::ordered_json& json, int max_ranks, FrameCosts& frame) {
  auto next = json.begin();
  for (const int ranks : rank_counts(max_ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const ShareMode mode : {ShareMode::duplicate, ShareMode::cpd}) {
        if (next == json.end() || next->at("ranks") != ranks || next->at("rank") != rank ||
            next->at("mode") != name_of(mode))
          fail("launches: rank {} of {}, {}, is out of order; measure again", rank, ranks, name_of(mode));
        const auto times = [&](const char* field) {
          const auto ms = next->at(field).get<std::vector<double>>();
          check_times(field, ms);
          if (ms.size() != frame.geometry_ms.size()) fail("launches: {}: not one time for each segment", field);
          return ms;
        };
        frame.launches.push_back({ranks, rank, mode, times("segment_ms"), times("whole_ms")});
        ++next;
      }
    }
  }
  if (next != json.end()) fail("launches: more than most_ranks; measure again");
}

FrameCosts frame_of(const nlohmann::ordered_json& json, int max_ranks) {
  FrameCosts frame;
  json.at("file").get_to(frame.file);
  json.at("width").get_to(frame.width);
  json.at("height").get_to(frame.height);
  json.at("geometry_ms").get_to(frame.geometry_ms);
  json.at("exchange_bytes").get_to(frame.exchange_bytes);
  check_times("geometry_ms", frame.geometry_ms);
  if (frame.exchange_bytes.size() != frame.geometry_ms.size()) fail("exchange_bytes: not one for each segment");
  for (const auto& d : json.at("draws")) {
    frame.draws.push_back({d.at(0).get<uint32_t>(), d.at(1).get<uint64_t>(), d.at(2).get<double>()});
    check_times("draws", {frame.draws.back().project_us});
  }
  read_launches(json.at("launches"), max_ranks, frame);
  return frame;
}

}  // namespace

std::string to_json(const Costs& costs) {
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const FrameCosts& frame : costs.frames) frames.push_back(frame_json(frame));
  const nlohmann::ordered_json json = {{"format", kFormat},        {"version", 2},
                                       {"machine", costs.machine}, {"isa", costs.isa},
                                       {"workers", costs.workers}, {"most_ranks", costs.max_ranks},
                                       {"bin", costs.bin},         {"pattern", costs.pattern},
                                       {"repeats", costs.repeats}, {"oversleep_us", costs.oversleep_us},
                                       {"frames", frames}};
  return json.dump(1) + "\n";
}

Costs read_costs(const std::filesystem::path& file) try {
  const auto json = parse_json(as_text(read_file(file, kMaxBytes)));
  if (json.at("format") != kFormat || json.at("version") != 2)
    fail("format: not the costs that `brokkr ranks measure` writes; measure again");
  Costs costs;
  json.at("machine").get_to(costs.machine);
  json.at("isa").get_to(costs.isa);
  json.at("workers").get_to(costs.workers);
  json.at("most_ranks").get_to(costs.max_ranks);
  json.at("bin").get_to(costs.bin);
  if (costs.max_ranks < 1 || costs.max_ranks > kMaxRanks) fail("most_ranks: not within 1 to {}", kMaxRanks);
  if (costs.bin < 8 || costs.bin > 256 || !std::has_single_bit(unsigned(costs.bin)))
    fail("bin: not a power of two from 8 to 256");
  json.at("pattern").get_to(costs.pattern);
  json.at("repeats").get_to(costs.repeats);
  json.at("oversleep_us").get_to(costs.oversleep_us);
  check_times("oversleep_us", {costs.oversleep_us});
  for (const auto& frame : json.at("frames")) costs.frames.push_back(frame_of(frame, costs.max_ranks));
  if (costs.frames.empty()) fail("frames: there is none");
  return costs;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(file.string() + ": not the costs that `brokkr ranks measure` writes (" + error.what() + ")");
} catch (const std::runtime_error& error) {
  const std::string text = error.what();
  throw std::runtime_error(text.starts_with(file.string()) ? text : file.string() + ": " + text);
}

// Measures the costs of a frame on this machine. The launches of all ranks run here one after another, with nothing
// else in progress: each costs what a separate rank would need, apart from messages. On a CPU, only the time in which
// threads ran counts for launches, so that other programs do not matter. For launches including the work around them,
// the minimum elapsed time counts.

namespace {

uint64_t thread_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

// The duration of a launch: on a CPU, the time of the block that worked longest; on a GPU, the whole launch.
double working_ms(const Statistics& s) {
  if (s.machine == "cuda") return s.launch_ms;
  double most = 0;
  for (const BlockTime& block : s.block_times)
    most = std::max(most, block.ms[size_t(Stage::geometry)] + block.ms[size_t(Stage::rasterize)]);
  return most;
}

// The number of words of a sample's colours.
uint64_t words_of_color(const Target& target, bool programs) {
  uint64_t words = stored_format(target, programs) == ColorFormat::rgba16f ? 2 : 1;
  if (!programs) return words;
  for (size_t i = 1; i < target.colors.size(); ++i)
    words += words_of(shader::encoding_of(target.colors[i].format, true));
  if (const auto exact = exact_encoding(target)) words += words_of(*exact);
  return words;
}

uint64_t bytes_of(const std::vector<TargetImage>& images) {
  const auto bytes_of_lists = [](const auto&... list) { return (uint64_t(list.size() * sizeof(list[0])) + ...); };
  uint64_t bytes = 0;
  for (const TargetImage& image : images) {
    for (const Layer& layer : image.layers) {
      bytes +=
          bytes_of_lists(layer.color, layer.color_float, layer.depth, layer.stencil, layer.visible_id, layer.depth_id);
      for (const std::vector<float>& more : layer.more_colors) bytes += bytes_of_lists(more);
    }
  }
  return bytes;
}

class Measurement {
 public:
  Measurement(PreparedFrame& frame, const RenderOptions& options, const RankSettings& settings, int repeats)
      : frame_(frame),
        tables_(PreparedFrame::Impl::of(frame)),
        options_(options),
        settings_(settings),
        repeats_(repeats),
        programs_(tables_.shading(options.shading) == Shading::program),
        segments_(cut_segments(tables_, programs_, uint32_t(tables_.frame->commands.size()))),
        given_(frame),
        budget_(std::make_shared<MemoryBudget>(
            options.memory_limit, "choose a smaller --size or a frame of fewer passes", tables_.frame->source)) {
    options_.bin = std::min(options.bin, settings.bin);
    options_.thread_time = true;
  }
  ~Measurement() { tables_.part = {}; }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  // Computes the targets at the start of each segment, by drawing the whole frame up to it.
  void find_contents() {
    std::vector<TargetImage> content;
    for (size_t s = 0; s < segments_.size(); ++s) {
      held_.emplace_back(budget_, bytes_of(content), "targets");
      contents_.push_back(content);
      given_.give_commands(segments_[s].first_command, segments_[s].end_command);
      content = launch(s, owned_bins(*tables_.frame, settings_, 0, 1), true).targets;
    }
  }

  std::vector<uint64_t> exchange_bytes() const {
    std::vector<uint64_t> bytes;
    for (const Segment& segment : segments_) {
      uint64_t sum = 0;
      for (const PlaneUse& use : segment.exchanged) {
        const Target& target = tables_.frame->targets[use.target];
        // TargetSquares packs squares in tiles of 8 by 8.
        const uint64_t words = (use.planes & kPlaneColor) != 0 ? words_of_color(target, programs_) : 0;
        const uint64_t each =
            4 * words + ((use.planes & kPlaneDepth) != 0 ? 4 : 0) + ((use.planes & kPlaneStencil) != 0 ? 1 : 0);
        const auto tiled = [](int edge) { return uint64_t(edge + kTile - 1) / kTile * kTile; };
        sum += each * tiled(target.width) * tiled(target.height) * uint64_t(target.layers);
      }
      bytes.push_back(sum);
    }
    return bytes;
  }

  std::vector<DrawCost> project() const {
    std::vector<DrawCost> costs;
    const auto owned = owned_bins(*tables_.frame, settings_, 0, 1);
    const Projector projector(tables_, given_, *owned);
    for (const Segment& segment : segments_) {
      for (const Merge& merge : merge_draws(given_, segment, 0)) {
        DrawCost cost{given_.draws()[given_.runs()[merge.first_run].draw].command, merge.primitives,
                      std::numeric_limits<double>::max()};
        for (int i = 0; i < repeats_; ++i) {
          IdsByRank ids(1);
          const uint64_t begin = thread_ns();
          projector.project(merge, 0, merge.primitives, ids);
          cost.project_us = std::min(cost.project_us, double(thread_ns() - begin) / 1000);
        }
        costs.push_back(cost);
      }
    }
    return costs;
  }

  std::vector<double> geometry() {
    // A rank beyond the last one owns nothing.
    const auto nothing = owned_bins(*tables_.frame, settings_, 1, 1);
    std::vector<double> ms;
    for (size_t s = 0; s < segments_.size(); ++s) {
      const auto give = [&] { given_.give_commands(segments_[s].first_command, segments_[s].end_command); };
      ms.push_back(least_of(s, nothing, false, give).working_ms);
    }
    return ms;
  }

  LaunchCost launches(int ranks, int rank, ShareMode mode) {
    LaunchCost cost{ranks, rank, mode, {}, {}};
    const auto owned = owned_bins(*tables_.frame, settings_, rank, ranks);
    const Projector projector(tables_, given_, *owned);
    for (size_t s = 0; s < segments_.size(); ++s) {
      IdsByRank ids{size_t(ranks)};
      for (const Merge& merge : merge_draws(given_, segments_[s], ~0u))
        projector.project(merge, 0, merge.primitives, ids);
      const auto give = [&] {
        if (mode == ShareMode::duplicate) {
          given_.give_commands(segments_[s].first_command, segments_[s].end_command);
          return;
        }
        merge_draws(given_, segments_[s], settings_.merge);
        given_.give(ids[size_t(rank)]);
      };
      const Least least = least_of(s, owned, ranks > 1, give);
      cost.segment_ms.push_back(least.working_ms);
      cost.whole_ms.push_back(least.whole_ms);
    }
    return cost;
  }

  const Statistics& statistics() const { return statistics_; }

 private:
  RenderResult launch(size_t segment, std::shared_ptr<const OwnedBins> owned, bool read_back) {
    tables_.part.owned = std::move(owned);
    tables_.part.first_command = segments_[segment].first_command;
    tables_.part.content = nullptr;
    tables_.part.stays = segment > 0;
    options_.command_limit = segments_[segment].end_command;
    RenderResult result = renderer_.render(frame_, options_, read_back);
    statistics_ = result.statistics;
    return result;
  }
  // Restores the targets at the start of a segment.
  void restore(size_t segment) {
    const uint32_t first = segments_[segment].first_command;
    given_.give_commands(first, first);
    tables_.part = {owned_bins(*tables_.frame, settings_, 0, 1), first, &contents_[segment], false};
    options_.command_limit = first;
    renderer_.render(frame_, options_, false);
  }

  struct Least {
    double working_ms = std::numeric_limits<double>::max(), whole_ms = working_ms;
  };
  // Measures a launch. give() provides the primitives for the launch. If `one_of_many` is false, the rank draws alone:
  // it is given nothing, and keeps the plan of the first segment from frame to frame.
  template <class F>
  Least least_of(size_t segment, const std::shared_ptr<const OwnedBins>& owned, bool one_of_many, F&& give) {
    Least least;
    for (int i = 0; i < 2 * repeats_; ++i) {
      // Querying a thread's own time takes time, so whole launches are measured without it.
      options_.thread_time = i % 2 == 0;
      if (segment > 0) restore(segment);
      if (!one_of_many && (i == 0 || segment > 0)) give();
      const Clock::time_point begin = Clock::now();
      if (one_of_many && segment == 0) {
        owned_bins(*tables_.frame, settings_, int(owned->rank), owned->pattern.rasterizers);
        cut_segments(tables_, programs_, uint32_t(tables_.frame->commands.size()));
      }
      if (one_of_many) give();
      const double working = working_ms(launch(segment, owned, false).statistics);
      if (options_.thread_time)
        least.working_ms = std::min(least.working_ms, working);
      else
        least.whole_ms = std::min(least.whole_ms, ms_since(begin));
    }
    return least;
  }

  PreparedFrame& frame_;
  PreparedFrame::Impl& tables_;
  RenderOptions options_;
  const RankSettings& settings_;
  int repeats_;
  bool programs_;
  std::vector<Segment> segments_;
  GivenDraws given_;
  Renderer renderer_;
  std::vector<std::vector<TargetImage>> contents_;  // per segment
  std::shared_ptr<MemoryBudget> budget_;
  std::vector<HeldMemory> held_;  // memory of each of contents_
  Statistics statistics_;
};

// Ranks wait in short sleeps. Returns the median time by which such a sleep is too long.
double oversleep_us() {
  constexpr double kAsked = 20;
  std::vector<double> more(51);
  for (double& us : more) {
    const Clock::time_point begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(kAsked));
    us = std::max(0.0, 1000 * ms_since(begin) - kAsked);
  }
  return median(more);
}

}  // namespace

std::vector<int> rank_counts(int most) {
  std::vector<int> counts;
  for (int n = 1; n <= most; n *= 2) counts.push_back(n);
  return counts;
}

void measure_costs(const std::string& file, const Frame& frame, const RenderOptions& options,
                   const RankSettings& settings, Costs& costs) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame, {.memory_limit = options.memory_limit});
  Measurement measurement(prepared, options, settings, costs.repeats);
  measurement.find_contents();
  const Target& target = frame.targets[main_target(frame)];
  FrameCosts measured{file, target.width, target.height, {}, measurement.exchange_bytes(), measurement.project(), {}};
  measured.geometry_ms = measurement.geometry();
  for (const int ranks : rank_counts(costs.max_ranks)) {
    for (int rank = 0; rank < ranks; ++rank) {
      measured.launches.push_back(measurement.launches(ranks, rank, ShareMode::duplicate));
      measured.launches.push_back(measurement.launches(ranks, rank, ShareMode::cpd));
    }
  }
  const Statistics& s = measurement.statistics();
  costs.machine = s.machine;
  costs.isa = s.isa;
  costs.workers = s.workers;
  costs.oversleep_us = oversleep_us();
  costs.frames.push_back(std::move(measured));
}

}  // namespace brokkr::ranks
