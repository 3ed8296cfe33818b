#include "ranks/render.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <thread>

#include "base/file_io.h"
#include "base/processors.h"
#include "brokkr/statistics.h"
#include "geometry/counter_names.h"
#include "pipeline/machine_backend.h"
#include "ranks/costs.h"
#include "raster/shading_traits.h"

namespace brokkr::ranks {

// Combines the statistics of several launches of one frame.

namespace {

template <class T>
void add_each(std::vector<T>& sum, const std::vector<T>& more) {
  sum.resize(std::max(sum.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

void add_counts(Statistics& sum, const Statistics& more) {
  const uint64_t queue_peak = std::max(sum.queue_peak, more.queue_peak);
  const uint64_t store_peak = std::max(sum.store_peak, more.store_peak);
#define BROKKR_COUNTER(name) sum.name += more.name;
  BROKKR_COUNTERS(BROKKR_COUNTER)
#undef BROKKR_COUNTER
  sum.queue_peak = queue_peak;
  sum.store_peak = store_peak;
  sum.indices += more.indices;
  sum.draws += more.draws;
  sum.phases += more.phases;
  sum.ordered_phases += more.ordered_phases;
  sum.upload_bytes += more.upload_bytes;
  sum.download_bytes += more.download_bytes;
  sum.asr = sum.triangles_in > 0 ? double(sum.vertex_shader_runs) / double(sum.triangles_in) : 0;
}

}  // namespace

// Adds a launch that began `begin_ms` after the first one. Counts and times are summed, peaks and memory sizes are
// maxima, and traces are concatenated.
void add_launch(Statistics& sum, const Statistics& launch, double begin_ms) {
  if (sum.machine.empty()) {
    sum = launch;
  } else {
    add_counts(sum, launch);
    sum.frame_ms += launch.frame_ms;
    sum.launch_ms += launch.launch_ms;
    sum.upload_ms += launch.upload_ms;
    sum.read_back_ms += launch.read_back_ms;
    for (auto member : {&Statistics::store_bytes, &Statistics::target_bytes, &Statistics::frame_bytes})
      sum.*member = std::max(sum.*member, launch.*member);
    add_each(sum.rasterizer_fragments, launch.rasterizer_fragments);
    add_each(sum.bin_fragments, launch.bin_fragments);
    sum.block_times.resize(std::max(sum.block_times.size(), launch.block_times.size()));
    for (size_t b = 0; b < launch.block_times.size(); ++b) {
      for (size_t stage = 0; stage < size_t(Stage::count); ++stage)
        sum.block_times[b].ms[stage] += launch.block_times[b].ms[stage];
    }
    sum.trace.insert(sum.trace.end(), launch.trace.begin(), launch.trace.end());
  }
  for (size_t i = sum.trace.size() - launch.trace.size(); i < sum.trace.size(); ++i) {
    sum.trace[i].begin_us += 1000 * begin_ms;
    sum.trace[i].end_us += 1000 * begin_ms;
  }
}

nlohmann::ordered_json to_json(const RankReport& r) {
  return {{"rank", r.rank},
          {"host", r.host},
          {"machine", r.machine},
          {"workers", r.workers},
          {"link", r.link},
          {"segments", r.segments},
          {"merges", r.distribution.merges},
          {"frame_primitives", r.frame_primitives},
          {"projected", r.distribution.projected},
          {"drawn", r.drawn_primitives},
          {"taken_from", r.distribution.taken_from},
          {"fragments", r.fragments},
          {"cut_off", r.cut_off},
          {"id_bytes", r.distribution.id_bytes},
          {"exchanges", r.exchanges},
          {"exchange_bytes", r.exchange_bytes},
          {"picture_bytes", r.picture_bytes},
          {"frame_bytes", r.frame_bytes},
          {"target_bytes", r.target_bytes},
          {"project_ms", r.distribution.project_ms},
          {"wait_ms", r.distribution.wait_ms},
          {"launch_ms", r.launch_ms},
          {"exchange_ms", r.exchange_ms},
          {"picture_ms", r.picture_ms},
          {"frame_ms", r.frame_ms},
          {"no_primitive_ms", r.no_primitive_ms()},
          {"stall_ms", r.stall_ms()},
          {"sync_ms", r.sync_ms()}};
}

namespace {

// Returns true if the picture, or data kept beside it, contains identifiers of primitives.
bool names_primitives(const RenderOptions& options) {
  return options.keep_ids || options.shading == Shading::triangle || options.shading == Shading::batch;
}

constexpr double kMinBudgetMs = 0.01;

// One frame on one rank.
class RankFrame {
 public:
  RankFrame(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options, const RankSettings& settings,
            Talk& talk, RankReport& report)
      : renderer_(renderer),
        frame_(frame),
        tables_(PreparedFrame::Impl::of(frame)),
        options_(options),
        settings_(settings),
        talk_(talk),
        report_(report),
        owned_(owned_bins(*tables_.frame, settings, talk.rank(), talk.size())),
        named_(names_primitives(options)),
        in_memory_(!options.keep_ids && !shading_traits(options.shading).overdraw && options.frame_budget_ms <= 0),
        given_(frame, named_),
        projector_(tables_, given_, *owned_) {
    options_.bin = std::min(options.bin, settings.bin);
    if (options_.workers == 0) options_.workers = usual_workers();
    tables_.part.owned = owned_;
  }
  ~RankFrame() { tables_.part = {}; }
  RankFrame(const RankFrame&) = delete;
  RankFrame& operator=(const RankFrame&) = delete;

  // `whole`: read back the pictures of the last launch, as those of all others are.
  RenderResult draw(bool whole) {
    const bool programs = tables_.shading(options_.shading) == Shading::program;
    const std::vector<Segment> segments =
        cut_segments(tables_, programs, options_.command_limit.value_or(~uint32_t(0)));
    Distribution distribution(talk_, projector_, options_.workers, settings_.runahead);
    report_.segments = segments.size();
    RenderResult result;
    Statistics statistics;
    for (size_t s = 0; s < segments.size(); ++s) {
      const Segment& segment = segments[s];
      if (s > 0) exchange(segment, result.targets);
      content_ = std::move(result.targets);
      if (options_.keep_ids) mark_earlier(content_);
      tables_.part.content = s > 0 && !in_memory_ ? &content_ : nullptr;
      tables_.part.stays = s > 0 && in_memory_;
      tables_.part.first_command = segment.first_command;
      options_.command_limit = segment.end_command;
      give(segment, distribution);
      const double begin_ms = ms_since(begin_);
      // The rest of the budget. A launch starts even if nothing is left.
      if (budget_ms_ > 0) options_.frame_budget_ms = std::max(kMinBudgetMs, budget_ms_ - begin_ms);
      result = renderer_.render(frame_, options_, !in_memory_ && (whole || s + 1 < segments.size()));
      if (options_.keep_ids) name_whole(result.targets, frame_);
      add_launch(statistics, result.statistics, begin_ms);
      report_.cut_off = report_.cut_off || result.aborted;
    }
    result.aborted = report_.cut_off;
    note(statistics);
    result.statistics = std::move(statistics);
    return result;
  }

  // Rank 0 receives the squares of all other ranks.
  void compose(const std::vector<PlaneUse>& composed, std::vector<TargetImage>& targets) {
    if (composed.empty()) return;
    const Clock::time_point begin = Clock::now();
    report_.picture_bytes += exchange_of(targets)->gather(composed);
    if (in_memory_ && talk_.rank() == 0) targets = tables_.machine->read_back();
    report_.picture_ms += ms_since(begin);
  }

 private:
  void give(const Segment& segment, Distribution& distribution) {
    if (settings_.mode == ShareMode::duplicate) {
      given_.give_commands(segment.first_command, segment.end_command);
      return;
    }
    const std::vector<Merge> merges = merge_draws(given_, segment, settings_.merge);
    for (const Merge& merge : merges) report_.frame_primitives += merge.primitives;
    given_.give(distribution.run(merges, report_.distribution));
  }

  // Each rank broadcasts its squares of the planes that are read next.
  void exchange(const Segment& segment, std::vector<TargetImage>& targets) {
    const Clock::time_point begin = Clock::now();
    report_.exchange_bytes += exchange_of(targets)->broadcast(segment.exchanged);
    report_.exchanges += segment.exchanged.size();
    report_.exchange_ms += ms_since(begin);
  }

  // Exchanges the result of the last launch, which is in `targets` or in the machine's memory.
  std::unique_ptr<SquareExchange> exchange_of(std::vector<TargetImage>& targets) {
    return in_memory_ ? exchange_in_memory(talk_, *owned_, tables_.machine->squares())
                      : exchange_in_pictures(talk_, *owned_, targets);
  }

  void note(const Statistics& s) {
    report_.link = talk_.link() != nullptr && in_memory_ ? "nccl" : "mpi";
    report_.machine = s.machine + (s.isa.empty() ? "" : " " + s.isa);
    report_.workers = s.workers;
    report_.drawn_primitives += s.triangles_in;
    report_.fragments += s.fragments;
    report_.launch_ms += s.launch_ms;
    report_.frame_bytes = std::max(report_.frame_bytes, s.frame_bytes);
    report_.target_bytes = std::max(report_.target_bytes, s.target_bytes);
    if (settings_.mode == ShareMode::duplicate) report_.frame_primitives += s.triangles_in;
  }

  const Clock::time_point begin_ = Clock::now();
  Renderer& renderer_;
  PreparedFrame& frame_;
  PreparedFrame::Impl& tables_;
  RenderOptions options_;
  const double budget_ms_ = options_.frame_budget_ms;
  const RankSettings& settings_;
  Talk& talk_;
  RankReport& report_;
  std::shared_ptr<const OwnedBins> owned_;
  bool named_;
  // Targets stay in the machine's memory until the end, and no pictures are made of them. This excludes content beside
  // colour, depth and stencil, because each launch numbers it again, and launches that may be cut off, because they
  // leave it unfinished.
  bool in_memory_;
  GivenDraws given_;
  Projector projector_;
  std::vector<TargetImage> content_;
};

// FNV-1a over words of eight bytes.
class Hash {
 public:
  void add(const void* data, size_t bytes) {
    const auto* from = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; bytes -= 8, from += 8) {
      uint64_t word = 0;
      std::memcpy(&word, from, 8);
      step(word);
    }
    for (; bytes > 0; --bytes, ++from) step(*from);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    step(values.size());
    add(values.data(), values.size() * sizeof(T));
  }
  uint64_t value() const { return value_; }

 private:
  void step(uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3u; }
  uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace

std::pair<RenderResult, RankReport> render(Renderer& renderer, PreparedFrame& frame, const RenderOptions& options,
                                           const RankSettings& settings, const std::vector<PlaneUse>& composed,
                                           Talk& talk) {
  if (const std::string why = why_not(frame, options); !why.empty()) throw std::invalid_argument(why);
  const Clock::time_point begin = Clock::now();
  RankReport report;
  report.rank = talk.rank();
  report.host = talk.transport().host();
  RankFrame mine(renderer, frame, options, settings, talk, report);
  RenderResult result = mine.draw(!composed.empty());
  mine.compose(composed, result.targets);
  report.frame_ms = ms_since(begin);
  return {std::move(result), std::move(report)};
}

void check_options(const RenderOptions& options) {
  const auto refuse = [](const char* what) { throw std::invalid_argument(what); };
  if (options.shading == Shading::batch && is_planned(options.reuse))
    refuse(
        "shading: each rank forms batches from its own primitives, so they have no common numbers; use --reuse auto");
  if (options.keep_stamps) refuse("ranks: each rank has its own clock; draw stamps of fragments with --ranks off");
}

std::string why_not(const PreparedFrame& frame, const RenderOptions& options) try {
  ranks::check_options(options);
  if (!shading_traits(options.shading).overdraw) return {};
  const bool cut = cut_segments(PreparedFrame::Impl::of(frame), false, options.command_limit.value_or(~0u)).size() > 1;
  return cut ? "shading: overdraw counts fragments of the whole frame, but ranks must split this one into segments; "
               "add --ranks off"
             : "";
} catch (const std::invalid_argument& error) {
  return error.what();
}

int usual_workers() {
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  const bool bound = cores < int(sysconf(_SC_NPROCESSORS_ONLN));
  const int share = bound ? cores : std::max(1, cores / ranks_on_this_computer());
  // Ranks share a quota of processors, whatever processors each is bound to.
  const int usable = usable_processors();
  return usable < cores ? std::min(share, std::max(1, usable / ranks_on_this_computer())) : share;
}

uint64_t frame_hash(const Frame& frame) {
  Hash hash;
  for (const uint64_t count : {frame.targets.size(), frame.views.size(), frame.states.size(), frame.commands.size(),
                               frame.materials.size(), frame.textures.size(), frame.programs.size()})
    hash.add(&count, sizeof count);
  for (const Target& target : frame.targets) {
    for (const int number : {target.width, target.height, target.layers, int(target.format)})
      hash.add(&number, sizeof number);
  }
  // States, commands and materials are not plain data, so hash the file instead.
  if (std::error_code error; std::filesystem::is_regular_file(frame.source, error))
    hash.add(read_file(frame.source, std::numeric_limits<uint64_t>::max()));
  for (const FragmentProgram& program : frame.programs) {
    for (const std::string& text : program.texts) hash.add(text.data(), text.size());
  }
  for (const Texture& texture : frame.textures) hash.add(texture.texels);
  hash.add(frame.indices);
  hash.add(frame.positions);
  hash.add(frame.normals);
  hash.add(frame.texcoords);
  hash.add(frame.second_texcoords);
  hash.add(frame.colors);
  hash.add(frame.models);
  hash.add(frame.varyings);
  hash.add(frame.uniforms);
  hash.add(frame.texture_data);
  for (const View& view : frame.views) hash.add(&view.view_projection, sizeof view.view_projection);
  return hash.value();
}

}  // namespace brokkr::ranks
