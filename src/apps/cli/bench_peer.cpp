#include "cli/bench_peer.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "app/command.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/process.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;
using PeerJson = nlohmann::json;

constexpr int kAnswerSeconds = 240;  // a frame of ten million triangles takes long to load

// llvmpipe allocates and frees its bins every frame; glibc's default thresholds hand that memory back to the kernel
// each time, which costs up to 30 % of a frame in page faults.
const std::map<std::string, std::string> kKeptMemory = {
    {"MALLOC_TRIM_THRESHOLD_", "4294967296"}, {"MALLOC_MMAP_THRESHOLD_", "33554432"}, {"MALLOC_TOP_PAD_", "268435456"}};

std::string lavapipe_driver() {
  for (const char* folder : {"/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"}) {
    for (const fs::path& path : paths_in(folder)) {
      if (path.filename().string().rfind("lvp_icd", 0) == 0) return path.string();
    }
  }
  throw std::runtime_error(
      "--against lavapipe: no Vulkan driver lvp_icd*.json in /usr/share/vulkan/icd.d; install mesa-vulkan-drivers");
}

// Settings for Mesa's OpenGL on Vulkan (zink), on Mesa's software Vulkan.
std::map<std::string, std::string> lavapipe_environment() {
  const std::string driver = lavapipe_driver();
  return {{"LIBGL_ALWAYS_SOFTWARE", "1"},
          {"MESA_LOADER_DRIVER_OVERRIDE", "zink"},
          {"GALLIUM_DRIVER", "zink"},
          {"VK_ICD_FILENAMES", driver},
          {"VK_DRIVER_FILES", driver}};
}

void add_software(std::vector<PeerSetup>& setups, const std::string& name,
                  const std::map<std::string, std::string>& environment) {
  setups.push_back({name, name, "software", environment});
  PeerSetup tuned{name + " tuned", name, "software", environment};
  tuned.environment.insert(kKeptMemory.begin(), kKeptMemory.end());
  setups.push_back(std::move(tuned));
}

template <typename T>
void read_values(std::istream& file, std::vector<T>& values, size_t count) {
  values.resize(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

PeerJson checked(const std::string& peer, const std::string& answer) {
  PeerJson json = parse_json<PeerJson>(answer);
  if (json.contains("error")) throw std::runtime_error(peer + ": " + json["error"].get<std::string>());
  return json;
}

}  // namespace

std::vector<PeerSetup> peer_setups(const std::vector<std::string>& texts) {
  std::vector<std::string> families;
  for (const std::string& text : texts) {
    for (const std::string& word : split(text)) {
      if (word != "llvmpipe" && word != "lavapipe" && word != "gpu" && word != "none")
        throw UsageError("--against: '" + word + "' is not one of llvmpipe, lavapipe, gpu, none");
      if (std::find(families.begin(), families.end(), word) == families.end()) families.push_back(word);
    }
  }
  const bool none = std::find(families.begin(), families.end(), "none") != families.end();
  if (none && families.size() > 1) throw UsageError("--against: none cannot be combined with other peers");
  std::vector<PeerSetup> setups;
  for (const std::string& family : families) {
    if (family == "llvmpipe") add_software(setups, family, {{"GALLIUM_DRIVER", "llvmpipe"}});
    if (family == "lavapipe") add_software(setups, family, lavapipe_environment());
    if (family == "gpu") setups.push_back({"gpu", "gpu", "", {}});
  }
  return setups;
}

PeerSetup with_threads(PeerSetup setup, int threads) {
  setup.environment["LP_NUM_THREADS"] = std::to_string(threads);
  return setup;
}

fs::path find_peer_program(const std::string& given) {
  if (!given.empty()) {
    if (access(given.c_str(), X_OK) == 0) return given;
    throw std::runtime_error("--gl-bench " + given + ": there is no such program");
  }
  if (const std::optional<fs::path> program = find_beside("brokkr-gl-bench", "src/apps/reference")) return *program;
  throw std::runtime_error("brokkr-gl-bench is neither beside " + (program_folder() / "brokkr").string() +
                           " nor in ../libexec/brokkr; build it, name it with --gl-bench, or use --against none");
}

Peer::Peer(PeerSetup setup, const fs::path& program, fs::path folder)
    : setup_(std::move(setup)),
      folder_(std::move(folder)),
      process_(
          {program.string(), "--serve", "--device", setup_.device},
          [&] {
            auto environment = setup_.environment;
            environment["XDG_RUNTIME_DIR"] = folder_.string();  // Vulkan needs it even without a display
            environment["BROKKR_GL_DEVICE"] = "";
            return environment;
          }(),
          folder_ / (setup_.name + ".log")) {
  bool is_software = false;
  try {
    const PeerJson hello = parse_json<PeerJson>(process_.receive(kAnswerSeconds));
    renderer_ = hello.at("renderer");
    version_ = hello.at("version");
    is_software = hello.at("software").get<bool>();
  } catch (const std::exception& error) {
    throw std::runtime_error(setup_.name + ": " + program.string() + " did not answer as brokkr-gl-bench does (" +
                             error.what() + "); check --gl-bench and OpenGL, or use --against none");
  }
  if (setup_.family == "gpu" && is_software)
    throw std::runtime_error("--against gpu: OpenGL here is " + renderer_ + ", which is not a GPU's driver");
}

std::string Peer::ask(const std::string& request) {
  process_.send(request);
  return process_.receive(kAnswerSeconds);
}

void Peer::begin_load(const Workload& workload) {
  if (loaded_ == workload.frame_key()) return;
  loaded_.clear();
  const PeerJson request = {{"do", "load"},
                            {"file", workload.file},
                            {"width", workload.load.width},
                            {"height", workload.load.height},
                            {"views", workload.load.views},
                            {"view_size", workload.load.view_size}};
  process_.send(request.dump());
  loading_ = true;
  loaded_ = workload.frame_key();
}

void Peer::finish_load() {
  if (!std::exchange(loading_, false)) return;
  const std::string answer = process_.receive(kAnswerSeconds);
  try {
    checked(setup_.name, answer);
  } catch (...) {
    loaded_.clear();
    throw;
  }
}

PeerTurn Peer::turn(const Workload& workload, int warm_up, int frames, double max_ms) {
  const PeerJson request = {
      {"do", "draw"}, {"shading", workload.gl_shading()}, {"warm_up", warm_up}, {"frames", frames}, {"max_ms", max_ms}};
  const PeerJson answer = checked(setup_.name, ask(request.dump()));
  return {answer.at("samples_ms").get<std::vector<double>>(), answer.at("rss_kib").get<uint64_t>()};
}

PeerDrawing Peer::draw_programs(const Workload& workload, uint32_t target, uint32_t limit) {
  begin_load(workload);
  finish_load();
  const PeerJson request = {{"do", "draw"}, {"shading", "program"}, {"limit", limit},
                            {"warm_up", 0}, {"frames", 1},          {"max_ms", 0}};
  const PeerJson answer = checked(setup_.name, ask(request.dump()));
  PeerDrawing drawing;
  for (const PeerJson& failure : answer.at("failures")) {
    drawing.failures.push_back("program " + std::to_string(failure.at("program").get<uint32_t>()) + ": " +
                               failure.at("reason").get<std::string>());
  }
  drawing.frame_ms = answer.at("samples_ms").at(0);
  drawing.picture = read_request({{"do", "read"}, {"layer", 0}, {"target", target}});
  return drawing;
}

PeerPicture Peer::read_request(PeerJson request) {
  const fs::path path = folder_ / "layer.raw";
  request["file"] = path.string();
  const PeerJson answer = checked(setup_.name, ask(request.dump()));
  PeerPicture picture;
  picture.width = answer.at("width");
  picture.height = answer.at("height");
  const size_t pixels = static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height);
  std::ifstream file(path, std::ios::binary);
  if (answer.at("channels") == "u8") {
    read_values(file, picture.color, pixels);
  } else {
    read_values(file, picture.color_float, 4 * pixels);
  }
  read_values(file, picture.depth, pixels);
  if (!file) throw std::runtime_error(path.string() + ": cut short; is the disk full?");
  std::error_code ignored;
  fs::remove(path, ignored);
  return picture;
}

}  // namespace brokkr::app
