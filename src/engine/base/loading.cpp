#include "base/loading.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "base/failure.h"
#include "base/processors.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();

// Returns the number after `key`, or the file's first word if `key` is empty. Empty for "max" and for a missing file.
std::optional<uint64_t> number_in(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream words(line.substr(key.size()));
    uint64_t number = 0;
    if (words >> number) return number;
    return std::nullopt;
  }
  return std::nullopt;
}

uint64_t difference(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// The memory that one control group has left. Pages of files that it holds count as free, because they can be dropped.
uint64_t free_in_group(const fs::path& group) {
  uint64_t least = kUnknown;
  for (const auto& [limit_name, use_name, cache_key] :
       {std::tuple("memory.max", "memory.current", "inactive_file "),
        std::tuple("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")}) {
    const auto limit = number_in(group / limit_name, ""), use = number_in(group / use_name, "");
    if (!limit || !use) continue;
    const uint64_t cache = number_in(group / "memory.stat", cache_key).value_or(0);
    least = std::min(least, difference(*limit, difference(*use, cache)));
  }
  return least;
}

// The free memory of the process's control group, limited by the groups around it.
uint64_t free_in_groups(const fs::path& root) {
  uint64_t least = kUnknown;
  each_control_group(root, "memory", [&](const fs::path& group) { least = std::min(least, free_in_group(group)); });
  return least;
}

uint64_t free_of_own_limit(const fs::path& root) {
  constexpr uint64_t kPage = 4096;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
  return difference(limit.rlim_cur, number_in(root / "proc/self/statm", "").value_or(0) * kPage);
}

}  // namespace

uint64_t free_memory(const fs::path& root) {
  constexpr uint64_t kKib = 1024;
  const std::optional<uint64_t> system = number_in(root / "proc/meminfo", "MemAvailable:");
  return std::min({system ? *system * kKib : kUnknown, free_in_groups(root), free_of_own_limit(root)});
}

uint64_t memory_limit_bytes(int limit_mib, uint64_t held) {
  if (limit_mib < 0) fail("field 'memory_limit': {} MiB is below 0; give 0 for the usual limit", limit_mib);
  constexpr uint64_t kShare = 4;  // other programs and the next frame need memory as well
  if (limit_mib > 0) return uint64_t(limit_mib) << 20;
  const uint64_t free = free_memory();
  return free >= kShare * kMaxMemory ? kMaxMemory : std::min((free + held) / kShare, kMaxMemory);
}

uint64_t memory_of(const Frame& frame) {
  const auto bytes = [](const auto& v) { return uint64_t(v.size() * sizeof(v[0])); };
  uint64_t sum = bytes(frame.indices) + bytes(frame.positions) + bytes(frame.normals) + bytes(frame.texcoords) +
                 bytes(frame.second_texcoords) + bytes(frame.colors) + bytes(frame.models) + bytes(frame.commands) +
                 bytes(frame.varyings) + bytes(frame.uniforms) + bytes(frame.texture_data) + bytes(frame.attributes);
  for (const Texture& texture : frame.textures) sum += bytes(texture.texels);
  for (const Reference& reference : frame.references) sum += bytes(reference.depth) + bytes(reference.color_file);
  return sum;
}

std::string memory_text(uint64_t bytes) {
  constexpr double kMib = 1 << 20, kGib = 1 << 30;
  return double(bytes) < kGib ? fmt::format("{:.1f} MiB", double(bytes) / kMib)
                              : fmt::format("{:.1f} GiB", double(bytes) / kGib);
}

void require_memory(uint64_t bytes, uint64_t limit, std::string_view field, std::string_view file,
                    std::string_view remedy) {
  if (bytes <= limit) return;
  std::string needs = memory_text(bytes), allowed = memory_text(limit);
  if (needs == allowed) {
    needs = fmt::format("{} bytes", bytes);
    allowed = fmt::format("{} bytes", limit);
  }
  fail_limit("{}{}field '{}': needs {} of memory, above the limit of {}; {}, or raise the memory limit", file,
             file.empty() ? "" : ": ", field, needs, allowed, remedy);
}

Loading::Loading(const LoadOptions& options) : progress_(options.progress), limit_mib_(options.memory_limit) {
  if (limit_mib_ < 0) fail("field 'memory_limit': {} MiB is below 0; give 0 for the usual limit", limit_mib_);
}

uint64_t Loading::limit() const {
  if (limit_ == 0) limit_ = std::max<uint64_t>(memory_limit_bytes(limit_mib_, held_), 1);
  return limit_;
}

void Loading::holds(uint64_t bytes, std::string_view field) {
  held_ += bytes;
  need(bytes, field);
}

void Loading::need(uint64_t bytes, std::string_view field) {
  check(bytes, field);
  used_ += bytes;
}

void Loading::at(double part) {
  begin_ = end_ = told_ = part;
  last_ = Clock::now();
  if (progress_) progress_(part);
}

void Loading::until(double end) {
  begin_ = end_;
  end_ = end;
  look(0, 1);
}

void Loading::look(uint64_t done, uint64_t all) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  const Clock::time_point now = Clock::now();
  if (!progress_ || now - last_ < kPause) return;
  last_ = now;
  const double share = std::min(1.0, double(done) / double(std::max<uint64_t>(all, 1)));
  progress_(told_ = std::max(told_, begin_ + (end_ - begin_) * share));
}

bool Loading::count_warning(std::string_view kind) {
  constexpr size_t kMaxKinds = 1000;  // a file full of mistakes gets at most this many lines
  const auto found = std::ranges::find(warnings_, kind, &Warning::kind);
  if (found == warnings_.end()) return warnings_.size() >= kMaxKinds;
  found->times++;
  return true;
}

void Loading::add_warning(std::string_view kind, std::string line) {
  constexpr size_t kMaxBytes = 1000;
  if (line.size() > kMaxBytes) line.resize(kMaxBytes);
  warnings_.push_back({std::string(kind), std::move(line)});
}

std::vector<std::string> Loading::warnings() const {
  std::vector<std::string> lines;
  for (const Warning& warning : warnings_) {
    lines.push_back(warning.line + (warning.times > 1 ? fmt::format(" ({} times)", warning.times) : ""));
  }
  return lines;
}

}  // namespace brokkr
