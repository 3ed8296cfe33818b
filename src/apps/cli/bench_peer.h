// Other renderers that draw the same frames for comparison: OpenGL in a separate process (brokkr-gl-bench).
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

// One configuration of a peer. Each configuration is a separate process, because Mesa reads its settings at start.
struct PeerSetup {
  std::string name;    // "llvmpipe", "llvmpipe tuned", …
  std::string family;  // "llvmpipe", "lavapipe" or "gpu"
  std::string device;  // in the form that EglContext takes
  std::map<std::string, std::string> environment;
};

// The setups of the families in `texts` ("llvmpipe,lavapipe", "gpu", "none"). llvmpipe and lavapipe each run with the
// allocator's defaults and with kept memory. Throws UsageError for unknown names and std::runtime_error if lavapipe is
// not installed.
std::vector<PeerSetup> peer_setups(const std::vector<std::string>& texts);

// The peer with `threads` rasterizing threads (llvmpipe only; it uses one more thread for triangle setup).
PeerSetup with_threads(PeerSetup setup, int threads);

// Finds brokkr-gl-bench beside this program, in its build, or under libexec; returns `given` if it is not empty. Throws
// std::runtime_error.
std::filesystem::path find_peer_program(const std::string& given);

struct PeerPicture {
  int width = 0, height = 0;
  std::vector<uint32_t> color;     // RGBA8, or empty
  std::vector<float> color_float;  // four per pixel, or empty
  std::vector<float> depth;
};

// A captured frame drawn with its own programs.
struct PeerDrawing {
  PeerPicture picture;
  std::vector<std::string> failures;  // one line for each program that the driver refused
  double frame_ms = 0;
};

struct PeerTurn {
  std::vector<double> samples_ms;
  uint64_t memory_kib = 0;  // peak since the frame was loaded
};

// Every function throws std::runtime_error with the message of the peer.
class Peer {
 public:
  Peer(PeerSetup setup, const std::filesystem::path& program, std::filesystem::path folder);

  const PeerSetup& setup() const { return setup_; }
  const std::string& renderer() const { return renderer_; }
  const std::string& version() const { return version_; }

  // Starts loading the frame; finish_load waits for it, so that several peers load at once. Does nothing if the peer
  // already holds the frame.
  void begin_load(const Workload& workload);
  void finish_load();
  PeerTurn turn(const Workload& workload, int warm_up, int frames, double max_ms);
  PeerPicture read(int layer) { return read_request({{"do", "read"}, {"layer", layer}}); }
  // Draws the target with this index in the frame, up to command `limit` (exclusive).
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
