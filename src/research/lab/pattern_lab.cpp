#include "lab/pattern_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "base/file_io.h"
#include "base/processors.h"

namespace brokkr::lab {
namespace {

constexpr int kPartFormat = 1;  // increase it when the meaning of an experiment's rows changes
constexpr uint64_t kMaxPartBytes = uint64_t(1) << 30;

std::string read_text(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, kMaxPartBytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Everything that a unit's rows depend on, as a hash.
std::string key_of(const PatternBench& bench, const PatternExperiment& experiment, const PatternUnit& unit) {
  const PatternLabOptions& o = bench.options;
  uint64_t all = 0;
  for (const auto& frame : bench.frames) all = all * 1099511628211u + frame->hash;
  std::string key =
      fmt::format("brokkr patterns {} {} seed {} {}", kPartFormat, experiment.name, o.seed, o.quick ? "quick" : "full");
  key += unit.frame != nullptr ? fmt::format(" frame {:016x}", unit.frame->hash) : fmt::format(" frames {:016x}", all);
  if (!experiment.on_machine) return key;
  const RenderOptions& r = o.render;
  return key + fmt::format(" machine {} {} {} {} {} {}", int(r.machine), r.isa, r.workers, int(r.policy),
                           int(r.ownership), int(r.reuse));
}

}  // namespace

std::string group_of(const std::string& name) { return name.substr(0, name.find_first_of("-:.")); }

PatternLab::PatternLab(PatternLabOptions options, Progress progress) : progress_(std::move(progress)) {
  bench_.options = std::move(options);
  if (bench_.options.workers == 0) bench_.options.workers = usable_processors();
  bench_.say = [this](const std::string& what, double share) {
    progress_(fmt::format("{}: {} {} %", now_, what, int(100 * share)));
  };
  make_folder(bench_.options.folder / "parts");
}

void PatternLab::add(const std::string& name, Frame frame) {
  auto added = std::make_unique<LabFrame>();
  added->name = name;
  const auto odd = [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; };
  std::replace_if(added->name.begin(), added->name.end(), odd, '-');
  const auto taken = [&](const std::string& n) {
    return std::any_of(frames().begin(), frames().end(), [&](const auto& f) { return f->name == n; });
  };
  if (const std::string first = added->name; taken(first)) {
    for (int i = 2; taken(added->name); ++i) added->name = first + "_" + std::to_string(i);
  }
  added->group = group_of(added->name);
  added->frame = std::move(frame);
  added->prepared.emplace(bench_.renderer.prepare(added->frame, {.memory_limit = bench_.options.render.memory_limit}));
  progress_("counting the fragments of " + added->name);
  added->maps = render_maps(bench_.renderer, *added->prepared, added->frame, added->name, bench_.options.render);
  if (added->maps.empty()) throw std::runtime_error(name + ": no fragment covers its main target; leave it out");
  for (const FragmentMap& map : added->maps) added->hash = added->hash * 31 + map.hash;
  bench_.frames.push_back(std::move(added));
}

// Reads the rows from the unit's file, or computes and writes them if the file is missing or has another key.
Rows PatternLab::rows_of(const PatternExperiment& experiment, const PatternUnit& unit) {
  const auto path = bench_.options.folder / "parts" / fmt::format("{}.{}.csv", experiment.name, unit.name);
  const std::string head = "# " + key_of(bench_, experiment, unit) + "\n";
  std::string text = is_there(path) ? read_text(path) : "";
  if (text.starts_with(head)) {
    ++reused_;
  } else {
    progress_(now_ + ": running");
    text = head + to_csv(split(experiment.columns), unit.run());
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // an outdated part is no input that has to be kept (base/file_io.h)
    write_text(path, text);
  }
  return from_csv(text.substr(head.size()));
}

Rows PatternLab::run(const std::string& experiment) {
  const auto all = pattern_experiments();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PatternExperiment& e) { return experiment == e.name; });
  if (found == all.end())
    throw std::invalid_argument("patterns: there is no experiment '" + experiment +
                                "'; `brokkr patterns --list` shows them all");
  Rows rows;
  if (found->conclude != nullptr) {
    rows = found->conclude(bench_, run("cost"));
  } else {
    const std::vector<PatternUnit> units = found->units(bench_);
    for (size_t i = 0; i < units.size(); ++i) {
      now_ =
          experiment + " " + units[i].name + " (" + std::to_string(i + 1) + " of " + std::to_string(units.size()) + ")";
      append(rows, rows_of(*found, units[i]));
    }
  }
  write_text(bench_.options.folder / ("patterns-" + experiment + ".csv"), to_csv(split(found->columns), rows));
  return rows;
}

}  // namespace brokkr::lab
