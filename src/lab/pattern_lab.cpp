#include "lab/pattern_lab.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <thread>
#include <utility>

#include "scene/file_io.h"

namespace brokkr::lab {
namespace {

constexpr int kPartFormat = 1;  // raise it when an experiment's rows change their meaning
constexpr uint64_t kMaxPartBytes = uint64_t(1) << 30;

const std::vector<PatternExperiment> kExperiments = {
    {"spacing",
     "4",
     "Drawing bins of one rasterizer apart",
     {"frame", "bin", "distance", "distance_px", "height", "sigma", "ratio"}},
    {"orientation", "5, Table 1", "Load on lines of every direction", {"frame", "samples", "angle", "sigma"}},
    {"load",
     "7-11",
     "Load of the rasterizers under every pattern",
     {"frame", "pattern", "rasterizers", "bin", "sigma", "cv", "imbalance"}},
    {"partition",
     "12",
     "The same for parts of the frame",
     {"frame", "pattern", "rasterizers", "bin", "partitions", "batches", "cv"}},
    {"search",
     "",
     "Better patterns, searched and scored on frames that the search has not seen",
     {"rasterizers", "bin", "frame", "pattern", "unseen", "reach", "trained_on", "cv", "imbalance"}},
    {"pipeline",
     "Table 2",
     "Patterns in the pipeline, 2500 multiply-adds per fragment",
     {"frame", "order", "machine", "rasterizers", "bin", "pattern", "time_ms", "critical_ms", "raster_ms",
      "geometry_ms", "frame_ms", "critical_fragments", "fragments", "cv_time", "cv_fragments", "cv_map",
      "imbalance_map"}},
    {"blocks",
     "7.13 of Kerbl 2018",
     "What every block spends its time on",
     {"frame", "pattern", "rasterizers", "bin", "kind", "block", "geometry_ms", "raster_ms", "idle_ms"}},
    {"cost",
     "",
     "What small bins cost",
     {"frame", "shading", "machine", "bin", "rasterizers", "asked", "pattern", "triangles", "rasterizer_pairs",
      "bin_pairs", "queue_elements", "queue_bytes", "queue_peak", "visits", "geometry_ms", "raster_ms", "critical_ms",
      "frame_ms"}},
    {"recommend",
     "",
     "Bin size and pattern for these frames",
     {"machine", "shading", "rank", "bin", "pattern", "ms", "default_ms", "gain"}},
};

std::string hex(uint64_t value) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[value >> shift & 15];
  return text;
}

std::string read_text(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, kMaxPartBytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::span<const PatternExperiment> pattern_experiments() { return kExperiments; }

std::string group_of(const std::string& name) { return name.substr(0, name.find_first_of("-:.")); }

PatternLab::PatternLab(PatternLabOptions options, Progress progress)
    : options_(std::move(options)), progress_(std::move(progress)) {
  if (options_.workers == 0) options_.workers = std::max(1, int(std::thread::hardware_concurrency()));
  std::filesystem::create_directories(options_.folder / "parts");
}

void PatternLab::add(const std::string& name, Frame frame) {
  auto added = std::make_unique<LabFrame>();
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    added->name += plain ? c : '-';
  }
  const auto taken = [&](const std::string& n) {
    return std::any_of(frames_.begin(), frames_.end(), [&](const auto& f) { return f->name == n; });
  };
  if (const std::string first = added->name; taken(first)) {
    for (int i = 2; taken(added->name); ++i) added->name = first + "_" + std::to_string(i);
  }
  added->group = group_of(added->name);
  added->frame = std::move(frame);
  added->prepared.emplace(renderer_.prepare(added->frame));
  progress_("counting the fragments of " + added->name);
  added->maps = render_maps(renderer_, *added->prepared, added->frame, added->name, options_.render);
  if (added->maps.empty()) throw std::runtime_error(name + ": no fragment falls on its main target; leave it out");
  for (const FragmentMap& map : added->maps) added->hash = added->hash * 31 + map.hash;
  frames_.push_back(std::move(added));
}

void PatternLab::say(const std::string& what, double share) {
  progress_(now_ + ": " + what + (share < 0 ? "" : " " + std::to_string(int(100 * share)) + " %"));
}

std::string PatternLab::maps_key() const {
  uint64_t sum = 0;
  for (const auto& frame : frames_) sum = sum * 1099511628211u + frame->hash;
  return hex(sum);
}

std::vector<PatternLab::Unit> PatternLab::units(const std::string& experiment) {
  std::vector<Unit> all;
  const std::string common = "brokkr patterns " + std::to_string(kPartFormat) + " " + experiment + " seed " +
                             std::to_string(options_.seed) + (options_.quick ? " quick" : " full");
  const RenderOptions& r = options_.render;
  const std::string machine = " machine " + std::to_string(int(r.machine)) + " " + r.isa + " " +
                              std::to_string(r.workers) + " " + std::to_string(int(r.policy)) + " " +
                              std::to_string(int(r.ownership)) + " " + std::to_string(int(r.reuse));
  const auto per_frame = [&](const std::string& more, const auto& work) {
    for (const auto& frame : frames_) {
      LabFrame* f = frame.get();
      all.push_back({f->name, common + " frame " + hex(f->hash) + more, [this, f, work] { return (this->*work)(*f); }});
    }
  };
  if (experiment == "spacing") per_frame("", &PatternLab::spacing);
  if (experiment == "orientation") per_frame("", &PatternLab::orientation);
  if (experiment == "load") per_frame("", &PatternLab::load);
  if (experiment == "partition") per_frame("", &PatternLab::partition);
  if (experiment == "blocks") per_frame(machine, &PatternLab::blocks);
  if (experiment == "search") {
    for (const int rasterizers : {6, 20, 60, 132, 264}) {
      for (const int bin : {16, 64}) {
        all.push_back({std::to_string(rasterizers) + "-" + std::to_string(bin), common + " frames " + maps_key(),
                       [=, this] { return search(rasterizers, bin); }});
      }
    }
  }
  // Searched patterns take part, and they depend on all frames.
  const std::string with_all = common + " frames " + maps_key() + machine;
  for (const auto& frame : frames_) {
    LabFrame* f = frame.get();
    if (experiment == "pipeline") {
      all.push_back({f->name + ".forward", with_all, [this, f] { return pipeline(*f, OrderMode::strict); }});
      all.push_back({f->name + ".visible", with_all, [this, f] { return pipeline(*f, OrderMode::automatic); }});
    }
    if (experiment == "cost") {
      all.push_back({f->name + ".flat", with_all, [this, f] { return cost(*f, Shading::flat); }});
      all.push_back({f->name + ".multiply-add", with_all, [this, f] { return cost(*f, Shading::multiply_add); }});
    }
  }
  return all;
}

Rows PatternLab::run(const std::string& experiment) {
  const auto found = std::find_if(kExperiments.begin(), kExperiments.end(),
                                  [&](const PatternExperiment& e) { return experiment == e.name; });
  if (found == kExperiments.end())
    throw std::invalid_argument("patterns: there is no experiment '" + experiment +
                                "'; `brokkr patterns --list` shows them all");
  Rows rows;
  if (experiment == "recommend") {
    rows = recommend();
  } else {
    const std::vector<Unit> all = units(experiment);
    for (size_t i = 0; i < all.size(); ++i) {
      const std::filesystem::path path = options_.folder / "parts" / (experiment + "." + all[i].name + ".csv");
      const std::string head = "# " + all[i].key + "\n";
      std::error_code ignored;
      std::string text = std::filesystem::exists(path, ignored) ? read_text(path) : "";
      if (text.compare(0, head.size(), head) == 0) {
        ++reused_;
      } else {
        now_ =
            experiment + " " + all[i].name + " (" + std::to_string(i + 1) + " of " + std::to_string(all.size()) + ")";
        say("running", -1);
        text = head + to_csv(found->columns, all[i].run());
        write_text(path, text);
      }
      for (Row& r : from_csv(text.substr(head.size()))) rows.push_back(std::move(r));
    }
  }
  write_text(options_.folder / ("patterns-" + experiment + ".csv"), to_csv(found->columns, rows));
  return rows;
}

}  // namespace brokkr::lab
