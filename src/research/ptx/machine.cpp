#include "ptx/machine.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

namespace brokkr::ptx {

uint64_t* Profile::begin(const Program& program) {
  counts_.clear();
  lanes_.clear();
  if (profile_ <= 0 && coverage_folder_.empty() && !keep_) return nullptr;
  counts_.assign(program.code.size(), 0);
  if (profile_ > 0 || keep_) lanes_.assign(program.code.size(), 0);
  return counts_.data();
}

void Profile::add(const Profile& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i] += other.lanes_[i];
}

void Profile::end(const Launch& launch) {
  if (profile_ > 0) print(launch);
  if (!coverage_folder_.empty()) cover(*launch.program);
}

Profile::Coverage::Coverage(const Program& program) : runs(program.code.size(), 0) {
  for (const SourceLine& line : program.lines) {
    if (line.line != 0) lines.emplace_back(line.file, line.line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  is_reached.assign(lines.size() + 1, false);
  is_reached.back() = true;
  for (const SourceLine& line : program.lines) {
    const auto at = std::lower_bound(lines.begin(), lines.end(), std::pair(line.file, line.line));
    line_of.push_back(uint32_t(line.line == 0 ? lines.size() : size_t(at - lines.begin())));
  }
}

// Adds the counts of this launch. The file is written again only when a line is reached for the first time: most
// launches reach no new line, and writing the file takes longer than a launch.
void Profile::cover(const Program& program) {
  auto at = covers_.try_emplace(&program, program).first;
  if (at->second.runs.size() != counts_.size()) at->second = Coverage(program);  // another program at its place
  Coverage& c = at->second;
  bool more = false;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    c.runs[i] += counts_[i];
    if (c.is_reached[c.line_of[i]]) continue;
    c.is_reached[c.line_of[i]] = true;
    more = true;
  }
  if (more) write(program, c);
}

// Writes one file per process and program: "F path", then "L line runs" for each line with instructions, where `runs`
// is the maximum over them.
void Profile::write(const Program& program, const Coverage& coverage) const {
  std::vector<uint64_t> most(coverage.lines.size() + 1, 0);
  for (size_t i = 0; i < coverage.runs.size(); ++i)
    most[coverage.line_of[i]] = std::max(most[coverage.line_of[i]], coverage.runs[i]);
  char name[64];
  std::snprintf(name, sizeof name, "/%d-%016zx.lines", int(getpid()), std::hash<std::string>()(program.text));
  std::ofstream out(coverage_folder_ + name);
  uint32_t file = ~0u;
  for (size_t i = 0; i < coverage.lines.size(); ++i) {
    if (coverage.lines[i].first != file) {
      file = coverage.lines[i].first;
      const auto path = program.files.find(file);
      out << "F " << (path == program.files.end() ? "?" : path->second) << '\n';
    }
    out << "L " << coverage.lines[i].second << ' ' << most[i] << '\n';
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

namespace {

constexpr uint64_t kNever = ~uint64_t(0);

}  // namespace

Machine::~Machine() {
  for (uint32_t* stack : stacks_) std::free(stack);
}

uint32_t* Machine::take_stack() {
  if (stacks_.empty()) return static_cast<uint32_t*>(std::aligned_alloc(64, size_t(kStackWords) * 4));
  uint32_t* const stack = stacks_.back();
  stacks_.pop_back();
  return stack;
}

void* Machine::take(RangeKind kind, size_t bytes, const void* owner) {
  std::vector<void*>& known = free_[{kind, bytes}];
  if (known.empty()) {
    void* const memory = Memory::instance().allocate(bytes, kind, owner);
    if (memory == nullptr) throw Fault("no memory for a block");
    return memory;
  }
  void* const memory = known.back();
  known.pop_back();
  Memory::instance().give(memory, owner);
  if (settings.poison >= 0 && kind == kSharedRange) std::memset(memory, settings.poison, bytes);
  return memory;
}

void Machine::give(RangeKind kind, size_t bytes, void* memory) { free_[{kind, bytes}].push_back(memory); }

uint64_t Machine::now() const {
  if (settings.real_clock) {
    return uint64_t(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
  }
  if (crowd_ != nullptr) return crowd_->clock.load(std::memory_order_relaxed);
  return executed_ + slept_;
}

void Machine::pass(uint64_t nanoseconds) {
  if (crowd_ == nullptr) {
    slept_ += nanoseconds;
    return;
  }
  crowd_->clock.fetch_add(nanoseconds, std::memory_order_relaxed);
  std::this_thread::yield();  // another thread may have to act before these warps can continue
}

uint64_t Machine::next_block() {
  return crowd_ != nullptr ? crowd_->next_block.fetch_add(1, std::memory_order_relaxed) : started_++;
}

void Machine::warn(const std::string& what) {
  if (!settings.warn || std::find(warned_.begin(), warned_.end(), what) != warned_.end()) return;
  warned_.push_back(what);
  std::fprintf(stderr, "ptx: warning: %s\n", what.c_str());
}

void Machine::begin(const Launch& launch) {
  adversarial = settings.seed != 0;
  if (adversarial && executed_ == 0) {
    random.state += settings.seed * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 8; ++i) random.next();
  }
  counts = profile_.begin(*launch.program);
  lane_counts = profile_.lanes();
  blocks_.clear();
  started_ = 0;
  share_ = launch.resident_blocks;
  history.forget();
  races = settings.races ? std::make_unique<Races>(*launch.program) : nullptr;
}

bool Machine::turn(Warp& w, uint64_t& next) {
  next = std::min(next, w.wake());
  if (!w.can_run()) {
    w.commit_due();
    return false;
  }
  const uint64_t slice = uint64_t(std::max(settings.slice, 1));
  const uint32_t log_slice = uint32_t(std::bit_width(slice));  // adversarial: short and long turns are equally likely
  const uint64_t ran = w.run(adversarial ? 1 + random.below(2u << random.below(log_slice)) : slice);
  executed_ += ran;
  if (crowd_ != nullptr) crowd_->clock.fetch_add(ran, std::memory_order_relaxed);
  return true;
}

bool Machine::take_turns(uint64_t& next) {
  bool ran = false;
  if (adversarial) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      Block& b = *blocks_[random.below(uint32_t(blocks_.size()))];
      for (size_t j = 0; j < b.warps.size(); ++j) ran |= turn(b.warps[random.below(uint32_t(b.warps.size()))], next);
    }
    if (ran) return true;  // otherwise all picked warps wait, and the next pass asks each of them
  }
  for (auto& b : blocks_) {
    for (Warp& w : b->warps) ran |= turn(w, next);
  }
  return ran;
}

void Machine::run_blocks(const Launch& launch) {
  const uint64_t total = launch.blocks(), first = executed_;
  for (;;) {
    if (crowd_ != nullptr && crowd_->stop.load(std::memory_order_relaxed)) return;
    while (blocks_.size() < share_) {
      const uint64_t number = next_block();
      if (number >= total) break;
      blocks_.push_back(std::make_unique<Block>(*this, launch, uint32_t(number)));
    }
    if (blocks_.empty()) return;
    uint64_t next = kNever;
    const bool ran = take_turns(next);
    std::erase_if(blocks_, [](const std::unique_ptr<Block>& b) { return b->ended(); });
    if (!ran && !blocks_.empty()) {
      if (next == kNever) report_deadlock("deadlock: no lane can continue");
      const uint64_t at = now();
      if (next > at) pass(next - at);
    }
    if (settings.limit != 0 && executed_ - first > settings.limit)
      report_deadlock("given up after " + std::to_string(executed_ - first) + " instructions");
  }
}

// Runs all blocks without profiling.
void Machine::run_all(const Launch& launch) {
  try {
    run_blocks(launch);
  } catch (...) {
    blocks_.clear();
    throw;
  }
  blocks_.clear();
}

void Machine::run(const Launch& launch) {
  begin(launch);
  const size_t crew = crew_of(launch);
  try {
    if (crew > 1) {
      run_crew(launch, crew);
    } else {
      run_all(launch);
    }
  } catch (...) {
    profile_.end(launch);
    throw;
  }
  profile_.end(launch);
  Memory::instance().print_touched(launch.kernel->name);
  if (races != nullptr && races->found() > 0)
    throw Fault("race: " + std::to_string(races->found()) + " pairs of unordered accesses");
}

void Machine::report_deadlock(const std::string& what) const {
  std::string text = what;
  for (const auto& b : blocks_) {
    for (const Warp& w : b->warps) text += w.state();
  }
  throw Fault(text);
}

}  // namespace brokkr::ptx
