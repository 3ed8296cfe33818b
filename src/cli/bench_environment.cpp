#include "cli/bench_environment.h"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include "brokkr_commit.h"

namespace brokkr::app {
namespace {

using Json = nlohmann::ordered_json;

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0 && line.rfind("Model", 0) != 0) continue;
    const size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

bool is_virtual() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string word; file >> word;) {
    if (word == "hypervisor") return true;
  }
  return false;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts));
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

Json bench_environment(const Bench& bench) {
  utsname system{};
  uname(&system);
  const RenderOptions& render = bench.options().render;
  Json json = {{"processor", processor()},
               {"cores", std::thread::hardware_concurrency()},
               {"virtual", is_virtual()},
               {"memory_gib", double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)) / (1 << 30)},
               {"system", std::string(system.sysname) + " " + system.release},
               {"date", utc_now()},
               {"version", BROKKR_VERSION},
               {"commit", BROKKR_COMMIT},
               {"niceness", getpriority(PRIO_PROCESS, 0)},
               {"load_before", load_average()},
               {"command", command_line()},
               {"frames", bench.options().frames},
               {"rounds", bench.options().rounds},
               {"turn_ms", bench.options().turn_ms},
               {"workers_asked", render.workers}};
  json["peers"] = Json::object();
  for (const auto& peer : bench.peers()) {
    json["peers"][peer->setup().name] = {
        {"renderer", peer->renderer()}, {"version", peer->version()}, {"environment", peer->setup().environment}};
  }
  return json;
}

}  // namespace brokkr::app
