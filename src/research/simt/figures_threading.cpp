// Hyper-threading [Steffen12, 8.1]: speedups over the stack.
#include <fmt/format.h>

#include <iterator>

#include "simt/figures.h"

namespace brokkr::simt {
namespace {

constexpr const char* kBenchmarks[] = {"aes", "bfs", "bs", "lps", "mum", "nn", "nqu", "ray", "sto", "even", "loop"};

Config machine() { return find_config("thesis-7.1"); }

Config with_policy(Config c, PolicyKind kind, uint32_t ways) {
  c.policy = kind;
  c.ways = ways;
  return c;
}

struct Timed {
  const char* program;
  Config config;
};

// The cycles of each run.
std::vector<double> cycles_of(const std::vector<Timed>& runs, const FigureOptions& o) {
  ProgramSize size{.scale = o.scale};
  if (o.triangles != 0) size.triangles = o.triangles;
  if (o.width != 0) size.width = o.width;
  std::vector<double> cycles(runs.size());
  for_each_run(runs.size(), [&](size_t i) {
    cycles[i] = double(time_program(find_program(runs[i].program), runs[i].config, size, 0, o.progress).cycles);
  });
  return cycles;
}

// For each program, the speedup of each machine over the first one.
std::vector<std::vector<double>> speedups(const std::vector<const char*>& programs, const std::vector<Config>& configs,
                                          const FigureOptions& o) {
  std::vector<Timed> runs;
  for (const char* program : programs) {
    for (const Config& c : configs) runs.push_back({program, c});
  }
  const std::vector<double> cycles = cycles_of(runs, o);
  std::vector<std::vector<double>> over(programs.size());
  for (size_t i = 0; i < cycles.size(); ++i) {
    const size_t program = i / configs.size(), first = program * configs.size();
    if (i != first) over[program].push_back(cycles[first] / cycles[i]);
  }
  return over;
}

FigureResult compare(const std::vector<std::string>& columns, const std::vector<Config>& configs,
                     const FigureOptions& o, const std::vector<std::string>& thesis = {}) {
  FigureResult r;
  r.columns = columns;
  const auto values = speedups({std::begin(kBenchmarks), std::end(kBenchmarks)}, configs, o);
  for (size_t i = 0; i < std::size(kBenchmarks); ++i)
    r.rows.push_back({kBenchmarks[i], values[i], i < thesis.size() ? thesis[i] : ""});
  return r;
}

constexpr const char* kNoBars = "The thesis shows bars without numbers; each row quotes its text instead.";

}  // namespace

FigureResult figure_limits(const FigureOptions& o) {
  const Config stack = machine();
  FigureResult r = compare({"full hyper-threading", "MIMD"},
                           {stack, with_policy(stack, PolicyKind::independent, 32), as_mimd(stack)}, o,
                           {"1: does not branch", "below MIMD", "below MIMD", "", "below MIMD", "below MIMD", "",
                            "below MIMD", "1: does not branch", "", ""});
  r.notes = {kNoBars,
             "MIMD here means a warp of one thread on each of the 32 lanes, each with its own path to memory. If a "
             "warp loads many lines, the core's single unit needs a cycle for each, even with perfect caches. So the "
             "gain exceeds the thesis's for nn, mum and sto, and also exceeds full hyper-threading for lps, nqu and "
             "even, which the thesis does not list among those that stay below."};
  return r;
}

FigureResult figure_two_ways(const FigureOptions& o) {
  const Config stack = machine();
  FigureResult r = compare({"parallel", "ahead", "spatial"},
                           {stack, with_policy(stack, PolicyKind::parallel, 2),
                            with_policy(stack, PolicyKind::ahead, 2), with_policy(stack, PolicyKind::spatial, 2)},
                           o,
                           {"1", "", "", "", "below its limit", "", "below its limit", "below its limit", "1",
                            "parallel is made for it", "ahead is made for it"});
  r.notes = {
      kNoBars,
      "[Steffen12, chapter 10] estimates two ways at close to 1.5 for benchmarks and at 2 for code that diverges.",
      "Loops gain from working ahead, as in the thesis; ours end at 16 different times, which is too many for two "
      "ways; with eight ways the gain is close to its limit (figure 8.3)."};
  return r;
}

FigureResult figure_more_ways(const FigureOptions& o) {
  const Config stack = machine();
  FigureResult r;
  r.columns = {"2", "4", "8", "16", "32"};
  const std::vector<const char*> programs = {"even", "loop", "mum", "nqu", "ray"};
  const std::vector<PolicyKind> kinds = {PolicyKind::parallel, PolicyKind::ahead, PolicyKind::spatial};
  std::vector<Config> configs = {stack};
  for (const PolicyKind kind : kinds) {
    for (uint32_t ways = 2; ways <= 32; ways *= 2) configs.push_back(with_policy(stack, kind, ways));
  }
  const auto values = speedups(programs, configs, o);
  for (size_t p = 0; p < programs.size(); ++p) {
    for (size_t k = 0; k < kinds.size(); ++k) {
      const auto first = values[p].begin() + std::ptrdiff_t(k * r.columns.size());
      r.rows.push_back({fmt::format("{}, {}", programs[p], policy_names()[size_t(kinds[k])]),
                        {first, first + std::ptrdiff_t(r.columns.size())},
                        ""});
    }
  }
  r.notes = {
      kNoBars, "The thesis's text only states that speed changes with the number of ways, without values.",
      "Parallel entries gain nothing beyond two ways, because an if has two sides and a loop has none. Working ahead "
      "gains until it reaches the limit of independent lanes (figure 8.1): even with 4 ways, ray with 8, nqu and loop "
      "with 16. Spatial subdivision needs a way for each group of lanes that stay together, up to all 32.",
      "More ways can be slower (mum ahead, mum and ray in 32 parts): diverged lanes load separately, and a core's "
      "single unit processes their lines one after another, even with perfect caches (with --ideal they are not "
      "slower)."};
  return r;
}

FigureResult figure_half_warps(const FigureOptions& o) {
  const Config stack = machine();
  FigureResult r =
      compare({"parallel", "ahead", "spatial", "half warps"},
              {stack, with_policy(stack, PolicyKind::parallel, 2), with_policy(stack, PolicyKind::ahead, 2),
               with_policy(stack, PolicyKind::spatial, 2), as_half_warps(stack)},
              o,
              {"", "", "half warps slower", "hyper-threading faster", "", "", "hyper-threading faster", "", "",
               "hyper-threading faster", "hyper-threading faster"});
  r.notes = {kNoBars,
             "Half warps are 16 threads on twice the cores, each with room for as many threads as before; a program "
             "with few blocks leaves half of the cores idle."};
  return r;
}

FigureResult figure_real_memory(const FigureOptions& o) {
  Config stack = machine();
  stack.name = "thesis-7.1 without caches";
  stack.l1.kind = stack.l2.kind = CacheConfig::Kind::none;
  FigureResult r =
      compare({"parallel", "ahead", "spatial", "half warps"},
              {stack, with_policy(stack, PolicyKind::parallel, 2), with_policy(stack, PolicyKind::ahead, 2),
               with_policy(stack, PolicyKind::spatial, 2), as_half_warps(stack)},
              o);
  r.notes = {
      kNoBars, "The memory is that of Table 7.1 (8 channels of 8 bytes per cycle), without caches.",
      "The thesis's text gives no value for this figure; it says that diverged lanes request memory more often, which "
      "must be solved elsewhere. This holds here: working ahead and spatial subdivision lose their gain of figure 8.2 "
      "if lanes no longer load together. Programs that load little while diverged (even, loop, bs) keep the gain."};
  return r;
}

}  // namespace brokkr::simt
