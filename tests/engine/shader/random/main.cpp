// brokkr_random_shaders FIRST COUNT: runs COUNT random shaders from seed FIRST on, interpreted on all builds of the
// kernel in all forms, and prints how many the front end accepted. `brokkr_random_shaders --print SEED` prints one. The
// exit code is 1 if a picture differs or a pass makes a broken program. A termination signal ends it with the counts.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>

#include "pipeline/cpu_machine.h"
#include "shade/kernels.h"
#include "trial.h"

namespace {

using namespace brokkr::shader;
using namespace brokkr::shader::test;

constexpr uint64_t kRounds = 6;  // choices of a shader's inputs

std::array<char, 64> now_trying{};
volatile std::sig_atomic_t stopped = 0;

// Names the seed that ended the process.
void say_seed(int signal) {
  const char* const text = now_trying.data();
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

uint64_t number_of(const char* text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text, &end, 10);
  if (*text != '\0' && *end == '\0') return number;
  std::cerr << text << " is not the number of a seed\n";
  std::exit(2);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: brokkr_random_shaders FIRST COUNT | --print SEED\n";
    return 2;
  }
  if (words[1] == std::string("--print")) {
    std::cout << random_shader(number_of(words[2]));
    return 0;
  }
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { stopped = 1; });
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) std::signal(signal, say_seed);
  std::vector<std::string> isas;
  for (const std::string& name : kernel_names())
    if (brokkr::cpu_supports(name)) isas.push_back(name);
  const uint64_t first = number_of(words[1]), seeds = number_of(words[2]);
  uint64_t tried = 0, taken = 0, faults = 0;
  std::map<std::string, uint64_t> refusals;
  const auto begin = std::chrono::steady_clock::now();
  for (; tried < seeds && stopped == 0; ++tried) {
    const uint64_t seed = first + tried;
    std::snprintf(now_trying.data(), now_trying.size(), "the process ended at seed %llu\n",
                  static_cast<unsigned long long>(seed));
    try {
      RandomTrial trial(seed);
      ++taken;
      std::string fault = trial.run(isas);
      for (uint64_t round = 1; round < kRounds && fault.empty(); ++round) {
        trial.give(round);
        fault = trial.run(isas);
      }
      if (fault.empty()) continue;
      ++faults;
      std::cout << fault << std::endl;
    } catch (const ShaderError& error) {
      const bool is_broken = std::string(error.what()).find("broken") != std::string::npos;
      faults += is_broken ? 1 : 0;
      if (is_broken || refusals[error.what()]++ == 0)
        std::cout << fmt::format("seed {}: line {}: {}", seed, error.line(), error.what()) << std::endl;
    } catch (const std::logic_error& error) {
      ++faults;
      std::cout << fmt::format("seed {}: {}", seed, error.what()) << std::endl;
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  for (const auto& [what, times] : refusals) std::cout << fmt::format("{:>8} times: {}\n", times, what);
  std::cout << fmt::format(
      "{} seeds, {} taken, each given {} choices of uniforms and textures: {} programs on {} builds; {} faults, {:.1f} "
      "s\n",
      tried, taken, kRounds, taken * kRounds * 4, isas.size(), faults, took.count());
  return faults == 0 ? 0 : 1;
}
