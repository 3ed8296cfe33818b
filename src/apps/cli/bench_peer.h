// Other renderers that draw the same frames for comparison: OpenGL in a process of its own (brokkr-gl-bench).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/tool.h"
#include "app/workload.h"

namespace brokkr::app {

// One configuration of a peer. Mesa reads its settings when it starts, so that every configuration is a process of its
// own.
struct PeerSetup {
  std::string name;    // "llvmpipe", "llvmpipe tuned", …
  std::string family;  // "llvmpipe", "lavapipe" or "gpu"
  std::string device;  // as EglContext takes it
  std::map<std::string, std::string> environment;
};

// Setups of the families in `texts` ("llvmpipe,lavapipe", "gpu", "none"): llvmpipe and lavapipe each with the
// allocator's defaults and with kept memory. Throws UsageError for unknown names and std::runtime_error where lavapipe
// is not installed.
std::vector<PeerSetup> peer_setups(const std::vector<std::string>& texts);

// The same peer with `threads` rasterizing threads (llvmpipe only; one more thread sets triangles up).
PeerSetup with_threads(PeerSetup setup, int threads);

// brokkr-gl-bench beside this program, in its build, or under libexec; `given` where that is not empty. Throws
// std::runtime_error.
std::filesystem::path find_peer_program(const std::string& given);

struct PeerPicture {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8, or empty
  std::vector<float> color_float;  // four per pixel, or empty
  std::vector<float> depth;
};

// A captured frame with its own programs.
struct PeerDrawing {
  PeerPicture picture;
  std::vector<std::string> failures;  // a line for each program that the driver refuses
  double frame_ms = 0;
};

struct PeerTurn {
  std::vector<double> samples_ms;
  uint64_t memory_kib = 0;  // most since the frame was loaded
};

// Every function throws std::runtime_error with the peer's own message.
class Peer {
 public:
  Peer(PeerSetup setup, const std::filesystem::path& program, std::filesystem::path folder);

  const PeerSetup& setup() const { return setup_; }
  const std::string& renderer() const { return renderer_; }
  const std::string& version() const { return version_; }

  // The peer loads the frame until finish_load, so that several peers load at once. Does nothing where the peer holds
  // that frame already.
  void begin_load(const Workload& workload);
  void finish_load();
  PeerTurn turn(const Workload& workload, int warm_up, int frames, double most_ms);
  PeerPicture read(int layer) { return read_request({{"do", "read"}, {"layer", layer}}); }
  // The target, by its index in the frame, just before command `limit`.
  PeerDrawing draw_programs(const Workload& workload, uint32_t target, uint32_t limit);

 private:
  std::string ask(const std::string& request);
  PeerPicture read_request(nlohmann::json request);

  PeerSetup setup_;
  std::filesystem::path folder_;
  LineProcess process_;
  std::string renderer_, version_, loaded_;
  bool loading_ = false;
};

}  // namespace brokkr::app
