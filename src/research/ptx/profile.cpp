#include "ptx/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace brokkr::ptx {

uint64_t* Profile::begin(const Program& program) {
  counts_.clear();
  lanes_.clear();
  if (profile_ <= 0 && coverage_folder_.empty() && !keep_) return nullptr;
  counts_.assign(program.code.size(), 0);
  lanes_.assign(program.code.size(), 0);
  return counts_.data();
}

void Profile::add(const Profile& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
    lanes_[i] += other.lanes_[i];
  }
}

void Profile::end(const Launch& launch) {
  if (profile_ > 0) print(launch);
  if (coverage_folder_.empty()) return;
  std::vector<uint64_t>& all = all_[launch.program];
  all.resize(counts_.size(), 0);
  bool more = false;
  for (size_t i = 0; i < counts_.size(); ++i) {
    more |= all[i] == 0 && counts_[i] != 0;
    all[i] += counts_[i];
  }
  if (more) write_coverage(*launch.program);
}

// Writes one file per process and program: "F path", then "L line runs" for each line with instructions, where `runs`
// is the maximum over them.
void Profile::write_coverage(const Program& program) const {
  const std::vector<uint64_t>& counts = all_.at(&program);
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> lines;
  for (size_t i = 0; i < counts.size(); ++i) {
    const SourceLine& line = program.lines[i];
    if (line.line == 0) continue;
    uint64_t& most = lines[{line.file, line.line}];
    most = std::max(most, counts[i]);
  }
  char name[64];
  std::snprintf(name, sizeof name, "/%d-%016zx.lines", int(getpid()), std::hash<std::string>()(program.text));
  std::ofstream out(coverage_folder_ + name);
  uint32_t file = ~0u;
  for (const auto& [line, runs] : lines) {
    if (line.first != file) {
      file = line.first;
      const auto path = program.files.find(file);
      out << "F " << (path == program.files.end() ? "?" : path->second) << '\n';
    }
    out << "L " << line.second << ' ' << runs << '\n';
  }
}

void Profile::print(const Launch& launch) const {
  const Program& p = *launch.program;
  const uint64_t lanes = std::accumulate(lanes_.begin(), lanes_.end(), uint64_t(0));
  std::vector<uint32_t> order(counts_.size());
  uint64_t sum = 0;
  std::vector<std::pair<uint64_t, const Function*>> functions;
  for (const Function& f : p.functions) {
    uint64_t of_function = 0;
    for (uint32_t i = f.begin; i < f.end; ++i) of_function += counts_[i];
    sum += of_function;
    if (of_function > 0) functions.emplace_back(of_function, &f);
  }
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const size_t most = std::min(order.size(), size_t(profile_));
  std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(most), order.end(),
                    [&](uint32_t a, uint32_t b) { return counts_[a] > counts_[b]; });
  std::sort(functions.rbegin(), functions.rend());
  std::fprintf(stderr, "ptx: %s: %llu warp instructions, %.1f lanes each\n", launch.kernel->name.c_str(),
               static_cast<unsigned long long>(sum), sum == 0 ? 0.0 : double(lanes) / double(sum));
  for (const auto& [count, f] : functions)
    std::fprintf(stderr, "  %12llu %s\n", static_cast<unsigned long long>(count), f->name.c_str());
  for (size_t i = 0; i < most && counts_[order[i]] > 0; ++i) {
    std::fprintf(stderr, "  %12llu %s\n", static_cast<unsigned long long>(counts_[order[i]]),
                 p.describe(order[i]).c_str());
  }
}

}  // namespace brokkr::ptx
