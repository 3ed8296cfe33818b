#include "simt/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/failure.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/nearest_name.h"

namespace brokkr::simt {
namespace {

using Json = nlohmann::ordered_json;

struct NamedConfig {
  const char *name, *text;
};
constexpr NamedConfig kConfigs[] = {
#include "simt_machines.inc"
};

// Reports a JSON syntax error with its position, without the parser's own error name.
[[noreturn]] void refuse(const std::string& file, std::string_view text, std::string_view error) {
  constexpr const char* kRemedy = "write an object of a machine's fields, as docs/research/simt.md shows";
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    fail("{}: field 'JSON': it is empty; {}", file, kRemedy);
  if (const size_t end = error.find("] "); error.starts_with("[") && end != std::string_view::npos)
    error.remove_prefix(end + 2);
  fail("{}: field 'JSON': {}; {}", file, error, kRemedy);
}

// The members of an object, which are taken one by one; members left over are unknown fields.
class Fields {
 public:
  Fields(const Json& json, std::string file, std::string path)
      : json_(json), file_(std::move(file)), path_(std::move(path)) {
    if (!json.is_object())
      fail("{}: {} is not an object; see docs/research/simt.md", file_, path_.empty() ? "the file" : path_);
  }
  void number(const char* name, uint32_t& value, uint32_t least, uint32_t most) {
    const Json* j = take(name);
    if (j == nullptr) return;
    if (!j->is_number_integer() || j->get<int64_t>() < int64_t(least) || j->get<int64_t>() > int64_t(most))
      fail("{}: {} is not a whole number of {} to {}", file_, at(name), least, most);
    value = uint32_t(j->get<int64_t>());
  }
  void truth(const char* name, bool& value) {
    const Json* j = take(name);
    if (j == nullptr) return;
    if (!j->is_boolean()) fail("{}: {} is neither true nor false", file_, at(name));
    value = j->get<bool>();
  }
  void text(const char* name, std::string& value) {
    const Json* j = take(name);
    if (j == nullptr) return;
    if (!j->is_string()) fail("{}: {} is not a text", file_, at(name));
    value = j->get<std::string>();
  }
  template <class T>
  void choice(const char* name, T& value, const std::vector<std::string>& names) {
    std::string word;
    text(name, word);
    if (word.empty()) return;
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      std::string all;
      for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
      fail("{}: {} is '{}'; it must be one of {}", file_, at(name), word.substr(0, 40), all);
    }
    value = T(found - names.begin());
  }
  template <class F>
  void object(const char* name, F&& read) {
    const Json* j = take(name);
    if (j == nullptr) return;
    Fields inner(*j, file_, at(name));
    read(inner);
    inner.finish();
  }
  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        fail("{}: {} is not a field{}", file_, at(name.substr(0, 40)), did_you_mean(name, known_));
    }
  }

 private:
  std::string at(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }
  const Json* take(const char* name) {
    known_.emplace_back(name);
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  const Json& json_;
  std::string file_, path_;
  std::vector<std::string> known_;
};

constexpr uint32_t kMany = 1u << 30, kSlow = 1u << 20;

void read_cache(Fields& f, CacheConfig& c) {
  f.choice("kind", c.kind, {"none", "perfect", "sets"});
  f.number("bytes", c.bytes, 0, kMany);
  f.number("ways", c.ways, 0, 1024);
  f.number("latency", c.latency, 0, kSlow);
}

void read_latencies(Fields& f, Latencies& l) {
  for (const auto& [name, value] : {std::pair{"integer", &l.integer},
                                    {"multiply", &l.multiply},
                                    {"floating", &l.floating},
                                    {"special", &l.special},
                                    {"divide", &l.divide},
                                    {"doubles", &l.doubles},
                                    {"control", &l.control},
                                    {"collective", &l.collective},
                                    {"shared", &l.shared},
                                    {"constant", &l.constant},
                                    {"load", &l.load}})
    f.number(name, *value, 1, kSlow);
}

void read_memory(Fields& f, MemoryConfig& m) {
  f.number("channels", m.channels, 1, 4096);
  f.number("bytes_per_cycle", m.bytes_per_cycle, 1, 65536);
  f.number("latency", m.latency, 0, kSlow);
  f.number("segment", m.segment, 4, 4096);
  f.number("line", m.line, 4, 4096);
  f.number("banks", m.banks, 1, 1024);
  f.number("atomic_cycles", m.atomic_cycles, 0, kSlow);
}

void check(const Config& c, const std::string& file) {
  for (const uint32_t size : {c.memory.segment, c.memory.line, c.memory.banks}) {
    if ((size & (size - 1)) != 0) fail("{}: memory.segment, memory.line and memory.banks must be powers of two", file);
  }
  if (c.memory.line % c.memory.segment != 0) fail("{}: memory.line is not a multiple of memory.segment", file);
  if (c.lanes > c.warp) fail("{}: lanes is more than warp", file);
  if (c.threads < c.warp) fail("{}: threads is less than warp", file);
  if ((c.ways & (c.ways - 1)) != 0) fail("{}: ways is not a power of two", file);
  for (const CacheConfig* cache : {&c.l1, &c.l2}) {
    if (cache->kind == CacheConfig::Kind::sets && (cache->ways == 0 || cache->bytes / c.memory.line < cache->ways))
      fail("{}: a cache of kind 'sets' needs ways, and bytes for a line of each", file);
  }
}

}  // namespace

Config read_config(std::string_view text, const std::string& name) {
  Json json;
  try {
    json = parse_json(text);
  } catch (const std::runtime_error& error) {
    refuse(name, text, error.what());
  }
  Config c;
  Fields f(json, name, "");
  f.text("name", c.name);
  f.text("source", c.source);
  f.number("mhz", c.mhz, 1, 100000);
  f.number("cores", c.cores, 1, 4096);
  f.number("schedulers", c.schedulers, 1, 1024);
  f.number("warp", c.warp, 1, 32);
  f.number("lanes", c.lanes, 1, 32);
  f.number("threads", c.threads, 1, 65536);
  f.number("blocks", c.blocks, 1, 65536);
  f.number("registers", c.registers, 1, kMany);
  f.number("shared", c.shared, 0, kMany);
  f.truth("overlap", c.overlap);
  f.truth("greedy", c.greedy);
  f.truth("block_scheduling", c.block_scheduling);
  f.choice("policy", c.policy, policy_names());
  f.number("ways", c.ways, 1, 32);
  f.object("latency", [&](Fields& inner) { read_latencies(inner, c.latency); });
  f.object("l1", [&](Fields& inner) { read_cache(inner, c.l1); });
  f.object("l2", [&](Fields& inner) { read_cache(inner, c.l2); });
  f.object("memory", [&](Fields& inner) { read_memory(inner, c.memory); });
  f.object("spawn", [&](Fields& inner) {
    inner.number("bytes", c.spawn.bytes, 0, kMany);
    inner.number("state_bytes", c.spawn.state_bytes, 4, 65536);
    inner.truth("conflicts", c.spawn.conflicts);
  });
  f.object("fixed", [&](Fields& inner) { inner.number("depth", c.fixed.depth, 0, kSlow); });
  f.finish();
  check(c, name);
  if (c.name.empty()) c.name = name;
  return c;
}

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const NamedConfig& c : kConfigs) names.emplace_back(c.name);
  return names;
}

Config find_config(const std::string& name_or_file) {
  for (const NamedConfig& c : kConfigs) {
    if (name_or_file == c.name) return read_config(c.text, c.name);
  }
  if (!is_there(name_or_file)) {
    fail("{}: neither a machine nor a file{}; `brokkr simt --list` names the machines", name_or_file,
         did_you_mean(name_or_file, config_names()));
  }
  constexpr uint64_t kMaxBytes = 1 << 20;
  return read_config(as_text(read_file(name_or_file, kMaxBytes)), name_or_file);
}

Config as_mimd(Config c) {
  c.name += ", MIMD";
  c.schedulers *= c.lanes;
  c.warp = c.lanes = 1;
  c.policy = PolicyKind::pdom;
  c.memory.unit_per_lane = true;
  return c;
}

Config as_half_warps(Config c) {
  c.name += ", half warps";
  c.cores *= 2;
  c.warp /= 2;
  c.lanes = std::max(1u, c.lanes / 2);
  return c;
}

Config with_cores(Config c, uint32_t cores) {
  c.name += fmt::format(", {} cores", cores);
  const auto share = [&](uint32_t whole) { return std::max(1u, (whole * cores + c.cores / 2) / c.cores); };
  const uint32_t bytes = share(c.memory.channels * c.memory.bytes_per_cycle);
  c.memory.channels = share(c.memory.channels);
  c.memory.bytes_per_cycle = std::max(1u, (bytes + c.memory.channels / 2) / c.memory.channels);
  c.cores = cores;
  return c;
}

Config with_ideal_memory(Config c) {
  c.name += ", ideal memory";
  c.l1 = {CacheConfig::Kind::perfect, 0, 0, 0};
  c.memory.atomic_cycles = 0;
  c.memory.instant = true;
  c.memory.banks = 0;  // disables conflicts
  c.latency.load = c.latency.shared = c.latency.constant = 1;
  return c;
}

}  // namespace brokkr::simt
